-- A button known by its picture alone: found after its window was moved, clicked, waited for. Judged by
-- what the calculator shows.
local desk_module = require "deskpilot.desk"
local harness = require "harness"
local private = require "deskpilot.desk.private"
local task = require "deskpilot.base.task"

local tests = {}

local function with_calculator(fn)
  local session = assert(private.start { size = { 1280, 800 }, apps = { { "galculator" } } })
  local guard <close> = setmetatable({}, { __close = function() session:abandon() end })
  assert(guard)
  local desk = assert(desk_module.open { display = session.display, bus = session.bus_address, session = session })
  fn(desk)
  desk:close()
  session:stop()
end

local function shown(desk)
  local display = desk.elements.find { app = "galculator", role = "text" }
  return display and display.text
end

-- The picture of a button as it is when the pointer is elsewhere, and where it was.
local function picture_of(desk, name)
  local button = assert(desk.elements.find { name = name, app = "galculator", timeout = 5 })
  assert(desk.mouse.move { x = 1270, y = 790 })
  assert(desk.settle())
  return assert(desk.screen.shot { region = { x = button.x, y = button.y, width = button.width,
    height = button.height }, cursor = false }), button
end

function tests.found_again_and_clicked()
  with_calculator(function(desk)
    local seven, button = picture_of(desk, "7")
    local window = assert(desk.windows.find { class = "galculator" })
    assert(desk.windows.place(window, { x = window.x == 500 and 300 or 500, y = 313 }))
    assert(desk.settle())
    local hit, err = desk.screen.find_image(seven)
    if not harness.ok(hit, err) then return end
    local now = assert(desk.elements.find { name = "7", app = "galculator" })
    harness.ok(now.x ~= button.x, "the window has moved")
    harness.eq({ hit.x, hit.y }, { now.x, now.y })
    harness.ok(desk.mouse.click(hit))
    harness.ok(desk.wait_until(function() return shown(desk) == "7" end, { timeout = 5 }), shown(desk))
    assert(desk.mouse.move { x = 1270, y = 790 })
    assert(desk.settle { quiet = 0.3 })
    -- In a shot of a part of the screen, too.
    local whole = assert(desk.screen.shot { region = { x = 100, y = 100, width = 1100, height = 690 },
      cursor = false })
    harness.ok(desk.mouse.click(assert(whole:find(seven))))
    harness.ok(desk.wait_until(function() return shown(desk) == "77" end, { timeout = 5 }), shown(desk))
  end)
end

function tests.waited_for()
  with_calculator(function(desk)
    local seven = picture_of(desk, "7")
    assert(desk.windows.minimize { class = "galculator" })
    assert(desk.settle())
    local none, err = desk.screen.find_image(seven)
    harness.eq(none, nil)
    harness.eq(err.code, "not_found")
    local waiting = task.start(desk.screen.find_image, seven, { timeout = 10 })
    assert(desk.windows.restore { class = "galculator" })
    local ok, hit, why = waiting:wait()
    if not harness.ok(ok and hit, why or hit) then return end
    local now = assert(desk.elements.find { name = "7", app = "galculator" })
    harness.eq({ hit.x, hit.y }, { now.x, now.y })
  end)
end

return tests
