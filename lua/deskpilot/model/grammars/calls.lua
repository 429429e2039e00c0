--- An answer that is nothing but calls: click(point='<point>1 2</point>'), without anything that announces them.
local values = require "deskpilot.model.values"

---@type deskpilot.model.grammar
return {
  name = "calls",
  style = "call",
  teach = "Answer with one call:\n%s",
  take = function(source, found)
    local at, calls, mark = source:find("%S") or 1, {}, found.repairs:mark()
    while at <= #source and not found:full() do
      local call, after = values.call(source, at, found.repairs)
      if not call then break end
      calls[#calls + 1] = call
      at = source:find("[^%s;]", after) or #source + 1
      if #calls > 100 then break end
    end
    -- A word in front of brackets is no call: those of models have arguments by name, or none.
    local sure = #calls > 0 and at > #source
    for _, call in ipairs(calls) do sure = sure and call.args.positional == nil end
    if not sure then
      found.repairs:undo(mark)
      return source
    end
    for _, call in ipairs(calls) do found:add(call.name, call.args) end
    return ""
  end,
}
