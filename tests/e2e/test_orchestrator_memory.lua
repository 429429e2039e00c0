--- What the policy orchestrator asks for, keeps in mind and writes down for itself: information tools, extracted data,
--- experiences and notes, with a scripted model over HTTP and a real application.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local odev_play = require "odev_play"
local play = require "orchestrator_play"

local tests = {}

local question, editor, empty_note = odev_play.question, odev_play.editor, odev_play.empty_note
local nothing = { { "press_key", { key = "home" } } }

-- The model's answers in their order, the last one again and again.
local function in_order(list)
  return function(request, n, folder)
    local answer = list[math.min(n, #list)]
    if type(answer) == "function" then return answer(request, folder) end
    return answer
  end
end

local function stuck() return play.decide { status = "stuck", status_why = "That was all." } end

local function contains(list, name)
  for _, other in ipairs(list) do
    if other == name then return true end
  end
  return false
end

function tests.information_tools_are_offered_by_their_group()
  local played = play.play { mission = question, agent = in_order {
    function(request)
      local offered = play.offered(request)
      for _, name in ipairs { "inspect_page", "take_screenshot", "recall_history", "extract_data", "check_page_ready",
        "refresh_som_markers", "verify_action_result", "view_previous_screenshot", "find_out" } do
        t.ok(contains(offered, name), name .. " is offered")
      end
      return play.ask({ "find_out", { justification = "curious" } }, { "inspect_page", { contains = "OK" } },
        { "check_page_ready" })
    end,
    function(request)
      local found = play.results(request)
      t.has(found[1], "found out")
      t.ok(found[2]:find 'push button "OK"', found[2])
      t.ok(not found[2]:find "Cancel", "only what was asked for")
      t.has(found[3], "READY: the screen is quiet")
      return play.decide { commands = nothing }
    end,
    function()
      return play.ask({ "recall_history" }, { "verify_action_result", { expect = json.list { "OK", "Elsewhere" } } },
        { "view_previous_screenshot" })
    end,
    function(request)
      local found = play.results(request)
      t.has(found[1], 'press_key("home") -> pressed home')
      t.has(found[2], 'NO: not on the screen is "Elsewhere"')
      t.ok(play.has_picture(request), "the screenshot of the look before")
      return stuck()
    end,
  }, before = function(folder)
    assert(files.make_folder(folder .. "/deskpilot/tools"))
    assert(files.write(folder .. "/deskpilot/tools/find_out.lua", [[
return { api = 1, name = "find_out", group = "information", description = "Find out.", acts = false, looks = true,
  parameters = { type = "object", properties = { justification = { type = "string" } } },
  run = function() return "found out" end }
]]))
  end }
  local first = played:all "iteration"[1]
  t.eq(first.tools[1], { tool = "find_out", why = "curious", ok = true })
  local account = played.result.task_result
  t.eq(account.tools.find_out, { asked = 1, useful = 1, redundant = 0, cached = 0 })
  t.eq(account.tools.recall_history, { asked = 1, useful = 1, redundant = 0, cached = 0 })
  t.eq({ account.lookups, account.pictures > 0, account.picture_tokens > 50 }, { 6, true, true })
  played:close()
end

function tests.what_was_given_is_not_given_again()
  local look = { "inspect_page", { contains = "OK" } }
  local played = play.play { mission = question, flags = { "--set", "orchestrator.failures=9" }, agent = in_order {
    play.ask({ "inspect_page" }, look, look),
    function(request)
      local found = play.results(request)
      t.has(found[1], "NOT ASKED: the message lists all that there is on the screen already")
      t.has(found[2], "OK")
      t.has(found[3], "NOT ASKED: it was given in this iteration already")
      return play.decide { commands = nothing }
    end,
    function(request)
      t.ok(not contains(play.offered(request), "inspect_page"), "it is withheld for an iteration")
      return play.ask(look)
    end,
    function(request)
      t.has(request.messages[#request.messages].content, "inspect_page is withheld in this iteration")
      return play.decide { commands = nothing }
    end,
    play.ask(look),
    function(request)
      t.ok(contains(play.offered(request), "inspect_page"), "it is back")
      t.has(play.results(request)[1], "OK")
      return stuck()
    end,
  } }
  local account = played.result.task_result
  t.eq({ account.tools.inspect_page.asked, account.tools.inspect_page.redundant }, { 4, 2 })
  t.eq(account.redundant, 2)
  played:close()
end

function tests.a_long_answer_is_told_in_part_and_a_large_context_is_warned_of()
  local played = play.play { mission = editor, before = empty_note, flags = { "--set", "orchestrator.result_chars=200",
    "--set", "orchestrator.interactive=1", "--set", "orchestrator.warn_tokens=500" }, agent = in_order {
    function(request)
      local words = play.words(request)
      t.ok(words:find 'menu "File"' and not words:find 'menu "Edit"', "one interactive element is told of")
      t.has(words, "more elements, which seem to matter less, are not listed")
      return play.ask { "inspect_page" }
    end,
    function(request)
      local found = play.results(request)[1]
      t.ok(found:find "%(%d+ of %d+ lines; ask for the others by what they contain%)", found)
      t.ok(#found < 400, #found)
      return play.ask({ "inspect_page", { contains = "Edit" } })
    end,
    function(request)
      t.has(play.results(request)[2], 'menu "Edit"')
      return play.decide { commands = nothing }
    end,
    stuck() } }
  local _, warnings = played:notes():gsub("tokens, more than 500 %(orchestrator.warn_tokens%): ", "")
  t.eq(warnings, 1, played:notes())
  t.ok(played:notes():find "screen %d+, system %d+, tools %d+", "by its parts")
  played:close()
end

function tests.pictures_use_up_no_look_ups()
  local played = play.play { mission = question, agent = in_order {
    play.decide { commands = nothing },
    play.ask({ "take_screenshot" }, { "view_previous_screenshot" }),
    play.ask({ "inspect_page", { contains = "OK" } }, { "recall_history" }, { "check_page_ready" }),
    function(request)
      local found = play.results(request)
      for i, words in ipairs { "a picture of the screen, ", "a picture of the screen as it was", "OK", "press_key",
        "READY" } do
        t.has(found[i] or "", words)
      end
      t.has(found[1], " pixels, about ")
      return play.decide { commands = nothing }
    end,
    play.ask { "refresh_som_markers" },
    function(request)
      t.has(play.results(request)[1], 'push button "OK"')
      t.ok(play.has_picture(request), "with their numbers in a picture")
      return stuck()
    end } }
  local looked = played:all "iteration"[2].tools
  t.eq(#looked, 5)
  for i = 1, 2 do
    t.eq(looked[i].pictures, 1)
    t.ok((looked[i].tokens or 0) > 50, "with what it costs")
  end
  local account = played.result.task_result
  local marked = played:all "iteration"[3].tools[1]
  t.has(played:all "lookup"[1].text, (", about %d tokens"):format(looked[1].tokens), "what it costs is told")
  t.eq({ account.pictures, account.picture_tokens, account.redundant },
    { 3, looked[1].tokens + looked[2].tokens + marked.tokens, 0 })
  t.has(played.child.stderr, ("(pictures: %d tokens)"):format(looked[1].tokens))
  played:close()
end

function tests.the_same_screen_is_not_looked_at_twice_and_no_tool_three_times_running()
  local look, wait = play.ask({ "take_screenshot" }), { { "wait", { seconds = 0.1 } } }
  local played = play.play { mission = question, agent = in_order { look,
    function(request)
      t.ok(play.has_picture(request), "the screenshot goes along")
      return play.decide { commands = wait }
    end,
    look,
    play.decide { commands = wait },
    look,
    function(request)
      t.has(play.results(request)[1], "NOT ASKED: it was asked in 3 iterations running")
      return stuck()
    end } }
  local account = played.result.task_result.tools.take_screenshot
  t.eq(account.asked, 3)
  t.eq(account.redundant, 1)
  t.eq(account.cached, 1, "the screen had not changed: " .. played.child.stderr)
  played:close()
end

function tests.what_is_extracted_is_a_value_of_commands()
  local inspect = { "inspect_page", { contains = "Number" } }
  local played = play.play { mission = editor, before = empty_note, agent = in_order {
    play.decide { commands = { { "type_text", { text = "Number: 4711\n" } } } },
    play.ask({ "extract_data", { name = "number", after = "Number:" } }, inspect),
    function(request)
      t.has(play.results(request)[1], "kept ${number} = 4711")
      t.has(play.results(request)[2], "Number: 4711")
      return play.decide { commands = { { "type_text", { text = "${nothing}" } } } }
    end,
    function(request)
      t.has(request.messages[#request.messages].content, "there is no value ${nothing}")
      return play.decide { commands = { { "type_text", { text = "hello ${number}\n" } },
        { "press_key", { key = "ctrl+s" } } } }
    end,
    function(request)
      t.has(play.words(request), "MEMORY:\n  ${number} = 4711")
      return play.ask(inspect)
    end,
    function(request)
      t.has(play.results(request)[1], "hello 4711", "what was found on another screen is not given again")
      return play.decide { status = "complete" }
    end } }
  t.eq(played.result.task_result.tools.inspect_page.cached, 0)
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq(files.read(played.folder .. "/note.txt"), "Number: 4711\nhello 4711\nfirst\n")
  played:close()
end

function tests.experiences_are_kept_once()
  local played = play.play { mission = question, agent = in_order {
    play.decide { commands = nothing, learned = { "The form wants a whole sentence." } },
    play.decide { commands = nothing, learned = { "the form wants a whole sentence", "Tab goes to the next field." } },
    function(request)
      local words = play.words(request)
      t.has(words, "Learned:\n  - The form wants a whole sentence.\n  - Tab goes to the next field.")
      return stuck()
    end } }
  t.eq(#played:all "memory", 2)
  played:close()
end

function tests.a_focus_that_fails_too_often_is_taken_away()
  local miss = { { "focus_window", { title = "Nowhere" } } }
  local function try(focus)
    return play.decide { commands = miss, reflection = { focus = focus, guidance_for_next = "try once more" } }
  end
  local played = play.play { mission = question, flags = { "--set", "orchestrator.failures=9" }, agent = in_order {
    try "Find the window Nowhere", try "find the window nowhere", try "Find the window Nowhere.",
    function(request)
      local words = play.words(request)
      t.has(words, "SYSTEM NOTE: OVERRIDDEN: 3 iterations with the focus")
      t.ok(not words:find("try once more", 1, true), "its notes are gone")
      return play.decide { commands = nothing, reflection = { detecting_loop = true,
        loop_reasoning = "thrice the same" } }
    end,
    function(request)
      t.has(play.words(request), "SYSTEM NOTE: You say that you repeat yourself: thrice the same.")
      return stuck()
    end } }
  t.has(played:all "iteration"[3].system_note, "OVERRIDDEN")
  played:close()
end

return tests
