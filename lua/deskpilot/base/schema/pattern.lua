--- Whether a text matches a regular expression of ECMAScript. An expression may come from anywhere, so that it must not
--- be able to take long: each part of it maps the set of all places where it may begin to the set of those where it may
--- end. No way through the text is gone twice, and the steps are counted.
local pattern_read = require "deskpilot.base.schema.pattern_read"

local pattern = {}

--- A text and the steps that are left.
---@class deskpilot.schema.match
---@field codes integer[] the characters
---@field last integer the place behind the last one
---@field budget { left: integer }

local too_much = {} -- raised when the steps are used up

local match

local function spend(self, steps)
  local budget = self.budget
  budget.left = budget.left - steps
  if budget.left < 0 then error(too_much, 0) end
end

local function in_ranges(ranges, code)
  for i = 1, #ranges, 2 do
    if code >= ranges[i] and code <= ranges[i + 1] then return true end
  end
  return false
end

local function is_word(self, at)
  local code = self.codes[at]
  return code ~= nil and in_ranges(pattern_read.word, code)
end

local holds = {
  start = function(_, at) return at == 1 end,
  ["end"] = function(self, at) return at == self.last end,
  word = function(self, at) return is_word(self, at) ~= is_word(self, at - 1) end,
  inside = function(self, at) return is_word(self, at) == is_word(self, at - 1) end,
}

local kinds = {}

function kinds.set(self, node, places)
  local ranges, negated, out = node[2], node[3] or false, {}
  spend(self, #ranges // 8)
  for at in pairs(places) do
    spend(self, 1 + #ranges // 8)
    local code = self.codes[at]
    if code and in_ranges(ranges, code) ~= negated then out[at + 1] = true end
  end
  return out
end

function kinds.at(self, node, places)
  local out = {}
  for at in pairs(places) do
    spend(self, 1)
    if holds[node[2]](self, at) then out[at] = true end
  end
  return out
end

function kinds.seq(self, node, places)
  for i = 2, #node do
    if next(places) == nil then break end
    places = match(self, node[i], places)
  end
  return places
end

function kinds.alt(self, node, places)
  local out = {}
  for i = 2, #node do
    for at in pairs(match(self, node[i], places)) do
      spend(self, 1)
      out[at] = true
    end
  end
  return out
end

local function same(a, b)
  for at in pairs(a) do
    if not b[at] then return false end
  end
  for at in pairs(b) do
    if not a[at] then return false end
  end
  return true
end

kinds["repeat"] = function(self, node, places)
  local inner, least, most = node[2], node[3], node[4]
  for _ = 1, least do
    spend(self, 1)
    local following = match(self, inner, places)
    if same(following, places) then break end -- and so it stays
    places = following
    if next(places) == nil then return places end
  end
  local out, new = {}, places
  for at in pairs(places) do out[at] = true end
  local count = least
  while count < most and next(new) ~= nil do
    local reached
    reached, new = match(self, inner, new), {}
    for at in pairs(reached) do
      spend(self, 1)
      if not out[at] then out[at], new[at] = true, true end
    end
    count = count + 1
  end
  return out
end

function kinds.ahead(self, node, places)
  local out, negated = {}, node[3] or false
  for at in pairs(places) do
    spend(self, 1)
    if (next(match(self, node[2], { [at] = true })) ~= nil) ~= negated then out[at] = true end
  end
  return out
end

function match(self, node, places)
  spend(self, 1)
  return kinds[node[1]](self, node, places)
end

-- Trees and errors by the expression; a schema asks for the same ones again and again.
local known, count = {}, 0
local most_known = 500

--- The tree of an expression.
---@param source string
---@return table? tree
---@return string? why nil and what it cannot be read for
function pattern.compile(source)
  local entry = known[source]
  if not entry then
    if count >= most_known then known, count = {}, 0 end
    local tree, why = pattern_read.read(source)
    entry = { tree = tree, why = why }
    known[source], count = entry, count + 1
  end
  return entry.tree, entry.why
end

local function codes_of(text)
  local codes = {}
  if utf8.len(text) then
    for _, code in utf8.codes(text) do codes[#codes + 1] = code end
  else
    for i = 1, #text do codes[i] = text:byte(i) end
  end
  return codes
end

--- Whether an expression matches somewhere in a text.
---@param source string the expression
---@param text string
---@param budget { left: integer } the steps that this may take, of which those are taken off that it took
---@return boolean? matches nil where that cannot be told: it cannot be read, or would take too long
function pattern.matches(source, text, budget)
  local tree = pattern.compile(source)
  if not tree or #text > budget.left then return nil end
  budget.left = budget.left - #text
  local codes = codes_of(text)
  local self = { codes = codes, last = #codes + 1, budget = budget }
  local places = {}
  for at = 1, self.last do places[at] = true end
  local ok, ends = pcall(match, self, tree, places)
  if ok then return next(ends) ~= nil end
  if ends ~= too_much then error(ends, 0) end
  budget.left = 0
  return nil
end

return pattern
