local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"
local page_tools = require "deskpilot.agent.page_tools"
local page_format = require "deskpilot.agent.page_format"

local by = { down = { 0, 0.8 }, up = { 0, -0.8 }, right = { 0.8, 0 }, left = { -0.8, 0 } } -- of what is in view

---@type deskpilot.tool
return {
  api = 1,
  name = "browser_scroll",
  group = "browser",
  description = "Scroll the page: most of a screen in a direction, or until an element is in view.",
  parameters = fields.object {
    { name = "direction", optional = true, type = "string", enum = { "down", "up", "left", "right" },
      description = "Where to." },
    fields.optional(page_tools.index),
  },
  check = function(ctx, args)
    if (args.direction == nil) == (args.index == nil) then
      return errors.fail("invalid", "browser_scroll wants a direction or an index, one of the two")
    end
    return page_tools.check_index(ctx, args)
  end,
  run = function(ctx, args)
    if args.index then
      local element, tab = page_tools.element(ctx, args.index)
      if not element then return nil, tab end
      local ok, err = tab:scroll_to(element)
      if not ok then return nil, err end
      return page_format.element_name(element) .. " is in view"
    end
    local tab, err = page_tools.tab(ctx)
    if not tab then return nil, err end
    local page, failure = tab:observe { max_elements = 0, max_text = 0 }
    if not page then return nil, failure end
    local part = by[args.direction]
    local ok
    ok, err = tab:scroll { dx = page.viewport.width * part[1] // 1, dy = page.viewport.height * part[2] // 1 }
    if not ok then return nil, err end
    return "scrolled " .. args.direction
  end,
}
