--- Finding a picture in a picture (Shot:find) and on the screen (desk.screen.find_image).
local native = require "native.image"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local rects = require "deskpilot.desk.picture.rect"
local signature = require "deskpilot.base.signature"
local task = require "deskpilot.base.task"

local find = {}

-- Seconds after which a search is given up. Only pictures that look alike in very many places come near it.
local give_up = 10
local min_score = 0.95

---@class deskpilot.hit: deskpilot.rect
---@field x integer of its top left corner, in pixels of the screen
---@field y integer
---@field width integer
---@field height integer
---@field score number 0..1; 1 is the same picture, but for brightness and contrast of all of it
---@field difference number how much the colours differ, 0..255 (root of the mean square); 0 is the very same

---@class deskpilot.find_options
---@field min_score number? 0..1, 0.95 if not given: how much alike it must be. Brightness and contrast of all of
---  it do not count; 0.8 bears small changes, below 0.6 chance begins
---@field tolerance number? 0..255: how much its colours may differ (a hit's `difference`), where they matter: 20
---  tells a button from one that is greyed out; any if not given
---@field region deskpilot.region? where to look
---@field window deskpilot.window|deskpilot.window_criteria|string|integer|nil screen.find_image: where to look, on the
---  screen
---@field monitor integer|string|deskpilot.monitor|nil screen.find_image: the same
---@field max integer? find_all, find_images: most hits, 1000 if not given

local known = { min_score = true, tolerance = true, max = true, region = true, window = true, monitor = true }

local function check(options)
  for key in pairs(options) do
    if not known[key] then
      errors.mistake("%s", ("a picture is looked for with min_score, tolerance, region, window, monitor and max, not "
        .. "'%s' (to wait for one: desk.wait_for_image)"):format(tostring(key)))
    end
  end
  return options
end

local function is_picture(value)
  local kind = type(value)
  return kind == "string" or kind == "userdata" or kind == "table" and value.encode ~= nil
end

signature.kind("picture", { what = "a picture (a screenshot or a path of a PNG or JPEG file)", fits = is_picture })

-- A shot, an image of native.image, or the path of a PNG or JPEG file.
local function load(picture)
  if type(picture) == "userdata" then return picture end
  if type(picture) == "table" and picture.native then return picture.native end
  if type(picture) ~= "string" then
    errors.mistake("a picture or the path of a PNG or JPEG file is wanted, not a %s", type(picture))
  end
  local bytes, err = files.read(picture)
  if not bytes then return nil, err end
  local image, why = native.load(bytes)
  if not image then return nil, errors.new(why.code, "%s: %s", picture, why.message) end
  return image
end

-- The hits of an image, in pixels of the screen, and the best place where there is none.
local function search(shot, image, options, max)
  local region = options.region and rects.region(options.region, { x = 0, y = 0, width = shot.width,
    height = shot.height })
  local hits, best = task.await(function(done)
    return shot.native:find(image, { min_score = options.min_score or min_score, tolerance = options.tolerance,
      region = region, max = max, timeout = give_up }, done)
  end)
  if not hits then return nil, best end
  local function on_screen(hit)
    local place = shot:on_screen(hit)
    place.score, place.difference = hit.score, hit.difference
    return place
  end
  for i, hit in ipairs(hits) do hits[i] = on_screen(hit) end
  return hits, best and on_screen(best)
end

local function not_found(image, best, wanted, tolerance)
  local width, height = image:size()
  if not best then
    return errors.fail("not_found", "the picture of %d x %d pixels is larger than where it was looked for", width,
      height)
  end
  if best.score >= wanted then
    return errors.fail("not_found", "the picture of %d x %d pixels shows in other colours only: at %d, %d they differ "
      .. "by %.1f and the tolerance is %g", width, height, best.x, best.y, best.difference, tolerance or 0)
  end
  return errors.fail("not_found", "the picture of %d x %d pixels does not show: the best place, %d, %d, scores %.2f "
    .. "and %.2f is wanted (min_score)", width, height, best.x, best.y, math.floor(best.score * 100) / 100, wanted)
end

local function one(shot, image, options)
  local hits, best = search(shot, image, options, 1)
  if not hits then return nil, best end
  if not hits[1] then return not_found(image, best, options.min_score or min_score, options.tolerance) end
  return hits[1]
end

--- The best place of a picture in a shot; see Shot:find.
---@param shot deskpilot.shot
---@param picture deskpilot.shot|native.Image|string
---@param options deskpilot.find_options?
---@return deskpilot.hit? hit, deskpilot.error? err
function find.one(shot, picture, options)
  local image, err = load(picture)
  if not image then return nil, err end
  return one(shot, image, check(options or {}))
end

--- All places of a picture in a shot; see Shot:find_all.
---@param shot deskpilot.shot
---@param picture deskpilot.shot|native.Image|string
---@param options deskpilot.find_options?
---@return deskpilot.hit[]? hits, deskpilot.error? err
function find.all(shot, picture, options)
  local image, err = load(picture)
  if not image then return nil, err end
  local hits, why = search(shot, image, check(options or {}), options and options.max)
  if not hits then return nil, why end
  return hits
end

-- What the screen shows now where the options say, without the pointer, which is in no picture; looked at
-- by fn(shot, image, options).
local function look(desk, picture, options, fn)
  options = check(options or {})
  local image, err = load(picture)
  if not image then return nil, err end
  local shot, why = desk.screen.shot { region = options.region, window = options.window, monitor = options.monitor,
    on_screen = true, cursor = false } -- what is covered could not be clicked
  if not shot then return nil, why end
  local result, failure = fn(shot, image, { min_score = options.min_score, tolerance = options.tolerance,
    max = options.max })
  shot.native:close()
  return result, failure
end

--- Where a picture shows on the screen, best place; see desk.screen.find_image.
---@param desk deskpilot.desk
---@param picture deskpilot.shot|native.Image|string
---@param options deskpilot.find_options?
---@return deskpilot.hit? hit, deskpilot.error? err
function find.on_screen(desk, picture, options)
  return look(desk, picture, options, one)
end

--- All places where a picture shows on the screen; see desk.screen.find_images.
---@param desk deskpilot.desk
---@param picture deskpilot.shot|native.Image|string
---@param options deskpilot.find_options?
---@return deskpilot.hit[]? hits, deskpilot.error? err
function find.all_on_screen(desk, picture, options)
  return look(desk, picture, options, find.all)
end

return find
