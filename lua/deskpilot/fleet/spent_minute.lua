--- What all workers of a fleet have let through to one model server in the last minute: calls and tokens of each
--- second. A second counts until all of it is more than a minute ago, and three seconds longer, for the way from a
--- permit to the server: so no minute of the server's has more than the limit.
local json = require "deskpilot.base.json"

local spent_minute = {}

local SPAN = 64 -- seconds, the one that goes on and those before it
local LIMITS = { bytes = 20000, values = 1000, depth = 5 }
local MOST = 1e12 -- of anything that is counted

--- What a call is reckoned to take where nothing is known yet: some thousand tokens of a picture and a history.
spent_minute.usual_tokens = 2000

---@class deskpilot.fleet.limits
---@field calls number in a minute; 0: any number
---@field tokens number in a minute; 0: any number

---@class deskpilot.fleet.spent_minute
---@field seconds table<integer, { calls: integer, tokens: number }> by the second
---@field mean number? tokens of a call, the latest ones count most
local Spent = {}
Spent.__index = Spent

--- Nothing spent.
---@return deskpilot.fleet.spent_minute
function spent_minute.new() return setmetatable({ seconds = {} }, Spent) end

local function number(value)
  return type(value) == "number" and value == value and value > -MOST and value < MOST and value or nil
end

--- Reads what text() has written. What is not in that form, from wherever it came, counts as nothing.
---@param text string
---@return deskpilot.fleet.spent_minute
function spent_minute.read(text)
  local self, value = spent_minute.new(), json.decode(text, LIMITS)
  if type(value) ~= "table" then return self end
  self.mean = number(value.mean)
  for _, row in ipairs(type(value.spent) == "table" and value.spent or {}) do
    local second = type(row) == "table" and math.tointeger(row[1])
    if second and number(row[2]) and number(row[3]) then self:add(second, math.max(0, row[2]), row[3]) end
  end
  return self
end

--- As it is kept.
---@return string
function Spent:text()
  local rows = json.list()
  for second, one in pairs(self.seconds) do rows[#rows + 1] = json.list { second, one.calls, one.tokens } end
  table.sort(rows, function(a, b) return a[1] < b[1] end)
  return json.encode { version = 1, spent = rows, mean = self.mean }
end

--- Counts what was let through, or corrects it.
---@param second integer
---@param calls integer
---@param tokens number below 0: it was less than was reckoned
function Spent:add(second, calls, tokens)
  local one = self.seconds[second] or { calls = 0, tokens = 0 }
  one.calls, one.tokens = one.calls + calls, math.max(0, one.tokens + tokens)
  self.seconds[second] = one
end

--- Counts what another one has.
---@param other deskpilot.fleet.spent_minute
function Spent:add_all(other)
  for second, one in pairs(other.seconds) do self:add(second, one.calls, one.tokens) end
end

--- Takes in what a call has really taken.
---@param tokens number
function Spent:learn(tokens)
  self.mean = math.floor(self.mean and self.mean + (tokens - self.mean) / 10 or tokens)
end

--- Forgets what is over.
---@param now number seconds; what is further in the future than a span is over too: a clock was wrong
function Spent:forget(now)
  local second = math.floor(now)
  for at in pairs(self.seconds) do
    if at <= second - SPAN or at >= second + SPAN then self.seconds[at] = nil end
  end
end

--- Whether one more call may go now. One that is larger than the limit goes alone.
---@param now number
---@param tokens number that it is reckoned to take
---@param limits deskpilot.fleet.limits
---@return boolean
---@return number seconds after which it may, if nobody else is let through
function Spent:admits(now, tokens, limits)
  self:forget(now)
  local order, calls, spent = {}, 1, 0
  for second, one in pairs(self.seconds) do
    order[#order + 1], calls, spent = second, calls + one.calls, spent + one.tokens
  end
  table.sort(order)
  local function fits()
    return (limits.calls == 0 or calls <= limits.calls)
      and (limits.tokens == 0 or spent == 0 or spent + tokens <= limits.tokens)
  end
  if fits() then return true, 0 end
  for _, second in ipairs(order) do
    local one = self.seconds[second]
    calls, spent = calls - one.calls, spent - one.tokens
    if fits() then return false, math.max(0, second + SPAN - now) end
  end
  return false, SPAN -- not with this limit
end

return spent_minute
