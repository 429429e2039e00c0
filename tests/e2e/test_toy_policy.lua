--- A policy of a user's own, of at most 80 lines, that leads others: goals within the run, a question to a person, the
--- run's memory, look-ups with pictures, and an end by a check of three answers. Played over HTTP on a private desktop
--- with a real calculator and a real editor.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local native = require "native.image"
local odev_play = require "odev_play"
local play = require "three_body_play"
local report = require "deskpilot.cli.commands.report"
local spawn = require "spawn"

local policy_file = "tests/lua/policies/toy.lua"
local evidence = ("The display of the calculator and the note in the editor show the same number; "):rep(2)

local tests = {}

local mission = [[
local FOLDER = %q
return {
  task = "Work out 7 times 6 and write it into the note.", policy = "toy",
  limits = { turns = 30, seconds = 90 }, timing = { verify = 0.5 },
  screen = { image_width = 400, image_height = 300, trim = false },
  desktop = { kind = "private", size = { 1024, 768 },
    apps = { { "mousepad", "--disable-server", FOLDER .. "/note.txt" } } },
  before_run = function(m)
    assert(m.desk.wait_for_window { title = "note.txt", timeout = 30 })
    m.desk.apps.start { "galculator" }
    assert(m.desk.wait_for_window { title = "galculator", active = true, timeout = 30 })
    assert(m.desk.wait_for_element { app = "galculator", role = "text", timeout = 30 })
  end,
  ask = function(_, question) return question.text:find "word" and "sum" or nil end,
  verify = function(m)
    return m.checks.all { m.checks.file { path = FOLDER .. "/note.txt", equals = "Sum: 42" }, %s }
  end,
}]]

local function persona_of(request)
  if play.tool(request, "hand_over") then return "lead" end
  local who = odev_play.persona(request)
  return who == "nobody" and play.persona(request) or who
end

local function user_words(request)
  local _, words = play.words(request)
  return words
end

-- What the display shows, as the request's words tell of it.
local function display_of(request)
  return t.ok(user_words(request):match '%] text "[^"\n]*" %[%d+,%d+%][^\n]-= "(%d+)"', user_words(request))
end

local function hand_over(goal, policy, tools, app, shows)
  return play.calls { "hand_over", { goal = goal, policy = policy, tools = json.list(tools), app = app,
    shows = shows } }
end

local lead = {
  function()
    return play.calls({ "look_closely", { region = { 0, 0, 250, 250 } } }, { "look_closely", { window = "note.txt" } })
  end,
  function()
    return hand_over("Work out 7 times 6.", "three_body", { "click_element" }, "galculator", "42")
  end,
  function(request)
    return play.calls { "remember", { values = json.list { { name = "product", value = display_of(request) } } } }
  end,
  function()
    return play.calls { "ask_person", { question = "Which word goes before the number?",
      options = json.list { "Total", "Sum" } } }
  end,
  function()
    return hand_over('Write "${answer}: ${product}" into the note and save it.', "odev",
      { "focus_window", "type_text", "press_key" }, "mousepad", "${answer}: ${product}")
  end,
  function() return play.claim(evidence) end,
}

local answers = {}

function answers.lead(request, n) return lead[math.min(n, #lead)](request) end

function answers.strategist() return play.doctrine { 'The display shows "42".' } end

function answers.tactician() return play.orders("VERIFICATION", { "click_element" }) end

function answers.executor(request, n)
  local key = ({ "7", "*", "6", "=" })[n]
  if not key then return play.claim(evidence) end
  local x, y = user_words(request):match('button "' .. key:gsub("%p", "%%%0") .. '" %[(%d+),(%d+)%]')
  return model_server.reply_tool("click_element", { label = key, position = { tonumber(x), tonumber(y) },
    justification = "This key of the calculator is the next one that the product needs." })
end

-- What is to be written is known to the planner from its goal alone.
function answers.planner(request, n)
  if n == 1 then
    return odev_play.plan { anchor = { application = "mousepad" }, actions = {
      { tool = "focus_window", args = { title = "note.txt" } } } }
  end
  local wanted = t.ok(user_words(request):match 'GOAL:\nWrite "([^"]+)"', user_words(request))
  return odev_play.plan { anchor = { application = "mousepad" }, completes_goal = true, actions = {
    { tool = "type_text", args = { text = wanted } }, { tool = "press_key", args = { key = "ctrl+s" } } } }
end

-- Plays the mission; `more` is a second check. fn(run): child, result, events, page (the report), asked (by persona),
-- note (the file).
local function with_run(more, fn)
  local folder, asked = spawn.folder(), {}
  local server = model_server.start(function(request)
    local who = persona_of(request)
    asked[who] = asked[who] or {}
    table.insert(asked[who], request)
    return answers[who] and answers[who](request, #asked[who])
  end)
  local closing <close> = setmetatable({}, { __close = function()
    server:stop()
    files.remove(folder)
  end })
  assert(files.make_folder(files.join(folder, "deskpilot/policies")))
  assert(files.write(files.join(folder, "deskpilot/policies/toy.lua"), assert(files.read(policy_file))))
  assert(files.write(files.join(folder, "note.txt"), ""))
  assert(files.write(files.join(folder, "m.lua"), mission:format(folder, more)))
  local child = spawn.run({ spawn.program, "run", "m.lua", "--runs", folder .. "/runs", "--endpoint", server.endpoint,
    "--model", "qwen3-vl", "--set", "model.calls_per_minute=0", "--set", "model.retries=0", "--set",
    "odev.read_screen=false" }, { cwd = folder })
  t.eq(server:problems(), "", "every request is valid")
  local run_dir = files.join(folder, "runs", t.ok((files.list(folder .. "/runs") or {})[1], child.stderr))
  local events = journal.read(run_dir) or {}
  fn { child = child, result = json.decode(files.read(files.join(run_dir, "result.json")) or "") or {},
    events = events, page = report.html(events, "run"), asked = asked, note = files.read(folder .. "/note.txt") }
  return closing
end

local function told(events)
  local list = {}
  for _, event in ipairs(events) do
    local name, path = event.event, event.goal or "own"
    if name == "goal_start" then
      list[#list + 1] = ("%s begins %s %s"):format(path, event.policy, table.concat(event.tools or {}, ","))
    elseif name == "goal_end" then
      list[#list + 1] = ("%s %s %s"):format(path, event.status, event.verdict and event.verdict.answer)
    elseif name == "memory" then
      list[#list + 1] = ("%s %s = %s"):format(path, event.name, event.value)
    elseif name == "answer" then
      list[#list + 1] = ("%s asked, %s"):format(path, event.answer)
    elseif name == "lookup" then
      list[#list + 1] = ("%s %s %s %d"):format(path, event.tool, event.ok, #(event.pictures or {}))
    elseif name == "action_result" then
      list[#list + 1] = ("%s %s %s"):format(path, event.tool, event.args.label or event.args.text or event.ok)
    end
  end
  return list
end

local levels = { "own look_closely true 1", "own look_closely true 1",
  "1.1 begins three_body click_element", "1.1 click_element 7", "1.1 click_element *", "1.1 click_element 6",
  "1.1 click_element =", "1.1 report_completion true", "1.1 succeeded yes",
  "own product = 42", "own remember true", "own asked, Sum", "own answer = Sum",
  "1.2 begins odev focus_window,type_text,press_key", "1.2 focus_window true", "1.2 type_text Sum: 42",
  "1.2 press_key true", "1.2 succeeded yes" }

-- The second request of the first turn: an answer with two calls, both results, and what they show.
local function check_lookups(request)
  local roles, shown = {}, {}
  for i, message in ipairs(request.messages) do roles[i] = message.role end
  t.eq(roles, { "system", "user", "assistant", "tool", "tool", "user" })
  t.eq(#request.messages[3].tool_calls, 2)
  t.has(request.messages[4].content, "a picture of the region [0, 0, 250, 250] of the screenshot, 256x192 pixels")
  t.has(request.messages[5].content, "a picture of the window")
  for _, part in ipairs(request.messages[6].content) do
    local data = part.image_url and t.ok(part.image_url.url:match "^data:image/png;base64,(.+)$")
    if data then shown[#shown + 1] = { t.ok(native.load(t.ok(native.from_base64(data)))):size() } end
  end
  t.eq({ shown[1], #shown }, { { 256, 192 }, 2 }, "a picture of each, every pixel of the region")
end

function tests.a_small_policy_leads_others()
  local _, lines = assert(files.read(policy_file)):gsub("\n", "")
  t.ok(lines <= 80, policy_file .. " has " .. lines .. " lines")
  with_run('m.checks.element { app = "galculator", role = "text", shows = "42" }', function(run)
    t.eq(run.result.status, "succeeded", run.child.stderr)
    t.eq(run.note, "Sum: 42")
    local expected = table.move(levels, 1, #levels, 1, {})
    expected[#expected + 1] = "own report_completion true"
    t.eq(told(run.events), expected)
    t.eq(run.events[#run.events].verdict.answer, "yes")
    check_lookups(run.asked.lead[2])
    t.has(user_words(run.asked.lead[4]), "${product} = 42")
    t.has(user_words(run.asked.planner[1]), 'GOAL:\nWrite "Sum: 42" into the note')
    t.ok(not user_words(run.asked.planner[1]):find("Work out 7", 1, true), "a goal has a history of its own")
    for i, goal in ipairs { "1.1", "1.2" } do
      t.has(run.page, "an agent is asked: goal " .. goal)
      t.ok(run.page:find('class="within within1"[^>]*><header><h2>Turn %d+ · goal ' .. goal),
        "the report has the turns of goal " .. goal .. " further in")
      t.has(run.child.stderr, ("\ngoal %s (%s): "):format(goal, i == 1 and "three_body" or "odev"))
      t.has(run.child.stderr, ("\ngoal %s succeeded: "):format(goal))
    end
    t.ok(run.page:find '<section id="turn1"><header><h2>Turn 1</h2>', "the policy's own turns are not further in")
    t.has(run.child.stderr, "\nturn 1")
    t.ok(run.child.stderr:find "\ngoal 1%.2 [^\n]+\n  turn", run.child.stderr)
  end)
end

-- All the work is done, and the mission's check of it does not say yes.
local function check_no_success(more, answer, status)
  with_run(more, function(run)
    t.eq(run.note, "Sum: 42", "all the work was done: " .. run.child.stderr)
    t.eq(run.result.status, status, run.child.stderr)
    t.eq(run.child.status, 1, "the program's exit status says so")
    local expected = table.move(levels, 1, #levels, 1, {})
    expected[#expected + 1] = "own report_completion false"
    t.eq(told(run.events), expected)
    local said = run.events[#run.events].verdict
    t.eq({ said.answer, said.parts[1].answer, said.parts[2].answer }, { answer, "yes", answer })
    t.has(run.page, ("<dt>the mission&#39;s check</dt><dd>%s: "):format(answer))
    t.has(run.child.stderr, "\n" .. status .. ": ")
  end)
end

function tests.what_is_unknown_is_no_success()
  check_no_success('m.checks.page { contains = "42" }', "unknown", "incomplete")
end

function tests.what_is_not_so_is_none_either()
  check_no_success('m.checks.window { title = "Receipt" }', "no", "failed")
end

return tests
