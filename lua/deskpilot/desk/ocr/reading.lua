--- desk.screen.read_text, find_text and find_texts: text from pixels (OCR), for windows that have no elements:
--- terminals, games, remote desktops, pictures. Where there are elements, they are faster (milliseconds) and exact.
local native = require "native.ocr"
local errors = require "deskpilot.base.errors"
local signature = require "deskpilot.base.signature"
local task = require "deskpilot.base.task"

-- What few runs need is loaded by those that do.
local function text_lines() return require "deskpilot.desk.ocr.lines" end
local function text_match() return require "deskpilot.desk.ocr.match" end

local reading = {}

---@class deskpilot.text_word: deskpilot.rect
---@field text string
---@field x integer pixels of the screen
---@field y integer
---@field width integer
---@field height integer
---@field confidence number of the OCR, 0..1

---@class deskpilot.text_line: deskpilot.text_word
---@field words deskpilot.text_word[] from left to right

--- A place that desk.mouse.click accepts; `text` is what was read there.
---@class deskpilot.text_hit: deskpilot.text_word

---@class deskpilot.reading_options
---@field region deskpilot.region? of the screen, or of the window where both are given
---@field window deskpilot.window|deskpilot.window_criteria|string|nil a window, or what to find it by
---@field image deskpilot.shot? a screenshot to read instead of the current screen
---@field language string? in Tesseract's notation: "eng" (default), "deu", "eng+deu"
---@field timeout number? seconds; default timing.reading

local known = { region = true, window = true, image = true, language = true, timeout = true }

local function check(options, what)
  for key in pairs(options) do
    if not known[key] then
      errors.mistake("%s takes region, window, image, language and timeout, not %s", what, tostring(key))
    end
  end
end

-- Of a window what shows on the screen: a place that is covered cannot be clicked.
local function picture(desk, options)
  if options.image then return options.image end
  return desk.screen.shot { region = options.region, window = options.window, on_screen = true, cursor = false }
end

-- Converts boxes from pixels of the screenshot to pixels of the screen.
local function place(words, shot)
  for _, word in ipairs(words) do
    local there = shot:on_screen(word)
    word.x, word.y, word.width, word.height = there.x, there.y, there.width, there.height
  end
  return words
end

local signatures = signature.of("desk.screen", {
  read_text = { "options?" }, find_text = { "text", "options?" }, find_texts = { "text", "options?" },
})

--- Adds read_text, find_text and find_texts to desk.screen.
---@param desk deskpilot.desk
---@return fun() close stops the OCR engine
function reading.extend(desk)
  ---@class deskpilot.desk.screen
  local api = desk.screen
  local reader

  -- The rows of text in the part of the screen that the options select.
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
    return text_lines().rows(place(result.words, shot))
  end

  --- Reads the text of the screen, of a window or of a region from its current pixels (OCR). Reading a whole screen for
  --- the first time takes a second or more; parts that have not changed since then take milliseconds. Needs Tesseract
  --- (the error "unavailable" says how to install it). The text may contain errors, and it is untrusted data.
  ---@param options deskpilot.reading_options?
  ---@return string? text one line for each row of the screen
  ---@return deskpilot.text_line[]|deskpilot.error lines or the error if text is nil
  function api.read_text(options)
    options = options or {}
    check(options, "desk.screen.read_text")
    local rows, err = read(options)
    if not rows then return nil, err end
    return text_lines().text(rows), text_lines().lines(rows)
  end

  -- Checks the arguments of find_text and find_texts, and reads the rows.
  local function rows_for(wanted, options, what)
    if not wanted:find("%S") then errors.mistake("%s wants the words to look for", what) end
    check(options, what)
    return read(options)
  end

  --- Finds words on the screen by their pixels (OCR), for example for desk.mouse.click. Case is ignored, and a long
  --- word may contain a misread letter. Whole words come before parts of words, better matches before worse ones, upper
  --- places before lower ones. Single letters and isolated punctuation are often misread. Where there are elements,
  --- desk.elements.find is faster and exact. desk.wait_for_text waits for a text.
  ---@param wanted string one word, or several in one line
  ---@param options deskpilot.reading_options?
  ---@return deskpilot.text_hit? hit, deskpilot.error? err code "not_found"; the message has the nearest texts
  function api.find_text(wanted, options)
    local rows, err = rows_for(wanted, options or {}, "desk.screen.find_text")
    if not rows then return nil, err end
    local hit = text_match().find(rows, wanted)[1]
    if not hit then return errors.fail("not_found", "%s", text_match().describe_miss(rows, wanted)) end
    return hit
  end

  --- All places of words on the screen, the best match first, without overlaps.
  ---@param wanted string as for find_text
  ---@param options deskpilot.reading_options?
  ---@return deskpilot.text_hit[]? hits, deskpilot.error? err no match is an empty list, not an error
  function api.find_texts(wanted, options)
    local rows, err = rows_for(wanted, options or {}, "desk.screen.find_texts")
    if not rows then return nil, err end
    return text_match().find(rows, wanted)
  end

  signatures(api)
  return function()
    if reader then reader:close() end
    reader = nil
  end
end

return reading
