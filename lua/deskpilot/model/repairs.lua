--- What had to be guessed to read an answer: each repair by its kind, with a score that says how far the reading is
--- from what was written. They are kept per model, so that a person sees what a model is like and which server mangles
--- it. An answer that was cut off for its length is not repaired at all: what is missing may change what it says.
local repairs = {}

--- The kinds, each with the score of one such repair: 1 changes no meaning, 5 is a guess.
---@type table<string, integer>
repairs.kinds = {
  fence = 1, -- a Markdown fence around arguments
  python_word = 1, -- True, False, None
  smart_quotes = 1, -- typographic quotes around a text
  trailing_comma = 1,
  escape = 2, -- a backslash that JSON does not know, such as in C:\Users
  single_quotes = 2, -- around texts, where JSON is expected
  brackets = 2, -- of another kind than the grammar's: <1, 2>, unquoted positions
  missing_tag = 3, -- the end of a call, or of one of its parameters
  missing_bracket = 3, -- at the very end
  missing_newline = 3, -- between two calls
  unescaped_quote = 4, -- inside a text
  in_reasoning = 5, -- the call stands in the thinking, and there is nothing else
}

--- A finish_reason by which servers say that the answer was cut off.
local lengths = { length = true, max_tokens = true, max_output_tokens = true, model_length = true, MAX_TOKENS = true,
  model_context_window_exceeded = true }

---@class deskpilot.model.repairs
---@field cut boolean whether the answer was cut off: then nothing is repaired
---@field counts table<string, integer> how often, by kind
local Repairs = {}
Repairs.__index = Repairs

--- Whether an answer with that finish_reason was cut off.
---@param finish_reason string?
---@return boolean
function repairs.is_cut(finish_reason)
  return lengths[finish_reason] == true
end

--- Those of one answer.
---@param cut boolean?
---@return deskpilot.model.repairs
function repairs.new(cut)
  return setmetatable({ cut = cut or false, counts = {} }, Repairs)
end

--- Counts a repair, where one may be made.
---@param kind string
---@return boolean allowed
function Repairs:add(kind)
  assert(repairs.kinds[kind], kind)
  if self.cut then return false end
  self.counts[kind] = (self.counts[kind] or 0) + 1
  return true
end

--- A mark to which `undo` goes back, for a reading that is tried.
---@return table<string, integer>
function Repairs:mark()
  local copy = {}
  for kind, count in pairs(self.counts) do copy[kind] = count end
  return copy
end

--- Forgets what was counted since the mark.
---@param mark table<string, integer>
function Repairs:undo(mark) self.counts = mark end

--- The sum of all scores.
---@return integer
function Repairs:score()
  local sum = 0
  for kind, count in pairs(self.counts) do sum = sum + count * repairs.kinds[kind] end
  return sum
end

--- What the journal has of them; nil where there are none.
---@return { score: integer, kinds: table<string, integer> }?
function Repairs:told()
  if next(self.counts) == nil then return nil end
  return { score = self:score(), kinds = self.counts }
end

return repairs
