--- <seed:tool_call><function=click><parameter=point><point>1 2</point></parameter></function></seed:tool_call>, with
--- several functions in one block (UI-TARS 2, Seed).
local xml_calls = require "deskpilot.model.xml_calls"

local open, close = "<seed:tool_call>", "</seed:tool_call>"

---@type deskpilot.model.grammar
return {
  name = "seed",
  style = "tags",
  teach = "Call a tool by writing\n<seed:tool_call>\n%s\n</seed:tool_call>",
  take = function(source, found)
    local rest, from = {}, 1
    while not found:full() do
      local first, last = source:find(open, from, true)
      if not first then break end
      rest[#rest + 1] = source:sub(from, first - 1)
      local stop, after = source:find(close, last + 1, true)
      local inner = source:sub(last + 1, (stop or #source + 1) - 1)
      if not stop and not found.repairs:add "missing_tag" then
        found:broken(inner)
      elseif not xml_calls.functions(inner, found) then
        found:broken(inner, "there is no <function=...> in it")
      end
      from = (after or #source) + 1
    end
    rest[#rest + 1] = source:sub(from)
    return table.concat(rest)
  end,
}
