--- deskpilot rerun: a run once more without a desktop, on what it has recorded.
local continued = require "deskpilot.cli.continued"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local recording = require "deskpilot.agent.recording"
local running = require "deskpilot.cli.running"

local command = {
  summary = "Try a policy or prompts on what a run has recorded, without a desktop or a model server.",
  order = 14,
  usage = "rerun RUN [--policy NAME] [OPTIONS]",
  options = continued.options {},
  details = [[
Each turn sees what RUN saw in that turn; the model answers as it did then (--model replay:RUN), unless another one is
named; an action that RUN did in the same turn has the result that it had, any other is not done. Notes tell where a
request or an action is not the recorded one. Nothing checks the end, which is `claimed`: the mission's hooks and its
verify need a world.

  deskpilot eject three_body                                  edit it, or its prompts, and see what changes:
  deskpilot rerun runs/20260101T120000Z-form

What a policy reads of a page between two looks is not recorded.

]] .. running.statuses,
  refused = running.refused,
  interrupted = running.interrupted,
}

-- Of a goal's options those that need neither a world nor a model of its own.
local function offline_goal(goal)
  if type(goal) ~= "table" then return goal end
  local kept = {}
  for key, value in pairs(goal) do
    if type(value) ~= "function" and key ~= "model" and key ~= "personas" then kept[key] = value end
  end
  return kept
end

-- The mission without what needs a world.
local function offline(plan, recorded, folder)
  local mission = plan.mission
  if mission.run then
    return errors.fail("invalid", "the mission is a script: nothing of it can be run again without a desktop")
  end
  plan.mission = { task = mission.task, indicators = mission.indicators, files = mission.files }
  if mission.goals then
    plan.mission.goals = {}
    for i, goal in ipairs(mission.goals) do plan.mission.goals[i] = offline_goal(goal) end
  end
  plan.recording = recorded
  plan.parent = { run = files.absolute(folder), turn = 0, kind = "rerun", seconds = 0, actions = 0,
    tokens = 0 }
  plan.config:set("desktop.kind", "current", "rerun")
  return true
end

local function open_desk(recorded)
  local width, height = recorded:size()
  local desk, err = require "deskpilot.desk".open { backend = "null", width = width, height = height }
  if not desk then return nil, err end
  return recorded:desk(desk), function() desk:close() end
end

local function order(options, folder)
  local recorded, err = recording.open(folder)
  if not recorded then return nil, err end
  local again, failure = continued.mission(recorded.start, options, folder)
  if not again then return nil, failure end
  local flags = again.flags
  if not (options.model or options.endpoint or options.provider) then
    flags["model.name"], flags["model.endpoint"], flags["model.provider"] = "replay:" .. folder, nil, nil
  end
  flags.accept_claims = true -- nothing can check it without a world
  local words = { ("runs %s again, without a desktop"):format(folder) }
  words[#words + 1] = recorded.lost
  words[#words + 1] = again.say
  again.say = not options.quiet and table.concat(words, "\n") or nil
  again.change = function(plan) return offline(plan, recorded, folder) end
  again.desk = function() return open_desk(recorded) end
  return again
end

--- Runs it.
---@param options table as parsed from command.options
---@param positional string[]
---@return integer status the exit status (docs/missions.md)
function command.run(options, positional)
  if #positional ~= 1 then
    return running.refuse(options, 2, "rerun wants one run directory: deskpilot rerun RUN")
  end
  return running.start(options, function() return order(options, continued.folder(positional[1])) end)
end

return command
