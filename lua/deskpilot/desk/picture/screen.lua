--- desk.screen: pictures of the screen.
local capture = require "deskpilot.desk.picture.capture"
local find = require "deskpilot.desk.picture.find"
local option_table = require "deskpilot.base.option_table"
local monitors = require "deskpilot.desk.picture.monitors"
local shots = require "deskpilot.desk.picture.shot"
local signature = require "deskpilot.base.signature"

local screen = {}

---@class deskpilot.shot_options
---@field region deskpilot.region? a part of the screen, or of the monitor or window that is given with it
---@field monitor integer|string|deskpilot.monitor|nil its index, its name or "primary"
---@field window deskpilot.window|deskpilot.window_criteria|string|integer|nil a window, its id, or what to find it by
---@field on_screen boolean? of a window: as it shows on the screen, what covers it included
---@field cursor boolean? whether the pointer is in the picture; it is, but in that of a window
---@field size integer[]|(fun(width: integer, height: integer): integer, integer)|nil width and height: made smaller to
---  fit into so many pixels; or what gives the size exactly, from that of what it shows
---@field part (fun(image: native.Image, area: deskpilot.rect): deskpilot.rect?)? asked for the part that is wanted once
---  the picture is there, before it is made smaller: in pixels of the screen, nil for all of it
---@field since table? the `drawn` of an earlier picture, taken with the same options: where nothing has been drawn
---  since, there is none, and false is returned
---@field lend boolean? not copied: it looks into the desk's own memory, until the next picture is taken
---@field path string? of a file that is written too, a JPEG if it ends in .jpg; see shot:save
---@field format "png"|"jpeg"|nil of that file, whatever its name
---@field quality integer? of a JPEG, 1..100
---@field max_bytes integer? most bytes of that file

local shot_options = { region = "any", monitor = "any", window = "any", on_screen = "boolean", cursor = "boolean",
  size = "any", part = "function", since = "table", lend = "boolean", path = "string", format = "string",
  quality = "whole", max_bytes = "number" }

signature.kind("shot_options", {
  what = "a table of options, or the path of a file",
  fits = function(value)
    if type(value) == "table" then option_table.check(value, shot_options, "desk.screen.shot") end
    return type(value) == "table"
  end,
  take = signature.text_as("path", true),
})

signature.kind("monitor", {
  what = "a monitor, its index or its name",
  fits = function(value) return type(value) == "string" or type(value) == "table" or math.type(value) == "integer" end,
})

local signatures = signature.of("desk.screen", {
  shot = { "shot_options?" }, load = { "text" }, find_image = { "picture", "options?" },
  find_images = { "picture", "options?" }, size = {}, monitors = {}, monitor = { "monitor" },
})

---@param desk deskpilot.desk
---@return deskpilot.desk.screen
function screen.new(desk)
  ---@class deskpilot.desk.screen
  local api = {}

  --- A picture of the screen, of one monitor, of a window, or of a region: of the screen, or of the
  --- monitor or window that is given with it.
  --- A window's picture is what the window itself draws, also where others cover it or where it hangs
  --- over the edge of the screen, without the pointer unless `cursor` is true; it waits, a second at
  --- most, for the application to draw what was covered (`incomplete` is set where that was too short).
  --- A point of it is a place on the screen as ever: a click there goes to what lies on top.
  --- A minimized window has no pixels: code "unavailable". With `on_screen` it is the part of the screen
  --- where the window is, what covers it included.
  ---@param options deskpilot.shot_options|string|nil a text is the path; more options may follow it
  ---@overload fun(path: string, more: deskpilot.shot_options): deskpilot.shot?, deskpilot.error?
  ---@return deskpilot.shot|false|nil shot, deskpilot.error? err
  function api.shot(options)
    options = options or {}
    local all, why = desk.native:screen()
    if not all then return nil, why end
    local list, failure = monitors.known(desk, all) -- before the picture: what moves in between makes it stale
    if not list then return nil, failure end
    local image, area, incomplete, drawn = capture.take(desk, options, all)
    if image == false then return false end
    if not image then return nil, area end
    local shot = shots.new(image, area, list)
    shot.incomplete, shot.drawn = incomplete, drawn
    if options.path then
      local ok, err = shot:save(options.path, { format = options.format, quality = options.quality,
        max_bytes = options.max_bytes })
      if not ok then return nil, err end
    end
    return shot
  end

  --- A picture from a PNG or JPEG file: to be looked for by find_image (what is transparent in it does not count), or
  --- to be compared or painted on. It has no frame. Pixels are as they lie in the file: colour profiles, and which way
  --- up a camera was held (EXIF), are passed over.
  ---@param path string
  ---@return deskpilot.shot? shot, deskpilot.error? err
  function api.load(path)
    return shots.load(path)
  end

  --- Where a picture shows on the screen, now: the best place on all monitors, or in a window or region. To wait
  --- for one, see desk.wait_for_image.
  ---@param picture deskpilot.shot|native.Image|string a shot, an image or the path of a PNG or JPEG file
  ---@param options deskpilot.find_options? region and window as for screen.shot
  ---@return deskpilot.hit? hit, deskpilot.error? err code "not_found": the best score seen and where
  function api.find_image(picture, options)
    return find.on_screen(desk, picture, options)
  end

  --- All places where a picture shows on the screen, the best first, none overlapping another.
  ---@param picture deskpilot.shot|native.Image|string a shot, an image or the path of a PNG or JPEG file
  ---@param options deskpilot.find_options? region and window as for screen.shot
  ---@return deskpilot.hit[]? hits, deskpilot.error? err an empty list where there is none
  function api.find_images(picture, options)
    return find.all_on_screen(desk, picture, options)
  end

  --- The whole desktop in pixels: the smallest rectangle that holds all monitors.
  ---@return deskpilot.rect? size, deskpilot.error? err
  function api.size()
    return desk.native:screen()
  end

  --- The monitors as they are now: from left to right, those with the same left edge from top to bottom.
  ---@return deskpilot.monitor[]? monitors, deskpilot.error? err
  function api.monitors()
    local all, err = desk.native:screen()
    if not all then return nil, err end
    return monitors.look(desk, all)
  end

  --- One monitor, as it is now: by its index in `monitors()`, its name (whatever the case) or "primary".
  ---@param which integer|string|deskpilot.monitor
  ---@return deskpilot.monitor? monitor, deskpilot.error? err code "not_found", with those that are there
  function api.monitor(which)
    return monitors.find(desk.native, which)
  end

  return signatures(api)
end

return screen
