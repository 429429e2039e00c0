local fields = require "deskpilot.agent.fields"

return {
  name = "scroll_down",
  description = "Scroll down by a few lines, at the middle of the screen or at the given position.",
  parameters = fields.object({
    justification = fields.justification,
    position = fields.position("Where to scroll; the middle of the screen when left out"),
  }, { "justification" }),
  run = function(ctx, args)
    local at = args.position or { 500, 500 }
    local ok, err = ctx.desk.mouse.scroll { dy = 5, at = fields.point(at) }
    if not ok then return nil, err end
    return "scrolled down at " .. fields.show(at)
  end,
}
