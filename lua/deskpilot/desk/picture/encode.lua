--- The one way from pixels to a file's bytes: PNG, or JPEG, and within a number of bytes where a caller has a cap.
local errors = require "deskpilot.base.errors"

local encode = {}

local best_quality, least_quality, quality_step = 85, 40, 15 -- where text of a screen can still be read

local mimes = { png = "image/png", jpeg = "image/jpeg" }

--- The format that a file's name asks for.
---@param path string
---@return "png"|"jpeg"|nil format
function encode.format_of(path)
  local ending = path:lower():match "%.(%w+)$"
  if ending == "png" then return "png" end
  if ending == "jpg" or ending == "jpeg" then return "jpeg" end
end

local function described(image, format, quality)
  local width, height = image:size()
  return { format = format, mime = mimes[format], quality = quality, width = width, height = height }
end

local makers = {}

-- Each gives the bytes and what they are; or nil and an error; or false and the size of what did not fit.
function makers.png(image, options)
  local how = { compressor = options.compressor, level = options.level }
  local bytes, err
  if options.encoder then bytes, err = options.encoder:encode(image, how) else bytes, err = image:png(how) end
  if not bytes then return nil, err end
  if options.max_bytes and #bytes > options.max_bytes then return false, #bytes end
  return bytes, described(image, "png")
end

function makers.jpeg(image, options)
  local best, size = options.quality or best_quality, nil
  for quality = best, options.max_bytes and math.min(best, least_quality) or best, -quality_step do
    local bytes, err = image:jpeg { quality = quality }
    if not bytes then return nil, err end
    if not options.max_bytes or #bytes <= options.max_bytes then return bytes, described(image, "jpeg", quality) end
    size = #bytes
  end
  return false, size
end

-- Smaller and smaller, by as much as the last try was too large.
local function shrink(image, make, options, size)
  local width, height = image:size()
  while width > 1 or height > 1 do
    local factor = math.min(0.9, 0.95 * math.sqrt(options.max_bytes / size))
    width, height = math.max(1, math.floor(width * factor)), math.max(1, math.floor(height * factor))
    local smaller, err = image:scale(width, height)
    if not smaller then return nil, err end
    local bytes, how = make(smaller, { max_bytes = options.max_bytes, quality = options.quality,
      compressor = options.compressor, level = options.level })
    smaller:close()
    if bytes ~= false then return bytes, how end
    size = how
  end
  return errors.fail("invalid", "no picture of it has room in %d bytes", options.max_bytes)
end

local function check(options)
  if options.format ~= nil and not mimes[options.format] then
    errors.mistake('a picture\'s format is "png" or "jpeg", not %s', tostring(options.format))
  end
  local most = options.max_bytes
  if most ~= nil and (math.type(most) ~= "integer" or most < 1) then
    errors.mistake("max_bytes must be a whole number of bytes, not %s", tostring(most))
  end
  local quality = options.quality
  if quality ~= nil and (math.type(quality) ~= "integer" or quality < 1 or quality > 100) then
    errors.mistake("quality must be 1 to 100, not %s", tostring(quality))
  end
end

--- The picture as a file.
---@param image native.Image
---@param options deskpilot.encoding
---@return string? bytes, deskpilot.encoded|deskpilot.error how
function encode.image(image, options)
  check(options)
  local make = makers[options.format or "png"]
  local bytes, how = make(image, options)
  if bytes == false and not options.format then
    make = makers.jpeg
    bytes, how = make(image, options)
  end
  if bytes == false then return shrink(image, make, options, how) end
  return bytes, how
end

return encode
