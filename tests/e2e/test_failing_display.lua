-- A display that fails while it is opened, at each of its answers: a sentence, and never the end of the program.
local t = require "harness"
local desktop = require "desktop"
local failing = require "failing"

local tests = {}

-- Opens the display and asks it often enough that there are answers to fail at, in however few pieces they come.
local command = { "eval", "for _ = 1, 8 do assert(desk.windows.list()) end" }

function tests.each_answer_of_the_display()
  desktop.with({ size = { 320, 240 } }, function(_, session, folder)
    local env = desktop.env(session)
    local _, whole = failing.run(command, { CALL = "recv" }, { cwd = folder, env = env })
    t.ok(whole.calls > 10, "only counts: " .. whole.calls)
    local failed = 0
    for at = 1, whole.calls do
      local child, report = failing.run(command, { CALL = "recv", AT = at, HOW = "ECONNRESET", TIMES = "all" },
        { cwd = folder, env = env })
      failed = failed + math.min(report.failed, 1)
      t.eq(child.signal, 0, ("recv#%d: %s"):format(at, child.stderr))
      t.ok(child.status == 0 or child.stderr:find "^deskpilot: %a", ("recv#%d: %s"):format(at, child.stderr))
    end
    t.ok(failed > 8, "so few have failed: " .. failed) -- how much comes at once differs
  end)
end

return tests
