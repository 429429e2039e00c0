-- model/literal as a planner (the tool `plan`), on pages, and as a pair of eyes (`correct`).
local t = require "harness"
local literal_facts = require "literal_facts"

local tests = {}

local action = literal_facts.action

local fields = {
  { "textbox", "Full name", states = "focused required editable" },
  { "textbox", "E-mail", value = "old@example.org", states = "required editable" },
  { "combobox", "Ticket", value = "Please choose" },
  { "combobox", "Travelling from", states = "required editable autocomplete" },
  { "radio", "Vegetarian" },
  { "checkbox", "I accept the rules", states = "checked" },
  { "file", "Poster" },
  { "button", "Register" },
  { "link", "Programme" },
}
local words = "Harbour Conference\nTotal: 48,215.70"

-- The form, with what else is on the page.
local function form(more)
  more = more or {}
  more.text = more.text or words
  return { window = { title = "Register - Chromium", class = "Chromium-browser" },
    elements = literal_facts.elements { { "push button", "Reload", 75, 40 } }, page = literal_facts.page(fields, more) }
end

-- The form beneath a popup with these buttons.
local function popup(...)
  local facts = form { popup = { role = "dialog", name = "Programme news?", elements = {} } }
  for _, element in ipairs(facts.page.elements) do element.states.blocked = true end
  for _, name in ipairs { ... } do
    table.insert(facts.page.elements, { index = #facts.page.elements, role = "button", name = name, states = {} })
  end
  return facts
end

local function editor()
  return { window = { title = "Untitled 1 - Mousepad", class = "Mousepad" }, elements = literal_facts.elements {
    { "menu", "File", 30, 40 }, { "text", "", 500, 500, states = "focused" } } }
end

local function ask(task, facts, actions, tool)
  facts = facts or form()
  facts.task, facts.actions = task, actions or {}
  local reply = literal_facts.ask(facts, tool or "plan")
  local call = reply.calls[1]
  return call and call.args, reply.refusal, call and call.name
end

-- "browser_type 0 Ada | browser_click 7": the actions, each with what tells it from others.
local function shown(plan)
  local list = {}
  for i, planned in ipairs(plan and plan.actions or {}) do
    local parts = { planned.tool }
    for _, name in ipairs { "index", "label", "text", "option", "path", "key", "name", "title", "url", "after",
      "accept", "seconds" } do
      if planned.args[name] ~= nil then parts[#parts + 1] = tostring(planned.args[name]) end
    end
    t.ok(#planned.why >= 30 and utf8.len(planned.why) <= 200, "each action says why, in the limit of the schema")
    list[i] = table.concat(parts, " ")
  end
  return table.concat(list, " | ")
end

-- What the run keeps of a plan whose actions ended like that: true, the words of an error, or not done (false).
local function done(plan, results)
  local actions = {}
  for i, planned in ipairs(plan.actions) do
    local result = results and results[i]
    if result == false then break end
    actions[i] = action(planned.tool, planned.args, planned.why, type(result) == "string" and result or nil)
  end
  return actions
end

local function joined(...)
  local all = {}
  for _, actions in ipairs { ... } do table.move(actions, 1, #actions, #all + 1, all) end
  return all
end

function tests.steps_go_together_until_something_may_change()
  local task = [[
Register: 1. Type "Ada" into "Full name"
2. Type "ada@example.org" into "E-mail"
3. Choose "Two days" in "Ticket"
4. Click "Vegetarian"
5. Upload "/tmp/p.png" to "Poster"
6. Click "I accept the rules"
7. Click "Register"
8. Expect "Thank you"
9. Expect "Ada"]]
  local plan, _, name = ask(task)
  t.eq(name, "plan")
  t.eq(shown(plan), "browser_type 0 Ada | browser_type 1 ada@example.org | browser_select 2 Two days | "
    .. "browser_click 4 | browser_upload 6 /tmp/p.png")
  t.eq(plan.actions[1].args.replace, true)
  t.eq(plan.anchor, { application = "Chromium-browser" })
  t.eq(plan.success_indicators, {})
  t.eq(plan.completes_goal, false)
  t.has(plan.actions[1].why, "Step 2 of 11: ")
  local rest = ask(task, form(), done(plan))
  t.eq(shown(rest), "browser_click 5 | browser_click 7")
  t.eq(rest.anchor, {}, "nobody knows where it leads")
  t.eq(rest.success_indicators, { "Thank you", "Ada" })
  t.eq(rest.completes_goal, true)
  local restore <close> = setmetatable({}, { __close = function() literal_facts.most_actions = 5 end })
  assert(restore)
  literal_facts.most_actions = 2
  t.eq(shown((ask(task))), "browser_type 0 Ada | browser_type 1 ada@example.org", "as many as the schema takes")
end

function tests.what_was_dropped_or_failed_is_done_again()
  local task = 'type "Ada" into "Full name"; type "a@b" into "E-mail"; click "Vegetarian"; click "Register"'
  local plan = ask(task)
  t.eq(shown(plan), "browser_type 0 Ada | browser_type 1 a@b | browser_click 4 | browser_click 7")
  t.eq(shown(ask(task, form(), done(plan, { true, false }))),
    "browser_type 1 a@b | browser_click 4 | browser_click 7", "two were dropped")
  local failed = done(plan, { true, "covered by a popup", false })
  local again = ask(task, form(), failed)
  t.eq(shown(again), "browser_type 1 a@b | browser_click 4 | browser_click 7")
  failed = joined(failed, done(again, { "covered", false }), done(again, { "covered", false }))
  local none, refusal = ask(task, form(), failed)
  t.eq(none, nil)
  t.has(refusal, 'Step 4 of 6 (type "a@b" into "E-mail"): it failed 3 times, at last by browser_type: covered')
end

function tests.an_action_that_is_done_over_is_one_step()
  local task = 'click "Vegetarian"; click "Register"; click "Programme"'
  local plan = ask(task)
  t.eq(shown(plan), "browser_click 4 | browser_click 7")
  t.eq(shown(ask(task, form(), joined(done(plan), done(plan)))), "browser_click 8", "the policy tried it again")
end

function tests.an_autocompletion_field_ends_the_batch()
  local task = 'type "Lond" into "Travelling from"; click "London"; click "Register"'
  local plan = ask(task)
  t.eq(shown(plan), "browser_type 3 Lond")
  local listed = form()
  table.insert(listed.page.elements, { index = 9, role = "option", name = "London", states = {} })
  t.eq(shown(ask(task, listed, done(plan))), "browser_click 9", "and a choice ends it as well")
  local waiting = ask(task, form(), done(plan))
  t.eq(shown(waiting), "wait 1")
  t.has(waiting.rationale, 'nothing named "London" is listed')
  t.has(waiting.rationale, 'the nearest name listed is "Poster"')
  t.eq({ waiting.completes_goal, waiting.success_indicators, waiting.anchor }, { false, {}, {} })
end

function tests.a_popup_comes_first()
  local task = 'type "Ada" into "Full name"; click "Register"'
  local plan = ask(task .. "; close any popup", popup("Subscribe", "No, thanks"))
  t.eq(shown(plan), "browser_click 10")
  t.has(plan.actions[1].why, "Before step 1 of 3: ")
  local closed = done(plan)
  t.eq(shown(ask(task .. "; close any popup", form(), closed)), "browser_type 0 Ada | browser_click 7", "no step")
  local ten = {}
  for _ = 1, 10 do ten = joined(ten, closed) end
  local _, refusal = ask(task .. "; close any popup", popup("No, thanks"), ten)
  t.has(refusal, 'dialog "Programme news?" covers the page')
  t.has(refusal, "after 10 looks")
  t.eq(shown(ask("close the popup; " .. task, popup("OK", "Close"))), "browser_click 10", "the likeliest of them")
  t.eq(shown(ask('click "No, thanks"; ' .. task, popup("No, thanks"))), "browser_click 9")
  plan = ask(task, popup("No, thanks"))
  t.eq(shown(plan), "wait 1", "without that rule it is not closed")
  t.has(plan.rationale, 'dialog "Programme news?" covers the page')
  t.eq(shown(ask('click "Reload"', popup("No, thanks"))), "wait 1", "nor is anything done behind it")
  t.eq(shown(ask("close the popup; " .. task)), "wait 1")
  _, refusal = ask(task .. "; close any popup", popup("Perhaps"))
  t.has(refusal, "no button that is known to close it")
end

function tests.one_who_acts_once_a_turn_does_the_same()
  local names = "browser_click browser_type browser_dialog click_element type_text wait"
  local task = 'type "Ada" into "Full name"; click "Register"; close any popup'
  local function turn(facts, actions)
    local args, _, name = ask(task, facts, actions, names)
    return { name, args.index, args.text, args.accept }, action(name, args)
  end
  local asked, typed = turn(form(), {})
  t.eq(asked, { "browser_type", 0, "Ada" })
  t.has(typed.why, "Step 2 of 3: ")
  local closing, closed = turn(popup("Subscribe", "No, thanks"), {})
  t.eq(closing, { "browser_click", 10 })
  t.eq(turn(form(), { closed }), { "browser_type", 0, "Ada" })
  t.eq(turn(form { dialog = { type = "alert", message = "Hello" } }, {}), { "browser_dialog", nil, nil, true })
  t.eq(turn(form(), { typed }), { "browser_click", 7 })
end

function tests.a_field_of_the_desktop_is_clicked_first()
  local facts = editor()
  facts.elements = literal_facts.elements { { "text", "Name:", 50, 60 } }
  local plan = ask('type "Ann" into "Name:"', facts)
  t.eq(shown(plan), "click_element Name: | type_text Ann")
end

function tests.a_question_of_the_page()
  local function asking(kind) return form { dialog = { type = kind, message = "Leave?" } } end
  local _, refusal = ask('click "Register"', asking "confirm")
  t.has(refusal, '"Leave?"')
  t.has(refusal, "dismiss the dialog")
  t.eq(shown(ask("accept the dialog", asking "confirm")), "browser_dialog true")
  t.eq(shown(ask("dismiss the dialog", asking "confirm")), "browser_dialog false")
  t.eq(shown(ask('click "Register"; close any popup', asking "confirm")), "browser_dialog false")
  t.eq(shown(ask('click "Register"; close any popup', asking "alert")), "browser_dialog true")
  t.eq(shown(ask "accept the dialog"), "wait 1")
end

function tests.going_places()
  local plan = ask 'go to https://example.org/a; click "Programme"; expect "Talks"'
  t.eq(shown(plan), "browser_open https://example.org/a")
  t.eq(plan.anchor, { url = "https://example.org/a" })
  plan = ask('open "mousepad"; click "Text area"')
  t.eq(shown(plan), "open_app mousepad")
  t.eq(plan.anchor, { application = "mousepad" })
  plan = ask('switch to "Mousepad"; expect "Untitled 1"')
  t.eq(shown(plan), "focus_window Mousepad")
  t.eq({ plan.anchor, plan.success_indicators, plan.completes_goal },
    { { title = "Mousepad" }, { "Untitled 1" }, true })
  t.eq(shown(ask "go back"), "browser_back")
  t.eq(shown(ask 'click "Reload"'), "click_element Reload", "what is not on the page is looked for beside it")
  t.eq(shown(ask('double-click "Reload"')), "double_click_element Reload")
  t.eq(shown(ask 'download "Programme"'), "browser_download 8")
end

function tests.what_was_read_is_typed()
  local task = 'read what follows "Total:"; switch to "Mousepad"; click "Text area"; type what was read; press ctrl+s'
  local plan = ask(task)
  t.eq(shown(plan), "browser_read Total: | focus_window Mousepad")
  local actions = done(plan)
  actions[1].text = 'after "Total:" the page says: 48,215.70'
  local earlier = action("browser_read", {})
  earlier.text = 'after "Sum:" the page says: 1'
  t.eq(shown(ask(task, editor(), joined({ earlier }, actions))),
    "click_element Text area | type_text 48,215.70 | press_key ctrl+s", "the last that was read")
  plan = ask("type what was read", editor())
  t.eq(shown(plan), "wait 1")
  t.has(plan.rationale, "nothing has been read")
  t.has(ask('read what follows "Sum:"').rationale, 'no page in front has the text "Sum:"')
  t.has(ask('read what follows "Sum:"', editor()).rationale, 'no page in front has the text "Sum:"')
end

function tests.the_end()
  local task = 'click "Register"; expect "Harbour"'
  local actions = done(ask(task))
  local plan = ask(task, form(), actions)
  t.eq(shown(plan), "wait 0.1", "a plan has an action")
  t.eq({ plan.completes_goal, plan.success_indicators }, { true, { "Harbour" } })
  t.has(plan.rationale, '"Harbour" is seen in the page\'s text')
  local claim = done(plan)
  local _, refusal = ask(task, form(), joined(actions, claim, claim, claim))
  t.has(refusal, "claimed 3 times")
  plan = ask('click "Register"; expect "Goodbye"', form(), actions)
  t.eq({ shown(plan), plan.completes_goal }, { "wait 1", false })
  t.eq(shown(ask('wait for "Goodbye"; click "Register"')), "wait 1")
  t.eq(shown(ask('wait for "Harbour"; click "Register"')), "browser_click 7")
  t.eq(shown(ask('click "Vegetarian"; wait 2 seconds; click "Register"')), "browser_click 4 | wait 2")
  t.eq(shown(ask 'wait 2 seconds; click "Register"'), "wait 2")
end

function tests.no_eyes()
  local none, refusal = ask('click "Register"', nil, {}, "correct")
  t.eq(none, nil)
  t.has(refusal, "looks at no picture")
end

-- --- as those of the policy manager --------------------------------------------------------------------------------

function tests.a_manager_hands_all_steps_to_one_operator_and_does_not_plan_them_twice()
  local task = [[Click "Vegetarian", then expect "Total".]]
  local args, _, name = ask(task, form(), {}, "write_plan ask_user")
  t.eq({ name, #args.subtasks, args.subtasks[1].role }, { "write_plan", 1, "operator" })
  t.eq(require "deskpilot.policies.manager.plan".problems(task, { { title = args.subtasks[1].title, needs = {},
    gives = {}, intent = args.subtasks[1].intent, role = "operator" } }, {}), {}, "it is a plan that is taken")
  local clicked = { action("browser_click", { index = 4 }, "Step 1 of 2: click.") }
  local _, refusal = ask(task, form(), clicked, "write_plan ask_user")
  t.has(refusal, "that was not enough")
end

function tests.an_evaluator_says_yes_when_all_steps_are_done_and_what_they_expect_is_seen()
  local task = [[Click "Vegetarian", then expect "Total".]]
  local args = ask(task, form(), {}, "judge")
  t.eq({ args.answer, args.decision }, { "no", "failed" }, "nothing else is offered")
  t.has(args.evidence, "Step 1 of 2 is not done")
  args = ask(task, form(), { action("browser_click", { index = 4 }, "Step 1 of 2: click.") }, "judge")
  t.eq({ args.answer, args.decision }, { "yes", "done" })
  t.has(args.evidence, '"Total" is seen in')
end

function tests.an_operator_ends_its_subtask_when_all_steps_are_done()
  local clicked = { action("browser_click", { index = 4 }, "Step 1 of 1: click.") }
  local args, _, name = ask([[Click "Vegetarian".]], form(), clicked, "browser_click subtask_done subtask_failed wait")
  t.eq(name, "subtask_done")
  t.has(args.result, "All 1 steps")
end

return tests
