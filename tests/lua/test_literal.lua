-- model/literal: the steps that it reads, and what it does as one who commands or acts once a turn.
local t = require "harness"
local chat = require "deskpilot.model.wires.chat"
local client = require "deskpilot.model.client"
local json = require "deskpilot.base.json"
local literal = require "deskpilot.model.literal"
local literal_facts = require "literal_facts"
local screen = require "deskpilot.model.literal.screen"
local steps = require "deskpilot.model.literal.steps"

local tests = {}

local all_tools = "click_element double_click_element right_click_element drag_element type_text press_key scroll_down "
  .. "scroll_up report_completion wait"
local action = literal_facts.action

local function calculator(task, more)
  local facts = { task = task, phase = "EXECUTION", window = { title = "Calculator", class = "galculator" },
    actions = {}, elements = literal_facts.elements {
      { "push button", "7", 512, 300 }, { "label", "6", 10, 10 }, { "push button", "6", 600, 300, states = "focused" },
      { "push button", "*", 700, 300 }, { "text", "", 500, 100, text = "42", states = "focused" },
      { "menu item", "Save As...", 30, 40 }, { "push button", 'say "hi", [1,2] = "x"', 1, 1000 },
    } }
  for key, value in pairs(more or {}) do facts[key] = value end
  return facts
end

-- What an executor answers: the tool, its arguments, and the reply.
local function ask(task, more, tools)
  local reply = literal_facts.ask(calculator(task, more), tools or all_tools)
  local call = reply.calls[1] or {}
  return call.name, call.args or {}, reply
end

local function says(task)
  local plan, why = steps.read(task)
  if not plan then return nil, why end
  local list = {}
  for i, step in ipairs(plan) do list[i] = step.says end
  return table.concat(list, " | ")
end

function tests.grammar()
  for task, want in pairs {
    ['click "7"'] = 'click "7"',
    ['Click "7", "*" and "6", then press Return.'] = 'click "7" | click "*" | click "6" | press Return',
    ['1. Click "7"\n2. double-click "x"\n3) right-click the "y" button'] =
      'click "7" | double-click "x" | right-click "y"',
    ['First, please click on the "File" menu. Then click the menu item "Save As...".'] =
      'click "File" | click "Save As..."',
    ['type "a, b and then click \\"c\\".\\n\\tend"'] = 'type "a, b and then click \\"c\\".\\n\\tend"',
    ['type "C:\\\\new\\\\x"'] = 'type "C:\\\\new\\\\x"',
    ['type "“curly”"'] = 'type "“curly”"',
    ['type "Ann" into the "Name" field'] = 'click "Name" | type "Ann" into "Name"',
    ["press ctrl+s; press ctrl++, press ctrl+, and press ctrl+."] =
      "press ctrl+s | press ctrl++ | press ctrl+, | press ctrl+.",
    ["press the Enter key; press a; press Tab twice"] = "press Enter | press a | press Tab | press Tab",
    ["press tab 3 times. Press 1."] = "press tab | press tab | press tab | press 1",
    ['press the "OK" button'] = 'click "OK"',
    ['scroll down 2 times\nscroll up'] = "scroll down | scroll down | scroll up",
    ['drag "a" to "b"'] = 'drag "a" to "b"',
    ['Wait for "Saved" to appear; finally expect "42"'] = 'wait for "Saved" | expect "42"',
    ["wait 2.5 seconds, wait 1 second"] = "wait 2.5 seconds | wait 1 seconds",
    ['Work out 7 times 6 in the calculator: click "7".'] = 'click "7"',
    ['In the editor, write "x" down: these steps:\n- click "7"\n* click "8"'] = 'click "7" | click "8"',
    ['CLICK "7"'] = 'click "7"',
    ['click "a then b; and c."'] = 'click "a then b; and c."',
    ['type "x"\r\npress Return\r\n'] = 'type "x" | press Return',
    ["go to http://127.0.0.1:8000/a?b=c."] = "go to http://127.0.0.1:8000/a?b=c",
    ['go to "https://example.org/x, y", go back; go forward and reload the page'] =
      'go to "https://example.org/x, y" | go back | go forward | reload',
    ['choose "Two days" in "Ticket"'] = 'choose "Two days" in "Ticket"',
    ['select the "Two days" option'] = 'choose "Two days"',
    ['upload "/tmp/a b.png" to the "Poster" field'] = 'upload "/tmp/a b.png" to "Poster"',
    ['download "Receipt"'] = 'download "Receipt"',
    ['read what follows "Total:" and type what was read into "Sum"'] =
      'read what follows "Total:" | click "Sum" | type what was read into "Sum"',
    ['open "mousepad"; open the "File" menu'] = 'open "mousepad" | click "File"',
    ['switch to the "Untitled" window'] = 'switch to "Untitled"',
    ["close the popup, accept the dialog, dismiss the dialog"] =
      "close the popup | accept the dialog | dismiss the dialog",
    ['close any pop-up; click "7"'] = 'click "7"',
  } do
    local got, why = says(task)
    t.eq(got or why, want, task)
  end
  t.eq(steps.read('click "7"').closes_popups, nil)
  t.eq(steps.read('Close any popups. Click "7".').closes_popups, true)
  t.eq(steps.read('wait 2 seconds')[1].args.seconds, 2)
end

function tests.what_is_no_step_is_named()
  for task, part in pairs {
    ["Work out 7 times 6."] = "Work out 7 times 6",
    ['click "7" and win the game'] = "win the game",
    ['press enter and dance'] = "dance",
    ['click "7'] = "never ends",
    [""] = "no step",
    ["close any popup"] = "no step",
    ["click the blue thing"] = "click the blue thing",
    ['click "7" gently'] = "gently",
    ["press"] = "press",
    ["press the big red button"] = "press the big red button",
    ["scroll sideways"] = "scroll sideways",
    ['type hello'] = "type hello",
    ['type what is there'] = "type what is there",
    ['drag "a"'] = "drag",
    ['type ""'] = "type",
    ['choose "" in "b"'] = "choose",
    ["press a 100000 times"] = "500 steps",
    ["press a 0 times"] = "press a 0 times",
    ['click ""'] = "click",
    ['click "7" "8"'] = "click",
    ['"7"'] = '"7"',
    ['Clicking: click "7"; dance: now'] = "dance",
    ['Dance, click "7"'] = "Dance",
    ["go to the shop"] = "go to the shop",
    ['upload "a"'] = "upload",
    ["read the page"] = "read the page",
    ['close the "File" menu'] = "close",
    ["accept it all the way"] = "accept",
  } do
    local plan, why = says(task)
    t.eq(plan, nil, task)
    t.has(why, part, task)
    local name, _, reply = ask(task)
    t.eq(name, nil)
    t.has(reply.refusal, part)
    t.has(reply.refusal, 'The steps it knows are: click "target"')
    t.eq(reply.finish_reason, "stop")
  end
end

function tests.finding()
  local facts = calculator ""
  t.eq(screen.find(facts, "6").norm, { 600, 300 }, "a button before a label")
  t.eq(screen.find(facts, "6", "label").norm, { 10, 10 })
  t.eq(screen.find(facts, "save as").norm, { 30, 40 }, "whatever the case")
  t.eq(screen.find(facts, "say").norm, { 1, 1000 }, "the only one that contains it")
  t.eq(screen.find(facts, "a"), nil, "in two names")
  t.eq(screen.find(facts, "Text area").norm, { 500, 100 }, "the only text")
  t.eq(screen.find(facts, "push button"), nil, "there are several")
  t.eq(screen.find(facts, "8"), nil)
  local form = { elements = literal_facts.elements { { "label", "Encoding:" }, { "combo box", "Encoding:", 7, 7 },
    { "check box", "Encoding:" } } }
  t.eq(screen.find(form, "Encoding:", "box").norm, { 7, 7 })
  t.eq(screen.find(form, "Encoding:", "label").role, "label")
  t.eq(screen.seen(facts, "42"), 'the value of text ""')
  t.eq(screen.seen(facts, "save AS"), "the name of a menu item")
  t.eq(screen.seen(facts, "calc"), "the window's title")
  t.eq(screen.seen(facts, "43"), nil)
end

function tests.one_step_after_the_other()
  local task = 'Work out: click "7", "*" and "6", then type "x\\n", press Return, expect "42"'
  local actions = {}
  local want = {
    { "click_element", "label", "7" }, { "click_element", "label", "*" }, { "click_element", "label", "6" },
    { "type_text", "text", "x\n" }, { "press_key", "key", "Return" }, { "report_completion" },
  }
  for i, expected in ipairs(want) do
    local name, args, reply = ask(task, { actions = actions })
    t.eq(name, expected[1], "turn " .. i)
    if expected[2] then
      t.eq(args[expected[2]], expected[3])
      t.has(args.justification, ("Step %d of 6: "):format(i))
      actions[i] = action(name, args)
    else
      t.ok(#args.evidence >= 100)
      t.has(args.evidence, '"42" is seen in the value of text')
      t.has(args.evidence, '"Calculator"')
      t.eq(args.justification, nil, "the claim's schema has none")
      t.eq(reply.finish_reason, "tool_calls")
    end
  end
  t.eq(select(2, ask(task)).position, { 512, 300 })
end

function tests.errors_are_tried_again_three_times()
  local task, failed = 'click "7"; click "6"', action("click_element", {}, 'Step 2 of 2: click "6".', "it is gone")
  local name, args = ask(task, { actions = { failed } })
  t.eq({ name, args.label }, { "click_element", "6" })
  t.eq(ask(task, { actions = { failed, failed } }), "click_element")
  local none, _, reply = ask(task, { actions = { failed, failed, failed } })
  t.eq(none, nil)
  t.has(reply.refusal, "failed 3 times, at last by click_element: it is gone")
  local done = action("click_element", {}, "Step 2 of 2: x")
  t.eq(ask(task, { actions = { failed, failed, done } }), "report_completion")
  local others = action("press_key", {}, "the screen shows a message", "no such key")
  t.eq(ask(task, { actions = { others, others, others } }), "click_element", "what others did is no step")
end

-- The task's answer after so many waits of its own.
local function after_looks(task, count)
  local actions = {}
  for i = 1, count do
    local name, args = ask(task, { actions = actions })
    t.eq(name, "wait", task)
    actions[i] = action(name, args)
  end
  return ask(task, { actions = actions })
end

function tests.waiting_and_giving_up()
  local name, args = ask('wait for "Saved"')
  t.eq({ name, args.seconds }, { "wait", 1 })
  t.has(args.justification, "Before step 1 of 1: ")
  local none, _, reply = after_looks('expect "43"', 10)
  t.eq(none, nil)
  t.has(reply.refusal, '"43" is seen in no element')
  t.has(reply.refusal, "after 10 looks")
  t.eq(after_looks('wait for "43"', 59), "wait")
  t.eq(after_looks('wait for "43"', 60), nil)
  t.eq(ask('expect "calc"'), "report_completion", "the window's title counts")
  none, _, reply = ask('expect "43"', {}, "press_key")
  t.eq({ none, reply.refusal }, {})
  t.has(reply.content, "the tool wait, which is not offered")
  name, args = ask('wait 3 seconds; click "7"')
  t.eq({ name, args.seconds }, { "wait", 3 })
  t.eq(ask('wait 3 seconds; click "7"', { actions = { action(name, args) } }), "click_element", "a wait that is a step")
end

function tests.names_that_are_missing()
  local none, _, reply = after_looks('click "77"', 10)
  t.eq(none, nil)
  t.has(reply.refusal, 'Step 1 of 1 (click "77"): nothing named "77"')
  t.has(reply.refusal, 'the nearest name listed is "7"')
  local name, args = ask('click "7"', { elements = {} })
  t.eq(name, "wait")
  t.has(args.justification, "no element is listed")
end

function tests.other_actions()
  local name, args = ask('drag "7" to "6"')
  t.eq(name, "drag_element")
  t.eq({ args.start, args["end"], args.label, args.position }, { { 512, 300 }, { 600, 300 }, "7" })
  t.eq(ask('drag "7" to "nothing"'), "wait")
  t.eq(select(2, ask('click "text area"')).label, "text area", "what has no name is called as the task calls it")
  t.eq(ask('double-click "7"'), "double_click_element")
  t.eq(ask('right-click "7"'), "right_click_element")
  name, args = ask("scroll up")
  t.eq({ name, args.position }, { "scroll_up" })
  local none, _, reply = ask('click "7"', {}, "press_key")
  t.eq(none, nil)
  t.has(reply.content, "click_element, which is not offered")
  local long = literal_facts.elements { { "push button", ("Ä"):rep(300) } }
  t.ok(utf8.len(select(2, ask('click "Ä"', { elements = long })).label) <= 200, "the tool's limit")
end

function tests.completion_that_is_not_accepted()
  local claim = action("report_completion", { evidence = "x" }, nil, "NOT DONE: 7")
  t.eq(ask('expect "42"', { actions = { claim, claim } }), "report_completion")
  local none, _, reply = ask('expect "42"', { actions = { claim, claim, claim } })
  t.eq(none, nil)
  t.has(reply.refusal, "not accepted")
end

function tests.tactician()
  local tools, task = "spawn_executor_prompt update_phase_tools", 'click "7"; press Return'
  for _, phase in ipairs { "INIT", "FALLBACK", "EMERGENCY" } do
    local _, args, reply = ask(task, { phase = phase }, tools)
    t.eq({ #reply.calls, args.phase }, { 2, "EXECUTION" }, phase)
    t.has(args.prompt, '1. click "7"\n2. press Return')
    t.eq(reply.calls[2].name, "update_phase_tools")
    t.eq(reply.calls[2].args.tool_names, { "browser_click", "click_element", "press_key", "wait" },
      "completion cannot be claimed yet")
  end
  local name, _, reply = ask(task, {}, tools)
  t.eq({ name, reply.refusal }, {})
  t.has(reply.content, "stays as it is")
  t.ok(select(3, ask("be clever", {}, tools)).refusal)
  local done = { action("click_element", {}, 'Step 1 of 2: click "7".'), action("press_key", {}, "Step 2 of 2: x") }
  local _, args, verifies = ask(task, { actions = done }, tools)
  t.eq(args.phase, "VERIFICATION", "when the steps are done")
  t.eq(verifies.calls[2].args.tool_names, { "report_completion", "wait" })
  t.eq(ask(task, { actions = done, phase = "VERIFICATION" }, tools), nil, "it stays as it is")
  t.eq(select(2, ask('expect "42"', { phase = "INIT" }, tools)).phase, "VERIFICATION", "there was nothing to do")
end

function tests.an_executor_that_is_done_waits_for_the_phase_that_verifies()
  local done = { action("click_element", {}, 'Step 1 of 1: click "7".') }
  local name, args = ask('click "7"', { actions = done }, "click_element wait")
  t.eq({ name, args.seconds }, { "wait", 0.1 })
  for _ = 1, 5 do done[#done + 1] = action(name, args) end
  t.eq(ask('click "7"', { actions = done }, "report_completion wait"), "report_completion", "that was no claim")
  local none, _, reply = ask('click "7"', { actions = done }, "click_element")
  t.eq(none, nil)
  t.has(reply.content, "report_completion, which is not offered")
end

function tests.strategist()
  local name, args, reply = ask('click "7"; expect "42", expect "say \\"hi\\""', {}, "write_doctrine")
  t.eq({ name, reply.refusal }, { "write_doctrine" })
  t.eq(args.mission, 'click "7"; expect "42", expect "say \\"hi\\""')
  t.has(args.phases[1], '1. click "7"\n2. expect "42"')
  t.eq(args.success_criteria, { '"42" is on the screen.', "“say \"hi\"” is on the screen." })
  t.eq(select(2, ask('expect "42"; click "7"', {}, "write_doctrine")).success_criteria, {},
    "what is expected on the way is no criterion of the end")
  reply = select(3, ask('click "7"', {}, ""))
  t.eq({ #reply.calls, reply.refusal }, { 0 })
  t.has(reply.content, '1. click "7"')
  t.ok(select(3, ask("be clever", {}, "write_doctrine")).refusal)
end

function tests.a_claim_with_evidence_for_each_criterion()
  local offered = { { type = "function", ["function"] = { name = "report_completion", parameters = { type = "object",
    properties = { evidence = { type = "array" } } } } } }
  local facts = calculator 'expect "42"; expect "6"'
  local reply = assert(chat.read(literal.chat { facts = facts, tools = offered }))
  local evidence = json.decode(reply.tool_calls[1].arguments).evidence
  t.eq(#evidence, 2)
  t.has(evidence[1], '"42" is seen in the value of text')
  t.has(evidence[2], '"6" is seen in the name of a ')
  t.ok(#evidence[1] >= 100, "long enough where there is one criterion only")
end

function tests.through_the_client()
  local c = assert(client.new { model = "literal" })
  local request = { facts = calculator 'click "7"', tools = literal_facts.tools(all_tools),
    messages = { { role = "user", content = 'MISSION:\nclick "6"' } } }
  local reply = assert(c:chat(request))
  t.eq(reply.tool_calls[1].name, "click_element")
  t.eq(json.decode(reply.tool_calls[1].arguments).position, { 512, 300 }, "the facts, not the words")
  t.eq(reply.attempts, 1)
  t.eq(reply.usage, { input_tokens = 0, output_tokens = 0 })
  t.eq(assert(client.new { endpoint = "literal" }).literal, true)
  t.eq(c:models(), { "literal" })
  local refused = assert(c:chat { messages = { { role = "user", content = "hello" } } })
  t.has(refused.refusal, "what a run knows")
end

return tests
