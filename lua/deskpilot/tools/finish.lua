local fields = require "deskpilot.agent.fields"

---@type deskpilot.tool
return {
  api = 1,
  name = "finish",
  group = "touch",
  ends = true,
  description = "Say that the whole task is done. Only when the screen shows it: the claim is checked.",
  parameters = fields.object {
    { name = "reason", type = "string", minLength = 1, maxLength = 4000,
      description = "What is on the screen now that shows that it is done." },
  },
  anywhere = true,
  acts = false, -- nothing on the desktop changes, so there is nothing to settle
  run = function(ctx, args) return ctx.run:claim(args.reason) end,
}
