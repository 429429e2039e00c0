--- The part of the benchmark that is timed inside the process, in a process of its own so that
--- `taskset` can give it one core. Prints one JSON object: case -> list of milliseconds.
---   deskpilot-test tests/bench/frames.lua ROUNDS   (DISPLAY names the desktop)
local uv = require "luv"
local native = require "native.image"
local json = require "deskpilot.base.json"

local rounds = tonumber(arg[1]) or 5
local samples, bytes = {}, {}

local function time(name, fn)
  local began = uv.hrtime()
  local result = fn()
  samples[name] = samples[name] or {}
  table.insert(samples[name], (uv.hrtime() - began) / 1e6)
  return result
end

local encoding = { compressor = "screen" }

-- A frame that shares no strip with what is on screen: after it everything is compressed anew.
local function unlike(width, height)
  local image = assert(native.new(width, height))
  image:fill(0, 0, width, height, 17, 34, 51)
  return image
end

local function scroll_three_strips(image, round)
  for strip = 0, 2 do image:fill(100, 100 + strip * 400, 600, 16, round % 256, 40 * strip, 200) end
end

-- A request as a turn sends it, without its waiting: frame, scale, PNG, base64, JSON.
local function observation(desk, encoder, other)
  local chat = require "deskpilot.model.wires.chat"
  local request = require "deskpilot.model.request"
  local words = ("[12] push button \"Seven\" [512,300] focused\n"):rep(120)
  encoder:encode(other, encoding)
  desk:move(400, 200) -- so that all of it is fetched
  time("observation", function()
    local frame = assert(desk:capture { cursor = true, lend = true }):scale(1536, 864)
    local base64 = native.base64(encoder:encode(frame, encoding))
    return request.pieces({ messages = { { role = "system", content = "You are." }, { role = "user", content = {
      { type = "text", text = words }, { type = "image", base64 = base64, mime = "image/png" } } } } }, chat,
      { model = "m" })
  end)
end

local function one_round(desk, encoder, small, other, other_small, round)
  encoder:encode(other, encoding)
  desk:move(300 + round % 2, 200) -- so that all of it is fetched
  local function shot() return encoder:encode(assert(desk:capture { cursor = true, lend = true }), encoding) end
  bytes.full = #time("full", shot)
  time("unchanged", shot)
  local changed = assert(desk:capture { cursor = true })
  scroll_three_strips(changed, round)
  time("three_strips", function()
    -- The capture and the encoding are timed, the painting between them is not part of either.
    return encoder:encode(changed, encoding)
  end)
  local encoding_alone = table.remove(samples.three_strips)
  desk:move(200 + round % 2, 200) -- or the screen would not have to be fetched
  local began = uv.hrtime()
  assert(desk:capture { cursor = true, lend = true })
  table.insert(samples.three_strips, encoding_alone + (uv.hrtime() - began) / 1e6)
  local frame = assert(desk:capture { cursor = true, lend = true })
  time("downscale", function() return frame:scale(1536, 864) end)
  observation(desk, small, other_small)
end

-- After all rounds: libjpeg's and libpng's pictures push the encoder's own out of the caches, and give their memory
-- back to the system, so that the next measurement would pay for it.
local function other_codecs(desk, encoder)
  local frame = assert(desk:capture { cursor = true })
  local png = encoder:encode(frame, encoding)
  for _ = 1, rounds do
    bytes.jpeg = #time("jpeg", function() return frame:jpeg { quality = 80 } end)
    time("load", function() return native.load(png) end)
  end
end

local function measure()
  local desk = assert(require("native.desk").open {})
  local screen = desk:screen()
  local other, other_small = unlike(screen.width, screen.height), unlike(1536, 864)
  local encoder, small = native.encoder(), native.encoder()
  for round = 1, rounds + 2 do
    if round == 3 then samples = {} end -- two to warm up
    one_round(desk, encoder, small, other, other_small, round)
  end
  other_codecs(desk, encoder)
  desk:close()
  io.stdout:write("JSON ", json.encode({ samples = samples, bytes = bytes }), "\n")
end

return { frames = function()
  measure()
  require("harness").ok(true)
end }
