--- What a step of a replayed run acts on, as data in the mission's file, and where that is on the screen now: an
--- element by what is still true of it, else a picture, else a place in a window. The window is always told by its
--- application and by what kind of window it is, and nothing is found in any other.
local act_record = require "deskpilot.agent.act_record"
local errors = require "deskpilot.base.errors"
local find = require "deskpilot.desk.elements.find"
local hit_test = require "deskpilot.agent.hit_test"
local places = require "deskpilot.desk.elements.places"
local replay_shape = require "deskpilot.replay.shape"
local text = require "deskpilot.base.text"

local replay_target = {}

---@class deskpilot.replay.target
---@field app string? the application whose window it is in
---@field window string? what kind of window: the role of its element, such as "frame" or "dialog"
---@field title string? of several such windows the one with this title is preferred
---@field page string? of an element of a page: where the page is, digits as `#`
---@field role string? of the element
---@field name string?
---@field nth integer? which of those with this role and name in the window, from 1
---@field frame string? of an element of a page: the frame that it is in
---@field focus boolean? for keys: the element is not pointed at, but has the keyboard's focus
---@field picture string? a file: what the place looks like
---@field spot integer[]? the pixel of that picture that is meant
---@field at number[]? a place in the window, in thousandths of its width and height; of a picture: where it was

-- Elements that only hold others, or are painted by their program: what is clicked in them is not they themselves.
local holders = { application = true, frame = true, dialog = true, window = true, panel = true, filler = true,
  canvas = true, ["drawing area"] = true, ["scroll pane"] = true, viewport = true, section = true, image = true,
  document = true, ["document web"] = true, ["document frame"] = true, ["layered pane"] = true, ["root pane"] = true,
  ["split pane"] = true, table = true, tree = true, ["tree table"] = true, list = true, terminal = true,
  unknown = true, pane = true, custom = true, group = true, grouping = true, ["redundant object"] = true,
  generic = true, graphic = true }

--- Where a page is, as it is the same in each run: its path, with # in place of digits.
---@param url string?
---@return string?
function replay_target.page(url)
  local rest = url and url:match "^%a[%w+.-]*://[^/]*([^?#]*)"
  if not rest then return nil end
  return (rest == "" and "/" or rest):gsub("%d+", "#")
end

--- The application of a window, as an action tells it.
---@param window deskpilot.window
---@return string?
function replay_target.application(window)
  local program = text.after_last(window.executable or "", "/\\")
  return program ~= "" and (program:gsub("%.[eE][xX][eE]$", "")) or window.class ~= "" and window.class or nil
end

local function is_specific(element)
  return not holders[element.role] and (element.name ~= "" or not element.role:find "label")
end

local function in_window(at, window)
  return { (at.x - window.x) * 1000 // window.width, (at.y - window.y) * 1000 // window.height }
end

--- The target of an act, by what was written down of it.
---@param hit table as act_record.before gives it
---@param end_ boolean? that of a drag's end
---@param any boolean? also an element that only holds or says something: it is looked at, not acted on
---@return deskpilot.replay.target? nil where nothing is known of it
function replay_target.of(hit, end_, any)
  local part = end_ and hit.drop or hit
  local element, at, window = part.element, part.at, part.window or hit.window
  if not window then return nil end
  local target = { app = window.app, title = window.title ~= "" and window.title or nil }
  local path = element and element.path
  target.window = path and path[2] and path[2].role or path and element.role or nil
  local pointed = at ~= nil or element and element.page
  if element and (is_specific(element) or not pointed or any) then
    target.role, target.name, target.nth, target.frame = element.role, element.name, element.nth, element.frame
    target.page = element.page and hit.page and replay_target.page(hit.page.url) or nil
    if target.page then target.title = nil end -- the page says it better
    target.focus = not pointed or nil
    return target
  end
  if at and window.width > 0 and window.height > 0 then target.at = in_window(at, window) end
  return target
end

-- --- on the screen now ----------------------------------------------------------------------------------------------

local function same_app(window, target)
  return target.app == nil or (replay_target.application(window) or ""):lower() == target.app:lower()
end

-- The role of a window's element; nil where its program reports none.
local function role_of(seen, window)
  local frame = seen.tree and find.frame(seen.tree, window)
  return frame and frame.role
end

local function fits(seen, window, target)
  if not (window and window.visible and not window.minimized and same_app(window, target)) then return false end
  local role = target.window and role_of(seen, window)
  return not role or role == target.window
end

local function say_window(target)
  return ("%s of the application %s"):format(target.window and "window (" .. target.window .. ")" or "window",
    tostring(target.app))
end

-- The window that a place or a picture is in, and the topmost of those that fit first.
local function window_of(seen, target)
  local best
  for i = #seen.windows, 1, -1 do
    local window = seen.windows[i]
    if fits(seen, window, target) and not (best and window.title ~= target.title) then
      if window.title == target.title then return window end
      best = best or window
    end
  end
  if best then return best end
  return errors.fail("not_found", "there is no %s on the screen", say_window(target))
end

local function describe(target)
  local words = ("%s %q"):format(target.role, target.name or "")
  return target.nth and ("%s (number %d of those)"):format(words, target.nth) or words
end

local function nth_of(list, target)
  return list[target.nth or 1]
end

local function on_page(seen, target)
  local window = seen.window
  if not (window and same_app(window, target)) then
    return errors.fail("not_found", "the active window is not of %s", tostring(target.app))
  end
  if not seen.page then return errors.fail("not_found", "no page is in front") end
  local where = replay_target.page(seen.page.url)
  if where ~= target.page then
    return errors.fail("not_found", "the page in front is %s and not %s", tostring(where), target.page)
  end
  local alike = {}
  for _, element in ipairs(seen.page.elements) do
    if element.role == target.role and element.name == target.name and element.frame == target.frame then
      alike[#alike + 1] = element
    end
  end
  local found = nth_of(alike, target)
  if found then return found end
  return errors.fail("not_found", "there is no %s on the page", describe(target))
end

-- Of the windows that hold such elements: the one with the title, the active one, the first.
local function best_top(tops, target)
  for _, wanted in ipairs { function(top) return top.name == target.title and top.states.active end,
    function(top) return top.name == target.title end, function(top) return top.states.active end,
    function() return true end } do
    for _, entry in ipairs(tops) do
      if nth_of(entry.list, target) and wanted(entry.top) then return nth_of(entry.list, target) end
    end
  end
end

local function is_of(seen, element, target)
  for _, window in ipairs(seen.windows) do
    if window.pid ~= 0 and window.pid == element.pid then return same_app(window, target) end
  end
  return (element.app or ""):lower() == (target.app or ""):lower()
end

local function on_desktop(seen, target)
  local tops, by_top = {}, {}
  for _, element in ipairs(seen.tree or {}) do
    if element.role == target.role and element.name == target.name and element.depth > 0
      and is_of(seen, element, target) then
      local top = act_record.top(seen.tree, element)
      if target.window == nil or top.role == target.window then
        if not by_top[top] then
          by_top[top] = { top = top, list = {} }
          tops[#tops + 1] = by_top[top]
        end
        table.insert(by_top[top].list, element)
      end
    end
  end
  local found = best_top(tops, target)
  if found then return found end
  return errors.fail("not_found", "there is no %s in a %s", describe(target), say_window(target))
end

-- Whether an element of the desktop is the one of those alike that is meant.
local function is_nth(seen, element, target)
  if not target.nth or element.in_view ~= nil then return true end
  local top, count = act_record.top(seen.tree, element), 0
  for _, other in ipairs(seen.tree) do
    if other.role == element.role and other.name == element.name and act_record.top(seen.tree, other) == top then
      count = count + 1
      if other == element then return count == target.nth end
    end
  end
  return false
end

-- Keys go to the active window, and in it to what has the focus.
local function focused(seen, target)
  local window = seen.window
  if not (window and fits(seen, window, target)) then
    return errors.fail("not_found", "the active window is %s and no %s", window and ("%q of %s"):format(window.title,
      tostring(replay_target.application(window))) or "none", say_window(target))
  end
  if not target.role then return {} end
  local now = seen.page and target.page and hit_test.focused_on_page(seen.page)
    or hit_test.focused_in(seen.tree or {}, window.pid)
  if now and now.role == target.role and now.name == target.name and is_nth(seen, now, target) then return {} end
  return errors.fail("not_found", "the keyboard is in %s and not in the %s", now and find.label(now) or "nothing",
    describe(target))
end

-- Only where the window that is meant lies on top.
local function place_in(seen, window, x, y)
  local top = hit_test.window(seen.windows, x, y)
  if top and top.id == window.id then return { x = x, y = y } end
  return errors.fail("refused", "at %d, %d lies the window %q and not the %s", x, y, top and top.title or "",
    window.title)
end

-- The pixel of the screen where a target was, in its window as it is now.
local function place_of(window, target)
  return window.x + window.width * target.at[1] // 1000, window.y + window.height * target.at[2] // 1000
end

local function by_picture(desk, seen, target, file, otherwise)
  local window, err = window_of(seen, target)
  if not window then return nil, err end
  local hit, why = desk.screen.find_image(file, { window = window, min_score = 0.9 })
  if hit then
    local spot = target.spot or { hit.width // 2, hit.height // 2 }
    return place_in(seen, window, hit.x + spot[1], hit.y + spot[2])
  end
  if not (otherwise and target.at) then return nil, why end
  local x, y = place_of(window, target)
  local place, problem = replay_shape.in_window(desk, window, file, target.spot, x, y)
  if not place then return errors.fail("not_found", "%s; %s", tostring(why), tostring(problem)) end
  local found, refused = place_in(seen, window, place.x, place.y)
  if found then found.otherwise = true end
  return found, refused
end

local function by_place(seen, target)
  local window, err = window_of(seen, target)
  if not window then return nil, err end
  return place_in(seen, window, place_of(window, target))
end

--- Where a target is.
---@param desk deskpilot.desk
---@param seen deskpilot.observation the latest look
---@param target deskpilot.replay.target
---@param file fun(name: string): string the path of a picture
---@param otherwise boolean? a picture is looked for in other colours and sizes too
---@return { element: deskpilot.element?, page: deskpilot.page_element?, x: integer?, y: integer?,
---  otherwise: boolean? }? found `otherwise`: a picture that looks otherwise now
---@return deskpilot.error? err code "not_found": it may still come
function replay_target.find(desk, seen, target, file, otherwise)
  if target.focus or not (target.role or target.picture or target.at) then return focused(seen, target) end
  if target.page then
    local found, err = on_page(seen, target)
    return found and { page = found }, err
  elseif target.role then
    local found, err = on_desktop(seen, target)
    return found and { element = found }, err
  elseif target.picture then
    return by_picture(desk, seen, target, file(target.picture), otherwise)
  end
  return by_place(seen, target)
end

--- The window that an element of the desktop is in, where it is not the active one.
---@param seen deskpilot.observation
---@param element deskpilot.element
---@return deskpilot.window? window nil too for a menu and the like, which is no window of the window manager's
function replay_target.behind(seen, element)
  local top = act_record.top(seen.tree, element)
  for _, window in ipairs(seen.windows) do
    if not window.active and window.pid == element.pid and find.frame(seen.tree, window) == top then return window end
  end
end

--- The middle of what is in view of an element of the desktop.
---@param seen deskpilot.observation
---@param element deskpilot.element
---@return integer? x, integer? y nil where nothing of it is in view
function replay_target.middle(seen, element)
  local place = places.visible(seen.tree)[element.index]
  if place then return place.x + place.width // 2, place.y + place.height // 2 end
end

return replay_target
