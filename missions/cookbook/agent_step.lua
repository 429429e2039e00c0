-- A script that hands one step to an agent and does the rest itself: what is fixed costs nothing, what is not is left
-- to a model, with limits and a check of its own. Linux (mousepad, galculator).
--   deskpilot run missions/cookbook/agent_step.lua --model literal
local files = require "deskpilot.base.files"

local path = files.join(assert(files.own_temporary_folder()), "cookbook-answer.txt")

---@type deskpilot.mission
return {
  policy = "task_executor",
  desktop = { kind = "private", size = { 1024, 700 }, apps = { { "galculator" } } },
  limits = { seconds = 120 },
  run = function(m)
    local desk = m.desk
    desk.wait_for_element { app = "galculator", role = "text" }
    local ok, why = m:achieve {
      goal = 'Click "9", click "sqrt".', -- in words of your own for a language model
      limits = { turns = 10, seconds = 60 },
      verify = function() return m.checks.element { app = "galculator", role = "text", shows = "3" } end,
    }
    if not ok then return false, "the agent did not get through: " .. why end
    local answer = desk.elements.text { app = "galculator", role = "text" }
    assert(files.write(path, answer .. "\n"))
  end,
  verify = function(m) return m.checks.file { path = path, equals = "3\n" } end,
}
