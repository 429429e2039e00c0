--- The policy odev on desktop windows as long as all goes well: against a scripted planner over HTTP and real
--- applications, judged by the journal's order of states and by what the applications wrote.
local t = require "harness"
local files = require "deskpilot.base.files"
local play = require "odev_play"

local tests = {}

local editor, question, empty_note = play.editor, play.question, play.empty_note
local anchor = { application = "mousepad", title = "note.txt" }

function tests.a_step_is_planned_done_verified_and_the_goal_is_reached_without_vision()
  local played = play.play { mission = editor, before = empty_note, planner = function()
    return play.plan { anchor = anchor, indicators = { "hello" }, completes_goal = true, actions = {
      { tool = "type_text", args = { text = "hello " } }, { tool = "press_key", args = { key = "ctrl+s" } } } }
  end }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq(played:states(), "OBSERVE DECIDE EXECUTE VERIFY DONE")
  t.eq(files.read(played.folder .. "/note.txt"), "hello first\n")
  local result = played.result.task_result
  t.eq({ result.steps, result.verified, result.unverified, result.retries }, { 1, 1, 0, 0 })
  t.eq(result.escalations, { browser = 0, vision = 0 })
  for _, kind in ipairs { "observe", "decide", "execute", "verify" } do
    t.ok(result.seconds[kind] > 0, kind .. " took time")
  end
  t.eq(result.seconds.escalate, 0)
  t.eq(#played.requests, 1)
  t.ok(not play.has_picture(played.requests[1]), "the planner gets words only")
  t.has(play.words(played.requests[1]), "Mousepad")
  t.has(played.requests[1].messages[1].content, "type_text(element?: integer, position?: array")
  played:close()
end

function tests.a_goal_that_is_reached_already_is_not_planned_for()
  local played = play.play { mission = question .. 'indicators = { "Say something", "OK" },', planner = function()
    return play.plan { actions = { { tool = "press_key", args = { key = "escape" } } } }
  end }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq(played:states(), "OBSERVE DONE")
  t.eq(#played.requests, 0, "nobody was asked")
  t.eq(#played:actions(), 0)
  played:close()
end

-- The mission's own check decides alone where the mission names no indicators.
function tests.the_missions_check_alone_says_that_the_goal_is_reached()
  local played = play.play { mission = question .. "verify = function(m) return m.desk.windows.find "
    .. "{ title = 'Survey' } ~= nil, 'there is no question' end,", planner = function()
    return play.plan { actions = { { tool = "press_key", args = { key = "escape" } } } }
  end }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq(played:states(), "OBSERVE DONE")
  t.eq(#played.requests, 0, "nobody was asked")
  t.eq(played:why "DONE", "the mission's own check holds")
  played:close()
end

function tests.the_missions_check_is_asked_again_after_each_action()
  local played = play.play { mission = editor, before = empty_note, planner = function(_, n)
    return play.plan { anchor = anchor, actions = n == 1 and { { tool = "type_text", args = { text = "hello " } } }
      or { { tool = "press_key", args = { key = "ctrl+s" } } } }
  end }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq(played:states(), "OBSERVE DECIDE EXECUTE VERIFY OBSERVE DECIDE EXECUTE VERIFY OBSERVE DONE")
  t.eq(#played.requests, 2, "no plan said that it completes the goal, and none was asked for when it was reached")
  played:close()
end

function tests.a_dialog_comes_before_what_lies_beneath_it()
  local patient = [[ after_action = function(m, action)
    if action.args.key == "ctrl+w" then
      assert(m.desk.wait_for_element { role = "push button", name = "Don't Save", timeout = 20 })
    end
  end, ]]
  local played = play.play { mission = editor .. patient, before = empty_note, planner = function(request, n)
    if n == 1 then
      return play.plan { actions = { { tool = "type_text", args = { text = "hello " } },
        { tool = "press_key", args = { key = "ctrl+w" } } }, indicators = { "Save" } }
    elseif n == 2 then
      t.has(play.words(request), "DIALOG ON TOP: ")
      return play.plan { actions = { { tool = "click_element", args = { label = "File",
        position = play.place(request, "menu", "File") } } } }
    elseif n == 3 then
      t.has(play.words(request), "is on top of that window: deal with it first")
      t.has(play.words(request), "Don't Save")
      return play.plan { completes_goal = true, actions = { { tool = "click_element", args = {
        label = "Save", position = play.place(request, "push button", "Save") } } } }
    end
  end }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq(#played:actions "click_element", 1, "what lies beneath it was not clicked")
  t.eq(played.result.task_result.rejected, 1)
  t.eq(files.read(played.folder .. "/note.txt"), "hello first\n")
  played:close()
end

-- A model writes its arguments in the order in which the schema lists them: it is to think first.
function tests.an_answer_begins_with_its_reasons()
  local played = play.play { mission = question, planner = function()
    return play.plan { indicators = { "never to be seen" }, actions = { { tool = "press_key",
      args = { key = "shift" } } } }
  end, vision = function() return play.correct("wait", { seconds = 0.1 }) end,
    flags = { "--set", "limits.turns=2", "--set", "odev.verify_seconds=0.1", "--set", "odev.retries=0" } }
  local seen = {}
  for i, body in ipairs(played.bodies) do
    local who = play.persona(played.requests[i])
    seen[who] = body:match('"properties":{"([%w_]+)"')
  end
  t.eq(seen, { planner = "rationale", vision = "rationale" })
  played:close()
end

function tests.one_of_two_indicators_does_not_end_the_run_and_the_world_may_deny_it()
  local looks = 0
  local played = play.play {
    mission = question .. [[indicators = { "Say something", "typed" },
      verify = function(m)
        return m.denied == true, "not before it was denied once"
      end,
      guard = nil, turn_end = function(m, event) m.denied = event.turn >= 2 end,]],
    planner = function(request, n)
      looks = n
      if n == 1 then return play.plan { indicators = { "typed" }, actions = {
        { tool = "type_text", args = { text = "typed" } } } } end
      t.has(play.words(request), "not before it was denied once")
      return play.plan { actions = { { tool = "wait", args = { seconds = 0.2 } } } }
    end }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq(played:states(), "OBSERVE DECIDE EXECUTE VERIFY OBSERVE DECIDE EXECUTE VERIFY OBSERVE DONE")
  t.eq(looks, 2, "a single indicator of two was there at the first look, and the world said no at the second")
  played:close()
end

function tests.nothing_of_a_plan_is_done_if_one_action_of_it_is_wrong()
  local played = play.play { mission = editor, before = empty_note,
    planner = function(request, n)
      local actions = { { tool = "type_text", args = { text = "hello " } } }
      if n == 1 then actions[2] = { tool = "browser_click", args = { index = 4 } } end
      if n == 2 then
        t.has(play.words(request), "action 2: no page is in front")
        for i = 2, 6 do actions[i] = { tool = "press_key", args = { key = "shift" } } end
      end
      if n == 3 then
        t.has(play.words(request), "The plan was rejected and none of its actions was done")
        actions[2] = { tool = "press_key", args = { key = "ctrl+s" } }
      end
      return play.plan { actions = actions, anchor = anchor, completes_goal = true }
    end }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq(played:states(), "OBSERVE DECIDE OBSERVE DECIDE OBSERVE DECIDE EXECUTE VERIFY DONE")
  t.eq(files.read(played.folder .. "/note.txt"), "hello first\n")
  t.eq(#played:asked("vision"), 0)
  played:close()
end

function tests.a_window_that_comes_up_stops_the_batch()
  -- The editor may be slow with its dialog; a test that hurries would find out nothing.
  local patient = [[ after_action = function(m, action)
    if action.args.key == "ctrl+o" then
      assert(m.desk.wait_for_window { title = "Open File", active = true, timeout = 20 })
    end
  end, ]]
  local played = play.play { mission = editor .. patient, before = empty_note,
    planner = function(request, n)
      if n == 1 then
        return play.plan { anchor = anchor, actions = {
          { tool = "press_key", args = { key = "ctrl+o" } }, { tool = "type_text", args = { text = "hello" } } } }
      end
      if n == 2 then
        t.has(play.words(request), "1 more action was not done")
        return play.plan { anchor = anchor, actions = { { tool = "press_key", args = { key = "escape" } } } }
      end
      return play.plan { anchor = anchor, completes_goal = true, actions = {
        { tool = "type_text", args = { text = "hello " } }, { tool = "press_key", args = { key = "ctrl+s" } } } }
    end }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq(played:states(),
    "OBSERVE DECIDE EXECUTE OBSERVE DECIDE EXECUTE VERIFY OBSERVE DECIDE EXECUTE VERIFY DONE")
  t.eq(played.result.task_result.cut_short, 1)
  t.eq(#played:actions("type_text"), 1, "nothing was typed into the dialog")
  t.eq(files.read(played.folder .. "/note.txt"), "hello first\n")
  played:close()
end

function tests.what_nothing_tells_of_is_read_off_the_screen_at_last()
  local played = play.play {
    mission = [[
      task = "Show the total.", safety = { approve = {} },
      desktop = { kind = "private", size = { 800, 500 }, apps = { { "xterm", "-fa", "DejaVu Sans Mono", "-fs", "18",
        "-title", "Shell", "-e", "read line; echo Grand total $line; read line" } } },]],
    planner = function()
      return play.plan { anchor = { application = "xterm", title = "Shell" }, indicators = { "Grand total 4711" },
        completes_goal = true, actions = { { tool = "type_text", args = { text = "4711\n" } } } }
    end, flags = { "--set", "odev.read_screen=true", "--set", "odev.verify_seconds=1.5" } }
  t.eq(played.result.status, "claimed", played.result.reason)
  t.eq(played:states(), "OBSERVE DECIDE EXECUTE VERIFY DONE")
  t.ok(played.result.task_result.seconds.verify >= 1.5, "only when the time for the elements was up")
  played:close()
end

return tests
