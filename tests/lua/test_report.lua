local t = require "harness"
local files = require "deskpilot.base.files"
local report = require "deskpilot.cli.commands.report"
local spawn = require "spawn"

local tests = {}

local evil = "<script>alert('x')</script>\27[31m&\"\255"

local journal = {
  { event = "run_start", at = 0, mission = "m.lua", task = "Do <it> & more", policy = "three_body",
    model = "test-model", endpoint = "http://localhost:1" },
  { event = "turn_start", at = 0.1, turn = 1 },
  { event = "observed", at = 0.2, turn = 1, screenshot = "screenshots/step_0001.png" },
  { event = "model_reply", at = 1.2, turn = 1, persona = "executor", seconds = 1.0, content = evil,
    tool_calls = { { id = "1", name = "click_element", arguments = '{"position":[250,750]}' } } },
  { event = "action_result", at = 1.3, turn = 1, tool = "click_element", ok = true, text = "clicked " .. evil,
    args = { position = { 250, 750 } }, point = { 250, 750 }, seconds = 0.1 },
  { event = "settled", at = 1.5, turn = 1, seconds = 0.2, reason = "quiet" },
  { event = "turn_end", at = 1.5, turn = 1, seconds = 1.4 },
  { event = "action_result", at = 1.4, turn = 1, tool = "drag_element", ok = false, text = "refused",
    args = { start = { 0, 1000 }, ["end"] = { 1001, 5 } } },
  { event = "observed", at = 1.6, turn = 2, screenshot = "../../etc/passwd\" onerror=\"x" },
  { event = "guard", turn = 2, name = "loop", message = evil },
  { event = "something_new", turn = 2, message = "later versions" },
  { event = "run_end", at = 2, status = "succeeded", reason = "done " .. evil, turns = 2, actions = 2, seconds = 2 },
}

function tests.shows_what_happened()
  local page = report.html(journal, "20260101T000000Z-m")
  for _, part in ipairs { "<h1>Do &lt;it&gt; &amp; more</h1>", '<span class="status good">succeeded</span>',
    "three_body", "test-model", '<img src="screenshots/step_0001.png"', '<circle class="mark" cx="25.00%" cy="75.00%"',
    "click_element({&quot;position&quot;:[250,750]})", "executor", "1 call, 1.00 s, 0 tokens sent, 0 received",
    "model 50%", "took 1.40 s",
    'class="mark from" cx="0.00%" cy="100.00%"', "Turn 2" } do
    t.has(page, part)
  end
end

function tests.arguments_may_be_anything()
  for _, name in ipairs { "action_result", "lookup" } do
    t.has(report.html({ { event = name, at = 1, turn = 1, tool = "x", args = true, text = "y" } }, "r"), "true\ny")
  end
end

function tests.untrusted_words_are_only_words()
  local page = report.html(journal, "<name>")
  for _, part in ipairs { "<script>alert", "\27", "\255", "etc/passwd", "onerror", "<name>", "100.10%" } do
    t.ok(not page:find(part, 1, true), part)
  end
  t.ok(utf8.len(page), "valid UTF-8")
  t.eq(select(2, page:gsub("<script", "")), 1, "its own script and no other")
  -- Every tag that is opened is closed: nothing escaped its place.
  for _, tag in ipairs { "section", "div", "figure", "pre", "dl", "b", "span", "dd" } do
    local _, opened = page:gsub("<" .. tag .. "[ >]", "")
    local _, closed = page:gsub("</" .. tag .. ">", "")
    t.eq(opened, closed, tag)
  end
end

function tests.what_a_policy_says_of_its_work()
  local function page(vision, more)
    local result = { steps = 3, verified = 2, unverified = 1, cut_short = 0, rejected = 4, retries = 2,
      escalations = { browser = 1, vision = vision }, seconds = { observe = 1, decide = 2.5, verify = 0.25 } }
    for key, value in pairs(more or {}) do result[key] = value end
    return report.html({ { event = "run_start", task = "T", at = 0, personas = { vision = { model = "sees<",
      endpoint = "http://e" } } }, { event = "turn_start", turn = 1, at = 0 },
      { event = "observed", turn = 1, screenshot = "screenshots/step_0001.png",
        image = { width = 640, height = 480 } },
      { event = "action_result", turn = 1, tool = "a", ok = true, point = { 100, 200 } },
      { event = "phase_change", turn = 1, from = "VERIFY", to = "ESCALATE_VISION", why = "not <seen>" },
      { event = "observed", turn = 1, screenshot = "screenshots/step_0001_2.png",
        image = { width = "<i>", height = 2 } },
      { event = "action_result", turn = 1, tool = "b", ok = true, point = { 300, 400 } },
      { event = "turn_end", turn = 1, task_result = {} },
      { event = "run_end", status = "failed", task_result = result } }, "run")
  end
  local words = page(2)
  t.has(words, "<dd>3 steps, 2 verified, 1 unverified, 0 cut short, 4 rejected and 2 retries</dd>")
  t.has(words, "<dt>vision asked</dt><dd>2 times</dd>")
  t.has(words, "observe 1.00 s, decide 2.50 s and verify 0.25 s")
  t.has(words, "<dt>model of vision</dt><dd>sees&lt; at http://e</dd>")
  t.has(words, "not &lt;seen&gt;")
  local figure = '%s" alt="the screen at turn 1"%s loading="lazy"><svg class="marks" aria-hidden="true">'
    .. '<circle class="mark" %s'
  t.has(words, figure:format("step_0001.png", ' width="640" height="480"', 'cx="10.00%" cy="20.00%"'))
  t.has(words, figure:format("step_0001_2.png", "", 'cx="30.00%" cy="40.00%"'))
  t.has(words, 'data-after="screenshots/step_0001_2.png"', "what the first act has changed")
  t.has(page(0), "<dt>vision asked</dt><dd>never</dd>")
  t.has(page(1), "<dt>vision asked</dt><dd>once</dd>")
  t.ok(not page("<b>", { escalations = "<i>", seconds = "<i>", steps = "<i>" }):find("<i>", 1, true))
end

function tests.the_files_of_ones_own_are_in_it()
  local own = { kind = "policy", name = "three_body", folder = "project", path = "deskpilot/policies/three_body.lua",
    sha256 = ("ab"):rep(32), replaces = true, edited = true }
  local page = report.html({ { event = "run_start", at = 0, task = "x", own_files = { own } },
    { event = "note", at = 1, turn = 5, message = "m", own_files = { { kind = "prompt", name = evil } } },
    { event = "note", at = 1, own_files = { "odd" } }, { event = "note", at = 1, own_files = "odd" } }, "n")
  t.has(page, "<dt>own file</dt><dd>policy three_body (edited): deskpilot/policies/three_body.lua of the project&#39;s "
    .. "folder, sha256 " .. ("ab"):rep(32))
  t.has(page, "prompt &lt;script&gt;")
  t.ok(not page:find("<script>alert", 1, true))
end

function tests.a_script_is_told_call_by_call()
  local page = report.html({ { event = "run_start", at = 0, mission = "m", script = true },
    { event = "desk_call", at = 0.1, call = "mouse.click", target = "push button '" .. evil .. "'", ok = true,
      seconds = 0.25, where = "m.lua:3", acts = true },
    { event = "desk_call", at = 0.2, call = "mouse.move", target = "5, 6", ok = true, seconds = 1.5, times = 900,
      failed = 2, where = "m.lua:4", acts = true },
    { event = "desk_call", at = 0.3, call = "windows.find", target = "title 'x'", ok = false, text = "no <window>",
      seconds = 0, where = "m.lua:5", acts = false },
    { event = "goal_start", at = 0.4, task = "do <it>", policy = "odev", model = "planner-1" },
    { event = "turn_start", at = 0.5, turn = 1 },
    { event = "action_result", at = 0.6, turn = 1, tool = "wait", ok = true },
    { event = "desk_call", at = 0.7, call = "settle", ok = true, seconds = 0.1, text = "quiet" },
    { event = "error", at = 0.8, name = "script", message = "m.lua:9: oh", traceback = "m.lua:9: in f\nm.lua:2: in g" },
    { event = "picture", at = 0.8, turn = 0, screenshot = "screenshots/end.png" },
    { event = "run_end", at = 1, status = "error", reason = "m.lua:9: oh", turns = 1, actions = 1, seconds = 1 } }, "r")
  for _, part in ipairs { "<dd>a script</dd>", "<dt>policy</dt><dd>odev</dd>", "<dt>model</dt><dd>planner-1</dd>",
    "<dt>desk calls</dt><dd>903</dd>", "0.25 s, m.lua:3", "1.50 s, 900 times, 2 failed, m.lua:4", "no &lt;window&gt;",
    "do &lt;it&gt;", "settle() → quiet", "m.lua:9: oh\n    m.lua:9: in f\n    m.lua:2: in g",
    '<img src="screenshots/end.png" alt="the screen at the end"' } do t.has(page, part) end
  local heads = {}
  for head in page:gmatch("<h2>(.-)</h2>") do heads[#heads + 1] = head end
  t.eq(heads, { "Script", "Turn 1", "Script" })
  t.ok(not page:find("<script>alert", 1, true))
end

function tests.an_iteration_with_all_that_was_thought_and_done()
  local iteration = { event = "iteration", turn = 1, iteration = 1, of = 8, reasoning = "The <note> is empty.",
    tools = { { tool = "inspect_page", why = "to see more", ok = true } },
    commands = { { tool = "press_key", why = "it saves", done = true } }, commands_why = "All is there.",
    learned = { "The note saves at once." }, reflection = { focus = "saving" }, status = "continue",
    status_why = "It is not saved.", failed = "command 1 failed", system_note = "OVERRIDDEN", sizes = { all = 2500 } }
  local page = report.html({ { event = "run_start", task = "T", at = 0 }, iteration }, "r")
  for _, part in ipairs { "iteration 1 of 8", "reasoning: The &lt;note&gt; is empty.", "inspect_page", "to see more",
    "press_key", "it saves", "commands why: All is there.", "The note saves at once.", "saving", "continue",
    "status why: It is not saved.", "failed: command 1 failed", "system note: OVERRIDDEN", "2500" } do
    t.has(page, part)
  end
end

function tests.plans_and_what_was_seen_of_them()
  local page = report.html({ { event = "run_start", task = "T", at = 0 },
    { event = "plan", turn = 2, reason = "The <form> is open.", kept = {}, dropped = {}, reassigned = {}, subtasks = {
      { id = "S1", title = "Gather <it>", role = "operator", status = "done" }, "no table" } },
    { event = "plan", turn = 2, subtasks = "nothing that a plan has" },
    { event = "evaluation", turn = 3, subtask = "S1", because = "finished", answer = "no", decision = "supplement",
      evidence = "The <second> page is missing.", missing = "page two" },
    { event = "evaluation", turn = 4, because = "final", answer = "yes", decision = "done", evidence = "All." } }, "r")
  for _, part in ipairs { "The &lt;form&gt; is open.\nS1 done (operator): Gather &lt;it&gt;",
    '<b class="bad">evaluated S1: no, supplement</b> <span class="dim">finished</span>',
    "The &lt;second&gt; page is missing.\nmissing: page two", '<b class="good">evaluated the task: yes, done</b>' } do
    t.has(page, part)
  end
end

function tests.phases_and_the_archive()
  local events = { { event = "run_start", task = "T", at = 0 },
    { event = "phase_change", turn = 1, from = "INIT", to = "EXECUTION", rationale = "It is <open>.",
      tools_rationale = "Clicks are enough." },
    { event = "phase_change", turn = 2, from = "EXECUTION", to = "VERIFICATION", rationale = "Same.",
      tools_rationale = "Same." },
    { event = "phase_change", turn = 2, goal = "1.1", from = "START", to = "OBSERVE" },
    { event = "turn_end", turn = 2, goal = "1.1", task_result = { steps = 3 } },
    { event = "run_end", status = "failed" } }
  local words = report.html(events, "run", 3 * 2 ^ 20)
  t.has(words, "<pre>It is &lt;open&gt;.\ntools: Clicks are enough.</pre>")
  t.has(words, "<pre>Same.</pre>")
  t.has(words, "<dt>final phase</dt><dd>VERIFICATION</dd>")
  t.has(words, "<dt>archive</dt><dd>6 events, 3.0 MB</dd>")
  t.has(words, "<dt>goal 1.1: steps</dt><dd>3 steps</dd>", "whose account it is")
end

function tests.odd_events_do_no_harm()
  t.has(report.html({}, "empty"), "unfinished")
  local odd = {}
  for _, name in ipairs { "run_start", "model_reply", "action", "action_result", "settled", "phase_change",
    "guard", "note", "question", "answer", "memory", "error", "desk_call", "goal_start", "picture", "observed",
    "turn_start", "turn_end", "model_request", "run_end" } do
    odd[#odd + 1] = { event = name }
    odd[#odd + 1] = { event = name, turn = "x", text = 5, args = "s", point = "p", seconds = "s", screenshot = {},
      task_result = "x", personas = 5, error = "e", message = {}, content = {}, tool_calls = { 1, {} }, at = 0 }
  end
  t.ok(report.html(odd, "odd"))
end

function tests.a_cut_journal_is_read()
  local folder = spawn.folder()
  assert(files.write(folder .. "/journal.jsonl",
    '{"event":"run_start","at":0,"task":"T"}\n{"event":"turn_start","at":1,"turn":1}\n{"event":"note","turn":1,"mess'))
  local child = spawn.run({ spawn.program, "report", folder })
  t.eq(child.status, 0, child.stderr)
  t.eq(child.stdout, folder .. "/report.html\n")
  local page = files.read(folder .. "/report.html")
  t.has(page, "<h1>T</h1>")
  t.has(page, "unfinished")
  files.remove(folder)
  child = spawn.run({ spawn.program, "report", folder })
  t.eq(child.status, 2)
  t.has(child.stderr, "journal.jsonl")
end

return tests
