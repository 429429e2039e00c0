--- Answers that do not end: models that say the same over and over, and servers that know no limit. While such an
--- answer still comes, it is cut off where a whole call can be read in it, or where it has long said nothing new.
local decode = require "deskpilot.model.decode"
local json = require "deskpilot.base.json"

local runaway = {}

local look_again = 512 -- bytes that come between two looks
local tail_size = 6000 -- bytes that are looked at
local least_again = 400 -- bytes that are said again, at least...
local least_times = 8 -- ... and how often, of calls too: to press a key four times in one answer is nothing odd
local hopeless = 4096 -- bytes of nothing new after which no call is waited for
local needle = 24 -- bytes by which a repetition is found

local function tail_of(parts, size)
  local from, count = #parts, 0
  while from > 1 and count + #parts[from] < size do
    count = count + #parts[from]
    from = from - 1
  end
  return table.concat(parts, "", math.max(1, from)):sub(-size)
end

-- How much of the end of a text is one period again and again: the period's length, and that of all of it.
local function period_of(said)
  if #said < least_again then return nil end
  local backwards = said:reverse()
  local at = backwards:find(backwards:sub(1, needle), 2, true)
  local period = at and at - 1
  if not period or period * least_times > #said then return nil end
  local length = period
  while length < #said and said:byte(#said - length) == said:byte(#said - length + period) do length = length + 1 end
  if length < least_again or length < period * least_times then return nil end
  return period, length
end

local function words_of(call)
  return ("%s %s"):format(call.name, call.whole and json.encode(call.whole) or table.concat(call.arguments))
end

-- Where the calls that are complete, because another one has begun, are the same again and again: its first.
local function first_of_same(calls)
  local last = #calls - 1
  local from = last - least_times + 1
  if from < 1 then return nil end
  local words = words_of(calls[last])
  for i = from, last - 1 do
    if words_of(calls[i]) ~= words then return nil end
  end
  return from
end

-- How many calls are whole.
local function whole_calls(calls)
  local last = calls[#calls]
  if not last or last.whole or type(json.decode(table.concat(last.arguments))) == "table" then return #calls end
  return #calls - 1
end

local function count_calls(content)
  local count = 0
  local calls = decode.calls { content = content, tool_calls = {}, finish_reason = "length",
    usage = { input_tokens = 0, output_tokens = 0 } }
  for _, call in ipairs(calls) do
    if call.args then count = count + 1 end
  end
  return count
end

local function has_call(content)
  return count_calls(content) > 0
end

---@class deskpilot.model.runaway
local Watch = {}
Watch.__index = Watch

--- Watches an answer.
---@param max_tokens integer? that were asked for
---@return deskpilot.model.runaway
function runaway.new(max_tokens)
  return setmetatable({ max_tokens = max_tokens, size = 0, calls = 0, next_size = 0 }, Watch)
end

-- Up to where a text is kept that repeats itself from a place on: there, what is said once is whole. What is repeated
-- may begin anywhere in it, so where calls are repeated that is where the first of them can be read.
local function end_of_first(content, from, period)
  local low, high = from + period, from + 2 * period - 1
  local before = count_calls(content:sub(1, from))
  if count_calls(content:sub(1, high)) == before then return low end
  while low < high do
    local middle = (low + high) // 2
    if count_calls(content:sub(1, middle)) > before then high = middle else low = middle + 1 end
  end
  return low
end

-- What is to be kept of a text that repeats itself.
local function repeated(view)
  local period, length = period_of(tail_of(view.content, tail_size))
  if not period then return nil end
  local content = table.concat(view.content)
  local kept = content:sub(1, end_of_first(content, #content - length, period))
  if #view.calls > 0 or length >= hopeless or has_call(kept) then return kept end
end

local function cut(view, calls, why, content)
  return { content = content or table.concat(view.content), calls = calls or whole_calls(view.calls), why = why }
end

--- Looks at what has come.
---@param view deskpilot.model.wire.view
---@return { content: string, calls: integer, why: string }? cut what is to be kept, and why the rest is not worth it
function Watch:look(view)
  local more_calls = #view.calls ~= self.calls
  if view.size - self.size < look_again and not more_calls then return nil end
  self.size, self.calls = view.size, #view.calls
  local first = more_calls and first_of_same(view.calls)
  if first then return cut(view, first, "it calls the same again and again") end
  local kept = repeated(view)
  if kept then return cut(view, nil, "it says the same again and again", kept) end
  local _, length = period_of(tail_of(view.thinking, tail_size))
  if length and length >= hopeless then return cut(view, nil, "it thinks the same again and again") end
  if not self.max_tokens or view.count <= self.max_tokens * 1.25 + 64 or view.size < self.next_size then return nil end
  self.next_size = view.size * 1.5 // 1 -- since the whole of it is read
  if #view.calls > 1 or has_call(table.concat(view.content)) then
    return cut(view, nil, ("it is longer than %d tokens"):format(self.max_tokens))
  end
end

return runaway
