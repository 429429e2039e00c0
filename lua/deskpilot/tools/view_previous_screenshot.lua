local errors = require "deskpilot.base.errors"
local information = require "deskpilot.agent.information"

---@type deskpilot.tool
return information.tool {
  api = 1,
  name = "view_previous_screenshot",
  fresh = true,
  picture = true,
  description = "See the screen as it was at the look before this one. It cannot be pointed at.",
  run = function(ctx)
    local before = ctx.run.goal.before
    if not before then return errors.fail("unavailable", "there was no look before this one") end
    return information.picture(ctx, before.shot, "the screen as it was at the look before")
  end,
}
