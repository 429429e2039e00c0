--- Calls in Markdown fences: JSON, or code that is nothing but calls. A fence that holds something else stays in the
--- text.
local code = require "deskpilot.model.code"
local values = require "deskpilot.model.values"

---@type deskpilot.model.grammar
return {
  name = "fence",
  take = function(source, found)
    local rest, from = {}, 1
    while true do
      local first, last, word = source:find("```([%w_]*)[ \t]*\r?\n", from)
      local stop, after = source:find("```", (last or #source) + 1, true)
      if not first or not stop then break end
      local inner, mark = source:sub(last + 1, stop - 1), found.repairs:mark()
      local value = values.json(inner, found.repairs)
      local taken = value ~= nil and found:add_value(value)
      if not taken then found.repairs:undo(mark) end
      taken = taken or code.languages[word] and code.take(inner, found)
      rest[#rest + 1] = source:sub(from, (taken and first or after + 1) - 1)
      from = after + 1
      if found:full() then break end
    end
    rest[#rest + 1] = source:sub(from)
    return table.concat(rest)
  end,
}
