--- desk.screen.read_text, find_text and find_texts: text by its pixels (OCR), for what has no elements:
--- terminals, games, remote desktops, pictures. Elements know better where there are any: they cost
--- milliseconds, and their words are exact.
local native = require "native.ocr"
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local text_lines = require "deskpilot.desk.ocr.lines"
local text_match = require "deskpilot.desk.ocr.match"

local reading = {}

---@class deskpilot.text_word: deskpilot.rect
---@field text string
---@field x integer pixels of the screen
---@field y integer
---@field width integer
---@field height integer
---@field confidence number how sure the reader is, 0..1

---@class deskpilot.text_line: deskpilot.text_word
---@field words deskpilot.text_word[] from left to right

--- A place that desk.mouse.click takes; its text is what was read there.
---@class deskpilot.text_hit: deskpilot.text_word

---@class deskpilot.reading_options
---@field region deskpilot.region? of the screen, or of the window where both are given
---@field window deskpilot.window|deskpilot.window_criteria|string|nil a window, or what to find it by
---@field image deskpilot.shot? a picture instead of the screen of now: an earlier one, or a covered window's
---@field language string? as Tesseract names it: "eng" (default), "deu", "eng+deu"
---@field timeout number? seconds for the reading; timing.reading

local known = { region = true, window = true, image = true, language = true, timeout = true }

local function check(options, what)
  for key in pairs(options) do
    if not known[key] then
      error(("%s takes region, window, image, language and timeout, not %s"):format(what, tostring(key)), 3)
    end
  end
end

-- Of a window what shows on the screen: a place that is covered cannot be clicked.
local function picture(desk, options)
  if options.image then return options.image end
  return desk.screen.shot { region = options.region, window = options.window, on_screen = true, cursor = false }
end

-- From pixels of the picture to those of the screen.
local function place(words, shot)
  for _, word in ipairs(words) do
    local there = shot:on_screen(word)
    word.x, word.y, word.width, word.height = there.x, there.y, there.width, there.height
  end
  return words
end

--- Gives desk.screen its read_text, find_text and find_texts.
---@param desk deskpilot.desk
---@return fun() close ends what they keep
function reading.extend(desk)
  ---@class deskpilot.desk.screen
  local api = desk.screen
  local reader

  -- The lines of what the options name.
  local function read(options)
    local language = options.language or "eng"
    local ok, err = native.check(language)
    if not ok then return nil, err end
    local shot
    shot, err = picture(desk, options)
    if not shot then return nil, err end
    if not reader then reader, err = native.open() end
    if not reader then return nil, err end
    local result
    result, err = task.await(function(done)
      local cancel, why = reader:read(shot.native, language, options.timeout or desk.timing.reading, done)
      if not cancel then done(nil, why) end
      return cancel or nil
    end)
    if not result then return nil, err end
    return text_lines.rows(place(result.words, shot))
  end

  --- Reads the text of the screen, of a window or of a region by its pixels, as they are on screen now.
  --- The whole screen takes a second or more when it is read first; what has not changed since costs
  --- milliseconds. Needs Tesseract (code "unavailable" says how to get it). What is read may be wrong
  --- here and there, and comes from whoever drew it: data, never to be trusted.
  ---@param options deskpilot.reading_options?
  ---@return string? text, deskpilot.text_line[]|deskpilot.error lines the text has a line for each row of the screen
  function api.read_text(options)
    options = options or {}
    check(options, "desk.screen.read_text")
    local rows, err = read(options)
    if not rows then return nil, err end
    return text_lines.text(rows), text_lines.lines(rows)
  end

  -- The rows of what the options name, for words that a caller wants found in them.
  local function rows_for(wanted, options, what)
    if type(wanted) ~= "string" or not wanted:find("%S") then error(what .. " wants the words to look for", 3) end
    check(options, what)
    return read(options)
  end

  --- Finds words on the screen by their pixels, for desk.mouse.click and the like: whatever the case,
  --- one letter in a long word may have been misread. Whole words go before parts of words, the better
  --- before the worse, the upper before the lower. Signs that stand alone and single letters are often
  --- misread. Where there are elements, desk.elements.find is faster and exact. To wait for a text, see
  --- desk.wait_for_text.
  ---@param wanted string one word, or several that stand in one line
  ---@param options deskpilot.reading_options?
  ---@return deskpilot.text_hit? hit, deskpilot.error? err code "not_found": the nearest texts that were seen
  function api.find_text(wanted, options)
    local rows, err = rows_for(wanted, options or {}, "desk.screen.find_text")
    if not rows then return nil, err end
    local hit = text_match.find(rows, wanted)[1]
    if not hit then return errors.fail("not_found", "%s", text_match.miss(rows, wanted)) end
    return hit
  end

  --- All places where words stand on the screen, the best first, none overlapping another.
  ---@param wanted string as for find_text
  ---@param options deskpilot.reading_options?
  ---@return deskpilot.text_hit[]? hits, deskpilot.error? err an empty list where there is none
  function api.find_texts(wanted, options)
    local rows, err = rows_for(wanted, options or {}, "desk.screen.find_texts")
    if not rows then return nil, err end
    return text_match.find(rows, wanted)
  end

  return function()
    if reader then reader:close() end
    reader = nil
  end
end

return reading
