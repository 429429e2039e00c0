local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"
local page_tools = require "deskpilot.agent.page_tools"
local page_format = require "deskpilot.agent.page_format"

local acts = {}

function acts.new(browser, _, url)
  local tab, err = browser:new_tab(url)
  if not tab then return nil, err end
  local ok, failure = tab:activate()
  if not ok then return nil, failure end
  return tab
end

function acts.close(browser, tab)
  local ok, err = tab:close()
  if not ok then return nil, err end
  return browser:tab()
end

acts["next"] = function(browser, tab)
  local tabs, err = browser:tabs()
  if not tabs then return nil, err end
  if #tabs < 2 then return errors.fail("not_found", "the browser has no other tab") end
  for i, other in ipairs(tabs) do
    if other == tab then
      local following = tabs[i % #tabs + 1]
      local ok, failure = following:activate()
      if not ok then return nil, failure end
      return following
    end
  end
  return errors.fail("not_found", "the tab has gone")
end

---@type deskpilot.tool
return {
  api = 1,
  name = "browser_tab",
  group = "browser",
  description = "Open a new tab, close the one in front, or go to the next one.",
  parameters = fields.object {
    { name = "action", type = "string", enum = { "new", "close", "next" }, description = "What to do." },
    { name = "url", optional = true, type = "string", minLength = 1, maxLength = 2000,
      description = "The address for a new tab." },
  },
  repeatable = false,
  touches = function(_, args) return { url = args.url } end,
  lasting = function(args) return args.action == "close" end,
  check = function(ctx, args)
    if not args.url then return true end
    if args.action ~= "new" then return errors.fail("invalid", "only a new tab takes an address") end
    return page_tools.address(ctx, args.url)
  end,
  run = function(ctx, args)
    local tab, err = page_tools.tab(ctx)
    if not tab then return nil, err end
    local url, refused
    if args.url then
      url, refused = page_tools.address(ctx, args.url)
      if not url then return nil, refused end
    end
    local now, failure = acts[args.action](tab.browser, tab, url)
    if not now then return nil, failure end
    local info = now:info() or {}
    return ("%s; in front is %s"):format(({ new = "opened a tab", close = "closed the tab",
      next = "went to the next tab" })[args.action], page_format.title_and_url(info.title, info.url))
  end,
}
