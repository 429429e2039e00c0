local fields = require "deskpilot.agent.fields"
local targets = require "deskpilot.agent.targets"

local from = { element = "start_element", position = "start" }
local to = { element = "end_element", position = "end" }

---@type deskpilot.tool
return {
  api = 1,
  name = "drag_element",
  group = "pointing",
  description = "Press the left button at one point, move to another and let go: move or resize things, "
    .. "set sliders, draw. Each end is an element's number in ELEMENTS or a position.",
  parameters = fields.object {
    fields.label,
    targets.element("start_element", "The element where the button goes down"),
    targets.position("start", "Or else the place where the button goes down"),
    targets.element("end_element", "The element where the button is let go"),
    targets.position("end", "Or else the place where the button is let go"),
  },
  repeatable = false,
  check = function(ctx, args)
    local ok, err = targets.check(ctx, "drag_element", args, from)
    if not ok then return nil, err end
    return targets.check(ctx, "drag_element", args, to)
  end,
  run = function(ctx, args)
    local start, start_words = targets.find(ctx, args.start_element, args.start)
    if not start then return nil, start_words end
    local stop, stop_words = targets.find(ctx, args.end_element, args["end"])
    if not stop then return nil, stop_words end
    local ok, err = ctx.desk.mouse.drag(start, stop)
    if not ok then return nil, err end
    return ('dragged "%s" from %s to %s'):format(args.label, start_words, stop_words)
  end,
}
