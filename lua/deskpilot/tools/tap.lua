local fields = require "deskpilot.agent.fields"
local targets = require "deskpilot.agent.targets"

local given = targets.given
local done = { "tapped", "double-tapped", "tapped three times" }

---@type deskpilot.tool
return {
  api = 1,
  name = "tap",
  group = "touch",
  description = "Tap something: a click of the left mouse button. Give `element` or `position`.",
  parameters = fields.object {
    fields.optional(fields.label),
    targets.element("element", "What is tapped"),
    targets.position("position", "Or else its centre"),
    { name = "clicks", optional = true, type = "integer", minimum = 1, maximum = 3,
      description = "1 if left out; 2 opens files and marks words." },
    { name = "button", optional = true, type = "string", enum = { "left", "right" },
      description = "left if left out; right opens a context menu, as a long press does on a telephone." },
  },
  pages = true,
  check = function(ctx, args)
    return targets.check(ctx, "tap", args, { element = "element", position = "position", pages = true })
  end,
  run = function(ctx, args)
    local clicks, button = given(args.clicks) or 1, given(args.button) or "left"
    local target, words, tab = targets.find(ctx, args.element, args.position, true)
    if not target then return nil, words end
    local ok, err
    if tab then ok, err = tab:click(target, { count = clicks, button = button })
    else ok, err = ctx.desk.mouse.click(target, { count = clicks, button = button }) end
    if not ok then return nil, err end
    return ("%s%s %s"):format(done[clicks], button == "right" and " with the right button" or "", words)
  end,
}
