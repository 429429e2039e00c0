--- The policy manager is killed by SIGKILL in each state of its Controller, and in EXECUTE as each of its workers.
--- Every time it goes on in that state by `deskpilot resume`, without planning anew or doing again what was done; and
--- after a command that nobody has seen the end of, its Technician is told so.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local journals = require "journals"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local play = require "manager_play"
local spawn = require "spawn"

local tests = {}

local mission = [[
local files = require "deskpilot.base.files"
local uv = require "luv"
local FOLDER = %q
local state, role
return {
  task = "Answer the question and count the files.", policy = "manager",
  desktop = { kind = "private", size = { 400, 300 } },
  limits = { turns = 60, seconds = 120 }, timing = { verify = 0.1 },
  safety = { shell = "allow-list", shell_allow = { "echo counted >> count.txt", "cat count.txt" } },
  phase_change = function(_, event)
    state, role = event.to, event.why:match "^S%%d+ for the (%%a+):" or role
  end,
  -- Once in each state, and in EXECUTE once for each role.
  turn_start = function()
    local mark = FOLDER .. "/killed." .. tostring(state) .. (state == "EXECUTE" and "." .. tostring(role) or "")
    if files.exists(mark) or mark:find "EXECUTE.nil" then return end
    assert(files.write(mark, ""))
    uv.kill(uv.os_getpid(), "sigkill")
  end,
  -- In the middle of a turn: the command is done, and nothing says so yet.
  after_action = function(_, action)
    if action.tool ~= "run_command" or files.exists(FOLDER .. "/killed.command") then return end
    assert(files.write(FOLDER .. "/killed.command", ""))
    uv.kill(uv.os_getpid(), "sigkill")
  end,
  verify = function()
    return files.read(FOLDER .. "/count.txt") == "counted\n", "the files are not counted once"
  end,
}]]

local function plan()
  return play.plan(play.subtask("operator", "Gather the question", { gives = { "questions" } }),
    play.subtask("analyst", "Answer the question", { needs = { "questions" }, gives = { "answers" } }),
    play.subtask("technician", "Count the files", { needs = { "answers" } }))
end

-- Each goes by what the request says, as a model does: it may be asked the same again after a kill.
local script = { manager = plan, evaluator = play.yes }

function script.operator(request)
  local words = play.words(request)
  local item = { name = "q1", question = "What is 5 plus 6?", data = "A 10\nB 11" }
  if words:find("STILL MISSING: q1 has no guidance", 1, true) then
    item.guidance = "one letter"
    if words:find("GUIDANCE: one letter", 1, true) then return play.done() end
  elseif words:find("${q1}", 1, true) then return play.done() end
  return play.call("memorize", { items = json.list { item } })
end

function script.analyst()
  return play.call("answer", { answers = json.list { { item = "q1", how = "11 is B", answer = "B" } } })
end

function script.technician(request)
  local words = play.words(request)
  if words:find("stdout:\ncounted", 1, true) then return play.done "1 file" end
  if words:find("the run was cut off while this ran", 1, true) or words:find("exit status 0", 1, true) then
    return play.call("run_command", { command = "cat count.txt", justification = "It shows what was done." })
  end
  return play.call("run_command", { command = "echo counted >> count.txt", justification = "It counts the files." })
end

local states = { "INIT", "PLAN", "ASSIGN", "EXECUTE.operator", "EXECUTE.analyst", "EXECUTE.technician", "CHECK",
  "SUPPLEMENT", "FINAL_CHECK", "command" }

-- The run below a folder that is not among those known.
local function new_run(folder, known)
  for _, name in ipairs(files.list(folder)) do
    if not name:find "^%." and not known[name] then
      known[name] = true
      return files.join(folder, name)
    end
  end
end

-- What a journal says of the changes of state and of the plan.
local function read(folder)
  local found = { states = {}, plans = 0, commands = 0 }
  for _, event in ipairs(t.ok(journal.read(folder)) or {}) do
    if event.event == "phase_change" then table.insert(found.states, event.to) end
    if event.event == "plan" then found.plans = found.plans + 1 end
    if event.event == "action_result" and event.tool == "run_command" and event.ok then
      found.commands = found.commands + 1
    end
  end
  return found
end

function tests.killed_in_each_state_it_goes_on_there()
  local folder = spawn.folder()
  local server = model_server.start(play.answerer(script))
  assert(files.write(folder .. "/m.lua", mission:format(folder)))
  local child = spawn.run({ spawn.program, "run", folder .. "/m.lua", "--json", "--runs", folder .. "/runs",
    "--endpoint", server.endpoint, "--model", "qwen3-vl", "--set", "model.calls_per_minute=0" }, { cwd = folder })
  local known, last, plans, commands, kills = {}, nil, 0, 0, 0
  while true do
    local run_dir = t.ok(new_run(folder .. "/runs", known), child.stderr)
    local found = read(run_dir)
    plans, commands = plans + found.plans, commands + found.commands
    -- Before a turn has ended there is no state to go back to: INIT is begun anew.
    if last then t.eq(found.states[1], last, "it goes on where it was") end
    if child.signal ~= 9 then break end
    kills = kills + 1
    t.eq(journals.problems(run_dir .. "/journal.jsonl"), {}, "the journal is valid")
    last = found.states[#found.states]
    child = spawn.run({ spawn.program, "resume", run_dir, "--json" }, { cwd = folder })
    if kills > 20 then break end
  end
  server:stop()
  for _, name in ipairs(states) do t.ok(files.exists(folder .. "/killed." .. name), "killed in " .. name) end
  local result = json.decode(child.stdout) or {}
  t.eq({ child.status, result.status, kills }, { 0, "succeeded", #states }, tostring(result.reason) .. child.stderr)
  t.eq({ plans, commands, result.task_result.done, result.task_result.replans }, { 1, 1, 3, 0 })
  files.remove(folder)
end

return tests
