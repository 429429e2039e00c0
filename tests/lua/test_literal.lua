-- model/literal: the stand-in that follows written steps.
local t = require "harness"
local json = require "deskpilot.base.json"
local client = require "deskpilot.model.client"
local decode = require "deskpilot.model.decode"
local literal = require "deskpilot.model.literal"
local screen = require "deskpilot.model.literal.screen"
local steps = require "deskpilot.model.literal.steps"

local tests = {}

local function tool(name, properties)
  return { type = "function", ["function"] = { name = name, parameters = {
    type = "object", properties = properties or {} } } }
end

local all_tools = {}
for _, name in ipairs { "click_element", "double_click_element", "right_click_element", "drag_element",
  "type_text", "press_key", "scroll_down", "scroll_up", "report_completion", "wait" } do
  table.insert(all_tools, tool(name))
end

local calculator = [[
SCREEN: 1280x800; active window: "Calculator" (galculator)
ELEMENTS (index, role, name, centre in 0..1000, states, value):
[0] push button "7" [512,300]
[1] label "6" [10,10]
[2] push button "6" [600,300] focused
[3] push button "*" [700,300]
[4] text "" [500,100] focused = "42"
[5] menu item "Save As..." [30,40]
[6] push button "say \"hi\", [1,2] = \"x\"" [1,1000]
[7] menu "Hidden"
]]

local function ask(mission, more)
  more = more or {}
  local request = { messages = {
    { role = "system", content = "You are the executor." },
    { role = "user", content = { { type = "text", text = "MISSION:\n" .. mission .. "\n\nDOCTRINE:\nDo it.\n\n"
      .. (more.phase == nil and "CURRENT PHASE: EXECUTION\n" or more.phase) .. "TURN: 5 of 600\n\n"
      .. (more.screen or calculator) .. "\n" .. (more.actions and "RECENT ACTIONS:\n" .. more.actions or "") },
      { type = "image_url", image_url = { url = "x" } } } },
  }, tools = more.tools == nil and all_tools or more.tools or nil }
  local response = literal.chat(request)
  local reply = assert(client.read(response))
  t.has(reply.content, literal.says_first)
  t.eq(reply.content:sub(1, 8), "literal:")
  local answer = decode.reply(reply)
  t.ok(#answer.calls == 0 or not reply.refusal, "never both")
  local call = answer.calls[1] or {}
  return call.name, call.args or {}, reply, answer
end

local function kinds(task)
  local plan, why = steps.read(task)
  if not plan then return nil, why end
  local says = {}
  for i, step in ipairs(plan) do says[i] = step.says end
  return table.concat(says, " | ")
end

function tests.grammar()
  for task, want in pairs {
    ['click "7"'] = 'click "7"',
    ['Click "7", "*" and "6", then press Return.'] = 'click "7" | click "*" | click "6" | press Return',
    ['1. Click "7"\n2. double-click "x"\n3) right click the "y" button'] =
      'click "7" | double-click "x" | right-click "y"',
    ['First, please click on the "File" menu. Then click the menu item "Save As...".'] =
      'click "File" | click "Save As..."',
    ['type "a, b and then click \\"c\\".\\n\\tend"'] = 'type "a, b and then click \\"c\\".\\n\\tend"',
    ['type "Ann" into the "Name" field'] = 'click "Name" | type "Ann"',
    ["press ctrl+s; press ctrl++, press ctrl+, and press ctrl+."] =
      "press ctrl+s | press ctrl++ | press ctrl+, | press ctrl+.",
    ["press the Enter key; press a; press Tab twice"] = "press Enter | press a | press Tab | press Tab",
    ["press tab 3 times"] = "press tab | press tab | press tab",
    ['press the "OK" button'] = 'click "OK"',
    ['scroll down 2 times\nscroll up'] = "scroll down | scroll down | scroll up",
    ['drag "a" to "b"'] = 'drag "a" to "b"',
    ['Wait for "Saved" to appear; finally expect "42"'] = 'wait for "Saved" | expect "42"',
    ['make sure that "42" is shown'] = 'expect "42"',
    ['wait 2 seconds'] = "wait 2 seconds",
    ['Work out 7 times 6 in the calculator: click "7".'] = 'click "7"',
    ['Our task: these steps:\n- click "7"\n* click "8"'] = 'click "7" | click "8"',
    ['CLICK “7”'] = 'click "7"',
    ['click "a then b; and c."'] = 'click "a then b; and c."',
    ['type "x"\r\npress Return\r\n'] = 'type "x" | press Return',
  } do
    t.eq(kinds(task), want, task)
  end
end

function tests.what_is_no_step_is_named()
  for task, part in pairs {
    ["Work out 7 times 6."] = "Work out 7 times 6",
    ['click "7" and win the game'] = "win the game",
    ['click "7'] = "never ends",
    [""] = "no step",
    ["click the blue thing"] = "click the blue thing",
    ['click "7" gently'] = "gently",
    ["press"] = "press",
    ["press ctrl+"] = "press ctrl+",
    ["press the big red button"] = "press the big red button",
    ["scroll sideways"] = "scroll sideways",
    ['type hello'] = "type hello",
    ['drag "a"'] = "drag",
    ['type ""'] = "type",
    ["wait 61 seconds"] = "wait 61",
    ["press a 100000 times"] = "100000",
    ['click ""'] = "click",
    ['click "7" "8"'] = "click",
    ['"7"'] = '"7"',
    ['Clicking: click "7"; dance: now'] = "dance",
  } do
    local plan, why = kinds(task)
    t.eq(plan, nil, task)
    t.has(why, part, task)
    local name, _, reply = ask(task)
    t.eq(name, nil)
    t.ok(reply.refusal)
    t.eq(reply.finish_reason, "stop")
    if task ~= "" then t.has(reply.content, 'click "name"') end
  end
end

function tests.reading_the_screen()
  local view = screen.read("MISSION:\na\nb\n\n" .. calculator .. "\nRECENT ACTIONS:\n"
    .. '  T3: click_element("a) -> ERROR | why: Step 9 of 9") -> clicked | why: Step 1 of 2: click "7"\n'
    .. '  T4: wait() -> ERROR: no | why: Step 2 of 2: x. Look 4. y\nnonsense\n')
  t.eq(view.mission, "a\nb")
  t.eq(view.window, "Calculator")
  t.eq(#view.elements, 8)
  t.eq(view.elements[5], { role = "text", name = "", value = "42", x = 500, y = 100, index = 4,
    states = { focused = true } })
  t.eq(view.elements[7].name, 'say "hi", [1,2] = "x"')
  t.eq(view.elements[7].value, nil)
  t.eq(view.elements[8].x, nil)
  t.eq(#view.actions, 2)
  t.eq({ view.actions[1].failed, view.actions[1].step }, { false, 1 })
  t.eq({ view.actions[2].failed, view.actions[2].step, view.actions[2].look }, { true, 2, 4 })
  t.eq(screen.find(view, "6").x, 600, "a button before a label")
  t.eq(screen.find(view, "6", "label").x, 10)
  t.eq(screen.find(view, "save as").x, 30)
  t.eq(screen.find(view, "say").x, 1)
  t.eq(screen.find(view, "Hidden"), nil, "it has no place")
  t.eq(screen.find(view, "Text area").x, 500, "the only text")
  t.eq(screen.find(view, "a"), nil, "in two names")
  t.eq(screen.read("").elements, {})
  view = screen.read('MISSION:\nx\nDOCTRINE:\nMISSION:\ny\nRECENT ACTIONS:\n'
    .. '  T1: type_text("say "hi, he said...") -> ERROR: no | why: Step 1 of 2: x\n'
    .. '  T2: type_text("C:\\") -> typed | why: Step 1 of 2: x\n')
  t.eq(view.mission, "x")
  t.eq({ view.actions[1].failed, view.actions[2].failed, view.actions[2].step }, { true, false, 1 })
end

function tests.one_step_after_the_other()
  local mission = 'Work out: click "7", "*" and "6", then type "x\\n", press Return, expect "42"'
  local actions = ""
  local want = {
    { "click_element", "label", "7" }, { "click_element", "label", "*" }, { "click_element", "label", "6" },
    { "type_text", "text", "x\n" }, { "press_key", "key", "Return" }, { "report_completion" },
  }
  for i, expected in ipairs(want) do
    local name, arguments, reply = ask(mission, { actions = actions })
    t.eq(name, expected[1], "turn " .. i)
    if expected[2] then
      t.eq(arguments[expected[2]], expected[3])
      t.has(arguments.justification, ("Step %d of 6: "):format(i))
      local words = select(2, arguments.justification:gsub("%S+", ""))
      t.ok(words >= 30, words)
      actions = actions .. ('  T%d: %s("x") -> done | why: %s\n'):format(i, name,
        arguments.justification:sub(1, 60))
    else
      t.ok(#arguments.evidence >= 100)
      t.has(arguments.evidence, '"42" is seen in the value of text')
      t.has(arguments.evidence, '"Calculator"')
      t.eq(reply.finish_reason, "tool_calls")
    end
  end
  local _, arguments = ask(mission)
  t.eq(arguments.position, { 512, 300 })
end

function tests.errors_are_tried_again_three_times()
  local mission, line = 'click "7"; click "6"', '  T1: click_element("6") -> ERROR: no | why: Step 2 of 2: x\n'
  local name, arguments = ask(mission, { actions = line })
  t.eq(name, "click_element")
  t.eq(arguments.label, "6")
  t.eq(ask(mission, { actions = line:rep(2) }), "click_element")
  local none, _, reply = ask(mission, { actions = line:rep(3) })
  t.eq(none, nil)
  t.has(reply.refusal, "failed 3 times")
  t.eq(ask(mission, { actions = line:rep(2) .. "  T3: click_element() -> ok | why: Step 2 of 2: x\n" }),
    "report_completion")
end

function tests.waiting_and_giving_up()
  local function wait_line(n) return ("  T1: wait(1) -> waited | why: Step 1 of 1: x. Look %d.\n"):format(n) end
  local name, arguments = ask('wait for "Saved"')
  t.eq(name, "wait")
  t.eq(arguments.seconds, 1)
  t.has(arguments.justification, "Step 1 of 1: wait for \"Saved\". Look 1.")
  name, arguments = ask('expect "43"', { actions = wait_line(6) })
  t.eq(name, "wait")
  t.has(arguments.justification, "Look 7.")
  local none, _, reply = ask('expect "43"', { actions = wait_line(10) })
  t.eq(none, nil)
  t.has(reply.refusal, '"43" is seen in no element')
  t.eq(ask('expect "43"', { actions = ("  T1: wait(1) -> ok | why: Step 1 of 1: x\n"):rep(10) }), nil)
  t.eq(ask('wait for "43"', { actions = wait_line(10) }), "wait")
  t.eq(ask('expect "calc"'), "report_completion", "the window's title counts")
  none, _, reply = ask('expect "43"', { tools = { tool "press_key" } })
  t.eq(none, nil)
  t.eq(reply.refusal, nil)
  t.has(reply.content, '"43"')
  t.eq(ask('wait 3 seconds; click "7"', { actions = "  T1: wait(3) -> ok | why: Step 1 of 2: wait\n" }),
    "click_element")
end

function tests.names_that_are_missing()
  local name, arguments = ask('click "Save"; click "77"', {
    actions = '  T1: click_element("Save") -> ok | why: Step 1 of 2: x\n' })
  t.eq(name, "wait")
  t.has(arguments.justification, 'nothing named "77"')
  t.has(arguments.justification, 'nearest names listed are "7"')
  local none, _, reply = ask('click "77"', { tools = { tool "click_element" } })
  t.eq(none, nil)
  t.has(reply.content, 'nearest names listed are "7"')
  none, _, reply = ask('click "7"', { screen = "", tools = { tool "click_element" } })
  t.eq(none, nil)
  t.has(reply.content, "no element is listed")
end

function tests.other_actions()
  local name, arguments = ask('drag "7" to "6"')
  t.eq(name, "drag_element")
  t.eq({ arguments.start, arguments["end"], arguments.label }, { { 512, 300 }, { 600, 300 }, "7" })
  t.eq(select(2, ask('click "text area"')).label, "text area")
  t.eq(ask('double-click "7"'), "double_click_element")
  t.eq(ask('right-click "7"'), "right_click_element")
  name, arguments = ask("scroll up")
  t.eq(name, "scroll_up")
  t.has(arguments.justification, "Step 1 of 1")
  local none, _, reply = ask('click "7"', { tools = { tool "press_key" } })
  t.eq(none, nil)
  t.has(reply.refusal, "click_element, which is not offered")
end

function tests.completion_that_is_not_accepted()
  local line = '  T9: report_completion("x") -> ERROR: not done: 7 | why:\n'
  t.eq(ask('expect "42"', { actions = line:rep(2) }), "report_completion")
  local none, _, reply = ask('expect "42"', { actions = line:rep(3) })
  t.eq(none, nil)
  t.has(reply.refusal, "not accepted")
  t.has(select(3, ask('expect "42"', { tools = { tool "press_key" } })).content, "carried out")
end

function tests.tactician()
  local names = { type = "array", items = { type = "string", enum = { "click_element", "press_key", "wait",
    "report_completion", "drag_element" } } }
  local tools = { tool("spawn_executor_prompt"), tool("update_phase_tools", { tool_names = names }) }
  for _, phase in ipairs { "CURRENT PHASE: INIT\n", "CURRENT PHASE: FALLBACK\n", "", "CURRENT PHASE: \n" } do
    local name, arguments, _, answer = ask('click "7"; press Return', { tools = tools, phase = phase })
    t.eq(name, "spawn_executor_prompt", phase)
    t.eq(arguments.phase, "EXECUTION")
    t.ok(select(2, arguments.prompt:gsub("%S+", "")) >= 200, "200 words")
    t.has(arguments.prompt, '2. press Return')
    t.eq(#answer.calls, 2)
    t.eq(answer.calls[2].name, "update_phase_tools")
    t.eq(answer.calls[2].args.tool_names, { "click_element", "press_key", "report_completion", "wait" })
  end
  local name, _, reply = ask('click "7"', { tools = tools })
  t.eq(name, nil)
  t.has(reply.content, "Phase EXECUTION stays")
  t.ok(select(3, ask("be clever", { tools = tools })).refusal)
end

function tests.strategist()
  local name, _, reply = ask('click "7"; expect "42"', { tools = false })
  t.eq(name, nil)
  t.eq(reply.refusal, nil)
  for _, title in ipairs { "1. MISSION RESTATEMENT", "2. RECONNAISSANCE PHASE", "3. INTERMEDIATE PHASES",
    "4. VERIFICATION PHASE", "5. OPERATIONAL RISKS", "6. COMMANDER'S DIRECTIVES",
    "SUCCESS CRITERIA" } do
    t.has(reply.content, "\n" .. title .. "\n")
  end
  t.has(reply.content, '1. click "7"')
  t.has(reply.content, '- "42" is seen')
  t.ok(select(3, ask("be clever", { tools = false })).refusal)
end

function tests.through_the_client()
  local c = assert(client.new { model = "literal" })
  local reply = assert(c:chat { tools = all_tools, messages = {
    { role = "user", content = { { type = "text", text = 'MISSION:\nclick "7"\n\n' .. calculator },
      { type = "image", base64 = "AAAA", mime = "image/png", path = "a.png" } } } } })
  t.eq(reply.tool_calls[1].name, "click_element")
  t.eq(json.decode(reply.tool_calls[1].arguments).position, { 512, 300 })
  t.eq(reply.attempts, 1)
  t.eq(reply.usage, { input_tokens = 0, output_tokens = 0 })
  t.eq(assert(client.new { endpoint = "literal" }).literal, true)
  t.eq(c:models(), { "literal" })
  local refused = assert(c:chat { messages = { { role = "user", content = "hello" } } })
  t.has(refused.refusal, "no mission")
end

return tests
