--- desk.elements.locate: an element of an earlier list as it is now, for whoever was shown it and points at it later.
--- It has to be the same element, at the same place in its application's tree, and where it can be clicked.
local errors = require "deskpilot.base.errors"
local find = require "deskpilot.desk.elements.find"
local places = require "deskpilot.desk.elements.places"
local rects = require "deskpilot.desk.picture.rect"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local locate = {}

--- The elements that an element is inside of, as the handles from its parent up: what has moved to another parent has
--- another one. (Names change by themselves, as a window's title does while one types, and are no part of it.)
---@param list deskpilot.element[] a complete list
---@param element deskpilot.element of it
---@param known table<integer, string>? the same for all elements of a list: siblings have the same path
---@return string
function locate.path(list, element, known)
  local parent = element.parent or 0
  if known and known[parent] then return known[parent] end
  local handles, above = {}, list[parent]
  while above do
    handles[#handles + 1] = above.handle
    above = list[above.parent or 0]
  end
  local path = table.concat(handles, " ")
  if known then known[parent] = path end
  return path
end

local function stale(element, format, ...)
  return errors.fail("stale", "%s", ("the %s %s; nothing was done: look again"):format(find.label(element),
    format:format(...)))
end

local function same_one(list, element)
  for _, now in ipairs(list) do
    if now.handle == element.handle then return now end
  end
end

-- Why that process has not told of its elements, though nothing was too large to be read; nil where it has.
local function silence(list, pid)
  for _, app in ipairs(not list.truncated and list.apps or {}) do
    if app.pid == pid and app.note then return app.note end
  end
end

-- The elements of the element's application and, of them, the element: nil where it is not there, and why the
-- application has not told of it. A busy one is asked again for a while: what it did not tell of is not gone.
local function look_for(desk, element)
  local limit = task.now() + desk.timing.element_action
  while true do
    local list, err = desk.elements.list { pid = element.pid ~= 0 and element.pid or nil, bare = true }
    if not list then return nil, nil, err end
    local now = same_one(list, element)
    local why = not now and silence(list, element.pid) or nil
    if not why or task.now() >= limit then return list, now, why end
    task.sleep(desk.timing.wait_every)
  end
end

-- The window that lies over a point of the element, nil where none does. Menus and tooltips are above all windows.
local function covering(desk, list, element, x, y)
  local top, windows = element, desk.windows.list() or {}
  while top.depth > 1 and list[top.parent or 0] do top = list[top.parent] end
  local cover
  for i = #windows, 1, -1 do
    local window = windows[i]
    local own = find.frame(list, window) == top
    if own then return cover end
    if window.visible and not cover and rects.contains(window, x, y) then cover = window end
  end
  return nil -- no window of the window manager's
end

--- See desk.elements.locate.
---@param desk deskpilot.desk
---@param element deskpilot.element
---@return deskpilot.element? now, deskpilot.error? err
function locate.locate(desk, element)
  local list, now, why = look_for(desk, element)
  if not list then return nil, why end
  if not now and why then
    return errors.fail("timed_out", "the %s cannot be looked for: its application %s; nothing was done: try again when "
      .. "it is no longer busy", find.label(element), text.one_line(why))
  end
  if not now then return stale(element, "is gone") end
  if now.role ~= element.role or now.name ~= element.name then
    return stale(element, "is now the %s", find.label(now))
  end
  if element.path and element.path ~= locate.path(list, now) then
    return stale(element, "is now elsewhere in its application")
  end
  local place = places.visible(list)[now.index]
  if not place then return stale(element, "is no longer in view") end
  local cover = covering(desk, list, now, place.x + place.width // 2, place.y + place.height // 2)
  if cover then
    return errors.fail("refused", "%s", ("the %s is covered by the window '%s'; nothing was done: deal with that "
      .. "window first, or bring the element's own to the front"):format(find.label(element),
      text.cut(text.one_line(cover.title), 80)))
  end
  now.x, now.y, now.width, now.height = place.x, place.y, place.width, place.height
  return now
end

return locate
