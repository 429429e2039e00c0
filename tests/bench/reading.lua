--- What reading the text of a screen costs, beside Tesseract's own program on a screenshot of it: part of
--- bench.lua, which gives the desktop and takes the rows.
local files = require "deskpilot.base.files"
local ocr = require "native.ocr"
local spawn = require "spawn"
local statistics = require "bench.statistics"
local task = require "deskpilot.base.task"

local ROUNDS = 3

-- What the editor and the terminal are full of.
local sentence = "The quick brown fox jumps over the lazy dog; pack my box with five dozen jugs."

local function count_known(text)
  local known, count = {}, 0
  for word in sentence:gmatch("%S+") do known[word] = true end
  for word in text:gmatch("%S+") do count = count + (known[word] and 1 or 0) end
  return count
end

local function seconds(fn, ...)
  local began = task.now()
  local result = fn(...)
  return task.now() - began, result
end

local function read(reader, image)
  return assert(task.await(function(done) return assert(reader:read(image, "eng", 120, done)) end))
end

local function by_program(path)
  return spawn.run({ "tesseract", path, "-" }, { env = { OMP_THREAD_LIMIT = false } })
end

local function words_of(result)
  local words = {}
  for i, word in ipairs(result.words) do words[i] = word.text end
  return table.concat(words, " ")
end

-- The program and a new reader, by turns.
local function compare(image, path)
  local result = { program = {}, reader = {}, ratios = {} }
  for i = 1, ROUNDS do
    local seconds_of, child = seconds(by_program, path)
    assert(child.status == 0, child.stderr)
    local reader <close> = setmetatable({ ocr = assert(ocr.open()) }, { __close = function(self) self.ocr:close() end })
    local own, read_words = seconds(read, reader.ocr, image)
    local ours, theirs = count_known(words_of(read_words)), count_known(child.stdout)
    result.program[i], result.reader[i] = seconds_of, own
    result.ours, result.theirs = math.min(result.ours or ours, ours), theirs
    result.ratios[i] = own / ours * theirs / seconds_of
  end
  return result
end

--- Measures, and adds the rows.
---@param desktop { display: string, folder: string }
---@param row fun(name: string, value: number|number[], unit: string, limit: number?, what: string?)
return function(desktop, row)
  local desk = assert(require("native.desk").open { display = desktop.display })
  local image = assert(desk:capture())
  local path = desktop.folder .. "/reading.png"
  assert(files.write(path, assert(image:png())))
  local result = compare(image, path)
  local reader = assert(ocr.open())
  read(reader, image)
  local again, program = {}, statistics.median(result.program)
  for i = 1, 10 do
    again[i] = seconds(function() read(reader, assert(desk:capture())) end) / program
  end
  reader:close()
  desk:close()
  row("tesseract, the screen as a process", result.program, "s", nil, ("%d known words"):format(result.theirs))
  row("text of the screen, the first time", result.reader, "s", nil, ("%d known words"):format(result.ours))
  row("  a known word of it", result.ratios, "x its", 0.5)
  row("  known words that it reads", result.theirs / result.ours, "x ours", 1)
  row("text of the screen, unchanged", again, "x its", 0.02, ("%.1f ms"):format(statistics.median(again) * program
    * 1000))
end
