--- Calls in Markdown fences: JSON, or code that is nothing but calls. A fence that holds something else stays in the
--- text.
local code = require "deskpilot.model.code"
local values = require "deskpilot.model.values"

-- Adds the calls of what is in a fence; whether there are any, or one that cannot be read.
local function take_one(inner, word, found)
  local mark = found.repairs:mark()
  local value = values.json(inner, found.repairs)
  if value ~= nil and found:add_value(value) then return true end
  found.repairs:undo(mark)
  return code.languages[word] and code.take(inner, found)
end

---@type deskpilot.model.grammar
return {
  name = "fence",
  take = function(source, found)
    local rest, from, left = {}, 1, 1 -- left: from where on the text is in no part of `rest` yet
    local in_vain -- the fence before, where that has no call: a model that is stuck repeats itself
    while true do
      local first, last, word = source:find("```([%w_]*)[ \t]*\r?\n", from)
      local stop, after = source:find("```", (last or #source) + 1, true)
      if not first or not stop then break end
      local fence = source:sub(first, after)
      from = after + 1
      if fence ~= in_vain and take_one(source:sub(last + 1, stop - 1), word, found) then
        rest[#rest + 1] = source:sub(left, first - 1)
        left = from
      else
        in_vain = fence
      end
      if found:full() then break end
    end
    rest[#rest + 1] = source:sub(left)
    return table.concat(rest)
  end,
}
