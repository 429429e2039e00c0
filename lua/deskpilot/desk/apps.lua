--- desk.apps: starting programs on the desktop.
local errors = require "deskpilot.base.errors"
local platform = require "deskpilot.desk.platform"
local process_tree = require "deskpilot.desk.process_tree"
local waits = require "deskpilot.desk.waits"

local apps = {}

-- On a desktop that is not ours the program goes on when we end, as if the user had started it.
local function start_here(desk, argv, env)
  local handle, pid
  local from_desk = { DISPLAY = desk.display, DBUS_SESSION_BUS_ADDRESS = desk.bus }
  handle, pid = platform.spawn(argv[1], { args = { table.unpack(argv, 2) }, detached = true,
    env = process_tree.environment(from_desk, env) }, function() handle:close() end)
  if not handle then
    local code = tostring(pid):match("^ENOENT") and "not_found" or "io"
    return errors.fail(code, "cannot start %s: %s", argv[1], tostring(pid):gsub("^%u+: ", ""):gsub(": .*", ""))
  end
  handle:unref()
  return pid
end

local function window_ids(desk)
  local ids = {}
  for _, window in ipairs(desk.windows.list() or {}) do ids[window.id] = true end
  return ids
end

-- A new window, whosever it is: many programs hand over to a process that runs already.
local function wait_for_window(desk, before, seconds)
  return waits.wait_until(desk, function()
    for _, window in ipairs(desk.windows.list() or {}) do
      if window.visible and not before[window.id] then return window end
    end
  end, { timeout = seconds, every = 0.01 })
end

---@param desk deskpilot.desk
function apps.new(desk)
  local api = {}

  --- Starts a program: desk.apps.start { "mousepad", "file.txt" }. With `wait` (seconds) it waits until
  --- there is a new window.
  ---@param argv table words; and env: table<string, string>?, wait: number?
  ---@return integer? pid, deskpilot.error? err
  function api.start(argv)
    assert(type(argv) == "table" and type(argv[1]) == "string", "apps.start wants a list of words")
    local words = {}
    for i, word in ipairs(argv) do words[i] = tostring(word) end
    local before = argv.wait and window_ids(desk)
    local pid, err
    if desk.session then pid, err = desk.session:start_app(words, argv.env)
    else pid, err = start_here(desk, words, argv.env) end
    if not pid or not argv.wait then return pid, err end
    if not wait_for_window(desk, before, argv.wait) then
      return errors.fail("timed_out", "%s showed no window within %g s", words[1], argv.wait)
    end
    return pid
  end

  return api
end

return apps
