--- A tab of a browser. Its state is kept up to date by the browser's events (tab_events.lua), so it can be read without
--- asking the browser, and a call that would not be answered fails at once. Actions are in files of their own, which
--- add methods here.
local cdp = require "deskpilot.desk.browser.cdp"
local errors = require "deskpilot.base.errors"
local events = require "deskpilot.desk.browser.tab_events"
local load_filter = require "deskpilot.desk.browser.load_filter"
local page_script = require "deskpilot.desk.browser.page_script"
local signal = require "deskpilot.base.signal"
local signature = require "deskpilot.base.signature"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local tab_module = {}

---@class deskpilot.tab
---@field id string target id in the browser
---@field browser deskpilot.browser
---@field session deskpilot.cdp_session? replaced when a lost connection is restored; tab:call uses the current one
---@field url string the address of its page
---@field frame string the id of its page's main frame
---@field loader string? id that changes with every document
---@field loading boolean
---@field downloads deskpilot.download[] that were started in it, the newest last
---@field pressed { press: deskpilot.last_press?, x: integer, y: integer }? the latest press of the desktop's mouse in
---  it, and at which pixel of the visible page
---@field closed boolean?
---@field typed_into boolean? while its page is typed into: no key goes anywhere else
---@field left_the_web boolean? whether something else than pages of the web is in its history
---@field not_loaded deskpilot.error? why the latest document that was not to be loaded was stopped
local Tab = {}
Tab.__index = Tab

function Tab:__tostring()
  return ("tab %s%s"):format(text.cut(self.url, 100), self.closed and " (closed)" or "")
end

local function has_changed(self)
  self.changed:notify()
end

-- Enables the events of a new session. The last call lets a paused new tab run. All calls are sent before the first
-- answer is waited for, and all answers are waited for together: ready() waits hardly longer.
local function enable(self, session)
  local calls = load_filter.begin(self, session)
  for _, method in ipairs { "Page.enable", "Inspector.enable", "Network.enable", "Runtime.runIfWaitingForDebugger" } do
    calls[#calls + 1] = session:begin(method, method == "Network.enable"
      and { maxTotalBufferSize = 0, maxResourceBufferSize = 0 } or nil)
  end
  local enabled = cdp.wait_all(calls, self.browser.desk.timing.browser_answer)
  if self.session ~= session or session.closed then return end -- the connection was lost meanwhile
  self.attaching, self.attached = nil, true
  self.unanswered = not enabled or nil
  has_changed(self)
  self.browser.changed:notify()
end

--- Handles the event that the browser has attached deskpilot to the tab.
---@param self deskpilot.tab
---@param session deskpilot.cdp_session
---@param info table
function tab_module.attached(self, session, info)
  self.session, self.frame, self.url = session, self.id, tostring(info.url)
  self.opener = type(info.openerId) == "string" and info.openerId or nil
  self.open_dialog, self.crashed, self.closed, self.loader, self.answer = nil, nil, nil, nil, nil
  self.loading, self.attached, self.attaching, self.last_request = false, nil, true, task.now()
  events.listen(self, session)
  task.start(enable, self, session)
end

--- Handles the event that the tab's information has changed.
---@param self deskpilot.tab
---@param info table
function tab_module.info_changed(self, info)
  if type(info.url) == "string" then self.url = info.url end
  has_changed(self)
end

--- Handles the event that the tab has been closed.
---@param self deskpilot.tab
function tab_module.gone(self)
  self.closed, self.attached, self.attaching = true, nil, nil
  has_changed(self)
end

--- A new tab object, which is not attached yet.
---@param browser deskpilot.browser
---@return deskpilot.tab
function tab_module.new(browser)
  return setmetatable({ browser = browser, changed = signal.new(), downloads = {}, url = "", frame = "",
    frames = {}, loading = false }, Tab)
end

-- --- calls ----------------------------------------------------------------------------------------------

-- The current session. Waits until its events are enabled.
local function ready(self)
  local connection, err = self.browser:connected()
  if not connection then return nil, err end
  if self.closed then return errors.fail("not_found", "the tab has been closed") end
  self.changed:wait_until(self.browser.desk.timing.browser_answer + 1, function()
    return self.attached or self.closed or not self.attaching
  end)
  if self.attached then return self.session end
  if self.attaching then return errors.fail("timed_out", "the browser does not answer for the tab") end
  return errors.fail("not_found", "the tab has been closed")
end

-- A possible reason why the page does not answer, to be appended to an error message.
local function hint(self)
  for _, other in ipairs(self.browser.order) do
    if other ~= self and other.open_dialog then
      return "; a dialog is open on another tab, which may block this one"
    end
  end
  return self.unanswered and "; it has not answered since deskpilot is attached: if a dialog was open before, answer "
    .. "it by mouse and keyboard" or ""
end

--- Calls a method of the protocol for this tab. While a dialog is open, and after a crash, the call fails at once.
---@param method string such as "Page.getLayoutMetrics"
---@param params table?
---@param timeout number? seconds
---@return table? result, deskpilot.error? err
function Tab:call(method, params, timeout)
  local session, err = ready(self)
  if not session then return nil, err end
  local result, failure = session:call(method, params, timeout)
  if result then
    self.unanswered = nil
    return result
  end
  if not errors.is(failure, "timed_out") then return nil, failure end
  return errors.fail("timed_out", "%s", tostring(failure) .. hint(self))
end

-- The id of deskpilot's isolated world in the document. Scripts there share the DOM with the page, but not its
-- JavaScript objects.
local function own_world(self, timeout)
  if self.world then return self.world end
  local result, err = self:call("Page.createIsolatedWorld", { frameId = self.frame, worldName = "deskpilot" }, timeout)
  if not result then return nil, err end
  self.world = math.tointeger(result.executionContextId)
  if self.world then return self.world end
  return errors.fail("protocol", "the browser created no isolated world to run scripts in")
end

local special = { NaN = 0 / 0, Infinity = math.huge, ["-Infinity"] = -math.huge, ["-0"] = -0.0 }

local function value_of(result)
  if type(result) ~= "table" then return errors.fail("protocol", "the browser's answer has no value") end
  local name = result.unserializableValue
  if name == nil then return result.value end
  return special[name] or tostring(name):match("^%-?%d+") or tostring(name)
end

local function exception(details)
  local thrown = type(details.exception) == "table" and details.exception or {}
  local message = thrown.description or thrown.value or details.text or "an exception"
  local first = tostring(message):match("^[^\n]*")
  return errors.fail("invalid", "%s", "the script failed: " .. text.cut(first, 500))
end

local function evaluate(self, expression, options)
  local timeout, began = options.timeout or cdp.timeout, task.now()
  local world, err
  if options.world == "own" then
    world, err = own_world(self, timeout)
    if not world then return nil, err end
  end
  local result, failure = self:call("Runtime.evaluate", { expression = expression, contextId = world,
    returnByValue = true, awaitPromise = true, userGesture = options.gesture or nil,
    timeout = math.ceil(timeout * 1000) }, timeout + 1)
  if not result then
    -- When the browser ends a script after its timeout, it reports an "internal error" (here "refused").
    if errors.is(failure, "timed_out") or errors.is(failure, "refused") and not failure.dialog
      and task.now() - began >= timeout then
      return errors.fail("timed_out", "the script did not end within %g s%s", timeout, hint(self))
    end
    return nil, failure
  end
  if type(result.exceptionDetails) == "table" then return exception(result.exceptionDetails) end
  return value_of(result.result)
end

--- Evaluates JavaScript in the page and returns its value, or the value that a promise resolves to. Values are
--- converted as by JSON; undefined and null become nil without an error.
---@param expression string
---@param options { timeout: number?, world: "page"|"own"|nil, gesture: boolean? }? timeout: seconds, after which the
---  script is ended (default 10); world: "own" is an isolated world, with the page's document but without its scripts'
---  variables (default "page"); gesture: run it as if the user had clicked
---@return any value, deskpilot.error? err code "invalid": what the script threw; "refused": a dialog is open;
---  "cancelled": the page was left or reloaded meanwhile
function Tab:evaluate(expression, options)
  options = options or {}
  local value, err = evaluate(self, expression, options)
  -- The world belonged to a document that has been replaced, so the script has not been run: try again in the new one.
  if errors.is(err, "not_found") and not self.closed then
    self.world = nil
    self.changed:wait(0.2)
    value, err = evaluate(self, expression, options)
  end
  return value, err
end

-- --- state and window -------------------------------------------------------------------------------------

--- The address and the title of the tab's page, and whether it is still loading. Does not wait for the page.
---@return { url: string, title: string, ready: "loading"|"complete" }? info, deskpilot.error? err
function Tab:info()
  local session, err = ready(self)
  if not session then return nil, err end
  local result, failure = self.browser:call("Target.getTargetInfo", { targetId = self.id })
  if not result then return nil, failure end
  local info = type(result.targetInfo) == "table" and result.targetInfo or {}
  if type(info.url) == "string" then self.url = info.url end
  return { url = self.url, title = text.cut(text.one_line(tostring(info.title or "")), 500),
    ready = self.loading and "loading" or "complete" }
end

--- Closes a tab, whoever may.
---@param self deskpilot.tab
---@return boolean? ok, deskpilot.error? err
function tab_module.close(self)
  local ok, err = self.browser:call("Target.closeTarget", { targetId = self.id })
  if not ok then return nil, err end
  local browser = self.browser
  browser.changed:wait_until(browser.desk.timing.browser_answer, function() return self.closed end)
  if self.closed then return true end
  return errors.fail("timed_out", "the tab is still there")
end

--- Closes the tab. Its page is not asked (no beforeunload dialog).
---@return boolean? ok, deskpilot.error? err
function Tab:close()
  if self.closed then return true end
  local permitted, forbidden = self.browser.desk.input.may_act { act = "close", tab = self }
  if not permitted then return nil, forbidden end
  return tab_module.close(self)
end

-- The browser learns of a new keyboard focus some time after the desktop has changed it, and the page after the
-- browser.
local has_keys = [[return new Promise(done => {
  const limit = performance.now() + %d;
  const look = () => {
    if (document.hasFocus() || performance.now() > limit) done(true);
    else later(10, look);
  };
  look();
});]]

--- Waits until the tab's page has the keyboard focus, for timing.focus at most. It is no error if the page does not get
--- it or does not answer.
---@param self deskpilot.tab
function tab_module.wait_for_keys(self)
  local seconds = self.browser.desk.timing.focus
  local script = page_script.of({ "later" }, has_keys:format(math.ceil(seconds * 1000)))
  self:evaluate(script, { world = "own", timeout = seconds + 1 })
end

-- Whether the page is in front and has the keyboard focus already, by the desktop's word and its own.
local function is_in_front(self)
  return require("deskpilot.desk.browser.active").has_window(self)
    and self:evaluate("document.hasFocus()", { world = "own", timeout = self.browser.desk.timing.focus }) == true
end

--- Brings the tab to the front of its window and the window to the front of the desktop, and waits until its page (not
--- the address field) has the keyboard focus.
---@return boolean? ok, deskpilot.error? err
function Tab:activate()
  if is_in_front(self) then
    self.browser.active = self
    return true
  end
  local ok, err = self.browser:call("Target.activateTarget", { targetId = self.id })
  if not ok then return nil, err end
  if self.attached then self.session:call("Page.bringToFront") end -- fails at once while a dialog is open
  self.browser.active = self
  local window = self:window()
  if window and not window.active then
    ok, err = self.browser.desk.windows.focus(window)
    if not ok then return nil, err end
  end
  tab_module.wait_for_keys(self)
  return true
end

--- The window of the desktop that the tab is in, whether or not it is the visible tab there.
---@return deskpilot.window? window, deskpilot.error? err
function Tab:window()
  return require("deskpilot.desk.browser.active").window_of(self)
end

for _, part in ipairs { "navigation", "dialogs", "downloads", "pictures", "waiting", "page", "page_pointer",
  "page_acts" } do
  for name, method in pairs(require("deskpilot.desk.browser." .. part).methods) do Tab[name] = method end
end

signature.kind("page_element", {
  what = "an element of the page or its index",
  fits = function(value)
    return type(value) == "table" and not errors.is(value) or type(value) == "number" and math.tointeger(value) ~= nil
  end,
})

signature.kind("texts", {
  what = "a text or a list of them",
  fits = function(value) return type(value) == "string" or type(value) == "table" and not errors.is(value) end,
})

signature.kind("screenshot_options", {
  what = "a table of options, or the path of a file",
  fits = function(value) return type(value) == "table" and not errors.is(value) end,
  take = signature.text_as("path", true),
})

signature.methods("tab", Tab, {
  call = { "text", "table?", "number?" },
  evaluate = { "text", { timeout = "number", world = "string", gesture = "boolean" } },
  info = {}, close = {}, activate = {}, window = {},
  navigate = { "text", { timeout = "number" } },
  back = { { timeout = "number" } }, forward = { { timeout = "number" } },
  reload = { { timeout = "number", without_cache = "boolean" } },
  dialog = {}, accept_dialog = { "text?" }, dismiss_dialog = {},
  wait_for = { "options" }, wait_for_download = { { action = "function", timeout = "number" } },
  screenshot = { "screenshot_options?" },
  pdf = { "text", { landscape = "boolean", background = "boolean", scale = "number" } },
  observe = { "options?" }, click = { "page_element", "options?" }, scroll_to = { "page_element" },
  scroll = { "options?" }, type = { "page_element", "text", "options?" }, clear = { "page_element", "options?" },
  select = { "page_element", "texts", "options?" }, upload = { "page_element", "texts", "options?" },
  download = { "page_element", "options?" },
})

return tab_module
