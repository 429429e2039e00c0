--- <|begin_of_box|>left_click(start_box='[1,2]', element_info='')<|end_of_box|>, then Memory: ... (GLM-4.1V to 4.6V).
--- Brackets around positions vary, and the box may hold an answer that is no call.
local values = require "deskpilot.model.values"

local open, close = "<|begin_of_box|>", "<|end_of_box|>"

---@type deskpilot.model.grammar
return {
  name = "glm",
  style = "call",
  teach = "Answer with your thoughts and then one call:\n<|begin_of_box|>%s<|end_of_box|>",
  take = function(source, found)
    local first, last = source:find(open, 1, true)
    if not first then return source end
    local stop, after = source:find(close, last + 1, true)
    local inner = source:sub(last + 1, (stop or #source + 1) - 1)
    local rest = { source:sub(1, first - 1), source:sub((after or #source) + 1) }
    if inner:find("^%s*[{%[]") then
      local mark, value = found.repairs:mark(), values.json(inner, found.repairs)
      if value ~= nil and found:add_value(value) then return table.concat(rest) end
      found.repairs:undo(mark)
    end
    if not inner:find("^%s*[%a_][%w_.]*%(") then return rest[1] .. inner .. rest[2] end
    if not stop and not found.repairs:add "missing_tag" then
      found:broken(inner)
    else
      found:written(inner, 1)
    end
    return table.concat(rest)
  end,
}
