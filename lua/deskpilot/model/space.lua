--- The space in which a model gives positions, and the way from there to the one in which everything else has them:
--- 0..1000 of the screenshot in both directions, x first, with fractions. What is sent to a model (the texts of
--- schemas and prompts, the numbers of elements) is written in its space, and what it answers is converted back, by
--- the same object.
---
--- Rounding. A number v of a direction in which E stands for the far edge is v / E of the picture, and so of the
--- screen; nothing is added for the middle of a pixel, as in the tools that the models' makers publish. It is kept to
--- thousandths of 0..1000, and the pixel that is clicked is the nearest one. Shown to a model, a place is the nearest
--- whole number of its space, or ten thousandth where the far edge is 1.
local json = require "deskpilot.base.json"
local picture_size = require "deskpilot.model.picture_size"
local space_calls = require "deskpilot.model.space_calls"
local space_reading = require "deskpilot.model.space_reading"

local space = {}

---@class deskpilot.model.space
---@field kind "scaled"|"pixels"|"resized"|"display"
---@field across number what stands for the right edge
---@field down number and for the lower one
---@field order "xy"|"yx"
---@field box_order "xyxy"|"yxyx"
---@field fractions boolean?
local Space = {}
Space.__index = Space

-- What stands for the right and the lower edge of a picture.
local function extent(wanted, width, height)
  if wanted.kind == "scaled" then return wanted.max, wanted.max end
  if wanted.kind == "resized" then return picture_size.resized(width, height, wanted) end
  return wanted.kind == "display" and wanted.width or width, wanted.kind == "display" and wanted.height or height
end

--- The space of a model that is sent a picture of that size.
---@param profile deskpilot.model.profile
---@param width integer
---@param height integer
---@return deskpilot.model.space
function space.of(profile, width, height)
  local wanted = profile.space
  if profile.recorded then return space.recorded(profile.recorded) end
  local across, down = extent(wanted, width, height)
  return setmetatable({ kind = wanted.kind, across = across, down = down, order = profile.order,
    box_order = profile.box_order, fractions = wanted.fractions }, Space)
end

--- The space in which everything but models has positions.
space.canonical = setmetatable({ kind = "scaled", across = 1000, down = 1000, order = "xy", box_order = "xyxy" }, Space)

--- The space as a record holds it, for an answer that is read again later.
---@return table
function Space:record()
  return { kind = self.kind, across = self.across, down = self.down, order = self.order, box_order = self.box_order,
    fractions = self.fractions }
end

--- The space that a record holds; the canonical one where it holds none, as the records of old runs.
---@param record any
---@return deskpilot.model.space
function space.recorded(record)
  if type(record) ~= "table" then return space.canonical end
  local across, down = tonumber(record.across), tonumber(record.down)
  if not (across and down and across >= 1 and down >= 1) then return space.canonical end
  return setmetatable({ kind = tostring(record.kind), across = across, down = down,
    order = record.order == "yx" and "yx" or "xy", box_order = record.box_order == "yxyx" and "yxyx" or "xyxy",
    fractions = record.fractions == true or nil }, Space)
end

--- A text that is the same for spaces that are.
---@return string
function Space:key()
  return ("%s %g %g %s %s"):format(self.kind, self.across, self.down, self.order, self.box_order)
end

--- Whether it is the canonical one: then nothing is converted.
---@return boolean
function Space:is_canonical()
  return self.across == 1000 and self.down == 1000 and self.order == "xy" and self.box_order == "xyxy"
end

-- --- what a model has written ------------------------------------------------------------------------------

-- To thousandths, and a whole number as one.
local function tidy(value)
  local rounded = math.floor(value * 1000 + 0.5) / 1000
  return math.tointeger(rounded) or rounded
end

-- A number of one direction as 0..1000. What lies less than a step beyond the far edge is the edge: models count it
-- as a place. More than that is not the screen: padding, or another space.
local function to_canonical(value, far, name)
  local step = far > 1 and 1 or 0.001
  if value < 0 or value > far + step then
    return nil, ("%s is %g, but must be between 0 and %g"):format(name, value, far)
  end
  return tidy(math.min(value, far) * 1000 / far)
end

local function convert(self, values)
  local across, down = self.across, self.down
  if self.fractions and math.max(table.unpack(values)) <= 1 then across, down = 1, 1 end
  local result = json.list()
  for i, value in ipairs(values) do
    local is_x = i % 2 == 1
    local number, why = to_canonical(value, is_x and across or down, is_x and "x" or "y")
    if not number then return nil, why end
    result[i] = number
  end
  return result
end

-- Two or four numbers as they have to be in the canonical space.
local function is_plain(value, count)
  if type(value) ~= "table" or #value ~= count then return false end
  for _, number in ipairs(value) do
    if type(number) ~= "number" or number < 0 or number > 1000 then return false end
  end
  return true
end

--- A position in a model's answer as 0..1000. A box or four corners stand for their middle; lists may be nested, and
--- numbers may stand in a text.
---@param value any
---@return number[]? position x and y; nil where it is none, or lies outside of the picture
---@return string? why the latter; a value that is no position at all is for the schema to refuse
function Space:read(value)
  if self:is_canonical() and is_plain(value, 2) then return value end
  local edges = space_reading.edges(value, self.order, self.box_order)
  if not edges then return nil end
  return convert(self, { (edges[1] + edges[3]) / 2, (edges[2] + edges[4]) / 2 })
end

--- A box in a model's answer as left, top, right and bottom, each 0..1000.
---@param value any
---@return number[]? box, string? why as for read
function Space:read_box(value)
  if self:is_canonical() and is_plain(value, 4) then return value end
  local edges, count = space_reading.edges(value, self.order, self.box_order)
  if not edges or count < 4 then return nil end
  return convert(self, edges)
end

local function swapped(a, b, swap)
  if swap then return b, a end
  return a, b
end

-- --- what a model is shown -----------------------------------------------------------------------------------

-- The last pixel of a picture is one before its edge.
local function shown(self, value, far)
  local last = self.kind == "scaled" and far or far - 1
  local number = far <= 1 and math.floor(value * far * 10 + 0.5) / 10000 or math.floor(value * far / 1000 + 0.5)
  if number > last then return ("%g"):format(last) end
  return (far <= 1 and "%g" or "%d"):format(number)
end

--- A place as the model reads it, in its order.
---@param x number 0..1000
---@param y number
---@return string first
---@return string second
function Space:numbers(x, y)
  return swapped(shown(self, x, self.across), shown(self, y, self.down), self.order == "yx")
end

--- A position or a box of 0..1000 as the model reads it: "[786, 259]".
---@param place number[]
---@return string
function Space:show(place)
  if #place < 4 then return ("[%s, %s]"):format(self:numbers(place[1], place[2])) end
  local left, top = shown(self, place[1], self.across), shown(self, place[2], self.down)
  local right, bottom = shown(self, place[3], self.across), shown(self, place[4], self.down)
  if self.box_order == "yxyx" then left, top, right, bottom = top, left, bottom, right end
  return ("[%s, %s, %s, %s]"):format(left, top, right, bottom)
end

--- The same with all of its digits: for 0..1000, "[512.345, 300]".
---@param place number[]
---@return string
function Space:exact(place)
  local words = {}
  for i, number in ipairs(place) do words[i] = ("%g"):format(number) end
  return "[" .. table.concat(words, ", ") .. "]"
end

--- What the numbers are, in a few words: "0..1000", "pixels of the 1512x840 screenshot".
---@return string
function Space:short()
  if self.kind == "scaled" then return ("0..%g"):format(self.across) end
  local what = self.kind == "display" and "display" or "screenshot"
  return ("pixels of the %dx%d %s"):format(self.across, self.down, what)
end

--- Which way they are counted: "0 to 1000 from the left and from the top of the screenshot".
---@return string
function Space:range()
  local last = self.kind == "scaled" and 0 or 1
  local first, other = swapped("from the left", "from the top", self.order == "yx")
  if self.kind == "scaled" then
    return ("0 to %g %s and %s of the screenshot"):format(self.across, first, other)
  end
  local a, b = swapped(self.across - last, self.down - last, self.order == "yx")
  return ("in pixels of the screenshot, 0 to %d %s and 0 to %d %s"):format(a, first, b, other)
end

--- The names of a point's numbers in their order: "[x, y]".
---@return string
function Space:point_words()
  return self.order == "yx" and "[y, x]" or "[x, y]"
end

local function box_words(self)
  return self.box_order == "yxyx" and "[top, left, bottom, right]" or "[left, top, right, bottom]"
end

--- What prompts say of positions: in place of {{positions}} a whole sentence, of {{point}} "[x, y]", of {{space}}
--- "0..1000", of {{range}} "0 to 1000 from the left and from the top of the screenshot".
---@param prompt string
---@return string
function Space:fill(prompt)
  local values = { positions = self:sentence(), point = self:point_words(), space = self:short(), range = self:range() }
  return (prompt:gsub("{{(%l+)}}", values))
end

--- A whole sentence about positions.
---@return string
function Space:sentence()
  local x = ("x goes from 0 (left edge of the screenshot) to %g (right edge)"):format(self.kind == "scaled"
    and self.across or self.across - 1)
  local y = ("y from 0 (top) to %g (bottom)"):format(self.kind == "scaled" and self.down or self.down - 1)
  local unit = self.kind == "scaled" and "" or ", in its pixels"
  return ("%s. %s, %s%s."):format(self:point_words(), x, y, unit)
end

--- How a value of that format is written, for its description: "[x, y], 0 to 1000 from the left and ...".
---@param format "position"|"box"
---@return string
function Space:words(format)
  return ("%s, %s"):format(format == "box" and box_words(self) or self:point_words(), self:range())
end

--- A tool's parameters as a request has them: positions in the model's numbers.
---@param definition table
---@return table
function Space:schema(definition)
  return space_calls.schema(self, definition, space.canonical)
end

--- Converts the positions in calls as a model has made them, also those of calls inside of calls. `said` of a call is
--- then its arguments as they were. A call that points outside of the picture has an error in place of arguments.
---@param calls deskpilot.model.call[] changed
---@param parameters fun(name: string): table? the parameters of the tool of that name
function Space:calls(calls, parameters)
  space_calls.convert(self, calls, parameters)
end

return space
