--- An X server of its own with a "person" at it: another program that sends input, xdotool or this test to a
--- child. And runs on that server as their user's desktop.
local t = require "harness"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local spawn = require "spawn"
local uv = require "luv"

local people = {}

-- An X server; its display's name and what ends it.
local function start_display()
  local output, name = uv.new_pipe(), ""
  local handle
  handle = assert(uv.spawn("Xvfb", { args = { "-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp",
    "-noreset" }, stdio = { nil, output, nil } }, function() handle:close() end))
  output:read_start(function(_, data) name = name .. (data or "") end)
  t.wait_until("the X server", function() return name:find("\n") end, 30)
  return ":" .. name:match("%d+"), function()
    handle:kill "sigterm"
    output:close()
  end
end

--- A test that runs fn(desk, display, folder) on such a server.
function people.with_display(fn)
  return function()
    local display, stop = start_display()
    local folder = spawn.folder()
    local desk = assert(desk_module.open { display = display })
    local ok, why = xpcall(fn, debug.traceback, desk, display, folder)
    desk:close()
    stop()
    files.remove(folder)
    if not ok then error(why, 0) end
  end
end

--- Input by xdotool.
function people.xdotool(display, ...)
  local child = spawn.run({ "xdotool", ... }, { env = { DISPLAY = display } })
  t.eq(child.status, 0, "xdotool: " .. child.stderr)
end

--- Starts `deskpilot run` with a mission of that inside ("run = ...").
function people.start_run(display, folder, mission, ...)
  local path = files.join(folder, "m.lua")
  assert(files.write(path, "return { " .. mission .. "}"))
  return spawn.start({ spawn.program, "run", path, "--json", "--runs", folder .. "/runs", ... },
    { cwd = folder, env = { DISPLAY = display, XDG_CONFIG_HOME = folder } })
end

--- A mission's field that puts it on the user's desktop.
people.current = "desktop = { kind = 'current' }, "

return people
