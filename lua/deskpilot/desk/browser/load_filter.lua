--- Asks desk.input about each document that a tab's main frame is about to load, before anything is sent to a server:
--- links, forms, scripts of the page, redirects, new tabs. What may not be loaded is stopped, and the tab keeps the
--- page that it has (`tab.not_loaded` says why). And about each file that a page asks for: the dialog does not open
--- where anybody wants to be asked, and the page gets files by tab:upload alone.
---
--- Documents of frames are not asked about, nor what is shown without a request: pages of the history that the browser
--- still holds, and addresses such as about:blank.
local task = require "deskpilot.base.task"

local load_filter = {}

local documents = { patterns = { { urlPattern = "*", resourceType = "Document", requestStage = "Request" } } }

-- The browser holds the request back until this has answered, also while a dialog is open.
local function decide(self, session, event)
  local request, why = type(event.request) == "table" and event.request or {}, nil
  if event.frameId == self.frame then
    local ok, err = self.browser.desk.input.may_load(tostring(request.url), self)
    why = not ok and err or nil
  end
  self.not_loaded = why or self.not_loaded
  session.connection:begin(why and "Fetch.failRequest" or "Fetch.continueRequest",
    { requestId = event.requestId, errorReason = why and "Aborted" or nil }, { session = session.id })
end

local function begin_loading(self, session)
  self.filtered = session
  session:on("Fetch.requestPaused", function(event)
    if type(event.requestId) == "string" then task.start(decide, self, session, event) end
  end)
  return session:begin("Fetch.enable", documents)
end

local function begin_choosing(self, session)
  self.without_chooser = session
  session:on("Page.fileChooserOpened", function()
    if not self.uploading then task.start(self.browser.desk.input.may_choose, self) end
  end)
  return session:begin("Page.setInterceptFileChooserDialog", { enabled = true })
end

--- Starts to ask in a session of a tab, where anybody wants to be asked.
---@param self deskpilot.tab
---@param session deskpilot.cdp_session
---@return deskpilot.cdp_call[] calls of the browser, to be waited for
function load_filter.begin(self, session)
  local input, calls = self.browser.desk.input, {}
  if self.filtered ~= session and input.judges "navigation" then calls[1] = begin_loading(self, session) end
  if self.without_chooser ~= session and input.judges "chooser" then
    calls[#calls + 1] = begin_choosing(self, session)
  end
  return calls
end

return load_filter
