local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"
local text = require "deskpilot.base.text"

-- Windows that lie on the desktop: no panels, and not the desktop itself.
local function shown(windows)
  local list = {}
  for _, window in ipairs(windows) do
    if window.visible and not window.minimized and window.layer == 0 then table.insert(list, 1, window) end
  end
  return list
end

---@type deskpilot.tool
return {
  api = 1,
  name = "home",
  group = "touch",
  description = "Show the desktop: all windows are minimized. `recent` or `focus_window` brings one back.",
  parameters = fields.object {},
  anywhere = true,
  run = function(ctx)
    local all, err = ctx.desk.windows.list()
    if not all then return nil, err end
    local list, left = shown(all), {}
    if #list == 0 then return "the desktop is shown already" end
    for _, window in ipairs(list) do
      -- One that belongs to another goes with it, and is then not visible any more.
      local now = ctx.desk.windows.find { id = window.id }
      local ok, why = true, nil
      if now and now.visible and not now.minimized then ok, why = ctx.desk.windows.minimize(window) end
      if not ok then left[#left + 1] = ("%q (%s)"):format(window.title, tostring(why)) end
    end
    if #left > 0 then return errors.fail("refused", "%s", "not minimized: " .. text.join(left)) end
    return ("the desktop is shown; %d window%s minimized"):format(#list, #list == 1 and " was" or "s were")
  end,
}
