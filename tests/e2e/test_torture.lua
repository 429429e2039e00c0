-- The short form of `./dev torture`: cases of each storm that were chosen because they once failed, or because they are
-- the storm's heart. What a run is judged by is in tests/torture/judge.lua.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local play = require "torture.play"
local spawn = require "spawn"

local usual = 1.5 -- seconds; moments are parts of it

local tests = {}

local function plays(cases)
  return function()
    local worker = play.worker()
    for _, case in ipairs(cases) do
      local played = worker:play(case, usual)
      t.eq(played.problems, {}, play.words(case) .. ": " .. played.ending .. "\n" .. played.stderr)
      if case.ends then t.eq(played.ending, case.ends, play.words(case) .. "\n" .. played.stderr) end
    end
    worker:close()
  end
end

tests.nothing_fails = plays {
  { mission = "live", ends = "0 succeeded" },
  { mission = "server", ends = "0 claimed" },
}

tests.calls_fail = plays {
  { mission = "live", fail = { CALL = "connect", AT = 2, TIMES = "all" } },
  { mission = "live", fail = { CALL = "fsync", AT = 1, TIMES = "all" } },
  { mission = "live", fail = { CALL = "recv", AT = 40, TIMES = "all" } },
  { mission = "script", fail = { CALL = "open", AT = 5, TIMES = "all" } },
}

tests.the_disk_is_full = plays {
  { mission = "live", fail = { ROOM = 2000 } },
  { mission = "live", fail = { ROOM = 12000 } },
}

tests.signals = plays {
  { mission = "live", signal = "sigkill", whom = "program", moment = 0.3 },
  { mission = "script", signal = "sigterm", whom = "program", moment = 0.4 },
  { mission = "script", signal = "sigkill", whom = "host", moment = 0.5 },
}

tests.surroundings = plays {
  { mission = "script", env = { TORTURE_KILLS = "Xvfb", TORTURE_AT = "4" } },
  { mission = "script", env = { TORTURE_KILLS = "dbus-daemon", TORTURE_AT = "4" } },
}

tests.clock_and_descriptors = plays {
  { mission = "live", clock = "100:-315360000,300:946080000", ends = "0 succeeded" },
  { mission = "live", descriptors = 14 },
  { mission = "script", descriptors = 40 },
}

-- A callback of the loop fails because there is no memory: whoever waits for it would wait for ever. So the run ends,
-- and the watchdog writes that down, as there may be no memory for Lua to do it.
function tests.an_event_is_lost_for_want_of_memory()
  local folder = spawn.folder()
  assert(files.write(files.join(folder, "m.lua"), [[return { desktop = { kind = "private", size = { 320, 240 } },
    limits = { seconds = 60 }, run = function(m)
      require "luv".new_timer():start(50, 0, function() return io.open("/dev/zero"):read(1 << 45) end)
      m.desk.wait_until(function() return false end, { timeout = 50 })
    end }]]))
  local child = spawn.run({ files.absolute(spawn.program), "run", "m.lua", "--json", "--runs", "runs" },
    { cwd = folder, env = { ASAN_OPTIONS = "allocator_may_return_null=1" } })
  local result = json.decode(child.stdout) or {}
  t.eq({ child.status, result.status, result.reason }, { 1, "error", "there is not enough memory" }, child.stderr)
  t.ok(child.seconds < 30, child.seconds)
  local events = journal.read(files.join(folder, result.run_dir or "")) or {}
  t.eq({ (events[#events] or {}).event, (events[#events] or {}).status }, { "run_end", "error" })
  t.wait_until("the end of its desktop", function() return #child:left() == 0 end, 30)
  files.remove(folder)
end

return tests
