--- What a run has spent on its models, in all and by persona: calls, tokens, seconds and money.
local spending = {}

---@class deskpilot.spent
---@field calls integer requests, also those that failed
---@field input_tokens integer of all requests, as the servers count them
---@field cached_tokens integer of these, what servers had from the request before
---@field output_tokens integer of all answers
---@field tokens integer of requests and answers together
---@field model_seconds number that the models took
---@field cost number US dollars, by the prices that are known

--- Of the whole run; its fields are the sums.
---@class deskpilot.spending: deskpilot.spent
---@field personas table<string, deskpilot.spent> by the personas' names

local sums = { "calls", "input_tokens", "cached_tokens", "output_tokens", "tokens", "model_seconds", "cost" }

local function nothing()
  return { calls = 0, input_tokens = 0, cached_tokens = 0, output_tokens = 0, tokens = 0, model_seconds = 0,
    cost = 0 }
end

--- Nothing spent so far.
---@return deskpilot.spending
function spending.new()
  local self = nothing()
  self.personas = {}
  return self
end

--- What a model costs: what its profile says, with the configuration's `models.NAME`. A server of this machine costs
--- nothing, unless it is said. Nil where nobody knows.
---@param model deskpilot.model.client
---@return deskpilot.model.profile_prices?
function spending.prices_of(model)
  local known = model.profile and model.profile.prices
  if known then return known end
  if model.literal or model.replay or model.is_local then return { input = 0, output = 0 } end
end

local function cost_of(usage, prices)
  local cached, written = usage.cached_tokens or 0, usage.written_tokens or 0
  local fresh = math.max(0, (usage.input_tokens or 0) - cached - written)
  return (fresh * prices.input + cached * (prices.cached or prices.input)
    + written * (prices.written or prices.input) + (usage.output_tokens or 0) * prices.output) / 1e6
end

--- What one call has cost, as it is added.
---@param usage { input_tokens: integer?, output_tokens: integer?, cached_tokens: integer?, written_tokens: integer? }
---@param seconds number
---@param prices deskpilot.model.profile_prices?
---@return deskpilot.spent
function spending.of_call(usage, seconds, prices)
  local input, output = usage.input_tokens or 0, usage.output_tokens or 0
  return { calls = 1, input_tokens = input, cached_tokens = usage.cached_tokens or 0, output_tokens = output,
    tokens = input + output, model_seconds = seconds, cost = prices and cost_of(usage, prices) or 0.0 }
end

local most = 1e15 -- of anything that is counted: so that sums stay whole numbers

local function amount(value)
  value = tonumber(value)
  return value and value >= 0 and value <= most and value or 0
end

--- The same of an event `model_reply`, also of an older journal's, and of one that somebody has changed.
---@param event table
---@return deskpilot.spent
function spending.of_event(event)
  local usage, call = type(event.usage) == "table" and event.usage or {}, {}
  for _, name in ipairs { "input_tokens", "output_tokens", "cached_tokens" } do
    call[name] = math.tointeger(amount(usage[name]) // 1)
  end
  local spent = spending.of_call(call, amount(event.seconds))
  spent.cost = amount(event.cost)
  return spent
end

--- Adds what a persona has spent.
---@param self deskpilot.spending
---@param persona string
---@param spent table<string, number?> what is missing is 0
function spending.add(self, persona, spent)
  local own = self.personas[persona] or nothing()
  self.personas[persona] = own
  for _, name in ipairs(sums) do
    local value = amount(spent[name])
    self[name], own[name] = self[name] + value, own[name] + value
  end
end

--- Adds all that another run has spent.
---@param self deskpilot.spending
---@param other table as `plain` gives it, from a journal
function spending.add_all(self, other)
  for name, spent in pairs(type(other.personas) == "table" and other.personas or {}) do
    if type(spent) == "table" then spending.add(self, tostring(name), spent) end
  end
end

return spending
