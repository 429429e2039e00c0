--- `deskpilot shot`: a screenshot, by the shortest way from the screen to the file.
local files = require "deskpilot.base.files"

local shot = {
  summary = "Take a screenshot of the screen, of a window or of a region, as a PNG file.",
  order = 40,
  usage = "shot [-o FILE] [--window W | --monitor M] [--region X,Y,W,H] [--marks]",
  options = {
    { name = "output", short = "o", value = "FILE",
      help = "where to write it (replaced if it is there); - is standard output" },
    { name = "window", short = "w", value = "W",
      help = "a window's own picture, covered or not: its id, part of its title, or active" },
    { name = "monitor", short = "m", value = "M", help = "a monitor's number from the left, its name, or primary" },
    { name = "region", short = "r", value = "X,Y,W,H", help = "pixels of the screen, or of the window or monitor" },
    { name = "marks", help = "with a box and a number on each element: its index in desk.elements.list()" },
    { name = "no-cursor", help = "without the mouse pointer" },
  },
}

-- The default compressor: see the measurements in tests/bench.
local encoding = { compressor = "screen" }

local function complain(status, message)
  io.stderr:write("deskpilot: ", tostring(message), "\n")
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

-- The area of the screen that the options ask for.
local function area_of(desk, options, region)
  local screen, err = desk:screen()
  if not screen then return nil, err end
  local area = screen
  if options.monitor then
    local which = math.tointeger(tonumber(options.monitor)) or options.monitor
    area, err = require("deskpilot.desk.picture.monitors").find(desk, which)
    if not area then return nil, err end
  end
  if region then
    local origin = options.monitor and area or { x = 0, y = 0 }
    area = { x = origin.x + region.x, y = origin.y + region.y, width = region.width, height = region.height }
  end
  area = require("deskpilot.desk.picture.rect").intersection(area, screen)
  if area then return area end
  return nil, ("the region lies outside the screen, which is %dx%d at %d,%d"):format(screen.width, screen.height,
    screen.x, screen.y)
end

-- A picture of the screen or of a part of it, the shortest way. Gives the image, the area that it shows and
-- what is to be closed afterwards; or nil, the error and the exit status.
local function of_screen(options, region)
  local desk, err = require("native.desk").open {}
  if not desk then return nil, err, 3 end
  local area, why = area_of(desk, options, region)
  if not area then return nil, why, 1 end
  local image, failure = desk:capture { x = area.x, y = area.y, width = area.width, height = area.height,
    cursor = not options.no_cursor, lend = true }
  if not image then return nil, failure, 3 end
  return image, area, desk
end

-- A window's own picture, whatever covers it; the same and its process.
local function of_window(options, region)
  local desk, err = require("deskpilot.desk").open {}
  if not desk then return nil, err, 3 end
  local list, failure = desk.windows.list()
  if not list then return nil, failure, 3 end
  local window, why = require("deskpilot.cli.commands.windows").find(list, options.window)
  if not window then return nil, why, 1 end
  local image, area = require("deskpilot.desk.picture.capture").take(desk, { window = window, region = region })
  if not image then return nil, area, 1 end
  return image, area, desk, window.pid
end

-- The image with marks on the elements (of one process, where it is known), as they are now.
local function with_marks(image, area, pid)
  local marks = require "deskpilot.desk.picture.marks"
  local desk, err = require("deskpilot.desk").open {}
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

local function write(path, png)
  if path ~= "-" then return files.write(path, png) end
  local ok, why = io.stdout:write(png)
  if ok then ok, why = io.stdout:flush() end
  if not ok then return nil, "cannot write to standard output: " .. tostring(why) end
  return true
end

-- A new name: nothing is replaced that nobody named.
local function new_name()
  local stem = os.date("!shot-%Y%m%dT%H%M%SZ")
  for number = 1, 1000 do
    local name = number == 1 and stem .. ".png" or ("%s-%d.png"):format(stem, number)
    if not files.exists(name) then return name end
  end
  return stem .. "-more.png"
end

function shot.run(options, positional)
  if positional[1] then return complain(2, "shot takes no file but by -o: shot -o " .. positional[1]) end
  local region, why
  if options.region then
    region, why = shot.parse_region(options.region)
    if not region then return complain(2, why) end
  end
  if options.window and options.monitor then
    return complain(2, "a picture is of a window or of a monitor, not of both")
  end
  local image, area, desk, pid = (options.window and of_window or of_screen)(options, region)
  if not image then return complain(desk, area) end
  local err
  if options.marks then
    image, err = with_marks(image, area, pid)
    if not image then return complain(3, err) end
  end
  local png
  png, err = image:png(encoding)
  desk:close()
  if not png then return complain(3, err) end
  local path = options.output or new_name()
  local ok
  ok, err = write(path, png)
  if not ok then return complain(1, err) end
  if not options.output then io.stdout:write(path, "\n") end
  return 0
end

return shot
