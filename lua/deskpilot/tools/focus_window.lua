local fields = require "deskpilot.agent.fields"

---@type deskpilot.tool
return {
  api = 1,
  name = "focus_window",
  group = "apps",
  description = "Bring a window to the front, so that it gets what is typed.",
  parameters = fields.object {
    { name = "title", type = "string", minLength = 1, maxLength = 200, description = "A part of the window's title." },
  },
  anywhere = true,
  touches = function(ctx, args) return { window = (ctx.desk.windows.find { title = args.title }) } end,
  run = function(ctx, args)
    local window, err = ctx.desk.windows.find { title = args.title }
    if not window then return nil, err end
    local ok, failure = ctx.desk.windows.focus(window)
    if not ok then return nil, failure end
    return ("the window %q is in front"):format(window.title)
  end,
}
