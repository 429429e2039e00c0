--- The actions of a touch screen on the desktop that is only imagined: what is refused, who is offered them, and what
--- `literal` makes of a task's steps with them. What they do is in e2e.test_task_executor_actions.
local t = require "harness"
local configured = require "configured"
local literal = require "deskpilot.model.literal"
local null_run = require "null_run"
local toolbox = require "deskpilot.agent.toolbox"

local tests = {}

local touch = { "back", "finish", "home", "recent", "swipe", "tap", "type" }

-- The result of one act in a run.
local function act(tool, args)
  local result
  args.justification = "It is the next thing to do here."
  null_run.play({ task = "x" }, { screen = null_run.thousand, turn = function(run)
    result = run:act { tool = tool, args = args }
    run:stop("failed", "that was all")
  end })
  return result
end

function tests.they_are_offered_by_name_alone()
  local _, box = configured.defaults()
  local all = " " .. table.concat(box:names(), " ") .. " "
  for _, name in ipairs(touch) do
    t.ok(box:get(name), name)
    t.ok(not all:find(" " .. name .. " ", 1, true), name .. " is offered to everybody")
  end
  t.eq(box:scope({ groups = { "touch" } }):names(), touch)
  for _, policy in ipairs { "three_body", "odev" } do
    local words = require("deskpilot.policies." .. policy).tools
    local names = " " .. table.concat(box:scope({ groups = words, names = words }):names(), " ") .. " "
    for _, name in ipairs(touch) do t.ok(not names:find(" " .. name .. " ", 1, true), policy .. ": " .. name) end
  end
end

-- A goal that may use some tools only can always be ended, and others are not told of it.
function tests.a_goal_with_some_tools_can_be_finished()
  local _, box = configured.defaults()
  local some = assert(box:only { "tap" })
  t.ok(some:get "finish" and toolbox.ends(some:get "finish"))
  t.eq(some:names(), { "give_up", "report_completion", "tap" })
  t.eq(some:scope({ groups = { "touch" }, names = { "give_up" } }):names(), { "finish", "give_up", "tap" })
end

function tests.what_is_refused()
  for _, case in ipairs {
    { "tap", {}, "tap wants element (a number in ELEMENTS) or position" },
    { "tap", { element = 3 }, "there is no element [3] in ELEMENTS: none is listed" },
    { "tap", { element = 1, position = { 1, 2 } }, "not both" },
    { "tap", { position = { 500, 500 }, clicks = 4 }, "clicks" },
    { "swipe", { start = { 500, 500 } }, "end" },
    { "swipe", { start = { 500, 500 }, ["end"] = { 501, 502 } }, "begins where it ends: use tap" },
    { "swipe", { start = { 500, 500 }, ["end"] = { 500, 1200 } }, "1000" },
    { "type", { text = "" }, "text" },
    { "finish", { reason = "" }, "reason" },
    { "recent", {}, "no other window" },
  } do
    local result = act(case[1], case[2])
    t.ok(not result.ok, case[1])
    t.has(result.text, case[3])
  end
end

local function answered(task, actions, more)
  local _, box = configured.defaults()
  local names = { "tap", "swipe", "type", "back", "finish", "press_key", "wait", "scroll_down" }
  local facts = { task = task, actions = actions or {}, elements = { { role = "push button", name = "Save",
    number = 3, norm = { 100, 200 }, states = {} }, { role = "label", name = "Bin", number = 4, norm = { 300, 400 },
    states = {} } }, window = { title = "Notes", class = "Notes" } }
  for key, value in pairs(more or {}) do facts[key] = value end
  local message = literal.chat({ facts = facts, tools = box:definitions(names) }).choices[1].message
  local call = message.tool_calls and message.tool_calls[1]["function"]
  if not call then return message.refusal or message.content end
  local args = require "deskpilot.base.json".decode(call.arguments)
  args.justification = nil
  return call.name, args
end

function tests.literal_does_its_steps_with_a_finger()
  for _, case in ipairs {
    { 'click "Save"', "tap", { label = "Save", position = { 100, 200 } } },
    { 'double-click "Save"', "tap", { label = "Save", position = { 100, 200 }, clicks = 2 } },
    { 'right-click "Save"', "tap", { label = "Save", position = { 100, 200 }, button = "right" } },
    { 'drag "Save" to "Bin"', "swipe", { start = { 100, 200 }, ["end"] = { 300, 400 }, drag = true } },
    { 'type "abc"', "type", { text = "abc" } },
    { "go back", "back", {} },
    { "press ctrl+s", "press_key", { key = "ctrl+s" } },
    { "scroll down", "scroll_down", {} },
  } do
    local name, args = answered(case[1])
    t.eq({ name, args }, { case[2], case[3] }, case[1])
  end
  local name, args = answered('click "Save"', { { tool = "tap", args = {}, ok = true, text = "tapped",
    why = "Step 1 of 1: click." } })
  t.eq(name, "finish")
  t.has(args.reason, "All 1 steps")
  t.has(answered('open "mousepad"'), "which is not offered")
end

-- Claims that were not accepted are counted, so that there is an end to them.
function tests.literal_gives_up_claiming()
  local actions = { { tool = "tap", args = {}, ok = true, text = "tapped", why = "Step 1 of 1: click." } }
  for i = 2, 4 do actions[i] = { tool = "finish", args = {}, ok = false, text = "NOT DONE", why = "literal: ..." } end
  t.has(answered('click "Save"', actions), "Completion was claimed 3 times and not accepted")
end

return tests
