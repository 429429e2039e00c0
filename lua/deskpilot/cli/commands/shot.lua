--- `deskpilot shot`: a screenshot, by the shortest way from the screen to the file.
local capture = require "deskpilot.desk.picture.capture"
local desktop = require "deskpilot.cli.desktop"
local encode = require "deskpilot.desk.picture.encode"
local files = require "deskpilot.base.files"
local terminal = require "deskpilot.cli.terminal"

local shot = {
  summary = "Take a screenshot of the screen, of a window or of a region, as a PNG or JPEG file.",
  order = 40,
  usage = "shot [-o FILE] [--window W | --monitor M] [--region X,Y,W,H] [--marks] [--max-bytes N]\n"
    .. "                      [--desktop current|private[:WxH]] [--app COMMAND]...",
  options = {
    { name = "output", short = "o", value = "FILE",
      help = "where to write it (replaced if it is there), as JPEG if it ends in .jpg; - is standard output" },
    { name = "window", short = "w", value = "W",
      help = "a window's own picture, covered or not: its id, part of its title, or active" },
    { name = "monitor", short = "m", value = "M", help = "a monitor's number from the left, its name, or primary" },
    { name = "region", short = "r", value = "X,Y,W,H", help = "pixels of the screen, or of the window or monitor" },
    { name = "marks", help = "with a box and a number on each element: its index in desk.elements.list()" },
    { name = "no-cursor", help = "without the mouse pointer" },
    { name = "max-bytes", value = "N", help = "made smaller until the file has at most so many bytes, as JPEG unless "
      .. "the FILE ends in .png" },
    table.unpack(desktop.options),
  },
}

local function complain(status, message)
  terminal.complain(tostring(message))
  return status
end

--- The four numbers of --region.
---@return deskpilot.rect? area, string? why
function shot.parse_region(word)
  local x, y, width, height = word:match("^%s*(%-?%d+),%s*(%-?%d+),%s*(%d+),%s*(%d+)%s*$")
  if not x then return nil, ("--region wants X,Y,WIDTH,HEIGHT in pixels, not '%s'"):format(word) end
  local area = { x = math.tointeger(tonumber(x)), y = math.tointeger(tonumber(y)),
    width = math.tointeger(tonumber(width)), height = math.tointeger(tonumber(height)) }
  if not (area.x and area.y and area.width and area.height) or area.width < 1 or area.height < 1 then
    return nil, ("--region wants a width and a height of at least 1, not '%s'"):format(word)
  end
  return area
end

-- A picture as the options ask for it: the image, the part of the screen that it shows, the desk, which is to be closed
-- afterwards, and of a window its process; or nil, the error and the exit status. Where the picture is of no window
-- the desktop library is not loaded.
local function take(where, options, region)
  local desk, err, window
  if options.window then
    desk, err = require("deskpilot.desk").open(where.desk)
  else
    local handle
    handle, err = require("native.desk").open(where.native)
    desk = handle and { native = handle, close = function() handle:close() end }
  end
  if not desk then return nil, err, 3 end
  if options.window then
    local list, failure = desk.windows.list()
    if not list then return nil, failure, 3 end
    window, err = require("deskpilot.cli.commands.windows").find(list, options.window)
    if not window then return nil, err, 1 end
  end
  local image, area = capture.take(desk, { window = window, region = region, lend = true,
    monitor = options.monitor and (math.tointeger(tonumber(options.monitor)) or options.monitor),
    cursor = not window and not options.no_cursor })
  if image then return image, area, desk, window and window.pid end
  local asked_wrongly = area.code == "invalid" or area.code == "not_found"
  return nil, area, (asked_wrongly or window) and 1 or 3
end

-- The image with marks on the elements (of one process, where it is known), as they are now.
local function with_marks(where, image, area, pid)
  local marks = require "deskpilot.desk.picture.marks"
  local desk, err = require("deskpilot.desk").open(where.desk)
  if not desk then return nil, err end
  local list, windows
  list, err = desk.elements.list { pid = pid ~= 0 and pid or nil }
  -- A window's own picture shows what others cover.
  if list and not pid then windows = desk.windows.list() end
  desk:close()
  if not list then return nil, err end
  local marked, why = require("deskpilot.desk.picture.shot").new(image, area):marks(marks.choose(list, windows))
  return marked and marked.native, why
end

local function write(path, bytes)
  if path ~= "-" then return files.write(path, bytes) end
  local ok, why = io.stdout:write(bytes)
  if ok then ok, why = io.stdout:flush() end
  if not ok then return nil, "cannot write to standard output: " .. tostring(why) end
  return true
end

-- A new name: nothing is replaced that nobody named.
local function new_name(ending)
  local stem = os.date("!shot-%Y%m%dT%H%M%SZ")
  for number = 1, 1000 do
    local name = (number == 1 and stem or ("%s-%d"):format(stem, number)) .. ending
    if not files.exists(name) then return name end
  end
  return stem .. "-more" .. ending
end

-- What is wrong with the options; nothing is touched before that is known.
local function check(options)
  if options.window and options.monitor then return "a picture is of a window or of a monitor, not of both" end
  local most = options.max_bytes
  if most and (math.tointeger(tonumber(most)) or 0) < 1 then
    return ("--max-bytes wants a number of bytes, not '%s'"):format(most)
  end
end

function shot.run(options, positional)
  if positional[1] then return complain(2, "shot takes no file but by -o: shot -o " .. positional[1]) end
  local region, why
  if options.region then
    region, why = shot.parse_region(options.region)
    if not region then return complain(2, why) end
  end
  why = check(options)
  if why then return complain(2, why) end
  local where <close>, err = desktop.open(options)
  if not where then return complain(desktop.status(err), err) end
  local image, area, desk, pid = take(where, options, region)
  if not image then return complain(desk, area) end
  if options.marks then
    image, err = with_marks(where, image, area, pid)
    if not image then return complain(3, err) end
  end
  local bytes, how = encode.image(image, { format = options.output and encode.format_of(options.output),
    max_bytes = math.tointeger(tonumber(options.max_bytes)) })
  desk:close()
  if not bytes then return complain(how.code == "invalid" and 1 or 3, how) end
  local path = options.output or new_name(how.format == "jpeg" and ".jpg" or ".png")
  local ok
  ok, err = write(path, bytes)
  if not ok then return complain(1, err) end
  if not options.output then terminal.put(path, "\n") end
  return 0
end

return shot
