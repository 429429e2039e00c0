--- What the tool `page` does, by the browser's tools.
local errors = require "deskpilot.base.errors"
local page_format = require "deskpilot.agent.page_format"

local page = {}

page.actions = { "open", "back", "forward", "reload", "read", "select", "accept", "dismiss", "new_tab", "next_tab",
  "close_tab" }

local acts = {}

function acts.open(desktop, args)
  if not args.url then return errors.fail("invalid", "open needs a url") end
  return desktop:act("browser_open", { url = args.url })
end

function acts.back(desktop) return desktop:act("browser_back", {}) end
function acts.forward(desktop) return desktop:act("browser_forward", {}) end
function acts.reload(desktop) return desktop:act("browser_reload", {}) end
function acts.accept(desktop, args) return desktop:act("browser_dialog", { accept = true, text = args.text }) end
function acts.dismiss(desktop) return desktop:act("browser_dialog", { accept = false }) end
function acts.new_tab(desktop, args) return desktop:act("browser_tab", { action = "new", url = args.url }) end
function acts.next_tab(desktop) return desktop:act("browser_tab", { action = "next" }) end
function acts.close_tab(desktop) return desktop:act("browser_tab", { action = "close" }) end

function acts.read(desktop, args)
  if args.text and args.text ~= "" then return desktop:act("browser_read", { after = args.text }) end
  local seen, err = desktop:observe()
  if not seen then return nil, err end
  if not seen.page then return errors.fail("unavailable", "no page is in front; open brings one") end
  return page_format.page(seen.page)
end

function acts.select(desktop, args)
  if not (args.element and args.text) then return errors.fail("invalid", "select needs an element and a text") end
  return desktop:act("browser_select", { index = args.element, option = args.text })
end

--- Does what a client has asked for.
---@param desktop deskpilot.mcp_desktop
---@param args table
---@return deskpilot.mcp_tool_result|string|nil result, deskpilot.error? err
function page.run(desktop, args)
  return acts[args.action](desktop, args)
end

return page
