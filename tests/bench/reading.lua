--- What reading the text of a screen costs, beside Tesseract's own program on a screenshot of it: part of
--- bench.lua, which gives the desktop and takes the rows.
local files = require "deskpilot.base.files"
local ocr = require "native.ocr"
local spawn = require "spawn"
local task = require "deskpilot.base.task"

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

--- Measures, and adds the rows.
---@param desktop { display: string, folder: string }
---@param row fun(name: string, value: number, unit: string, limit: number?, what: string?)
return function(desktop, row)
  local desk = assert(require("native.desk").open { display = desktop.display })
  local image = assert(desk:capture())
  local path = desktop.folder .. "/reading.png"
  assert(files.write(path, assert(image:png())))
  local peer, child = seconds(by_program, path)
  assert(child.status == 0, child.stderr)
  local reader = assert(ocr.open())
  local first, result = seconds(read, reader, image)
  local again = math.huge
  for _ = 1, 10 do
    again = math.min(again, (seconds(function() read(reader, assert(desk:capture())) end)))
  end
  reader:close()
  desk:close()
  local ours, theirs = count_known(words_of(result)), count_known(child.stdout)
  row("tesseract, the screen as a process", peer, "s", nil, ("%d known words"):format(theirs))
  row("text of the screen, the first time", first, "s", nil, ("%d known words"):format(ours))
  row("  a known word of it", first / ours * theirs / peer, "x its", 0.5)
  row("  known words that it reads", theirs / ours, "x ours", 1)
  row("text of the screen, unchanged", again / peer, "x its", 0.02, ("%.1f ms"):format(again * 1000))
end
