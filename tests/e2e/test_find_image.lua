-- A button known by its picture alone: found after its window was moved, clicked, gone and back. Judged by
-- what the calculator shows.
local desktop = require "desktop"
local harness = require "harness"

local tests = {}

local function with_calculator(fn)
  desktop.with({ apps = { { "galculator" } }, timing = { elements = 10, window = 10 } }, fn)
end

local function shown(desk)
  local display = desk.elements.find { app = "galculator", role = "text" }
  return display and display.text
end

-- A window's own picture is taken when its application has drawn all that it was to draw.
local function drawn(desk)
  local shot = assert(desk.screen.shot { window = "galculator" })
  assert(not shot.incomplete)
  assert(desk.settle())
end

-- The button of that name where it is in the window, also where the application is yet to hear that it was moved.
local function button_in_place(desk, name, before)
  local window = assert(desk.windows.find { class = "galculator" })
  return harness.wait_until("the button in its new place", function()
    local now = desk.elements.find { name = name, app = "galculator" }
    return now and now.x - window.x == before.left and now.y - window.y == before.top and now
  end)
end

-- The picture of a button as it is when the pointer is elsewhere, and where it was: on the screen, and in its window.
local function picture_of(desk, name)
  assert(desk.elements.find { name = name, app = "galculator", timeout = 20 })
  assert(desk.mouse.move { x = 1270, y = 790 })
  drawn(desk)
  local button = assert(desk.elements.find { name = name, app = "galculator" })
  local window = assert(desk.windows.find { class = "galculator" })
  button.left, button.top = button.x - window.x, button.y - window.y
  return assert(desk.screen.shot { region = { x = button.x, y = button.y, width = button.width,
    height = button.height }, cursor = false }), button
end

function tests.found_again_and_clicked()
  with_calculator(function(desk)
    local seven, button = picture_of(desk, "7")
    local window = assert(desk.windows.find { class = "galculator" })
    assert(desk.windows.place(window, { x = window.x == 500 and 300 or 500, y = 313 }))
    drawn(desk)
    local hit, err = desk.screen.find_image(seven)
    if not harness.ok(hit, err) then return end
    local now = button_in_place(desk, "7", button)
    harness.ok(now.x ~= button.x, "the window has moved")
    harness.eq({ hit.x, hit.y }, { now.x, now.y })
    harness.ok(desk.mouse.click(hit))
    harness.ok(desk.wait_until(function() return shown(desk) == "7" end, { timeout = 20 }), shown(desk))
    assert(desk.mouse.move { x = 1270, y = 790 })
    assert(desk.settle { quiet = 0.3 })
    -- In a shot of a part of the screen, too.
    local whole = assert(desk.screen.shot { region = { x = 100, y = 100, width = 1100, height = 690 },
      cursor = false })
    harness.ok(desk.mouse.click(assert(whole:find(seven))))
    harness.ok(desk.wait_until(function() return shown(desk) == "77" end, { timeout = 20 }), shown(desk))
  end)
end

function tests.gone_and_back_again()
  with_calculator(function(desk)
    local seven, button = picture_of(desk, "7")
    assert(desk.windows.minimize { class = "galculator" })
    assert(desk.settle())
    local none, err = desk.screen.find_image(seven)
    harness.eq(none, nil)
    harness.eq(err.code, "not_found")
    harness.has(tostring(err), ("%d x %d"):format(seven.width, seven.height))
    harness.eq(#assert(desk.screen.find_images(seven)), 0)
    assert(desk.windows.restore { class = "galculator" })
    local hit = desk.wait_until(function() return desk.screen.find_image(seven) end, { timeout = 20 })
    if not harness.ok(hit, "it shows again") then return end
    local now = button_in_place(desk, "7", button)
    harness.eq({ hit.x, hit.y }, { now.x, now.y })
    -- Not where it is not looked for.
    harness.eq(desk.screen.find_image(seven, { region = { x = 0, y = 0, width = now.x + 5, height = 800 } }), nil)
    harness.ok(desk.screen.find_image(seven, { window = "galculator" }))
  end)
end

function tests.kept_in_a_file()
  with_calculator(function(desk)
    local equals, button = picture_of(desk, "=")
    local path = os.tmpname()
    assert(equals:save(path))
    local hits = assert(desk.screen.find_images(path, { min_score = 0.9 }))
    os.remove(path)
    harness.eq(#hits, 1)
    harness.eq({ hits[1].x, hits[1].y, hits[1].width, hits[1].height },
      { button.x, button.y, button.width, button.height })
    harness.ok(hits[1].score > 0.999, hits[1].score)
  end)
end

return tests
