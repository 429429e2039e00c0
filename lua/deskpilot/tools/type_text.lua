local fields = require "deskpilot.agent.fields"

---@type deskpilot.tool
return {
  api = 1,
  name = "type_text",
  group = "typing",
  description = "Type text into whatever has the keyboard focus: click the field first. Any Unicode text; "
    .. "a line break is the Enter key, a tab is the Tab key.",
  parameters = fields.object {
    { name = "text", type = "string", minLength = 1, description = "The text, exactly as it should arrive." },
  },
  repeatable = false,
  run = function(ctx, args)
    local ok, err = ctx.desk.keyboard.type(args.text)
    if not ok then return nil, err end
    return ("typed %d characters"):format(utf8.len(args.text) or #args.text)
  end,
}
