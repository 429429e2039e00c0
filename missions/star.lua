-- A script: draws a star with the mouse in a paint program and saves it. Whether it is done is read from the
-- picture's own pixels. Another file: deskpilot run star -- PATH.png
local files = require "deskpilot.base.files"
local image = require "native.image"

local size, radius = 300, 120

local function path_of(m)
  return files.absolute(m.args[1] or files.join(assert(files.own_temporary_folder()), "deskpilot-star.png"))
end

-- The five points of the star in the order in which a pen visits them, in pixels of the picture.
local function corners()
  local list = {}
  for i = 0, 5 do
    local angle = math.rad(-90 + 144 * i)
    list[#list + 1] = { x = size / 2 + radius * math.cos(angle), y = size / 2 + radius * math.sin(angle) }
  end
  return list
end

local function is_white(picture, x, y)
  local red, green, blue = picture:pixel(x, y)
  return red == 255 and green == 255 and blue == 255
end

local function ink_near(picture, x, y)
  for dx = -2, 2 do
    for dy = -2, 2 do
      if not is_white(picture, math.tointeger(x) + dx, math.tointeger(y) + dy) then return true end
    end
  end
  return false
end

-- How many pixels are white from there on, in steps of dx and dy.
local function white_from(shot, x, y, dx, dy)
  local count = 0
  while x >= 0 and y >= 0 and x < shot.width and y < shot.height and is_white(shot, x, y) do
    x, y, count = x + dx, y + dy, count + 1
  end
  return count
end

-- Where the empty picture is on the screen: the white square around the window's middle, once it is there.
local function canvas(desk, window)
  local shot = desk.screen.shot { window = window, cursor = false }
  if not shot then return nil, "the paint program's window cannot be seen" end
  local x, y = shot.width // 2, shot.height // 2
  local left, up = white_from(shot, x, y, -1, 0), white_from(shot, x, y, 0, -1)
  if left + white_from(shot, x, y, 1, 0) ~= size + 1 or up + white_from(shot, x, y, 0, 1) ~= size + 1 then
    return nil, "the paint program does not show the empty picture"
  end
  return { x = shot.frame.x + x - left + 1, y = shot.frame.y + y - up + 1 }
end

local function draw(desk, origin)
  local list = {}
  for i, corner in ipairs(corners()) do list[i] = { x = origin.x + corner.x, y = origin.y + corner.y } end
  desk.mouse.drag(list)
end

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 1024, 700 } },
  limits = { seconds = 120 },
  run = function(m)
    local desk, path = m.desk, path_of(m)
    local empty = image.new(size, size)
    empty:fill(0, 0, size, size, 255, 255, 255)
    local before = empty:png()
    assert(files.write(path, before))
    desk.apps.start { "mtpaint", path, wait = 10 }
    desk.wait_for_window { title = "mtPaint" }
    local tools = desk.try.wait_for_window { title = "Settings Toolbar", timeout = 5 } -- it may have none
    if tools then desk.windows.close(tools, { wait = true }) end
    desk.windows.maximize { title = "mtPaint" }
    desk.windows.focus { title = "mtPaint" }
    desk.settle()
    desk.mouse.click { x = 17, y = 78, frame = "window" } -- the pencil
    desk.settle()
    local window = desk.windows.find { title = "mtPaint" }
    draw(desk, desk.wait_until(function() return canvas(desk, window) end))
    desk.settle()
    desk.keyboard.press "ctrl+s"
    desk.wait_until(function() return files.read(path) ~= before, path .. " is as it was" end)
  end,
  -- Every edge of the star has ink all along, and there is none outside it.
  verify = function(m)
    local picture, why = image.load(assert(files.read(path_of(m))))
    if not picture then return false, tostring(why) end
    local list = corners()
    for i = 2, #list do
      for step = 1, 9 do
        local x = list[i - 1].x + (list[i].x - list[i - 1].x) * step / 10
        local y = list[i - 1].y + (list[i].y - list[i - 1].y) * step / 10
        if not ink_near(picture, x // 1, y // 1) then
          return false, ("edge %d of the star is not drawn at %d, %d"):format(i - 1, x // 1, y // 1)
        end
      end
    end
    return is_white(picture, 5, 5), "there is ink outside the star"
  end,
}
