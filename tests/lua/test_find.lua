-- Finding a picture in a picture: the binding, shots with their frames, and the screen of a desk that is
-- only imagined.
local t = require "harness"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local native = require "native.image"
local task = require "deskpilot.base.task"

local tests = {}

local function mark(image, x, y)
  image:fill(x, y, 14, 10, 200, 0, 0)
  image:fill(x + 3, y + 2, 5, 4, 255, 255, 0)
  image:fill(x + 8, y + 5, 4, 3, 0, 0, 255)
end

local function board()
  local image = assert(native.new(300, 200))
  image:fill(0, 0, 300, 200, 90, 100, 110)
  mark(image, 31, 47)
  mark(image, 201, 150)
  return image, assert(image:crop(29, 45, 18, 14))
end

function tests.images()
  local image, part = board()
  local hits, best = image:find(part)
  t.eq(#hits, 2)
  t.eq({ hits[1].x, hits[1].y, hits[1].width, hits[1].height }, { 29, 45, 18, 14 })
  t.eq({ hits[2].x, hits[2].y }, { 199, 148 })
  t.ok(hits[2].score > 0.9999 and hits[2].score <= 1, hits[2].score)
  t.eq(best.x, 29)
  t.eq(#image:find(part, { max = 1 }), 1)
  hits = image:find(part, { region = { x = 100, y = 100, width = 200, height = 100 } })
  t.eq(#hits, 1)
  t.eq({ hits[1].x, hits[1].y }, { 199, 148 })
  hits, best = part:find(image)
  t.eq({ #hits, best }, { 0 })
  hits, best = image:find(part, { region = { x = 31, y = 40, width = 100, height = 100 } })
  t.eq(#hits, 0)
  t.ok(best.score < 0.95, best)
end

function tests.mistakes_raise_and_failures_are_values()
  local image, part = board()
  t.raises("min_score", function() image:find(part, { min_score = 1.1 }) end)
  t.raises("min_score", function() image:find(part, { min_score = 0 / 0 }) end)
  t.raises("max", function() image:find(part, { max = 0 }) end)
  t.raises("max", function() image:find(part, { max = 1 << 40 }) end)
  t.raises("'x'", function() image:find(part, { region = {} }) end)
  t.raises("empty", function() image:find(part, { region = { x = 0, y = 0, width = 0, height = 5 } }) end)
  t.raises("deskpilot.image", function() image:find("part") end)
  local hits, err = image:find(part, { region = { x = 290, y = 0, width = 11, height = 5 } })
  t.eq(hits, nil)
  t.eq(err.code, "invalid")
  part:close()
  t.raises("closed", function() image:find(part) end)
end

local function null_desk()
  return assert(desk_module.open { backend = "null", width = 1001, height = 501 })
end

-- The middle of a hit is the pixel that was meant, through a crop and a scaled picture.
function tests.hits_of_shots_are_points_of_the_screen()
  local desk = null_desk()
  local shot = assert(desk.screen.shot { region = { x = 400, y = 200, width = 300, height = 200 } })
  local image, part = board()
  shot.native = image
  local hit = assert(shot:find(part))[1]
  t.eq({ hit.x, hit.y, hit.width, hit.height }, { 429, 245, 18, 14 })
  t.eq({ desk.point(hit) }, { 438, 252 })
  local crop = assert(shot:crop { x = 20, y = 30, width = 100, height = 100 })
  hit = assert(crop:find(part))[1]
  t.eq({ desk.point(hit) }, { 438, 252 })
  -- Twice as large, and a part of that: what was found there is where it is on the screen.
  local double = assert(shot:scale(600, 400))
  hit = assert(double:find(assert(part:scale(36, 28))))[1]
  t.eq({ hit.x, hit.y, hit.width, hit.height }, { 429, 245, 18, 14 })
  local both = assert(double:crop { x = 40, y = 60, width = 200, height = 200 })
  hit = assert(both:find(assert(part:scale(36, 28))))[1]
  t.eq({ desk.point(hit) }, { 438, 252 })
  desk:close()
end

function tests.the_screen()
  local desk = null_desk()
  local part = assert(desk.screen.shot { region = { x = 240, y = 115, width = 40, height = 30 }, cursor = false })
  local hit = assert(desk.screen.find_image(part))
  t.ok(hit.score > 0.99, hit)
  t.ok(assert(desk.screen.find_image(part.native, { region = hit })), "where it is is room enough")
  local path = os.tmpname()
  assert(part:save(path))
  local all = assert(desk.screen.find_image(path, { all = true, max = 5 }))
  t.eq({ all[1].x, all[1].y }, { hit.x, hit.y })
  files.remove(path)
  local none, err = desk.screen.find_image(path)
  t.eq(none, nil)
  t.ok(err.code == "not_found" or err.code == "io", err)
  t.raises("picture", function() desk.screen.find_image(7) end)
  desk:close()
end

function tests.what_does_not_show_says_how_near_it_came()
  local desk = null_desk()
  local _, part = board()
  local hit, err = desk.screen.find_image(part)
  t.eq(hit, nil)
  t.eq(err.code, "not_found")
  t.has(tostring(err), "18 x 14")
  t.ok(tostring(err):find("the best place, %d+, %d+, scores 0%.%d+ and 0%.95 is wanted"), tostring(err))
  local began = task.now()
  hit, err = desk.screen.find_image(part, { timeout = 0.2 })
  t.eq(hit, nil)
  t.has(tostring(err), "within 0.2 s")
  t.ok(task.now() - began >= 0.2)
  hit, err = desk.screen.find_image(part, { region = { x = 0, y = 0, width = 5, height = 5 } })
  t.eq(hit, nil)
  t.has(tostring(err), "larger")
  desk:close()
end

return tests
