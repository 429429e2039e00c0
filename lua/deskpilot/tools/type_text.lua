local fields = require "deskpilot.agent.fields"
local targets = require "deskpilot.agent.targets"

---@type deskpilot.tool
return {
  api = 1,
  name = "type_text",
  group = "typing",
  description = "Type text into a field, given by its number in ELEMENTS, or into whatever has the keyboard focus. Any "
    .. "Unicode text; a line break is the Enter key, a tab is the Tab key.",
  parameters = fields.object {
    targets.element("element", "The field, which is clicked first unless it has the focus; left out, the text goes to "
      .. "what has it"),
    { name = "text", type = "string", minLength = 1, description = "The text, exactly as it should arrive." },
  },
  repeatable = false,
  lasting = function(args) return args.text:find "[\r\n]" ~= nil end, -- Enter may send a form
  check = function(ctx, args)
    return targets.check(ctx, "type_text", args, { element = "element", position = "position", optional = true })
  end,
  run = function(ctx, args)
    local field, words = targets.find(ctx, args.element)
    if not field and words then return nil, words end
    local ok, err = ctx.desk.keyboard.type(args.text, { into = field })
    if not ok then return nil, err end
    return ("typed %d characters%s"):format(utf8.len(args.text) or #args.text, words and " into " .. words or "")
  end,
}
