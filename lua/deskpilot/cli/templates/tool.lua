-- Something that a model may do. Every policy that offers the group below offers it; docs/CONTRIBUTING.md has what else
-- may stand here.
local fields = require "deskpilot.agent.fields"

---@type deskpilot.tool
return {
  api = 1,
  name = "example",
  group = "waiting", -- which policies offer it: pointing, typing, browser, apps, waiting, looking, finish, user
  description = "Wait until a window with this title is there.", -- what the model is told
  parameters = fields.object {
    { name = "title", type = "string", minLength = 1, description = "A part of the window's title." },
    { name = "seconds", type = "number", minimum = 0.1, maximum = 60, optional = true,
      description = "How long at the most." },
  },
  -- ctx.desk is the desktop, ctx.run the run. It returns what was done, in words, or nil and why not.
  run = function(ctx, args)
    local window, err = ctx.desk.wait_for_window { title = args.title, timeout = args.seconds or 10 }
    if not window then return nil, err end
    return ("the window %q is there"):format(window.title)
  end,
}
