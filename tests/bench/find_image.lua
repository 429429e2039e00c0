--- How long it takes to find a picture of 64 x 64 pixels on a screen: one that was cut from it, and ones that do
--- not show. In a process of its own, as frames.lua. Prints one JSON object: case -> list of milliseconds.
---   deskpilot-test tests/bench/find_image.lua ROUNDS FOLDER   (DISPLAY names the desktop)
--- FOLDER gets the screen and a picture cut from it as files, for other tools to look for.
local uv = require "luv"
local desk_module = require "deskpilot.desk"
local json = require "deskpilot.base.json"
local native = require "native.image"
local shots = require "deskpilot.desk.picture.shot"

local rounds, folder = tonumber(arg[1]) or 10, arg[2]
local side = 64
local samples = {}

local random = 1
local function next_random(limit)
  random = (random * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff
  return (random >> 33) % limit
end

-- Pictures that a screen of applications does not hold, each of another kind.
local absent = {}

function absent.flat() -- of one colour
  local image = assert(native.new(side, side))
  image:fill(0, 0, side, side, 201, 17, 93)
  return shots.new(image)
end

function absent.noisy() -- no two pixels alike
  local image = assert(native.new(side, side))
  for y = 0, side - 1 do
    for x = 0, side - 1 do image:fill(x, y, 1, 1, next_random(256), next_random(256), next_random(256)) end
  end
  return shots.new(image)
end

function absent.textured() -- stripes and squares, as icons and letters are made of
  local image = assert(native.new(side, side))
  image:fill(0, 0, side, side, 240, 240, 240)
  for _ = 1, 60 do
    local x, y = next_random(side - 12), next_random(side - 12)
    image:fill(x, y, 1 + next_random(12), 1 + next_random(4), next_random(128), next_random(128), next_random(256))
  end
  return shots.new(image)
end

-- A place of the screen where something is to be seen.
local function cut(screen)
  for _ = 1, 1000 do
    local area = { x = next_random(screen.width - side), y = next_random(screen.height - side), width = side,
      height = side }
    local part = assert(screen:crop(area))
    local ground = assert(part:copy())
    local red, green, blue = part:pixel(0, 0)
    ground.native:fill(0, 0, side, side, red, green, blue)
    local difference = part:difference(ground)
    if difference and difference.share > 0.1 then return part end
  end
  error("nothing is on the screen")
end

local function time(name, fn)
  local began = uv.hrtime()
  local hits = assert(fn())
  samples[name] = samples[name] or {}
  table.insert(samples[name], (uv.hrtime() - began) / 1e6)
  return hits
end

local function measure()
  local desk = assert(desk_module.open {})
  local screen = assert(desk.screen.shot { cursor = false })
  local pictures = {}
  for name, make in pairs(absent) do pictures[name] = make() end
  for round = 1, rounds + 2 do
    if round == 3 then samples = {} end -- two to warm up
    local part = cut(screen)
    local hits = time("shown", function() return screen:find_all(part, { max = 1 }) end)
    assert(hits[1] and hits[1].score > 0.999, "it was not found")
    time("from_screen", function() return desk.screen.find_images(part, { max = 1 }) end)
    for name, picture in pairs(pictures) do
      hits = time("absent_" .. name, function() return screen:find_all(picture, { max = 1 }) end)
      assert(#hits == 0, name .. " was found")
    end
  end
  if folder then
    assert(screen:save(folder .. "/screen.png"))
    assert(cut(screen):save(folder .. "/part.png"))
  end
  desk:close()
  io.stdout:write("JSON ", json.encode({ samples = samples }), "\n")
end

return { find = function()
  measure()
  require("harness").ok(true)
end }
