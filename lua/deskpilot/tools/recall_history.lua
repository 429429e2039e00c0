local information = require "deskpilot.agent.information"

---@type deskpilot.tool
return information.tool {
  api = 1,
  name = "recall_history",
  fresh = true,
  description = "Read what was done before the steps in the message.",
  properties = {
    { name = "steps", optional = true, type = "integer", minimum = 1, maximum = 100,
      description = "How many of the latest; 20 if left out." },
    { name = "contains", optional = true, type = "string", minLength = 1, maxLength = 200,
      description = "Only those with this text." },
  },
  run = function(ctx, args)
    return ctx.run.history:recall(args.steps or 20, args.contains)
  end,
}
