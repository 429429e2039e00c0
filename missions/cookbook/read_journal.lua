-- Reads what another run has written down and makes a table of its acts. Each line of journal.jsonl is an event in JSON
-- (docs/journal.md). Works everywhere.
--   deskpilot run missions/cookbook/read_journal.lua -- runs/20260101T120000Z-calculator acts.csv
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"

local function cell(text)
  return '"' .. tostring(text):gsub('"', '""'):gsub("\n", " ") .. '"'
end

---@type deskpilot.mission
return {
  limits = { seconds = 60 },
  run = function(m)
    local folder, path = m.args[1], m.args[2]
    if not folder then return false, "say which run: deskpilot run ... -- RUN_FOLDER [acts.csv]" end
    local rows, status = { "turn,tool,ok,seconds,text" }, "still running"
    for line in assert(files.read(files.join(folder, "journal.jsonl"))):gmatch "[^\n]+" do
      local event = json.decode(line) or {} -- a run that was killed may leave half a line
      if event.event == "action_result" then
        rows[#rows + 1] = ("%d,%s,%s,%.2f,%s"):format(event.turn, event.tool, event.ok, event.seconds or 0,
          cell(event.text))
      elseif event.event == "run_end" then
        status = event.status
      end
    end
    assert(files.write(path or files.join(assert(files.own_temporary_folder()), "cookbook-acts.csv"),
      table.concat(rows, "\n") .. "\n"))
    m:note(("%d acts; the run has %s"):format(#rows - 1, status))
  end,
}
