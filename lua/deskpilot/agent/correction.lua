--- An answer that cannot be used goes back to the model once, with a sentence that says what is wrong with it. What it
--- answers then counts: a second one that cannot be used is a step that has failed.
local text = require "deskpilot.base.text"

local correction = {}

local longest_answer = 2000 -- characters of it that go back
local nothing = "(There was nothing in this answer that could be read.)"

-- What is wrong with an answer, for its model; nil where nothing is.
local function problem(request, reply)
  if reply.refusal then return nil end
  if not request.read then return reply.unreadable end
  local value, why = request.read(reply)
  return value == nil and (why or "it cannot be used") or nil
end

-- The answer as it was.
local function words_of(reply)
  local words = reply.content
  if not (words and words:find("%S")) then
    local call = reply.tool_calls[1]
    words = call and ("%s %s"):format(call.name, call.arguments)
  end
  words = text.trim(words or "")
  return words ~= "" and text.cut(words, longest_answer) or nothing
end

--- Sends an answer back that cannot be used, where none was before in this request.
---@param request table as for run:ask; with a round in its `results` it is to be asked again
---@param reply deskpilot.reply
---@return boolean asked whether the model is to be asked again
function correction.ask(request, reply)
  local why = not request.corrected and problem(request, reply)
  if not why then return false end
  request.corrected = text.cut(text.one_line(why), 600)
  request.results = request.results or {}
  table.insert(request.results, { said = words_of(reply),
    correction = ("This answer cannot be used: %s Nothing of it was done. Answer again.")
      :format(request.corrected:find("[.!?]$") and request.corrected or request.corrected .. ".") })
  return true
end

return correction
