--- Where a page is on the screen. A page does not know this, nor the size of the browser's own bars around it. So it is
--- measured: the pointer is at a known pixel of the screen, and the page's pointer event has its place in the page. The
--- result holds for that window until the size of what surrounds the page changes. Before the first measurement the
--- page is assumed to end at its window's lower edge, which is right unless something is docked there.
local rects = require "deskpilot.desk.picture.rect"

local viewport = {}

---@class deskpilot.viewport
---@field rect deskpilot.rect the visible part of the page, in pixels of the screen
---@field learnt boolean whether its place was measured, not assumed
---@field window deskpilot.window
local Place = {}
Place.__index = Place

local EDGE = 12 -- pixels: the widest border that a browser draws at a side

local function number(value)
  value = tonumber(value)
  return value and value == value and math.abs(value) < 1e7 and value or 0
end

local function nearest(value)
  return math.floor(value + 0.5)
end

local function corner(window, rest_x, rest_y, known)
  if known and math.abs(known.rest_x - rest_x) <= 2 and math.abs(known.rest_y - rest_y) <= 2 then
    return window.x + known.x, window.y + known.y, true
  end
  local edge = known and known.rest_x - known.x or rest_x >= 0 and rest_x <= 2 * EDGE and rest_x // 2 or 0
  local below = known and known.rest_y - known.y or edge
  return window.x + (known and known.x or edge), window.y + rest_y - below, false
end

--- Where a tab's page is now; nil where no window shows it.
---@param tab deskpilot.tab
---@param metrics table from the page's script
---@return deskpilot.viewport?, deskpilot.error? err
function viewport.place(tab, metrics)
  if type(metrics) ~= "table" then return nil end
  local window, err = tab:window()
  if not window then return nil, err end
  local pixels = type(metrics.pixels) == "table" and metrics.pixels or {}
  local width, height = nearest(number(pixels[1])), nearest(number(pixels[2]))
  if width <= 0 or height <= 0 then return nil end
  local known = tab.browser.viewports and tab.browser.viewports[window.id]
  local x, y, learnt = corner(window, window.width - width, window.height - height, known)
  return setmetatable({ rect = { x = x, y = y, width = width, height = height }, learnt = learnt, window = window,
    metrics = metrics }, Place)
end

-- Browsers count a pixel as inside a box if its upper left corner is. This is the first such pixel of a box.
local function first_pixel(value)
  return math.ceil(value - 0.001)
end

--- Converts a box of the page to pixels of the screen.
---@param edges number[] left, top, right and bottom, in CSS pixels of the page
---@return deskpilot.rect?
function Place:box(edges)
  if type(edges) ~= "table" then return nil end
  local metrics = self.metrics
  local scale = number(metrics.scale) * number(metrics.dpr)
  local function across(value) return first_pixel((number(value) - number(metrics.left)) * scale) + self.rect.x end
  local function down(value) return first_pixel((number(value) - number(metrics.top)) * scale) + self.rect.y end
  local x, y = across(edges[1]), down(edges[2])
  return { x = x, y = y, width = math.max(1, across(edges[3]) - x), height = math.max(1, down(edges[4]) - y) }
end

--- Converts a pixel of the visible page, counted from its upper left corner, to one of the screen.
---@return integer x, integer y
function Place:pixel(x, y)
  return self.rect.x + nearest(x), self.rect.y + nearest(y)
end

--- Stores a measurement: the pointer is at that pixel of the screen, and at (x, y) from the page's upper left corner.
---@param tab deskpilot.tab
---@param pointer_x integer
---@param pointer_y integer
---@param x number
---@param y number
function Place:learn(tab, pointer_x, pointer_y, x, y)
  local rect, window = self.rect, self.window
  rect.x, rect.y, self.learnt = pointer_x - nearest(x), pointer_y - nearest(y), true
  tab.browser.viewports = tab.browser.viewports or {}
  tab.browser.viewports[window.id] = { x = rect.x - window.x, y = rect.y - window.y,
    rest_x = window.width - rect.width, rest_y = window.height - rect.height }
end

--- Whether a pixel of the screen shows the page.
---@return boolean
function Place:contains(x, y)
  return rects.contains(self.rect, x, y)
end

return viewport
