local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"
local text = require "deskpilot.base.text"

-- The windows that can be switched to, the one that was used last first: minimized ones come behind the others.
local function others(windows)
  local open, minimized = {}, {}
  for i = #windows, 1, -1 do
    local window = windows[i]
    if window.layer == 0 and not window.active then
      table.insert(window.minimized and minimized or window.visible and open or {}, window)
    end
  end
  return table.move(minimized, 1, #minimized, #open + 1, open)
end

local function titles(windows, from)
  local list = {}
  for i = from, #windows do list[#list + 1] = ("%q"):format(text.cut(text.one_line(windows[i].title), 60)) end
  return list
end

---@type deskpilot.tool
return {
  api = 1,
  name = "recent",
  group = "touch",
  description = "Switch to the window that was in front before this one, as Alt+Tab does, and be told of the others, "
    .. "which `focus_window` brings up by their titles.",
  parameters = fields.object {},
  anywhere = true,
  repeatable = false,
  touches = function(ctx) return { window = others(ctx.desk.windows.list() or {})[1] } end,
  run = function(ctx)
    local all, err = ctx.desk.windows.list()
    if not all then return nil, err end
    local list = others(all)
    if #list == 0 then return errors.fail("not_found", "there is no other window to switch to") end
    local ok, why = ctx.desk.windows.focus(list[1])
    if not ok then return nil, why end
    local rest = titles(list, 2)
    return ("the window %q is in front%s"):format(list[1].title, #rest > 0 and "; others are " .. text.join(rest) or "")
  end,
}
