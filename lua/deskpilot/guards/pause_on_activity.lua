--- Gives way to a person at the same desktop (safety.pause_on_activity): nothing is done while somebody uses its
--- mouse or keyboard. A turn begins when they have left it alone. Where they come while the model thinks,
--- what it thought of is not done, during a pause or after it: it is about a screen that they may have changed.
--- Scripts wait in the desktop library itself (desk.activity.give_way).
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"

---@type deskpilot.guard
local pause = {
  api = 1,
  section = "safety",
  options = {
    pause_on_activity = { type = "boolean", default = false,
      about = "pause while a person uses the mouse or keyboard of the same desktop" },
    activity_quiet = { type = "number", default = 3, min = 0.1,
      about = "seconds without input after which a paused run goes on" },
  },
}

function pause.run_start(run)
  run.gives_way = run.config:get("safety.pause_on_activity")
  if not run.gives_way then return end
  local quiet = run.config:get("safety.activity_quiet")
  local ok, err = run.desk.activity.set_give_way {
    quiet = quiet,
    paused = function()
      run:emit("guard", { name = "pause_on_activity", message = ("a person is at the desktop: paused until %g s after "
        .. "the last input (safety.pause_on_activity)"):format(quiet) })
    end,
    resumed = function(seconds)
      run:emit("guard", { name = "pause_on_activity", message = ("going on after %.1f s"):format(seconds) })
    end,
  }
  if not ok and errors.is(err, "unsupported") and run.desk.session then
    run.gives_way = false -- a desktop that nobody can input
  elseif not ok then
    return { stop = { "error", "safety.pause_on_activity is on, but user activity cannot be noticed here: "
      .. tostring(err) } }
  end
end

function pause.turn_start(run)
  if not run.gives_way then return end
  run.desk.activity.give_way()
  run.left_alone = task.now()
end

-- Also somebody who came and has left again while the model thought.
local function active_since(run, moment)
  local idle = run.desk.activity.idle()
  return moment and idle and idle < task.now() - moment
end

function pause.action(run, action)
  if not run.gives_way or action.rejected then return end
  if run.desk.activity.give_way() or active_since(run, run.left_alone) then
    action.postponed = true -- no failure of the agent's
    return { veto = "a person has used the desktop meanwhile, so this was not done; look at the screen again" }
  end
end

return pause
