--- Keeps the calls to the model under a number per minute, by waiting: a policy gone wild must not
--- swamp a small local server, and a fast one must not pay a fixed delay every turn.
local task = require "deskpilot.base.task"

---@type deskpilot.guard
local rate = {
  api = 1,
  section = "model",
  options = {
    calls_per_minute = { type = "number", default = 60, min = 0, about = "most requests in a minute (0: no cap)" },
  },
}

function rate.run_start(run)
  run.call_times = {}
end

function rate.model_request(run, request)
  local cap = run.config:get("model.calls_per_minute")
  if cap <= 0 or request.model == "literal" or request.model:find "^replay:" then return end
  local times, now = run.call_times, task.now()
  while times[1] and times[1] <= now - 60 do table.remove(times, 1) end
  if #times >= cap then
    local pause = times[1] + 60 - now
    run:emit("guard", { name = "rate", message = ("%d calls in the last minute (model.calls_per_minute): "
      .. "waiting %.1f s"):format(#times, pause) })
    task.sleep(pause)
    table.remove(times, 1)
  end
  times[#times + 1] = task.now()
end

return rate
