--- <tool_call>{"name": ..., "arguments": {...}}</tool_call> (Qwen, Hermes, Fara, GUI-Owl, MAI-UI), with functions in
--- tags inside (small Qwen models), or a name and keys with values (GLM); one or more. The last end may be missing.
local xml_calls = require "deskpilot.model.xml_calls"

local function add(inner, found)
  if inner:find("^%s*<function=") then return xml_calls.functions(inner, found) end
  if not inner:find("^%s*[%[{`]") and xml_calls.pairs(inner, found) then return end
  found:announced(inner)
end

local function bare_functions(source, found)
  local first = source:find("<function=", 1, true)
  if not first or not xml_calls.functions(source:sub(first), found) then return source end
  return source:sub(1, first - 1)
end

---@type deskpilot.model.grammar
return {
  name = "tool_call",
  style = "json",
  teach = "Call a tool by writing one JSON object on lines of its own:\n<tool_call>\n%s\n</tool_call>",
  take = function(source, found)
    local rest, from = {}, 1
    while true do
      local first, last = source:find("<tool_call>", from, true)
      if not first then break end
      rest[#rest + 1] = source:sub(from, first - 1)
      local stop, after = source:find("</tool_call>", last + 1, true)
      local inner = source:sub(last + 1, (stop or #source + 1) - 1)
      if stop or found.repairs:add "missing_tag" then add(inner, found) else found:broken(inner) end
      from = (after or #source) + 1
      if found:full() then break end
    end
    if from == 1 then return bare_functions(source, found) end
    rest[#rest + 1] = source:sub(from)
    return table.concat(rest)
  end,
}
