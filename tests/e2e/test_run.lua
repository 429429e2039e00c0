--- `deskpilot run` from outside: its refusals, its exit statuses, interruption, hooks, overriding.
local t = require "harness"
local spawn = require "spawn"
local task = require "deskpilot.base.task"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local journal = require "deskpilot.agent.journal"
local model_server = require "model_server"

local calculator = [[desktop = { kind = "private", size = { 1280, 800 }, apps = { { "galculator" } } },]]

local function write(folder, name, source)
  local path = files.join(folder, name)
  assert(files.make_folder((files.split(path))))
  assert(files.write(path, source))
  return path
end

local function run(folder, mission, ...)
  local child = spawn.run({ spawn.program, "run", mission, "--json", "--runs", folder .. "/runs", ... },
    { cwd = folder })
  return child, json.decode(child.stdout) or {}
end

local with_folder = spawn.in_folder

local tests = {}

tests.refusals = with_folder(function(folder)
  local function refused(status, part, ...)
    local child = spawn.run({ spawn.program, "run", "--json", ... }, { cwd = folder, env = { DISPLAY = false } })
    t.eq(child.status, status, child.stderr)
    t.has(child.stderr, part)
    t.eq(select(2, child.stderr:gsub("\n", "")), 1, "one line: " .. child.stderr)
    local object = json.decode(child.stdout) or {}
    t.eq({ object.status, object.turns, object.run_dir }, { "error", 0 }, "the one JSON object: " .. child.stdout)
  end
  local good = write(folder, "good.lua", [[return { task = 'click "7"', desktop = { kind = "current" } }]])
  refused(2, "nothere", "nothere.lua")
  refused(2, "broken.lua", write(folder, "broken.lua", "return {"))
  refused(2, "must return a table", write(folder, "number.lua", "return 7"))
  refused(2, "did you mean \"verify\"", write(folder, "typo.lua", "return { task = 'x', verfy = print }"))
  refused(2, "`task`", write(folder, "empty.lua", "return {}"))
  refused(2, "limits.turns", good, "--set", "limits.turn=3")
  refused(2, "whole number", good, "--set", "limits.turns=many")
  refused(2, "three_body", good, "--policy", "three_bodies")
  refused(2, "--policy", good, "--polycy", "x")
  refused(3, "DISPLAY", good, "--model", "literal")
end)

tests.no_model_server = with_folder(function(folder)
  local mission = write(folder, "m.lua", "return { task = 'anything', " .. calculator .. "}")
  local child, result = run(folder, mission, "--endpoint", "http://127.0.0.1:9/v1", "--set", "model.retries=0")
  t.eq(child.status, 3, child.stderr)
  t.eq(result.status, "error")
  t.has(child.stderr, "lms server start")
  t.has(child.stderr, "ollama serve")
end)

tests.literal_refuses_what_is_no_step = with_folder(function(folder)
  local mission = write(folder, "m.lua", "return { task = 'make me happy', " .. calculator .. "}")
  local child, result = run(folder, mission, "--model", "literal")
  t.eq(child.status, 1, child.stderr)
  t.eq(result.status, "failed")
  t.has(result.reason, "click")
end)

tests.false_verify_never_succeeds = with_folder(function(folder)
  local mission = write(folder, "m.lua", "return { task = 'click \"7\", then expect \"7\"', " .. calculator .. [[
    limits = { turns = 8 }, timing = { verify = 0.2 },
    verify = function() return false, "the moon is missing" end }]])
  local child, result = run(folder, mission, "--model", "literal")
  t.eq(child.status, 1, child.stderr)
  t.ok(result.status ~= "succeeded", result.status)
  local refused = 0
  for _, event in ipairs(journal.read(result.run_dir)) do
    if event.event == "action_result" and event.tool == "report_completion" then
      refused = refused + 1
      t.eq(event.ok, false)
      t.has(event.text, "the moon is missing")
    end
  end
  t.ok(refused > 0, "the claim was made and refused")
end)

tests.before_action_vetoes_a_click = with_folder(function(folder)
  local mission = write(folder, "m.lua", "return { task = 'click \"7\"', " .. calculator .. [[
    limits = { turns = 4 },
    before_action = function(m, action)
      if action.tool == "click_element" then return false, "not today" end
    end,
    verify = function(m) return m.desk.elements.find { app = "galculator", text = "7" } ~= nil, "no 7 shown" end }]])
  local child, result = run(folder, mission, "--model", "literal")
  t.eq(child.status, 1, child.stderr)
  local vetoed = 0
  for _, event in ipairs(journal.read(result.run_dir)) do
    if event.event == "action_result" and event.tool == "click_element" then
      vetoed = vetoed + 1
      t.eq(event.ok, false)
      t.has(event.text, "not today")
    end
    t.ok(event.event ~= "settled", "a vetoed action settles nothing")
  end
  t.ok(vetoed > 0, "a click was asked for")
end)

tests.ejected_and_edited_policy = with_folder(function(folder)
  local child = spawn.run({ spawn.program, "eject", "three_body" }, { cwd = folder })
  t.eq(child.status, 0, child.stderr)
  local path = files.join(folder, "deskpilot/policies/three_body.lua")
  local source = t.ok(files.read(path), "the ejected file")
  local edited, count = source:gsub("function policy.turn%(run%)\n",
    "%0  if run.turn == 2 then run:stop(\"failed\", \"as edited\") return end\n")
  t.eq(count, 1)
  assert(files.write(path, edited))
  local mission = write(folder, "m.lua", "return { task = 'click \"7\", click \"8\"', " .. calculator .. "}")
  local second, result = run(folder, mission, "--model", "literal")
  t.eq(second.status, 1, second.stderr)
  t.eq(result.reason, "as edited")
end)

-- How long a run takes from its last line to its end.
local function usual_end(folder)
  local mission = write(folder, "short.lua", "return { " .. calculator .. [[
    run = function() io.stderr:write("at its end\n") end }]])
  local child = spawn.start({ spawn.program, "run", mission, "--json", "--runs", folder .. "/runs" }, { cwd = folder })
  t.wait_until("the run's last line", function() return child.stderr:find("at its end", 1, true) end, 30)
  local began = task.now()
  child:wait()
  return task.now() - began
end

-- Interrupts the child that start() gives once the function that comes with it says that it is under way, and checks
-- how it ends: within a second, or, where the machine is too busy for that, as fast as a run that ends by itself.
local function is_interrupted(folder, start, check)
  local best, most = math.huge, 1
  for _ = 1, 5 do
    local child, ready = start()
    t.wait_until("what is to be interrupted", ready, 30)
    local began = task.now()
    child:kill("sigint")
    child:wait()
    best = math.min(best, task.now() - began)
    t.eq(child.status, 130, child.stderr)
    t.eq(child:left(), {}, "processes left behind")
    local result = json.decode(child.stdout) or {}
    t.eq(result.status, "interrupted")
    local events = journal.read(result.run_dir or "") or {}
    t.eq((events[#events] or {}).event, "run_end")
    if check then check(result) end
    if best < most then break end
    most = math.max(most, 1.5 * usual_end(folder))
    if best < most then break end
  end
  t.ok(best < most, ("ended within %.2f s, took %.2f at best"):format(most, best))
end

tests.ctrl_c_in_mid_turn = with_folder(function(folder)
  local server = model_server.start(function() return { delay = 60 } end)
  local mission = write(folder, "m.lua", "return { task = 'anything', " .. calculator .. "}")
  is_interrupted(folder, function()
    local before = #server.requests
    return spawn.start({ spawn.program, "run", mission, "--json", "--runs", folder .. "/runs",
      "--endpoint", server.endpoint }, { cwd = folder }), function() return #server.requests > before end
  end, function(result)
    t.eq(json.decode(files.read(files.join(result.run_dir, "result.json"))).status, "interrupted")
  end)
  server:stop()
end)

tests.kill_9_leaves_nothing_but_a_readable_journal = with_folder(function(folder)
  local server = model_server.start(function() return { delay = 60 } end)
  local mission = write(folder, "m.lua", "return { task = 'anything', " .. calculator .. "}")
  local child = spawn.start({ spawn.program, "run", mission, "--json", "--runs", folder .. "/runs",
    "--endpoint", server.endpoint }, { cwd = folder })
  t.wait_until("the first request", function() return #server.requests > 0 end, 30)
  child:kill("sigkill")
  child:wait()
  t.wait_until("the private desktop to be gone", function() return #child:left() == 0 end, 20)
  local name = files.list(folder .. "/runs")[1]
  local events = t.ok(journal.read(files.join(folder, "runs", name)))
  t.ok(#events >= 3, "events up to the kill")
  server:stop()
end)

tests.an_endless_script_can_be_stopped = with_folder(function(folder)
  local mission = write(folder, "m.lua", [[return { desktop = { kind = "private" }, run = function(m)
    io.stderr:write("looping\n")
    while true do pcall(function() while true do end end) end
  end }]])
  is_interrupted(folder, function()
    local child = spawn.start({ spawn.program, "run", mission, "--json", "--runs", folder .. "/runs" },
      { cwd = folder })
    return child, function() return child.stderr:find("looping", 1, true) end
  end)
end)

local function script(folder, source)
  return write(folder, "m.lua", "return { desktop = { kind = 'private' }, " .. source .. "}")
end

tests.a_script_whose_check_is_false_never_succeeds = with_folder(function(folder)
  local policy = "return { turn = function() error('the policy broke') end }"
  write(folder, "deskpilot/policies/broken.lua", policy)
  local child, result = run(folder, script(folder, [[
    run = function(m) pcall(m.achieve, m, "anything", { policy = "broken" }) end,
    timing = { verify = 0.1 }, verify = function() return false, "no" end]]))
  t.eq(child.status, 1, child.stderr)
  t.eq(result.status, "failed", result.reason)
end)

tests.a_script_hands_parts_of_its_work_to_an_agent = with_folder(function(folder)
  local child, result = run(folder, write(folder, "m.lua", "return { " .. calculator .. [[
    run = function(m)
      local ok, why = m:achieve('click "7", click "*"', { accept_claims = true })
      if not ok then return false, why end
      ok, why = m:achieve('click "6", click "="', { verify = function() return
        m.desk.elements.find { app = "galculator", text = "42" } ~= nil, "no 42" end })
      if not ok then return false, why end
      ok, why = m:achieve('click "no such thing"')
      return not ok and why:find("no such thing", 1, true) ~= nil, "an impossible part was done"
    end }]]), "--model", "literal")
  t.eq(child.status, 0, child.stderr)
  t.eq(result.status, "succeeded", result.reason)
end)

tests.a_part_that_a_hook_hands_to_an_agent_does_not_end_the_mission = with_folder(function(folder)
  local mission = "return { task = 'click \"7\"; expect \"87\"', " .. calculator .. [[
    turn_start = function(m)
      if m.turn == 1 then assert(m:achieve('click "8"', { accept_claims = true })) end
    end,
    verify = function(m) return m.desk.elements.find { app = "galculator", text = "87" } ~= nil, "no 87" end }]]
  local child, result = run(folder, write(folder, "m.lua", mission), "--model", "literal")
  t.eq(child.status, 0, child.stderr)
  t.eq(result.status, "succeeded", result.reason)
  t.has(result.reason, "All 2 steps", "the claim of the mission's own task")
  local goals = {}
  for _, event in ipairs(journal.read(result.run_dir)) do
    if event.event == "action_result" and event.tool == "click_element" then
      goals[#goals + 1] = ("%s %s"):format(event.args.label, event.goal or "own")
    end
  end
  t.eq(goals, { "8 1.1", "7 own" })
end)

tests.an_end_that_a_hook_asked_for_outlives_achieve = with_folder(function(folder)
  local child, result = run(folder, script(folder, [[
    note = function() return { stop = { "failed", "a hook said so" } } end,
    run = function(m) m:note("x") m:achieve('click "7"') end]]), "--model", "literal")
  t.eq(child.status, 1, child.stderr)
  t.eq({ result.status, result.reason }, { "failed", "a hook said so" })
end)

tests.a_status_that_does_not_exist_is_an_error = with_folder(function(folder)
  local _, result = run(folder, script(folder, [[run = function(m) m:stop("banana") end]]))
  t.eq(result.status, "error")
  t.has(result.reason, "banana")
end)

tests.standard_output_is_for_the_one_object = with_folder(function(folder)
  local child, result = run(folder, script(folder, [[run = function() print("hello") io.write("there") end]]))
  t.eq(result.status, "succeeded", child.stdout)
  t.has(child.stderr, "hello")
end)

tests.what_is_no_data_does_not_end_the_run = with_folder(function(folder)
  local child, result = run(folder, script(folder, [[run = function(m)
    m:act { tool = "wait" }
    m:act { tool = "wait", args = { seconds = 0.1, justification = print } }
    m:act { tool = "wait", args = 5 }
    m:act { tool = "wait", args = { nil, 5 } }
  end]]))
  t.eq(child.status, 0, child.stderr)
  t.eq(result.actions, 4)
end)

tests.secrets_stay_out_of_the_run = with_folder(function(folder)
  local server = model_server.start(function() return { status = 401,
    body = '{"error":{"message":"bad key token-of-mine"}}' } end)
  local mission = write(folder, "m.lua", "return { task = 'x', " .. calculator .. "}")
  local child = spawn.run({ spawn.program, "run", mission, "--json", "-v", "--runs", folder .. "/runs", "--endpoint",
    (server.endpoint:gsub("//", "//me:ss-word-x@") .. "?key=query-secret") },
    { cwd = folder, env = { DESKPILOT_API_KEY = "token-of-mine" } })
  local result = json.decode(child.stdout) or {}
  t.eq(child.status, 3, "a wrong key is told of at once: " .. child.stderr)
  local all = child.stdout .. child.stderr
  for _, name in ipairs { "journal.jsonl", "result.json", "trajectory.json" } do
    all = all .. (files.read(files.join(result.run_dir or "", name)) or "")
  end
  for _, name in ipairs(files.list(files.join(result.run_dir or "", "requests"))) do
    all = all .. files.read(files.join(result.run_dir, "requests", name))
  end
  for _, secret in ipairs { "token-of-mine", "ss-word-x", "query-secret" } do
    t.eq(all:find(secret, 1, true), nil, secret)
  end
  server:stop()
end)

return tests
