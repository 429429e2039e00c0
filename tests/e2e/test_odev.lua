--- The policy odev on desktop windows: each state and arrow of its loop, against a scripted planner and vision model
--- over HTTP and real applications, judged by the journal's order of states and by what the applications wrote.
local t = require "harness"
local files = require "deskpilot.base.files"
local play = require "odev_play"

local tests = {}

-- An editor whose window is there, on a desktop of its own, with a file that can be saved by ctrl+s.
local editor = [[
task = "Write hello into the note and save it.",
desktop = { kind = "private", size = { 900, 600 },
  apps = { { "mousepad", "--disable-server", FOLDER .. "/note.txt" } } },
verify = function()
  local file = io.open(FOLDER .. "/note.txt", "rb")
  local words = file and file:read("a") or ""
  if file then file:close() end
  return words:find("hello", 1, true) ~= nil, "the note says " .. words
end,
]]

local function empty_note(folder)
  assert(files.write(folder .. "/note.txt", "first\n"))
end

local shift = { tool = "press_key", args = { key = "shift" } } -- does nothing
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
  t.has(played.requests[1].messages[1].content, "- type_text(text: string)")
  played:close()
end

-- Two windows of one program, which say what they were told by their exit: a form that is told of as elements.
local question = [[
task = "Answer the question.",
desktop = { kind = "private", size = { 700, 500 }, apps = { { "zenity", "--forms", "--title", "Survey", "--text",
  "Say something", "--add-entry", "Answer" } } },
]]

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

function tests.an_anchor_without_its_indicators_is_done_twice_more_and_then_shown_to_the_vision_model()
  local played = play.play {
    mission = question .. 'verify = function(m) return m.desk.windows.find { title = "Survey" } == nil end,',
    planner = function()
      return play.plan { anchor = { title = "Survey" }, indicators = { "Thank you" }, actions = {
        { tool = "press_key", args = { key = "shift" } } } }
    end,
    vision = function(request)
      t.ok(play.has_picture(request), "the vision persona gets the picture")
      t.has(play.words(request), "Thank you")
      return play.correct("press_key", { key = "escape" })
    end,
    flags = { "--set", "limits.turns=1" } }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.has(played:states(), "OBSERVE DECIDE EXECUTE VERIFY EXECUTE VERIFY EXECUTE VERIFY ESCALATE_VISION EXECUTE OBSERVE")
  t.has(played:why("EXECUTE", 2), "retry 1 of 2")
  t.has(played:why("EXECUTE", 3), "retry 2 of 2")
  t.has(played:why("ESCALATE_VISION"), '"Thank you" is not on the screen')
  local keys = {}
  for _, action in ipairs(played:actions("press_key")) do
    if action.turn == 1 then keys[#keys + 1] = action.args.key end
  end
  t.eq(keys, { "shift", "shift", "shift", "escape" })
  local result = played.result.task_result
  t.eq(result.escalations, { browser = 0, vision = 1 }, "a window that is no browser's goes straight to vision")
  t.eq({ result.retries, result.unverified }, { 2, 1 })
  t.ok(result.seconds.escalate > 0)
  played:close()
end

function tests.a_retry_does_not_type_twice_and_an_empty_anchor_needs_no_failure()
  local played = play.play { mission = editor, before = empty_note,
    planner = function(_, n)
      if n == 1 then
        return play.plan { indicators = { "never there" }, actions = {
          { tool = "type_text", args = { text = "hello " } }, { tool = "press_key", args = { key = "ctrl+s" } } } }
      end
      return play.plan { completes_goal = true, actions = { { tool = "focus_window", args = {
        title = n == 2 and "no such window" or "note.txt" } } } }
    end,
    vision = function() return play.correct("press_key", { key = "shift" }) end }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq(files.read(played.folder .. "/note.txt"), "hello first\n", "typed once, saved three times")
  t.eq(#played:actions("type_text"), 1)
  t.eq(#played:actions("press_key"), 5)
  -- The second plan's anchor is empty and its action failed: not verified. The third plan's did not fail.
  t.eq(played.result.task_result.verified, 1)
  t.eq(played.result.task_result.unverified, 2)
  t.eq(#played:actions("focus_window"), 4)
  played:close()
end

function tests.three_answers_that_are_no_plans_force_vision()
  local played = play.play {
    mission = question .. 'verify = function(m) return m.desk.windows.find { title = "Survey" } == nil end,',
    planner = function(request, n)
      if n == 1 then return require("model_server").reply_text("I would press a key.") end
      local words = play.words(request)
      if n == 2 then
        t.has(words, "answer by calling the tool plan")
        return play.plan { actions = { { tool = "press_keys", args = { key = "escape" } } } }
      end
      t.has(words, 'there is no tool "press_keys"; the nearest is "press_key"')
      return play.plan { actions = { { tool = "press_key", args = { kee = "escape" } } } }
    end,
    vision = function() return play.correct("press_key", { key = "escape" }) end,
    flags = { "--set", "limits.turns=3" } }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq(played:states(), "OBSERVE DECIDE OBSERVE DECIDE OBSERVE DECIDE ESCALATE_VISION EXECUTE OBSERVE")
  t.has(played:why("ESCALATE_VISION"), "3 failures in a row (odev.force_vision)")
  t.eq(played.result.task_result.rejected, 3)
  t.eq(played.result.task_result.steps, 0)
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
        t.has(play.words(request), "It was rejected, and nothing of it was done")
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
  local played = play.play { mission = editor, before = empty_note,
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

function tests.what_cannot_be_mended_ends_failed_with_the_reason()
  local function stuck(flags, vision)
    local played = play.play { mission = question .. "verify = function() return false, 'never' end,",
      planner = function()
        return play.plan { anchor = { title = "Elsewhere" }, actions = { shift } }
      end, vision = vision, flags = { "--set", "odev.verify_seconds=0.1", "--set", "odev.retries=0",
        table.unpack(flags) } }
    t.eq(played.result.status, "failed")
    t.has(played:states(), "ESCALATE_VISION FAILED")
    played:close()
    return played
  end
  t.has(stuck({ "--set", "odev.vision=false" }).result.reason, "odev.vision")
  local bounded = stuck({ "--set", "odev.max_escalations=2" }, function()
    return play.correct("press_key", { key = "shift" })
  end)
  t.has(bounded.result.reason, "asked 2 times already")
  t.has(bounded.result.reason, '"Elsewhere"')
  t.eq(bounded.result.task_result.escalations.vision, 2)
  t.has(stuck({ "--set", "personas.vision.endpoint=http://127.0.0.1:1/v1" }).result.reason,
    "no model server answers at http://127.0.0.1:1/v1")
  t.has(stuck({}, function()
    return require("model_server").reply_message { refusal = "There is nothing that I can do." }
  end).result.reason, "There is nothing that I can do.")
end

function tests.the_vision_persona_has_a_model_of_its_own()
  local server = require("model_server").start(function()
    return play.correct("press_key", { key = "escape" })
  end)
  local played = play.play {
    mission = question .. 'verify = function(m) return m.desk.windows.find { title = "Survey" } == nil end,',
    before = function(folder) assert(files.write(folder .. "/key", "vision-secret\n")) end,
    planner = function()
      return play.plan { anchor = { title = "Elsewhere" }, actions = { shift } }
    end,
    flags = { "--set", "personas.vision.endpoint=" .. server.endpoint, "--set", "personas.vision.model=sees",
      "--set", "personas.vision.api_key_file=key", "--set", "odev.retries=0", "--set", "odev.verify_seconds=0.1",
      "--set", "limits.turns=1" } }
  server:stop()
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq(#played:asked("vision"), 0, "the planner's server was not asked")
  t.eq(#server.requests, 1)
  t.eq(server.requests[1].json.model, "sees")
  t.eq(server.requests[1].headers.authorization, "Bearer vision-secret")
  t.ok(play.has_picture(server.requests[1].json))
  t.ok(not files.read(played.result.run_dir .. "/journal.jsonl"):find("vision-secret", 1, true))
  played:close()
end

return tests
