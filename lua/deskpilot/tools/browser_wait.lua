local fields = require "deskpilot.agent.fields"
local page_tools = require "deskpilot.agent.page_tools"

---@type deskpilot.tool
return {
  api = 1,
  name = "browser_wait",
  group = "browser",
  description = "Wait until the page shows a text, is at an address, or, with neither, has nothing more to load.",
  options = {
    seconds = { type = "number", default = 10, min = 0.1, max = 60,
      about = "how long it waits at the most, where the model does not say" },
  },
  parameters = function(config)
    return fields.object {
      { name = "text", optional = true, type = "string", minLength = 1, maxLength = 500,
        description = "Words that come to be on the page." },
      { name = "url", optional = true, type = "string", minLength = 1, maxLength = 2000,
        description = "A part of the address that it comes to." },
      { name = "seconds", optional = true, type = "number", minimum = 0.1, maximum = 60,
        description = ("How long at the most; %g if left out."):format(config:get("browser_wait.seconds")) },
    }
  end,
  anywhere = true,
  run = function(ctx, args)
    local tab, err = page_tools.tab(ctx)
    if not tab then return nil, err end
    local ok, failure = tab:wait_for { text = args.text, url = args.url,
      timeout = args.seconds or ctx.config:get("browser_wait.seconds"), idle = not (args.text or args.url) or nil }
    if not ok then return nil, failure end
    return "waited until " .. (args.text and ("the page shows %q"):format(args.text)
      or args.url and ("the page is at %s"):format(args.url) or "the page is at rest")
  end,
}
