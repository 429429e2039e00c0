--- The policy orchestrator with a scripted model over HTTP and real applications: iterations, batches, and how a goal
--- ends. Judged by the journal and by what the applications wrote.
local t = require "harness"
local files = require "deskpilot.base.files"
local odev_play = require "odev_play"
local play = require "orchestrator_play"

local tests = {}

local editor, empty_note = odev_play.editor, odev_play.empty_note
local write = { { "type_text", { text = "hello " }, "The note is empty." }, { "press_key", { key = "ctrl+s" } } }

local function note(played) return files.read(played.folder .. "/note.txt") end

function tests.a_goal_is_reached_in_iterations()
  local played = play.play { mission = editor, before = empty_note, agent = function(request, n)
    if n == 1 then
      t.has(play.words(request), "GOAL:\nWrite hello into the note and save it.")
      t.has(play.words(request), "ITERATION: 1 of 8")
      t.eq(play.offered(request)[1], "decide")
      return play.decide { commands = write, commands_why = "The note is in front.", reasoning = "It is all empty.",
        learned = { "The note saves at once." }, status_why = "It is not saved yet.",
        reflection = { focus = "saving", guidance_for_next = "the star in the title goes" } }
    end
    t.has(play.words(request), "YOUR NOTES FROM THE ITERATION BEFORE:\n- focus: saving\n- guidance: the star")
    t.has(play.words(request), 'type_text("hello") -> ')
    return play.decide { status = "complete", status_why = "The note says hello." }
  end }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq(played.result.reason, "The note says hello.")
  t.eq(note(played), "hello first\n")
  t.ok(not play.has_picture(played.requests[1]), "the screen is told in words")
  local list = played:all "iteration"
  t.eq(#list, 2)
  t.eq({ list[1].iteration, list[1].of, list[1].status, list[2].status }, { 1, 8, "continue", "complete" })
  t.eq(list[1].commands[1], { tool = "type_text", why = "The note is empty.", done = true })
  t.eq({ list[1].commands_why, list[1].reasoning, list[1].learned, list[1].status_why },
    { "The note is in front.", "It is all empty.", { "The note saves at once." }, "It is not saved yet." })
  t.eq(list[1].reflection.focus, "saving")
  for _, name in ipairs { "mission", "screen", "history", "demand", "system", "tools" } do
    t.ok((list[1].sizes[name] or 0) > 0, "the tokens of " .. name .. " are counted")
  end
  t.ok(list[1].sizes.all < 3600, "the context has " .. list[1].sizes.all .. " tokens")
  local account = played.result.task_result
  t.eq({ account.status, account.iterations, account.commands, account.commands_done, account.calls },
    { "succeeded", 2, 2, 2, 2 })
  t.eq(account.targets.calls, { value = 2, below = 3, met = true })
  t.eq(account.targets.command_success, { value = 1, above = 0.8, met = true })
  t.has(played.child.stderr, "iteration 1 of 8: continue")
  t.has(played.child.stderr, "2 commands: type_text, press_key")
  played:close()
end

-- What ends a goal, whatever the agent says. Each case: its answers, the flags, the end, and how many were asked.
local function ends(case)
  local played = play.play { mission = editor, before = empty_note, agent = case.agent, flags = case.flags }
  t.eq(played.result.status, case.status, played.result.reason)
  t.has(played.result.reason, case.reason)
  t.eq(played.child.status, 1)
  t.eq(#played:all "iteration", case.iterations, played.child.stderr)
  if case.check then case.check(played) end
  played:close()
end

local function harmless()
  return play.decide { commands = { { "press_key", { key = "home" } } } }
end

function tests.stuck_and_infeasible_end_it_at_once()
  ends { agent = function() return play.decide { commands = write, status = "stuck", status_why = "I see no way." } end,
    status = "failed", reason = "the agent is stuck: I see no way.", iterations = 1,
    check = function(played) t.eq(note(played), "first\n", "its commands are not done") end }
  ends { agent = function() return play.decide { status = "infeasible", status_why = "There is no door." } end,
    status = "failed", reason = "the agent says that the goal cannot be reached: There is no door.", iterations = 1 }
end

function tests.a_batch_stops_at_the_first_failure()
  ends { agent = function(request, n)
    if n == 2 then
      t.has(play.words(request), "1 command after the one that failed was not done")
      return play.decide { status = "stuck" }
    end
    return play.decide { commands = { { "press_key", { key = "home" } }, { "focus_window", { title = "Nowhere" } },
      { "type_text", { text = "never" } } } }
  end, status = "failed", reason = "stuck", iterations = 2, check = function(played)
    local first = played:all "iteration"[1]
    t.eq({ first.commands[1].done, first.commands[2].done, first.commands[3].done }, { true, false, false })
    t.has(first.failed, "command 2 (focus_window)")
    t.eq(#played:all "action_result", 2)
    t.eq({ played.result.task_result.commands, played.result.task_result.commands_done }, { 3, 1 })
  end }
end

function tests.a_goals_own_time_ends_it()
  ends { agent = function(_, n)
    local reply = harmless()
    reply.delay = n > 1 and 9 or nil -- the first iteration takes two seconds on a busy machine
    return reply
  end, status = "incomplete", reason = "out of time: the limit is 6 s (orchestrator.goal_seconds)", iterations = 2,
    flags = { "--set", "orchestrator.goal_seconds=6" } }
end

function tests.a_goals_own_tokens_end_it()
  ends { agent = harmless, status = "incomplete", reason = "out of tokens: the limit is 200 (orchestrator.goal_tokens)",
    iterations = 2, flags = { "--set", "orchestrator.goal_tokens=200" } }
end

return tests
