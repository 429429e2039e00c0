--- A success criterion that was guessed wrongly would refuse every claim of completion. After a refused claim the
--- Tactician, who sees the screen but does not claim, may word it anew.
local criteria = require "deskpilot.agent.criteria"
local fields = require "deskpilot.agent.fields"

local revision = {}

revision.tool = {
  name = "revise_criterion",
  description = "Word a success criterion anew. Only if the mission is done and the criterion cannot be met as it is "
    .. "worded, because it asks for words that this application never shows. Never because the work is hard.",
  parameters = fields.object({
    rationale = { type = "string", minLength = 1, description = "What the screen shows that proves the mission done "
      .. "all the same." },
    number = { type = "integer", minimum = 1, maximum = criteria.most, description = "Number of the criterion." },
    criterion = { type = "string", minLength = 1, description = "The new sentence. Words that must be readable stand "
      .. "in double quotes." },
  }, { "rationale", "number", "criterion" }),
}

--- Whether the latest claim was refused because of a criterion.
---@param run deskpilot.run
---@return boolean
function revision.is_due(run)
  return next(run.goal.unmet or {}) ~= nil
end

local function revise(run, args)
  local list, unmet = run.goal.criteria, run.goal.unmet
  if not unmet[args.number] then
    return nil, ("revise_criterion: criterion %d did not refuse the last claim"):format(args.number)
  end
  local sentence = criteria.clean { args.criterion }[1]
  if not sentence then return nil, "revise_criterion: the criterion is empty" end
  local line = ("the Tactician has revised criterion %d: %q is now %q, because %s"):format(args.number,
    list[args.number], sentence, args.rationale)
  list[args.number], unmet[args.number] = sentence, nil
  run.history:add(run.turn, "note", line)
  run:note(line)
  return true
end

--- Does the revisions of an answer. Adds a sentence to the report for each that cannot be done.
---@param run deskpilot.run
---@param box deskpilot.toolbox that the answer's tools are in
---@param reply deskpilot.reply
---@param report string[]
function revision.follow(run, box, reply, report)
  for _, call in ipairs(reply.calls or {}) do
    if call.name == revision.tool.name and call.args then
      local args, why = box:validate(call.name, call.args)
      local ok = args and true
      if args then ok, why = revise(run, args) end
      if not ok then report[#report + 1] = tostring(why) end
    end
  end
end

return revision
