--- Reading text off pictures: the words' order, how they are found again, and what is said where nothing
--- can be read. Real applications are in e2e/test_read_text.lua.
local t = require "harness"
local desk_module = require "deskpilot.desk"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local native = require "native.ocr"
local native_image = require "native.image"
local spawn = require "spawn"
local task = require "deskpilot.base.task"
local text_lines = require "deskpilot.desk.ocr.lines"
local text_match = require "deskpilot.desk.ocr.match"

local tests = {}

-- Words as the reader gives them: each line is { x, y, "its words" }, letters 8 wide and 10 high.
local function words_of(lines)
  local words = {}
  for number, line in ipairs(lines) do
    local x = line[1]
    for word in line[3]:gmatch("%S+") do
      local width = 8 * utf8.len(word)
      words[#words + 1] = { text = word, x = x, y = line[2], width = width, height = 10, confidence = 0.9,
        line = number }
      x = x + width + 8
    end
  end
  return words
end

local screen = {
  { 10, 100, "Open file" }, { 300, 101, "Save as..." }, { 10, 10, "File" }, { 60, 12, "Edit" },
  { 10, 200, "The guick brown fox" }, { 10, 220, "Preferenc es saved" }, { 10, 240, "total=1,299.50" },
  { 10, 260, "SAVE AS" }, { 10, 280, "Lib64 Cancel1ed ÜBER" },
}

function tests.lines_become_rows()
  local rows = text_lines.rows(words_of(screen))
  t.eq(text_lines.text(rows), table.concat({ "File  Edit", "Open file  Save as...", "The guick brown fox",
    "Preferenc es saved", "total=1,299.50", "SAVE AS", "Lib64 Cancel1ed ÜBER" }, "\n"))
  local lines = text_lines.lines(rows)
  t.eq(#lines, #screen)
  t.eq(lines[4].text, "Save as...")
  t.eq({ lines[4].x, lines[4].y, lines[4].width, lines[4].height }, { 300, 101, 80, 10 })
  t.eq(#lines[4].words, 2)
  t.eq(text_lines.text(text_lines.rows {}), "")
end

function tests.words_are_found()
  local rows = text_lines.rows(words_of(screen))
  local function texts(wanted)
    local found = {}
    for i, hit in ipairs(text_match.find(rows, wanted)) do found[i] = hit.text end
    return found
  end
  t.eq(texts "save as", { "Save as...", "SAVE AS" }, "any case, the upper first, signs at the end do not count")
  t.eq(texts "Save as...", { "Save as..." }, "but wanted ones do")
  t.eq(texts "quick", { "guick" }, "one slip in a long word")
  t.eq(texts "the quick", { "The guick" })
  t.eq(texts "fax", {}, "none in a short one")
  t.eq(texts "preferences", { "Preferenc es" }, "a space too many")
  t.eq(texts "openfile", { "Open file" })
  t.eq(texts "lib64", { "Lib64" })
  t.eq(texts "cancelled", { "Cancel1ed" }, "1 and l look alike")
  t.eq(texts "über", { "ÜBER" })
  t.eq(texts "file save", {}, "what stands apart is no phrase")
  t.eq(texts "file edit", {}, "nor are these")
  local part = text_match.find(rows, "1,299.50")[1]
  t.eq({ part.x, part.y, part.width, part.height }, { 10 + 6 * 8, 240, 8 * 8, 10 }, "a part of a word has its place")
  local hit = text_match.find(rows, "file")[1]
  t.eq({ hit.x, hit.y, hit.width, hit.height, hit.confidence }, { 10, 10, 32, 10, 0.9 })
end

function tests.a_miss_says_what_was_there()
  local rows = text_lines.rows(words_of(screen))
  t.has(text_match.describe_miss(rows, "Sav ass"), '"Sav ass" was not seen; the nearest is "')
  t.has(text_match.describe_miss(rows, "Open folder"), '"Open file"')
  t.has(text_match.describe_miss(rows, "zzzzzzzzzzzzzzzzzzzz"), 'what was seen begins with "File Edit Open file')
  t.has(text_match.describe_miss({}, "x"), "no text was seen there at all")
end

local function null_desk(fn)
  local desk = assert(desk_module.open { backend = "null", width = 640, height = 480 })
  fn(desk)
  desk:close()
end

function tests.callers_mistakes_raise()
  null_desk(function(desk)
    t.raises("read_text takes region, window, image", desk.screen.read_text, { regoin = {} })
    t.raises("wants the words to look for", desk.screen.find_text, " ")
    t.raises("desk.screen.find_texts wants a text", desk.screen.find_texts)
    local text, err = desk.screen.read_text { language = "../../etc/passwd" }
    t.eq(text, nil)
    t.ok(errors.is(err, "invalid") or errors.is(err, "unavailable"), err)
  end)
end

if t.platform == "windows" then
function tests.without_tesseract()
  local ok, err = native.check "eng"
  t.eq(ok, nil)
  t.eq(err.code, "unavailable")
  t.has(tostring(err), "install Tesseract 5 for Windows (64-bit)")
  t.has(tostring(err), "DESKPILOT_TESSERACT")
  null_desk(function(desk)
    local none, why = desk.screen.find_text "File"
    t.eq(none, nil)
    t.eq(tostring(why), tostring(err))
  end)
  t.has(spawn.run({ spawn.program, "doctor" }).stdout, "text on screen (OCR)")
end

else
function tests.without_a_languages_data()
  for _, language in ipairs { "xyz", "eng+xyz" } do
    local ok, err = native.check(language)
    t.eq(ok, nil)
    t.eq(err.code, "unavailable")
    t.has(tostring(err), "apt install tesseract-ocr-xyz")
  end
  for _, language in ipairs { "", "+", "eng+", "+eng", "e/g", "eng.", ("x"):rep(300) } do
    local ok, err = native.check(language)
    t.eq(ok, nil)
    t.eq(err.code, "invalid", language)
  end
  t.ok(native.check "eng")
  local child = spawn.run({ spawn.program, "doctor" }, { env = { DISPLAY = false } })
  t.has(child.stdout, "text on screen (OCR)")
  t.has(child.stdout, "Tesseract is there, with eng")
end

function tests.data_that_is_none()
  local folder = spawn.folder()
  assert(files.write(folder .. "/eng.traineddata", ("no data\n"):rep(100)))
  local child = spawn.run({ spawn.program, "eval", [[
    local image = require("native.image").new(300, 100)
    for x = 40, 100, 4 do image:fill(x, 30, 2, 12, 255, 255, 255) end
    local reader = require("native.ocr").open()
    return require("deskpilot.base.task").await(function(done) return reader:read(image, "eng", 20, done) end)
  ]] }, { env = { TESSDATA_PREFIX = folder } })
  t.eq(child.status, 1, child.stderr)
  t.has(child.stdout, 'Tesseract does not load its data for "eng" in ' .. folder)
  t.has(child.stdout, "reinstall it (unavailable)")
  t.eq(child.stderr, "", "nothing of the library's own words")
  files.remove(folder)
end

-- The reader's answer to a picture with nothing to read.
local function read(reader, image, timeout)
  return task.await(function(done) return assert(reader:read(image, "eng", timeout or 30, done)) end)
end

function tests.nothing_to_read()
  local reader = assert(native.open())
  local blank = assert(native_image.new(200, 100))
  t.eq(read(reader, blank), { words = {}, areas = 0, known = 0 })
  null_desk(function(desk)
    t.eq(desk.screen.read_text(), "")
    local hit, err = desk.screen.find_text "File"
    t.eq(hit, nil)
    t.eq(err.code, "not_found")
    t.has(tostring(err), "no text was seen there at all")
    t.eq(desk.screen.find_texts "File", {})
  end)
  reader:close()
  reader:close()
  t.raises("has been closed", reader.read, reader, blank, "eng", 1, print)
end

-- A picture full of what might be text: reading it takes longer than anybody waits.
local function busy_picture()
  local image = assert(native_image.new(800, 600))
  for y = 0, 599, 15 do
    for x = 0, 799, 5 do
      if (x * 7 + y * 13) % 11 > 3 then image:fill(x, y, 2 + (x * y) % 3, 9, 255, 255, 255) end
    end
  end
  return image
end

function tests.it_can_be_stopped()
  local reader = assert(native.open())
  local image = busy_picture()
  local result, err = read(reader, image, 0)
  t.eq(result, nil)
  t.eq(err.code, "timed_out")
  t.has(tostring(err), "name a region")
  local began = task.now()
  local ended, why = task.limit(0.1, read, reader, image)
  t.eq(ended, false)
  t.eq(why.code, "timed_out")
  t.ok(task.now() - began < 5, "cancelled soon")
  -- Two at a time, and one whose reader is closed under it.
  local first = task.start(read, reader, image, 1)
  local second = task.start(read, reader, image, 1)
  reader:close()
  for _, work in ipairs { first, second } do
    local ok, got, failure = work:wait()
    t.ok(ok, got)
    t.eq(got, nil)
    t.eq(failure.code, "cancelled")
  end
end
end

return tests
