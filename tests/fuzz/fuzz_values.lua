--- What several fuzzers check.
local values = {}

--- Raises an error unless it is a text of so many bytes that a terminal and a model can be shown.
---@param words any
---@param most integer bytes
function values.sentence(words, most)
  if type(words) ~= "string" or words == "" then error("not a sentence: " .. tostring(words), 2) end
  if #words > most then error(("a sentence of %d bytes: %s..."):format(#words, words:sub(1, 200)), 2) end
end

--- Whether two values of plain data are the same.
function values.same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then
    return math.type(a) == math.type(b) and (a == b or a ~= a and b ~= b)
  end
  for key, item in pairs(a) do
    if not values.same(item, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

return values
