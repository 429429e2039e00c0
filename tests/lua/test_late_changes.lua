-- Which differences of two pictures count as a change that comes late. What is learned of them: e2e/test_settling.lua.
local late_changes = require "deskpilot.desk.late_changes"
local native = require "native.image"
local shots = require "deskpilot.desk.picture.shot"
local t = require "harness"

local tests = {}

local function plain() return shots.new(assert(native.new(400, 300))) end

-- Of a plain picture and one with these rectangles: width, height and whether it is a scroll bar; nil where nothing
-- counts.
local function difference(...)
  local before, now = plain(), plain()
  for _, area in ipairs { ... } do
    now:rectangle({ x = area[1], y = area[2], width = area[3], height = area[4] }, { fill = "#ffffff" })
  end
  local place, bar = late_changes.difference(before, now)
  return place and { place.width, place.height, bar }
end

function tests.what_counts()
  t.eq(difference(), nil)
  t.eq(difference { 10, 10, 4, 40 }, nil, "a caret")
  t.eq(difference { 10, 10, 5, 200 }, { 5, 200, true }, "a scroll bar")
  t.eq(difference { 10, 10, 4, 41 }, { 4, 41, true })
  t.eq(difference({ 11, 10, 3, 317 - 60 }, { 10, 10, 5, 4 }, { 10, 263, 5, 4 }), { 5, 257, true }, "with wider ends")
  t.eq(difference({ 11, 10, 3, 60 }, { 11, 120, 3, 60 }), { 3, 170, false }, "two of them")
  t.eq(difference { 10, 10, 6, 13 }, { 6, 13, false }, "a digit")
  t.eq(difference({ 10, 10, 6, 13 }, { 10, 30, 6, 13 }, { 10, 50, 6, 13 }), { 6, 53, false }, "a column of digits")
  t.eq(difference { 10, 10, 60, 7 }, { 60, 7, false }, "small letters")
  t.eq(difference({ 10, 10, 2, 10 }, { 100, 10, 2, 10 }), { 92, 10, false }, "two carets at once are more than one")
end

function tests.a_caret_beside_a_scroll_bar()
  local caret, bar = { 30, 40, 2, 18 }, { 380, 10, 6, 250 }
  t.eq(difference(caret, bar), { 356, 250, true })
  t.eq(difference({ 340, 200, 2, 18 }, bar), { 46, 250, true })
  t.eq(difference({ 60, 40, 2, 18 }, caret, bar), { 356, 250, false }, "two carets")
  t.eq(difference({ 60, 40, 9, 12 }, bar), { 326, 250, false }, "a letter")
  t.eq(difference({ 60, 40, 2, 10 }, { 60, 70, 2, 10 }, { 60, 100, 2, 10 }, bar), { 326, 250, false },
    "a column of narrow letters")
  t.eq(difference(caret, { 200, 10, 6, 250 }, bar), { 356, 250, false }, "two bars")
  t.eq(difference(caret, { 200, 10, 2, 18 }), { 172, 48, false }, "two carets and no bar")
end

return tests
