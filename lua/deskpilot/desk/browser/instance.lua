--- A browser: its connection, which is restored when it was lost, and its tabs, which the browser's events announce. A
--- browser that desk.browser.start has started also has a process (launch.lua).
local cdp = require "deskpilot.desk.browser.cdp"
local downloads = require "deskpilot.desk.browser.downloads"
local endpoint = require "deskpilot.desk.browser.endpoint"
local errors = require "deskpilot.base.errors"
local launch = require "deskpilot.desk.browser.launch"
local revive = require "deskpilot.desk.browser.revive"
local signal = require "deskpilot.base.signal"
local signature = require "deskpilot.base.signature"
local tab_module = require "deskpilot.desk.browser.tab"
local task = require "deskpilot.base.task"

local instance = {}

---@class deskpilot.browser
---@field desk deskpilot.desk
---@field port integer? of a browser that was attached to; one of ours has none
---@field pid integer? of its main process
---@field product string such as "Chrome/130.0.6723.58"
---@field profile string? its profile's folder, if known
---@field downloads deskpilot.download[] the latest that were started since deskpilot was attached, the newest last
---@field download_folder string? where files are saved; nil where the browser decides
---@field connection deskpilot.cdp_connection?
---@field closed boolean? by browser:close()
local Browser = {}
Browser.__index = Browser

function Browser:__tostring()
  return ("browser %s%s%s"):format(self.product, self.port and " on port " .. self.port or "",
    self.closed and " (closed)" or "")
end

-- --- tabs come and go -----------------------------------------------------------------------------------

local function remove_tab(self, tab)
  if self.by_id[tab.id] == tab then self.by_id[tab.id] = nil end
  for i, other in ipairs(self.order) do
    if other == tab then table.remove(self.order, i) break end
  end
  if self.active == tab then self.active = nil end
  tab_module.gone(tab)
  self.changed:notify()
end

-- After a restart of the browser, new tabs reuse the objects of the tabs that it had before.
local function new_tab(self, info)
  local tab = table.remove(self.revived or {}, 1) or tab_module.new(self)
  tab.id = info.targetId
  self.by_id[tab.id] = tab
  self.order[#self.order + 1] = tab
  return tab
end

local function is_tab(info)
  return type(info) == "table" and type(info.targetId) == "string" and info.type == "page" and not info.subtype
end

local function listen(self, connection)
  local function on(method, fn) connection:on(method, nil, fn) end
  on("Target.attachedToTarget", function(params)
    if type(params.sessionId) ~= "string" then return end
    local session = connection:adopt(params.sessionId)
    if is_tab(params.targetInfo) then
      local tab = self.by_id[params.targetInfo.targetId] or new_tab(self, params.targetInfo)
      tab_module.attached(tab, session, params.targetInfo)
    else
      task.start(session.call, session, "Runtime.runIfWaitingForDebugger")
    end
  end)
  on("Target.targetInfoChanged", function(params)
    local tab = is_tab(params.targetInfo) and self.by_id[params.targetInfo.targetId]
    if tab then tab_module.info_changed(tab, params.targetInfo) end
  end)
  on("Target.targetDestroyed", function(params)
    local tab = self.by_id[params.targetId]
    if tab then remove_tab(self, tab) end
  end)
  downloads.listen(self, connection)
  connection:on_close(function()
    for _, tab in ipairs(self.order) do tab.attaching, tab.attached = nil, nil end
    self.changed:notify()
  end)
end

-- Moves the keyboard focus to the page. In an empty tab it is in the address field, from where typed text would be sent
-- to a search engine.
local function give_keys_to_page(tab)
  if tab and tab:call("Page.bringToFront") then tab_module.wait_for_keys(tab) end
end

-- --- the connection -------------------------------------------------------------------------------------

local function process_id(connection)
  local result = connection:call("SystemInfo.getProcessInfo")
  for _, process in ipairs(result and type(result.processInfo) == "table" and result.processInfo or {}) do
    if type(process) == "table" and process.type == "browser" then return math.tointeger(process.id) end
  end
end

-- Removes tabs that were closed while the connection was lost.
local function remove_closed_tabs(self)
  local list = { table.unpack(self.order) }
  for _, tab in ipairs(list) do
    if not tab.attached and not tab.attaching then remove_tab(self, tab) end
  end
end

local function set_up(self, connection)
  listen(self, connection)
  local version, err = connection:call("Browser.getVersion")
  if not version then return nil, err end
  self.product = tostring(version.product):sub(1, 100)
  self.pid = process_id(connection)
  local ok
  ok, err = downloads.start(self, connection)
  if not ok then return nil, err end
  ok, err = connection:call("Target.setDiscoverTargets", { discover = true })
  if not ok then return nil, err end
  -- A new tab is paused until its session listens, so that no event of it is missed.
  ok, err = connection:call("Target.setAutoAttach", { autoAttach = true, waitForDebuggerOnStart = true,
    flatten = true, filter = { { type = "page" } } })
  if not ok then return nil, err end
  remove_closed_tabs(self)
  return true
end

local function use(self, connection)
  local ok, err = set_up(self, connection)
  if ok then
    self.connection = connection
    return connection
  end
  connection:close()
  return nil, err
end

local function connect_to(self, place)
  local connection, err = cdp.connect(place.open)
  if not connection then return nil, err end
  self.port = place.port
  return use(self, connection)
end

-- A browser of ours has its pipes for one connection, and ends when they are closed.
local function ended_error(process)
  local ended = process:ended()
  return errors.fail("unavailable", "%s; browser:reconnect() starts it again", ended
    and ("the browser has ended (status %d)%s"):format(ended.status, ended.words and ": " .. ended.words or "")
    or "the connection to the browser is lost")
end

local function find_and_connect(self)
  if self.process then return ended_error(self.process) end
  local place, err
  if self.profile then place, err = endpoint.of_profile(self.profile) else place, err = endpoint.of_port(self.port) end
  if not place then return nil, err end
  local connection, failure = connect_to(self, place)
  if connection then return connection end
  return errors.fail(failure.code == "timed_out" and "timed_out" or "unavailable",
    "the browser on port %d cannot be reached: %s", place.port, tostring(failure))
end

-- Runs fn() in one task at a time; other tasks wait until it has ended.
local function exclusively(self, fn)
  while self.busy do self.busy:wait(60) end
  self.busy = signal.new()
  local guard <close> = setmetatable({}, { __close = function()
    local busy = self.busy
    self.busy = nil
    busy:notify()
  end })
  assert(guard)
  return fn()
end

--- The connection. A lost one to a browser that was attached to is restored: to the one that runs with the same
--- profile, else to the same port.
---@return deskpilot.cdp_connection? connection, deskpilot.error? err code "unavailable"
function Browser:connected()
  if self.closed then return errors.fail("unavailable", "the browser has been closed") end
  if self.connection and not self.connection.closed then return self.connection end
  return exclusively(self, function()
    if self.connection and not self.connection.closed then return self.connection end
    return find_and_connect(self)
  end)
end

--- Calls a method of the browser itself, not of a tab.
---@param method string such as "Target.getTargets"
---@param params table?
---@param timeout number? seconds
---@return table? result, deskpilot.error? err
function Browser:call(method, params, timeout)
  local connection, err = self:connected()
  if not connection then return nil, err end
  return connection:call(method, params, { timeout = timeout })
end

-- --- ending and restarting -----------------------------------------------------------------------------

-- Whether the browser answers a call. The connection to a process that hangs would still look open.
local function answers(self)
  return self.connection and not self.connection.closed
    and self.connection:call("Browser.getVersion", nil, { timeout = self.desk.timing.browser_answer }) ~= nil
end

-- Ends what is left of a browser of ours that cannot be spoken to. The end of a process that was killed a moment ago
-- may not be reported yet.
local function wait_for_end(self)
  if self.process:wait_for_end(self.desk.timing.browser_answer) then return true end
  local status, err = self.desk.apps.stop(self.process.pid)
  return status ~= nil, err
end

--- Restores the connection if it is lost. A browser that desk.browser.start had started and that has ended is started
--- again with the same profile: its tabs keep their objects and get their addresses back, but the state of their pages
--- is lost.
---@param options { urls: boolean? }? urls = false: start with one empty tab
---@return boolean? ok, deskpilot.error? err code "unavailable"
---@return string[]? missing why pages of a browser that was started again are missing, a sentence each
function Browser:reconnect(options)
  if self.closed then return errors.fail("unavailable", "the browser has been closed") end
  if answers(self) then return true end
  local connection = self.connection
  if self.process and not connection.closed and not self.process:ended() then -- it hangs, or is very slow
    local version, err = connection:call("Browser.getVersion")
    if version then return true end
    if not connection.closed then return nil, err end
  end
  if connection then connection:close() end
  if not self.process then
    local again, err = self:connected()
    return again and true, err
  end
  local ended, failure = wait_for_end(self)
  if not ended then return nil, failure end
  return revive.start_again(self, function(started)
    return exclusively(self, function() return use(self, started) end)
  end, not (options and options.urls == false))
end

--- Ends a browser that desk.browser.start has started, and removes its temporary folder. From a browser that was
--- attached to it only disconnects.
---@return boolean ok
function Browser:close()
  if self.closed then return true end
  local connection = self.connection
  if self.process and connection and not connection.closed then
    connection:call("Browser.close", nil, { timeout = self.desk.timing.browser_stop })
    self.process:wait_for_end(self.desk.timing.browser_stop)
  end
  self.closed = true
  if connection then connection:close() end
  if self.process then self.process:stop() end
  self.on_close(self)
  return true
end

--- Whether a browser that desk.browser.start has started has ended with status 0, as when its user closes the last
--- window.
---@return boolean
function Browser:has_quit()
  local ended = self.process and self.process:ended()
  return ended ~= nil and ended.status == 0
end

--- Like close, for callers that cannot wait: the process is killed.
function Browser:abandon()
  if self.closed then return end
  self.closed = true
  if self.connection then self.connection:close() end
  if self.process then self.process:kill() end
  self.on_close(self)
end

-- --- its tabs -------------------------------------------------------------------------------------------

--- The tabs, in the order in which they were opened.
---@return deskpilot.tab[]? tabs, deskpilot.error? err
function Browser:tabs()
  local connection, err = self:connected()
  if not connection then return nil, err end
  return { table.unpack(self.order) }
end

--- The visible tab; of several windows' the one with the keyboard focus, else that of the topmost window.
---@return deskpilot.tab? tab, deskpilot.error? err code "not_found": no tab is open
function Browser:tab()
  local tabs, err = self:tabs()
  if not tabs then return nil, err end
  if #tabs == 0 then return errors.fail("not_found", "the browser has no tab open; browser:new_tab(url) opens one") end
  self.active = require("deskpilot.desk.browser.active").of(self, tabs)
  return self.active
end

--- Opens a tab. With an address it waits until the page has loaded; if that fails, the tab is closed.
---@param url string?
---@return deskpilot.tab? tab, deskpilot.error? err
function Browser:new_tab(url)
  local made, err = self:call("Target.createTarget", { url = "about:blank" })
  if not made then return nil, err end
  local tab = self.changed:wait_until(self.desk.timing.browser_answer, function() return self.by_id[made.targetId] end)
  if not tab then return errors.fail("timed_out", "the browser did not open a tab in time") end
  give_keys_to_page(tab)
  if not url then return tab end
  local ok, failure = tab:navigate(url)
  if ok then return tab end
  tab_module.close(tab)
  return nil, failure
end

--- The browser's topmost window on the desktop.
---@return deskpilot.window? window, deskpilot.error? err
function Browser:window()
  local window = self.pid and launch.window_of(self.desk, self.pid)
  if window then return window end
  return errors.fail("not_found", "the browser shows no window on this desktop")
end

signature.methods("browser", Browser, {
  connected = {}, call = { "text", "table?", "number?" }, reconnect = { { urls = "boolean" } }, close = {},
  has_quit = {}, abandon = {}, tabs = {}, tab = {}, new_tab = { "text?" }, window = {},
})

-- --- connecting ------------------------------------------------------------------------------------------

--- Connects to a browser, which is given by one of `process` (with its connection), `profile` and `port`.
---@param desk deskpilot.desk
---@param where { process: deskpilot.browser_process?, connection: deskpilot.cdp_connection?, profile: string?,
---  port: integer?, downloads: string?, on_close: fun(browser: deskpilot.browser) }
---@return deskpilot.browser? browser, deskpilot.error? err
function instance.connect(desk, where)
  local self = setmetatable({ desk = desk, process = where.process, port = where.port, on_close = where.on_close,
    profile = where.process and where.process.profile or where.profile, by_id = {}, order = {}, downloads = {},
    download_folder = where.process and where.process.downloads or where.downloads, changed = signal.new() }, Browser)
  local connection, err
  if where.connection then connection, err = use(self, where.connection)
  else connection, err = find_and_connect(self) end
  if not connection then return nil, err end
  if self.process then give_keys_to_page(self.order[1]) end
  return self
end

return instance
