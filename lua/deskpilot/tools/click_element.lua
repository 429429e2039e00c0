local fields = require "deskpilot.agent.fields"

return {
  name = "click_element",
  description = "Click one element with the left mouse button.",
  parameters = fields.object({
    justification = fields.justification,
    label = fields.label,
    position = fields.position("Centre of the element"),
  }, { "justification", "label", "position" }),
  run = function(ctx, args)
    local ok, err = ctx.desk.mouse.click(fields.point(args.position))
    if not ok then return nil, err end
    return ('clicked "%s" at %s'):format(args.label, fields.show(args.position))
  end,
}
