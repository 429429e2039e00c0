local errors = require "deskpilot.base.errors"
local exploring = require "deskpilot.agent.exploring"
local fields = require "deskpilot.agent.fields"
local page_format = require "deskpilot.agent.page_format"
local page_tools = require "deskpilot.agent.page_tools"
local targets = require "deskpilot.agent.targets"

-- An element of the page in front, and its tab.
local function on_page(ctx, index)
  local element, tab = page_tools.element(ctx, index)
  if not element then return nil, tab end
  if element.in_view and element.box then return element, tab end
  return errors.fail("refused", "[%d] is not in view: bring it there with browser_scroll first", index)
end

local function may_be_focused(element)
  local states = element.states or {}
  return states.editable or states.focusable and element.role ~= "link" and not element.role:find "button"
end

local no_field = "only a field can be given the focus to look at it"

-- What is done with an element of a page, with one of the desktop, and with a mere place.
local acts = {}

acts.hover = { page = function(ctx, element) return ctx.desk.mouse.hover(element.box) end,
  desktop = function(ctx, target) return ctx.desk.mouse.hover(target) end }

acts.info = { page = function(_, element, tab) return tab:click(element) end,
  desktop = function(ctx, target) return ctx.desk.mouse.click(target) end }

acts.open_menu = acts.info

acts.focus = {
  page = function(_, element, tab)
    if not may_be_focused(element) then return errors.fail("refused", no_field) end
    return tab:click(element)
  end,
  desktop = function(ctx, target)
    if not (target.handle and may_be_focused(target)) then return errors.fail("refused", no_field) end
    return ctx.desk.elements.focus(target)
  end }

-- Does it; what was acted on, in words.
local function act(ctx, args)
  local index = targets.given(args.index)
  local target, tab, words
  if index then target, tab = on_page(ctx, index)
  else target, words = targets.find(ctx, args.element, args.position) end
  if not target then return nil, tab or words end
  local ok, err = acts[args.how][index and "page" or "desktop"](ctx, target, tab)
  if not ok then return nil, err end
  return words or page_format.element_name(target)
end

---@type deskpilot.tool
return {
  api = 1,
  name = "explore",
  group = "exploring",
  description = "Find out what something is without doing it: hover over it, open its menu, give a field the focus, or "
    .. "click an info icon. Where that leads elsewhere it is undone, and you are told. The last command of its batch.",
  parameters = fields.object {
    { name = "how", type = "string", enum = { "hover", "open_menu", "focus", "info" } },
    fields.optional(page_tools.index),
    targets.element("element", "Or of the desktop"),
    targets.position("position", "Or else the place"),
  },
  check = function(ctx, args)
    local given = 0
    for _, name in ipairs { "index", "element", "position" } do
      if targets.given(args[name]) ~= nil then given = given + 1 end
    end
    if given ~= 1 then return errors.fail("invalid", "explore wants index, element or position, one of them") end
    return page_tools.check_index(ctx, args)
  end,
  run = function(ctx, args)
    local before = exploring.before(ctx)
    local what, err = act(ctx, args)
    if not what then return nil, err end
    return ("explored %s by %s: %s"):format(what, args.how, exploring.after(ctx, before))
  end,
}
