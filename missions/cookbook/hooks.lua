-- Hooks before and after each act of an agent: what it does goes into a file, with how long it took and a picture of
-- each result. Every event of a run can be heard like that (docs/hooks.md). Linux (galculator).
--   deskpilot run missions/cookbook/hooks.lua --model literal
local files = require "deskpilot.base.files"

local folder = assert(files.own_temporary_folder())
local record, lines = files.join(folder, "cookbook-acts.txt"), {}

---@type deskpilot.mission
return {
  task = 'Click "9", click "sqrt", then expect "3".',
  policy = "task_executor",
  desktop = { kind = "private", size = { 800, 600 }, apps = { { "galculator" } } },
  limits = { turns = 20, seconds = 120 },
  before_action = function(_, action)
    lines[#lines + 1] = ("%d %s %s"):format(action.turn, action.tool, action.element and action.element.name or "-")
  end,
  after_action = function(m, action, result)
    lines[#lines] = ("%s %s %.1f s"):format(lines[#lines], result.ok and "done" or "failed", result.seconds or 0)
    assert(m.desk.screen.shot { path = files.join(folder, ("cookbook-act-%d.png"):format(action.turn)) })
  end,
  after_run = function(_, outcome)
    lines[#lines + 1] = outcome.status
    assert(files.write(record, table.concat(lines, "\n") .. "\n"))
  end,
  verify = function(m) return m.checks.element { app = "galculator", role = "text", shows = "3" } end,
}
