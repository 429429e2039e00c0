--- The policy odev on desktop windows when steps do not work: done again, shown to a scripted model that sees, given
--- up; judged by the journal's order of states and by what the applications wrote.
local t = require "harness"
local files = require "deskpilot.base.files"
local play = require "odev_play"

local tests = {}

local editor, question, empty_note = play.editor, play.question, play.empty_note
local shift = { tool = "press_key", args = { key = "shift" } } -- does nothing

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
    flags = { "--set", "limits.turns=1", "--set", "odev.verify_seconds=1.5" } }
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
  -- With indicators of its own the mission is not over when its check holds, but when a plan completes the goal.
  local played = play.play { mission = editor .. 'indicators = { "never to be seen" },', before = empty_note,
    planner = function(_, n)
      if n == 1 then
        return play.plan { indicators = { "never there" }, actions = {
          { tool = "type_text", args = { text = "hello " } }, { tool = "press_key", args = { key = "ctrl+s" } } } }
      end
      return play.plan { completes_goal = true, actions = { { tool = "focus_window", args = {
        title = n == 2 and "no such window" or "note.txt" } } } }
    end,
    vision = function() return play.correct("press_key", { key = "shift" }) end,
    flags = { "--set", "odev.verify_seconds=1.5" } }
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

function tests.what_cannot_be_mended_ends_failed_with_the_reason()
  local function stuck(flags, vision)
    local played = play.play { mission = question .. "verify = function() return false, 'never' end,",
      planner = function()
        return play.plan { anchor = { title = "Elsewhere" }, actions = { shift } }
      end, vision = vision, flags = { "--set", "odev.verify_seconds=0.1", "--set", "odev.retries=0",
        "--set", "timing.verify=0.1", table.unpack(flags) } }
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
