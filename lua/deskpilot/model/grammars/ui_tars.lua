--- Thought: ...
--- Action: click(start_box='(1,2)')     (UI-TARS and what was made from it), several actions below each other.
--- Not anchored to the beginning: the last line that begins with Action: counts.

-- The byte behind "Action:" at the beginning of a line, where a call follows.
local function find(source)
  local at, found = 1, nil
  while at do
    local first, last = source:find("Action", at, true)
    if not first then break end
    local line = source:sub(math.max(1, first - 12), first - 1):match("[^\n]*$") -- pattern: of at most 12 bytes
    local behind = source:match("^ ?%d*%**:%**%s*()", last + 1)
    if behind and line:find("^[%s#*>]*$") and source:find("^[`]*[%a_][%w_.]*%(", behind) then
      found = { first = first - #line, behind = source:match("^[`]*()", behind) }
    end
    at = last + 1
  end
  return found
end

---@type deskpilot.model.grammar
return {
  name = "ui_tars",
  style = "call",
  teach = "Answer in two lines:\nThought: what you see, and why this is the next step\nAction: %s",
  take = function(source, found)
    local place = find(source)
    if not place then return source end
    local after = found:written(source, place.behind)
    return source:sub(1, place.first - 1) .. "\n" .. source:sub(after)
  end,
}
