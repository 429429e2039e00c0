--- Bare edges of screenshots, and pictures of what has changed: on pictures that are made here.
local t = require "harness"
local changed_picture = require "deskpilot.agent.changed_picture"
local native = require "native.image"
local shots = require "deskpilot.desk.picture.shot"
local trim = require "deskpilot.agent.trim"

local tests = {}

-- A picture of a screen, with rectangles { x, y, width, height } on it.
local function screen(width, height, ...)
  local image = assert(native.new(width, height))
  image:fill(0, 0, width, height, 30, 60, 90)
  for _, box in ipairs { ... } do image:fill(box[1], box[2], box[3], box[4], 200, 200, box[5] or 200) end
  return shots.new(image, { x = 0, y = 0, width = width, height = height })
end

local function part_of(shot, before)
  return trim.part(shot.native, shot.frame, before)
end

function tests.bare_edges_are_left_out()
  t.eq(part_of(screen(1280, 800, { 400, 200, 300, 320 })), { x = 392, y = 192, width = 320, height = 336 })
  t.eq(part_of(screen(1280, 800, { 0, 0, 300, 320 })), nil, "its first pixel is none of a background")
  t.eq(part_of(screen(1280, 800, { 10, 780, 1260, 20 }, { 20, 20, 40, 40 })), nil, "there is something everywhere")
  t.eq(part_of(screen(1280, 800)), nil, "nothing is there")
  local small = part_of(screen(1280, 800, { 640, 400, 10, 10 }))
  t.ok(small.width >= 256 and small.height >= 256 and small.x <= 640 and small.y <= 400, small)
  local corner = part_of(screen(1280, 800, { 1270, 790, 10, 10 }))
  t.eq({ corner.x + corner.width, corner.y + corner.height }, { 1280, 800 }, "within the screen")
  t.ok(corner.width >= 256 and corner.height >= 256, corner)
end

function tests.the_part_of_before_is_kept_where_it_still_fits()
  local before = { x = 392, y = 192, width = 320, height = 336 }
  local now = screen(1280, 800, { 420, 220, 260, 300 })
  t.eq(part_of(now, before), before)
  t.ok(part_of(screen(1280, 800, { 300, 220, 260, 300 }), before).x < 300, "something lies outside of it")
  local large = { x = 100, y = 50, width = 900, height = 700 }
  t.ok(part_of(now, large).width < 400, "it is much too large now")
end

local function look(shot, more)
  local seen = { shot = shot, elements = {}, format = "png" }
  for key, value in pairs(more or {}) do seen[key] = value end
  return seen
end

local wide = { 100, 100, 900, 600 }

function tests.the_part_that_has_changed()
  local a, b = screen(1280, 800, wide), screen(1280, 800, wide, { 500, 300, 60, 20, 10 })
  t.eq(changed_picture.part(look(a), look(a)), nil)
  local part = changed_picture.part(look(a), look(b))
  t.ok(part.x <= 476 and part.y <= 276 and part.x + part.width >= 584 and part.y + part.height >= 344, part)
  t.ok(part.width >= 256 and part.height >= 256 and part.width < 400, part)
  local all = changed_picture.part(look(a), look(screen(1280, 800, { 60, 60, 1150, 680, 10 })))
  t.eq({ all.width, all.height }, { 1280, 800 }, "most of it has changed: the whole screenshot")
end

function tests.what_the_pointer_has_left_is_no_change()
  local a, b = screen(1280, 800, wide, { 300, 300, 12, 18, 0 }), screen(1280, 800, wide)
  t.ok(changed_picture.part(look(a), look(b)), "without a pointer it is one")
  t.eq(changed_picture.part(look(a, { pointer = { x = 300, y = 300 } }), look(b, { pointer = { x = 900, y = 600 } })),
    nil)
end

function tests.words_may_tell_it_all()
  local a, b = screen(1280, 800, wide), screen(1280, 800, wide, { 505, 305, 50, 10, 10 })
  local function field(value)
    return { number = 1, role = "text", name = "Name", text = value, x = 500, y = 300, width = 60, height = 20,
      norm = { 400, 380 }, states = {} }
  end
  local before, now = look(a, { elements = { field "" } }), look(b, { elements = { field "Ada" } })
  t.eq(changed_picture.part(before, now, true), nil, "the words tell of the field's new value")
  t.ok(changed_picture.part(before, now), "unless every change is to be shown")
  t.ok(changed_picture.part(before, look(b, { elements = { field "" } }), true), "the words do not tell of it")
  local more = screen(1280, 800, wide, { 505, 305, 50, 10, 10 }, { 800, 600, 9, 9, 10 })
  t.ok(changed_picture.part(before, look(more, { elements = { field "Ada" } }), true), "something else has changed too")
  local window = { title = "Form", class = "App", x = 100, y = 120, width = 900, height = 580 }
  local titled = screen(1280, 800, wide, { 100, 100, 900, 20, 10 })
  t.eq(changed_picture.part(look(a, { window = window }), look(titled, { window = window }), true), nil)
  t.ok(changed_picture.part(look(a), look(titled), true))
  local large = field "all of it"
  large.x, large.y, large.width, large.height = 100, 100, 900, 600
  t.ok(changed_picture.part(before, look(b, { elements = { large } }), true),
    "what is drawn in something that large is not told by its value")
end

return tests
