local fields = require "deskpilot.agent.fields"
local page_tools = require "deskpilot.agent.page_tools"

---@type deskpilot.tool
return {
  name = "browser_wait",
  description = "Wait until the page shows a text, is at an address, or, with neither, has nothing more to load.",
  parameters = fields.object({
    justification = fields.justification,
    text = { type = "string", minLength = 1, maxLength = 500, description = "Words that come to be on the page." },
    url = { type = "string", minLength = 1, maxLength = 2000, description = "A part of the address that it comes to." },
    seconds = { type = "number", minimum = 0.1, maximum = 60, description = "How long at the most; 10 if left out." },
  }, {}),
  anywhere = true,
  run = function(ctx, args)
    local tab, err = page_tools.tab(ctx)
    if not tab then return nil, err end
    local ok, failure = tab:wait_for { text = args.text, url = args.url, timeout = args.seconds or 10,
      idle = not (args.text or args.url) or nil }
    if not ok then return nil, failure end
    return "waited until " .. (args.text and ("the page shows %q"):format(args.text)
      or args.url and ("the page is at %s"):format(args.url) or "the page is at rest")
  end,
}
