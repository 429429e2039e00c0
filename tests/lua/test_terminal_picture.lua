-- Pictures for a terminal: each way is decoded here, and compared with the pixels.
local files = require "deskpilot.base.files"
local native = require "native.image"
local picture = require "deskpilot.cli.prompt.picture"
local shots = require "deskpilot.desk.picture.shot"
local t = require "harness"

local tests = {}

-- Of the given size: left half red, right half a dark blue, the lowest row white.
local function drawn(width, height)
  local image = native.new(width, height)
  image:fill(0, 0, width // 2, height, 255, 0, 0)
  image:fill(width // 2, 0, width - width // 2, height, 0, 0, 128)
  image:fill(0, height - 1, width, 1, 255, 255, 255)
  return shots.new(image)
end

local function environment(values)
  return function(name) return values[name] end
end

local nothing = environment {}

function tests.the_way_is_the_terminal_s()
  local ways = { [{ TERM = "xterm-256color" }] = "blocks", [{ TERM = "xterm-kitty" }] = "kitty",
    [{ TERM = "xterm-256color", TERM_PROGRAM = "WezTerm" }] = "kitty", [{ TERM = "foot" }] = "sixel",
    [{ TERM = "mlterm-256color" }] = "sixel", [{ TERM = "foot", TMUX = "/tmp/x,1,0" }] = "blocks",
    [{ TERM = "screen", KITTY_WINDOW_ID = "1" }] = "blocks", [{}] = "blocks" }
  for values, way in pairs(ways) do t.eq(picture.way(environment(values)), way, t.show(values)) end
  local none, err = picture.of(drawn(4, 4), { columns = 80, rows = 24 }, "smoke")
  t.eq(none, nil)
  t.has(tostring(err), "kitty, sixel or blocks")
end

-- What kitty is sent is a PNG in pieces of at most 4,096 bytes, of which only the last says that it is that.
function tests.kitty()
  local shot = shots.new(native.new(200, 150))
  for x = 0, 199 do -- as good as noise: the file is long
    for y = 0, 149 do
      local mixed = (x * 7919 + y * 104729) * 2654435761
      shot.native:fill(x, y, 1, 1, mixed >> 8 & 255, mixed >> 17 & 255, mixed >> 25 & 255)
    end
  end
  local bytes = t.ok(picture.of(shot, { columns = 61, rows = 24 }, "kitty", nothing))
  local coded, pieces = {}, {}
  local rest = bytes:gsub("\27_G([^;]*);([^\27]*)\27\\", function(keys, piece)
    pieces[#pieces + 1] = keys
    coded[#coded + 1] = piece
    t.ok(#piece <= 4096, #piece)
    return ""
  end)
  t.eq(rest, "\n")
  t.ok(#pieces > 2, #pieces)
  t.has(pieces[1], "a=T,f=100,q=2,c=60,m=1")
  t.eq(pieces[2], "m=1")
  t.eq(pieces[#pieces], "m=0")
  local path = files.join(files.temporary_folder(), "kitty.png")
  t.ok(files.write(path, t.ok(native.from_base64(table.concat(coded)))))
  t.ok(t.ok(shots.load(path)):equal(shot), "the picture that kitty would show")
end

-- The pixels of a sixel picture, by y and x, as numbers of its palette.
local function decode_sixels(bytes)
  local width, height, body = bytes:match "^\27Pq\"1;1;(%d+);(%d+)(.*)\27\\\n$"
  local palette, pixels, x, y, colour = {}, {}, 0, 0, nil
  body = body:gsub("#(%d+);2;(%d+);(%d+);(%d+)", function(number, red, green, blue)
    palette[tonumber(number)] = { tonumber(red), tonumber(green), tonumber(blue) }
    return ""
  end)
  local function put(character, count)
    for i = x, x + count - 1 do
      for bit = 0, 5 do
        if character - 63 & 1 << bit ~= 0 then
          pixels[y + bit] = pixels[y + bit] or {}
          pixels[y + bit][i] = palette[colour]
        end
      end
    end
    x = x + count
  end
  for sign, count, character in body:gmatch "([#!]?)(%d*)([^#!%d]?)" do
    if sign == "#" then colour = tonumber(count) end
    if character == "$" then x = 0
    elseif character == "-" then x, y = 0, y + 6
    elseif character ~= "" then put(character:byte(), sign == "!" and tonumber(count) or 1) end
  end
  return tonumber(width), tonumber(height), pixels
end

function tests.sixels()
  local width, height, pixels = decode_sixels(t.ok(picture.of(drawn(20, 15), { columns = 80, rows = 24 }, "sixel",
    nothing)))
  t.eq({ width, height }, { 20, 15 })
  t.eq(pixels[0][0], { 100, 0, 0 })
  t.eq(pixels[13][9], { 100, 0, 0 })
  t.eq(pixels[7][10], { 0, 0, 60 })
  for x = 0, 19 do t.eq(pixels[14][x], { 100, 100, 100 }) end
  t.eq(pixels[15], nil, "nothing below it")
end

function tests.blocks()
  local bytes = t.ok(picture.of(drawn(8, 5), { columns = 80, rows = 24 }, "blocks",
    environment { COLORTERM = "truecolor" }))
  local red, blue = "\27[38;2;255;0;0;48;2;255;0;0m" .. ("▀"):rep(4), "\27[38;2;0;0;128;48;2;0;0;128m" .. ("▀"):rep(4)
  t.eq(bytes, (red .. blue .. "\27[0m\n"):rep(2) .. "\27[38;2;255;255;255;49m" .. ("▀"):rep(8) .. "\27[0m\n")
  bytes = t.ok(picture.of(drawn(8, 5), { columns = 80, rows = 24 }, "blocks", nothing))
  t.has(bytes, "\27[38;5;196;48;5;196m")
  t.has(bytes, "\27[38;5;18;48;5;18m") -- 0, 0, 135
  t.has(bytes, "\27[38;5;231;49m")
end

-- It is never larger than the terminal.
function tests.it_fits()
  local bytes = t.ok(picture.of(drawn(1000, 4000), { columns = 40, rows = 20 }, "blocks", nothing))
  local lines = select(2, bytes:gsub("\n", ""))
  t.ok(lines <= 18, lines)
  for line in bytes:gmatch "[^\n]+" do
    t.ok(select(2, line:gsub("▀", "")) <= 39, line)
  end
end

return tests
