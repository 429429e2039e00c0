--- What calls that were chosen together assume of the screen, and whether it still holds before each of them: the
--- window, the page and what lies on top (screen_state.lua); what lies under a position that is pointed at; and where
--- the keyboard's focus is. An element that is given by its number is compared by its tool, which calls it `stale`.
local rects = require "deskpilot.desk.picture.rect"
local hit_test = require "deskpilot.agent.hit_test"
local observation = require "deskpilot.agent.observation"
local screen_state = require "deskpilot.agent.screen_state"
local targets = require "deskpilot.agent.targets"
local text = require "deskpilot.base.text"

local assumptions = {}

local around = 12      -- pixels of the screen on each side of a target that are compared
local tolerance = 32   -- of a channel, 0..255: shades of the same thing, and what JPEG makes of it
local most_changed = 0.25 -- share of these pixels; a caret or the edge of a field that has the focus is less
local pointer_size = 32   -- pixels; the pointer is in the picture that the model was shown

---@class deskpilot.assumptions
---@field seen deskpilot.observation what the model was shown
---@field state deskpilot.screen_state
---@field touched { x: integer, y: integer }[] where calls have acted already: what has changed there is their doing
---@field clicked { x: integer, y: integer }? where the last call that pointed did so, until a key is pressed
---@field typed boolean? whether keys were pressed

--- What is assumed by calls that were chosen by the latest observation.
---@param run deskpilot.run
---@return deskpilot.assumptions
function assumptions.new(run)
  return { seen = run.observation, state = screen_state.shown(run), touched = {} }
end

local function middle(rect)
  return { x = rect.x + rect.width // 2, y = rect.y + rect.height // 2 }
end

-- The pixel of the screen that a call points at by a position.
local function positions(seen, args)
  local list = {}
  for _, name in ipairs { "position", "start", "end" } do
    local place = args[name]
    if type(place) == "table" and type(place[1]) == "number" and type(place[2]) == "number" then
      local x, y = seen.shot:locate_norm(place[1], place[2])
      if x then list[#list + 1] = { x = x, y = y, given = place } end
    end
  end
  return list
end

-- The pixel that a call points at in any way, the first where it points at two.
local function place_of(seen, args)
  local place = positions(seen, args)[1]
  if place then return place end
  local number = args.element or args.start_element
  for _, element in ipairs(number and seen.elements or {}) do
    if element.number == number then return middle(element) end
  end
  for _, element in ipairs(args.index and seen.page and seen.page.elements or {}) do
    if element.index == args.index and element.box then return middle(element.box) end
  end
end

local function near(a, b, distance)
  return math.abs(a.x - b.x) <= distance and math.abs(a.y - b.y) <= distance
end

local function any_near(list, place, distance)
  for _, other in ipairs(list) do
    if near(other, place, distance) then return true end
  end
  return false
end

-- Whether what lies around a pixel of the screen looks as it did, with the pointer or without it; true where that
-- cannot be told.
local function looks_the_same(run, seen, place, cursor)
  local shot = seen.shot
  local area = shot:from_screen { x = place.x - around, y = place.y - around, width = 2 * around + 1,
    height = 2 * around + 1 }
  if not area then return true end
  local now = run.desk.screen.shot { cursor = cursor == true, region = shot.frame, size = { shot.width, shot.height } }
  if not now then return true end
  if now.width ~= shot.width or now.height ~= shot.height then now = now:scale(shot.width, shot.height) end
  local change = now and shot:difference(now, { area = area, tolerance = tolerance })
  return not change or change.share <= most_changed
end

local function has_moved(run, pointer)
  local x, y = run.desk.mouse.position()
  return x ~= pointer.x or y ~= pointer.y
end

local function pixels_change(run, self, call)
  local seen = self.seen
  if not (seen.shot and seen.shot.frame) then return nil end
  for _, place in ipairs(positions(seen, call.args)) do
    local known = any_near(self.touched, place, around)
    local pointer = seen.pointer and near(seen.pointer, place, pointer_size)
    local moved = pointer and has_moved(run, seen.pointer) -- what it had covered cannot be told
    if not known and not moved and not looks_the_same(run, seen, place, pointer) then
      return ("what lies at %s no longer looks as it did"):format(targets.show(place.given))
    end
  end
end

-- --- the keyboard's focus -----------------------------------------------------------------------------------

local fields = { text = true, entry = true, textbox = true, searchbox = true, ["password text"] = true,
  ["spin button"] = true, spinbutton = true, paragraph = true, ["document text"] = true }

local function focused_in(list, window)
  return window and hit_test.focused_in(list, window.pid)
end

local function focused_now(run, self, now)
  if now.page then return hit_test.focused_on_page(now.page) end
  local list = now.window and run.desk.elements.list { pid = now.window.pid }
  return focused_in(observation.pick(list or {}, self.seen.shot, math.huge), now.window)
end

-- Where an element lies on the screen: those of a page have it in `box`.
local function box_of(element)
  if element.box then return element.box end
  return element.width and element.width > 0 and element or nil
end

-- The smallest field that was seen at a pixel.
local function field_at(seen, place)
  local best, size
  for _, list in ipairs { seen.elements, seen.page and seen.page.elements or {} } do
    for _, element in ipairs(list) do
      local box = box_of(element)
      if box and (fields[element.role] or element.states.editable) and rects.contains(box, place.x, place.y)
        and (not size or box.width * box.height < size) then
        best, size = element, box.width * box.height
      end
    end
  end
  return best
end

local function name_of(element)
  return ("%s %q"):format(element.role, text.cut(text.one_line(element.name), 60))
end

local function same(a, b)
  local first, second = box_of(a), box_of(b)
  return a.role == b.role and a.name == b.name
    or first ~= nil and second ~= nil and first.x == second.x and first.y == second.y
end

-- What is typed goes to the field that was clicked; or, where nothing was, to what had the focus.
local function focus_change(run, self, now)
  if self.typed then return nil end
  local seen = self.seen
  if self.clicked then
    local field = field_at(seen, self.clicked)
    local has = field and focused_now(run, self, now)
    local box = has and box_of(has)
    if not box or rects.contains(box, self.clicked.x, self.clicked.y) or same(has, field) then return nil end
    return ("the keyboard's focus is on %s and not on %s, which was clicked"):format(name_of(has), name_of(field))
  end
  local had = seen.page and hit_test.focused_on_page(seen.page) or focused_in(seen.elements, seen.window)
  local has = had and focused_now(run, self, now)
  if not has or same(has, had) then return nil end
  return ("the keyboard's focus is on %s and was on %s"):format(name_of(has), name_of(had))
end

-- --- before and after a call --------------------------------------------------------------------------------------

--- What has changed since the calls were chosen and could mislead this one, as a sentence; nil where nothing has, or
--- where what is on the screen does not matter to its tool (`anywhere`).
---@param run deskpilot.run
---@param self deskpilot.assumptions
---@param call deskpilot.call
---@param any_pixels boolean? what lies under a target does not matter
---@return string?
function assumptions.broken(run, self, call, any_pixels)
  local tool = run.toolbox:get(call.tool)
  if not tool or tool.anywhere then return nil end
  local now = screen_state.now(run)
  local why = screen_state.describe_change(self.state, now) or not any_pixels and pixels_change(run, self, call) or nil
  if why or tool.group ~= "typing" or place_of(self.seen, call.args) then return why end -- it goes there itself
  return focus_change(run, self, now)
end

--- Notes that a call was made: what it has changed is expected.
---@param run deskpilot.run
---@param self deskpilot.assumptions
---@param call deskpilot.call
function assumptions.made(run, self, call)
  for _, place in ipairs(positions(self.seen, call.args)) do table.insert(self.touched, place) end
  local tool = run.toolbox:get(call.tool)
  local place = place_of(self.seen, call.args)
  if place then
    self.clicked, self.typed = place, nil
  elseif tool and not tool.anywhere then
    self.typed = true
  end
end

return assumptions
