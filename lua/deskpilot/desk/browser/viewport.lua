--- Where a page lies on the screen. Pages know neither that nor the size of what the browser draws around them, so
--- it is learnt: a pointer that is known to be at a pixel, and where the page hears it, give the exact place, which
--- holds for that window until what is around the page changes its size. Until then a page is taken to end at its
--- window's lower edge, as it does unless something is docked there.
local rects = require "deskpilot.desk.picture.rect"

local viewport = {}

---@class deskpilot.viewport
---@field rect deskpilot.rect of what is shown of the page, in pixels of the screen
---@field learnt boolean whether it was measured
---@field window deskpilot.window
local Place = {}
Place.__index = Place

local EDGE = 12 -- pixels of a frame that a browser may draw at each side

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
---@param metrics table as the page tells them
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

-- A pixel whose corner lies in a box is in it, as browsers count; so a box begins at the first such pixel.
local function first_pixel(value)
  return math.ceil(value - 0.001)
end

--- The pixels of the screen that a box of the page takes.
---@param told number[] left, top, right and bottom, in the page's pixels
---@return deskpilot.rect?
function Place:box(told)
  if type(told) ~= "table" then return nil end
  local metrics = self.metrics
  local scale = number(metrics.scale) * number(metrics.dpr)
  local function across(value) return first_pixel((number(value) - number(metrics.left)) * scale) + self.rect.x end
  local function down(value) return first_pixel((number(value) - number(metrics.top)) * scale) + self.rect.y end
  local x, y = across(told[1]), down(told[2])
  return { x = x, y = y, width = math.max(1, across(told[3]) - x), height = math.max(1, down(told[4]) - y) }
end

--- The pixel of the screen for one of the page's own, counted from its corner.
---@return integer x, integer y
function Place:pixel(x, y)
  return self.rect.x + nearest(x), self.rect.y + nearest(y)
end

--- Remembers where the page is: the pointer is at that pixel of the screen, and the page hears it at (x, y) from
--- its corner.
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
