--- What a run keeps in mind, what is kept across runs, and who may read and erase it.
local t = require "harness"
local briefing = require "deskpilot.agent.briefing"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local memory = require "deskpilot.agent.memory"
local memory_store = require "deskpilot.agent.memory_store"
local null_run = require "null_run"
local similar = require "deskpilot.agent.similar"
local spawn = require "spawn"
local uv = require "luv"

local tests = {}

local runner = assert(uv.exepath()) -- runs a Lua file
local state = t.platform == "windows" and "LOCALAPPDATA" or "XDG_STATE_HOME"

-- A test whose user has a state folder of its own.
local function with_state(fn)
  return function()
    local folder, before = spawn.folder(), uv.os_getenv(state)
    local restoring <close> = setmetatable({}, { __close = function()
      if before then uv.os_setenv(state, before) else uv.os_unsetenv(state) end
      files.remove(folder)
    end })
    uv.os_setenv(state, folder)
    fn(folder)
    return restoring
  end
end

local limits = { values = 3, value_chars = 10, experiences = 2, experience_chars = 40 }

function tests.values_have_names_and_limits()
  local m = memory.new { limits = limits }
  t.ok(m:set("total", 12.5))
  t.ok(m:set("_a.b-c", "Größe Ω"))
  t.ok(m:set("ok", true))
  t.eq({ m:get "total", m:get "_a.b-c", m:get "ok", m:get "none" }, { "12.5", "Größe Ω", "true" })
  t.ok(m:set("total", "13\27[2J"))
  t.eq(m:get "total", "13 [2J", "without what a terminal would obey")
  t.fails("invalid", "has 3 values already", m:set("more", 1))
  t.fails("invalid", "has 11 characters", m:set("ok", ("ä"):rep(11)))
  t.fails("invalid", "not UTF-8", m:set("ok", "\xff"))
  t.fails("invalid", "not a table", m:set("ok", {}))
  for _, name in ipairs { "", "1st", "a b", "a}", ("n"):rep(65), 5 } do
    t.fails("invalid", "a name in the memory", m:set(name, "x"))
  end
  t.eq({ m:forget "ok", m:forget "ok" }, { true, false })
  t.eq(m:names(), { "_a.b-c", "total" })
end

function tests.names_stand_for_their_values()
  local m = memory.new()
  m:set("name", "${total}")
  m:set("total", "12")
  t.eq({ m:expand "pay ${total} to ${name}, ${nobody} $total ${ x}" },
    { "pay 12 to ${total}, ${nobody} $total ${ x}", { "nobody" } })
  t.eq({ m:expand { text = "${total}", list = { 5, "${total}!" }, flag = true } },
    { { text = "12", list = { 5, "12!" }, flag = true }, {} })
end

function tests.experiences_are_kept_once_and_the_oldest_go()
  local m = memory.new { limits = limits }
  t.eq({ m:learn "The Save button is below the table." }, { true })
  t.eq({ m:learn "the save button is BELOW the table" }, { false, "The Save button is below the table." })
  t.eq({ m:learn "Page 1 has\nthe prices" }, { true })
  t.eq(m:experiences(), { "The Save button is below the table.", "Page 1 has the prices" })
  t.ok(m:learn "Escape closes it")
  t.eq(m:experiences(), { "Page 1 has the prices", "Escape closes it" })
  t.fails("invalid", "has 41 characters", m:learn(("x"):rep(41)))
  t.fails("invalid", "must say something", m:learn " \n ")
end

function tests.nearly_the_same_words()
  local function same(a, b)
    t.eq(similar.same(a, b), similar.same(b, a), "either way round")
    return similar.same(a, b)
  end
  t.ok(same("Click Save, then wait.", "click save then wait"))
  t.ok(same("The dialog closes after a click on OK", "After a click on OK, the dialog closes."))
  t.ok(not same("Page 1 has all the prices", "Page 2 has all the prices"))
  t.ok(not same("The menu closes when the window moves", "The menu never closes when the window moves"))
  t.ok(not same("The field does accept a pasted text", "The field doesn't accept a pasted text"))
  t.ok(not same("Open the file menu", "Close the browser"))
  t.ok(same("Größe der Schrift über das Menü ändern", "größe der Schrift über das Menü ändern!"))
  t.ok(not same("...", "!!!"))
end

function tests.a_snapshot_is_restored_as_it_was()
  local told = {}
  local m = memory.new()
  m:set("a", "1")
  m:set("b", "x\ny")
  m:learn "One."
  m:learn "Quite another thing."
  local data = json.decode(json.encode(m:snapshot()))
  local again = t.ok(memory.restore(data, { changed = function(change) told[#told + 1] = change.op end }))
  t.eq({ again.values, again:experiences() }, { m.values, m:experiences() })
  t.eq(told, {})
  again:set("c", "2")
  t.eq(told, { "set" })
  t.fails("invalid", "no memory", memory.restore "x")
  t.fails("unsupported", "version 2", memory.restore { version = 2, values = {}, experiences = {} })
  t.fails("invalid", "a name", memory.restore { version = 1, values = { ["a b"] = "x" }, experiences = {} })
  t.fails("invalid", "not a table", memory.restore { version = 1, values = {}, experiences = { {} } })
end

function tests.a_run_journals_its_memory_and_tells_whom_the_policy_names()
  local told, plain
  local run, events = null_run.play({ task = "T", limits = { turns = 1 } }, { turn = function(run)
    t.eq(briefing.compose(run, { memory = true }), "", "nothing yet")
    run:act { tool = "remember", args = { values = { { name = "total", value = "12.50" } },
      experience = "Prices are on the second page." } }
    told, plain = briefing.compose(run, { memory = true }), briefing.compose(run, { history = true })
    run:stop("succeeded", "done")
  end })
  t.eq(told, run.marks:wrap "MEMORY:\n  ${total} = 12.50\nLearned:\n  - Prices are on the second page.")
  t.ok(not plain:find("12.50", 1, true), plain)
  assert(run.memory:learn "The second is longer than that.")
  local brief = { memory = { experiences = 1, chars = 10 } }
  t.eq(briefing.compose(run, brief), run.marks:wrap "MEMORY:\n  ${total} = 12.50\nLearned:\n  - The second...")
  t.ok(briefing.sizes(run, brief).memory > 5, "the tokens of each part can be had")
  local changes = {}
  for i, event in ipairs(null_run.only(events, "memory")) do
    changes[i] = { event.op, event.name or event.experience, event.value }
  end
  t.eq(changes, { { "set", "total", "12.50" }, { "learn", "Prices are on the second page." },
    { "learn", "The second is longer than that." } })
end

function tests.tools_that_nobody_has_unasked()
  local results = {}
  null_run.play({ run = function(m)
    local names = " " .. table.concat(m.toolbox:names(), " ") .. " "
    t.ok(not names:find " remember " and not names:find " recall ", names)
    local function call(tool, args) results[#results + 1] = m:act { tool = tool, args = args }.text end
    call("recall", {})
    call("remember", {})
    call("remember", { values = { { name = "a", value = "1" }, { name = "b", value = "2" } } })
    call("remember", { experience = "The list scrolls by itself." })
    call("remember", { experience = "the list scrolls by itself" })
    call("recall", { names = { "b" } })
    call("recall", { names = { "c" } })
    call("recall", {})
  end })
  t.eq({ results[1], results[3], results[4], results[5], results[6] }, { "nothing is remembered yet",
    "remembered ${a}; remembered ${b}", "learned this", "this was known: The list scrolls by itself.", "${b} = 2" })
  t.has(results[2], "needs values or an experience")
  t.has(results[7], "there is no value ${c}; there is a and b")
  t.has(results[8], "  ${a} = 1\n  ${b} = 2\nLearned:\n  - The list scrolls by itself.")
end

-- --- across runs ----------------------------------------------------------------------------------------------

tests.nothing_outlasts_a_run_unless_it_is_asked_for = with_state(function(folder)
  local function run(flags, fn)
    local played = null_run.play({ run = fn }, { flags = flags })
    t.eq(played.outcome.status, "succeeded", played.outcome.reason)
  end
  run({}, function(m)
    m.memory:learn "Not for long."
    m.memory:set("x", "1", { keep = true })
  end)
  t.eq(files.list(folder), {})
  local project = { ["memory.keep"] = "project" }
  run(project, function(m)
    t.eq(m.memory:experiences(), {})
    t.ok(m.memory:learn "The save button is below the table.")
    t.ok(m.memory:set("user", "ann", { keep = true }))
    t.ok(m.memory:set("total", "12"))
  end)
  run(project, function(m)
    t.eq(m.memory:experiences(), { "The save button is below the table." })
    t.eq({ m.memory:get "user", m.memory:get "total" }, { "ann" })
    t.eq(m.memory:learn "the save button is below the table", false)
    t.eq(m.memory:snapshot(), { version = 1, values = {}, experiences = {} }, "its own part")
  end)
  run({}, function(m) t.eq(m.memory:experiences(), {}) end)
  run({ ["memory.keep"] = "application" }, function(m) -- nothing is in front
    t.eq(m.memory:experiences(), {})
    t.ok(m.memory:learn "Somewhere else.")
  end)
  local names = {}
  for _, entry in ipairs(memory_store.all()) do names[#names + 1] = entry.name end
  t.eq(#names, 1)
  local path = memory_store.all()[1].path
  if t.platform == "linux" then t.eq(uv.fs_stat(path).mode & 511, tonumber("600", 8)) end
end)

tests.applications_have_a_memory_each = with_state(function()
  local chrome, gimp = memory_store.of("application", "chrome"), memory_store.of("application", "gimp")
  t.ok(chrome:learn("Tabs are above.", 20))
  t.eq(gimp:read().experiences, {})
  local now
  local m = memory.new { store = function() return now end }
  t.eq(m:experiences(), {})
  now = chrome
  t.eq(m:experiences(), { "Tabs are above." })
  t.ok(m:learn "Ctrl+L goes to the address.")
  now = gimp
  t.eq(m:experiences(), { "Ctrl+L goes to the address." }, "a run's own stay with it")
  t.eq(chrome:read().experiences, { "Tabs are above.", "Ctrl+L goes to the address." })
end)

tests.the_application_in_front_decides = with_state(function()
  local class = t.platform == "windows" and "Notepad" or "Mousepad"
  local function run(window, fn)
    local played = null_run.play({ run = function(m)
      m.observation = { window = window }
      fn(m)
    end }, { flags = { ["memory.keep"] = "application" } })
    t.eq(played.outcome.status, "succeeded", played.outcome.reason)
  end
  run({ class = class, title = "x", pid = 0 }, function(m) t.ok(m.memory:learn "Text is plain.") end)
  run({ class = "No such application", title = "x", pid = 0 }, function(m) t.eq(m.memory:experiences(), {}) end)
  run({ class = class, title = "y", pid = 0 }, function(m) t.eq(m.memory:experiences(), { "Text is plain." }) end)
  t.eq(memory_store.all()[1].data.key, class:lower())
end)

tests.runs_at_the_same_time_lose_nothing = with_state(function(folder)
  local path = files.join(folder, "learn.lua")
  assert(files.write(path, [[return { learns = function()
    local store = require "deskpilot.agent.memory_store".of("project", "/some/where")
    for i = 1, 12 do
      assert(store:learn(("%s%d is thing %d"):format(os.getenv "WHO", i, i), 100))
      assert(store:set(os.getenv "WHO" .. i, "x"))
    end
  end }]]))
  local children = {}
  for i = 1, 4 do
    children[i] = spawn.start({ runner, path }, { env = { WHO = ("abcd"):sub(i, i) } })
  end
  for _, child in ipairs(children) do t.has(child:wait().stdout, "ok    learns", child.stderr) end
  local kept = memory_store.of("project", "/some/where"):read()
  t.eq(#kept.experiences, 48)
  local count = 0
  for _ in pairs(kept.values) do count = count + 1 end
  t.eq(count, 48)
end)

tests.a_file_that_is_none_is_told_and_left_alone = with_state(function()
  local store = memory_store.of("project", "/some/where")
  assert(files.make_folder(memory_store.folder()))
  for words, part in pairs { ["{"] = "is no memory", ['{"format":"deskpilot memory","version":9,"values":{},'
    .. '"experiences":[]}'] = "is of version 9" } do
    assert(files.write(store.path, words))
    store.stamp = nil
    t.eq(store:read().experiences, {})
    t.has(tostring(store.problem), part)
    local ok, err = store:learn("Anything.", 20)
    t.eq(ok, nil)
    t.has(tostring(err), part)
    t.eq(files.read(store.path), words)
  end
end)

tests.the_command_shows_and_erases = with_state(function()
  local function memory_command(...)
    local child = spawn.run { spawn.program, "memory", ... }
    return child.status, (child.stdout:gsub("\r", "")), child.stderr
  end
  t.eq({ memory_command() }, { 0, "nothing is remembered across runs\n", "" })
  local store = memory_store.of("project", "/home/ann/Invoices 2026")
  store:set("user", "ann\27[2J")
  store:learn("Prices are on page 2.", 20)
  memory_store.of("application", "gimp"):learn("Layers are on the right.", 20)
  t.eq(store.name:match "^project%-invoices%-2026%-%x+$", store.name)
  local _, out = memory_command()
  t.has(out, store.name .. "  /home/ann/Invoices 2026; 1 value, 1 experience\n")
  t.has(out, "application-gimp-")
  t.eq({ memory_command(store.name) }, { 0, "project: /home/ann/Invoices 2026\n  user = ann [2J\n"
    .. "  - Prices are on page 2.\n", "" })
  t.eq({ memory_command("--erase", store.name) }, { 0, "erased " .. store.name .. "\n", "" })
  t.eq(files.exists(store.path), false)
  local status, _, err = memory_command(store.name)
  t.eq(status, 2)
  t.has(err, "nothing is remembered under the name")
  t.eq((memory_command "--erase-all"), 0)
  t.eq({ memory_command() }, { 0, "nothing is remembered across runs\n", "" })
end)

return tests
