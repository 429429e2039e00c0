--- A model that misbehaves, against every policy: one that claims completion at once and always, repeats one action
--- for ever, calls for more than it has looked at, invents tools and arguments, or asks questions. It is a real HTTP
--- server, the application is a real editor with a file, and each end is the one that docs/policies.md tells of.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local odev = require "odev_play"
local spawn = require "spawn"
local three_body = require "three_body_play"

local because = "The editor is in front with the note in it, so this is what the mission needs to be done next."
local evidence = ("The note is open in the editor, says \"hello\" and has been saved; "):rep(3)

-- The note is watched from within: what the editor shows at the end is written down beside it.
local mission = [[
local FOLDER = %q
local function waits(m, fn) assert(m.desk.wait_until(fn, { timeout = 20 })) end
local function button(m) return m.desk.elements.find { role = "push button", name = "Don't Save" } end
return {
  task = "Write hello into the note and save it.",
  desktop = { kind = "private", size = { 900, 600 },
    apps = { { "mousepad", "--disable-server", FOLDER .. "/note.txt" } } },
  timing = { verify = 0.1 },
  before_run = function(m)
    assert(m.desk.wait_for_window { title = "note.txt", active = true, timeout = 30 })
    assert(m.desk.wait_for_element { role = "text", text = "first", timeout = 30 })
  end,
  -- The editor may be slow with its dialog; a test that hurries would find out nothing.
  after_action = function(m, action, result)
    if not result.ok then return end
    if action.args.key == "ctrl+w" then waits(m, function() return button(m) end) end
    if action.args.key == "escape" then waits(m, function() return not button(m) end) end
  end,
  after_run = function(m)
    local shown = m.desk.elements.find { role = "text", app = "mousepad" }
    assert(require("deskpilot.base.files").write(FOLDER .. "/shown", shown and shown.text or "nothing"))
  end,
  %s
}]]

local with_verify = [[
  verify = function()
    local words = require("deskpilot.base.files").read(FOLDER .. "/note.txt")
    return words:find("hello", 1, true) ~= nil, "the note does not say hello"
  end,
]]

-- --- the behaviours: what the Executor, or else the planner, calls for -----------------------------------------------

local function key(name) return { "press_key", { key = name } } end
local function typed(words) return { "type_text", { text = words } } end

local behaviours = {}

-- Beside a key that changes nothing, where the policy wants an action with each claim.
behaviours.claims = { claims = true, phase = "VERIFICATION", tools = { "report_completion" },
  calls = function() return { key "home" } end, text = "The mission is complete." }

-- The same where the mission has no check of its own: the Strategist's criteria decide, or the mission's indicators.
behaviours.claims_unchecked = { claims = true, phase = "VERIFICATION", tools = { "report_completion" },
  calls = behaviours.claims.calls, text = behaviours.claims.text, mission = 'indicators = { "hello" },' }

-- And where nothing could deny it: neither a check, nor indicators, nor criteria (the Strategist's are not given).
behaviours.claims_believed = { claims = true, phase = "VERIFICATION", tools = { "report_completion" },
  calls = behaviours.claims.calls, text = behaviours.claims.text, mission = "", prose = "Write the note." }
behaviours.claims_accepted = { claims = true, phase = "VERIFICATION", tools = { "report_completion" },
  calls = behaviours.claims.calls, text = behaviours.claims.text, mission = "accept_claims = true,",
  prose = "Write the note." }

behaviours.repeats = { tools = { "press_key" }, calls = function() return { key "home", key "home" } end }

-- Closes a note that was changed. In the question that this brings up, Enter would save it.
behaviours.batches = { tools = { "press_key", "type_text" }, calls = function(words)
  if words:find("Don't Save", 1, true) then return { key "escape", key "ctrl+w", key "enter" } end
  if words:find('active window: "*', 1, true) then return { key "ctrl+w", key "enter", key "enter" } end
  return { typed "junk ", key "ctrl+w", key "enter", key "enter" }
end }

-- So does whoever is to say how it is done: none of these answers can be used.
behaviours.invents = { lead = function() return three_body.calls { "make_it_so", { urgency = 11 } } end,
  calls = function(_, n)
    local list = { { "save_file", { path = "note.txt", text = "hello" } }, { "press_key", { keys = { "ctrl", "s" } } },
      { "click_element", { target = "the button that saves" } } }
    return { list[n % 3 + 1] }
  end }

behaviours.asks = { text = "Should I really write into your note?" }
behaviours.asks.lead = function() return model_server.reply_text(behaviours.asks.text) end

behaviours.asks_by_tool = { tools = { "ask_user" }, flags = { "--set", "tools.offer=talk" }, calls = function(_, n)
  return { { "ask_user", { question = ("Should I really do it? I ask for the %d. time."):format(n) } } }
end }

-- The same, and somebody answers.
behaviours.asks_on = { tools = { "ask_user" }, calls = behaviours.asks_by_tool.calls,
  mission = with_verify .. 'ask = function() return "Do as you like." end,',
  flags = { "--set", "tools.offer=talk", "--set", "ask_user.most=2" } }

-- --- how the personas say it -----------------------------------------------------------------------------------------

local personas = {}

function personas.strategist(behaviour)
  if behaviour.prose then return model_server.reply_text(behaviour.prose) end
  return behaviour.lead and behaviour.lead() or three_body.doctrine { 'The note says "hello".' }
end

function personas.tactician(behaviour)
  return behaviour.lead and behaviour.lead() or three_body.orders(behaviour.phase or "EXECUTION", behaviour.tools)
end

function personas.executor(behaviour, request, n)
  if behaviour.claims then
    local wanted = three_body.tool(request, "report_completion").parameters.properties.evidence.type
    return three_body.claim(wanted == "array" and { evidence } or evidence)
  end
  if not behaviour.calls then return model_server.reply_text(behaviour.text) end
  local _, words = three_body.words(request)
  local list = behaviour.calls(words, n)
  for _, call in ipairs(list) do
    if three_body.tool(request, call[1]) and call[1] ~= "ask_user" then call[2].justification = because end
  end
  return three_body.calls(table.unpack(list))
end

function personas.planner(behaviour, request, n)
  if not behaviour.calls then return model_server.reply_text(behaviour.text) end
  local actions = {}
  for i, call in ipairs(behaviour.calls(odev.words(request), n)) do actions[i] = { tool = call[1], args = call[2] } end
  return odev.plan { rationale = because, actions = actions, completes_goal = behaviour.claims or false }
end

function personas.vision(behaviour, request, n)
  if behaviour.text then return model_server.reply_text(behaviour.text) end
  local call = behaviour.calls(odev.words(request), n)[1]
  return odev.correct(call[1], call[2])
end

-- As an Executor, in the words of a finger.
local by_finger = { type_text = "type" }

function personas.agent(behaviour, request, n)
  if behaviour.claims then return three_body.calls { "finish", { reason = evidence } } end
  if not behaviour.calls then return model_server.reply_text(behaviour.text) end
  local _, words = three_body.words(request)
  local list = behaviour.calls(words, n)
  for _, call in ipairs(list) do
    call[1] = by_finger[call[1]] or call[1]
    if three_body.tool(request, call[1]) and call[1] ~= "ask_user" then call[2].justification = because end
  end
  return three_body.calls(table.unpack(list))
end

local function persona_of(request)
  if three_body.tool(request, "tap") then return "agent" end
  local who = odev.persona(request)
  return who ~= "nobody" and who or three_body.persona(request)
end

-- --- a run -----------------------------------------------------------------------------------------------------------

local policies = {
  three_body = { "--policy", "three_body" },
  three_body_4 = { "--policy", "three_body", "--set", "three_body.calls_per_turn=4" },
  odev = { "--policy", "odev", "--set", "odev.max_escalations=2", "--set", "odev.verify_seconds=0.2",
    "--set", "odev.read_screen=false" },
  task_executor = { "--policy", "task_executor" },
}
local who_acts = { odev = "planner", task_executor = "agent" }

-- Begins it; the four of a behaviour go on side by side.
local function begin(behaviour, policy)
  local folder, counts = spawn.folder(), {}
  assert(files.write(files.join(folder, "note.txt"), "first\n"))
  local path = files.join(folder, "m.lua")
  assert(files.write(path, mission:format(folder, behaviour.mission or with_verify)))
  local server = model_server.start(function(request)
    local who = persona_of(request)
    counts[who] = (counts[who] or 0) + 1
    return personas[who](behaviour, request, counts[who])
  end)
  local argv = { spawn.program, "run", path, "--json", "--runs", files.join(folder, "runs"), "--endpoint",
    server.endpoint, "--model", "qwen3-vl", "--set", "model.calls_per_minute=0", "--set", "model.retries=0",
    "--set", "limits.turns=8", "--set", "limits.failures=5", "--set", "limits.seconds=60" }
  for _, list in ipairs { policies[policy], behaviour.flags or {} } do table.move(list, 1, #list, #argv + 1, argv) end
  return { folder = folder, server = server, child = spawn.start(argv, { cwd = folder }) }
end

local function finish(run)
  run.child:wait()
  run.server:stop()
  run.result = json.decode(run.child.stdout) or {}
  run.events = journal.read(run.result.run_dir or "") or {}
  run.saved = files.read(files.join(run.folder, "note.txt"))
  run.shown = files.read(files.join(run.folder, "shown"))
  for _, request in ipairs(run.server.requests) do t.eq(request.problems, {}, "every request is valid") end
  files.remove(run.folder)
end

local no_input = { ask_user = true, report_completion = true, finish = true }

-- Keys and text that went to the desktop.
local function sent(run)
  local list = {}
  for _, event in ipairs(run.events) do
    if event.event == "action_result" and event.ok and not no_input[event.tool] then
      list[#list + 1] = event.args.key or event.args.text or event.tool
    end
  end
  return list
end

local function temperatures(run, who)
  local least, most = math.huge, 0
  for _, request in ipairs(run.server.requests) do
    if persona_of(request.json) == who then
      least, most = math.min(least, request.json.temperature), math.max(most, request.json.temperature)
    end
  end
  return least, most
end

local function only_home(run)
  for _, name in ipairs(sent(run)) do t.eq(name, "home") end
end

local function nothing_sent(run)
  t.eq(sent(run), {}, "what was done on the desktop")
end

-- Nothing comes of the key, so that the guard against loops has warned and raised the temperature.
local function is_called_a_loop(run)
  only_home(run)
  local least, most = temperatures(run, who_acts[run.policy] or "executor")
  t.ok(most > least, ("the temperature was raised: %g, %g"):format(least, most))
end

-- The question has come up, and Enter was never pressed in it.
local function dialog_without_enter(run)
  local said = " " .. table.concat(sent(run), " ") .. " "
  t.has(said, " ctrl+w ")
  t.ok(not said:find(" enter ", 1, true), said)
end

-- --- the table -------------------------------------------------------------------------------------------------------

-- status, exit status, a pattern of the reason; what the editor shows at the end; further checks. Nothing is ever
-- saved.
local in_a_row = "^5 steps in a row failed %(limits%.failures%); the last one: "
local turns = "^out of turns: the limit is 8 %(limits%.turns%)$"
local escalated = "has been asked 2 times already %(odev%.max_escalations%)$"
local denied = "NOT DONE: the mission's own check of the desktop says: the note does not say hello"
local not_accepted = "NOT ACCEPTED: .*hello"
local evidence_start = "The note is open in the editor"
local no_call = in_a_row .. "no tool was called; .*Should I really"
local unanswered = in_a_row .. "there is no answer, nobody is at a terminal"
local not_called = in_a_row .. "every step needs one action, and none was called%. You said: .*Should I really"
local invented = in_a_row .. 'ActionValidationError: there is no action "click_element"'
local asked_enough = in_a_row .. "2 questions were asked, and there are no more %(ask_user%.most%)"
local first, junk = "first\n", "junk first\n"

local ends = {
  { "claims", "three_body", "failed", 1, in_a_row .. denied, first, nothing_sent },
  { "claims", "three_body_4", "failed", 1, in_a_row .. denied, first, nothing_sent },
  { "claims", "odev", "failed", 1, "goal is not reached: " .. denied .. "; .*" .. escalated, first, only_home },
  { "claims", "task_executor", "failed", 1, in_a_row .. denied, first, nothing_sent },
  { "claims_unchecked", "three_body", "failed", 1, in_a_row .. not_accepted, first, nothing_sent },
  { "claims_unchecked", "three_body_4", "failed", 1, in_a_row .. not_accepted, first, nothing_sent },
  { "claims_unchecked", "odev", "failed", 1, 'NOT DONE: of the goal as a whole, .*"hello".*' .. escalated, first,
    only_home },
  { "claims_unchecked", "task_executor", "claimed", 1, "^" .. evidence_start, first, nothing_sent },
  { "claims_believed", "three_body", "claimed", 1, "^" .. evidence_start, first, nothing_sent },
  { "claims_believed", "three_body_4", "claimed", 1, "^" .. evidence_start, first, nothing_sent },
  { "claims_believed", "odev", "claimed", 1, "^" .. because, first, only_home },
  { "claims_believed", "task_executor", "claimed", 1, "^" .. evidence_start, first, nothing_sent },
  { "claims_accepted", "three_body", "claimed", 0, "^" .. evidence_start, first, nothing_sent },
  { "claims_accepted", "three_body_4", "claimed", 0, "^" .. evidence_start, first, nothing_sent },
  { "claims_accepted", "odev", "claimed", 0, "^" .. because, first, only_home },
  { "claims_accepted", "task_executor", "claimed", 0, "^" .. evidence_start, first, nothing_sent },
  { "repeats", "three_body", "incomplete", 1, turns, first, is_called_a_loop },
  { "repeats", "three_body_4", "incomplete", 1, turns, first, is_called_a_loop },
  { "repeats", "odev", "incomplete", 1, turns, first, is_called_a_loop },
  { "repeats", "task_executor", "incomplete", 1, turns, first, is_called_a_loop },
  { "batches", "three_body", "incomplete", 1, turns, junk, dialog_without_enter },
  { "batches", "three_body_4", "incomplete", 1, turns, junk, dialog_without_enter },
  { "batches", "odev", "incomplete", 1, turns, junk, dialog_without_enter },
  { "batches", "task_executor", "incomplete", 1, turns, junk, dialog_without_enter },
  { "invents", "three_body", "failed", 1, in_a_row .. "click_element: label is missing", first, nothing_sent },
  { "invents", "three_body_4", "failed", 1, in_a_row .. "click_element: label is missing", first, nothing_sent },
  { "invents", "odev", "failed", 1, in_a_row .. ".*is missing", first, nothing_sent },
  { "invents", "task_executor", "failed", 1, invented, first, nothing_sent },
  { "asks", "three_body", "failed", 1, no_call, first, nothing_sent },
  { "asks", "three_body_4", "failed", 1, no_call, first, nothing_sent },
  { "asks", "odev", "failed", 1, in_a_row .. "answer by calling the tool plan; you said: .*Should I", first,
    nothing_sent },
  { "asks", "task_executor", "failed", 1, not_called, first, nothing_sent },
  { "asks_by_tool", "three_body", "failed", 1, unanswered, first, nothing_sent },
  { "asks_by_tool", "three_body_4", "failed", 1, unanswered, first, nothing_sent },
  { "asks_by_tool", "odev", "failed", 1, unanswered, first, nothing_sent },
  { "asks_by_tool", "task_executor", "failed", 1, unanswered, first, nothing_sent },
  { "asks_on", "three_body", "failed", 1, asked_enough, first, nothing_sent },
  { "asks_on", "three_body_4", "failed", 1, asked_enough, first, nothing_sent },
  { "asks_on", "odev", "failed", 1, asked_enough, first, nothing_sent },
  { "asks_on", "task_executor", "failed", 1, asked_enough, first, nothing_sent },
}

local tests = {}

for name, behaviour in pairs(behaviours) do
  tests["a_model_that_" .. name] = function()
    local runs = {}
    for _, row in ipairs(ends) do
      if row[1] == name then runs[#runs + 1] = { row = row, run = begin(behaviour, row[2]) } end
    end
    for _, entry in ipairs(runs) do
      local row, run = entry.row, entry.run
      finish(run)
      run.policy = row[2]
      local where = row[1] .. ", " .. row[2]
      local reason = tostring(run.result.reason)
      t.eq({ run.result.status, run.child.status }, { row[3], row[4] }, where .. ": " .. reason .. run.child.stderr)
      t.ok(reason:find(row[5]), ("%s: %q is not what %q says"):format(where, reason, row[5]))
      t.eq(run.saved, first, where .. ": what is in the file")
      t.eq(run.shown, row[6], where .. ": what the editor shows")
      row[7](run)
    end
    t.eq(#runs, 4, "every policy")
  end
end

return tests
