local fields = require "deskpilot.agent.fields"

-- Sends a form or a message, removes something, or closes a window.
local function cannot_be_undone(args)
  local key = args.key:lower():gsub("%s", "")
  return key:find "enter$" or key:find "return$" or key:find "delete$" or key:find "alt%+f4$" or key:find "ctrl%+[wq]$"
end

---@type deskpilot.tool
return {
  api = 1,
  name = "press_key",
  group = "typing",
  description = "Press one key or a combination, for example enter, escape, tab, page_down, f5, ctrl+s, "
    .. "ctrl+shift+end.",
  parameters = fields.object {
    { name = "key", type = "string", minLength = 1, maxLength = 60,
      description = "Key names joined by +, modifiers first." },
  },
  lasting = function(args) return cannot_be_undone(args) ~= nil end,
  run = function(ctx, args)
    local ok, err = ctx.desk.keyboard.press(args.key)
    if not ok then return nil, err end
    return "pressed " .. args.key
  end,
}
