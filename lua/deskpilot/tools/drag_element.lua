local fields = require "deskpilot.agent.fields"

---@type deskpilot.tool
return {
  api = 1,
  name = "drag_element",
  group = "pointing",
  description = "Press the left button at one point, move to another and let go: move or resize things, "
    .. "set sliders, draw.",
  parameters = fields.object({
    justification = fields.justification,
    label = fields.label,
    start = fields.position("Where the button goes down"),
    ["end"] = fields.position("Where the button is let go"),
  }, { "justification", "label", "start", "end" }),
  repeatable = false,
  run = function(ctx, args)
    local from, err = fields.point(ctx, args.start)
    if not from then return nil, err end
    local ok
    ok, err = ctx.desk.mouse.drag(from, fields.point(ctx, args["end"]))
    if not ok then return nil, err end
    return ('dragged "%s" from %s to %s'):format(args.label, fields.show(args.start), fields.show(args["end"]))
  end,
}
