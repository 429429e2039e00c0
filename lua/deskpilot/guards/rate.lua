--- Keeps the calls to the model under a number per minute, by waiting: a policy gone wild must not
--- swamp a small local server, and a fast one must not pay a fixed delay every turn. A run of a fleet's worker also
--- keeps to what all runs of the fleet may ask of the model's server together.
local goal_limits = require "deskpilot.agent.goal_limits"
local permits = require "deskpilot.guards.rate.permits"
local task = require "deskpilot.base.task"
local viewpoint = require "deskpilot.agent.viewpoint"

---@type deskpilot.guard
local rate = {
  api = 1,
  section = "model",
  options = {
    calls_per_minute = { type = "number", default = 60, min = 0, about = "most requests in a minute (0: no cap)" },
    fleet_calls_per_minute = { type = "number", default = 0, min = 0, about = "most requests in a minute to the "
      .. "model's server, of all runs of a fleet's workers together (0: no cap)" },
    fleet_tokens_per_minute = { type = "number", default = 0, min = 0, about = "most tokens of requests and answers in "
      .. "a minute at the model's server, of all runs of a fleet's workers together (0: no cap)" },
  },
}

local TOLD = 0.1 -- seconds: a shorter wait is none

function rate.run_start(run)
  run.call_times = {}
  run.permits, run.permits_held, run.call_tokens = permits.of_worker(), {}, {}
end

local function tell(run, seconds, message, ...)
  run:emit("guard", { name = "rate", message = message:format(...), seconds = seconds })
end

-- The run's own limit.
local function wait_for_own(run)
  local cap = run.config:get("model.calls_per_minute")
  if cap <= 0 then return end
  local times, now = run.call_times, task.now()
  while times[1] and times[1] <= now - 60 do table.remove(times, 1) end
  if #times >= cap then
    local pause = times[1] + 60 - now
    tell(run, pause, "%d calls in the last minute (model.calls_per_minute): waiting %.1f s", #times, pause)
    task.sleep(pause)
    table.remove(times, 1)
  end
  times[#times + 1] = task.now()
end

-- A permit of the fleet's limits; time stands still for the run's own while it is waited for.
local function take(run, server, limits)
  local permit, seconds = run.permits:take(server, limits, function(held) goal_limits.extend(run, held) end)
  if permit then return permit, seconds end
  if not run.permits_missed then
    run.permits_missed = true
    tell(run, nil, "the fleet's worker gives no permits to call the model, so only model.calls_per_minute counts: %s",
      seconds)
  end
  return nil, 0
end

local function wait_for_fleet(run, persona)
  local model = run.permits and viewpoint.model(run, persona)
  if not model then return end
  local limits = { calls = run.config:get("model.fleet_calls_per_minute"),
    tokens = run.config:get("model.fleet_tokens_per_minute") }
  if limits.calls <= 0 and limits.tokens <= 0 then return end
  local server = permits.server(model)
  limits.reckoned = run.call_tokens[server]
  local permit, seconds = take(run, server, limits)
  if seconds >= TOLD then
    tell(run, seconds, "waited %.1f s for the fleet's limits (model.fleet_calls_per_minute, "
      .. "model.fleet_tokens_per_minute)", seconds)
  end
  run.permits_held[persona or ""] = permit and limits.tokens > 0 and { server = server, permit = permit } or nil
  -- A request that has failed and is sent again is one more; it takes the tokens that the first one has not.
  model.on_retry = function()
    take(run, server, { calls = limits.calls, tokens = 0 })
  end
end

function rate.model_request(run, request)
  if request.model == "literal" or request.model:find "^replay:" then return end
  wait_for_own(run)
  wait_for_fleet(run, request.persona)
end

function rate.model_reply(run, event)
  local held = run.permits_held[event.persona or ""]
  if not held then return end
  run.permits_held[event.persona or ""] = nil
  local usage = event.usage
  local took = usage and (usage.input_tokens or 0) + (usage.output_tokens or 0) or nil
  run.call_tokens[held.server] = took or run.call_tokens[held.server]
  run.permits:settle(held.server, held.permit, took)
end

return rate
