local fields = require "deskpilot.agent.fields"

---@type deskpilot.tool
return {
  api = 1,
  name = "open_app",
  group = "apps",
  description = "Open an application by its name, and wait until it can be used. One that runs already is brought to "
    .. "the front, if it is of the kind that runs once.",
  parameters = fields.object {
    { name = "name", type = "string", minLength = 1, maxLength = 100, description = "Name of the application." },
  },
  anywhere = true,
  touches = function(_, args) return { application = args.name } end,
  run = function(ctx, args)
    local window, how = ctx.desk.apps.open_app(args.name)
    if not window then return nil, how end
    return ("%s; its window is %q"):format(how == "running" and "it ran already" or "started", window.title)
  end,
}
