--- Success criteria: what a sentence quotes, which evidence belongs to which criterion, and what of a Strategist's
--- answer they are read from. How they are compared with a real screen is in tests/e2e/test_success_criteria.lua.
local t = require "harness"
local configured = require "configured"
local criteria = require "deskpilot.agent.criteria"
local desk_module = require "deskpilot.desk"
local doctrine = require "deskpilot.policies.three_body.doctrine"
local json = require "deskpilot.base.json"
local run_module = require "deskpilot.agent.run"

local tests = {}

function tests.what_a_sentence_quotes()
  for sentence, want in pairs {
    ['The display shows "42".'] = { "42" },
    ["It doesn't show 'Save As', but 'Open'."] = { "Save As", "Open" },
    ["The users' own 'x' and Bob's 'y'"] = { "x", "y" },
    ["“Straße”, „Größe“, «à» and `code`"] = { "Straße", "Größe", "à", "code" },
    ['"one" and "one"'] = { "one" },
    ['the field "Name" = ""; "OK" is there'] = { "Name", "OK" },
    ['it says "say \\"hi\\""'] = { 'say "hi"' },
    ["nothing at all"] = {},
    ["an inch is 1\" wide"] = {},
  } do
    t.eq(criteria.quoted(sentence), want, sentence)
  end
end

function tests.lists_of_models_are_bounded()
  local many = {}
  for i = 1, 50 do many[i] = ("x"):rep(1000) end
  local list = criteria.clean(many)
  t.eq({ #list, utf8.len(list[1]) }, { criteria.most, 303 })
  t.eq(criteria.clean { "a\nb", "", "  ", 7, {}, json.null, "c" }, { "a b", "c" })
  t.eq(criteria.numbered { "a", "b" }, "1. a\n2. b")
end

-- A run on a desktop that is only imagined: it has no elements and no text.
local function new_run(mission)
  local config, toolbox = configured.defaults()
  local run = run_module.new { mission = mission or {}, config = config, toolbox = toolbox,
    dir = { path = "/nowhere" }, listeners = {},
    desk = assert(desk_module.open { backend = "null", width = 800, height = 600 }) }
  return run
end

local list = { "The letter is saved in the folder.", "The printer is ready for work.", "The mail is sent to Ada." }

local function compare(evidence)
  local run = new_run()
  local shown, why = criteria.compare(run, list, evidence)
  run.desk:close()
  return shown or why, run.goal.unmet
end

function tests.evidence_is_for_one_criterion_each()
  t.eq(compare { "I see the letter there", "Its lamp is green now", "The list of mails has it" },
    "1. The letter is saved in the folder: I see the letter there; 2. The printer is ready for work: Its lamp is "
    .. "green now; 3. The mail is sent to Ada: The list of mails has it")
  local why, unmet = compare { "I see the letter there", "yes", "The mail is sent to Ada." }
  t.eq(why, "there is no evidence for criteria 2 and 3", "a word, and a repetition, show nothing")
  t.eq(unmet, { [2] = "there is no evidence", [3] = "there is no evidence" })
  t.eq(compare {}, "there is no evidence for criteria 1, 2 and 3")
end

function tests.one_text_is_taken_apart()
  for _, all in ipairs {
    "1. I see the letter there 2. Its lamp is green now 3. The list of mails has it",
    "1) I see the letter there\n2) Its lamp is green now\n3) The list of mails has it",
    "- I see the letter there\n- Its lamp is green now\n- The list of mails has it\n",
  } do
    t.has(compare(all), "2. The printer is ready for work: Its lamp is green now; 3.", all)
    t.has(compare { all }, "3. The mail is sent to Ada: The list of mails has it", all)
  end
  t.eq(compare "The letter was saved in its folder, and the mail was sent.", "there is no evidence for criterion 2")
end

function tests.a_check_of_the_missions_comes_before_criteria()
  local run = new_run()
  t.eq(criteria.to_show(run), nil)
  run.goal.criteria = {}
  t.eq(criteria.to_show(run), nil)
  run.goal.criteria = list
  t.eq(criteria.to_show(run), list)
  run.goal.verify = function() end
  t.eq(criteria.to_show(run), nil)
  run.desk:close()
end

-- --- the Strategist's answer ---------------------------------------------------------------------------------

local function read(args)
  return doctrine.read { content = "", tool_calls = {}, calls = { { name = "write_doctrine", args = args } } }
end

local function prose(words)
  return doctrine.read { content = words, tool_calls = {}, calls = {} }
end

function tests.a_doctrine_as_data()
  local written = assert(read { mission = "Write a letter.", phases = { "OPEN: ...", "WRITE: ..." }, risks = {},
    directives = "Be quick.", success_criteria = { "The title is \"letter\"", "2. It is saved" } })
  t.eq(written.text, "MISSION RESTATED\nWrite a letter.\n\nPHASES\n- OPEN: ...\n- WRITE: ...\n\nDIRECTIVES\nBe quick.")
  t.eq(written.criteria, { 'The title is "letter"', "It is saved" })
end

function tests.what_small_models_make_of_it()
  t.eq(read({ success_criteria = "- one\n- two" }).criteria, { "one", "two" })
  local written = assert(read { phases = { { name = "OPEN", goal = "open it" } }, risks = "none", extra = 5,
    mission = { "a", "b" }, success_criteria = json.null })
  t.eq(written.text, "MISSION RESTATED\na\nb\n\nPHASES\n- goal: open it; name: OPEN\n\nRISKS\n- none")
  t.eq(written.criteria, {})
  t.has(select(2, read {}), "nothing in it")
  t.has(select(2, prose ""), "neither a call nor a word")
  t.has(select(2, doctrine.read { content = "", tool_calls = {}, calls = { { name = "write_doctrine",
    error = "cut off" } } }), "cut off")
end

function tests.criteria_in_prose()
  for words, want in pairs {
    ["Plan.\nSUCCESS CRITERIA\nOne is there\nTwo is there\n"] = { "One is there", "Two is there" },
    ["7. Success criteria:\n1. One\n2) Two\n\nGood luck with it!"] = { "One", "Two" },
    ["### Success Criteria\n- **One**: yes\n* Two\n### Risks\n- Three"] = { "One: yes", "Two" },
    ["SUCCESS CRITERIA: One; Two"] = { "One", "Two" },
    ["**Success criteria:**\n\n- One\n\n**Directives:**\n- Two"] = { "One" },
    ["CRITERIA FOR SUCCESS\r\n- One\r\n6. DIRECTIVES\r\nTwo"] = { "One" },
    ["There are criteria for success, but they are not listed.\n- One"] = {},
    ["Just do it."] = {},
  } do
    local written = assert(prose(words))
    t.eq(written.criteria, want, words)
    t.eq(written.text, words:match("^%s*(.-)%s*$"))
  end
  t.eq(prose("<think>SUCCESS CRITERIA\n- no</think>Plan.").text, "Plan.")
end

return tests
