--- The journal's writer, where the task that writes is stopped in the middle of it, as by a limit or Ctrl+C.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local journals = require "journals"
local task = require "deskpilot.base.task"

local tests = {}

-- A task that computes is stopped between any two of its instructions: most often right after a line was written, for
-- that takes the most of its time.
function tests.no_line_is_lost_or_numbered_twice_where_tasks_are_stopped()
  local folder = assert(files.make_temporary_folder(files.temporary_folder(), "journal-"))
  local writer = assert(journal.open(folder))
  local emitted = 0
  for _ = 1, 30 do
    task.limit(0.002, function()
      task.sleep(0)
      while true do
        writer.every(nil, { event = "note", at = 1, message = "x" })
        emitted = emitted + 1
      end
    end)
  end
  writer.close()
  local path, lines, wrong = files.join(folder, "journal.jsonl"), 0, nil
  journals.made_up[path] = true -- it is judged here, and not once more where it is removed
  for line in (files.read(path) or ""):gmatch "[^\n]+" do
    local number = line:match '"number":(%d+)'
    if number and tonumber(number) ~= lines then wrong = wrong or ("line %d: %s"):format(lines + 1, line) end
    lines = lines + 1
  end
  t.eq(wrong, nil)
  t.ok(emitted > 10 and lines > emitted, ("%d lines, %d events"):format(lines, emitted))
  files.remove(folder)
end

return tests
