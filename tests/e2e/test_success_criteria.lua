--- The Strategist's success criteria: where they come from, who is told of them, and that a claim of completion is
--- compared with them and with the screen where the mission has no check of its own. A real calculator, and models over
--- HTTP.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local play = require "three_body_play"
local spawn = require "spawn"

local tests = {}

local shows_77 = 'The display of the calculator shows "77".'
local not_hidden = "No other program hides the keys."
local seen_77 = 'In the field at the top of the window I read "77", which is the number that was asked for.'
local seen_keys = "The keys from 0 to 9 can be seen side by side, and nothing lies over them."

-- The Tactician hands out the keys on turn 1 and the claim from the third look on.
local function tactician(_, n)
  if n == 1 then return play.orders("EXECUTION", { "click_element" }) end
  if n == 3 then return play.orders("VERIFICATION", { "report_completion" }) end
  return model_server.reply_text "All is well."
end

local each_turn = { "--set", "three_body.tactician_interval=1" }

-- Clicks 7 twice and then claims, with what claims(n, request) gives as evidence.
local function executor(claims)
  return function(request, n)
    if n <= 2 then return play.click(request, "7") end
    return play.claim(claims(n - 2, request))
  end
end

function tests.a_claim_needs_evidence_that_the_screen_agrees_with()
  local told = {}
  local played = play.play { flags = each_turn, tactician = tactician,
    strategist = function() return play.doctrine { shows_77, not_hidden } end,
    executor = executor(function(n, request)
      told[n] = select(2, play.words(request))
      if n == 1 then return { seen_77 .. " I am sure of that, as I have looked at it twice.", "" } end
      if n == 2 then return { (seen_77:gsub("77", "99")), seen_keys } end
      return { seen_77, seen_keys }
    end) }
  t.eq(played.result.status, "claimed", played.result.reason)
  t.eq(played.result.reason, ("1. %s: %s; 2. %s: %s"):format(shows_77:sub(1, -2), seen_77, not_hidden:sub(1, -2),
    seen_keys))
  local claims = played:actions "report_completion"
  t.eq(#claims, 3)
  t.has(claims[1].text, "NOT ACCEPTED: there is no evidence for criterion 2.")
  t.has(claims[2].text, 'criterion 1: "99" is not on the screen')
  t.has(told[2], "there is no evidence for criterion 2")
  t.has(told[3], '"99" is not on the screen')
  local guards = 0
  for _, event in ipairs(played.events) do
    if event.event == "guard" and event.name == "criteria" then guards = guards + 1 end
  end
  t.eq(guards, 2, "both refusals are in the journal")
end

function tests.a_result_that_is_not_there_cannot_be_claimed()
  local played = play.play { flags = each_turn, tactician = tactician, turns = 6,
    strategist = function() return play.doctrine { 'The display of the calculator shows "4711".' } end,
    executor = executor(function(n)
      return { n % 2 == 1 and "The display of the calculator shows 4711, which is the right result; the window is in "
        .. "front and there is no error to be seen anywhere." or 'The window "galculator" is in front and its display '
        .. "shows the right result of the work, so that nothing else is left to do here." }
    end) }
  t.ok(played.result.status ~= "claimed", played.result.reason)
  for _, claim in ipairs(played:actions "report_completion") do
    t.has(claim.text, 'criterion 1: it asks for "4711", which is not on the screen')
  end
  t.ok(#played:actions "report_completion" >= 2)
end

function tests.a_criterion_that_was_guessed_wrongly_can_be_worded_anew()
  local offered = {}
  local played = play.play { flags = each_turn,
    strategist = function() return play.doctrine { 'The message "Calculation finished" is shown.' } end,
    tactician = function(request, n)
      offered[n] = play.tool(request, "revise_criterion") ~= nil
      if n == 4 then
        return play.calls({ "revise_criterion", { rationale = "The display shows the number; this calculator has no "
          .. "messages.", number = 7, criterion = "Everything is fine." } })
      elseif n == 5 then
        t.has(select(2, play.words(request)), "criterion 7 did not refuse the last claim")
        return play.calls({ "revise_criterion", { rationale = "The display shows the number; this calculator has no "
          .. "messages.", number = 1, criterion = shows_77 } })
      end
      return tactician(request, n)
    end,
    executor = executor(function() return { seen_77 .. " The calculator says nothing else." } end) }
  t.eq(played.result.status, "claimed", played.result.reason)
  t.eq({ offered[1], offered[3], offered[4], offered[5] }, { false, false, true, true })
  local claims = played:actions "report_completion"
  t.has(claims[1].text, 'it asks for "Calculation finished", which is not on the screen')
  t.eq(#claims, 3)
  t.has(played.result.reason, shows_77:sub(1, -2))
end

-- Long ones, and more than the doctrine's part of a request holds.
local function long_criteria()
  local list = {}
  for i = 1, 5 do list[i] = ("Sign %d: the display shows %s."):format(i, ("a long row of digits "):rep(10)) end
  return list
end

function tests.all_of_them_reach_who_verifies_and_no_one_else()
  local list = long_criteria()
  local played = play.play { turns = 3, tactician = tactician,
    flags = { "--set", "three_body.tactician_interval=1", "--set", "history.doctrine_chars=10" },
    mission = "verify = function() return false, 'not yet' end,",
    strategist = function() return play.doctrine(list) end,
    executor = executor(function() return seen_77 .. " The window is in front and nothing covers it." end) }
  local requests = played:asked "executor"
  t.eq(#requests, 3)
  for n, request in ipairs(requests) do
    local _, words = play.words(request)
    for i, criterion in ipairs(list) do
      local told = words:find(("%d. %s"):format(i, criterion), 1, true) ~= nil
      t.eq(told, n == 3, ("request %d, criterion %d"):format(n, i))
    end
  end
  t.eq(play.tool(requests[3], "report_completion").parameters.properties.evidence.type, "string",
    "the mission's own check decides, so that the evidence is a text as before")
  t.has(played:actions("report_completion")[1].text, "not yet")
  for _, request in ipairs(played:asked "tactician") do
    for _, criterion in ipairs(list) do t.has(select(2, play.words(request)), criterion) end
  end
end

function tests.without_a_check_of_the_missions_each_is_asked_for()
  local played = play.play { turns = 3, tactician = tactician, flags = each_turn,
    strategist = function() return play.doctrine { shows_77, not_hidden } end,
    executor = executor(function() return { "1. " .. seen_77 .. " 2. " .. seen_keys } end) }
  local evidence = play.tool(played:asked("executor")[3], "report_completion").parameters.properties.evidence
  t.eq({ evidence.type, evidence.items }, { "array", { type = "string" } })
  t.has(evidence.description, "2 texts, one for each of the SUCCESS CRITERIA")
  t.eq(played.result.status, "claimed", "one text that numbers its parts is taken apart: " .. played.result.reason)
end

function tests.prose_is_a_doctrine_too()
  local prose = "## 1. MISSION RESTATEMENT\nThe calculator shows 77.\n\n## 5. OPERATIONAL RISKS\nNone.\n\n"
    .. "**SUCCESS CRITERIA**\n- " .. shows_77 .. "\n* **" .. not_hidden .. "**\n\n## 6. DIRECTIVES\nBe quick."
  local played = play.play { turns = 3, tactician = tactician, flags = each_turn,
    strategist = function() return model_server.reply_text(prose) end,
    executor = executor(function() return { seen_77, seen_keys } end) }
  t.eq(played.result.status, "claimed", played.result.reason)
  local _, words = play.words(played:asked("tactician")[1])
  t.has(words, prose)
  t.has(words, ("SUCCESS CRITERIA (at the end all of this is on the screen):\n1. %s\n2. %s\n"):format(shows_77,
    not_hidden))
end

function tests.an_answer_that_cannot_be_read_is_asked_for_again()
  local told
  local played = play.play { turns = 1, tactician = tactician, executor = executor(function() return {} end),
    strategist = function(request, n)
      if n == 1 then return model_server.reply_tool("write_doctrine", '{"mission": "Show 77", "phases": ["EXEC') end
      local content = request.messages[#request.messages].content
      told = type(content) == "table" and content[1].text or content
      return play.doctrine { shows_77 }
    end }
  t.eq(#played:asked "strategist", 2)
  t.has(told, "This answer cannot be used")
  t.has(select(2, play.words(played:asked("tactician")[1])), "1. " .. shows_77)
end

-- The stand-in for a model takes them from the expectations that its task ends with.
function tests.literal_claims_what_its_task_expects()
  local folder = spawn.folder()
  local path = files.join(folder, "m.lua")
  assert(files.write(path, [[return { task = 'Click "7", click "*", click "6", click "=", then expect "42".',
    desktop = { kind = "private", size = { 1280, 800 }, apps = { { "galculator" } } }, limits = { turns = 20 } }]]))
  local child = spawn.run({ spawn.program, "run", path, "--json", "--runs", folder .. "/runs", "--model", "literal" },
    { cwd = folder })
  local result = t.ok(json.decode(child.stdout), child.stderr)
  t.eq(result.status, "claimed", result.reason)
  t.has(result.reason, '1. "42" is on the screen: All 5 steps were carried out')
  files.remove(folder)
end

return tests
