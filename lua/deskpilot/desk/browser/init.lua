--- desk.browser: browsers that speak the DevTools protocol (Chrome, Chromium, Edge), started by us or attached to,
--- and their tabs. Nothing of it is loaded before it is used.
local errors = require "deskpilot.base.errors"
local options_module = require "deskpilot.base.option_table"
local text = require "deskpilot.base.text"

local browser_module = {}

---@class deskpilot.browser_start
---@field url string? is opened
---@field binary string? the program; the first browser that is found
---@field profile string? a folder that is kept
---@field args string[]? more flags
---@field window integer[]? its size, { width, height }; all of the screen
---@field downloads string? the folder for files; one that goes with the profile
---@field wait number? seconds; timing.browser_start

local start_options = { url = "string", binary = "string", profile = "string", args = "table", window = "table",
  downloads = "string", wait = "number" }
local attach_options = { port = "whole", profile = "string", window = "table", downloads = "string" }

local function check_size(size)
  if size == nil then return end
  for i = 1, 2 do
    if math.type(size[i]) ~= "integer" or size[i] < 100 or size[i] > 16384 then
      error("browser.start: window is its size, { width, height }, in whole pixels", 3)
    end
  end
end

local function check_words(args)
  for _, word in ipairs(args or {}) do
    if type(word) ~= "string" or not text.starts(word, "-") then
      error("browser.start: args are flags, such as '--lang=de'; what is to be opened is `url`", 3)
    end
  end
end

---@param desk deskpilot.desk
---@return deskpilot.desk.browser api, fun() stop ends what was started
function browser_module.new(desk)
  ---@class deskpilot.desk.browser
  local api = {}
  local live = {} -- those not closed yet, the newest last

  local function let_go(browser)
    for i, other in ipairs(live) do
      if other == browser then return table.remove(live, i) end
    end
  end

  local function connect(where)
    where.let_go = let_go
    local browser, err = require("deskpilot.desk.browser.instance").connect(desk, where)
    if not browser then return nil, err end
    live[#live + 1] = browser
    return browser
  end

  local function start(process)
    local place, err = process:start()
    local browser
    if place then browser, err = connect { process = process, place = place } end
    if browser then return browser end
    process:stop()
    return nil, err
  end

  --- Starts a browser on this desktop, with a fresh profile of which nothing is left when it ends, and waits for its
  --- window. It ends with the desk.
  ---@param options deskpilot.browser_start?
  ---@return deskpilot.browser? browser, deskpilot.error? err
  function api.start(options)
    options = options_module.check(options, start_options, "browser.start")
    check_size(options.window)
    check_words(options.args)
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
    local ok, why = browser:tab():navigate(options.url)
    if ok then return browser end
    browser:close()
    return nil, why
  end

  -- The one that we are attached to already.
  local function known(test)
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
    return errors.fail("not_found", "what listens on port %d is another browser than that of the window", browser.port)
  end

  --- Attaches to a browser that runs on this machine with a debugging port: by that port, by the folder of its
  --- profile, or by a window of it. It goes on when the desk is closed. Its downloads go where it puts them,
  --- unless a folder is given.
  ---@param options { port: integer?, profile: string?, window: deskpilot.window|deskpilot.window_criteria|nil,
  ---  downloads: string? }
  ---@return deskpilot.browser? browser, deskpilot.error? err code "unavailable", "not_found": no such browser, or one
  ---  without a debugging port
  function api.attach(options)
    options = options_module.check(options, attach_options, "browser.attach")
    local ways = (options.port and 1 or 0) + (options.profile and 1 or 0) + (options.window and 1 or 0)
    if ways ~= 1 then error("browser.attach wants one of port, profile and window", 2) end
    if not options.window then
      return connect { port = options.port, profile = options.profile, downloads = options.downloads }
    end
    local window, err = options.window, nil
    if not window.pid or not window.title then window, err = desk.windows.find(window) end
    if not window then return nil, err end
    return attach_to_window(window, options.downloads)
  end

  --- The browser that was started or attached to last, and has neither been closed nor ended of itself. One that
  --- has crashed or was killed is still it: browser:reconnect() mends that.
  ---@return deskpilot.browser? browser
  function api.current()
    return known(function(browser) return not browser:has_quit() end)
  end

  --- The browser whose window that is: one that we know, else it is attached to, where it has a debugging port.
  ---@param window deskpilot.window
  ---@return deskpilot.browser? browser, deskpilot.error? err code "not_found": it is no such browser's
  function api.of_window(window)
    local browser = known(function(browser)
      return window.pid ~= 0 and browser.pid == window.pid and not browser:has_quit()
    end)
    if browser then return browser end
    return attach_to_window(window)
  end

  return api, function()
    for _, browser in ipairs({ table.unpack(live) }) do browser:abandon() end
  end
end

return browser_module
