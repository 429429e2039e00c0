--- <answer>do(action="Tap", element=[1,2])</answer>, finish(message="...") (AutoGLM). The tags are often missing, and
--- quotes inside texts are not escaped.
local function find(source)
  local answer = source:match("<answer>%s*()")
  if answer then return answer end
  local first
  for _, mark in ipairs { "do(action=", "finish(message=" } do
    local at = source:find(mark, 1, true)
    if at and (at == 1 or source:find("^[%s>`]", at - 1)) and at < (first or #source + 1) then first = at end
  end
  return first
end

---@type deskpilot.model.grammar
return {
  name = "autoglm",
  style = "call",
  teach = "Answer with your thoughts and one call:\n<think>what you see, and why</think>\n<answer>%s</answer>",
  take = function(source, found)
    local from = find(source)
    if not from or not source:find("^[%a_][%w_.]*%(", from) then return source end
    local after = found:written(source, from)
    local before = source:sub(1, from - 1):gsub("<answer>%s*$", "")
    return before .. source:sub(after):gsub("^%s*</answer>", "")
  end,
}
