--- A journal that anybody may have changed: what reads it gives a page of well-formed markup, a result, a past to go on
--- from, or a sentence.
local export = require "deskpilot.agent.export"
local trajectory = require "deskpilot.agent.trajectory"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local markup = require "markup"
local recording = require "deskpilot.agent.recording"
local report = require "deskpilot.cli.commands.report"
local resume = require "deskpilot.agent.resume"
local uv = require "luv"
local values = require "fuzz_values"

-- In memory, where there is a folder for that: a file is written for each input.
local memory = uv.fs_stat "/dev/shm" and "/dev/shm" or uv.os_tmpdir()
local folder = assert(uv.fs_mkdtemp(memory .. "/deskpilot-fuzz-XXXXXX"))
local path = files.join(folder, "journal.jsonl")
local keeper = setmetatable({}, { __gc = function() -- at the end of the state
  os.remove(path)
  uv.fs_rmdir(folder)
end })

local function write(bytes)
  local file <close> = assert(io.open(path, "wb"))
  file:write(bytes)
end

local function check_past(past, err)
  if not past then return values.sentence(tostring(err), 2000) end
  json.encode(resume.parent(past))
  for _, entry in ipairs(past.entries) do assert(type(entry.line) == "string", "an entry without a line") end
end

return function(bytes)
  assert(keeper)
  write(bytes)
  local events, how = journal.read(folder)
  if not events then return values.sentence(tostring(how), 2000) end
  local lost = journal.lost(how)
  if lost then values.sentence(lost, 2000) end
  local problem = markup.problem(report.html(events, "run", 1, lost))
  if problem then error(problem, 0) end
  json.encode(export.result(events, folder, how))
  json.encode(trajectory.of(folder, events))
  check_past(resume.read(folder))
  check_past(resume.read(folder, { turn = 1, fork = true }))
  local recorded, err = recording.open(folder)
  if not recorded then return values.sentence(tostring(err), 2000) end
  local width, height = recorded:size()
  assert(math.type(width) == "integer" and math.type(height) == "integer", "a desktop without a size")
  local seen, why = recorded:take { turn = recorded.first, stop = function() end }
  if not seen then values.sentence(tostring(why), 2000) end
end
