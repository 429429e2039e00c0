--- The shipped mission that is the same on every system, run by the real program, and the fields of the
--- journal that it must leave behind: one test on all systems.
local files = require "deskpilot.base.files"
local harness = require "harness"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local spawn = require "spawn"
local text = require "deskpilot.base.text"

local same_mission = {}

-- Of each event: the fields that it always has, and those that it may have.
local fields = {
  run_start = { "config desktop endpoint file mission model policy task version", "flags own_files" },
  turn_start = { "" },
  journal = { "program version" },
  state = { "", "set removed history criteria" },
  observed = { "elements image screen screenshot seconds window", "seen" },
  model_request = { "max_tokens model persona request temperature", "acts tools" },
  model_reply = { "attempts content persona request seconds usage", "tool_calls" },
  phase_change = { "from prompt rationale to tools", "tools_rationale" },
  action = { "args persona tool" },
  action_result = { "args ok seconds text tool", "point" },
  settled = { "reason seconds" },
  note = { "message" },
  turn_end = { "seconds" },
  run_end = { "actions reason seconds status turns", "verdict" },
}

local function set(words)
  local names = {}
  for word in words:gmatch "%S+" do names[word] = true end
  return names
end

local function check(event)
  local known = fields[event.event]
  if not harness.ok(known, "the event " .. tostring(event.event) .. " is known") then return end
  local always = set(known[1] .. " event at " .. (event.event == "journal" and "" or "number"))
  local sometimes = set((known[2] or "") .. " turn")
  for name in pairs(always) do harness.ok(event[name] ~= nil, event.event .. " has " .. name) end
  for _, name in ipairs(text.keys(event)) do
    harness.ok(always[name] or sometimes[name], event.event .. " may have " .. name)
  end
end

--- Runs it and checks what it leaves.
function same_mission.run()
  local folder = spawn.folder()
  local child = spawn.run { spawn.program, "run", "copy", "--json", "--runs", folder, "--model", "literal" }
  local result = json.decode(child.stdout) or {}
  harness.eq(child.status, 0, child.stderr)
  harness.eq(result.status, "succeeded", result.reason)
  harness.eq(result.turns, 5)
  local events = journal.read(result.run_dir or "") or {}
  harness.ok(#events > 30, #events)
  for _, event in ipairs(events) do check(event) end
  files.remove(folder)
end

return same_mission
