--- A user's policy, guard and tool with options of their own, in a project folder, by the real program.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local spawn = require "spawn"

local tests = {}

local policy = [[
return {
  api = %d,
  options = {
    interval = { type = "integer", default = 5, min = 1, about = "turns between two looks" },
    careful = { type = "boolean", default = false },
    places = { type = "list", default = { "here" } },
  },
  turn = function(run)
    run:stop("succeeded", ("interval %%d, careful %%s, places %%s"):format(run.config:get "my_policy.interval",
      run.config:get "my_policy.careful", table.concat(run.config:get "my_policy.places", "+")))
  end,
}
]]

local mission = [[return { task = "anything", policy = "my_policy",
  desktop = { kind = "private", size = { 640, 480 } }, %s }]]

local function write(folder, name, source)
  local path = files.join(folder, name)
  assert(files.make_folder((files.split(path))))
  assert(files.write(path, source))
end

-- Runs fn(folder) in a project with my_policy.
local function with_project(fn)
  return function()
    local folder = spawn.folder()
    write(folder, "deskpilot/policies/my_policy.lua", policy:format(1))
    write(folder, "m.lua", mission:format "")
    fn(folder)
    files.remove(folder)
  end
end

local function run(folder, ...)
  local child = spawn.run({ spawn.program, "run", "m.lua", "--json", "--model", "literal", "--runs", folder .. "/runs",
    ... }, { cwd = folder, env = { XDG_CONFIG_HOME = folder .. "/config" } })
  return child, json.decode(child.stdout) or {}
end

local function ends(folder, reason, ...)
  local child, result = run(folder, ...)
  t.eq(child.status, 0, child.stderr)
  t.eq({ result.status, result.reason }, { "succeeded", reason })
  return result
end

-- Before anything is touched: no run folder is made, and no desktop is started.
local function refused(folder, part, ...)
  local child, result = run(folder, ...)
  t.eq(child.status, 2, child.stderr)
  t.has(child.stderr, part)
  t.eq({ result.status, result.run_dir }, { "error" }, child.stdout)
  t.ok(not files.exists(folder .. "/runs"), "nothing was begun")
end

tests.a_policys_options_from_everywhere = with_project(function(folder)
  ends(folder, "interval 5, careful false, places here")
  ends(folder, "interval 3, careful true, places a+b", "--set", "my_policy.interval=3", "--set", "my_policy.careful=on",
    "--set", "my_policy.places=a, b")
  write(folder, "m.lua", mission:format "my_policy = { interval = 4, places = {} }")
  ends(folder, "interval 4, careful false, places ")
  write(folder, "deskpilot.lua", "return { my_policy = { interval = 7, careful = true } }")
  ends(folder, "interval 4, careful true, places ")
  write(folder, "m.lua", mission:format "")
  ends(folder, "interval 7, careful false, places here", "--set", "my_policy.careful=off")
  write(folder, "config/deskpilot/config.lua", "return { my_policy = { interval = 8, places = { 'user' } } }")
  local result = ends(folder, "interval 7, careful true, places user")
  local journal = t.ok(files.read(files.join(result.run_dir, "journal.jsonl"))) or ""
  t.has(journal:match "[^\n]*", '"my_policy.interval":7')
end)

tests.wrong_values_and_names = with_project(function(folder)
  refused(folder, "my_policy.interval is 'many', but must be a whole number (from --set)", "--set",
    "my_policy.interval=many")
  refused(folder, "my_policy.interval is '0', but must be at least 1", "--set", "my_policy.interval=0")
  refused(folder, "there is no configuration key 'my_policy.intervall'; did you mean 'my_policy.interval'?", "--set",
    "my_policy.intervall=3")
  refused(folder, "there is no configuration key 'my_policy.colour'; my_policy has careful, interval and places",
    "--set", "my_policy.colour=red")
  refused(folder, "there is no configuration key 'my_polcy.interval', nor anything else in a section 'my_polcy'; "
    .. "did you mean 'my_policy.interval'?", "--set", "my_polcy.interval=3")
  write(folder, "m.lua", mission:format "my_policy = { interval = 'x' }")
  refused(folder, "my_policy.interval is 'x', but must be a whole number (from m.lua)")
  write(folder, "m.lua", mission:format "my_policy = 3")
  refused(folder, "m.lua: my_policy must be a table, not a number")
  write(folder, "m.lua", mission:format "my_polcy = { interval = 3 }")
  refused(folder, "there is no configuration key 'my_polcy'; did you mean 'my_policy'? (from m.lua)")
  write(folder, "m.lua", mission:format "")
  write(folder, "deskpilot.lua", "return { my_policy = { careful = 'perhaps' } }")
  refused(folder, "my_policy.careful is 'perhaps', but must be true or false (from " .. folder
    .. "/deskpilot.lua)")
end)

tests.another_api = with_project(function(folder)
  write(folder, "deskpilot/policies/my_policy.lua", policy:format(0))
  local path = files.absolute(folder .. "/deskpilot/policies/my_policy.lua")
  refused(folder, ("the policy 'my_policy' (%s) is written for api 0 of policies, but this deskpilot has api 1: "
    .. "change it as CHANGELOG.md says"):format(path))
  write(folder, "deskpilot/policies/my_policy.lua", policy:format(2))
  refused(folder, "is written for api 2 of policies, but this deskpilot has api 1: use a newer deskpilot")
  write(folder, "deskpilot/policies/my_policy.lua", policy:format(1))
  local child = spawn.run({ spawn.program, "eject", "loop_detection", "wait" }, { cwd = folder })
  t.eq(child.status, 0, child.stderr)
  ends(folder, "interval 5, careful false, places here")
  files.remove(folder .. "/runs")
  for name, what in pairs { ["guards/loop_detection"] = "guard", ["tools/wait"] = "tool" } do
    local file = files.join(folder, "deskpilot", name .. ".lua")
    local source = files.read(file)
    t.has(source, "  api = 1,\n", "an ejected file is as it ships")
    assert(files.write(file, (source:gsub("api = 1", "api = 0"))))
    local word = name:match "[^/]*$"
    refused(folder, ("the %s '%s' (%s) is written for api 0 of "):format(what, word, files.absolute(file)))
    refused(folder, ("run `deskpilot eject %s` again"):format(word))
    files.remove(file)
  end
end)

tests.malformed_options = with_project(function(folder)
  local function wrong(options, part)
    write(folder, "deskpilot/policies/my_policy.lua",
      ("return { options = %s, turn = function() end }"):format(options))
    refused(folder, part)
  end
  wrong("{ interval = { default = 5 } }", "the option 'interval' has no type; types are ")
  wrong("{ interval = { type = 'int' } }", "the option 'interval' has the type 'int', which does not exist")
  wrong("'interval'", "its options are 'interval', but must be a table")
  write(folder, "deskpilot/policies/my_policy.lua", policy:format(1))
  write(folder, "deskpilot/guards/mine.lua", [[return { section = "my_policy", options = {
    interval = { type = "integer", default = 6 } } }]])
  refused(folder, "the option 'interval' would be the key my_policy.interval, which the guard 'mine' (")
end)

-- A guard's and a tool's, and those of a policy that a script asks for an agent.
tests.guards_and_tools_have_options_too = with_project(function(folder)
  write(folder, "deskpilot/guards/shy.lua", [[return { api = 1, options = { keys = { type = "list", default = {} } },
    action = function(run, action)
      for _, key in ipairs(run.config:get "shy.keys") do
        if action.args.key == key then return { veto = "too shy for " .. key } end
      end
    end }]])
  write(folder, "deskpilot/tools/count.lua", [[return { api = 1, name = "count", description = "Counts.", acts = false,
    section = "numbers", options = { step = { type = "number", default = 1 } },
    parameters = { type = "object", properties = {} },
    run = function(ctx) return "counted by " .. ctx.config:get "numbers.step" end }]])
  write(folder, "m.lua", [[return { desktop = { kind = "private" }, run = function(m)
    local words = { m:act({ tool = "count" }).text, m:act({ tool = "press_key",
      args = { key = "shift", justification = "because" } }).text }
    local _, reason = m:achieve("anything", { policy = "my_policy" })
    m:stop("succeeded", table.concat(words, "; ") .. "; " .. reason)
  end }]])
  ends(folder, "counted by 1; pressed shift; interval 5, careful false, places here")
  ends(folder, "counted by 2.5; the guard shy vetoed this: too shy for shift; interval 9, careful false, places here",
    "--set", "numbers.step=2.5", "--set", "shy.keys=alt,shift", "--set", "my_policy.interval=9")
  files.remove(folder .. "/runs")
  refused(folder, "numbers.step is 'x', but must be a number", "--set", "numbers.step=x")
end)

tests.a_tool_is_checked_before_anything_is_touched = with_project(function(folder)
  write(folder, "deskpilot/policies/my_policy.lua", policy:format(1))
  local file = files.absolute(folder .. "/deskpilot/tools/mine.lua")
  for _, parameters in ipairs { "%s", "function() return %s end" } do
    write(folder, "deskpilot/tools/mine.lua", ([[return { name = "mine", description = "d", run = print,
      parameters = %s }]]):format(parameters:format "{ properties = { title = { type = 'string', minLenght = 1 } } }"))
    refused(folder, ("the tool 'mine' (%s) has parameters that cannot be used: parameters.title: the keyword minLenght "
      .. "is not known; did you mean minLength?"):format(file))
  end
end)

-- The example of docs/configuration.md, and what its persona spends.
tests.the_one_that_is_explained_works = with_project(function(folder)
  local page = t.ok(files.read "docs/configuration.md") or ""
  local source = t.ok(page:match "```lua\n(%-%- deskpilot/policies/my_policy.lua.-)```", "the example") or ""
  local asking, count = source:gsub("%-%- run:ask { persona = \"helper\", ... }[^\n]*",
    [[run:ask { persona = "helper", system = "s", text = "t", acts = true }
    if run.turn == 3 then run:stop("succeeded", "asked") end]])
  t.eq(count, 1)
  write(folder, "deskpilot/policies/my_policy.lua", asking)
  local function spent(...)
    local server = model_server.start(function() return model_server.reply_text "ok" end)
    local result = ends(folder, "asked", "--model", "some", "--endpoint", server.endpoint, ...)
    server:stop()
    t.eq(server:problems(), "")
    local journal = files.read(files.join(result.run_dir, "journal.jsonl")) or ""
    local got = server.requests[1].json
    return { got.temperature, math.tointeger(got.max_tokens), select(2, journal:gsub("a look at the plan", "")) }
  end
  t.eq(spent(), { 0.3, 800, 0 })
  t.eq(spent("--set", "my_policy.interval=1", "--set", "personas.helper.temperature=1.1", "--set",
    "personas.helper.max_tokens=99"), { 1.1, 99, 3 })
end)

-- Commands that run no missions: `eval` looks at the files of the project, `doctor` runs none of them.
tests.other_commands = with_project(function(folder)
  local function deskpilot(...)
    return spawn.run({ spawn.program, ... }, { cwd = folder, env = { XDG_CONFIG_HOME = folder, DISPLAY = false } })
  end
  write(folder, "deskpilot/policies/my_policy.lua", "io.stderr:write('loaded\\n') " .. policy:format(1))
  local function says(settings, status, part)
    write(folder, "deskpilot.lua", "return { " .. settings .. " }")
    local child = deskpilot("eval", "1 + 1")
    t.eq(child.status, status, child.stderr)
    t.has(status == 0 and child.stdout or child.stderr, part)
    return child
  end
  t.eq(says("", 0, "2\n").stderr, "", "nobody has asked for it")
  t.eq(says("timing = { verify = 1 }, limits = { turns = 3 }", 0, "2\n").stderr, "")
  t.has(says("my_policy = { interval = 3 }", 0, "2\n").stderr, "loaded")
  says("my_policy = { interval = 0 }", 2,
    "my_policy.interval is 0, but must be at least 1 (from " .. folder .. "/deskpilot.lua)")
  says("my_policy = { intervall = 3 }", 2, "did you mean 'my_policy.interval'?")
  local child = deskpilot("doctor", "--set", "model.name=literal")
  t.has(child.stdout, "only `run` can tell whether files of your own declare my_policy\n")
  t.ok(not (child.stdout .. child.stderr):find("loaded", 1, true), "doctor runs nobody's files")
  files.remove(folder .. "/deskpilot")
  t.has(deskpilot("doctor").stdout, "there is no configuration key 'my_policy'")
end)

return tests
