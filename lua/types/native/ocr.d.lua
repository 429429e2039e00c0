---@meta native.ocr
-- Made by `./dev docs` from the comments above the C functions: change those.

--- native.ocr: reading text off pictures, for scripts. A read runs on libuv's thread pool and tells
--- its callback on the loop.
---@class native.ocr
local module = {}

--- A reader. What it has read, and its engines, are kept until it is closed.
---@return native.Ocr? reader, deskpilot.error? err
function module.open() end

--- Whether text can be read in that language, and what is missing where it cannot.
---@param language string
---@return true? ok, deskpilot.error? err
function module.check(language) end

--- A reader of text, with its engines.
---@class native.Ocr
local Ocr = {}

--- Reads the text of an image: the callback gets { words, areas, known }, the words of a line
--- together, each { text, x, y, width, height, confidence (0..1), line }. What has been read once is
--- known by its pixels (`known` of the `areas`).
---@param image native.Image
---@param language string as Tesseract names it: "eng", "eng+deu"
---@param timeout number seconds
---@param callback fun(result: { words: table[], areas: integer, known: integer }?, err: deskpilot.error?)
---@return fun()? cancel after which the callback is not called
---@return deskpilot.error? err
function Ocr:read(image, language, timeout, callback) end

--- Ends the reader; reads under way are given up.
function Ocr:close() end

return module
