--- The tool run_command: no command without the configuration's or a person's consent, in any policy, judged by the
--- file system; a shell of its own for each, from one folder; and a command service in place of this machine.
local t = require "harness"
local client = require "deskpilot.model.client"
local configured = require "configured"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local manager = require "manager_play"
local model_server = require "model_server"
local null_run = require "null_run"
local odev = require "odev_play"
local orchestrator = require "orchestrator_play"
local report = require "deskpilot.cli.commands.report"
local shell = require "deskpilot.agent.shell"
local spawn = require "spawn"
local three_body = require "three_body_play"

local tests = {}

local windows = t.platform == "windows"
local because = "The file has to be there for what comes next, so this command makes it."

-- A command that leaves a file behind, by which a test sees whether it was run.
local function make(name) return (windows and "echo done> " or "echo done > ") .. name end

-- Calls the tool once for each command in a folder; what came of them, and the run.
local function commands(list, mission, options)
  local folder, results = spawn.folder(), {}
  options = options or {}
  options.flags = options.flags or {}
  options.flags["run_command.folder"] = folder
  options.turn = function(run)
    for i, command in ipairs(list) do
      if i == 1 and type(command) == "function" then command = command(folder) end
      results[i] = run:act { tool = "run_command", args = { command = command, justification = because } }
    end
    run:stop("succeeded", "asked")
  end
  local whole = { task = "x" }
  for key, value in pairs(mission or {}) do whole[key] = value end
  local run, events = null_run.play(whole, options)
  local found = {}
  for _, name in ipairs(files.list(folder)) do
    if name ~= "deskpilot" and name ~= "runs" then found[#found + 1] = name end
  end
  table.sort(found)
  files.remove(folder)
  return results, found, events, run
end

local function answering(words)
  return { ask = function(_, question)
    t.has(question.text, "run_command")
    return words
  end }
end

-- --- consent ------------------------------------------------------------------------------------------------

function tests.a_command_is_run_when_a_person_says_yes()
  local results, found, events = commands({ make "a.txt" }, answering "yes")
  t.ok(results[1].ok, results[1].text)
  t.eq(found, { "a.txt" })
  local question = null_run.only(events, "question")[1]
  t.ok(question.consent)
  t.has(question.text, json.encode(make "a.txt"))
  t.has(question.text, because)
end

function tests.no_command_is_run_without_consent()
  local never = { ask = function() return false, "never" end }
  for name, mission in pairs { nobody = {}, no = answering "no", veto = never } do
    local results, found = commands({ make "a.txt", make "b.txt" }, mission)
    t.eq({ results[1].ok, results[1].code, results[2].ok }, { false, "refused", false }, name)
    t.eq(found, {}, name .. ": nothing was left behind")
  end
  local results, found = commands({ make "a.txt" }, {}, { flags = { ["safety.shell"] = "ask",
    ["safety.shell_allow"] = make "a.txt" } })
  t.eq({ results[1].code, found }, { "refused", {} }, "a list says nothing where everything is asked for")
end

function tests.each_command_needs_its_own_yes()
  local asked = 0
  local results, found = commands({ make "a.txt", make "b.txt", make "a.txt" }, { ask = function()
    asked = asked + 1
    return asked == 2 and "no" or "yes"
  end })
  t.eq({ results[1].ok, results[2].ok, results[3].ok, asked }, { true, false, true, 3 })
  t.eq(found, { "a.txt" })
end

function tests.what_is_off_is_refused_before_anybody_is_asked()
  local results, found, events = commands({ make "a.txt" }, answering "yes", { flags = { ["safety.shell"] = "off" } })
  t.eq({ results[1].ok, results[1].code }, { false, "forbidden" })
  t.has(results[1].text, "safety.shell = off")
  t.eq({ found, #null_run.only(events, "question") }, { {}, 0 })
end

function tests.what_is_listed_is_run_without_asking_and_the_rest_is_asked_for()
  local flags = { ["safety.shell"] = "allow-list", ["safety.shell_allow"] = "echo *," .. make "a.txt" }
  local results, found, events = commands({ "echo hello", make "a.txt", make "b.txt", "echo x; " .. make "c.txt",
    "echo $(" .. make "d.txt" .. ")", "echo x\n" .. make "e.txt", "echo `" .. make "f.txt" .. "`",
    "echo x | " .. make "g.txt", "echo x && " .. make "h.txt" }, {}, { flags = flags })
  t.ok(results[1].ok, results[1].text)
  t.has(results[1].text, "hello")
  t.ok(results[2].ok, results[2].text)
  for i = 3, #results do t.eq({ i, results[i].ok, results[i].code }, { i, false, "refused" }) end
  t.eq(found, { "a.txt" }, "a pattern fits no command with signs of the shell's")
  t.eq(#null_run.only(events, "question"), #results - 2)
end

-- Entering a folder is no decision of the user's.
function tests.a_project_can_only_be_stricter()
  local function mode(user, project)
    return shell.mode(t.ok(configured.resolve { user = user and { safety = { shell = user } },
      project = project and { safety = { shell = project } } }))
  end
  t.eq({ mode(), mode("off"), mode("off", "ask"), mode("off", "allow-list") }, { "ask", "off", "off", "off" })
  t.eq({ mode(nil, "off"), mode(nil, "allow-list"), mode("allow-list", "ask") }, { "off", "ask", "ask" })
  t.eq(mode("allow-list"), "allow-list")
  local function listed(user, project, command)
    return shell.is_listed(t.ok(configured.resolve { user = { safety = { shell = "allow-list", shell_allow = user } },
      project = { safety = { shell_allow = project } } }), command)
  end
  t.eq({ listed({ "ls*" }, nil, "ls -l"), listed({}, { "*" }, "ls"), listed({ "ls*", "cat *" }, { "ls*" }, "cat x"),
    listed({ "ls*", "cat *" }, { "ls*" }, "ls x") }, { true, false, false, true })
  local config = t.ok(configured.resolve { project = { run_command = { service = "https://example.org/run" } } })
  t.eq(shell.service(config), nil, "nor does it choose where commands go")
end

function tests.what_a_person_cannot_see_whole_is_refused()
  for _, command in ipairs { "echo \u{202E}txt.a", "echo a\u{200B}b", "echo a\27[2Kb", ("\n"):rep(900) .. "rm x" } do
    local results, _, events = commands({ command }, answering "yes")
    t.eq({ results[1].ok, results[1].code }, { false, "forbidden" }, command)
    t.eq(#null_run.only(events, "question"), 0)
  end
  local results = commands({ "echo secret-word" }, answering "yes", { flags = { ["safety.forbidden_texts"] =
    "Secret-Word" } })
  t.has(results[1].text, "safety.forbidden_texts")
end

-- --- in every policy ----------------------------------------------------------------------------------------

-- A model that asks for the command whoever it is.
local function destructive(command)
  local action = { tool = "run_command", args = { command = command } }
  return function(request)
    local who = three_body.persona(request)
    if three_body.tool(request, "write_plan") then
      return manager.plan(manager.subtask("technician", "Tidy the folder"))
    elseif three_body.tool(request, "judge") then return manager.judge("no", "go_on")
    elseif three_body.tool(request, "plan") then return odev.plan { actions = { action } }
    elseif three_body.tool(request, "decide") then
      return orchestrator.decide { commands = { { action.tool, action.args } } }
    elseif who == "strategist" then return three_body.doctrine {}
    elseif who == "tactician" then return three_body.orders("EXECUTION", { "run_command" }) end
    return model_server.reply_tool("run_command", { command = command, justification = because })
  end
end

function tests.a_model_that_asks_for_rm_rf_gets_nowhere_in_any_policy()
  for _, policy in ipairs { "three_body", "odev", "task_executor", "orchestrator", "manager" } do
    local folder = spawn.folder()
    assert(files.write(folder .. "/precious.txt", "x"))
    local command = windows and "del /q precious.txt" or "rm -rf ./*"
    local server = model_server.start(destructive(command))
    server.lenient = true
    local run, events = null_run.play({ task = "Tidy up.", policy = policy, limits = { turns = 60, seconds = 30 },
      timing = { verify = 0.1 } }, { flags = { ["tools.offer"] = "run_command", ["run_command.folder"] = folder,
      ["model.calls_per_minute"] = 0, ["odev.vision"] = false }, client = assert(client.new {
        endpoint = server.endpoint, model = "scripted", retries = 0 }) })
    server:stop()
    t.eq(run.outcome.status, "failed", policy .. ": " .. run.outcome.reason)
    local tried = 0
    for _, event in ipairs(null_run.only(events, "action_result")) do
      if event.tool == "run_command" then
        tried = tried + 1
        t.ok(not event.ok, policy .. ": " .. event.text)
        t.has(event.text, "nobody has allowed this")
      end
    end
    t.ok(tried > 0, policy .. " has tried")
    local page = report.html(events, "run")
    t.has(page, "nobody has allowed this")
    t.has(page, windows and "del /q" or "rm -rf")
    t.eq(files.read(folder .. "/precious.txt"), "x", policy .. ": the file is there")
    files.remove(folder)
  end
end

-- Nobody is offered it unasked.
function tests.no_persona_but_the_technician_has_it_by_itself()
  local _, box = configured.defaults()
  for _, name in ipairs(box:names()) do t.ok(name ~= "run_command") end
end

-- --- running ------------------------------------------------------------------------------------------------

function tests.every_command_begins_in_the_same_folder_in_a_shell_of_its_own()
  local where = windows and "cd" or "pwd"
  local results, found = commands({ "mkdir sub", windows and "cd sub && set X=1" or "cd sub && X=1", where,
    make "a.txt", windows and "echo [%X%]" or "echo [$X]" }, answering "yes")
  for i, result in ipairs(results) do t.ok(result.ok, i .. ": " .. result.text) end
  t.ok(not results[3].text:find "sub", results[3].text)
  t.eq(found, { "a.txt", "sub" })
  t.ok(not results[5].text:find("[1]", 1, true), results[5].text)
end

function tests.what_came_of_it_is_told_and_a_failure_is_one()
  local results, _, events = commands({
    windows and "echo one& echo two 1>&2& exit 3" or "echo one; echo two >&2; exit 3",
    windows and "echo \"two words\"" or "echo 'two words'", windows and "rem" or "true" }, answering "yes")
  t.eq(results[1].ok, false)
  t.has(results[1].text, "exit status 3\nstdout:\none\nstderr:\ntwo")
  t.has(results[2].text, "two words")
  t.eq(results[3].text, "exit status 0\nno output")
  t.eq(null_run.only(events, "action_result")[2].data.status, 0)
end

function tests.a_command_that_does_not_end_is_killed_and_a_long_output_cut()
  local endless = windows and "for /l %i in (0) do @rem" or "echo begun; exec sleep 60"
  local long = windows and "for /l %i in (1,1,200) do @echo 0123456789" or "seq 1 100000"
  local results = commands({ endless }, answering "yes", { flags = { ["run_command.seconds"] = 1 } })
  t.eq({ results[1].ok, results[1].code }, { false, "timed_out" })
  t.ok(results[1].text:find "[^%d]1 s", "after the seconds that are set: " .. results[1].text)
  if not windows then t.has(results[1].text, "its output until then: begun") end
  results = commands({ long, windows and "set /p X=" or "read X; echo \"[$X]\"" }, answering "yes",
    { flags = { ["run_command.seconds"] = 20, ["run_command.max_output"] = 500 } })
  t.ok(#results[1].text < 700, #results[1].text)
  t.has(results[1].text, "the rest of the output is left out")
  t.ok(results[2].code ~= "timed_out", "a command that asks finds the end of its input")
  if not windows then t.has(results[2].text, "[]", "and nothing before it") end
end

-- --- a command service --------------------------------------------------------------------------------------

local function with_service(answer, list, flags)
  local server = model_server.start(answer)
  server.lenient = true
  flags = flags or {}
  flags["run_command.service"] = server.origin .. "/run"
  local results, found = commands(list, answering "yes", { flags = flags })
  server:stop()
  return results, found, server.requests
end

function tests.a_command_service_runs_them_in_place_of_this_machine()
  local results, found, requests = with_service(function()
    return { body = { status = 0, stdout = "there\n", stderr = "" } }
  end, { make "a.txt" })
  t.ok(results[1].ok, results[1].text)
  t.has(results[1].text, "stdout:\nthere")
  t.eq(found, {}, "nothing was run here")
  t.eq({ requests[1].path, requests[1].json.command, requests[1].json.seconds }, { "/run", make "a.txt", 60 })
end

function tests.a_command_service_that_misbehaves_is_told_of()
  local results = with_service(function() return { status = 500, body = "out of order" } end, { "ls" })
  t.has(results[1].text, "the command service answered with the status 500: out of order")
  results = with_service(function() return { body = { output = "x" } } end, { "ls" })
  t.eq({ results[1].ok, results[1].code }, { false, "protocol" })
  results = with_service(function() return { body = { status = 0, stdout = ("x"):rep(5000) } } end, { "ls" },
    { ["run_command.max_output"] = 100 })
  t.ok(#results[1].text < 300)
  results = commands({ "ls" }, answering "yes", { flags = { ["run_command.service"] = "http://example.org/run" } })
  t.has(results[1].text, "must be an address with https, or one of this machine")
end

function tests.the_service_gets_its_own_key()
  local folder = spawn.folder()
  assert(files.write(folder .. "/key", "the-key-of-the-service\n"))
  local _, _, requests = with_service(function() return { body = { status = 0 } } end, { "ls" },
    { ["run_command.service_key_file"] = folder .. "/key" })
  t.eq(requests[1].headers.authorization, "Bearer the-key-of-the-service")
  files.remove(folder)
end

return tests
