--- What is done about a request that a model could not take, or that nobody has answered: it is made shorter, or gets
--- fewer pictures, or another model is asked. All of it is told in the journal.
local text = require "deskpilot.base.text"

local recourse = {}

local most_shorter = 2 -- times that one request is made shorter
local most_changes = 3 -- times that it gets fewer pictures, or no tools

-- Failures after which the same request may be answered elsewhere. A key that is not accepted and a model that does not
-- exist are for a person to put right.
local elsewhere = { unavailable = true, timed_out = true, io = true, protocol = true }

local function replace(run, old, new)
  local goal = run.goal
  while goal do
    if goal.model == old then goal.model = new end
    for name, client in pairs(goal.models or {}) do
      if client == old then goal.models[name] = new end
    end
    goal = goal.parent
  end
end

local function ask_another(run, request, model, err)
  local other, refused = model.fallback, err.refusal or {}
  if not other or not (elsewhere[err.code] or refused.quota or refused.too_long) then return false end
  run:note(("%s: %s at %s is asked from now on, since %s at %s has failed: %s"):format(request.persona, other.name,
    other.endpoint, model.name, model.endpoint, text.cut(text.one_line(tostring(err)), 300)))
  replace(run, model, other)
  request.short = nil
  return true
end

--- Changes a request that has failed, or who is asked.
---@param run deskpilot.run
---@param request table as for run:ask; `short`: how often it was made shorter
---@param model deskpilot.model.client that was asked
---@param err deskpilot.model.failure
---@return boolean again whether to ask again
function recourse.find(run, request, model, err)
  if run.outcome then return false end
  local refused, short = err.refusal or {}, request.short or 0
  if refused.too_long and short < most_shorter and (request.brief or type(request.text) == "function") then
    request.short = short + 1
    run:note(("%s: the request is longer than %s takes, and is asked again with less history, fewer pictures and "
      .. "shorter lists (%d of %d times)"):format(request.persona, model.name, request.short, most_shorter))
    return true
  end
  if (refused.pictures or refused.tools) and (request.changed or 0) < most_changes then
    request.changed = (request.changed or 0) + 1 -- model/quirks.lua knows now what the next one may hold
    return true
  end
  return ask_another(run, request, model, err)
end

return recourse
