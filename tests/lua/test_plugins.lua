--- Policies, guards and tools as files: the version that they are written for, their options, their personas.
local t = require "harness"
local configured = require "configured"
local files = require "deskpilot.base.files"
local lookup = require "deskpilot.base.lookup"
local persona = require "deskpilot.agent.persona"
local plugins = require "deskpilot.agent.plugins"
local settings_module = require "deskpilot.cli.settings"
local spawn = require "spawn"
local shipped_files = require "native.shipped"

local tests = {}

-- Runs fn(write, folder) with a project folder: write("policies/mine", source).
local function with_project(fn)
  return function()
    local folder = spawn.folder()
    lookup.set_roots { project_folder = folder }
    local function write(name, source)
      local path = files.join(folder, "deskpilot", name .. ".lua")
      assert(files.make_folder((files.split(path))))
      assert(files.write(path, source))
      return path
    end
    local ok, err = xpcall(fn, debug.traceback, write, folder)
    lookup.set_roots {}
    files.remove(folder)
    if not ok then error(err, 0) end
  end
end

local policy = "return { turn = function() end, %s }"
local kinds = { "guards", "policies", "tools" }

function tests.all_that_ships_says_its_version()
  local count = 0
  for _, kind in ipairs(kinds) do
    for _, name in ipairs((lookup.list(kind))) do
      local source = shipped_files.read(("deskpilot/%s/%s.lua"):format(kind, name))
      t.ok(source:find("\n  api = %d+,\n"), name .. " has its line")
      local plugin = t.ok(plugins.load(kind, name), name)
      t.eq(plugin and plugin.api, plugins.api[kind], name .. " is written for the version that there is")
      count = count + 1
    end
  end
  t.ok(count > 30, count)
end

tests.another_version_is_refused = with_project(function(write)
  local path = write("policies/mine", policy:format "api = 0")
  local function refused(part, name)
    local none, err = plugins.load("policies", name or "mine")
    t.fails("invalid", part, none, err)
    t.has(tostring(err), "is written for api ")
  end
  refused(("the policy 'mine' (%s) is written for api 0 of policies, but this deskpilot has api 1"):format(
    files.absolute(path)))
  refused("change it as CHANGELOG.md says, and then its line to api = 1")
  write("policies/mine", policy:format "api = 2")
  refused("api 2 of policies, but this deskpilot has api 1: use a newer deskpilot, or a file that is written for api 1")
  write("policies/three_body", policy:format "api = 0")
  refused("move it away, run `deskpilot eject three_body` again and carry your changes over", "three_body")
  write("policies/three_body", policy:format "api = 2")
  refused("use a newer deskpilot, or move it away, run `deskpilot eject three_body` again", "three_body")
  write("guards/mine", "return { api = 0 }")
  t.fails("invalid", "the guard 'mine'", plugins.load("guards", "mine"))
  write("guards/mine", "error('not enough memory', 0)")
  t.eq({ pcall(plugins.load, "guards", "mine") }, { false, "not enough memory" }, "it is no mistake of the file's")
  write("guards/mine", "return { actoin = function() end, describe = function() end }")
  t.fails("invalid", "has a function 'actoin', which is no event; did you mean 'action'?",
    plugins.load("guards", "mine"))
  write("guards/mine", "return { action = function() end, describe = function() end, limit = 3 }")
  t.ok(plugins.load("guards", "mine"))
  write("policies/mine", policy:format "api = '1'")
  t.fails("invalid", "has api = '1', but must have the whole number", plugins.load("policies", "mine"))
  for _, fine in ipairs { "api = 1", "" } do
    write("policies/mine", policy:format(fine))
    t.ok(plugins.load("policies", "mine"), fine)
  end
end)

-- As it will be once the interface has changed.
tests.a_file_without_its_line_is_of_the_first_version = with_project(function(write)
  write("policies/mine", policy:format "")
  local restore <close> = setmetatable({}, { __close = function() plugins.api.policies = 1 end })
  assert(restore)
  plugins.api.policies = 2
  t.fails("invalid", "is written for api 1 of policies, but this deskpilot has api 2", plugins.load("policies", "mine"))
end)

tests.a_file_that_is_none_of_its_kind = with_project(function(write)
  local function wrong(kind, source, part)
    write(kind .. "/mine", source)
    t.fails("invalid", part, plugins.load(kind, "mine"))
  end
  wrong("policies", "return {}", "must return a table with a function `turn(run)`")
  wrong("policies", "return 5", "must return a table, but returned number")
  wrong("tools", "return { name = 'other' }", 'is named "other" inside')
  wrong("tools", "return { name = 'mine', description = 'x' }", "has no parameters (a JSON Schema)")
  wrong("tools", "return { name = 'mine', description = 'x', parameters = {} }", "has no run function")
  wrong("policies", policy:format "section = 'task', options = { a = { type = 'integer' } }",
    "has options in the section 'task', which means something else in a mission")
  wrong("policies", policy:format "section = 'before_run', options = {}", "in the section 'before_run'")
  wrong("policies", policy:format "personas = 5", "has personas that are no table")
  wrong("policies", policy:format "personas = { x = 5 }", "has the persona 'x', which must be a table such as")
  wrong("policies", policy:format "personas = { x = { heat = 1 } }",
    "what a persona spends is max_tokens and temperature")
  wrong("policies", policy:format "personas = { x = { temperature = 3 } }",
    "says that personas.x.temperature is 3, but must be at most 2")
  wrong("policies", policy:format "personas = { x = { temperature = '1' } }",
    "says that personas.x.temperature is text, but it must be a number")
end)

local function resolve(settings, flags, layers)
  return settings:resolve { environment = {}, layers = layers,
    flags = { source = "a flag", values = flags or {} } }
end

tests.what_is_set_finds_its_file = with_project(function(write)
  write("policies/mine", policy:format "options = { interval = { type = 'integer', default = 5, min = 1 } }")
  write("tools/other", [[return { name = "other", description = "x", parameters = {}, run = print, section = "mine2",
    options = { on = { type = "boolean", default = false }, names = { type = "list" },
      share = { type = "number" } } }]])
  local settings = settings_module.new()
  local config = t.ok(resolve(settings, { ["mine.interval"] = "3", ["limits.turns"] = "9" }))
  t.eq({ config:get "mine.interval", config:get "limits.turns" }, { 3, 9 })
  t.eq(settings.loaded["policies/odev"], nil, "nobody has asked for it")
  settings = settings_module.new()
  t.ok(resolve(settings, { ["timing.verify"] = "1" }))
  t.eq(next(settings.loaded), nil, "nothing is loaded for keys of the program's own")
  settings = settings_module.new()
  t.ok(resolve(settings, { ["odev.retries"] = "1" }))
  t.eq(next(settings.loaded), "policies/odev")
  t.eq(next(settings.loaded, "policies/odev"), nil, "only the one that the section names")
  config = t.ok(resolve(settings_module.new(),
    { ["mine2.on"] = "on", ["mine2.names"] = "a, b", ["mine2.share"] = ".5" },
    { { source = "the project's deskpilot.lua", values = { mine = { interval = 4 } } } }))
  t.eq({ config:get "mine2.on", config:get "mine2.names", config:get "mine2.share", config:get "mine.interval" },
    { true, { "a", "b" }, 0.5, 4 })
  t.eq(config.sources["mine.interval"], "the project's deskpilot.lua")
  config = t.ok(resolve(settings_module.new(), { ["mine2.on"] = "off" }))
  t.eq(config:get "mine2.on", false)
  local function wrong(part, flags)
    local none, err = resolve(settings_module.new(), flags)
    t.fails("invalid", part, none, err)
  end
  wrong("mine.interval is '0', but must be at least 1", { ["mine.interval"] = "0" })
  wrong("did you mean 'mine.interval'?", { ["mine.intervall"] = "3" })
  wrong("did you mean 'mine.interval'?", { ["mien.interval"] = "3" })
  wrong("mine2.on is 'perhaps', but must be true or false", { ["mine2.on"] = "perhaps" })
  write("policies/mine", policy:format "options = { interval = { default = 5 } }")
  wrong("the option 'interval' has no type", { ["mine.interval"] = "3" })
  write("policies/mine", policy:format "api = 0, options = {}")
  wrong("is written for api 0", { ["mine.interval"] = "3" })
  write("policies/mine", "nonsense")
  wrong("mine.lua:1: syntax error", { ["mine.interval"] = "3" })
  wrong("mine.lua:1: syntax error", { ["unheard.of"] = "3" })
  t.ok(resolve(settings_module.new(), { ["mine2.on"] = "on" }), "whom nobody needs may be broken")
end)

tests.two_files_of_one_key = with_project(function(write)
  write("guards/mine", "return { section = 'limits', options = { turns = { type = 'integer', default = 3, min = 1, "
    .. "about = 'mine' } } }")
  local settings = settings_module.new()
  local none, err = settings:load_all "guards"
  t.fails("invalid", "declares differently", none, err)
  t.has(tostring(err), "the guard 'budgets' (shipped)")
  t.has(tostring(err), "the guard 'mine' (")
end)

-- --- what personas spend -------------------------------------------------------------------------------------

function tests.what_a_request_may_spend()
  local config = t.ok(configured.resolve { mission = { personas = { helper = { temperature = 0.9 } } } })
  local run = { config = config, personas = { helper = { temperature = 0.3, max_tokens = 50 } } }
  local function spent(request)
    persona.spend(run, request)
    return { request.temperature or false, request.max_tokens or false }
  end
  t.eq(spent { persona = "helper" }, { 0.9, 50 }, "the configuration, then the policy")
  t.eq(spent { persona = "helper", temperature = 0, max_tokens = 7 }, { 0, 7 }, "the request itself first")
  t.eq(spent { persona = "other" }, { false, false })
  run.personas = nil
  t.eq(spent { persona = "helper" }, { 0.9, false })
end

-- --- tools whose words depend on options -----------------------------------------------------------------------

function tests.parameters_say_what_is_configured()
  local config = t.ok(configured.resolve { flags = { ["report_completion.min_evidence"] = "7",
    ["browser_wait.seconds"] = "3", ["odev.max_actions"] = "2", ["odev.keyword_share"] = "0.8" } })
  local toolbox_module = require "deskpilot.agent.toolbox"
  local _, tools = configured.settings()
  local box = t.ok(toolbox_module.new(tools, config))
  t.has(t.show(box:definitions { "report_completion" }), "At least 7 characters")
  t.has(t.show(box:definitions { "browser_wait" }), "3 if left out")
  local run = { goal = {}, claim = function() return "claimed" end }
  local ctx = { run = run, config = config }
  t.fails("invalid", "has 6 characters and needs at least 7",
    box:run("report_completion", ctx, { evidence = "123456" }))
  t.eq(box:run("report_completion", ctx, { evidence = "1234567" }), { text = "claimed" })
  local definition = require "deskpilot.policies.odev.plan".definition(config)
  t.eq(definition.parameters.properties.actions.maxItems, 2)
  t.has(definition.parameters.properties.actions.description, "1 to 2 actions")
  t.has(t.show(definition), "80 % of them are enough")
  local broken = { { name = "broken", plugin = { parameters = function() error "boo" end } } }
  t.fails("invalid", "the tool 'broken' has parameters(config), but that fails: ", toolbox_module.new(broken, config))
end

function tests.the_wheel_turns_as_far_as_configured()
  local config = t.ok(configured.resolve { flags = { ["scroll.notches"] = "2" } })
  local turned = {}
  local ctx = { config = config, desk = { mouse = { scroll = function(how)
    turned[#turned + 1] = how.dy
    return true
  end } } }
  for _, name in ipairs { "scroll_up", "scroll_down" } do
    assert(assert(plugins.load("tools", name)).run(ctx, { justification = "because" }))
  end
  t.eq(turned, { -2, 2 })
end

return tests
