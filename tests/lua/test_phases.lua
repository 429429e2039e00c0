-- Which tools a phase of three_body has, and what the policy does with the Tactician's answers.
local t = require "harness"
local configured = require "configured"
local null_run = require "null_run"
local errors = require "deskpilot.base.errors"
local phases = require "deskpilot.policies.three_body.phases"
local told = require "told"

local tests = {}

local _, box = configured.defaults()
local safe = "click_element press_key type_text scroll_down scroll_up"

local function words(text)
  local list = {}
  for word in text:gmatch "%S+" do list[#list + 1] = word end
  return list
end

function tests.which_names_verify()
  for _, name in ipairs { "VERIFICATION", "Verification", "verify", "VERIFYING", "VERIFY_SAVE", "FINAL VERIFICATION",
    "verifyResult", "4. VERIFICATION PHASE", "COMPLETION", "completion check", "TASK_COMPLETE", "MISSION_COMPLETED",
    "COMPLETE", "VERIFY_AND_COMPLETE" } do
    t.eq(phases.verifies(name), true, name)
  end
  for _, name in ipairs { "COMPLETE_THE_FORM", "FORM_COMPLETION", "COMPLETE_TASK", "EXECUTION", "UNVERIFIED_INPUT",
    "INCOMPLETE", "RECONNAISSANCE", "AUTOCOMPLETE", "CHECK_THE_BOX", "FINAL_PHASE", "EMERGENCY", "FALLBACK", "",
    "___" } do
    t.eq(phases.verifies(name), false, name)
  end
end

function tests.report_completion_is_where_the_phase_verifies_and_nowhere_else()
  local function check(phase, names, want, says)
    local tools, report = phases.tools(box, phase, words(names))
    t.eq(tools, words(want), phase)
    t.has(table.concat(report, "\n") .. "|", says or "|", phase)
    t.eq(#report > 0, says ~= nil, phase)
  end
  check("VERIFICATION", "click_element", "click_element report_completion give_up",
    "verifies, so report_completion was added")
  check("VERIFICATION", "report_completion wait", "report_completion wait give_up")
  check("EXECUTION", "give_up click_element", "click_element")
  check("EXECUTION_SAVE", "click_element report_completion", "click_element", "was taken from its tools")
  check("COMPLETE_THE_FORM", "type_text report_completion", "type_text", "was taken from its tools")
  check("RECONNAISSANCE", "report_completion", safe, "left no tool")
  check("RECONNAISSANCE", "scroll_down", "scroll_down")
  check("EMERGENCY", "click_element report_completion", "click_element report_completion")
  check("FALLBACK", "report_completion click_element", "click_element", "was taken")
  check("RECONNAISSANCE", "", safe, "left no tool")
  check("VERIFICATION", "", "report_completion give_up", "added")
  check("RECONNAISSANCE", "browser_read look_closely", "browser_read look_closely wait", "which end no turn")
  check("RECONNAISSANCE", "browser_read no_such_tool press_key", "browser_read press_key")
end

function tests.a_group_is_all_of_its_tools()
  t.eq({ phases.known(box, { "typing", "wait", "type_text", "fly" }) }, { words "press_key type_text wait",
    { 'There is no tool "fly".' } })
end

-- A goal within a run may have some of the tools only.
function tests.a_phase_has_no_tool_that_the_goal_has_not()
  local some = box:scope { names = { "press_key", "wait", "look_closely" } }
  t.eq(phases.tools(some, "EXECUTION", words "wait click_element"), words "wait press_key")
  t.eq(phases.tools(some, "VERIFICATION", words "wait"), words "wait")
  t.eq(phases.tools(box:scope { names = { "wait", "browser_open", "report_completion" } }, "EXECUTION", {}),
    words "browser_open wait")
end

function tests.execution_without_a_tool_that_acts()
  for _, names in ipairs { "wait", "browser_read browser_wait", "wait report_completion" } do
    local tools, report = phases.tools(box, "EXECUTION_NOTEPAD", words(names))
    t.has(table.concat(report, "\n"), "had no tool that acts")
    local offered = " " .. table.concat(tools, " ") .. " "
    t.has(offered, " " .. safe .. " ")
    t.has(offered, " " .. names:match "%S+" .. " ", "what was named stays")
    t.ok(not offered:find(" report_completion ", 1, true))
  end
  for phase, names in pairs { EXECUTION = "press_key", EXECUTE = "browser_click wait", WAIT_FOR_DOWNLOAD = "wait" } do
    local tools, report = phases.tools(box, phase, words(names))
    t.eq({ tools, report }, { words(names), {} }, phase)
  end
end

-- --- the policy ---------------------------------------------------------------------------------------------

-- Plays a run of so many turns: tactician(n, request) answers its question number n; the Executor presses shift.
local function play(turns, tactician, flags)
  local asked, offered = 0, {}
  local values = { ["model.calls_per_minute"] = 0 }
  for key, value in pairs(flags or {}) do values[key] = value end
  local run, events = null_run.play({ task = "Press shift.", policy = "three_body",
    limits = { turns = turns, seconds = 100 } }, { flags = values, model = function(request)
    local names = {}
    for _, tool in ipairs(request.tools or {}) do names[#names + 1] = tool["function"].name end
    if request.persona == "strategist" then return null_run.calls({}, "1. MISSION RESTATEMENT\nPress shift.") end
    if request.persona == "tactician" then
      asked = asked + 1
      return tactician(asked, told.words(request))
    end
    offered[#offered + 1] = table.concat(names, " ")
    return null_run.calls { { "press_key", { key = "shift", justification = "Shift is to be pressed " .. #offered } } }
  end })
  local changes = {}
  for i, event in ipairs(null_run.only(events, "phase_change")) do changes[i] = event.to end
  return changes, offered, events, run
end

local function orders(phase, names)
  local list = { { "spawn_executor_prompt", { prompt = "Orders for " .. phase, phase = phase,
    rationale = "why " .. phase } } }
  if names then list[2] = { "update_phase_tools", { tool_names = words(names), rationale = "why these tools" } } end
  return null_run.calls(list)
end

local silent = function() return nil, errors.new("timed_out", "no answer came in time") end

function tests.a_healthy_run_is_never_an_emergency()
  local function tactician(n)
    return n == 1 and orders("EXECUTION", "press_key") or null_run.calls({}, "All is well.")
  end
  for _, interval in ipairs { "5", "16", "40" } do
    local changes = play(20, tactician, { ["three_body.tactician_interval"] = interval })
    t.eq(changes, { "EXECUTION" }, "interval " .. interval)
  end
end

function tests.questions_in_a_row_without_a_valid_answer_are_an_emergency()
  local changes, offered = play(8, silent, { ["three_body.tactician_interval"] = "2" })
  t.eq(changes, { "FALLBACK", "EMERGENCY" })
  t.eq(offered[3], safe, "the questions of turns 1 and 2")
  t.eq(offered[4], safe .. " report_completion give_up", "that of turn 4 is the third")
  changes = play(8, silent, { ["three_body.tactician_interval"] = "2", ["three_body.unanswered_questions"] = "9" })
  t.eq(changes, { "FALLBACK" })
  local nonsense = function() return null_run.calls { { "spawn_executor_prompt", { phase = "X" } } } end
  changes = play(8, nonsense, { ["three_body.tactician_interval"] = "2" })
  t.eq(changes, { "FALLBACK", "EMERGENCY" }, "an answer that is no valid one")
end

function tests.an_answer_ends_the_count_and_the_emergency()
  local function every_third(n)
    if n % 3 == 0 then return null_run.calls({}, "All is well.") end
    return silent()
  end
  t.eq((play(20, every_third, { ["three_body.tactician_interval"] = "2" })), { "FALLBACK" })
  local function comes_back(n)
    if n > 3 then return orders("EXECUTION", "press_key") end
    return silent()
  end
  local changes, offered = play(8, comes_back, { ["three_body.tactician_interval"] = "2" })
  t.eq({ changes[1], changes[2], changes[3] }, { "FALLBACK", "EMERGENCY", "EXECUTION" })
  t.eq(offered[6], "press_key")
end

function tests.inherited_tools_lose_report_completion_when_the_phase_leaves_verification()
  local reports = {}
  local changes, offered = play(6, function(n, text)
    reports[n] = text
    if n == 1 then return orders("VERIFICATION", "press_key report_completion") end
    if n == 2 then return orders "EXECUTION_AGAIN" end
    if n == 3 then return orders "VERIFICATION" end
    return null_run.calls({}, "All is well.")
  end, { ["three_body.tactician_interval"] = "2" })
  t.eq(changes, { "VERIFICATION", "EXECUTION_AGAIN", "VERIFICATION" })
  t.eq({ offered[1], offered[2], offered[4] }, { "press_key report_completion give_up", "press_key",
    "press_key report_completion give_up" })
  t.has(reports[3], "The phase EXECUTION_AGAIN does not verify the result, so report_completion was taken")
end

function tests.an_executor_that_wants_to_report_completion_is_answered_by_the_tactician()
  local asked, heard = 0, {}
  local mission = { task = "Press shift.", policy = "three_body", limits = { turns = 9, seconds = 60 } }
  local run, events = null_run.play(mission,
    { flags = { ["model.calls_per_minute"] = 0, ["three_body.tactician_interval"] = 50 }, model = function(request)
      if request.persona == "strategist" then return null_run.calls({}, "1. MISSION RESTATEMENT") end
      if request.persona == "tactician" then
        asked = asked + 1
        heard[asked] = told.words(request)
        return orders(asked == 1 and "EXECUTION" or "VERIFICATION", "press_key")
      end
      return null_run.calls { { "report_completion", { evidence = ("The screen shows it. "):rep(10) } } }
    end })
  t.eq(run.outcome.status, "claimed")
  t.eq({ run.turn, asked }, { 2, 2 }, "on the turn after it, not at the next interval")
  t.has(heard[2], "report_completion is not among the tools of this phase")
  t.eq(#null_run.only(events, "phase_change"), 2)
end

function tests.both_rationales_are_kept()
  local _, _, events = play(1, function() return orders("EXECUTION", "press_key") end)
  local change = null_run.only(events, "phase_change")[1]
  t.eq({ change.rationale, change.tools_rationale }, { "why EXECUTION", "why these tools" })
  _, _, events = play(1, function()
    return null_run.calls { { "update_phase_tools", { tool_names = { "press_key" }, rationale = "only tools" } } }
  end)
  change = null_run.only(events, "phase_change")[1]
  t.eq({ change.rationale, change.tools_rationale }, { "only tools" })
end

function tests.the_tactician_is_asked_on_the_first_turn_of_a_goal_however_its_turns_are_counted()
  local asked = 0
  local _, events = null_run.play({ task = "Press shift.", policy = "three_body", limits = { turns = 6, seconds = 60 },
    turn_start = function(m)
      if m.turn == 1 then m:achieve("Something else", { policy = "three_body" }) end
    end }, { flags = { ["model.calls_per_minute"] = 0, ["three_body.tactician_interval"] = 50 },
    model = function(request)
      if request.persona == "strategist" then return null_run.calls({}, "1. MISSION RESTATEMENT") end
      if request.persona == "tactician" then
        asked = asked + 1
        return orders(asked == 1 and "VERIFICATION" or "EXECUTION", "press_key")
      end
      if asked == 1 then
        return null_run.calls { { "report_completion", { evidence = ("The screen shows it. "):rep(10) } } }
      end
      return null_run.calls { { "press_key", { key = "shift", justification = "Shift is to be pressed." } } }
    end })
  local changes = {}
  for i, event in ipairs(null_run.only(events, "phase_change")) do changes[i] = { event.goal or "own", event.to } end
  t.eq(changes, { { "1.1", "VERIFICATION" }, { "own", "EXECUTION" } })
end

return tests
