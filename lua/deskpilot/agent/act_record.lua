--- What an action hits, written down so that another run can find it again: the element with what it is inside of, the
--- window, the place and a picture of it. `action_result` tells it as `hit`, and `settled` what has become of it.
local errors = require "deskpilot.base.errors"
local hit_test = require "deskpilot.agent.hit_test"
local rects = require "deskpilot.desk.picture.rect"
local text = require "deskpilot.base.text"

-- What few runs need is loaded by those that do.
local function page_script() return require "deskpilot.desk.browser.page" end

local act_record = {}

local longest = 2000 -- characters of a value
local margin, largest, around = 4, { 320, 120 }, { 96, 48 } -- pixels of the picture of a place

-- Of a page only what can hold a value is read again after the action: reading costs a look at the page.
local holds_value = { textbox = true, searchbox = true, combobox = true, checkbox = true, radio = true, switch = true,
  spinbutton = true, slider = true }

local kept_states = { "checked", "selected", "expanded", "pressed", "focused" }

--- Whether what an element holds is secret: a field for passwords.
---@param element { role: string, states: table<string, boolean> }
---@return boolean
function act_record.is_secret(element)
  return element.states.protected == true or element.role:find("password", 1, true) ~= nil
end

local is_secret = act_record.is_secret

local function states_of(element)
  local on = {}
  for _, name in ipairs(kept_states) do
    if element.states[name] then on[#on + 1] = name end
  end
  return #on > 0 and on or nil
end

-- What an element holds; nothing of a secret field.
local function value_of(element)
  if is_secret(element) then return nil end
  local value = element.text or element.value
  return value ~= nil and text.cut(tostring(value), longest) or nil
end

local function is_same(element, told)
  local box = element.box or element
  return element.role == told.role and element.name == told.name and (box.x == told.x and box.y == told.y
    or element.box == nil and element.in_view ~= nil)
end

local function find(list, told)
  for _, element in ipairs(list or {}) do
    if told.number and told.page and element.index == told.number then return element end
    if not (told.page and told.number) and is_same(element, told) then return element end
  end
end

-- The element as it was read, and the list that it is of: the latest look's, or else what is there now.
local function read(run, told, window)
  local seen = run.observation
  if told.page then
    local list = seen and seen.page and seen.page.elements
    return find(list, told), list
  end
  local found = seen and find(seen.tree, told)
  if found then return found, seen.tree end
  local list = window and hit_test.ask(function()
    return run.desk.elements.list { pid = window.pid ~= 0 and window.pid or nil }
  end)
  return list and find(list, told), list
end

-- The ancestors, the outermost first: the application, its window, what is in it.
local function path_of(list, element)
  local path, above = {}, list[element.parent or 0]
  while above do
    table.insert(path, 1, { role = above.role, name = text.cut(above.name, 200) })
    above = list[above.parent or 0]
  end
  return path
end

--- The element of a window that an element of a complete list is in: its outermost ancestor below the application.
---@param list deskpilot.element[]
---@param element deskpilot.element
---@return deskpilot.element
function act_record.top(list, element)
  local top = element
  while top.depth > 1 and list[top.parent or 0] do top = list[top.parent] end
  return top
end

-- Which of those with its role and name in its window it is, from 1; nil where there is no other.
local function place_among(list, element)
  local count, nth = 0, nil
  local top = not element.in_view and element.depth and act_record.top(list, element)
  for _, other in ipairs(list) do
    local alike = other.role == element.role and other.name == element.name and other.frame == element.frame
    if alike and (not top or act_record.top(list, other) == top) then
      count = count + 1
      if other == element then nth = count end
    end
  end
  return count > 1 and nth or nil
end

-- What was told of an element, and where it was read, in which list.
local function record_of(told, element, list)
  local record = { role = told.role, name = text.cut(told.name, 200), page = told.page, states = states_of(told),
    secret = is_secret(told) or nil }
  if not element then return record end
  record.app, record.value, record.frame = element.app, value_of(element), element.frame
  record.nth = place_among(list, element)
  if element.depth then record.path = path_of(list, element) end
  return record
end

local function element_record(run, told, window)
  local element, list = read(run, told, window)
  return record_of(told, element, list), element
end

local function window_record(application, window)
  return { title = window.title, class = window.class, app = application, x = window.x, y = window.y,
    width = window.width, height = window.height }
end

--- What would be written down of an act at a place, its picture aside: for who only looks at it.
---@param at { x: integer, y: integer } pixel of the screen
---@param window deskpilot.window?
---@param application string? of the window
---@param element deskpilot.element?
---@param list deskpilot.element[] that the element is of
---@return table record
function act_record.of_place(at, window, application, element, list)
  return { at = at, window = window and window_record(application, window),
    element = element and record_of(hit_test.told(element, true), element, list) }
end

-- The part of the screen that a picture of the place shows: the element where it is small, else what is around the
-- point.
local function crop_area(run, point, place, window)
  local area
  if place and place.width <= largest[1] and place.height <= largest[2] then
    area = { x = place.x - margin, y = place.y - margin, width = place.width + 2 * margin,
      height = place.height + 2 * margin }
  elseif point then
    area = { x = point.x - around[1] // 2, y = point.y - around[2] // 2, width = around[1], height = around[2] }
  end
  local screen = area and run.desk.screen.size()
  area = screen and rects.intersection(area, screen)
  return area and window and rects.intersection(area, window) or area -- what is behind the window may be another
end

-- The part of the picture `from`, where there is one and it shows each pixel of the screen; else of the screen now.
local function picture_of(run, area, from)
  if not from then return run.desk.screen.shot { region = area, cursor = false } end
  local place = from.width == from.frame.width and from:from_screen(area)
  return place and from:crop(place)
end

local function keep_crop(run, record, window, from)
  local area = crop_area(run, record.at, record.place, window)
  local shot = area and picture_of(run, area, from)
  if not shot then return end
  local name = ("screenshots/act_%04d.png"):format(run.actions)
  local bytes = shot:encode { format = "png" }
  shot.native:close()
  if not (bytes and run.dir:save(name, bytes)) then return end
  record.crop = name
  record.crop_at = record.at and { record.at.x - area.x, record.at.y - area.y } or nil
end

-- Where a page is, without what changes from one visit to the next.
local function page_record(seen, told)
  local page = told and told.page and seen and seen.page
  return page and { title = text.cut(page.title, 200), url = text.cut(page.url, 2000) } or nil
end

local function describe(run, action)
  local told, window, point = action.element, action.window, action.point
  if not (told or window) then return nil end
  local record, element = { at = point, screenshot = run.observation and run.observation.path }, nil
  if told then record.element, element = element_record(run, told, window) end
  if window then record.window = window_record(action.application, window) end
  record.page = page_record(run.observation, told)
  if told and told.x then record.place = { x = told.x, y = told.y, width = told.width, height = told.height } end
  keep_crop(run, record, window, action.picture)
  local drop = action.drop
  if drop then
    record.drop = { at = drop.point, element = drop.element and element_record(run, drop.element, drop.window) or nil,
      window = drop.window and window_record(drop.application, drop.window) or nil }
  end
  return record, element
end

-- Nothing that goes wrong in writing down may change what is done.
local function try(fn, ...)
  local ok, value, more = pcall(fn, ...)
  if not ok and errors.interrupts(value) then error(value, 0) end
  if ok then return value, more end
end

--- An action's tool is about to run: what it hits, in `action_result` as `hit`.
---@param run deskpilot.run
---@param action deskpilot.action `picture`: the screen before it, of an act that a person has done
---@return table? record, table? element the element as it was read, for `after`
function act_record.before(run, action)
  if run.recording or not run.dir then return nil end
  return try(describe, run, action)
end

local function now_of(run, record, element)
  if not record.element.page then return (run.desk.elements.refresh(element)) end
  if not holds_value[element.role] then return nil end
  local now = hit_test.ask(function() return page_script().contents(element) end)
  if now then return now end
  local tab = run.observation and run.observation.tab -- another element may have taken its place
  local page = tab and hit_test.ask(function()
    return tab:observe { max_elements = run.config:get "observe.max_page_elements", max_text = 0, keep = false }
  end)
  local nth = record.element.nth or 1
  for _, other in ipairs(page and page.elements or {}) do
    if other.role == element.role and other.name == element.name and other.frame == element.frame then
      nth = nth - 1
      if nth == 0 then return other end
    end
  end
end

local function changes(run, record, element)
  local now = element and now_of(run, record, element)
  local window = run.desk.windows.active()
  return { value = now and value_of(now), states = now and states_of(now),
    window = window and { title = window.title, class = window.class } or nil }
end

--- The screen has settled after the action: what has become of what it hit, in `settled` as `after`.
---@param run deskpilot.run
---@param record table? as `before` gave it
---@param element table?
---@return table?
function act_record.after(run, record, element)
  if not record then return nil end
  return (try(changes, run, record, element))
end

return act_record
