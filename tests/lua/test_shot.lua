-- Pictures: which pixel of the screen a pixel of theirs is, through crops and scales; painting, comparing,
-- loading. On a desk that is only imagined, whose every pixel differs from its neighbours.
local t = require "harness"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local marks = require "deskpilot.desk.picture.marks"
local native = require "native.image"
local shots = require "deskpilot.desk.picture.shot"

local tests = {}

local function plain(width, height, area)
  return shots.new(assert(native.new(width, height)), area)
end

local function colour(shot, x, y)
  return ("%02x%02x%02x"):format(shot:pixel(x, y))
end

-- Where it is ------------------------------------------------------------------------------------------

-- An exact fraction, to check what the library computes in floating point.
local function reduced(n, d)
  local a, b = n, d
  while b ~= 0 do a, b = b, a % b end
  return { n = n // a, d = d // a }
end

local function add(a, b) return reduced(a.n * b.d + b.n * a.d, a.d * b.d) end
local function times(a, n, d) return reduced(a.n * n, a.d * d) end

-- The exact part of the screen that is under a picture, kept beside it through the same steps.
local function scaled(state, width, height)
  return { shot = assert(state.shot:scale(width, height)), x = state.x, y = state.y, width = state.width,
    height = state.height }
end

local function cropped(state, area)
  local shot = state.shot
  return { shot = assert(shot:crop(area)), x = add(state.x, times(state.width, area.x, shot.width)),
    y = add(state.y, times(state.height, area.y, shot.height)),
    width = times(state.width, area.width, shot.width), height = times(state.height, area.height, shot.height) }
end

-- The pixel of the screen touches what is exactly under pixel `at` of `count`.
local function lies_under(pixel, start, length, at, count)
  local from, to = add(start, times(length, at, count)), add(start, times(length, at + 1, count))
  return (pixel + 1) * from.d > from.n and pixel * to.d < to.n
end

local function check_all_pixels(state, what)
  local shot, wrong = state.shot, 0
  for y = 0, shot.height - 1 do
    for x = 0, shot.width - 1 do
      local px, py = shot:locate(x, y)
      if not (lies_under(px, state.x, state.width, x, shot.width)
          and lies_under(py, state.y, state.height, y, shot.height)) then
        wrong = wrong + 1
        if wrong == 1 then t.ok(false, ("%s: pixel %d, %d is not %d, %d"):format(what, x, y, px, py)) end
      end
    end
  end
  t.eq(wrong, 0, what)
  -- Nor is the frame smaller than what is shown, or larger than what it touches.
  local frame = shot.frame
  t.ok(frame.x * state.x.d <= state.x.n and (frame.x + 1) * state.x.d > state.x.n, what .. ": the frame's left")
  local right = add(state.x, state.width)
  t.ok((frame.x + frame.width) * right.d >= right.n and (frame.x + frame.width - 1) * right.d < right.n,
    what .. ": the frame's right")
end

local function screen_at(x, y, width, height)
  return { shot = plain(width, height, { x = x, y = y, width = width, height = height }), x = reduced(x, 1),
    y = reduced(y, 1), width = reduced(width, 1), height = reduced(height, 1) }
end

function tests.crops_of_scaled_crops_are_exact()
  for i, place in ipairs { { 0, 0, 96, 54 }, { -1280, -37, 64, 51 }, { 1920, 5, 49, 31 } } do
    local whole = screen_at(table.unpack(place))
    check_all_pixels(whole, "screen " .. i)
    for _, size in ipairs { { 48, 27 }, { 32, 15 }, { 69, 39 }, { 100, 90 }, { 7, 5 } } do
      local small = scaled(whole, size[1], size[2])
      check_all_pixels(small, ("screen %d scaled to %d"):format(i, size[1]))
      local part = cropped(small, { x = 1, y = 2, width = size[1] - 3, height = size[2] - 3 })
      check_all_pixels(part, ("a crop of screen %d scaled to %d"):format(i, size[1]))
      local again = scaled(part, 41, 23)
      check_all_pixels(again, ("a crop scaled twice %d"):format(size[1]))
      check_all_pixels(cropped(again, { x = 13, y = 7, width = 11, height = 16 }), "a crop of that")
    end
  end
end

function tests.points_are_clicked_where_they_show()
  local desk = assert(desk_module.open { backend = "null", width = 1200, height = 700 })
  local shot = assert(desk.screen.shot { region = { x = 301, y = 203, width = 500, height = 400 } })
  local double = assert(shot:scale(1000, 800))
  local part = assert(double:crop { x = 101, y = 53, width = 300, height = 200 })
  t.eq(part.frame, { x = 351, y = 229, width = 151, height = 101 })
  t.eq({ desk.point(part:point(0, 0)) }, { 351, 229 })
  t.eq({ desk.point(part:point(1, 1)) }, { 352, 230 })
  t.eq({ desk.point(part:point(2, 2)) }, { 352, 230 })
  t.eq({ desk.point(shot:point(10, 20)) }, { 311, 223 })
  -- What the picture shows there is what the screen shows there.
  for _, at in ipairs { { 0, 0 }, { 17, 150 }, { 299, 199 } } do
    local x, y = desk.point(part:point(at[1], at[2]))
    local pixel = assert(desk.screen.shot { region = { x = x, y = y, width = 1, height = 1 } })
    t.eq(colour(part, at[1], at[2]), colour(pixel, 0, 0))
  end
  t.ok(desk.mouse.move(part:point(17, 150)))
  t.eq({ desk.mouse.position() }, { desk.point(part:point(17, 150)) })
  desk:close()
end

function tests.a_picture_from_a_file_is_nowhere()
  local desk = assert(desk_module.open { backend = "null", width = 300, height = 200 })
  local path = os.tmpname()
  local shot = assert(desk.screen.shot {})
  t.ok(shot:save(path))
  local loaded = assert(desk.screen.load(path))
  t.ok(loaded:equal(shot))
  t.eq({ loaded.frame, loaded.width, loaded.height }, { nil, 300, 200 })
  t.eq({ loaded:crop({ x = 1, y = 1, width = 9, height = 9 }).frame }, {})
  for _, point in ipairs { loaded:point(3, 4), { x = 3, y = 4, frame = "norm", image = loaded } } do
    local x, err = desk.point(point)
    t.eq(x, nil)
    t.eq(err.code, "invalid")
    t.has(tostring(err), "from a file")
  end
  t.ok(files.write(path, "no picture"))
  local none, err = desk.screen.load(path)
  t.eq({ none, err.code }, { nil, "protocol" })
  t.has(tostring(err), path)
  files.remove(path)
  none, err = desk.screen.load(path)
  t.eq(none, nil)
  t.ok(err.code == "not_found" or err.code == "io", err)
  desk:close()
end

-- Positions of 0..1000: the ends are the first and the last pixel, of the screen's sizes that there are, and what is
-- told of a pixel leads back to it.
function tests.positions_that_models_give()
  for _, size in ipairs { { 3440, 1440 }, { 1080, 1920 }, { 1280, 800 }, { 800, 600 } } do
    local width, height = size[1], size[2]
    local desk = assert(desk_module.open { backend = "null", width = width, height = height })
    local shot = assert(desk.screen.shot { size = { 700, 500 } })
    t.ok(shot.width <= 700 and shot.height <= 500 and (shot.width == 700 or shot.height == 500), "it fits")
    for _, case in ipairs { { 0, 0, 0, 0 }, { 1000, 1000, width - 1, height - 1 }, { 1000, 0, width - 1, 0 },
      { 500, 500, width // 2, height // 2 } } do
      t.eq({ desk.point(shot:norm_point(case[1], case[2])) }, { case[3], case[4] })
      t.eq({ shot:locate_norm(case[1], case[2]) }, { case[3], case[4] })
    end
    for i = 0, 400 do
      local x, y = i * 7919 % width, i * 104729 % height
      local nx, ny = shot:to_norm(x, y)
      t.eq({ shot:locate_norm(nx, ny) }, { x, y })
      -- To the nearest whole number, as models write them, it is off by at most half of what one counts.
      local px, py = shot:locate_norm((nx + 0.5) // 1, (ny + 0.5) // 1)
      t.ok(math.abs(px - x) <= width / 2000 + 1 and math.abs(py - y) <= height / 2000 + 1, { x, y, px, py })
    end
    for _, wrong in ipairs { { -0.1, 500 }, { 500, 1000.5 }, { 1500, 3 } } do
      local none, err = desk.mouse.click(shot:norm_point(wrong[1], wrong[2]))
      t.eq({ none, err.code }, { nil, "invalid" })
      t.has(tostring(err), "outside the legal range 0 to 1000")
    end
    desk:close()
  end
  local part = assert(plain(600, 300, { x = -50, y = 7, width = 300, height = 150 }):crop { 1, 1, 399, 99 })
  t.eq({ part:locate_norm(0, 0) }, { -50, 7 })
  t.eq({ part:locate_norm(1000, 1000) }, { 149, 56 }, "the last pixel that it touches")
end

function tests.things_of_the_screen_in_a_picture()
  local shot = plain(400, 300, { x = 100, y = 50, width = 800, height = 600 })
  t.eq(shot:from_screen { x = 100, y = 50, width = 800, height = 600 }, { x = 0, y = 0, width = 400, height = 300 })
  t.eq(shot:from_screen { x = 301, y = 151, width = 10, height = 2 }, { x = 100, y = 50, width = 6, height = 2 })
  t.eq(shot:from_screen { x = 0, y = 0, width = 110, height = 60 }, { x = 0, y = 0, width = 5, height = 5 })
  t.eq({ shot:from_screen { x = 0, y = 0, width = 100, height = 600 } }, {}, "beside it")
end

-- A screen that changes ----------------------------------------------------------------------------------

-- Makes the desk's screen another one; what is asked of it but for that reaches the real one. Gives a function that
-- tells what has been done since.
local function change_screen(desk, screen, monitors)
  local real = desk.native
  local before = #real:log()
  desk.native = setmetatable({ screen = function() return screen end, monitors = function() return monitors end },
    { __index = function(_, name) return function(_, ...) return real[name](real, ...) end end })
  return function() return { table.unpack(real:log(), before + 1) } end
end

local function monitor(name, x, y, width, height)
  return { name = name, x = x, y = y, width = width, height = height, primary = name == "null-1" }
end

-- Where a click on that point of what was seen before the change lands: { x, y }, or the code of the error.
local function click_after_change(before, screen, monitors, point)
  local desk = assert(desk_module.open(before))
  local shot = assert(desk.screen.shot { size = { 500, 500 } })
  local done = change_screen(desk, screen, monitors)
  local ok, err = desk.mouse.click(point(shot))
  local place = ok and { desk.mouse.position() }
  if not ok then
    t.eq(done(), {}, "nothing was touched")
    if err.code == "stale" then t.has(tostring(err), "look at a new screenshot") end
  end
  desk:close()
  return place or err.code
end

local function norm(x, y) return function(shot) return shot:norm_point(x, y) end end
local function pixel(x, y) return function(shot) return shot:point(x, y) end end

function tests.a_click_lands_where_the_target_was_seen()
  local one = { backend = "null", width = 1000, height = 800 }
  local function rect(x, y, width, height) return { x = x, y = y, width = width, height = height } end
  local larger, smaller = rect(0, 0, 1600, 1200), rect(0, 0, 600, 500)
  local cases = {
    { "as it was", one, rect(0, 0, 1000, 800), { monitor("null-1", 0, 0, 1000, 800) }, { 600, 600 } },
    { "grown", one, larger, { monitor("null-1", 0, 0, 1600, 1200) }, { 600, 600 } },
    { "shrunk", one, smaller, { monitor("null-1", 0, 0, 600, 500) }, { 300, 300 } },
    { "shrunk, and gone", one, smaller, { monitor("null-1", 0, 0, 600, 500) }, { 700, 300 }, "stale" },
    { "shrunk, the last pixel", one, smaller, { monitor("null-1", 0, 0, 600, 500) }, { 599, 499 } },
    { "shrunk, one behind it", one, smaller, { monitor("null-1", 0, 0, 600, 500) }, { 600, 499 }, "stale" },
    { "a monitor on the right", one, rect(0, 0, 2000, 800),
      { monitor("null-1", 0, 0, 1000, 800), monitor("new", 1000, 0, 1000, 800) }, { 600, 600 } },
    { "a monitor on the left, which moves the other", one, rect(0, 0, 2000, 800),
      { monitor("new", 0, 0, 1000, 800), monitor("null-1", 1000, 0, 1000, 800) }, { 600, 600 }, "stale" },
    { "a monitor on the left, with places below 0", one, rect(-1000, 0, 2000, 800),
      { monitor("new", -1000, 0, 1000, 800), monitor("null-1", 0, 0, 1000, 800) }, { 600, 600 } },
    { "another monitor in its place", one, rect(0, 0, 1000, 800), { monitor("new", 0, 0, 1000, 800) }, { 600, 600 },
      "stale" },
  }
  for _, case in ipairs(cases) do
    local what, before, screen, monitors, at, wanted = table.unpack(case)
    local function exact(shot) return shot:norm_point(shot:to_norm(at[1], at[2])) end
    t.eq(click_after_change(before, screen, monitors, exact), wanted or at, what)
  end
  -- A point of a picture that was made smaller, in its pixels.
  t.eq(click_after_change(one, larger, { monitor("null-1", 0, 0, 1600, 1200) }, pixel(100, 200)), { 201, 401 })
  t.eq(click_after_change(one, smaller, { monitor("null-1", 0, 0, 600, 500) }, pixel(499, 399)), "stale")
  -- What is no point of a picture means the screen as it is now.
  t.eq(click_after_change(one, smaller, { monitor("null-1", 0, 0, 600, 500) },
    function() return { x = 1000, y = 1000, frame = "norm" } end), { 599, 499 })
end

function tests.a_monitor_that_is_unplugged()
  local two = { backend = "null", width = 2000, height = 800, monitors = 2 }
  local left = { x = 0, y = 0, width = 1000, height = 800 }
  t.eq(click_after_change(two, left, { monitor("null-1", 0, 0, 1000, 800) }, norm(300, 500)), { 600, 400 })
  t.eq(click_after_change(two, left, { monitor("null-1", 0, 0, 1000, 800) }, norm(700, 500)), "stale")
  -- The other one has come to where it was.
  t.eq(click_after_change(two, left, { monitor("null-2", 0, 0, 1000, 800) }, norm(300, 500)), "stale")
end

-- Where the desktop stays as large as it was, the first picture after the change still has the monitors of before.
function tests.monitors_that_change_places()
  local desk = assert(desk_module.open { backend = "null", width = 2000, height = 800, monitors = 2 })
  assert(desk.screen.shot {})
  local swapped = { monitor("null-2", 0, 0, 1000, 800), monitor("null-1", 1000, 0, 1000, 800) }
  change_screen(desk, { x = 0, y = 0, width = 2000, height = 800 }, swapped)
  local shot = assert(desk.screen.shot {})
  local before = #desk.native:log()
  local ok, err = desk.mouse.click(shot:norm_point(300, 500))
  t.eq({ ok, err.code, #desk.native:log() }, { nil, "stale", before })
  shot = assert(desk.screen.shot {})
  t.eq(shot.monitors, swapped, "what the click has found out is known to the next picture")
  t.ok(desk.mouse.click(shot:norm_point(300, 500)))
  t.eq({ desk.mouse.position() }, { 600, 400 })
  -- Whoever looks at the monitors tells the pictures too.
  local back = { monitor("null-1", 0, 0, 1000, 800), monitor("null-2", 1000, 0, 1000, 800) }
  desk.native.monitors = function() return back end
  t.eq(#desk.screen.monitors(), 2)
  t.ok(desk.mouse.click(assert(desk.screen.shot {}):norm_point(300, 500)))
  desk:close()
end

function tests.nothing_of_a_drag_is_done_where_one_end_is_gone()
  local desk = assert(desk_module.open { backend = "null", width = 1000, height = 800 })
  local shot = assert(desk.screen.shot {})
  local done = change_screen(desk, { x = 0, y = 0, width = 600, height = 500 },
    { monitor("null-1", 0, 0, 600, 500) })
  local ok, err = desk.mouse.drag(shot:norm_point(100, 100), shot:norm_point(900, 100))
  t.eq({ ok, err.code, #done() }, { nil, "stale", 0 })
  ok, err = desk.mouse.scroll { dy = 1, at = shot:norm_point(100, 900) }
  t.eq({ ok, err.code, #done() }, { nil, "stale", 0 })
  desk:close()
end

-- What is resized while its picture is taken is taken again, as it is now.
function tests.a_screen_that_is_resized_while_it_is_looked_at()
  local desk = assert(desk_module.open { backend = "null", width = 600, height = 500 })
  local asked, real = 0, desk.native
  change_screen(desk, nil, real:monitors())
  function desk.native.screen()
    asked = asked + 1
    return asked == 1 and { x = 0, y = 0, width = 1000, height = 800 } or real:screen()
  end
  local shot = t.ok(desk.screen.shot {})
  t.eq(shot.frame, { x = 0, y = 0, width = 600, height = 500 })
  -- What fails for another reason is not tried again for ever.
  local tries = 0
  function desk.native.capture()
    tries = tries + 1
    return nil, { code = "io" }
  end
  t.eq({ desk.screen.shot {} }, { nil, { code = "io" } })
  t.eq(tries, 1)
  desk:close()
end

-- Options ------------------------------------------------------------------------------------------------

function tests.regions_are_read_in_one_way()
  local desk = assert(desk_module.open { backend = "null", width = 300, height = 200 })
  local function frame(options) return assert(desk.screen.shot(options)).frame end
  t.eq(frame { region = { 10, 20, 30, 40 } }, { x = 10, y = 20, width = 30, height = 40 })
  t.eq(frame { region = { x = 10, y = 20, width = 30, height = 40 } }, { x = 10, y = 20, width = 30, height = 40 })
  t.eq(frame { region = { 10, 20 } }, { x = 10, y = 20, width = 290, height = 180 }, "up to the edge")
  t.eq(frame { region = { -10, -10, 30, 40 } }, { x = 0, y = 0, width = 20, height = 30 })
  t.raises("region's x must be a whole number", desk.screen.shot, { region = { 0.5, 0, 1, 1 } })
  t.raises("region's width must be a number", desk.screen.shot, { region = { 0, 0, "1", 1 } })
  t.raises("at least 1 pixel", desk.screen.shot, { region = { 0, 0, 0, 1 } })
  t.raises("a region is { x, y, width, height }, not a string", desk.screen.shot, { region = "0,0,1,1" })
  local none, err = desk.screen.shot { region = { 300, 0, 10, 10 } }
  t.eq({ none, err.code }, { nil, "invalid" })
  t.has(tostring(err), "10x10 at 300,0 lies outside the screen, which is 300x200 at 0,0")
  local shot = assert(desk.screen.shot {})
  t.eq(assert(shot:crop { 250, 150 }).frame, { x = 250, y = 150, width = 50, height = 50 })
  t.raises("leaves the image", shot.crop, shot, { 250, 150, 51, 50 })
  desk:close()
end

function tests.pictures_that_fit_and_pictures_that_are_lent()
  local desk = assert(desk_module.open { backend = "null", width = 300, height = 200 })
  local whole = assert(desk.screen.shot { cursor = false })
  local small = assert(desk.screen.shot { cursor = false, size = { 150, 150 } })
  t.eq({ small.width, small.height, small.frame }, { 150, 100, whole.frame })
  t.ok(small:equal(assert(whole:scale(150, 100))))
  local same = assert(desk.screen.shot { cursor = false, size = { 1000, 1000 } })
  t.ok(same:equal(whole), "never larger")
  t.ok(assert(desk.screen.shot { cursor = false, lend = true }):equal(whole))
  local lent = assert(desk.screen.shot { cursor = false, lend = true, size = { 150, 150 } })
  t.ok(lent:equal(small))
  local next_one = assert(desk.screen.shot { cursor = false, lend = true, size = { 60, 60 } })
  t.eq(next_one.native, lent.native, "the next one is made in the memory of the one before")
  t.ok(next_one:equal(assert(whole:scale(60, 40))))
  desk:close()
end

function tests.a_part_that_is_chosen_once_it_is_seen()
  local desk = assert(desk_module.open { backend = "null", width = 600, height = 400 })
  for _, lend in ipairs { true, false } do
    local part = { x = 60, y = 110, width = 200, height = 100 }
    local asked
    local shot = t.ok(desk.screen.shot { lend = lend, size = { 100, 100 }, part = function(image, area)
      asked = { area.x, area.y, image:size() }
      return part
    end })
    t.eq(asked, { 0, 0, 600, 400 })
    t.eq({ shot.width, shot.height, shot.frame }, { 100, 50, part })
    local all = t.ok(desk.screen.shot { lend = lend, part = function() end })
    t.eq({ all.width, all.height }, { 600, 400 })
    local again = t.ok(desk.screen.shot { region = { 60, 110, 200, 100 } })
    t.eq(colour(t.ok(desk.screen.shot { part = function() return part end }), 7, 9), colour(again, 7, 9))
  end
  desk:close()
  local plain_one = plain(20, 10)
  t.eq({ plain_one.native:content() }, {})
  plain_one.native:fill(19, 3, 1, 2, 1, 2, 3)
  t.eq({ plain_one.native:content() }, { 19, 3, 1, 2 })
  plain_one.native:fill(4, 9, 1, 1, 1, 2, 3)
  t.eq({ plain_one.native:content() }, { 4, 3, 16, 7 })
end

function tests.a_crop_in_the_memory_of_another()
  local image = assert(native.new(30, 20))
  image:fill(12, 5, 8, 6, 200, 100, 50)
  local part, into = t.ok(image:crop(10, 4, 12, 9)), assert(native.new(12, 9))
  into:fill(0, 0, 12, 9, 1, 2, 3)
  t.eq(image:crop(10, 4, 12, 9, into), into)
  t.ok(into:equal(part), "of the same size")
  t.eq(image:crop(10, 4, 6, 5, into), into)
  t.ok(into:equal(t.ok(image:crop(10, 4, 6, 5))), "of another size")
  into:close()
  t.ok(image:crop(10, 4, 12, 9, into):equal(part), "one that was closed")
  t.raises("leaves the image", image.crop, image, 20, 4, 12, 9, into)
  t.ok(into:equal(part), "a refusal leaves it as it was")
  t.raises("in its own memory", image.crop, image, 0, 0, 30, 20, image)
  t.raises("native.Image expected", image.crop, image, 0, 0, 3, 2, {})
end

-- The pixels of looks before the latest two go, and their memory to the next look's: each still tells its own.
function tests.looks_share_memory_and_stay_their_own()
  local looks, how = {}, { width = 6, height = 4, format = "png" }
  for i = 1, 5 do
    local image = assert(native.new(6, 4))
    image:fill(0, 0, 6, 4, i * 10, 0, 0)
    looks[i] = shots.encoded(assert(image:png()), how, shots.new(image), true)
  end
  for _, order in ipairs { { 1, 2, 3, 4, 5 }, { 5, 1, 4, 2, 3 } } do
    for _, i in ipairs(order) do t.eq({ looks[i]:pixel(3, 2) }, { i * 10, 0, 0 }, "look " .. i) end
  end
  for i = 1, 4 do t.ok(looks[i]:difference(looks[i + 1]), "they differ") end
end

function tests.a_picture_scaled_into_another()
  local image = assert(native.new(30, 20))
  image:fill(0, 0, 30, 20, 10, 20, 30)
  local into = assert(native.new(4, 4))
  t.eq(image:scale(15, 10, into), into)
  t.eq({ into:size() }, { 15, 10 })
  t.eq({ into:pixel(14, 9) }, { 10, 20, 30 })
  into:close()
  t.eq({ image:scale(6, 4, into):size() }, { 6, 4 }, "also one that was closed")
  image:fill(12, 5, 8, 6, 200, 100, 50)
  local part = t.ok(image:crop(10, 4, 12, 9))
  t.ok(image:scale(6, 3, into, 10, 4, 12, 9):equal(t.ok(part:scale(6, 3))), "a part of it")
  t.ok(image:scale(12, 9, into, 10, 4, 12, 9):equal(part), "as large as it is")
  t.raises("leaves the image", image.scale, image, 6, 3, into, 20, 4, 12, 9)
  t.raises("number expected", image.scale, image, 6, 3, into, 20)
  t.raises("in its own memory", image.scale, image, 15, 10, image)
  t.raises("native.Image expected", image.scale, image, 15, 10, {})
end

-- Files --------------------------------------------------------------------------------------------------

function tests.a_picture_that_is_kept_as_its_file()
  local desk = assert(desk_module.open { backend = "null", width = 300, height = 200 })
  local shot = assert(desk.screen.shot { region = { 10, 20, 200, 100 }, cursor = false })
  local bytes, how = shot:encode()
  t.eq(how, { format = "png", mime = "image/png", width = 200, height = 100 })
  t.eq(bytes, shot.native:png())
  local kept = shots.encoded(bytes, how, shot, true)
  t.eq({ kept.width, kept.height, kept.frame, kept.monitors }, { 200, 100, shot.frame, shot.monitors })
  shots.encoded(bytes, how, shot, true)
  for _ = 1, 3 do t.eq(rawget(shots.encoded(bytes, how, shot), "native"), nil, "it will not be compared") end
  t.ok(rawget(kept, "native"), "the latest two that will have their pixels")
  shots.encoded(bytes, how, shot, true)
  t.eq(rawget(kept, "native"), nil, "earlier ones have the file alone")
  t.eq({ desk.point(kept:norm_point(1000, 1000)) }, { 209, 119 })
  t.ok(kept:equal(shot), "its pixels are there when they are wanted")
  t.eq(assert(kept:crop { 5, 6, 7, 8 }).frame, { x = 15, y = 26, width = 7, height = 8 })
  t.raises('"png" or "jpeg"', shot.encode, shot, { format = "gif" })
  t.raises("whole number of bytes", shot.encode, shot, { max_bytes = 0 })
  for _, wrong in ipairs { 0, 101, 50.5, "good" } do
    t.raises("quality must be 1 to 100", shot.encode, shot, { format = "jpeg", quality = wrong })
  end
  desk:close()
end

-- A PNG file of 3 x 2 pixels, interlaced, with 16 bits a channel.
local deep = "89504e470d0a1a0a0000000d494844520000000300000002100200000135811d9800000031494441540899633838b7baf0493ec3b"
  .. "568c75f32bd0c9141bd9a930f30163b66317c5d3cd3d75cb14af1f1f6ea0c216900635610a11e33a3eb0000000049454e44ae426082"

function tests.files_of_all_kinds_are_read()
  local png = deep:gsub("%x%x", function(byte) return string.char(tonumber(byte, 16)) end)
  local image = t.ok(native.load(png))
  t.eq({ image:size() }, { 3, 2 })
  t.eq({ image:pixel(0, 0) }, { 193, 123, 228 })
  t.eq({ image:pixel(2, 1) }, { 238, 28, 129 })
  local path = os.tmpname()
  assert(files.write(path, assert(image:jpeg { quality = 100 })))
  t.eq(select("#", assert(shots.load(path)).native:size()), 2)
  files.remove(path)
  for _, broken in ipairs { png:sub(1, -2), "\xff\xd8\xff", "GIF89a", "" } do
    local none, err = native.load(broken)
    t.eq({ none, err.code }, { nil, "protocol" })
  end
  t.raises("string expected", native.load)
end

function tests.jpeg_files()
  local image = assert(native.new(300, 200))
  for y = 0, 199 do image:fill(0, y, 300, 1, y, 255 - y, 90) end
  local size = 0
  for _, quality in ipairs { 1, 50, 80, 100 } do
    local jpeg = t.ok(image:jpeg { quality = quality })
    t.eq(jpeg:sub(1, 3), "\xff\xd8\xff")
    t.ok(#jpeg > size, #jpeg)
    size = #jpeg
    local read = t.ok(native.load(jpeg))
    t.eq({ read:size() }, { 300, 200 })
    local red, green, blue = read:pixel(150, 120)
    local most = math.max(math.abs(red - 120), math.abs(green - 135), math.abs(blue - 90))
    t.ok(most <= (quality < 50 and 40 or 4), most)
  end
  t.eq(image:jpeg(), image:jpeg { quality = 80 })
  t.ok(image:crop(3, 5, 17, 9):jpeg())
  for _, wrong in ipairs { 0, 101, 80.5, "good" } do
    t.raises("quality must be 1 to 100", image.jpeg, image, { quality = wrong })
  end
  t.raises("table expected", image.jpeg, image, 80)
  image:close()
  t.raises("closed", image.jpeg, image)
end

-- What the desk lends is written as it lies there.
function tests.a_jpeg_of_the_screen()
  local desk = assert(desk_module.open { backend = "null", width = 300, height = 200 })
  local lent = assert(desk.native:capture { lend = true })
  local copy = assert(lent:crop(0, 0, 300, 200))
  t.eq(lent:jpeg { quality = 90 }, copy:jpeg { quality = 90 })
  desk:close()
end

-- A picture as a screen shows it: letters and edges on plain ground, so that a PNG of it is small.
local function plain_with_text(width, height)
  local shot = plain(width, height, { x = 0, y = 0, width = width, height = height })
  shot:rectangle({ x = 0, y = 0, width = width, height = height }, { fill = "#e0e0e0" })
  for y = 0, height - 20, 20 do
    shot:label("The quick brown fox " .. y, { x = y % 90, y = y, background = "#e0e0e0" })
  end
  return shot
end

-- Squares of any colour: a JPEG of it is smaller than a PNG.
local function noise(width, height)
  local shot, seed = plain(width, height), 1
  local image = shot.native
  for y = 0, height - 1, 2 do
    for x = 0, width - 1, 2 do
      seed = (seed * 1103515245 + 12345) % 2 ^ 31 // 1
      image:fill(x, y, 2, 2, seed >> 8 & 255, seed >> 16 & 255, seed >> 23 & 255)
    end
  end
  return shot
end

local function read_back(bytes, how)
  t.ok(bytes, how)
  local image = t.ok(native.load(bytes))
  t.eq({ image:size() }, { how.width, how.height })
  t.eq(bytes:sub(1, 3) == "\xff\xd8\xff" and "jpeg" or bytes:sub(2, 4), how.format == "png" and "PNG" or "jpeg")
  t.eq(how.mime, "image/" .. how.format)
  return image
end

function tests.a_file_of_so_many_bytes()
  local text, busy = plain_with_text(400, 300), noise(400, 300)
  local function encode(shot, options)
    local bytes, how = shot:encode(options)
    read_back(bytes, how)
    t.ok(#bytes <= options.max_bytes, #bytes)
    return how
  end
  local png = #text:encode()
  t.eq(encode(text, { max_bytes = png }), { format = "png", mime = "image/png", width = 400, height = 300 })
  -- Of this one JPEG files are larger: it has to be made smaller, and a file that is to be a PNG is one.
  t.eq(encode(text, { max_bytes = png - 1 }).format, "jpeg")
  local small = encode(text, { max_bytes = png // 2, format = "png" })
  t.ok(small.format == "png" and small.width < 400 and small.width > 100, small)
  -- Of this one the quality falls first, then the size.
  local qualities, sides = {}, {}
  local full = #busy:encode { format = "jpeg", quality = 85 }
  for i, most in ipairs { full, full - 1, full // 2, full // 8, 2000, 900 } do
    local how = encode(busy, { max_bytes = most })
    t.eq(how.format, "jpeg")
    qualities[i], sides[i] = how.quality, how.width
  end
  t.eq({ qualities[1], sides[1], qualities[2], sides[2] }, { 85, 400, 70, 400 })
  for i = 2, #sides do t.ok(sides[i] <= sides[i - 1], sides) end
  t.ok(sides[#sides] < 100, sides)
  t.eq(encode(busy, { max_bytes = full, quality = 50 }).quality, 50, "the best that is tried")
  local none, err = busy:encode { max_bytes = 100 }
  t.eq({ none, err.code }, { nil, "invalid" })
  t.has(tostring(err), "100 bytes")
end

-- A smaller file of a scaled crop is clicked in like any other picture.
function tests.a_picture_in_a_small_file_knows_where_it_is()
  local desk = assert(desk_module.open { backend = "null", width = 1200, height = 900 })
  local shot = assert(desk.screen.shot { region = { 100, 60, 1000, 800 }, size = { 500, 500 } })
  local bytes, how = shot:encode { max_bytes = 4000 }
  t.ok(bytes and how.width < 500, how)
  local kept = shots.encoded(bytes, how, shot)
  t.eq({ kept.width, kept.height, kept.frame }, { how.width, how.height, shot.frame })
  t.eq({ desk.point(kept:norm_point(250, 750)) }, { desk.point(shot:norm_point(250, 750)) })
  t.eq({ kept.native:size() }, { how.width, how.height })
  desk:close()
end

function tests.files_are_written_as_their_names_say()
  local desk = assert(desk_module.open { backend = "null", width = 300, height = 200 })
  local stem = os.tmpname()
  files.remove(stem)
  local function written(name, options)
    local path = stem .. name
    options.path = path
    t.ok(desk.screen.shot(options))
    local bytes = files.read(path)
    files.remove(path)
    return bytes:sub(1, 3) == "\xff\xd8\xff" and "jpeg" or bytes:sub(2, 4), #bytes
  end
  t.eq({ (written(".png", {})), (written(".jpg", {})), (written(".JPEG", {})), (written("", {})) },
    { "PNG", "jpeg", "jpeg", "PNG" })
  t.eq((written(".png", { format = "jpeg" })), "jpeg")
  local kind, size = written(".jpg", { max_bytes = 1500 })
  t.ok(kind == "jpeg" and size <= 1500, size)
  kind, size = written(".png", { max_bytes = 1500 })
  t.ok(kind == "PNG" and size <= 1500, size)
  kind, size = written("", { max_bytes = 1500 })
  t.ok(kind == "jpeg" and size <= 1500, size)
  desk:close()
end

-- Painting ---------------------------------------------------------------------------------------------

function tests.painting()
  local shot = plain(40, 30, { x = 0, y = 0, width = 40, height = 30 })
  local copy = assert(shot:copy())
  t.eq(copy.frame, shot.frame)
  t.ok(copy:rectangle({ x = 4, y = 5, width = 10, height = 8 }, { color = "#00ff00", width = 1, fill = "#0000ff" })
    == copy, "gives itself back")
  t.eq({ colour(copy, 4, 5), colour(copy, 13, 12), colour(copy, 5, 6), colour(copy, 14, 12) },
    { "00ff00", "00ff00", "0000ff", "000000" })
  copy:rectangle({ x = 4, y = 5, width = 10, height = 8 }, { fill = "#ffffff80" })
  t.eq({ colour(copy, 4, 5), colour(copy, 5, 6) }, { "80ff80", "8080ff" })
  copy:line({ x = -10, y = 20 }, { x = 100, y = 20 }, { color = "#ABCDEF", width = 1 })
  t.eq({ colour(copy, 0, 20), colour(copy, 39, 20), colour(copy, 0, 19) }, { "abcdef", "abcdef", "000000" })
  copy:label("I", { x = 20, y = 2, background = "#111111", color = "#eeeeee" })
  t.eq({ copy:label_size("I") }, { 9, 13 })
  t.eq({ colour(copy, 20, 2), colour(copy, 28, 14), colour(copy, 24, 8), colour(copy, 29, 8) },
    { "111111", "111111", "eeeeee", "000000" })
  t.ok(not copy:equal(shot) and shot:equal(plain(40, 30)), "the shot itself is as it was")
  copy:rectangle({ x = -100, y = -100, width = 1000, height = 1000 }):label("x\n\xff", { x = -5, y = 25 })
end

function tests.mistakes_in_painting_raise()
  local shot = plain(40, 30)
  local area = { x = 0, y = 0, width = 9, height = 9 }
  t.raises('"#rrggbb"', function() shot:rectangle(area, { color = "red" }) end)
  t.raises('"#rrggbb"', function() shot:rectangle(area, { fill = "#12345" }) end)
  t.raises("width must be a number", function() shot:rectangle { x = 1, y = 1 } end)
  t.raises("1 to 255", function() shot:line({ x = 1, y = 1 }, { x = 2, y = 2 }, { width = 256 }) end)
  t.raises("1 to 16", function() shot:label("x", { x = 1, y = 1, scale = 17 }) end)
  t.raises("out of range", function() shot:rectangle { x = 1 << 40, y = 1, width = 9, height = 9 } end)
end

-- Comparing --------------------------------------------------------------------------------------------

function tests.differences()
  local a, b = plain(50, 40), plain(50, 40)
  t.eq({ a:difference(b) }, {})
  b:rectangle({ x = 10, y = 12, width = 3, height = 2 }, { fill = "#030000" })
  b:rectangle({ x = 30, y = 20, width = 1, height = 1 }, { fill = "#ffffff" })
  t.eq(a:difference(b), { x = 10, y = 12, width = 21, height = 9, pixels = 7, share = 7 / 2000 })
  t.eq(a:difference(b, { tolerance = 3 }), { x = 30, y = 20, width = 1, height = 1, pixels = 1, share = 1 / 2000 })
  t.eq(a:difference(b, { tolerance = 2, area = { x = 11, y = 0, width = 10, height = 13 } }),
    { x = 11, y = 12, width = 2, height = 1, pixels = 2, share = 2 / 130 })
  t.eq({ a:difference(b, { area = { x = 0, y = 0, width = 10, height = 40 } }) }, {})
  t.eq(a:difference(plain(50, 41)), { x = 0, y = 0, width = 50, height = 40, pixels = 2000, share = 1.0 })
  t.raises("inside", function() a:difference(b, { area = { x = 41, y = 0, width = 10, height = 40 } }) end)
  t.raises("0 to 255", function() a:difference(b, { tolerance = 256 }) end)
end

-- Marks ------------------------------------------------------------------------------------------------

-- Where the tags are put, by what is painted: each box has one, with its own number, inside the picture.
function tests.marks_of_what_lies_inside()
  local shot = plain(400, 300, { x = -1000, y = 50, width = 800, height = 600 })
  local list = {
    { index = 3, x = -900, y = 100, width = 200, height = 100 },
    { index = 41, x = -1100, y = 300, width = 150, height = 100 }, -- half of it
    { index = 7, x = 0, y = 0, width = 50, height = 50 },          -- on another monitor
    { index = 8, x = -900, y = 100, width = 0, height = 0 },       -- nowhere
  }
  local marked = assert(shot:marks(list, { color = "#00ff00" }))
  t.ok(shot:equal(plain(400, 300)), "the shot itself is as it was")
  t.eq(marked.frame, shot.frame)
  t.eq({ colour(marked, 149, 74), colour(marked, 150, 74), colour(marked, 149, 75) },
    { "00ff00", "000000", "000000" }, "the bottom right of the first")
  t.eq({ colour(marked, 24, 125), colour(marked, 25, 125) }, { "00ff00", "000000" })
  local none = assert(shot:marks { list[3], list[4] })
  t.ok(none:equal(shot), "nothing to mark")
  local wanted = assert(native.new(400, 300))
  wanted:text(0, 0, "41", 1, 0xffffffff)
  local hit = assert(marked:find(assert(wanted:crop(0, 0, 11, 9)), { min_score = 0.5 }))
  t.ok(hit.x < -950 and hit.y >= 270 and hit.y < 450, hit)
end

local function overlap(a, b)
  local width = math.min(a.x + a.width, b.x + b.width) - math.max(a.x, b.x)
  local height = math.min(a.y + a.height, b.y + b.height) - math.max(a.y, b.y)
  return math.max(0, width) * math.max(0, height)
end

-- A row of small buttons, as in a tool bar: no tag covers a neighbour or another tag by much.
function tests.tags_keep_clear_of_each_other()
  local list = {}
  for i = 1, 30 do
    list[i] = { index = i, x = 20 + (i - 1) % 10 * 36, y = 30 + (i - 1) // 10 * 44, width = 30, height = 24 }
  end
  list[31] = { index = 31, x = 0, y = 0, width = 400, height = 300 }
  local boxes = marks.layout(plain(400, 300), list, 1)
  t.eq(#boxes, 31)
  for i, box in ipairs(boxes) do
    local tag = box.tag
    t.eq(box.text, tostring(list[i].index))
    t.ok(tag.x >= 0 and tag.y >= 0 and tag.x + tag.width <= 400 and tag.y + tag.height <= 300, box)
    for k, other in ipairs(boxes) do
      local covered = overlap(tag, other) / (other.width * other.height)
      t.ok(k == i or covered < 0.1, ("the tag of %d covers %.2f of %d"):format(i, covered, k))
      t.ok(k == i or overlap(tag, other.tag) == 0, ("the tags of %d and %d"):format(i, k))
    end
  end
end

function tests.what_is_worth_a_mark()
  local function element(index, parent, actions, width)
    return { index = index, parent = parent, actions = actions, x = 0, y = 0, width = width or 10, height = 10 }
  end
  local chosen = marks.choose { element(1, nil, 0), element(2, 1, 0), element(3, 2, 1), element(4, 3, 0),
    element(5, 2, 0, 0), element(6, 5, 0) }
  local indices = {}
  for i, one in ipairs(chosen) do indices[i] = one.index end
  t.eq(indices, { 3, 4, 6 })
end

function tests.what_is_covered_gets_no_mark()
  local function window(pid, x, more)
    local made = { pid = pid, x = x, y = 0, width = 100, height = 100, visible = true, minimized = false }
    for key, value in pairs(more or {}) do made[key] = value end
    return made
  end
  local function is_marked(windows)
    return #marks.choose({ { index = 1, actions = 1, pid = 7, x = 40, y = 40, width = 20, height = 20 } }, windows) == 1
  end
  t.ok(is_marked {})
  t.ok(is_marked { window(7, 0) })
  t.ok(is_marked { window(8, 0), window(7, 0) })
  t.ok(not is_marked { window(7, 0), window(8, 0) })
  t.ok(is_marked { window(7, 0), window(8, 51) })
  t.ok(is_marked { window(7, 0), window(8, 0, { minimized = true }) })
  t.ok(is_marked { window(7, 0), window(8, 0, { visible = false }) })
  t.ok(is_marked { window(7, 60), window(8, 0) }, "a menu that reaches out of its window")
  t.ok(is_marked { window(7, 0), window(8, 0), window(7, 0) }, "its program has a window above")
end

return tests
