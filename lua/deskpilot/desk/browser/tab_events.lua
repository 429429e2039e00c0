--- Keeps a tab's fields up to date from the browser's events: whether it loads, which document it shows, whether a
--- dialog is open, whether it has crashed, how many requests are pending. The events are untrusted: types are checked,
--- counts are bounded.
local address = require "deskpilot.desk.browser.address"
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local tab_events = {}

-- Methods that the browser still answers while a dialog is open, and after a crash.
local passes_dialog = { ["Page.handleJavaScriptDialog"] = true }
local passes_crash = { ["Page.navigate"] = true, ["Page.reload"] = true, ["Page.getNavigationHistory"] = true,
  ["Page.navigateToHistoryEntry"] = true, ["Target.closeTarget"] = true }

-- Limits for the requests and frames that are tracked, since a page can create any number.
local MOST_REQUESTS, MOST_FRAMES = 5000, 1000

local function new_document(self)
  self.world = nil
  self.requests, self.request_count, self.frames, self.frame_count = {}, 0, {}, 0
  self.streams, self.foreign = 0, 0
end

local handlers = {}

handlers["Page.frameStartedLoading"] = function(self, params)
  if params.frameId == self.frame then self.loading = true end
end

handlers["Page.frameStoppedLoading"] = function(self, params)
  if params.frameId == self.frame then self.loading = false end
end

handlers["Page.frameNavigated"] = function(self, params)
  local frame = type(params.frame) == "table" and params.frame or {}
  if frame.parentId ~= nil or type(frame.id) ~= "string" then return end
  self.frame, self.loader = frame.id, frame.loaderId
  self.url = tostring(frame.unreachableUrl or frame.url) .. tostring(frame.urlFragment or "")
  self.left_the_web = self.left_the_web or address.leaves_the_web(self.url)
  new_document(self)
end

handlers["Page.navigatedWithinDocument"] = function(self, params)
  if params.frameId == self.frame then self.url = tostring(params.url) end
end

-- Tracks the frames inside the main one: some events name only a frame, not its tab.
handlers["Page.frameAttached"] = function(self, params)
  if type(params.frameId) ~= "string" or self.frame_count >= MOST_FRAMES then return end
  self.frames[params.frameId] = true
  self.frame_count = self.frame_count + 1
end

-- A frame that another process draws from now on: its requests are not told to us.
handlers["Page.frameDetached"] = function(self, params)
  if params.reason == "swap" then self.foreign = self.foreign + 1 end
end

handlers["Page.javascriptDialogOpening"] = function(self, params)
  local dialog = { type = text.cut(tostring(params.type), 20), message = text.cut(tostring(params.message or ""), 2000),
    url = text.cut(tostring(params.url or ""), 2000) }
  if dialog.type == "prompt" then dialog.default = text.cut(tostring(params.defaultPrompt or ""), 2000) end
  self.open_dialog = dialog
  local err = errors.new("refused", "%s", ("a dialog is open on the page (%s: \"%s\"); accept or dismiss it first")
    :format(dialog.type, text.cut(text.one_line(dialog.message), 200)))
  err.dialog = dialog
  self.session:block(err, passes_dialog)
end

handlers["Page.javascriptDialogClosed"] = function(self)
  self.open_dialog = nil
  self.session:block(nil)
end

handlers["Inspector.targetCrashed"] = function(self)
  self.crashed, self.open_dialog, self.loading = true, nil, false
  new_document(self)
  self.session:block(errors.new("unavailable", "the page has crashed; reload it or navigate to another one"),
    passes_crash)
end

handlers["Inspector.targetReloadedAfterCrash"] = function(self)
  self.crashed = nil
  self.session:block(nil)
end

-- These stay open by design and do not count as pending requests.
local lasting = { EventSource = true, WebSocket = true, Media = true, Ping = true }

-- What a server may send at any time: counted until the document goes.
local function stream_opened(self)
  self.streams = self.streams + 1
end
handlers["Network.webSocketCreated"] = stream_opened
handlers["Network.webTransportCreated"] = stream_opened

handlers["Network.requestWillBeSent"] = function(self, params)
  local id = params.requestId
  if params.type == "EventSource" then stream_opened(self) end
  if type(id) ~= "string" or lasting[params.type] or self.requests[id] then return end
  if self.request_count >= MOST_REQUESTS then return end
  self.requests[id] = true
  self.request_count = self.request_count + 1
end

local function request_ended(self, params)
  if not self.requests[params.requestId or ""] then return end
  self.requests[params.requestId] = nil
  self.request_count = self.request_count - 1
  self.last_request = task.now()
end
handlers["Network.loadingFinished"] = request_ended
handlers["Network.loadingFailed"] = request_ended

handlers["Network.responseReceived"] = function(self, params)
  if params.type ~= "Document" or params.frameId ~= self.frame or type(params.response) ~= "table" then return end
  self.answer = { loader = params.loaderId, status = math.tointeger(params.response.status) }
end

--- Starts to update the tab from the session's events.
---@param self deskpilot.tab
---@param session deskpilot.cdp_session
function tab_events.listen(self, session)
  new_document(self)
  for method, handler in pairs(handlers) do
    session:on(method, function(params)
      handler(self, params)
      self.changed:notify()
    end)
  end
end

return tab_events
