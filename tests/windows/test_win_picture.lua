-- Pictures on Windows: a button found by its picture and clicked, boxes where the application says that its
-- controls are. Judged by the test application's log and by pixels.
local testapp = dofile "tests/windows/testapp.lua"
local files = require "deskpilot.base.files"
local harness = require "harness"
local marks = require "deskpilot.desk.picture.marks"
local shots = require "deskpilot.desk.picture.shot"
local spawn = require "spawn"

local tests = {}

local function with_app(fn)
  testapp.with({ at = "100,100" }, function(desk, app)
    harness.ok(desk.mouse.move { 1200, 780 })
    harness.ok(desk.settle { quiet = 0.4 })
    fn(desk, app)
  end)
end

function tests.found_and_clicked()
  with_app(function(desk, app)
    local place = app:control "beta"
    local path = files.join(app.folder, "beta.png")
    local beta = harness.ok(desk.screen.shot { region = place, cursor = false })
    harness.ok(beta:save(path))
    local hit, err = desk.screen.find_image(path)
    if not harness.ok(hit, err) then return end
    harness.eq({ hit.x, hit.y, hit.width, hit.height }, { place.x, place.y, place.width, place.height })
    app:mark()
    harness.ok(desk.mouse.click(hit))
    app:wait_for { event = "clicked", target = "beta" }
    -- By a point found in a crop of a picture twice as large.
    local size = harness.ok(desk.screen.size())
    local double = harness.ok(desk.screen.shot { cursor = false }):scale(2 * size.width, 2 * size.height)
    local alpha = app:control "alpha"
    local x, y = 2 * (alpha.x - size.x), 2 * (alpha.y - size.y)
    local part = harness.ok(double:crop { x = x - 31, y = y - 17, width = 131, height = 77 })
    harness.eq({ desk.point(part:point(31, 17)) }, { alpha.x, alpha.y })
    app:mark()
    harness.ok(desk.mouse.click(part:point(31 + alpha.width, 17 + alpha.height)))
    app:wait_for { event = "clicked", target = "alpha" }
  end)
end

function tests.marked()
  with_app(function(desk, app)
    local place = app:control "gamma"
    local path = files.join(app.folder, "marks.png")
    local child = spawn.run { spawn.program, "shot", "--marks", "--no-cursor", "-o", path }
    harness.eq(child.status, 0, child.stderr)
    local file = harness.ok(shots.load(path))
    local chosen = marks.choose(harness.ok(desk.elements.list { pid = app.pid }))
    harness.ok(#chosen >= 10, #chosen)
    local size = harness.ok(desk.screen.size())
    local x, y = place.x - size.x, place.y - size.y
    local red, green, blue = file:pixel(x, y + place.height // 2)
    local bottom = y + place.height - 1
    for _, at in ipairs { { x + place.width // 2, bottom }, { x + place.width // 4, bottom },
      { x + place.width - 1, y + place.height // 2 } } do
      harness.eq({ file:pixel(at[1], at[2]) }, { red, green, blue })
    end
    local shot = harness.ok(desk.screen.shot { region = place, cursor = false })
    harness.ok(("%d,%d,%d"):format(shot:pixel(0, place.height // 2)) ~= ("%d,%d,%d"):format(red, green, blue),
      "the button has no such edge of its own")
  end)
end

return tests
