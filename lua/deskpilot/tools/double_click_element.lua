local fields = require "deskpilot.agent.fields"

return {
  name = "double_click_element",
  description = "Double-click one element, for example to open a file or to select a word.",
  parameters = fields.object({
    justification = fields.justification,
    label = fields.label,
    position = fields.position("Centre of the element"),
  }, { "justification", "label", "position" }),
  run = function(ctx, args)
    local ok, err = ctx.desk.mouse.double_click(fields.point(args.position))
    if not ok then return nil, err end
    return ('double-clicked "%s" at %s'):format(args.label, fields.show(args.position))
  end,
}
