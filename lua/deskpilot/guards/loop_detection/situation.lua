--- What an agent sees, kept to be compared with what it sees later: the active window, its page and its elements, and
--- where these are the same, the window's pixels. The mouse pointer and a blinking caret are no difference.
local changed_picture = require "deskpilot.agent.changed_picture"
local json = require "deskpilot.base.json"
local rects = require "deskpilot.desk.picture.rect"
local text = require "deskpilot.base.text"

local situation = {}

---@class deskpilot.situation
---@field window deskpilot.window?
---@field page deskpilot.page?
---@field elements deskpilot.seen_element[]
---@field shot deskpilot.shot
---@field pointer { x: integer, y: integer }? where the mouse pointer is, which is in the picture too
---@field restless boolean? the screen had not come to rest: its pixels tell nothing
---@field words string? made when they are first asked for

-- How far a pointer's picture reaches from its tip, in pixels of the screen; system pointers have up to 32 of them.
local pointer_before, pointer_after = 12, 36
local caret_width, caret_height = 4, 40 -- the largest change that a text caret makes

--- What an observation shows.
---@param seen deskpilot.observation
---@param pointer { x: integer, y: integer }?
---@param restless boolean?
---@return deskpilot.situation
function situation.of(seen, pointer, restless)
  return { window = seen.window, page = seen.page, elements = seen.elements or {}, shot = seen.shot, pointer = pointer,
    restless = restless }
end

-- The states that are on, in a fixed order.
local function states_of(element)
  local on = {}
  for _, name in ipairs(text.keys(element.states or {})) do
    if element.states[name] then on[#on + 1] = name end
  end
  return on
end

-- Without elements of other programs: a clock in the panel makes no difference.
local function words_of(self)
  if self.words then return self.words end
  local window, page, list = self.window or {}, self.page, {}
  for _, element in ipairs(self.elements) do
    if (window.pid or 0) == 0 or element.pid == window.pid then
      list[#list + 1] = { element.role, element.name, element.text or "", element.norm or 0, states_of(element) }
    end
  end
  local on_page = {}
  for i, element in ipairs(page and page.elements or {}) do
    on_page[i] = { element.role, element.name, element.value or "", states_of(element) }
  end
  local scroll = page and page.scroll or {}
  self.words = json.encode { tostring(window.id), window.title or "", list, on_page,
    page and { page.url or "", page.title or "", page.text or "", scroll.x or 0, scroll.y or 0,
      page.popup and page.popup.name or "", page.dialog and page.dialog.message or "" } or 0 }
  return self.words
end

-- The part of the picture that counts: the active window's, or all of it where the pointer is at something else.
local function area_of(self)
  local window, whole = self.window, { x = 0, y = 0, width = self.shot.width, height = self.shot.height }
  if not window or not window.width then return whole end
  if self.pointer and not rects.contains(window, self.pointer.x, self.pointer.y) then return whole end
  return self.shot:from_screen(window) or whole
end

-- Where the pointers of both situations are drawn, in pixels of the screen.
local function places_of_pointers(a, b)
  local places, size = {}, pointer_before + pointer_after
  for _, pointer in ipairs { a.pointer or false, b.pointer or false } do
    if pointer then
      places[#places + 1] = { x = pointer.x - pointer_before, y = pointer.y - pointer_before, width = size,
        height = size }
    end
  end
  return places
end

-- The size of a pixel of the picture, in pixels of the screen.
local function scale_of(shot)
  return shot.frame and shot.frame.width / shot.width or 1
end

local function same_pixels(a, b)
  if not (a.shot and b.shot) then return true end
  if a.shot.width ~= b.shot.width or a.shot.height ~= b.shot.height then return false end
  local difference = changed_picture.difference(a, b, places_of_pointers(a, b), area_of(b))
  local scale = scale_of(b.shot)
  return not difference or difference.width * scale <= caret_width and difference.height * scale <= caret_height
end

--- Whether two situations look the same to who has to decide what to do.
---@param a deskpilot.situation the earlier one
---@param b deskpilot.situation
---@return boolean
function situation.same(a, b)
  if words_of(a) ~= words_of(b) then return false end
  return a.restless or b.restless or same_pixels(a, b)
end

return situation
