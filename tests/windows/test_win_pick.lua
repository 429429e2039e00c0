-- `deskpilot pick` beside the test application: what it tells is run, its frame is looked at by another connection, and
-- what it copies is pasted.
local testapp = dofile "tests/windows/testapp.lua"
local harness = require "harness"
local json = require "deskpilot.base.json"
local spawn = require "spawn"

local tests = {}

local FRAME = "#FF2D95"

local function middle(place)
  return place.x + place.width // 2, place.y + place.height // 2
end

local function run(desk, line)
  return assert(load("return " .. line, line, "t", { desk = desk, assert = assert }))()
end

local function colour(desk, x, y)
  local shot = assert(desk.screen.shot { region = { x, y, 1, 1 }, cursor = false })
  return ("#%02X%02X%02X"):format(shot:pixel(0, 0))
end

local function is_framed(desk, place)
  local x, y = middle(place)
  return colour(desk, place.x - 2, y) == FRAME and colour(desk, place.x + place.width + 1, y) == FRAME
    and colour(desk, x, place.y - 2) == FRAME and colour(desk, x, place.y + place.height + 1) == FRAME
end

local function told(child, name)
  return harness.wait_until("to be told of " .. name, function()
    for line in child.stdout:gmatch "([^\r\n]+)\r?\n" do
      local data = json.decode(line)
      if data and data.element and data.element.name == name then return data end
    end
  end, 30)
end

function tests.one_point()
  testapp.with({ title = "Fenster — 窓" }, function(desk, app)
    for control, name in pairs { beta = "Beta", agree = "I agree", name = "Name:" } do
      local place = app:control(control)
      local x, y = middle(place)
      local child = spawn.run { spawn.program, "pick", "--json", "--at", ("%d,%d"):format(x, y) }
      harness.eq(child.status, 0, child.stderr)
      local data = json.decode(child.stdout) or {}
      harness.eq({ data.window.title, data.element.name }, { "Fenster — 窓", name }, child.stdout)
      harness.eq(data.element.place, place)
      harness.eq(data.colour, colour(desk, x, y))
      local found = harness.ok(run(desk, data.line))
      harness.eq({ found.x, found.y, found.name }, { place.x, place.y, name }, data.line)
    end
    local child = spawn.run { spawn.program, "pick", "--at", "99999,5" }
    harness.eq(child.status, 1)
    harness.has(child.stderr, "lies outside the screen")
  end)
end

function tests.while_the_pointer_moves()
  testapp.with(nil, function(desk, app)
    local child = spawn.start { spawn.program, "pick", "--json" }
    child:wait_for_word "move the pointer"
    local data
    for _, control in ipairs { "alpha", "gamma" } do
      local place = app:control(control)
      harness.ok(desk.mouse.move(place))
      data = told(child, control == "alpha" and "Alpha" or "Gamma")
      harness.wait_until("the frame around " .. control, function() return is_framed(desk, place) end, 30)
      app:mark()
      harness.ok(desk.mouse.click(place))
      app:wait_for { event = "clicked", target = control }
    end
    harness.ok(desk.keyboard.press "ctrl+alt+p")
    child:wait_for_word("copied: " .. data.line)
    app:focus(desk, "name")
    harness.ok(desk.keyboard.press "ctrl+v")
    app:wait_for { event = "text", target = "name", text = data.line }
    local place = app:control "name"
    harness.wait_until("the frame around the field", function() return is_framed(desk, place) end, 30)
    child:kill "sigkill"
    child:wait()
    harness.wait_until("no frame", function() return colour(desk, place.x - 2, place.y + 5) ~= FRAME end, 30)
  end)
end

return tests
