--- What the tools of the desktop point at: an element by its number in the observation that the model was shown, or a
--- position in the picture of it. Elements are better: they are found where they are when the action is done, and one
--- that is no longer what was seen is `stale`.
local alike = require "deskpilot.agent.alike"
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local space = require "deskpilot.model.space"
local text = require "deskpilot.base.text"

-- What few runs need is loaded by those that do.
local function page_format() return require "deskpilot.agent.page_format" end
local function page_tools() return require "deskpilot.agent.page_tools" end

local targets = {}

--- The schema of an argument that is an element's number.
---@param name string
---@param what string
---@return table property as for fields.object
function targets.element(name, what)
  return { name = name, optional = true, type = "integer", minimum = 0, maximum = 100000,
    description = what .. ": its number in ELEMENTS. Prefer it to a position." }
end

--- The schema of an argument that is a position: a point of the picture as the model sees it. By its format the model
--- is told of it in its own space, and what it answers is converted (deskpilot.model.space).
---@param name string
---@param what string
---@return table property as for fields.object
function targets.position(name, what)
  return { name = name, optional = true, type = "array", format = "position", minItems = 2, maxItems = 2,
    items = { type = "number", minimum = 0, maximum = 1000 },
    description = ("%s as %s."):format(what, space.canonical:words "position") }
end

--- The schema of an argument that is a part of that picture.
---@param name string
---@param what string
---@return table property as for fields.object
function targets.box(name, what)
  return { name = name, optional = true, type = "array", format = "box", minItems = 4, maxItems = 4,
    items = { type = "number", minimum = 0, maximum = 1000 },
    description = ("%s, as %s."):format(what, space.canonical:words "box") }
end

--- An argument, nil where it is left out: a model may also send null.
---@param value any
---@return any
function targets.given(value)
  if value ~= json.null then return value end
end

local given = targets.given

--- Where a tool that points acts if it is told nothing: the middle of the screen as it is then.
---@return deskpilot.point
function targets.middle()
  return { x = 500, y = 500, frame = "norm" }
end

local function listed(seen)
  if #seen.elements == 0 then return "none is listed" end
  local first, last = math.huge, 0
  for _, element in ipairs(seen.elements) do
    first, last = math.min(first, element.number), math.max(last, element.number)
  end
  return ("[%d] to [%d] are listed"):format(first, last)
end

--- The element with that number in what the model was shown.
---@param ctx deskpilot.tool_context
---@param number integer
---@return deskpilot.seen_element? element, deskpilot.error? err
function targets.seen(ctx, number)
  local seen = ctx.observation
  if not seen then return errors.fail("unavailable", "nothing has been observed yet that a number could be of") end
  for _, element in ipairs(seen.elements) do
    if element.number == number then return element end
  end
  if seen.page and number < (seen.page.total or 0) then
    return errors.fail("not_found", "[%d] is an element of the page: use it as the `index` of the browser tools, such "
      .. "as browser_click; without these, point at it by its position", number)
  end
  return errors.fail("not_found", "there is no element [%d] in ELEMENTS: %s", number, listed(seen))
end

--- Whether a number is that of an element of the page: these come before those of the desktop.
---@param seen deskpilot.observation?
---@param number any
---@return boolean
function targets.is_of_page(seen, number)
  return seen ~= nil and seen.page ~= nil and type(number) == "number" and number < (seen.page.total or 0)
end

--- The check of a tool whose arguments point at something in one of two ways: one of them is given and not both, and
--- an element is one that was listed.
---@param ctx deskpilot.tool_context
---@param tool string the tool's name
---@param args table
---@param names { element: string, position: string, optional: boolean?, pages: boolean? } of the two arguments; pages:
---  the element may be one of the page
---@return boolean? ok, deskpilot.error? err
function targets.check(ctx, tool, args, names)
  local element, position = given(args[names.element]), given(args[names.position])
  if element and position or not (element or position or names.optional) then
    return errors.fail("invalid", "%s wants %s (a number in ELEMENTS) or %s ([x, y]), one of the two%s", tool,
      names.element, names.position, element and " and not both" or "")
  end
  if not element then return true end
  if names.pages and targets.is_of_page(ctx.observation, element) then
    return page_tools().check_index(ctx, { index = element })
  end
  local found, err = targets.seen(ctx, element)
  if not found then return nil, err end
  return true
end

local function point_at(ctx, position)
  if ctx.observation then return ctx.observation.shot:norm_point(position[1], position[2]) end
  return errors.fail("unavailable", "no screenshot has been taken yet that a position could be of: look first")
end

local function note_point(ctx, element)
  local x, y = ctx.observation.shot:to_norm(element.x + element.width // 2, element.y + element.height // 2)
  if x then ctx.point = { (x + 0.5) // 1, (y + 0.5) // 1 } end
end

--- `[5] push button "Save"`
---@param element deskpilot.seen_element
---@return string
function targets.element_name(element)
  return ("[%d] %s %s"):format(element.number, element.role, json.encode(text.cut(text.one_line(element.name), 80)))
end

--- What was pointed at, for desk.mouse, and in words. Of an element it is where it is now.
---@param ctx deskpilot.tool_context whose `element` and `point` then say what was meant
---@param element integer? its number
---@param position number[]? x and y, 0..1000
---@param pages boolean? whether it may be an element of the page
---@return deskpilot.point|deskpilot.element|deskpilot.page_element|nil target nil where neither is given
---@return string|deskpilot.error|nil words the error, such as code "stale", where something is given and target is nil
---@return deskpilot.tab? tab of an element of the page
function targets.find(ctx, element, position, pages)
  element, position = given(element), given(position)
  if not element then
    if not position then return nil end
    local point, why = point_at(ctx, position)
    if not point then return nil, why end
    ctx.point = position
    return point, targets.show(position)
  end
  if pages and targets.is_of_page(ctx.observation, element) then
    local found, tab = page_tools().element(ctx, element)
    if not found then return nil, tab end
    return found, page_format().element_name(found), tab
  end
  local seen, err = targets.seen(ctx, element)
  if not seen then return nil, err end
  ctx.element = ctx.element or alike.of(ctx.observation.elements, seen)
  local now, why = ctx.desk.elements.locate(seen)
  if not now then return nil, why end
  note_point(ctx, now)
  return now, targets.element_name(seen)
end

--- "[512, 300]" as people and the journal have it. A model reads it in its own space (history.lua).
---@param position number[] or a box
---@return string
function targets.show(position)
  return space.canonical:exact(position)
end

return targets
