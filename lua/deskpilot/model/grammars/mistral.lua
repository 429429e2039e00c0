--- [TOOL_CALLS][{...}] or [TOOL_CALLS]name[ARGS]{...} (Mistral).
---@type deskpilot.model.grammar
return {
  name = "mistral",
  take = function(source, found)
    local first, last = source:find("[TOOL_CALLS]", 1, true)
    if not first then return source end
    local name, from = source:match("^%s*([%w_-]+)%[ARGS%]()", last + 1)
    if not name then found:announced(source:sub(last + 1)) end
    while name and not found:full() do
      local stop, after = source:find("[TOOL_CALLS]", from, true)
      local arguments = source:sub(from, (stop or #source + 1) - 1)
      if found.repairs.cut and not stop and not arguments:find("%S") then
        found:broken(arguments, nil, name)
      else
        found:add(name, arguments)
      end
      name, from = source:match("^%s*([%w_-]+)%[ARGS%]()", (after or #source) + 1)
    end
    return source:sub(1, first - 1)
  end,
}
