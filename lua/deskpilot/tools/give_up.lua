local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"
local text = require "deskpilot.base.text"

local SHORTEST = 20 -- characters: "failed" tells nobody what to change

---@type deskpilot.tool
return {
  api = 1,
  name = "give_up",
  group = "finish",
  description = "Say that the mission cannot be done, and end it as failed. Only when other ways have been tried.",
  parameters = fields.object {
    { name = "reason", type = "string",
      description = "What stands in the way, as the screen shows it, what was tried, and what a person would have to "
        .. "change." },
  },
  anywhere = true,
  acts = false, -- nothing on the desktop changes, so there is nothing to settle
  run = function(ctx, args)
    local reason = text.one_line(args.reason)
    if #reason < SHORTEST then
      return errors.fail("invalid", "the reason has %d characters and needs at least %d: say what stands in the way, "
        .. "and what was tried", #reason, SHORTEST)
    end
    ctx.run:stop("failed", "the agent gave up: " .. reason)
    return "the mission has ended as failed"
  end,
}
