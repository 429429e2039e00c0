--- The parts of a run that need no desktop: history, listeners, hooks, journal, exports.
local t = require "harness"
local configured = require "configured"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local history = require "deskpilot.agent.history"
local hooks = require "deskpilot.agent.hooks"
local journal = require "deskpilot.agent.journal"
local journals = require "journals"
local events_of = require "deskpilot.agent.run_events"
local schema = require "deskpilot.base.schema"
local listeners = require "deskpilot.agent.listeners"
local export = require "deskpilot.agent.export"
local trajectory = require "deskpilot.agent.trajectory"
local rundir = require "deskpilot.agent.rundir"
local spawn = require "spawn"
local unchanged = require "deskpilot.agent.unchanged"

local tests = {}

local function fake_run(list)
  local run = { listeners = list, told = {}, turn = 1 }
  function run:emit(name, fields)
    local event = fields or {}
    event.event, event.at = name, 0.5
    table.insert(self.told, event)
    listeners.tell(self, event)
    return event
  end
  function run:stop(status, reason) self.outcome = self.outcome or { status = status, reason = reason } end
  return run
end

function tests.every_tool_can_be_told_why()
  local _, box = configured.defaults()
  for _, name in ipairs(box:names()) do
    local properties = box:get(name).parameters.properties
    local place = properties.justification or properties.evidence or properties.reason
    t.ok(place, name .. " has no place for a justification")
  end
end

function tests.history_keeps_phases_and_errors_longer()
  local h = history.new(10, 8)
  h:add(1, "phase", "INIT -> EXECUTION")
  h:add(2, "error", "click(x) -> ERROR: missed")
  for turn = 3, 30 do h:add(turn, "action", "click " .. turn) end
  local words = h:render()
  t.has(words, "EARLIER:\n  T1: PHASE INIT -> EXECUTION\n  T2: click(x) -> ERROR: missed")
  t.has(words, "T30")
  t.ok(not words:find("T22:", 1, true), "only the last eight plain ones are sent")
  t.eq(#h.entries, 12)
end

function tests.a_history_keeps_the_latest_actions_of_very_many()
  local h, most = history.new(10, 8), 0
  for i = 1, 4000 do
    h:add_action(i, { tool = "press_key", args = { key = tostring(i) }, ok = true, text = "pressed" })
    most = math.max(most, #h.actions)
    t.ok(h.actions[#h.actions].args.key == tostring(i), "the latest is the last")
  end
  t.ok(most >= 1000 and most <= 1501, "there were " .. most)
  t.eq(h.actions[1].args.key, tostring(4000 - #h.actions + 1), "none is missing in between")
end

function tests.history_has_all_actions_as_data()
  local h = history.new(2, 2)
  for turn = 1, 5 do
    h:add_action(turn, { tool = "press_key", args = { key = "a" }, ok = turn < 5, text = "result " .. turn, why = "x" })
  end
  t.eq(h.actions[1], { tool = "press_key", args = { key = "a" }, ok = true, text = "result 1", why = "x" })
  t.eq(#h.actions, 5, "those that the words no longer tell of, too")
  t.has(h:render(), 'T5: press_key("a") -> ERROR: result 5 | why: x')
  t.ok(not h:render():find("T2:", 1, true))
end

-- A journey: kept 6, sent 2, whole 3.
local function journey(steps)
  local h = history.new(6, 2, 3)
  for turn = 1, steps do
    h:add_action(turn, { tool = turn % 2 == 0 and "even" or "odd", args = { key = "k" .. turn }, ok = turn ~= 2,
      text = "done" })
  end
  return h
end

function tests.a_journey_is_capped_and_tells_a_summary_of_what_is_older()
  local h = journey(20)
  t.eq(#h.entries, 6)
  t.eq(h:render(), "EARLIER: 18 steps in the turns 1 to 18, 1 of them failed: 9 even, 9 odd\n\nRECENT ACTIONS:\n"
    .. '  T19: odd("k19") -> done\n  T20: even("k20") -> done')
  t.eq(h:recall(20), "EARLIER: 17 steps in the turns 1 to 17, 1 of them failed: 8 even, 9 odd\n"
    .. '  T18: even("k18") -> done\n  T19: odd("k19") -> done\n  T20: even("k20") -> done')
  t.has(h:recall(1, "K19"), 'T19: odd("k19") -> done')
  t.ok(not h:recall(1, "K19"):find "T20", "only what has the text")
  h:add(21, "answer", "a person said yes")
  for turn = 22, 30 do h:add(turn, "note", "n") end
  t.eq(#h.entries, 6)
  t.has(h:answers(), "a person said yes", "what people said stays")
  t.eq(journey(2):render():match "^%u+", "RECENT", "nothing is older")
  t.eq(history.new(6, 2, 3):recall(5), "nothing has been done that is kept")
end

function tests.a_journey_goes_on_in_another_goal()
  local h = journey(8)
  local other = h:successor()
  t.eq({ #other.actions, other:render() }, { 0, h:render() })
  other:add_action(9, { tool = "odd", args = {}, ok = false, text = "no" })
  t.eq({ h.entries[#h.entries].turn, other.entries[#other.entries].turn }, { 8, 9 }, "each has its own")
  t.eq(h.past.steps, 2)
  t.eq(other.past.steps, 3)
  t.eq({ h:success(4) }, { 4, 1.0 })
  t.eq({ other:success(4) }, { 4, 0.75 })
  t.eq({ history.new(6, 2, 3):success(4) }, { 0, 1 })
end

function tests.history_lines_are_one_line()
  local line = history.line("type_text", { text = "a\nb", justification = "because\nit is so" }, true, "typed\n3")
  t.eq(line, 'type_text("a b") -> typed 3 | why: because it is so')
end

function tests.listeners_decide_in_order()
  local run = fake_run {
    { name = "one", listener = { action = function() return { amend = { tool = "b" } } end } },
    { name = "two", listener = { action = function(_, e) if e.tool == "b" then return { veto = "no b" } end end } },
    { name = "three", listener = { action = function() return { veto = "too late", stop = { "failed", "x" } } end } },
  }
  local event = run:emit("action", { tool = "a", args = {} })
  t.eq({ event.tool, event.veto, event.vetoed_by, event.amended_by }, { "b", "no b", "two", "one" })
  t.eq(run.outcome, { status = "failed", reason = "x" })
end

function tests.a_listener_that_fails_is_named_and_an_action_it_should_judge_is_not_done()
  local run = fake_run { { name = "the guard x", listener = {
    action = function() error("oops") end, turn_end = function() error("later") end } } }
  local event = run:emit("action", { tool = "a", args = {} })
  t.has(event.veto, "the guard x failed")
  run:emit("turn_end", {})
  local names = {}
  for _, e in ipairs(run.told) do if e.event == "error" then names[#names + 1] = e.name .. " " .. e.during end end
  t.eq(names, { "the guard x action", "the guard x turn_end" })
  t.eq(run.outcome, nil)
end

function tests.hooks_by_both_names()
  local seen = {}
  local kind, named = hooks.of {
    before_action = function(_, action) seen[#seen + 1] = "before " .. action.tool return false, "no" end,
    action = function(_, event) seen[#seen + 1] = "event " .. event.tool
      return { amend = { why = "amended" } } end,
    after_action = function(_, action, result) seen[#seen + 1] = action.tool .. " " .. tostring(result.ok) end,
    before_run = function() seen[#seen + 1] = "run" end,
  }
  local run = fake_run { { name = "friendly", listener = kind }, { name = "named", listener = named } }
  run:emit("run_start", {})
  local event = run:emit("action", { tool = "a" })
  t.eq({ event.veto, event.why }, { "no", "amended" }, "the decisions of both count")
  run:emit("action_result", { ok = true, action = { tool = "a" } })
  t.eq(seen, { "run", "before a", "event a", "a true" })
end

function tests.a_cut_journal_is_readable()
  local folder = spawn.folder()
  local writer = assert(journal.open(folder))
  local run = fake_run { { name = "journal", listener = writer } }
  run:emit("run_start", { mission = "m", task = "t", policy = "p", model = "x" })
  run.turn = 1
  run:emit("turn_start", { turn = 1 })
  run:emit("action", { tool = "click", args = { label = 'a"\n' }, turn = 1, action = {}, fn = print })
  run:emit("model_reply", { usage = { input_tokens = 5, output_tokens = 7 }, turn = 1, persona = "executor" })
  writer.close()
  local path = folder .. "/journal.jsonl"
  journals.made_up[path] = true
  local all = files.read(path)
  t.eq(select(2, all:gsub("\n", "")), 5, "one of the file itself, and four events")
  for cut = 0, #all, 7 do
    assert(files.write(path, all:sub(1, cut)))
    local events, how = journal.read(folder)
    t.ok(events)
    t.eq(how.skipped, 0, "what was cut is not skipped")
    local result = export.result(events, folder)
    t.eq(result.status, "interrupted")
    t.ok(json.encode(trajectory.of(folder, events)))
  end
  assert(files.write(path, all))
  local result = export.write(folder)
  t.eq({ result.turns, result.actions, result.model.calls, result.model.input_tokens }, { 1, 1, 1, 5 })
  t.eq(result.archive.lost, nil)
  assert(files.write(path, all:gsub("\n", "\nnonsense\n[1]\n", 1) .. '{"event":"turn_'))
  local events, how = journal.read(folder)
  t.eq({ #events, how }, { 4, { skipped = 2, odd = 0, cut = true, version = 1 } })
  t.eq(export.write(folder).archive.lost,
    "2 lines of the journal are no events and are left out; its last line was cut off")
  t.has(files.read(folder .. "/trajectory.json"), "2 lines of the journal are no events")
  t.has(require "deskpilot.cli.commands.report".html(events, "r", 1, journal.lost(how)), "2 lines of the journal")
  assert(files.write(path, '{"event":"journal","at":0,"version":99,"program":"x"}\n'))
  t.fails("unsupported", "is of version 99, this deskpilot reads journals up to version 1", journal.read(folder))
  files.remove(folder)
end

function tests.events_are_declared_once_by_who_announces_them()
  local run = fake_run {}
  t.raises("no event is called turn_stat; did you mean 'turn_start'?", events_of.expect, "turn_stat")
  local event = { name = "page_saved", about = "x",
    fields = { { "path", "string", "where" }, { "n?", "integer", "" } } }
  t.ok(events_of.declare(event, "guards/mine"))
  t.ok(events_of.declare(event, "guards/mine"), "a file that was edited")
  local ok, why = events_of.declare(event, "guards/other")
  t.eq({ ok, why }, { nil, "the event page_saved is declared by guards/mine already" })
  for part, wrong in pairs { ["small letters"] = { name = "A b" }, ["needs `about`"] = { name = "a" },
    ["strin"] = { name = "a", about = "", fields = { { "b", "strin", "" } } },
    ["is not {"] = { name = "a", about = "", fields = { "b" } } } do
    t.has(select(2, events_of.declare(wrong, "x")), part)
  end
  local heard = {}
  run.listeners = { { name = "all", listener = { every = function(_, e) heard[#heard + 1] = e.path end,
    note = function() heard[#heard + 1] = "its own" end } } }
  run:emit("page_saved", { path = "p" })
  run:emit("note", { message = "m" })
  t.eq(heard, { "p", "its own" })
  t.eq(events_of.problem { event = "page_saved", at = 1, path = "p" }, nil)
  t.has(events_of.problem { event = "page_saved", at = 1 }, "path is missing")
  t.has(events_of.problem { event = "page_saved", at = 1, path = "p", n = "2" }, "n is")
  t.has(events_of.problem { event = "page_saved", at = 1, path = "p", m = 2 }, "a field m that is not declared")
  t.eq(events_of.problem { event = "page_saved", at = 1, path = "p", m = 2, amended_by = "a hook" }, nil)
end

function tests.the_schema_of_a_line()
  local whole = events_of.schema()
  t.ok(schema.check(whole))
  local function why(line) return select(2, schema.validate(whole, line)) end
  t.eq(why { event = "turn_start", at = 0.5, turn = 1, number = 1 }, nil)
  t.eq(why { event = "somebody_elses", at = 1, x = {} }, nil)
  t.has(why { event = "settled", at = 1, reason = "quiet" }, "seconds is missing")
  t.has(why { event = "settled", at = 1, reason = "quiet", seconds = "1" }, "seconds is")
  t.eq(why { event = "settled", at = 1, not_encodable = "a function" }, nil)
end

function tests.the_result_tells_the_final_phase_and_how_much_was_kept()
  local folder = spawn.folder()
  local writer = assert(journal.open(folder))
  local run = fake_run { { name = "journal", listener = writer } }
  run:emit("run_start", { mission = "m" })
  run:emit("phase_change", { from = "INIT", to = "VERIFICATION" })
  run:emit("phase_change", { from = "START", to = "DONE", goal = "1.1" })
  run:emit("turn_end", { goal = "1.1", task_result = { steps = 1 } })
  run:emit("run_end", { status = "succeeded", reason = "x" })
  writer.close()
  assert(files.make_folder(folder .. "/screenshots"))
  assert(files.write(folder .. "/screenshots/step_0001.png", ("x"):rep(1000)))
  journals.made_up[folder .. "/journal.jsonl"] = true
  local bytes = 1000 + #files.read(folder .. "/journal.jsonl")
  for _ = 1, 2 do -- what is made of the journal does not count
    local result = t.ok(export.write(folder))
    t.eq({ result.phase, result.archive, result.task_result }, { "VERIFICATION", { events = 5, bytes = bytes } })
    t.eq(json.decode(files.read(folder .. "/result.json")), result)
  end
  t.eq(files.size(folder .. "/nothing"), 0)
  files.remove(folder)
end

function tests.runs_never_share_a_folder_and_a_full_disk_is_said()
  local base = spawn.folder()
  local one, two = assert(rundir.create(base, "Some Mission!", 0)), assert(rundir.create(base, "Some Mission!", 0))
  t.ok(one.path ~= two.path)
  t.has(one.path, "-some-mission")
  assert(one:save("screenshots/a.png", "x"))
  if t.platform == "linux" then -- on Windows the folder that the runs are kept in says who may read them
    for path, wanted in pairs { [""] = "700", screenshots = "700", requests = "700", ["screenshots/a.png"] = "600" } do
      local stat = require("luv").fs_stat(files.join(one.path, path))
      t.eq(("%o"):format(stat.mode & tonumber("777", 8)), wanted, "nobody else may look into " .. path)
    end
  end
  local full = assert(rundir.create(base, "x", 2 ^ 60 // 1))
  local ok, err = full:save("a", "b")
  t.eq(ok, nil)
  t.has(tostring(err), "safety.min_free_mb")
  files.remove(base)
end

function tests.json_is_stable_and_strict()
  t.eq(json.encode { b = 1, a = { json.list {}, {}, "x\n", 1.5, 2.0 } }, '{"a":[[],{},"x\\n",1.5,2],"b":1}')
  t.eq(json.encode { "a/b", "\\/", "\\" }, '["a/b","\\\\/","\\\\"]')
  t.raises("no such number", json.encode, { 0 / 0 })
  local loop = {}
  loop[1] = loop
  t.raises("too deep", json.encode, loop)
  local ordered = json.ordered({ a = 1, b = json.ordered({}, {}), c = false, d = "x" }, { "c", "none", "b", "c" })
  t.eq(json.encode(ordered), '{"c":false,"b":{},"a":1,"d":"x"}', "the rest follows, sorted")
  t.eq(json.encode { json.constant(ordered) }, '[{"c":false,"b":{},"a":1,"d":"x"}]')
  t.eq(json.decode('{"a":null,"b":[1]}'), { b = { 1 } })
  t.eq((json.decode("{")), nil)
end

-- Models cut characters in half, and half of a pair of surrogates is no character.
function tests.what_has_not_changed_since_the_last_look_is_kept_once()
  local function element(name) return { name = name, states = { enabled = true }, norm = { 1, 2 }, handle = "a" } end
  local page = { url = "u", elements = { element "l" } }
  local before = { elements = { element "ok", element "cancel" }, page = page }
  local seen = { elements = { element "ok", element "close", element "help" }, page = { elements = { element "l" } } }
  unchanged.share(seen, before)
  t.ok(seen.elements[1] == before.elements[1])
  t.eq(seen.elements[2].name, "close")
  t.ok(seen.page.elements[1] ~= page.elements[1], "those of a page belong to their document")
  unchanged.share(seen, nil)
  local function look(bytes, coded) return { elements = {}, bytes = bytes, base64 = coded, shot = { file = bytes } } end
  local picture, changed = look("bytes", "first"), look("others", "other")
  seen = look("bytes", "second")
  unchanged.share(seen, picture)
  t.eq(seen.base64, "first", "the same picture is kept once")
  unchanged.share(changed, picture)
  t.eq(changed, look("others", "other"))
  t.ok(unchanged.same({ a = { 1, { b = true } } }, { a = { 1, { b = true } } }))
  for i, other in ipairs { { a = { 1 } }, { a = { 1, { b = false } } }, { a = { 1, { b = true, c = 1 } } }, {}, "a" } do
    t.ok(not unchanged.same({ a = { 1, { b = true } } }, other), i)
    t.ok(not unchanged.same(other, { a = { 1, { b = true } } }), i)
  end
end

function tests.half_a_surrogate_pair_costs_nothing_else()
  t.eq(json.decode [[{"a":"x\ud83dy","b":["\ud83d\ude00"]}]], { a = "x\u{FFFD}y", b = { "😀" } })
  t.eq(json.decode [["\ude00\ud83d\ud83d\ude00\uD83D"]], "\u{FFFD}\u{FFFD}😀\u{FFFD}")
  t.eq(json.decode [["\\ud83d \\\ud83d \ud7ff\ue000"]], "\\ud83d \\\u{FFFD} \u{D7FF}\u{E000}")
  t.eq((json.decode [["\ud8"]]), nil)
  t.eq((json.decode [[{"a":"\ud83d",}]]), nil, "other mistakes stay mistakes")
end

return tests
