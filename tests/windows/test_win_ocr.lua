-- Tesseract's DLL, where it is looked for and how it is called: by a stand-in that reads "Hello world" in
-- every picture. Tesseract itself has not been run on Windows by these tests.
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local spawn = require "spawn"
local t = require "harness"

local tests = {}

-- A picture with one area of strokes, at 40,30; what is read in it.
local source = [[
  local language = ...
  local image = require("native.image").new(300, 100)
  for x = 40, 100, 4 do image:fill(x, 30, 2, 12, 255, 255, 255) end
  local reader, err = require("native.ocr").open()
  local ok, why = require("native.ocr").check(language)
  if not ok then return nil, why end
  return require("deskpilot.base.task").await(function(done) return reader:read(image, language, 20, done) end)
]]

local function read(folder, language)
  local child = spawn.run({ spawn.program, "eval", "--json", source, language },
    { env = { DESKPILOT_TESSERACT = folder } })
  return child, (child.stdout:gsub("\r", ""))
end

-- A folder as an installer makes it.
local function with_tesseract(fn)
  local folder = spawn.folder()
  assert(files.make_folder(folder .. "/Tesseract OCR/tessdata"))
  local home = folder .. "/Tesseract OCR"
  assert(files.write(home .. "/libtesseract-5.5.dll", assert(files.read(os.getenv "DESKPILOT_TESSERACT_STUB"))))
  assert(files.write(home .. "/tessdata/eng.traineddata", "data"))
  fn(files.native(home))
  files.remove(folder)
end

function tests.it_is_found_and_called()
  with_tesseract(function(folder)
    local child, output = read(folder, "eng")
    t.eq(child.status, 0, child.stderr)
    local answer = json.decode(output) or {}
    t.eq(answer.areas, 1)
    local words = answer.words or {}
    t.eq(#words, 2)
    t.eq(words[1] and words[1].text, "Hello")
    t.eq(words[2] and words[2].text, "world", "without the control character")
    t.eq(words[1] and words[1].line, words[2] and words[2].line)
    for _, word in ipairs(words) do
      t.ok(word.x >= 36 and word.x + word.width <= 106 and word.y >= 26 and word.y + word.height <= 46, word)
    end
  end)
end

function tests.data_that_is_missing()
  with_tesseract(function(folder)
    local child, output = read(folder, "eng+deu")
    t.eq(child.status, 1)
    t.has(output, '"code":"unavailable"')
    t.has(output, "put deu.traineddata into the folder tessdata")
  end)
end

-- Neither the current folder nor the PATH is a place to take a DLL from.
function tests.only_known_folders_count()
  with_tesseract(function(folder)
    for _, name in ipairs { "", ".", "tesseract", "C:tesseract", folder .. "\\nowhere" } do
      local child = spawn.run({ files.absolute(spawn.program), "eval", source, "eng" },
        { cwd = folder, env = { DESKPILOT_TESSERACT = name, PATH = folder .. ";" .. os.getenv "PATH" } })
      t.eq(child.status, 1, name)
      t.has(child.stdout, "Tesseract, which reads text off the screen, is not installed", name)
    end
  end)
end

return tests
