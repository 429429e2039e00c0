--- desk.browser: browsers that speak the DevTools protocol (Chrome, Chromium, Edge) and their tabs. A browser is
--- started here, or attached to. The other modules of this folder are loaded when they are first needed.
local errors = require "deskpilot.base.errors"
local options_module = require "deskpilot.base.option_table"
local signature = require "deskpilot.base.signature"
local text = require "deskpilot.base.text"

local browser_module = {}

---@class deskpilot.browser_start
---@field url string? the page to open
---@field binary string? the program; default: the first browser that is found
---@field profile string? the folder of a profile, which is kept; default: a new one, which is removed at the end
---@field args string[]? further flags
---@field window integer[]? its size, { width, height }, in pixels; default: maximized
---@field downloads string? the folder for files; default: one that is removed with the profile
---@field accessibility boolean? whether desk.elements sees its windows and pages too, which makes each page take half
---  as long again to load; default false: the pages themselves tell what is on them (tab:observe)
---@field wait number? timeout in seconds; default timing.browser_start

local start_options = { url = "string", binary = "string", profile = "string", args = "table", window = "table",
  downloads = "string", accessibility = "boolean", wait = "number" }
local attach_options = { port = "whole", profile = "string", window = "table", downloads = "string" }

local function check_size(size)
  if size == nil then return end
  for i = 1, 2 do
    if math.type(size[i]) ~= "integer" or size[i] < 100 or size[i] > 16384 then
      errors.mistake "browser.start: window is its size, { width, height }, in whole pixels"
    end
  end
end

local function check_flags(args)
  for _, flag in ipairs(args or {}) do
    if type(flag) ~= "string" or not text.starts(flag, "-") then
      errors.mistake "browser.start: args are flags, such as '--lang=de'; the page to open is `url`"
    end
  end
end

signature.kind("browser_options", {
  what = "a table of options, or an address",
  fits = function(value) return type(value) == "table" and not errors.is(value) end,
  take = function(given, i)
    if type(given[i]) == "string" and given[i]:find("^%a[%w+.-]+:") then given[i] = { url = given[i] } end
  end,
})

local signatures = signature.of("desk.browser", {
  start = { "browser_options?" }, attach = { "options" }, current = {}, of_window = { "table" },
  judge_loading = { "table?" },
})

---@param desk deskpilot.desk
---@return deskpilot.desk.browser api, fun() stop ends the browsers that were started
---@return fun(): deskpilot.browser[] attached those that are not closed yet, the newest last
function browser_module.new(desk)
  ---@class deskpilot.desk.browser
  local api = {}
  local live = {} -- browsers that are not closed yet, the newest last

  local function forget(browser)
    for i, other in ipairs(live) do
      if other == browser then return table.remove(live, i) end
    end
  end

  local function connect(where)
    where.on_close = forget
    local browser, err = require("deskpilot.desk.browser.instance").connect(desk, where)
    if not browser then return nil, err end
    live[#live + 1] = browser
    return browser
  end

  local function start(process)
    local connection, err = process:start()
    local browser
    if connection then browser, err = connect { process = process, connection = connection } end
    if browser then return browser end
    process:stop()
    return nil, err
  end

  --- Starts a browser on this desktop and waits for its window. Without the option `profile` it has a new profile,
  --- which is removed when it ends. The browser ends with the desk.
  ---@param options deskpilot.browser_start|string|nil a text is the address to open
  ---@return deskpilot.browser? browser, deskpilot.error? err
  function api.start(options)
    options = options_module.check(options, start_options, "browser.start")
    check_size(options.window)
    check_flags(options.args)
    local permitted, forbidden = desk.input.may_act { act = "start",
      program = options.binary or require("deskpilot.desk.platform").browsers()[1] or "a browser" }
    if not permitted then return nil, forbidden end
    local process, err = require("deskpilot.desk.browser.launch").new(desk, options)
    if not process then return nil, err end
    local done = false
    local guard <close> = setmetatable({}, { __close = function() -- cancelled, or an error
      if not done then process:kill() end
    end })
    assert(guard)
    local browser, failure = start(process)
    done = true
    if not browser or not options.url then return browser, failure end
    local tab, why = browser:tab() -- it may have ended already
    local ok
    if tab then ok, why = tab:navigate(options.url) end
    if ok then return browser end
    browser:close()
    return nil, why
  end

  -- The newest of the open browsers for which test(browser) is true.
  local function find_live(test)
    for i = #live, 1, -1 do
      if test(live[i]) then return live[i] end
    end
  end

  local function attach_to_window(window, downloads)
    local where, err = require("deskpilot.desk.browser.endpoint").of_window(window)
    if not where then return nil, err end
    where.downloads = downloads
    local browser, failure = connect(where)
    if not browser then return nil, failure end
    if not browser.pid or browser.pid == window.pid then return browser end
    browser:abandon()
    return errors.fail("not_found", "the browser on port %d is not the one that the window belongs to", browser.port)
  end

  --- Attaches to a browser that runs on this machine with a debugging port: by that port, by its profile's folder, or
  --- by one of its windows. The browser keeps running when the desk is closed. It chooses where downloads are saved,
  --- unless a folder is given.
  ---@param options { port: integer?, profile: string?, window: deskpilot.window|deskpilot.window_criteria|nil,
  ---  downloads: string? }
  ---@return deskpilot.browser? browser, deskpilot.error? err code "unavailable", "not_found": no such browser, or one
  ---  without a debugging port
  function api.attach(options)
    options = options_module.check(options, attach_options, "browser.attach")
    local ways = (options.port and 1 or 0) + (options.profile and 1 or 0) + (options.window and 1 or 0)
    if ways ~= 1 then errors.mistake "browser.attach wants one of port, profile and window" end
    if not options.window then
      return connect { port = options.port, profile = options.profile, downloads = options.downloads }
    end
    local window, err = options.window, nil
    if not window.pid or not window.title then window, err = desk.windows.find(window) end
    if not window then return nil, err end
    return attach_to_window(window, options.downloads)
  end

  --- The latest browser that was started or attached to, and that was neither closed by a script nor by its user. A
  --- browser that has crashed or was killed counts; browser:reconnect() starts it again.
  ---@return deskpilot.browser? browser
  function api.current()
    return find_live(function(browser) return not browser:has_quit() end)
  end

  --- The browser that a window belongs to. A browser that is not known yet is attached to, if it has a debugging port.
  ---@param window deskpilot.window
  ---@return deskpilot.browser? browser, deskpilot.error? err code "not_found": the window is not a browser's, or the
  ---  browser has no debugging port
  function api.of_window(window)
    local browser = find_live(function(browser)
      return window.pid ~= 0 and browser.pid == window.pid and not browser:has_quit()
    end)
    if browser then return browser end
    return attach_to_window(window)
  end

  --- Has the tabs of all browsers ask desk.input about what they load, where a filter wants to be asked. Tabs that are
  --- opened or attached to later do so anyway.
  ---@param in_page deskpilot.tab? in whose page the next act is: that one asks only about what may come of it
  function api.judge_loading(in_page)
    local asked = {}
    for _, browser in ipairs(live) do
      for _, tab in ipairs(browser.order) do
        local filter = require "deskpilot.desk.browser.load_filter"
        local calls = tab.attached and filter.begin(tab, tab.session, tab == in_page) or {}
        table.move(calls, 1, #calls, #asked + 1, asked)
      end
    end
    if #asked > 0 then require("deskpilot.desk.browser.cdp").wait_all(asked, desk.timing.browser_answer) end
  end

  return signatures(api), function()
    for _, browser in ipairs({ table.unpack(live) }) do browser:abandon() end
  end, function() return live end
end

return browser_module
