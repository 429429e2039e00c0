local fields = require "deskpilot.agent.fields"
local targets = require "deskpilot.agent.targets"

---@type deskpilot.tool
return {
  api = 1,
  name = "type_text",
  group = "typing",
  description = "Type text into a field, given by its number in ELEMENTS or its position, or into whatever has the "
    .. "keyboard focus. Any Unicode text; a line break is the Enter key, a tab is the Tab key.",
  parameters = fields.object {
    targets.element("element", "The field, which is clicked first unless it has the focus; left out, the text goes to "
      .. "what has it"),
    targets.position("position", "Or else its place, which is clicked first"),
    { name = "text", type = "string", minLength = 1, description = "The text, exactly as it should arrive." },
    { name = "replace", optional = true, type = "boolean", description = "true: in place of what the field holds." },
  },
  repeatable = false,
  lasting = function(args) return args.text:find "[\r\n]" ~= nil end, -- Enter may send a form
  check = function(ctx, args)
    return targets.check(ctx, "type_text", args, { element = "element", position = "position", optional = true })
  end,
  run = function(ctx, args)
    local field, words = targets.find(ctx, args.element, args.position)
    if not field and words then return nil, words end
    local into, ok, err = field, true, nil
    if field and (args.replace or not targets.given(args.element)) then
      ok, err = ctx.desk.mouse.click(field)
      if ok then ok, err = ctx.desk.settle { cap = 1 } end -- a window manager holds a click up, but no key after it
      into = nil
    end
    if ok and args.replace then ok, err = ctx.desk.keyboard.press "ctrl+a" end
    if ok then ok, err = ctx.desk.keyboard.type(args.text, { into = into }) end
    if not ok then return nil, err end
    return ("typed %d characters%s"):format(utf8.len(args.text) or #args.text, words and " into " .. words or "")
  end,
}
