--- pyautogui.click(x=1, y=2) (OpenCUA, GTA1), as the whole answer or from a line of its own on; in a fence: fence.lua.
local code = require "deskpilot.model.code"

local marks = { "import pyautogui", "pyautogui.", "computer." }

-- The first of the marks that stands at the beginning of a line.
local function find(source)
  local first
  for _, mark in ipairs(marks) do
    local at = source:find(mark, 1, true)
    while at and at < (first or #source + 1) do
      if at == 1 or source:byte(at - 1) == 10 then first = at end -- what is indented is a part of something else
      at = source:find(mark, at + 1, true)
    end
  end
  return first
end

-- Where the Markdown fence begins that a place is inside of; nil where it is in none.
local function fence_around(source, place)
  local inside, at = nil, source:find("```", 1, true)
  while at and at < place do
    inside = not inside and source:match("^```%w*[ \t]*\r?\n?()", at) or nil
    at = source:find("```", at + 3, true)
  end
  return inside, at
end

---@type deskpilot.model.grammar
return {
  name = "pyautogui",
  style = "call",
  teach = "Call a tool by writing, at the end:\n```python\n%s\n```",
  take = function(source, found)
    local from = find(source)
    if not from then return source end
    local inside, stop = fence_around(source, from)
    from = inside or from -- all of the fence, or nothing of it
    if not code.take(source:sub(from, (stop or #source + 1) - 1), found) then return source end
    local before = source:sub(1, from - 1):gsub("```%w*%s*$", "")
    return before .. source:sub((stop or #source) + 3)
  end,
}
