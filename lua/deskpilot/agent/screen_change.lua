--- What has changed from one look at the desktop to the next, as far as it tells whether an action has done anything.
--- The mouse pointer and a blinking caret are no change.
local changed_picture = require "deskpilot.agent.changed_picture"
local unchanged = require "deskpilot.agent.unchanged"

local screen_change = {}

-- How far a pointer's picture reaches from its tip, in pixels of the screen; system pointers have up to 32 of them.
local pointer_before, pointer_size = 12, 48
local caret_width, caret_height = 4, 40 -- the largest change that a text caret makes

local function window_of(seen)
  local window = seen.window or {}
  return { window.id, window.title, window.x, window.y, window.width, window.height }
end

-- What a page tells. Where its elements are on the screen is known from its pixels.
local function page_of(seen)
  local page = seen.page
  if not page then return nil end
  local told = { page.url or "", page.title or "", page.text or "", page.scroll or 0, page.popup or 0,
    page.dialog or 0 }
  for _, element in ipairs(page.elements or {}) do
    told[#told + 1] = { element.role, element.name, element.value or "", element.states or 0 }
  end
  return told
end

-- Elements of other programs do not count: a clock in the panel is no change.
local function elements_of(seen)
  local pid, list = seen.window and seen.window.pid, {}
  for _, element in ipairs(seen.elements) do
    if not pid or pid == 0 or element.pid == pid then
      list[#list + 1] = { element.role, element.name, element.text or "", element.states or 0, element.x, element.y }
    end
  end
  return list
end

local function pointers(before, now)
  local places = {}
  for _, seen in ipairs { before, now } do
    local at = seen.pointer
    if at then
      places[#places + 1] = { x = at.x - pointer_before, y = at.y - pointer_before, width = pointer_size,
        height = pointer_size }
    end
  end
  return places
end

local function pixels_differ(before, now)
  if before.bytes and before.bytes == now.bytes then return false end
  if before.shot.width ~= now.shot.width or before.shot.height ~= now.shot.height then return true end
  local found = changed_picture.difference(before, now, pointers(before, now))
  local scale = now.shot.frame and now.shot.frame.width / now.shot.width or 1
  return found ~= nil and (found.width * scale > caret_width or found.height * scale > caret_height)
end

--- What has changed; nil where the two look the same to who has to decide what to do.
---@param before deskpilot.observation
---@param now deskpilot.observation
---@return "the active window"|"the page"|"the elements"|"the picture"|nil
function screen_change.of(before, now)
  if before == now then return nil end
  if not unchanged.same(window_of(before), window_of(now)) then return "the active window" end
  if not unchanged.same(page_of(before), page_of(now)) then return "the page" end
  if not unchanged.same(elements_of(before), elements_of(now)) then return "the elements" end
  return pixels_differ(before, now) and "the picture" or nil
end

return screen_change
