local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"
local page_tools = require "deskpilot.agent.page_tools"

---@type deskpilot.tool
return {
  api = 1,
  name = "browser_dialog",
  group = "browser",
  description = "Answer the dialog that holds the page up.",
  parameters = fields.object {
    { name = "accept", type = "boolean", description = "true for OK, false for Cancel." },
    { name = "text", optional = true, type = "string", maxLength = 1000,
      description = "What a prompt is to be given." },
  },
  repeatable = false,
  lasting = function(args) return args.accept end,
  run = function(ctx, args)
    local tab, err = page_tools.tab(ctx)
    if not tab then return nil, err end
    local dialog = tab:dialog()
    if not dialog then return errors.fail("not_found", "no dialog is open on the page") end
    local ok, failure
    if args.accept then ok, failure = tab:accept_dialog(args.text) else ok, failure = tab:dismiss_dialog() end
    if not ok then return nil, failure end
    return ("answered the %s %q with %s"):format(dialog.type, dialog.message, args.accept and "OK" or "Cancel")
  end,
}
