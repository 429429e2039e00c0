-- Limits of time: of one call, of a part of a script, of a program, and of the whole run. Works everywhere.
--   deskpilot run missions/cookbook/timeouts.lua
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"

---@type deskpilot.mission
return {
  limits = { seconds = 30 }, -- the whole run, whatever it is doing
  run = function(m)
    local desk = m.desk
    -- One call: `try` gives nil, err in place of raising it.
    local window, err = desk.try.wait_for_window { title = "No such window", timeout = 0.2 }
    if window or not errors.is(err, "timed_out") then return false, "the wait should have timed out" end
    m:note(err) -- it names the windows that are there

    -- A part of a script, whatever it does, also where it computes.
    local ok, why = task.limit(0.2, function()
      while true do end
    end)
    if ok or not errors.is(why, "timed_out") then return false, "the loop should have been ended" end

    -- A wait for any condition of one's own.
    local began = task.now()
    desk.wait_until(function() return task.now() - began > 0.1 end, { timeout = 5 })
    m:note "all three limits held"
  end,
}
