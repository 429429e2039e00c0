--- Screenshots of a tab, and its page as a PDF file.
local image = require "native.image"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local option_table = require "deskpilot.base.option_table"
local rects = require "deskpilot.desk.picture.rect"
local shots = require "deskpilot.desk.picture.shot"

local pictures = { methods = {} }
---@class deskpilot.tab
local Tab = pictures.methods

-- Seconds for a screenshot or a PDF page.
local TIMEOUT = 30

-- Limits of a screenshot in pixels, and the height of a strip: browsers render taller captures wrongly or never, so a
-- page is captured in strips.
local MOST_SIDE, MOST_PIXELS, STRIP = 32767, 60000000, 4096

-- Limit for a PDF document in bytes, and how many bytes are requested at a time.
local MOST_BYTES, PIECE = 200 * 1024 * 1024, 1 << 20

local function decode(data)
  if type(data) ~= "string" then return errors.fail("protocol", "the browser gave no data") end
  return image.from_base64(data)
end

-- The rectangle of the whole page, within the limits; and whether a part was cut off.
local function whole_page(self)
  local metrics, err = self:call("Page.getLayoutMetrics")
  if not metrics then return nil, err end
  local size = type(metrics.cssContentSize) == "table" and metrics.cssContentSize or {}
  local width, height = tonumber(size.width), tonumber(size.height)
  if not width or not height or not (width >= 1 and height >= 1) then
    return errors.fail("protocol", "the browser does not say how large the page is")
  end
  local fit_width = math.min(width, MOST_SIDE)
  local fit_height = math.min(height, MOST_SIDE, MOST_PIXELS // fit_width)
  return { x = 0, y = 0, width = fit_width, height = fit_height }, fit_width < width or fit_height < height
end

local function check_region(region)
  local clip = rects.read(region)
  for _, side in ipairs { "x", "y", "width", "height" } do
    local value = clip[side]
    if not (value and value >= 0 and value < 1e7) then
      errors.mistake "tab:screenshot: a region is x, y, width and height in the page"
    end
  end
  if clip.width < 1 or clip.height < 1 or clip.width > MOST_SIDE or clip.height > MOST_SIDE
    or clip.width * clip.height > MOST_PIXELS then
    errors.mistake "tab:screenshot: that region is too small or too large"
  end
  return clip
end

-- Captures a part of the page; without `clip` what is in view.
local function take(self, clip)
  if clip then clip.scale = 1 end
  local result, err = self:call("Page.captureScreenshot", { format = "png", clip = clip,
    captureBeyondViewport = clip ~= nil, optimizeForSpeed = true }, TIMEOUT)
  if not result then return nil, err end
  local png, why = decode(result.data)
  if not png then return nil, why end
  return image.load(png)
end

local function take_in_strips(self, clip)
  local whole
  local top = 0
  while top < clip.height do
    local strip, err = take(self, { x = clip.x, y = clip.y + top, width = clip.width,
      height = math.min(STRIP, clip.height - top) })
    if not strip then return nil, err end
    if not whole then
      if clip.height <= STRIP then return strip end
      whole, err = image.new((strip:size()), math.tointeger(clip.height // 1))
      if not whole then return nil, err end
    end
    whole:paste(strip, 0, top)
    strip:close()
    top = top + STRIP
  end
  return whole
end

-- A browser stops rendering a tab that is behind another one, so the tab has to be in front for a capture.
local function bring_to_front(self)
  local seen, err = self:evaluate("document.visibilityState", { world = "own" })
  if seen == nil then return nil, err end
  if seen == "visible" then return true end
  return self.browser:call("Target.activateTarget", { targetId = self.id })
end

--- A screenshot of the tab: of what is in view, of the whole page, or of a region of it. It does not matter what covers
--- the window on the screen. A very long page is cut off (`incomplete` is set). A tab behind another one comes to the
--- front of its window. Points of this screenshot are not points of the screen, so they cannot be clicked.
---@param options { full_page: boolean?, region: deskpilot.region?, path: string? }|string|nil region: in CSS pixels of
---  the page; path: a PNG file to write; a text is the path
---@return deskpilot.shot? shot, deskpilot.error? err
function Tab:screenshot(options)
  options = option_table.check(options, { full_page = "boolean", region = "table", path = "string" }, "tab:screenshot")
  local clip, cut, picture, err
  local ok, why = bring_to_front(self)
  if not ok then return nil, why end
  if options.full_page then
    clip, cut = whole_page(self)
    if not clip then return nil, cut end
  elseif options.region then
    clip = check_region(options.region)
  end
  if clip then picture, err = take_in_strips(self, clip) else picture, err = take(self) end
  if not picture then return nil, err end
  local shot = shots.new(picture)
  shot.incomplete = cut or nil
  if options.path then
    ok, err = shot:save(options.path)
    if not ok then return nil, err end
  end
  return shot
end

local function read_stream(self, stream)
  local parts, size = {}, 0
  while size <= MOST_BYTES do
    local piece, err = self:call("IO.read", { handle = stream, size = PIECE }, TIMEOUT)
    if not piece then return nil, err end
    local bytes = piece.data
    if piece.base64Encoded then bytes, err = decode(piece.data) end
    if type(bytes) ~= "string" then return nil, err or errors.new("protocol", "the browser gave no data") end
    parts[#parts + 1], size = bytes, size + #bytes
    if piece.eof ~= false then return table.concat(parts) end
    if bytes == "" then break end
  end
  return errors.fail("protocol", "the browser's document has no end, or is larger than %d bytes", MOST_BYTES)
end

--- Prints the page to a PDF file.
---@param path string
---@param options { landscape: boolean?, background: boolean?, scale: number? }? background: whether to print background
---  colours and pictures (default true)
---@return boolean? ok, deskpilot.error? err
function Tab:pdf(path, options)
  options = options or {}
  local result, err = self:call("Page.printToPDF", { transferMode = "ReturnAsStream", landscape = options.landscape,
    printBackground = options.background ~= false, scale = options.scale }, TIMEOUT)
  if not result then
    if err.code ~= "unsupported" then return nil, err end
    return errors.fail("unsupported", "this browser cannot print to a file unless it is started with --headless")
  end
  local bytes, why = read_stream(self, result.stream)
  self:call("IO.close", { handle = result.stream })
  if not bytes then return nil, why end
  return files.write(path, bytes)
end

return pictures
