--- Whether two sentences say the same in nearly the same words. Deterministic, and the same for every language: words
--- are compared, not meanings.
local text = require "deskpilot.base.text"

local similar = {}

-- Share of the words of both that have to be common.
local enough = 0.7

-- Words that turn a sentence around.
local turning = { ["not"] = true, no = true, never = true, without = true, nothing = true, none = true, only = true,
  nicht = true, kein = true, keine = true, nie = true, ohne = true, nur = true }

-- What nearly the same words must agree in: a number, or a word that turns the sentence around.
local function is_decisive(word)
  return turning[word] or word:find "%d" ~= nil or word:find "n't$" ~= nil
end

-- The set of the words, in small letters (of ASCII), without punctuation.
local function words_of(sentence)
  local words, count = {}, 0
  for word in sentence:lower():gmatch "[%w_'\128-\255]+" do
    word = text.without_end(word:gsub("^'+", ""), "'")
    if word ~= "" and not words[word] then words[word], count = true, count + 1 end
  end
  return words, count
end

--- Whether they do.
---@param a string
---@param b string
---@return boolean
function similar.same(a, b)
  if a == b then return true end
  local first, first_count = words_of(a)
  local second, second_count = words_of(b)
  local common = 0
  for word in pairs(first) do
    if second[word] then common = common + 1 elseif is_decisive(word) then return false end
  end
  for word in pairs(second) do
    if not first[word] and is_decisive(word) then return false end
  end
  local all = first_count + second_count - common
  return all > 0 and common / all >= enough
end

--- The first of some sentences that says the same.
---@param sentence string
---@param known string[]
---@return string?
function similar.find(sentence, known)
  for _, other in ipairs(known) do
    if similar.same(sentence, other) then return other end
  end
end

return similar
