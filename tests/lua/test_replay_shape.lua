--- What a recorded picture shows, in other colours and sizes: keys with words, painted as a program would.
local t = require "harness"
local native = require "native.image"
local replay_shape = require "deskpilot.replay.shape"
local shots = require "deskpilot.desk.picture.shot"

local tests = {}

local light = { paper = { 246, 245, 244 }, edge = 0xb0b0b0ff, ink = 0x202020ff }
local dark = { paper = { 48, 48, 48 }, edge = 0x707070ff, ink = 0xf0f0f0ff }

-- A window with keys in rows of two: their words, the size of its letters, and of each key.
local function window(words, look, scale, key)
  local image = native.new(2 * key.width + 30, #words // 2 * (key.height + 10) + 10)
  local width, height = image:size()
  image:fill(0, 0, width, height, table.unpack(look.paper))
  local places = {}
  for i, word in ipairs(words) do
    local x, y = 10 + (i - 1) % 2 * (key.width + 10), 10 + (i - 1) // 2 * (key.height + 10)
    local across, down = image:text_size(word, scale)
    image:rectangle(x, y, key.width, key.height, 1, look.edge)
    image:text(x + (key.width - across) // 2, y + (key.height - down) // 2, word, scale, look.ink)
    places[word] = { x = x, y = y, width = key.width, height = key.height, middle = { x = x + key.width // 2,
      y = y + key.height // 2 } }
  end
  return shots.new(image, { x = 0, y = 0, width = width, height = height }, {}), places
end

local words = { "Open", "Close", "Save", "Save all", "Print", "Quit" }
local small = { width = 90, height = 30 }

-- The picture of a key, as a run keeps it where there are no elements, and which pixel of it is meant.
local function recorded(word)
  local shot, places = window(words, light, 1, small)
  local at = places[word].middle
  local left, top = math.max(0, at.x - 48), math.max(0, at.y - 24)
  local right, bottom = math.min(shot.width, at.x + 48), math.min(shot.height, at.y + 24)
  return assert(shot.native:crop(left, top, right - left, bottom - top)), { at.x - left, at.y - top },
    { at.x / shot.width, at.y / shot.height }
end

local function found(word, shot)
  local picture, spot, share = recorded(word)
  return replay_shape.find(shot, picture, spot, { x = math.floor(share[1] * shot.width),
    y = math.floor(share[2] * shot.height) })
end

local function is_in(place, key)
  return place and place.x >= key.x and place.x < key.x + key.width and place.y >= key.y
    and place.y < key.y + key.height
end

function tests.a_mark_is_the_word_and_not_what_is_around_it()
  local picture, spot = recorded "Save"
  local mark = replay_shape.mark(picture, spot)
  local across, down = native.new(1, 1):text_size("Save", 1)
  t.ok(mark.width >= across and mark.width <= across + 16 and mark.height <= down + 12, mark)
  local blank = native.new(96, 48)
  blank:fill(0, 0, 96, 48, 246, 245, 244)
  t.eq(replay_shape.mark(blank, { 48, 24 }), nil)
end

function tests.a_key_is_found_in_other_colours_and_sizes()
  for name, how in pairs { ["as it was"] = { light, 1, small }, ["in dark colours"] = { dark, 1, small },
    ["in a larger window"] = { light, 1, { width = 140, height = 44 } },
    ["in larger letters"] = { light, 2, { width = 130, height = 40 } },
    ["in larger letters and dark colours"] = { dark, 2, { width = 130, height = 40 } } } do
    local shot, places = window(words, table.unpack(how))
    for _, word in ipairs(words) do
      local place, err = found(word, shot)
      t.ok(is_in(place, places[word]), ("%s %s: %s"):format(word, name, t.show(place or tostring(err))))
    end
  end
end

function tests.a_key_that_is_not_there_is_not_found()
  for i, word in ipairs(words) do
    for _, look in ipairs { light, dark } do
      local others = table.move(words, 1, #words, 1, {})
      others[i] = ("#"):rep(#word) -- it was given another name
      local place, err = found(word, (window(others, look, 1, small)))
      t.eq({ word, place, err and err.code }, { word, nil, "not_found" })
    end
  end
end

function tests.of_two_that_look_alike_none_is_taken()
  local twice = { "Open", "Close", "Save", "Save", "Print", "Quit" }
  local picture, spot = recorded "Save"
  local shot, places = window(twice, dark, 1, small)
  local between = (places.Save.middle.x - 100 + places.Save.middle.x) // 2
  local place, err = replay_shape.find(shot, picture, spot, { x = between, y = places.Save.middle.y })
  t.eq(place, nil)
  t.ok(tostring(err):find("two places look like it", 1, true), err)
end

return tests
