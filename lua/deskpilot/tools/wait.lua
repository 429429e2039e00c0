local fields = require "deskpilot.agent.fields"

---@type deskpilot.tool
return {
  api = 1,
  name = "wait",
  group = "waiting",
  description = "Do nothing until the screen changes or the time is up, while an application is working.",
  parameters = fields.object {
    { name = "seconds", type = "number", minimum = 0.1, maximum = 60, description = "How long at the most." },
  },
  anywhere = true,
  run = function(ctx, args)
    local changed, err = ctx.desk.wait_for_change { timeout = args.seconds }
    if changed == nil and err and err.code ~= "timed_out" then return nil, err end
    return changed and "waited until the screen changed"
      or ("waited %g s; nothing changed"):format(args.seconds)
  end,
}
