---@meta native.image
-- Made by `./dev docs` from the comments above the C functions: change those.

--- native.image: pictures for scripts.
---@class native.image
local module = {}

--- A black image.
---@param width integer
---@param height integer
---@return native.Image? image, deskpilot.error? err
function module.new(width, height) end

--- The image in the bytes of a PNG or JPEG file.
---@param file string
---@return native.Image? image, deskpilot.error? err
function module.load(file) end

--- The largest size of the same shape inside a limit; never larger than the image.
---@param width integer
---@param height integer
---@param max_width integer
---@param max_height integer
---@return integer width, integer height
function module.fit(width, height, max_width, max_height) end

--- A PNG encoder for a series of images that differ little.
---@return native.PngEncoder
function module.encoder() end

--- The pixel that a position of 0..1000 in an area names. Outside that range is an error.
---@param x number
---@param y number
---@param rect { x: integer, y: integer, width: integer, height: integer }
---@return integer? x, integer|deskpilot.error y
function module.norm_to_pixel(x, y, rect) end

--- The position of 0..1000 that leads back to this pixel of an area.
---@param x integer
---@param y integer
---@param rect { x: integer, y: integer, width: integer, height: integer }
---@return number? x, number|deskpilot.error y
function module.pixel_to_norm(x, y, rect) end

--- Bytes in base64, with padding and without line breaks.
---@param bytes string
---@return string
function module.base64(bytes) end

--- The bytes of a text in base64, with padding and without line breaks.
---@param text string
---@return string? bytes, deskpilot.error? err code "invalid"
function module.from_base64(text) end

--- A picture: 1 to 32767 pixels a side.
---@class native.Image
local Image = {}

--- Width and height in pixels.
---@return integer width, integer height
function Image:size() end

--- The colour of one pixel, counted from 0, each channel 0..255.
---@param x integer
---@param y integer
---@return integer red, integer green, integer blue
function Image:pixel(x, y) end

--- A copy of a part of the image. It is a new image, or in the memory of the one given as `into`
--- (even if that has been closed), so that a series of pictures can go on with a few.
---@param x integer
---@param y integer
---@param width integer
---@param height integer
---@param into native.Image?
---@return native.Image? part, deskpilot.error? err
function Image:crop(x, y, width, height, into) end

--- A copy of another size, of the image or of a part of it (all four or none); made smaller, each
--- pixel is the average of the area it covers. It is a new image, or in the memory of the one given
--- as `into` (even if that has been closed), so that a loop can go on with a single one.
---@param width integer
---@param height integer
---@param into native.Image?
---@param part_x integer?
---@param part_y integer?
---@param part_width integer?
---@param part_height integer?
---@return native.Image? scaled, deskpilot.error? err
function Image:scale(width, height, into, part_x, part_y, part_width, part_height) end

--- Paints a rectangle.
---@param x integer
---@param y integer
---@param width integer
---@param height integer
---@param red integer 0..255
---@param green integer
---@param blue integer
function Image:fill(x, y, width, height, red, green, blue) end

--- Do both images have the same size and colours?
---@param other native.Image
---@return boolean
function Image:equal(other) end

--- Gives the pixels back at once, not when the collector finds out; no use of it after that.
function Image:close() end

--- Paints the edge of a rectangle, so many pixels inwards, or all of it; what lies outside the image
--- is left out.
---@param x integer
---@param y integer
---@param width integer
---@param height integer
---@param edge integer 1 to 255, 0 for all of it
---@param colour integer 0xrrggbbaa
function Image:rectangle(x, y, width, height, edge, colour) end

--- Paints a line between two pixels.
---@param x0 integer
---@param y0 integer
---@param x1 integer
---@param y1 integer
---@param width integer 1 to 255
---@param colour integer 0xrrggbbaa
function Image:line(x0, y0, x1, y1, width, colour) end

--- Paints a text in one line; what is not ASCII is a box.
---@param x integer of its top left
---@param y integer
---@param text string
---@param scale integer 1 to 16
---@param colour integer 0xrrggbbaa
function Image:text(x, y, text, scale, colour) end

--- Paints another image with its top left at x, y; what lies outside is left out.
---@param other native.Image
---@param x integer
---@param y integer
function Image:paste(other, x, y) end

--- The size of a text in pixels.
---@param text string
---@param scale integer
---@return integer width, integer height
function Image:text_size(text, scale) end

--- Where two images of one size differ inside an area: the smallest rectangle around all
--- differences, and how many pixels they are. Nothing where there are none.
---@param other native.Image
---@param tolerance integer 0 to 255: largest difference of a channel that counts as none
---@param x integer the area, inside both
---@param y integer
---@param width integer
---@param height integer
---@return integer? x, integer? y, integer? width, integer? height, integer? pixels
function Image:difference(other, tolerance, x, y, width, height) end

--- The smallest rectangle around all pixels that are not exactly of the colour of the first one.
--- Nothing where there are none.
---@return integer? x, integer? y, integer? width, integer? height
function Image:content() end

--- A PNG file of the image. For a series of screenshots an encoder is faster.
---@param options { compressor: "screen"|"zlib"|nil, level: integer? }?
---@return string? png, deskpilot.error? err
function Image:png(options) end

--- A JPEG file of the image, small and inexact: colours at half the resolution (4:2:0), opacity left
--- out.
---@param options { quality: integer? }? 1..100, 80 if not given
---@return string? jpeg, deskpilot.error? err
function Image:jpeg(options) end

--- Where in the image another one is, the best first; see runtime/image/find/find.h for
--- score and difference. `best` is the best place seen, hit or not, and nil where the template does
--- not fit in.
---@param template native.Image where it has alpha, its transparent pixels do not count
---@param options { min_score: number?, tolerance: number?, max: integer?, region: table?, timeout: number? } 0.95, any difference, 1000, the whole, 10 s
---@param callback fun(hits: deskpilot.hit[]?, best: deskpilot.hit|deskpilot.error|nil) in pixels of the image
---@return fun() cancel after which the callback is not called
function Image:find(template, options, callback) end

--- An encoder of PNG files, which keeps the picture before.
---@class native.PngEncoder
local PngEncoder = {}

--- A PNG file of the image. An encoder remembers the last image and compresses only what changed.
---@param image native.Image
---@param options { compressor: "screen"|"zlib"|nil, level: integer? }?
---@return string? png, deskpilot.error? err
function PngEncoder:encode(image, options) end

--- What the last encode did: its strips, and how many of them were unchanged.
---@return { strips: integer, reused: integer }
function PngEncoder:stats() end

--- Gives the memory back at once; no use of it after that.
function PngEncoder:close() end

return module
