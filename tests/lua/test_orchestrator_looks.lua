--- What the policy orchestrator asks for and writes down for itself, on a desktop that is only imagined: its
--- information tools, and its notes from one iteration to the next.
local t = require "harness"
local manager_play = require "manager_play"
local play = require "orchestrator_play"

local tests = {}

local key = { { "press_key", { key = "home" } } }

-- Plays one goal whose answers come in this order, the last one again and again; each may be a function(request).
local function answered(list, flags, mission)
  return manager_play.play({ nobody = function(request, n)
    local answer = list[math.min(n, #list)]
    if type(answer) == "function" then return answer(request) end
    return answer
  end }, { task = "x", policy = "orchestrator", after_action = mission and mission.after_action,
    observed = mission and mission.observed }, { flags = flags })
end

-- The pictures of a request, each as it was sent.
local function pictures(request)
  local list = {}
  for _, message in ipairs(request.messages) do
    for _, part in ipairs(type(message.content) == "table" and message.content or {}) do
      if part.image_url then list[#list + 1] = part.image_url.url end
    end
  end
  return list
end

local function stuck() return play.decide { status = "stuck", status_why = "That was all." } end

-- The commands of an iteration with notes.
local function noting(reflection, commands)
  return play.decide { commands = commands or key, reflection = reflection }
end

-- --- information ----------------------------------------------------------------------------------------------------

function tests.what_may_be_another_on_the_same_screen_is_asked_again()
  local recall = play.ask { "recall_history" }
  local played = answered { play.decide { commands = { { "press_key", { key = "f1" } } } }, recall,
    play.decide { commands = { { "press_key", { key = "f2" } } } }, recall, function(request)
      t.has(play.results(request)[1], 'press_key("f2") -> ')
      return stuck()
    end }
  t.eq(played.run.result.tools.recall_history, { asked = 2, useful = 2, redundant = 0, cached = 0 })
end

function tests.only_one_iteration_after_the_other_is_running()
  local recall, go_on = play.ask { "recall_history" }, play.decide { commands = key }
  local played = answered { recall, go_on, recall, go_on, go_on, recall, go_on, stuck }
  t.eq(played.run.result.tools.recall_history.redundant, 0)
end

function tests.three_are_answered_and_the_next_is_told_so()
  local played = answered { play.ask({ "recall_history", { steps = 1 } }, { "recall_history", { steps = 2 } },
    { "recall_history", { steps = 3 } }, { "recall_history", { steps = 4 } }), function(request)
      local found = play.results(request)
      t.ok(not found[3]:find("are spent", 1, true), found[3])
      t.has(found[4], "the look-ups of this turn are spent (limits.lookups = 3)")
      return stuck()
    end }
  t.eq(played.run.result.lookups, 3)
end

function tests.what_has_changed_and_the_look_before()
  local played = answered { play.decide { commands = key },
    play.ask({ "verify_action_result", { expect = { "Elsewhere" } } }), function(request)
      local found = play.results(request)[1]
      t.has(found, 'NO: not on the screen is "Elsewhere"\n')
      t.has(found, "SCREEN: nothing that is told in words has changed")
      return stuck()
    end }
  t.eq(played.run.result.tools.verify_action_result.asked, 1)
end

function tests.the_look_before_is_another_picture()
  local played = answered({ play.decide { commands = key },
    play.ask({ "take_screenshot" }, { "view_previous_screenshot" }), function(request)
      local sent = pictures(request)
      t.ok(#sent == 3 and sent[2] ~= sent[3], #sent .. " pictures, the last as the screen was before")
      return stuck()
    end }, nil, { after_action = function(m) assert(m.desk.windows.minimize(assert(m.desk.windows.active()))) end })
  t.eq(played.run.result.pictures, 2)
end

function tests.markers_are_drawn_on_a_look_of_now()
  local played = answered { play.ask { "refresh_som_markers" }, function(request)
    t.ok(play.has_picture(request), "the picture goes along")
    return stuck()
  end }
  local looks = 0
  for _, event in ipairs(played.events) do looks = looks + (event.event == "observed" and 1 or 0) end
  t.eq(looks, 2, "the iteration's own, and the one that was asked for")
end

-- The same screen with other elements on it: what differs in the pictures is what was drawn on them.
function tests.markers_are_drawn_at_the_elements()
  local function picture_with(x)
    local picture
    answered({ play.ask { "refresh_som_markers" }, function(request)
      local sent = pictures(request)
      picture = sent[#sent]
      return stuck()
    end }, nil, { observed = function(m)
      m.observation.elements = { { number = 1, index = 1, role = "push button", name = "Save", states = {},
        norm = { 1, 1 }, x = x, y = 40, width = 60, height = 30 } }
    end })
    return picture
  end
  local at_40, again, at_200 = picture_with(40), picture_with(40), picture_with(200)
  t.ok(at_40 and at_40 == again, "the screen itself does not change")
  t.ok(at_40 ~= at_200, "each number stands where its element is")
end

function tests.each_tool_says_what_it_is_and_may_be_told_why_it_is_asked()
  local played, count = answered { stuck() }, 0
  for _, tool in ipairs(played.requests[1].tools) do
    tool = tool["function"]
    if tool.name ~= "decide" then
      count = count + 1
      t.ok(#tool.description > 20 and tool.parameters.properties.justification, tool.name)
    end
  end
  t.eq(count, 8)
end

function tests.the_screen_is_told_in_words_where_there_are_any()
  local function seeing(elements)
    return answered({ stuck() }, nil, { observed = function(m) m.observation.elements = elements end })
  end
  local played = seeing { { number = 1, index = 1, role = "push button", name = "Save", states = {}, norm = { 1, 1 },
    x = 1, y = 1, width = 60, height = 30 } }
  t.eq(#pictures(played.requests[1]), 0)
  t.has(play.words(played.requests[1]), 'push button "Save"')
  t.eq(#pictures(seeing({}).requests[1]), 1, "else by a picture")
end

-- --- notes ----------------------------------------------------------------------------------------------------------

function tests.each_of_its_notes_is_told()
  answered { noting { focus = "the menu", avoid = "the toolbar", hypothesis = "it is hidden",
    guidance_for_next = "open Extras" }, function(request)
      t.has(play.words(request), "YOUR NOTES FROM THE ITERATION BEFORE:\n- focus: the menu\n- avoid: the toolbar\n"
        .. "- hypothesis: it is hidden\n- guidance: open Extras")
      return stuck()
    end }
end

local miss = { { "focus_window", { title = "Elsewhere" } } }

function tests.a_focus_is_overridden_when_it_has_failed_more_than_twice()
  local played = answered({ noting({ focus = "Find the window Nowhere" }, miss),
    noting({ focus = "find the window nowhere" }, miss), function(request)
      t.ok(not play.words(request):find("OVERRIDDEN", 1, true), "twice is not too often")
      return noting({ focus = "Find the window Nowhere.", guidance_for_next = "try once more" }, miss)
    end, function(request)
      local words = play.words(request)
      t.has(words, "SYSTEM NOTE: OVERRIDDEN: 3 iterations with the focus")
      t.ok(not words:find("try once more", 1, true), "its notes are gone")
      return noting { detecting_loop = true, loop_reasoning = "thrice the same" }
    end, function(request)
      t.has(play.words(request), "SYSTEM NOTE: You say that you repeat yourself: thrice the same.")
      return play.decide { commands = key }
    end, function(request)
      t.ok(not play.words(request):find("SYSTEM NOTE", 1, true), "it is told once")
      return stuck()
    end }, { ["orchestrator.failures"] = 9 })
  t.eq(played.run.outcome.status, "failed")
  t.has(played:only "iteration"[3].system_note, "OVERRIDDEN")
end

function tests.a_focus_that_leads_on_is_kept()
  local go_on = noting { focus = "Go through the form" }
  local played = answered { go_on, go_on, go_on, go_on, function(request)
    t.has(play.words(request), "- focus: Go through the form")
    return stuck()
  end }
  for _, event in ipairs(played:only "iteration") do t.eq(event.system_note, nil) end
end

function tests.another_focus_begins_anew()
  local played = answered({ noting({ focus = "Find the window Nowhere" }, miss),
    noting({ focus = "Find the window Nowhere" }, miss), noting({ focus = "Use the menu Extras" }, miss),
    function(request)
      t.ok(not play.words(request):find("OVERRIDDEN", 1, true))
      return stuck()
    end }, { ["orchestrator.failures"] = 9 })
  t.eq(played:only "iteration"[3].system_note, nil)
end

return tests
