--- A picture in a terminal: by kitty's graphics protocol or by sixels where the terminal has one of them, else by half
--- blocks, two pixels a character, which every terminal of a dozen years shows.
local errors = require "deskpilot.base.errors"
local native = require "native.image"

local picture = {}

---@alias deskpilot.picture_way "kitty"|"sixel"|"blocks"

local ESC = "\27"

-- --- which way ----------------------------------------------------------------------------------------------------

local kitty_terms = { ["xterm-kitty"] = true, ["xterm-ghostty"] = true }
local kitty_programs = { WezTerm = true, ghostty = true }
local sixel_terms = { foot = true, mlterm = true, yaft = true, contour = true, ["xterm-sixel"] = true }

--- The best way of a terminal as its environment tells. One inside tmux or screen gets blocks: these pass on no
--- pictures unless they are told to.
---@param getenv fun(name: string): string?
---@return deskpilot.picture_way
function picture.way(getenv)
  local term = getenv "TERM" or ""
  if getenv "TMUX" or getenv "STY" or term:find "^tmux" or term:find "^screen" then return "blocks" end
  local program = getenv "TERM_PROGRAM" or ""
  if getenv "KITTY_WINDOW_ID" or kitty_terms[term] or kitty_programs[program] then return "kitty" end
  return (sixel_terms[term] or sixel_terms[term:match "^%a*"]) and "sixel" or "blocks"
end

local function has_all_colours(getenv)
  local said = getenv "COLORTERM"
  return said == "truecolor" or said == "24bit" or getenv "WT_SESSION" ~= nil
end

-- --- the ways -----------------------------------------------------------------------------------------------------

local makers = {}

local kitty_piece = 4096 -- bytes of base64, by the protocol

-- https://sw.kovidgoyal.net/kitty/graphics-protocol/: a PNG in pieces, as wide as so many columns.
function makers.kitty(shot, columns)
  local bytes, err = shot:encode { format = "png" }
  if not bytes then return nil, err end
  local coded, parts = native.base64(bytes), {}
  for at = 1, #coded, kitty_piece do
    local more = at + kitty_piece <= #coded and 1 or 0
    local keys = at == 1 and ("a=T,f=100,q=2,c=%d,m=%d"):format(columns, more) or "m=" .. more
    parts[#parts + 1] = ESC .. "_G" .. keys .. ";" .. coded:sub(at, at + kitty_piece - 1) .. ESC .. "\\"
  end
  return table.concat(parts) .. "\n"
end

-- The palette of sixels: 6 steps a channel.
local function step(channel)
  return (channel * 5 + 127) // 255
end

local function cube(red, green, blue)
  return step(red) * 36 + step(green) * 6 + step(blue)
end

-- The palette of 256 colours (xterm's ctlseqs): the steps 0, 95, 135, ... 255 a channel, and greys 8, 18, ... 238.
local function xterm_step(channel)
  return channel < 48 and 0 or math.max(1, math.min(5, (channel - 35) // 40))
end

local function xterm_colour(red, green, blue)
  local grey = red == green and green == blue and red > 3 and red < 247
  if grey then return 232 + math.min(23, math.max(0, (red - 3) // 10)) end
  return 16 + xterm_step(red) * 36 + xterm_step(green) * 6 + xterm_step(blue)
end

local function run_of(character, count)
  return count > 3 and ("!%d%s"):format(count, character) or character:rep(count)
end

-- One band of six rows, in one colour: a character for each column, its bits from the top.
local function sixel_line(bits, width)
  local parts, last, count = {}, nil, 0
  for x = 0, width - 1 do
    local character = string.char(63 + (bits[x] or 0))
    if character ~= last then
      if last then parts[#parts + 1] = run_of(last, count) end
      last, count = character, 0
    end
    count = count + 1
  end
  parts[#parts + 1] = run_of(last, count)
  return table.concat(parts)
end

local function sixel_band(shot, top)
  local colours = {}
  for y = top, math.min(top + 5, shot.height - 1) do
    for x = 0, shot.width - 1 do
      local colour = cube(shot:pixel(x, y))
      local bits = colours[colour] or {}
      colours[colour] = bits
      bits[x] = (bits[x] or 0) | 1 << y - top
    end
  end
  local lines = {}
  for colour, bits in pairs(colours) do lines[#lines + 1] = ("#%d%s"):format(colour, sixel_line(bits, shot.width)) end
  return table.concat(lines, "$")
end

local sixel_column = 8 -- pixels of a character: what most terminals have at least

-- DEC's sixels (VT340 programmer reference, chapter 14), with a palette of 216 colours.
function makers.sixel(shot, columns, rows)
  local small, err = shot:fit(columns * sixel_column, rows * sixel_column * 2)
  if not small then return nil, err end
  local parts = { ("%sPq\"1;1;%d;%d"):format(ESC, small.width, small.height) }
  for colour = 0, 215 do
    parts[#parts + 1] = ("#%d;2;%d;%d;%d"):format(colour, colour // 36 * 20, colour // 6 % 6 * 20, colour % 6 * 20)
  end
  local bands = {}
  for top = 0, small.height - 1, 6 do bands[#bands + 1] = sixel_band(small, top) end
  return table.concat(parts) .. table.concat(bands, "-") .. ESC .. "\\\n"
end

local function colour_words(kind, all, red, green, blue)
  if all then return ("%d;2;%d;%d;%d"):format(kind, red, green, blue) end
  return ("%d;5;%d"):format(kind, xterm_colour(red, green, blue))
end

-- The upper half of a character in the foreground's colour, the lower one in the background's.
function makers.blocks(shot, columns, rows, all_colours)
  local small, err = shot:fit(columns, rows * 2)
  if not small then return nil, err end
  local lines = {}
  for y = 0, small.height - 1, 2 do
    local cells, before = {}, nil
    for x = 0, small.width - 1 do
      local upper = colour_words(38, all_colours, small:pixel(x, y))
      local lower = y + 1 < small.height and colour_words(48, all_colours, small:pixel(x, y + 1)) or "49"
      local colours = upper .. ";" .. lower
      cells[#cells + 1] = (colours ~= before and ESC .. "[" .. colours .. "m" or "") .. "▀"
      before = colours
    end
    lines[#lines + 1] = table.concat(cells) .. ESC .. "[0m\n"
  end
  return table.concat(lines)
end

--- The bytes that make a terminal show a picture, as wide and high as it is at most.
---@param shot deskpilot.shot
---@param size { columns: integer, rows: integer } of the terminal
---@param way deskpilot.picture_way? as the environment tells if not given
---@param getenv (fun(name: string): string?)? os.getenv if not given
---@return string? bytes, deskpilot.error? err
function picture.of(shot, size, way, getenv)
  getenv = getenv or os.getenv
  way = way or picture.way(getenv)
  local make = makers[way]
  if not make then return errors.fail("invalid", "there is no way %q: kitty, sixel or blocks", tostring(way)) end
  return make(shot, math.max(size.columns - 1, 8), math.max(size.rows - 2, 4), has_all_colours(getenv))
end

return picture
