--- Numbers that look random and depend on a seed alone.
local pick = {}
local Pick = {}
Pick.__index = Pick

---@param words string of which the numbers are made
function pick.new(words)
  local state = 0x9E3779B97F4A7C15
  for i = 1, #words do state = (state ~ words:byte(i)) * 0x100000001B3 end
  local self = setmetatable({ state = state }, Pick)
  for _ = 1, 4 do self:integer(0, 1) end
  return self
end

--- One of `low` to `high`.
---@param low integer
---@param high integer
---@return integer
function Pick:integer(low, high)
  self.state = self.state * 6364136223846793005 + 1442695040888963407
  local bits = self.state
  bits = (bits ~ (bits >> 33)) * 0xFF51AFD7ED558CCD
  bits = bits ~ (bits >> 29)
  return low + (bits >> 1) % (high - low + 1)
end

--- One of 1 to `high`, the small ones as often as the large ones.
---@param high integer
---@return integer
function Pick:number(high)
  if self:integer(1, 2) == 1 then return self:integer(1, high) end
  return math.floor(math.exp(self:integer(0, 1000000) / 1000000 * math.log(high)))
end

--- One of a list.
function Pick:of(list) return list[self:integer(1, #list)] end

return pick
