--- The parts of the policy orchestrator that need no desktop: how much of a screen is told, how many commands there may
--- be, what is kept of what was looked up, and a journey of two hundred iterations.
local t = require "harness"
local batches = require "deskpilot.policies.orchestrator.batches"
local context = require "deskpilot.policies.orchestrator.context"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local null_run = require "null_run"

local tests = {}

-- Calls fn(run) in the turn of a run with these flags.
local function with_run(fn, flags)
  local played = null_run.play({ task = "x" }, { flags = flags, turn = function(run)
    run.config:declare { owner = "policies/orchestrator", section = "orchestrator",
      options = require "deskpilot.policies.orchestrator".options }
    fn(run)
    run:stop("succeeded", "seen")
  end })
  t.eq(played.outcome.reason, "seen", "it came to its end")
end

local function many(count, fields)
  local list = {}
  for i = 1, count do
    list[i] = { number = i, index = i, norm = { 1, 1 }, states = {}, name = ("name %d "):format(i) .. ("x"):rep(60) }
    for key, value in pairs(fields) do list[i][key] = value end
  end
  return list
end

local function count_roles(elements)
  local counts = {}
  for _, element in ipairs(elements) do counts[element.role] = (counts[element.role] or 0) + 1 end
  return counts
end

function tests.each_kind_of_element_is_capped_and_texts_are_cut()
  with_run(function(run)
    local seen = run.observation
    seen.tree = nil
    seen.elements = many(80, { role = "push button" })
    table.move(many(40, { role = "entry", text = ("v"):rep(90) }), 1, 40, 81, seen.elements)
    table.move(many(40, { role = "label" }), 1, 40, 121, seen.elements)
    seen.page = { title = "P", url = "http://x/", ready = "complete", total = 90, text = ("word "):rep(1000),
      elements = many(90, { role = "button" }) }
    local shown, left = context.screen(run)
    t.eq(count_roles(shown.elements), { ["push button"] = 50, entry = 20, label = 20 })
    t.eq(#shown.page.elements, 50)
    t.eq({ utf8.len(shown.elements[1].name), utf8.len(shown.elements[51].text) }, { 30, 30 })
    t.ok(#shown.page.text <= 1003 and shown.page.text_cut, #shown.page.text)
    t.eq({ shown.unlisted, left }, { 70, 111 })
    t.eq(#seen.elements, 160, "the observation itself stays whole")
  end)
end

function tests.what_lies_deeper_among_the_told_is_left_out()
  with_run(function(run)
    local seen = run.observation
    seen.elements, seen.tree = {}, {}
    for i = 1, 12 do -- every second one is told: its depth among the told is half of that in the tree
      local element = { number = i, index = i, parent = i > 1 and i - 1 or nil, norm = { 1, 1 }, states = {},
        role = "push button", name = "b" .. i }
      seen.tree[i] = element
      if i % 2 == 0 then table.insert(seen.elements, element) end
    end
    t.eq(#context.screen(run).elements, 4)
    run.config:set("orchestrator.depth", 2)
    t.eq(#context.screen(run).elements, 2)
  end)
end

function tests.a_batch_grows_and_shrinks_with_its_success()
  with_run(function(run)
    local function after(done, failed)
      run.history.entries = {}
      for i = 1, done + failed do
        run.history:add(i, i <= failed and "error" or "action", 'press_key("a") -> x')
      end
      return batches.most(run)
    end
    t.eq(after(5, 0), 3, "fewer than ten say nothing yet")
    t.eq(after(10, 0), 5)
    t.eq(after(8, 2), 3, "0.8 is not above 0.8")
    t.eq(after(5, 5), 3)
    t.eq(after(4, 6), 2)
  end, { ["history.kept"] = 50 })
end

-- Two hundred iterations of one goal: what is told of the past and kept of it does not grow, and nothing is lost.
function tests.a_long_journey_stays_as_small_as_it_was()
  local asked, used = 0, {}
  local run, events = null_run.play({ task = "Go on.", policy = "orchestrator" }, { model = function()
    asked = asked + 1
    if asked % 100 == 0 then
      collectgarbage()
      used[#used + 1] = collectgarbage "count"
    end
    return null_run.calls { { "decide", { reasoning = "It goes on.", commands = { { tool = "press_key",
      args = { key = "a" }, why = "for the " .. asked .. "th time" } }, status = "continue", status_why = "not yet",
      learned = { ("Number %d is another one than %d."):format(asked, asked + 7) },
      reflection = { focus = "going on", guidance_for_next = ("more "):rep(20) } } } }
  end, flags = { ["orchestrator.iterations"] = 200, ["limits.turns"] = 300, ["model.calls_per_minute"] = 0 },
    screen = { width = 64, height = 64 }, keep = true })
  t.eq(run.outcome.reason, "the goal has had its 200 iterations (orchestrator.iterations)")
  local list = null_run.only(events, "iteration")
  t.eq({ #list, #null_run.only(events, "action_result") }, { 200, 200 }, "all of it was announced")
  local written, commands, learned = assert(journal.read(run.dir.path)), 0, 0
  for _, event in ipairs(written) do
    if event.event == "action" then
      commands = commands + 1
      t.eq(event.why, "for the " .. commands .. "th time")
    elseif event.event == "iteration" then
      learned = learned + 1
      t.eq(event.learned, { ("Number %d is another one than %d."):format(learned, learned + 7) })
    end
  end
  t.eq({ commands, learned }, { 200, 200 }, "the journal has all of it, word for word")
  files.remove(files.join(run.dir.path, "../.."))
  local largest = 0
  for i = 20, 200 do largest = math.max(largest, list[i].sizes.all) end
  t.ok(largest < list[20].sizes.all * 1.1, ("%d tokens, and %d after 20"):format(largest, list[20].sizes.all))
  t.ok(largest < 3600, largest)
  t.eq(#run.history.entries, 100)
  t.eq(run.history.past.steps, 100)
  t.has(run.history:recall(100), "EARLIER: 150 steps in the turns 1 to 150, 0 of them failed: 150 press_key")
  t.eq(#run.memory:experiences(), 20)
  t.ok(used[2] - used[1] < 4000, ("%.0f kB more after 100 further iterations"):format(used[2] - used[1]))
end

function tests.what_there_is_at_most_where_nobody_says_otherwise()
  local defaults = {}
  for name, option in pairs(require "deskpilot.policies.orchestrator".options) do defaults[name] = option.default end
  t.eq(defaults, { mode = "work", repair = "", iterations = 8, failures = 2, goal_seconds = 0, goal_tokens = 0,
    commands = 3, commands_succeeding = 5, commands_failing = 2, recent_steps = 7, history_kept = 100,
    history_whole = 50, interactive = 50, fields = 20, labels = 20, depth = 4, element_chars = 30, page_chars = 1000,
    experiences = 10, warn_tokens = 3000, result_chars = 3000 })
end

return tests
