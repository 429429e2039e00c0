--- Shots as files: the methods of a shot that make them.
local encode = require "deskpilot.desk.picture.encode"
local files = require "deskpilot.base.files"

---@class deskpilot.shot
local file = {}

---@class deskpilot.encoding
---@field format "png"|"jpeg"|nil PNG if not given, or JPEG where that would be more than max_bytes
---@field max_bytes integer? a JPEG gets a lower quality first, then the picture is made smaller, until it fits
---@field quality integer? of a JPEG, 1..100: 85 if not given; the best that is tried where there is a cap
---@field compressor "screen"|"zlib"|nil of a PNG: fast and good for screens, or zlib's
---@field level integer? of zlib, 1..9
---@field encoder native.PngEncoder? for a series of pictures that differ little: native.image.encoder()

--- What was made of a picture.
---@class deskpilot.encoded
---@field format "png"|"jpeg"
---@field mime string "image/png", "image/jpeg"
---@field quality integer? of a JPEG
---@field width integer pixels; less than the picture's where it had to be made smaller
---@field height integer

--- The picture as a file: a PNG if not told otherwise. With `max_bytes` it is a PNG if that fits, else a JPEG, of a
--- lower quality and then smaller until it fits; a `format` that is given is kept to. `how` says what was made.
---@param options deskpilot.encoding?
---@return string? bytes, deskpilot.encoded|deskpilot.error how
function file:encode(options)
  return encode.image(self.native, options or {})
end

--- Writes a file: a PNG, or a JPEG where the path ends in .jpg or .jpeg.
---@param path string
---@param options deskpilot.encoding?
---@return boolean? ok, deskpilot.encoded|deskpilot.error how
function file:save(path, options)
  local copy = {}
  for key, value in pairs(options or {}) do copy[key] = value end
  copy.format = copy.format or encode.format_of(path)
  local bytes, how = self:encode(copy)
  if not bytes then return nil, how end
  local ok, err = files.write(path, bytes)
  if not ok then return nil, err end
  return true, how
end

return file
