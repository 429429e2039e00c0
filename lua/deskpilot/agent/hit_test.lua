--- Which element is at a pixel of the screen, and which has the keyboard's focus: as the latest observation has it
--- where nothing has been done since, else as the applications say now.
local find = require "deskpilot.desk.elements.find"
local observation = require "deskpilot.agent.observation"
local places = require "deskpilot.desk.elements.places"
local rects = require "deskpilot.desk.picture.rect"
local task = require "deskpilot.base.task"

local hit_test = {}

local ASKING = 1 -- seconds that the applications have
local AGAIN = 0.02 -- seconds between two questions

-- A window that has come up is asked so often at least, and for so many seconds at most: on a busy machine a second is
-- over after a few questions.
local QUESTIONS, LONGEST = 25, 4

local fresh = setmetatable({}, { __mode = "k" }) -- by the run: table<window id, task.now()>

--- What is told of an element, of an application or of a page.
---@class deskpilot.touched_element
---@field role string
---@field name string
---@field states table<string, boolean>
---@field x integer? pixels of the screen, as width and height; all four are nil where no window shows it
---@field y integer?
---@field width integer?
---@field height integer?
---@field number integer? by which the model was shown it
---@field page boolean? whether it is an element of a web page

--- An element as it is told of.
---@param element deskpilot.seen_element|deskpilot.page_element
---@param unnumbered boolean? it has no number that the model was shown
---@return deskpilot.touched_element
function hit_test.told(element, unnumbered)
  local on_page = element.in_view ~= nil
  local place, number = element, element.number
  if on_page then place, number = element.box or {}, element.index end
  return { role = element.role, name = element.name, states = element.states, page = on_page or nil, x = place.x,
    y = place.y, width = place.width, height = place.height, number = not unnumbered and number or nil }
end

-- The smallest of a page's elements that hold a pixel: it lies in the others.
local function on_page(page, x, y)
  local best
  for _, element in ipairs(page.elements) do
    local box = element.in_view and element.box
    if box and rects.contains(box, x, y)
      and not (best and best.box.width * best.box.height <= box.width * box.height) then
      best = element
    end
  end
  return best
end

--- The innermost element of an application that has the focus: it comes last.
---@param list deskpilot.element[]
---@param pid integer
---@return deskpilot.element?
function hit_test.focused_in(list, pid)
  local found
  for _, element in ipairs(list) do
    if element.states.focused and element.pid == pid then found = element end
  end
  return found
end

--- The element of a page that has the focus.
---@param page deskpilot.page
---@return deskpilot.page_element?
function hit_test.focused_on_page(page)
  for _, element in ipairs(page.elements) do
    if element.index == page.focus then return element end
  end
end

-- What is in a window: `page`, what its application reports (`list`), all windows, and `live` where that was asked just
-- now, so that nothing in it has a number. What an observation says of it is still true where nothing was done since,
-- and where the window is the one that it was.
local function as_seen(run, seen, window, was, anyway)
  local same = window ~= nil and was ~= nil and was.id == window.id
  local current = same and seen.at ~= nil and not (run.acted and run.acted > seen.at)
  if not (current or anyway) then return nil end
  return { page = was and seen.window and was.id == seen.window.id and seen.page or nil, windows = seen.windows,
    list = function() return seen.tree or seen.elements end }
end

--- What an application says within a short time; nil where it does not.
---@param fn fun(): any asks it
---@return any
function hit_test.ask(fn)
  local done, value = task.limit(ASKING, function()
    task.sleep(0) -- from here on a task of its own, which can be cancelled
    return fn()
  end)
  return done and value or nil
end

local ask = hit_test.ask

local function as_it_is(run, window)
  local page = ask(function()
    local tab = observation.tab(run.desk, window)
    return tab and tab:observe { max_elements = run.config:get "observe.max_page_elements", max_text = 0, keep = false }
  end)
  return { page = page, windows = run.desk.windows.list(), live = true, list = function()
    return ask(function()
      return run.desk.elements.list { pid = window.pid ~= 0 and window.pid or nil, bare = true }
    end)
  end }
end

local function screen(run, seen, window, was, only_seen)
  local known = seen and as_seen(run, seen, window, was, only_seen)
  if known or only_seen or not window then return known end
  return as_it_is(run, window)
end

--- The topmost window at a pixel of the screen. A menu or a tooltip is no window: it is the one behind it.
---@param windows deskpilot.window[]? bottom to top
---@param x integer
---@param y integer
---@return deskpilot.window?
function hit_test.window(windows, x, y)
  for i = windows and #windows or 0, 1, -1 do
    local window = windows[i]
    if window.visible and not window.minimized and rects.contains(window, x, y) then return window end
  end
end

--- The innermost element at a pixel.
---@param run deskpilot.run
---@param seen deskpilot.observation?
---@param window deskpilot.window? the one at that pixel
---@param x integer
---@param y integer
---@param only_seen boolean? nothing is asked: it is too late for that
---@return deskpilot.touched_element?
function hit_test.element(run, seen, window, x, y, only_seen)
  local now = screen(run, seen, window, seen and hit_test.window(seen.windows, x, y), only_seen)
  if not now then return nil end
  local found = now.page and now.page.viewport and on_page(now.page, x, y)
  if not found then
    local list = now.list()
    found = list and now.windows and places.at(list, now.windows, x, y, find.frame)
  end
  return found and hit_test.told(found, now.live) or nil
end

-- When the focus was first asked for in a window that has come up since the last look; nil of any other. It may be
-- there before its application has told what in it has the focus.
local function came_up(run, seen, window)
  for _, one in ipairs(seen and seen.windows or { window }) do
    if one.id == window.id then return nil end
  end
  local since = fresh[run] or {}
  fresh[run] = since
  since[window.id] = since[window.id] or task.now()
  return since[window.id]
end

local function focused_now(run, seen, window, only_seen)
  local now = screen(run, seen, window, seen and seen.window, only_seen)
  if not (now and window) then return nil end
  local found = now.page and hit_test.focused_on_page(now.page) or hit_test.focused_in(now.list() or {}, window.pid)
  return found and hit_test.told(found, now.live) or nil
end

--- The element that has the keyboard's focus in the active window. A window that has come up since the last look is
--- given ASKING seconds, once, to tell, and longer where it answers slowly.
---@param run deskpilot.run
---@param seen deskpilot.observation?
---@param window deskpilot.window? the active one
---@param only_seen boolean? as above
---@return deskpilot.touched_element?
function hit_test.focused(run, seen, window, only_seen)
  local since = window and not only_seen and came_up(run, seen, window)
  local questions = 0
  while true do
    local found = focused_now(run, seen, window, only_seen)
    questions = questions + 1
    local enough = questions < QUESTIONS and LONGEST or ASKING
    if found or not since or task.now() >= since + enough then return found end
    task.sleep(AGAIN)
  end
end

return hit_test
