--- Calls of tools that a model names inside one call of its own: the actions of a plan, the commands of a decision.
--- What such a call looks like, how the answer around it is read, and whether it could be done.
local preconditions = require "deskpilot.agent.preconditions"
local text = require "deskpilot.base.text"

local named_calls = {}

--- The schema of one such call: the tool, its arguments, and what it is for.
---@param about string what `why` says
---@return table
function named_calls.schema(about)
  return {
    type = "object", format = "call", required = { "tool", "args" }, additionalProperties = false,
    properties = {
      tool = { type = "string", minLength = 1, description = "Name of one of the tools that the instructions list." },
      args = { type = "object", description = "Its arguments, by their names." },
      why = { type = "string", maxLength = 200, description = about },
    },
  }
end

--- The arguments of the one tool call that an answer is expected to be; or nil, and a sentence for the model about what
--- is wrong.
---@param run deskpilot.run
---@param reply table as run:ask gives it
---@param definition { name: string, description: string, parameters: table } of that tool
---@return table? args, string? why
function named_calls.answer(run, reply, definition)
  local calls = reply.calls or {}
  if #calls == 0 then
    if reply.calls_error then return nil, tostring(reply.calls_error) end
    return nil, ("answer by calling the tool %s; you said: %q"):format(definition.name,
      text.cut(text.one_line(reply.content or ""), 150))
  end
  if #calls > 1 then
    return nil, ("call the tool %s once, not %d tools"):format(definition.name, #calls)
  end
  local call = calls[1]
  if not call.args then return nil, tostring(call.error) end
  if call.name ~= definition.name then
    return nil, ("there is one tool, %s, and you called %q"):format(definition.name, text.cut(call.name, 60))
  end
  local box = run.toolbox:with { definition }
  local args, err = box:validate(definition.name, call.args)
  if not args then return nil, tostring(err) end
  return args
end

--- Checks one such call against its tool, the latest observation and the preconditions.
---@param run deskpilot.run
---@param toolbox deskpilot.toolbox that it may be of
---@param wanted { tool: string, args: table, why: string?, observation: deskpilot.observation? } observation: what it
---  was chosen by, the latest if not given
---@param why string the reason that the answer gives for all of its calls
---@return deskpilot.call? call
---@return string? sentence what is wrong, where there is no call
function named_calls.check(run, toolbox, wanted, why)
  local seen = wanted.observation or run.observation
  local reason = wanted.why and #wanted.why >= run.config:get("tools.min_justification") and wanted.why or why
  local checked, err = run:check { tool = wanted.tool, args = wanted.args, observation = seen, why = reason,
    toolbox = toolbox }
  if not checked then return nil, tostring(err) end
  local call = { tool = wanted.tool, args = checked, why = wanted.why or why, observation = seen }
  local refused = preconditions.unmet(run, call)
  if refused then return nil, refused end
  return call
end

return named_calls
