--- Decodes a reply into the calls that the model has written, with their arguments as tables. Models and servers write
--- a call either in the API's own field, or as text in one of several grammars (grammars.lua). Malformed ones are
--- repaired only if there is a single way to read them, and not at all where the answer was cut off; otherwise the call
--- gets an error sentence, which the model is sent. Everything here is data and is never run.
local found = require "deskpilot.model.found"
local grammars = require "deskpilot.model.grammars"
local limits = require "deskpilot.model.limits"
local repairs = require "deskpilot.model.repairs"
local text = require "deskpilot.base.text"
local thinking = require "deskpilot.model.thinking"
local values = require "deskpilot.model.values"

local decode = {}

---@class deskpilot.model.answer
---@field text string the answer without thinking and calls
---@field thinking string? its thinking, in whatever way it came
---@field calls deskpilot.model.call[]
---@field grammar string? in which the calls were written; nil where they came in the API's own field
---@field repairs { score: integer, kinds: table<string, integer> }? what had to be guessed
---@field why string? why there is no call, where it was not the model's intention

local cut_off = "Your answer was cut off because it was too long. Answer again, much shorter."

--- Decodes JSON that may be slightly malformed.
---@param source string
---@return any value, string? why nil and a reason
function decode.json(source)
  return values.json(source, repairs.new())
end

-- The calls of the API's own field. The last one of an answer that was cut off may lack its arguments.
local function native(reply, made)
  local calls = {}
  for i, call in ipairs(reply.tool_calls) do
    calls[i] = found.call(call.id, call.name, call.arguments, made)
    local last = made.cut and i == #reply.tool_calls
    if last and type(call.arguments) == "string" and not call.arguments:find("[^%s{}]") then
      calls[i].args, calls[i].raw = nil, call.arguments
      calls[i].error = ("The call of %s was cut off."):format(text.cut(text.one_line(call.name), 64))
    end
  end
  return calls
end

-- Where a server has put all of the answer into the thinking, or the model has called while it still thought. What is
-- weighed there is not meant: only a single call counts.
local function in_thinking(thought, made, profile)
  local inside, mark = found.new(made), made:mark()
  local _, grammar = grammars.take(thought, inside, profile and profile.grammar)
  local one = #inside.calls == 1 and not inside.calls[1].error
  if one and made:add "in_reasoning" then return inside.calls, grammar end
  made:undo(mark)
  return {}
end

--- The text and the calls of a reply.
---@param reply deskpilot.model.reply
---@param profile deskpilot.model.profile? the model's
---@return deskpilot.model.answer
function decode.reply(reply, profile)
  local said, thought = thinking.split(reply.content or "")
  local made = repairs.new(repairs.is_cut(reply.finish_reason))
  local answer = { thinking = thought and text.trim(thought) or reply.thinking, calls = {} }
  if #reply.tool_calls > 0 then
    answer.calls = native(reply, made)
  else
    local inside = found.new(made)
    said, answer.grammar = grammars.take(said, inside, profile and profile.grammar)
    answer.calls = inside.calls
    if #answer.calls == 0 and not said:find("%S") and answer.thinking then
      answer.calls, answer.grammar = in_thinking(answer.thinking, made, profile)
    end
    if #answer.calls == 0 and made.cut then answer.why = cut_off end
  end
  answer.text, answer.repairs = text.trim(said), made:told()
  return answer
end

--- The calls of a reply that name a tool, and a sentence about the first one that does not.
---@param reply deskpilot.model.reply
---@param profile deskpilot.model.profile? the model's
---@return deskpilot.model.call[] calls each with args, or with error; none of an answer with too many
---@return string? why
---@return deskpilot.model.answer? answer what they are of
function decode.calls(reply, profile)
  if reply.excess then return {}, limits.sentence(reply.excess) end
  local answer = decode.reply(reply, profile)
  local named, why = {}, answer.why
  local many = limits.of_sizes(#answer.calls, 0)
  if many then return {}, limits.sentence(many), answer end
  for _, call in ipairs(answer.calls) do
    if call.name ~= "" then table.insert(named, call) else why = why or call.error end
  end
  return named, why, answer
end

return decode
