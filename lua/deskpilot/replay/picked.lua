--- What is at a place of the screen, for whoever writes a script: window, element, colour, and the line of Lua that
--- finds it again. What is pointed at is decided as it is of a recorded act (target.lua): an element by its role
--- and name, else a place in a window. The line is tried on what is there before it is told.
local act_record = require "deskpilot.agent.act_record"
local errors = require "deskpilot.base.errors"
local find = require "deskpilot.desk.elements.find"
local hit_test = require "deskpilot.agent.hit_test"
local image = require "native.image"
local lua_source = require "deskpilot.agent.lua_source"
local places = require "deskpilot.desk.elements.places"
local rects = require "deskpilot.desk.picture.rect"
local replay_target = require "deskpilot.replay.target"
local window_criteria = require "deskpilot.desk.window.criteria"

local picked = {}

---@class deskpilot.picked
---@field point { x: integer, y: integer } pixel of the screen
---@field norm integer[] the same in 0..1000 of the screen
---@field colour string "#RRGGBB"
---@field window deskpilot.window? the topmost one there
---@field application string? of the window
---@field element deskpilot.element? the innermost one there
---@field hit table what a recorded act would tell of it (act_record.lua); it holds no secret field's value
---@field place deskpilot.rect? what is to be shown of it: the element, as far as it is in view, else the window
---@field target deskpilot.replay.target? as steps of a mission name it (`on`)
---@field line string Lua that finds it
---@field missing string? why no element could be found there, where it is not that there is none

local order = { "role", "name", "title", "executable", "class", "app", "x", "y", "frame", "window", "nth" }

-- --- what is there --------------------------------------------------------------------------------------------------

local function colour_at(desk, x, y)
  local pixel, err = desk.native:capture { x = x, y = y, width = 1, height = 1, cursor = false, lend = true }
  if not pixel then return nil, err end
  return ("#%02X%02X%02X"):format(pixel:pixel(0, 0))
end

-- All that applications tell of in time (desk.timing.elements); nil and why there is nothing.
local function elements_of(desk)
  local list, err = desk.elements.list()
  if not list then return nil, err end
  if #list > 0 or #list.apps > 0 then return list end
  return errors.fail("unavailable", "no application tells of its elements; `deskpilot doctor` says what is missing")
end

-- The window whose element that is; nil for a menu or a tooltip, which is none of the window manager's.
local function window_of(list, windows, top)
  for _, window in ipairs(windows) do
    if find.frame(list, window) == top then return window end
  end
end

-- The element there, and its window. One that lies below a window whose program tells of nothing is not there; of a
-- menu that hangs over another program's window the window is its own program's.
local function element_at(list, windows, window, x, y)
  local element = places.at(list, windows, x, y, find.frame)
  if not element then return nil, window end
  local own = window_of(list, windows, act_record.top(list, element))
  if own then
    if own ~= window then return nil, window end
    return element, window
  end
  if window and window.pid == element.pid then return element, window end
  return element, window_criteria.topmost(windows, { pid = element.pid, visible = true }) or window
end

-- Why nothing was found in a window.
local function silence(list, window)
  if not window or window.pid == 0 then return nil end
  for _, app in ipairs(list.apps) do
    if app.pid == window.pid then return app.note and ("its program %s"):format(app.note) or nil end
  end
  return "its program tells of no elements: it has none, or has accessibility switched off (see `deskpilot doctor`)"
end

-- --- the line -------------------------------------------------------------------------------------------------------

-- Criteria that no other window meets now; nil where it cannot be told from another. The title may change, so it is
-- left out where the program says enough.
local function criteria_of(self, windows)
  local window = self.window
  if not window then return nil end
  local program = (window.executable or "") ~= "" and "executable" or "class"
  local criteria = { [program] = self.application }
  local function is_alone()
    for _, other in ipairs(windows) do
      if other ~= window and window_criteria.matches(other, criteria) then return false end
    end
    return window_criteria.matches(window, criteria)
  end
  if self.application and is_alone() then return criteria end
  if window.title == "" then return nil end
  criteria.title = window.title
  return is_alone() and criteria or nil
end

-- The call that finds the element; nil where no criteria do.
local function by_element(self, list, criteria)
  local target, element = self.target, self.element
  local frame = criteria and find.frame(list, self.window)
  local ways = { { window = criteria }, { app = element.app } }
  for i = frame and 1 or 2, #ways do
    local wanted = ways[i]
    wanted.role, wanted.name = target.role, target.name
    for nth, found in ipairs(find.all(list, { role = wanted.role, name = wanted.name, app = wanted.app },
      i == 1 and frame or nil)) do
      if found == element then
        wanted.nth = nth > 1 and nth or nil
        return "desk.elements.find " .. lua_source.written(wanted, order)
      end
    end
  end
end

local function by_place(self, criteria)
  local at = criteria and replay_target.of { window = self.hit.window, at = self.point }.at
  local point = { frame = "norm", x = at and at[1] or self.norm[1], y = at and at[2] or self.norm[2] }
  if at then
    point.window = lua_source.expression(("assert(desk.windows.find %s)"):format(lua_source.written(criteria, order)))
  end
  return "desk.point " .. lua_source.written(point, order)
end

local function line_of(self, list, windows)
  local criteria = criteria_of(self, windows)
  local is_element = self.target and self.target.role
  return is_element and by_element(self, list, criteria) or by_place(self, criteria)
end

--- Looks at a place of the screen.
---@param desk deskpilot.desk
---@param x integer pixel of the screen, as is y
---@param y integer
---@return deskpilot.picked? picked, deskpilot.error? err
function picked.at(desk, x, y)
  local screen, lost = desk.native:screen()
  if not screen then return nil, lost end
  local colour, err = colour_at(desk, x, y)
  if not colour then return nil, err end
  local windows, failure = desk.windows.list()
  if not windows then return nil, failure end
  local norm_x, norm_y = image.pixel_to_norm(x, y, screen)
  local self = { point = { x = x, y = y }, norm = { (norm_x + 0.5) // 1 | 0, (norm_y + 0.5) // 1 | 0 },
    colour = colour, window = hit_test.window(windows, x, y) }
  local list, why = elements_of(desk)
  if list then
    self.element, self.window = element_at(list, windows, self.window, x, y)
    self.missing = not self.element and silence(list, self.window) or nil
  else
    self.missing = tostring(why)
  end
  self.application = self.window and replay_target.application(self.window)
  self.hit = act_record.of_place(self.point, self.window, self.application, self.element, list or {})
  self.target = replay_target.of(self.hit)
  self.place = self.element and places.visible(list)[self.element.index] or self.window
  self.place = self.place and rects.intersection(self.place, screen)
  self.line = line_of(self, list, windows)
  return self
end

return picked
