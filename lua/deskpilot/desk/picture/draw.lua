--- Painting on a picture: methods of shots (shot.lua). Colours are "#rrggbb", or "#rrggbbaa" for one that can be
--- seen through. What lies outside the picture is left out. Each method gives the shot back.
local errors = require "deskpilot.base.errors"

-- What few runs need is loaded by those that do.
local function marks() return require "deskpilot.desk.picture.marks" end

---@class deskpilot.shot
local draw = {}

local function integer(value, name)
  return math.tointeger(type(value) == "number" and value // 1 or nil)
    or errors.mistake("%s must be a number of pixels, not %s", name, tostring(value))
end

-- A colour as native.image has it: 0xrrggbbaa.
local function colour_of(word)
  local digits = type(word) == "string" and word:match("^#(%x+)$")
  if not digits or (#digits ~= 6 and #digits ~= 8) then
    errors.mistake('a colour is "#rrggbb" or "#rrggbbaa", not %s', tostring(word))
  end
  return tonumber(#digits == 6 and digits .. "ff" or digits, 16)
end

--- A rectangle: its edge, `width` pixels inwards, and what is within in the colour `fill`, where that is
--- given. With `fill` alone, no edge.
---@param area deskpilot.rect in pixels of the picture
---@param style { color: string?, width: integer?, fill: string? }? red and 2 pixels if not given
---@return deskpilot.shot self
function draw:rectangle(area, style)
  style = style or {}
  local x, y = integer(area.x, "x"), integer(area.y, "y")
  local width, height = integer(area.width, "width"), integer(area.height, "height")
  local edge = style.fill and not style.color and 0 or integer(style.width or 2, "width")
  if style.fill then
    self.native:rectangle(x + edge, y + edge, width - 2 * edge, height - 2 * edge, 0, colour_of(style.fill))
  end
  if edge > 0 then self.native:rectangle(x, y, width, height, edge, colour_of(style.color or "#ff0000")) end
  return self
end

--- A line between two pixels, both included.
---@param from { x: integer, y: integer }
---@param to { x: integer, y: integer }
---@param style { color: string?, width: integer? }? red and 2 pixels if not given
---@return deskpilot.shot self
function draw:line(from, to, style)
  style = style or {}
  self.native:line(integer(from.x, "x"), integer(from.y, "y"), integer(to.x, "x"), integer(to.y, "y"),
    integer(style.width or 2, "width"), colour_of(style.color or "#ff0000"))
  return self
end

--- The size of a label in pixels.
---@param text string
---@param scale integer?
---@return integer width, integer height
function draw:label_size(text, scale)
  scale = scale or 1
  local width, height = self.native:text_size(text, scale)
  return width + 3 * scale, height + scale -- the font has an empty column and row of its own already
end

--- A short text on a ground of one colour, in one line; what is not ASCII is shown as a box.
---@param text string
---@param style { x: integer, y: integer, color: string?, background: string?, scale: integer? } of its top left;
---  white on red if not given; scale: each dot of the font (6 x 12 a character) so many pixels
---@return deskpilot.shot self
function draw:label(text, style)
  local x, y, scale = integer(style.x, "x"), integer(style.y, "y"), integer(style.scale or 1, "scale")
  local width, height = self:label_size(text, scale)
  self.native:rectangle(x, y, width, height, 0, colour_of(style.background or "#ff0000"))
  self.native:text(x + 2 * scale, y + 2 * scale, text, scale, colour_of(style.color or "#ffffff"))
  return self
end

--- A copy with a box and a numbered tag for each element (or window, or anything with a place and a size) that
--- lies in this picture; see picture.marks.draw.
---@param list deskpilot.rect[]
---@param style deskpilot.marks_style?
---@return deskpilot.shot? shot, deskpilot.error? err
function draw:marks(list, style)
  return marks().draw(self, list, style)
end

return draw
