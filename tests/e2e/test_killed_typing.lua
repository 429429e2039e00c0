-- kill -9 of the program in the middle of typing: the display's keyboard is as it was before, by the word of
-- xmodmap. The display is one that goes on (a private desktop of this test's), and has a cookie.
local desk_module = require "deskpilot.desk"
local desktop = require "desktop"
local files = require "deskpilot.base.files"
local harness = require "harness"
local spawn = require "spawn"
local task = require "deskpilot.base.task"

local tests = {}

local mission = [[
return { desktop = { kind = "current" }, run = function(m)
  m.desk.timing.focus = 10
  assert(m.desk.windows.focus { class = "xterm" })
  %s
end }
]]

-- Runs fn(display) on a desktop with a terminal, where display.env is how programs get in.
local function with_display(fn)
  desktop.with({ size = { 800, 600 }, apps = { { "xterm", "-e", "cat" } } }, function(_, session)
    local display = { env = desktop.env(session), session = session }
    function display.tell(...) return spawn.run({ ... }, { env = display.env }).stdout end
    function display.map() return display.tell("xmodmap", "-pke") end
    fn(display)
  end)
end

local function start(display, words)
  local folder = spawn.folder()
  assert(files.write(folder .. "/m.lua", mission:format(words)))
  local child = spawn.start({ files.absolute(spawn.program), "run", "m.lua", "-q", "--runs", folder .. "/runs" },
    { cwd = folder, env = display.env })
  return child, folder
end

local function wait_for_map(display, wanted)
  local began = task.now()
  harness.wait_until("the keyboard map of before", function() return display.map() == wanted end, 20)
  io.stdout:write(("      mended, as xmodmap sees it, in %.2f s\n"):format(task.now() - began))
end

function tests.the_map_is_as_before()
  with_display(function(display)
    local before = display.map()
    harness.ok(#before > 1000, "xmodmap tells")
    local child, folder = start(display,
      [[while true do assert(m.desk.keyboard.type "漢字かな交じり文 中文输入法 ") end]])
    harness.wait_until("a changed map", function() return display.map() ~= before end, 30)
    child:kill("sigkill")
    child:wait()
    wait_for_map(display, before)
    harness.wait_until("the watchdog's end", function() return #child:left() == 0 end, 20)
    files.remove(folder)
  end)
end

function tests.nothing_stays_down()
  with_display(function(display)
    local desk = assert(desk_module.open { display = display.session.display, session = display.session })
    local before = display.map()
    local child, folder = start(display, [[
      assert(m.desk.keyboard.hold "shift") assert(m.desk.mouse.press "left")
      while true do m.desk.try.wait_until(function() return false end) end]])
    harness.wait_until("shift", function()
      local ok, err = desk.native:text_step("x")
      return not ok and tostring(err):find "shift key is held"
    end, 30)
    child:kill("sigkill")
    child:wait()
    local began = task.now()
    harness.wait_until("shift to come up", function() return desk.native:text_step("x") end, 20)
    io.stdout:write(("      let go in %.2f s\n"):format(task.now() - began))
    harness.ok(desk.native:text_end())
    harness.eq(display.map(), before)
    desk:close()
    files.remove(folder)
  end)
end

return tests
