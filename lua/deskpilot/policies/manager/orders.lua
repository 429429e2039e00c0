--- What the workers have in common: how a subtask is put to one, and the tools by which it ends one.
local schema_fields = require "deskpilot.agent.fields"
local text = require "deskpilot.base.text"

local orders = {}

--- Says that the subtask is done.
orders.done_tool = {
  name = "subtask_done", group = "finish", acts = false,
  description = "Say that your subtask is done. The Evaluator looks whether it is.",
  parameters = schema_fields.object { { name = "result", type = "string", minLength = 1, maxLength = 4000,
    description = "What is so now, and where that can be seen, with the exact values." } },
  run = function() return "the Evaluator looks" end,
}

--- Says that it cannot be done.
orders.failed_tool = {
  name = "subtask_failed", group = "finish", acts = false,
  description = "Say that your subtask cannot be done in your role. Only when other ways have been tried.",
  parameters = schema_fields.object { { name = "reason", type = "string", minLength = 10, maxLength = 2000,
    description = "What stands in the way and what was tried." } },
  run = function() return "the Evaluator looks" end,
}

--- The subtask in words.
---@param subtask deskpilot.manager.subtask
---@return string
function orders.words(subtask)
  local lines = { ("SUBTASK %s: %s"):format(subtask.id, subtask.title), subtask.intent,
    "It is done when: " .. subtask.completion }
  if #subtask.needs > 0 then lines[#lines + 1] = "It uses: " .. table.concat(subtask.needs, ", ") end
  if #subtask.gives > 0 then lines[#lines + 1] = "It leaves for others: " .. table.concat(subtask.gives, ", ") end
  if subtask.missing then lines[#lines + 1] = "STILL MISSING: " .. subtask.missing end
  if subtask.advice then lines[#lines + 1] = "THE EVALUATOR SAYS: " .. subtask.advice end
  return table.concat(lines, "\n")
end

--- What was done before it, for the notes of a request; nil where nothing was.
---@param run deskpilot.run
---@return string[]? note
function orders.done_before(run)
  local lines = {}
  for _, other in ipairs(run.state.plan) do
    if other.status == "done" and other.result then
      lines[#lines + 1] = ("%s (%s, %s): %s"):format(other.id, other.role, other.title, text.cut(other.result, 2000))
    end
  end
  if #lines > 0 then return { "DONE BEFORE", table.concat(lines, "\n") } end
end

--- The trigger of a call that ends the subtask; nil for every other call.
---@param subtask deskpilot.manager.subtask
---@param call { name: string, args: table }
---@return string? trigger, string? why
function orders.ended(subtask, call)
  if call.name == orders.done_tool.name then
    subtask.result = call.args.result
    return "finished", call.args.result
  elseif call.name == orders.failed_tool.name then
    return "stuck", call.args.reason
  end
end

return orders
