-- A guard of this mission's own: the agent may not press Delete, whatever its task or a page says. It reads why, and
-- the run goes on. Linux (zenity).
--   deskpilot run missions/cookbook/refuse.lua --model literal
local refused = 0
local pid

---@type deskpilot.mission
return {
  policy = "task_executor",
  desktop = { kind = "private", size = { 800, 600 } },
  limits = { turns = 20, seconds = 120, failures = 2 },
  before_action = function(_, action)
    local name = action.element and action.element.name or ""
    if name:lower() == "delete" then
      refused = refused + 1
      return false, "nothing may be deleted here; press Keep"
    end
  end,
  run = function(m)
    local desk = m.desk
    local window
    pid, window = desk.apps.start { "zenity", "--question", "--text", "The old pictures", "--ok-label", "Delete",
      "--cancel-label", "Keep", wait = 15 }
    desk.wait_for_element { role = "push button", name = "Delete", pid = window.pid }
    m:achieve { goal = 'Click "Delete"', limits = { turns = 3 } }
    m:note(("the agent was refused %d times"):format(refused))
    m:achieve { goal = 'Click "Keep"', verify = function() return m.desk.try.apps.ended(pid) ~= nil end }
    return refused > 0, "nothing had to be refused"
  end,
  verify = function(m) -- "Keep" is the exit status 1
    local status = m.desk.apps.wait(pid, { timeout = 5 })
    return status == 1, "the program ended with the status " .. tostring(status)
  end,
}
