--- What somebody meets in the first hour: a model server that is none, files of one's own, runs that pile up, and
--- commands that look at a private desktop.
local t = require "harness"
local desktop_of_test = require "desktop"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local spawn = require "spawn"
local system = require "native.system"

local tests = {}

local desktop = [[desktop = { kind = "private", size = { 640, 480 } },]]

local function write(folder, name, source)
  local path = files.join(folder, name)
  assert(files.make_folder((files.split(path))))
  assert(files.write(path, source))
  return path
end

local with_folder = spawn.in_folder

-- Runs m.lua of that folder.
local function run(folder, ...)
  local child = spawn.run({ spawn.program, "run", "m.lua", "--json", "--runs", "runs", ... }, { cwd = folder,
    env = { XDG_CONFIG_HOME = folder .. "/config", DISPLAY = false } })
  local result = json.decode(child.stdout) or {}
  local events = type(result.run_dir) == "string" and journal.read(folder .. "/" .. result.run_dir) or {}
  return child, result, events
end

local function count(words, part)
  local n, from = 0, 1
  while true do
    local at = words:find(part, from, true)
    if not at then return n end
    n, from = n + 1, at + #part
  end
end

local page = { headers = { ["Content-Type"] = "text/html" },
  body = "<!doctype html><html><head><title>Welcome</title></head></html>" }

-- Nothing is started before it is known that somebody will answer, and the reason is told once.
tests.a_model_that_cannot_be_asked_costs_nothing = with_folder(function(folder)
  write(folder, "m.lua", "return { task = 'x', before_run = function() io.stderr:write('begun') end, " .. desktop
    .. "}")
  local function refused(part, ...)
    local child, result = run(folder, "--set", "model.retries=0", ...)
    t.eq(child.status, 3, child.stderr)
    t.eq({ result.status, result.turns, result.run_dir }, { "error", 0 })
    t.eq(select(2, child.stderr:gsub("\n", "")), 1, "one line: " .. child.stderr)
    t.has(child.stderr, part)
    t.eq(result.reason .. "\n", child.stderr:gsub("^deskpilot: ", ""))
    t.ok(not files.exists(folder .. "/runs"), "no run")
  end
  refused("no model server answers at http://127.0.0.1:9/v1 (connection refused)", "--endpoint", "http://127.0.0.1:9")
  local server = model_server.start(function() return page end)
  server.models = "scripted"
  refused('answers with a web page ("Welcome") and not as a model server does', "--endpoint", server.endpoint)
  refused("the persona tactician: http://127.0.0.1:", "--model", "literal", "--set",
    "personas.tactician.endpoint=" .. server.endpoint, "--set", "personas.tactician.model=x")
  server:stop()
  server = model_server.start(function()
    return { status = 404, body = { error = { message = "model not found" } } }
  end)
  server.models = { "qwen3-vl:8b" }
  refused("has no model qwen3-vl:4b: did you mean qwen3-vl:8b?", "--endpoint", server.endpoint, "--model",
    "qwen3-vl:4b")
  server:stop()
end)

tests.who_needs_no_model_is_not_asked_for_one = with_folder(function(folder)
  write(folder, "m.lua", "return { run = function() end, " .. desktop .. "}")
  t.eq(run(folder, "--endpoint", "http://127.0.0.1:9").status, 0)
  write(folder, "m.lua", "return { task = 'wait 0.1 seconds', " .. desktop .. "}")
  t.eq(run(folder, "--endpoint", "http://127.0.0.1:9", "--model", "literal", "--accept-claims").status, 0)
end)

-- A server that broke meanwhile: no ten turns, each with its tries.
tests.a_web_page_in_the_middle_of_a_run_ends_it = with_folder(function(folder)
  write(folder, "m.lua", "return { task = 'x', " .. desktop .. "}")
  local server = model_server.start(function() return page end)
  local child, result, events = run(folder, "--endpoint", server.endpoint, "--model", "m")
  t.eq(child.status, 3, child.stderr)
  t.eq(result.status, "error")
  t.has(result.reason, "the model failed 3 times in a row in the same way (limits.model_failures): " .. server.endpoint
    .. ' answers with a web page ("Welcome")')
  t.eq(count(child.stderr, "answers with a web page"), 1, child.stderr)
  t.ok(result.turns <= 2, result.turns .. " turns")
  t.ok(#server.requests <= 6, #server.requests .. " requests")
  t.eq(events[#events].event, "run_end")
  server:stop()
end)

tests.failures_that_differ_are_no_row = with_folder(function(folder)
  write(folder, "m.lua", "return { task = 'x', limits = { turns = 3 }, " .. desktop .. "}")
  local n = 0
  local server = model_server.start(function()
    n = n + 1
    if n % 3 == 0 then return model_server.reply_text "I think." end
    return { status = 400, body = { error = { message = "request r-" .. n .. " is bad" } } }
  end)
  local child, result = run(folder, "--endpoint", server.endpoint, "--model", "m")
  t.eq(child.status, 1, child.stderr)
  t.has(result.reason, "out of turns", "two failures, then an answer")
  server:stop()
end)

-- --- files of one's own -------------------------------------------------------------------------------------

tests.own_files_are_named_with_their_sums = with_folder(function(folder)
  local mission = write(folder, "m.lua", "return { task = 'wait 0.1 seconds', " .. desktop .. "}")
  for _, name in ipairs { "three_body", "strategist", "wait" } do
    t.eq(spawn.run({ spawn.program, "eject", name }, { cwd = folder }).status, 0)
  end
  local path = folder .. "/deskpilot/policies/three_body.lua"
  local edited = files.read(path) .. "-- mine\n"
  assert(files.write(path, edited))
  write(folder, "deskpilot/tools/hum.lua", [[return { name = "hum", description = "Hums.", parameters = {
    type = "object", properties = {} }, run = function() return "hm" end }]])
  write(folder, "config/deskpilot/deskpilot/apps/mine.lua", "return { name = 'Mine', about = 'mine', binary = 'mine', "
    .. "class = 'Mine' }")
  write(folder, "deskpilot.lua", "{ limits = { turns = 9 } }")
  local child, result, events = run(folder, "--model", "literal", "--accept-claims")
  t.eq(child.status, 0, child.stderr)
  t.has(child.stderr, ("your own files: configuration deskpilot.lua, tool hum, tool wait (as it ships) and policy "
    .. "three_body (edited) from %s; application mine from %s/config/deskpilot\n"):format(folder, folder))
  local start, later = events[1], nil
  t.eq({ start.event, start.file.path, start.file.sha256 }, { "run_start", "m.lua",
    system.sha256(files.read(mission)) })
  local by_name = {}
  for _, file in ipairs(start.own_files) do by_name[file.name] = file end
  t.eq(by_name.three_body, { kind = "policy", name = "three_body", folder = "project", root = folder,
    path = "deskpilot/policies/three_body.lua", sha256 = system.sha256(edited), replaces = true, edited = true })
  t.eq({ by_name.mine.kind, by_name.mine.folder, by_name.mine.path }, { "application", "user",
    "deskpilot/apps/mine.lua" })
  for _, event in ipairs(events) do
    if event.event == "note" and event.own_files then later = event end
  end
  t.eq((later or {}).message, "your own files, from now on: prompt strategist (as it ships) from " .. folder,
    "a prompt is read when it is needed")
  t.eq(later.own_files[1].sha256, system.sha256(files.read(folder .. "/deskpilot/prompts/strategist.md")))
  child = spawn.run({ spawn.program, "report", result.run_dir }, { cwd = folder })
  local html = files.read(folder .. "/" .. child.stdout:gsub("\n", ""))
  for _, part in ipairs { by_name.three_body.sha256, "prompt strategist (as it ships)", "tool hum" } do
    t.has(html, part)
  end
end)

tests.what_is_edited_while_a_run_goes_on_is_told_too = with_folder(function(folder)
  write(folder, "helper_of_mine.lua", "return { n = 1 }")
  write(folder, "m.lua", "return { " .. desktop .. [[ run = function(m)
    require "helper_of_mine"
    local file = io.open("helper_of_mine.lua", "w") file:write("return { n = 22 }") file:close()
    require("deskpilot.base.lookup").refresh()
    require "helper_of_mine"
  end }]])
  local child, _, events = run(folder)
  t.eq(child.status, 0, child.stderr)
  local told = events[#events - 1]
  t.eq({ told.event, told.message }, { "note", "your own files, from now on: module helper_of_mine from " .. folder })
  t.eq(told.own_files[1].sha256, system.sha256 "return { n = 22 }")
end)

tests.nothing_is_said_where_nothing_is_ones_own = with_folder(function(folder)
  write(folder, "m.lua", "return { run = function() end, " .. desktop .. "}")
  local child, _, events = run(folder)
  t.ok(not child.stderr:find("own files", 1, true), child.stderr)
  t.eq(events[1].own_files, nil)
end)

-- --- runs that pile up --------------------------------------------------------------------------------------

tests.old_runs_go_and_it_is_said = with_folder(function(folder)
  write(folder, "m.lua", "return { run = function() end, " .. desktop .. "}")
  for _ = 1, 3 do t.eq(run(folder).status, 0) end
  local function runs() return #files.list(folder .. "/runs") end
  t.eq(runs(), 3, "all of them are kept unless somebody says otherwise")
  local going = write(folder, "going.lua", "return { " .. desktop .. [[ run = function(m)
    io.stderr:write("going\n")
    m.desk.wait_until(function() return io.open("stop") end, { timeout = 60 })
  end }]])
  local other = spawn.start({ spawn.program, "run", going, "--runs", "runs" }, { cwd = folder })
  t.wait_until("the other run", function() return other.stderr:find("going\n", 1, true) or other.status end)
  local child, result, events = run(folder, "--set", "runs.keep=1,0,0")
  t.has(child.stderr, "removed the oldest 3 runs (")
  t.has(child.stderr, " from runs: runs.keep_count is 1\n")
  local noted = false
  for _, event in ipairs(events) do noted = noted or event.event == "note" and event.message:find("^removed the") end
  t.ok(noted, "in the journal")
  t.eq(runs(), 2, "this one, and the one that goes on")
  t.ok(files.exists(folder .. "/" .. result.run_dir .. "/result.json"))
  write(folder, "stop", "")
  other:wait()
  t.eq(other.status, 0, other.stderr)
end)

-- --- files to begin with -------------------------------------------------------------------------------------

-- Each kind is made, and a run uses all of them: the agent types into a real editor by the new policy, whose guard and
-- tool are there.
tests.what_new_makes_runs_as_it_is = with_folder(function(folder)
  local env = { XDG_CONFIG_HOME = folder .. "/config", DISPLAY = false }
  local function new(...) return spawn.run({ spawn.program, "new", ... }, { cwd = folder, env = env }) end
  for kind, place in pairs { mission = "missions/my_mission.lua", policy = "deskpilot/policies/my_policy.lua",
    tool = "deskpilot/tools/my_tool.lua", guard = "deskpilot/guards/my_guard.lua", app = "deskpilot/apps/my_app.lua",
    profile = "deskpilot/model/profiles/my_profile.lua" } do
    local child = new(kind, "my_" .. kind)
    t.eq({ child.status, child.stdout }, { 0, files.absolute(folder) .. "/" .. place .. "\n" }, child.stderr)
    t.ok(not files.read(folder .. "/" .. place):find("example", 1, true), place .. " has its own name in it")
  end
  local child = spawn.run({ spawn.program, "run", "my_mission", "--desktop", "private:640x480" }, { cwd = folder,
    env = env })
  t.eq(child.status, 0, child.stderr)
  t.has(child.stderr, "the screen is 640 x 480 pixels")
  for _, own in ipairs { "tool my_tool", "guard my_guard", "application my_app", "profile my_profile" } do
    t.has(child.stderr, own)
  end
  local source = files.read(folder .. "/missions/my_mission.lua")
  child = new("mission", "my_mission")
  t.eq(child.status, 2)
  t.has(child.stderr, "is there already")
  t.eq(files.read(folder .. "/missions/my_mission.lua"), source)
  write(folder, "m.lua", [[return { policy = "my_policy", task = '1. Type "hello"\n2. Press ctrl+a',
    desktop = { kind = "private", size = { 640, 480 }, apps = { { "mousepad" } } },
    verify = function(m) return m.checks.element { app = "mousepad", role = "text", shows = "hello" } end }]])
  local result
  child, result = run(folder, "--model", "literal")
  t.eq({ child.status, result.status }, { 0, "succeeded" }, child.stderr)
  for words, why in pairs { ["mision x"] = "did you mean 'mission'?", ["tool Bad"] = "and begins with a letter",
    ["tool wait"] = "the name of one that ships", ["tool"] = "new wants a kind and a name" } do
    child = new(table.unpack(words:find " " and { words:match "^(%l+) (%a+)$" } or { words }))
    t.eq(child.status, 2, words)
    t.has(child.stderr, why)
  end
end)

-- --- looking at a private desktop ----------------------------------------------------------------------------

tests.commands_that_look_take_a_private_desktop = with_folder(function(folder)
  local function deskpilot(...)
    local child = spawn.run({ spawn.program, ... }, { cwd = folder, env = { DISPLAY = false } })
    t.eq(child.status, 0, child.stderr)
    t.eq(child:left(), {}, "nothing stays")
    return child.stdout
  end
  t.has(deskpilot("windows", "--desktop", "private:800x600", "--app", "galculator"), "galculator")
  t.has(deskpilot("elements", "--desktop", "private", "--app", "galculator"), '"7"')
  deskpilot("shot", "--desktop", "private:640x480", "-o", "screen.png")
  t.eq({ (">I4I4"):unpack(files.read(folder .. "/screen.png"), 17) }, { 640, 480, 25 }, "the PNG's size")
  deskpilot("shot", "--desktop", "private", "--app", "galculator", "--window", "galculator", "--marks", "-o", "w.png")
  t.ok(#files.read(folder .. "/w.png") > 1000)
end)

function tests.a_wayland_session_is_told_of()
  desktop_of_test.with({ size = { 640, 480 } }, function(_, session, folder)
    write(folder, "m.lua", "return { run = function() end, desktop = { kind = 'current' } }")
    local env = desktop_of_test.env(session)
    env.WAYLAND_DISPLAY = "wayland-0"
    local child = spawn.run({ spawn.program, "run", "m.lua", "--runs", "runs" }, { cwd = folder, env = env })
    t.eq(child.status, 0, child.stderr)
    t.has(child.stderr, "Wayland session: through XWayland, programs that use X11 can be seen")
    env.WAYLAND_DISPLAY = false
    child = spawn.run({ spawn.program, "run", "m.lua", "--runs", "runs" }, { cwd = folder, env = env })
    t.ok(not child.stderr:find("Wayland", 1, true), child.stderr)
  end)
end

return tests
