--- Finding a picture in a picture, and on the screen (desk.screen.find_image).
local native = require "native.image"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local task = require "deskpilot.base.task"

local find = {}

-- The same as runtime/lib/lib_image_find.c has for image:find.
local min_score = 0.95

---@class deskpilot.hit
---@field x integer of its top left corner, in pixels of the screen
---@field y integer
---@field width integer
---@field height integer
---@field score number 0..1; 1 is the same picture

-- A shot, an image of native.image, or the path of a PNG file.
local function load(picture)
  if type(picture) == "userdata" then return picture end
  if type(picture) == "table" and picture.native then return picture.native end
  if type(picture) ~= "string" then
    error("a picture or the path of a PNG file is wanted, not a " .. type(picture), 4)
  end
  local png, err = files.read(picture)
  if not png then return nil, err end
  return native.load_png(png)
end

-- From pixels of a shot to pixels of the screen. Both corners are moved, so that the middle of what
-- is left of a small hit in a scaled picture stays within it.
local function to_screen(shot, hit)
  local frame = shot.frame
  local sx, sy = frame.width / shot.width, frame.height / shot.height
  local x, y = math.tointeger(hit.x * sx // 1), math.tointeger(hit.y * sy // 1)
  local right, bottom = (hit.x + hit.width) * sx // 1, (hit.y + hit.height) * sy // 1
  return { x = frame.x + x, y = frame.y + y, width = math.max(1, math.tointeger(right) - x),
    height = math.max(1, math.tointeger(bottom) - y), score = hit.score }
end

local function search(shot, image, options)
  local hits, best = shot.native:find(image, options)
  if not hits then return nil, best end
  for i, hit in ipairs(hits) do hits[i] = to_screen(shot, hit) end
  return hits, best and to_screen(shot, best)
end

--- Where a picture is in a shot; see Shot:find.
---@param shot deskpilot.shot
---@param picture deskpilot.shot|userdata|string
---@param options { min_score: number?, max: integer?, region: table? }?
---@return deskpilot.hit[]? hits, deskpilot.hit|deskpilot.error|nil best
function find.in_shot(shot, picture, options)
  local image, err = load(picture)
  if not image then return nil, err end
  return search(shot, image, options)
end

local function not_found(image, best, wanted, seconds)
  local width, height = image:size()
  local when = seconds and (" within %g s"):format(seconds) or ""
  if not best then
    return errors.fail("not_found", "the picture of %d x %d pixels is larger than where it was looked for", width,
      height)
  end
  return errors.fail("not_found", "the picture of %d x %d pixels does not show%s: the best place, %d, %d, scores %.2f "
    .. "and %.2f is wanted", width, height, when, best.x, best.y, math.floor(best.score * 100) / 100, wanted)
end

local function look(desk, image, options)
  local shot, err = desk.screen.shot { region = options.region, window = options.window, cursor = false }
  if not shot then return nil, err end
  local max = 1
  if options.all then max = options.max end
  local hits, best = search(shot, image, { min_score = options.min_score, max = max })
  shot.native:close()
  return hits, best
end

-- Waits until the screen has changed since `began`; false when it is `limit`, or there is none.
local function wait_for_change(desk, began, limit)
  while limit do
    local ok, err = desk.native:pump()
    if not ok then return nil, err end
    if desk.native:last_change() / 1e9 > began then return true end
    local left = limit - task.now()
    if left <= 0 then return false end
    desk.inbox:wait(left)
  end
  return false
end

--- Where a picture shows on the screen. With `timeout` it waits that many seconds for it to show,
--- looking again whenever the screen has changed; without, it looks once.
---@param desk deskpilot.desk
---@param picture deskpilot.shot|userdata|string a shot, an image or the path of a PNG file
---@param options { region: table?, window: table|string?, min_score: number?, timeout: number?, all: boolean?,
---  max: integer? }? region and window as for desk.screen.shot; `all`: a list of all hits, the best first
---@return deskpilot.hit|deskpilot.hit[]|nil hit, deskpilot.error? err code "not_found": the best score seen and where
function find.on_screen(desk, picture, options)
  options = options or {}
  local image, err = load(picture)
  if not image then return nil, err end
  local limit = options.timeout and task.now() + options.timeout
  local ok, why
  if limit then -- watched before the first look: what changes during it must count
    ok, why = desk:watch()
    if not ok then return nil, why end
  end
  while true do
    local began = task.now()
    local hits, best = look(desk, image, options)
    if not hits then return nil, best end
    if hits[1] then return options.all and hits or hits[1] end
    ok, why = wait_for_change(desk, began, limit)
    if ok == nil then return nil, why end
    if not ok then return not_found(image, best, options.min_score or min_score, options.timeout) end
  end
end

return find
