local fields = require "deskpilot.agent.fields"
local files = require "deskpilot.base.files"
local page_tools = require "deskpilot.agent.page_tools"

---@type deskpilot.tool
return {
  api = 1,
  name = "browser_open",
  group = "browser",
  description = "Open an address in the browser, which is started if there is none, and wait until it has loaded.",
  parameters = fields.object {
    { name = "url", type = "string", minLength = 1, maxLength = 2000,
      description = "A whole address, with http:// or https://." },
  },
  anywhere = true,
  touches = function(_, args) return { url = args.url } end,
  check = function(ctx, args) return page_tools.address(ctx, args.url) end,
  run = function(ctx, args)
    local url, refused = page_tools.address(ctx, args.url)
    if not url then return nil, refused end
    local browser = page_tools.browser(ctx)
    if not browser then
      local err
      browser, err = ctx.desk.browser.start { downloads = files.join(ctx.run.dir.path, "downloads") }
      if not browser then return nil, err end
    end
    local tab, err = browser:tab()
    if not tab and err.code == "not_found" then tab, err = browser:new_tab() end
    if not tab then return nil, err end
    local visit, failure = tab:navigate(url)
    if not visit then return nil, failure end
    local window = tab:window()
    if window and not window.active then ctx.desk.windows.focus(window) end
    return "opened " .. page_tools.describe_visit(visit)
  end,
}
