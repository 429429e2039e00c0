-- Finding a picture in a picture: the binding, shots with their frames, and the screen of a desk that is
-- only imagined.
local t = require "harness"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local native = require "native.image"
local shots = require "deskpilot.desk.picture.shot"
local spawn = require "spawn"
local task = require "deskpilot.base.task"

local tests = {}

-- A PNG file of 8 x 6 pixels: red with a yellow square in it, and an edge of green that is transparent.
local frame_with_holes = "89504e470d0a1a0a0000000d4948445200000008000000060806000000fe05dffb0000001f4944415478da6360" ..
  "f8cfc08017830810c2863115fc8762f215e0b2021f060057074bb5202f542c0000000049454e44ae426082"

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

-- As image:find tells its callback.
local function search(image, part, options)
  return task.await(function(done) return image:find(part, options or {}, done) end)
end

function tests.images()
  local image, part = board()
  local hits, best = search(image, part)
  t.eq(#hits, 2)
  t.eq({ hits[1].x, hits[1].y, hits[1].width, hits[1].height }, { 29, 45, 18, 14 })
  t.eq({ hits[2].x, hits[2].y }, { 199, 148 })
  t.ok(hits[2].score > 0.9999 and hits[2].score <= 1, hits[2].score)
  t.eq(best.x, 29)
  t.eq(#search(image, part, { max = 1 }), 1)
  hits = search(image, part, { region = { x = 100, y = 100, width = 200, height = 100 } })
  t.eq(#hits, 1)
  t.eq({ hits[1].x, hits[1].y }, { 199, 148 })
  hits, best = search(part, image)
  t.eq({ #hits, best }, { 0 })
  hits, best = search(image, part, { region = { x = 31, y = 40, width = 100, height = 100 } })
  t.eq(#hits, 0)
  t.ok(best.score < 0.95 and best.x >= 31, best)
end

-- The search has copies: what becomes of the images meanwhile is nothing to it.
function tests.images_may_be_closed_meanwhile()
  local image, part = board()
  local hits = task.await(function(done)
    local cancel = image:find(part, {}, done)
    image:fill(0, 0, 300, 200, 0, 0, 0)
    image:close()
    part:close()
    collectgarbage()
    return cancel
  end)
  t.eq(#hits, 2)
end

function tests.a_cancelled_search_tells_nobody()
  local image, part = board()
  local told = false
  local cancel = image:find(part, {}, function() told = true end)
  cancel()
  cancel()
  t.eq(#search(image, part), 2) -- by now the other one has ended too
  t.eq(told, false)
  local waiting = task.start(search, image, part)
  waiting:cancel("changed my mind")
  local ok, err = waiting:wait()
  t.eq({ ok, err.code }, { false, "cancelled" })
end

-- Some are under way, some have not begun: what they hold is let go of, which a sanitizer sees.
local ends_meanwhile = [[
  local native = require "native.image"
  local image, part = assert(native.new(750, 500)), assert(native.new(120, 90))
  for i = 0, 300 do
    image:fill(i * 37 % 700, i * 91 % 450, 14 + i % 40, 9 + i % 30, i % 256, i * 7 % 256, i * 13 % 256)
    part:fill(i * 17 % 100, i * 23 % 80, 9, 7, i * 5 % 256, i % 256, i * 3 % 256)
  end
  for _ = 1, 12 do image:find(part, { min_score = 0.5 }, function() end) end
  io.stdout:write "begun"]]

function tests.the_program_may_end_meanwhile()
  local child = spawn.run { spawn.program, "eval", ends_meanwhile }
  t.eq({ child.status, child.stdout, child.stderr }, { 0, "begun", "" })
end

function tests.a_search_is_given_up()
  local image, part = board()
  local hits, err = search(image, part, { timeout = 0 })
  t.eq(hits, nil)
  t.eq(err.code, "timed_out")
end

-- A JPEG file is never the same to the pixel: it is alike.
function tests.a_jpeg_file_is_found()
  local path = os.tmpname()
  local image, part = board()
  assert(files.write(path, assert(part:jpeg { quality = 90 })))
  local shot = shots.new(image)
  local hits = t.ok(shot:find_all(path, { min_score = 0.9 }))
  t.eq({ #hits, hits[1].x, hits[1].y, hits[2].x, hits[2].y }, { 2, 29, 45, 199, 148 })
  assert(files.write(path, assert(part:jpeg()):sub(1, -3)))
  local none, err = shot:find(path)
  t.eq({ none, err.code }, { nil, "protocol" })
  t.has(tostring(err), path .. ": The JPEG file is broken: Premature end of JPEG file.")
  files.remove(path)
end

-- What is transparent in a file plays no part.
function tests.holes()
  local path = os.tmpname()
  assert(files.write(path, (frame_with_holes:gsub("%x%x", function(byte) return string.char(tonumber(byte, 16)) end))))
  local desk = assert(desk_module.open { backend = "null", width = 300, height = 200 })
  local picture = assert(desk.screen.load(path))
  files.remove(path)
  t.eq({ picture.width, picture.height }, { 8, 6 })
  local image = assert(native.new(300, 200))
  image:fill(0, 0, 300, 200, 90, 100, 110)
  image:fill(101, 51, 6, 4, 255, 0, 0)
  image:fill(103, 52, 2, 2, 255, 255, 0)
  local shot = assert(desk.screen.shot {})
  shot.native = image
  local hit, err = shot:find(picture)
  if t.ok(hit, err) then t.eq({ hit.x, hit.y, hit.score > 0.9999 }, { 100, 50, true }) end
  local crop = assert(picture:crop { x = 0, y = 0, width = 8, height = 5 })
  hit, err = shot:find(crop)
  if t.ok(hit, err) then t.eq({ hit.x, hit.y }, { 100, 50 }) end
  desk:close()
end

function tests.mistakes_raise()
  local image, part = board()
  local function nothing() end
  t.raises("min_score", function() image:find(part, { min_score = 1.1 }, nothing) end)
  t.raises("min_score", function() image:find(part, { min_score = 0 / 0 }, nothing) end)
  t.raises("max", function() image:find(part, { max = 0 }, nothing) end)
  t.raises("max", function() image:find(part, { max = 1 << 40 }, nothing) end)
  t.raises("'x'", function() image:find(part, { region = {} }, nothing) end)
  t.raises("'width'", function() image:find(part, { region = { x = 0, y = 0, width = 0, height = 5 } }, nothing) end)
  t.raises("'width'", function() image:find(part, { region = { x = 290, y = 0, width = 11, height = 5 } }, nothing) end)
  t.raises("native.Image", function() image:find("part", {}, nothing) end)
  t.raises("function", function() image:find(part, {}) end)
  part:close()
  t.raises("closed", function() image:find(part, {}, nothing) end)
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
  local hit = assert(shot:find(part))
  t.eq({ hit.x, hit.y, hit.width, hit.height }, { 429, 245, 18, 14 })
  t.eq({ desk.point(hit) }, { 438, 252 })
  local crop = assert(shot:crop { x = 20, y = 30, width = 100, height = 100 })
  hit = assert(crop:find(part))
  t.eq({ desk.point(hit) }, { 438, 252 })
  -- Twice as large, and a part of that: what was found there is where it is on the screen.
  local double = assert(shot:scale(600, 400))
  hit = assert(double:find(assert(part:scale(36, 28))))
  t.eq({ hit.x, hit.y, hit.width, hit.height }, { 429, 245, 18, 14 })
  local both = assert(double:crop { x = 40, y = 60, width = 200, height = 200 })
  hit = assert(both:find(assert(part:scale(36, 28))))
  t.eq({ desk.point(hit) }, { 438, 252 })
  desk:close()
end

-- A button that is greyed out has the same shapes.
function tests.the_same_in_other_colours()
  local image, part = board()
  local shot = shots.new(image, { x = 0, y = 0, width = 300, height = 200 })
  local picture = shots.new(part)
  shot:rectangle({ x = 199, y = 148, width = 18, height = 14 }, { fill = "#f0f0f0a0" })
  local hits = assert(shot:find_all(picture))
  t.eq(#hits, 2)
  t.eq({ hits[1].x, hits[1].difference, hits[2].x }, { 29, 0.0, 199 })
  t.ok(hits[2].score > 0.99 and hits[2].difference > 50, hits[2])
  for _, tolerance in ipairs { 0, 20 } do
    t.eq(#assert(shot:find_all(picture, { tolerance = tolerance })), 1)
    t.eq(assert(shot:find(picture, { tolerance = tolerance })).x, 29)
    local hit, err = shot:find(picture, { tolerance = tolerance,
      region = { x = 150, y = 100, width = 150, height = 100 } })
    t.eq({ hit, err.code }, { nil, "not_found" })
    t.has(tostring(err), "in other colours only: at 199, 148")
  end
  t.eq(#assert(shot:find_all(picture, { tolerance = 255 })), 2)
  t.raises("tolerance", function() shot:find(picture, { tolerance = 256 }) end)
end

-- A second monitor to the left and above: places of the screen are negative.
function tests.hits_left_of_the_origin()
  local image, part = board()
  local shot = shots.new(image, { x = -1280, y = -300, width = 300, height = 200 })
  local hits = assert(shot:find_all(part))
  t.eq({ #hits, hits[1].x, hits[1].y, hits[2].x, hits[2].y }, { 2, -1251, -255, -1081, -152 })
  local half = assert(shot:scale(150, 100)):crop { x = 90, y = 60, width = 60, height = 40 }
  local hit = assert(half:find(assert(part:scale(9, 7)), { min_score = 0.8 })) -- it begins between two pixels
  t.eq({ hit.x, hit.y, hit.width, hit.height }, { -1080, -152, 18, 14 })
end

-- A picture of a third of the size, and a part of that: corners that are whole pixels stay so.
function tests.corners_through_thirds()
  local shot = shots.new(assert(native.new(100, 60)), { x = -50, y = 7, width = 300, height = 180 })
  for x = 0, 90, 7 do
    local part = assert(shot:crop { x = x, y = 1, width = 10, height = 10 })
    local odd = assert(part:scale(7, 7)):crop { x = 0, y = 0, width = 7, height = 7 }
    local back = assert(odd:scale(30, 30)):crop { x = 3, y = 6, width = 9, height = 12 }
    t.eq(back:on_screen { x = 3, y = 3, width = 5, height = 6 }, { x = -50 + 3 * x + 6, y = 7 + 3 + 9, width = 5,
      height = 6 })
  end
end

function tests.the_screen()
  local desk = null_desk()
  local part = assert(desk.screen.shot { region = { x = 240, y = 115, width = 40, height = 30 }, cursor = false })
  local hit = assert(desk.screen.find_image(part))
  t.ok(hit.score > 0.99, hit)
  t.ok(assert(desk.screen.find_image(part.native, { region = hit })), "where it is is room enough")
  local path = os.tmpname()
  assert(part:save(path))
  local all = assert(desk.screen.find_images(path, { max = 5 }))
  t.eq({ all[1].x, all[1].y }, { hit.x, hit.y })
  t.ok(#all <= 5, #all)
  local _, mark_of_board = board()
  t.eq(assert(desk.screen.find_images(mark_of_board)), {})
  files.remove(path)
  local none, err = desk.screen.find_image(path)
  t.eq(none, nil)
  t.ok(err.code == "not_found" or err.code == "io", err)
  t.raises("picture", function() desk.screen.find_image(7) end)
  t.raises("wait_for_image", function() desk.screen.find_image(part, { timeout = 5 }) end)
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
  hit, err = desk.screen.find_image(part, { region = { x = 0, y = 0, width = 5, height = 5 } })
  t.eq(hit, nil)
  t.has(tostring(err), "larger")
  desk:close()
end

return tests
