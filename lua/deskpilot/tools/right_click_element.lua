local fields = require "deskpilot.agent.fields"

return {
  name = "right_click_element",
  description = "Click one element with the right mouse button, usually to open its context menu.",
  parameters = fields.object({
    justification = fields.justification,
    label = fields.label,
    position = fields.position("Centre of the element"),
  }, { "justification", "label", "position" }),
  run = function(ctx, args)
    local ok, err = ctx.desk.mouse.right_click(fields.point(args.position))
    if not ok then return nil, err end
    return ('right-clicked "%s" at %s'):format(args.label, fields.show(args.position))
  end,
}
