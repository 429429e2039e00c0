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
  run_start = { "began config desktop endpoint file mission model policy task version", "flags own_files" },
  turn_start = { "" },
  journal = { "program version" },
  state = { "", "set removed history criteria" },
  observed = { "elements image screen screenshot seconds tree window", "parts seen" },
  model_request = { "max_tokens model persona request temperature", "acts earlier pictures tools" },
  model_reply = { "attempts content model persona request seconds tokens usage", "tool_calls cost" },
  phase_change = { "from prompt rationale to tools", "tools_rationale" },
  action = { "args persona tool" },
  action_result = { "args ok seconds text tool", "hit point" },
  settled = { "reason seconds", "after unknown" },
  screen_changed = { "matters seconds tool", "text" },
  note = { "message" },
  turn_end = { "actions of seconds seconds_left", "last" },
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

-- Its result and its journal.
local function play(folder, ...)
  local child = spawn.run { spawn.program, "run", "copy", "--json", "--runs", folder, "--model", "literal", ... }
  local result = json.decode(child.stdout) or {}
  harness.eq(child.status, 0, child.stderr)
  harness.eq(result.status, "succeeded", result.reason)
  harness.eq(result.turns, 5)
  return journal.read(result.run_dir or "") or {}
end

--- Runs it with the policy task_executor and checks what was done.
function same_mission.run_by_one_agent()
  local folder, tools = spawn.folder(), {}
  for _, event in ipairs(play(folder, "--policy", "task_executor")) do
    if event.event == "action_result" then tools[#tools + 1] = event.tool end
  end
  harness.eq(tools, { "tap", "type", "press_key", "press_key", "finish" })
  files.remove(folder)
end

--- Runs it and checks what it leaves.
function same_mission.run()
  local folder = spawn.folder()
  local events = play(folder)
  harness.ok(#events > 30, #events)
  for _, event in ipairs(events) do check(event) end
  files.remove(folder)
end

return same_mission
