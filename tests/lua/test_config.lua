local t = require "harness"
local config_check = require "deskpilot.base.config_check"
local config_files = require "deskpilot.base.config_files"
local config_keys = require "deskpilot.base.config_keys"
local config_module = require "deskpilot.base.config"
local configured = require "configured"
local files = require "deskpilot.base.files"
local flags_module = require "deskpilot.cli.flags"
local option = require "deskpilot.base.config_option"
local spawn = require "spawn"

local tests = {}

local resolve = configured.resolve

-- As the command line has it: --set words and the flags that stand for a key.
local function resolve_flags(options)
  local layer, err = flags_module.layer(options)
  if not layer then return nil, err end
  return configured.settings():resolve { environment = {}, flags = layer }
end

local several = { entries = true, keys = true }

function tests.defaults_stand_where_nothing_is_said()
  local settings = t.ok(resolve {})
  for _, key in ipairs(settings.keys:list()) do
    local declared = key.option
    if not several[declared.type] then
      t.eq(settings:get(key.name), declared.default, key.name)
      t.eq(settings.sources[key.name], "default")
    end
    if declared.default ~= nil then
      t.eq(option.convert(declared, key.name, declared.default), declared.default, key.name)
    end
  end
  t.eq(settings:get "limits.turns", 600)
  t.eq(settings:get "policy", "three_body")
end

function tests.what_can_be_turned_off()
  t.eq(t.ok(resolve {}):get "safety.stop_hotkey", "ctrl+alt+escape")
  t.eq(t.ok(resolve { mission = { safety = { stop_hotkey = false } } }):get "safety.stop_hotkey", "")
  for _, word in ipairs { "false", "off", "no", "" } do
    t.eq(t.ok(resolve { flags = { ["safety.stop_hotkey"] = word } }):get "safety.stop_hotkey", "", word)
  end
  t.eq(t.ok(resolve { user = { safety = { stop_hotkey = "ctrl+f12" } } }):get "safety.stop_hotkey", "ctrl+f12")
  local none, err = resolve { flags = { ["safety.stop_hotkey"] = true } }
  t.eq(none, nil)
  t.has(tostring(err), "safety.stop_hotkey")
end

-- Each layer sets the keys from its own place downward, so that every pair of neighbours is tried.
function tests.precedence()
  local settings = t.ok(resolve {
    user = { limits = { turns = 1, failures = 1 }, model = { name = "u", endpoint = "http://u" } },
    project = { limits = { turns = 2, seconds = 2 }, model = { name = "p", endpoint = "http://p" } },
    mission = { limits = { turns = 3 }, model = { name = "m", endpoint = "http://m" }, task = "x", turn_end = print },
    environment = { DESKPILOT_ENDPOINT = "http://e", DESKPILOT_MODEL = "e" },
    flags = { ["model.name"] = "f" },
  })
  t.eq(settings:get "model.name", "f")
  t.eq(settings:get "model.endpoint", "http://e")
  t.eq(settings:get "limits.turns", 3)
  t.eq(settings:get "limits.seconds", 2)
  t.eq(settings:get "limits.failures", 1)
  t.eq(settings.sources["model.name"], "a flag")
  t.eq(settings.sources["model.endpoint"], "the environment")
  t.eq(settings.sources["limits.turns"], "the mission")
  t.eq(settings.sources["limits.seconds"], "the project's deskpilot.lua")
  t.eq(settings.sources["limits.failures"], "the user configuration")
  t.eq(resolve({ environment = { DESKPILOT_MODEL = "" } }):get "model.name", "qwen3-vl-2b-instruct")
end

function tests.unknown_keys_name_the_nearest()
  local _, err = resolve { project = { limits = { trns = 3 } } }
  t.has(tostring(err), "'limits.trns'; did you mean 'limits.turns'?")
  t.eq(err.code, "invalid")
  _, err = resolve { user = { limit = { turns = 3 } } }
  t.has(tostring(err), "there is no configuration key 'limit'; did you mean 'limits'? (from the user configuration)")
  _, err = resolve { mission = { limts = { turns = 3 } } }
  t.has(tostring(err), "did you mean 'limits'?")
  _, err = resolve { mission = { verif = {} } }
  t.has(tostring(err), "did you mean 'verify'?")
  _, err = resolve { mission = { limits = { turnz = 3 } } }
  t.has(tostring(err), "did you mean 'limits.turns'?")
  t.ok(resolve { mission = { task = "x", files = {}, turn_end = print, desktop = { apps = {}, size = { 800, 600 } } } })
  _, err = resolve_flags { set = { "limits.colour=1" } }
  t.has(tostring(err), "limits has calls, cost, failures, goal_depth, goals, input_tokens, lookups, "
    .. "model_failures, model_seconds, output_tokens, seconds, tokens and turns")
  _, err = resolve_flags { set = { "zzzzzzzz.q=1" } }
  t.has(tostring(err), "nor anything else in a section 'zzzzzzzz'; there are ")
  _, err = resolve_flags { set = { "limit.turns=1" } }
  t.has(tostring(err), "did you mean 'limits.turns'?")
  _, err = resolve_flags { set = { "timing.turn_dealy=1" } }
  t.has(tostring(err), "did you mean 'timing.turn_delay'?")
  t.raises("did you mean 'limits.turns'?", function() resolve({}):get "limits.turn" end)
end

function tests.set_converts_and_checks()
  local settings = t.ok(resolve_flags { set = { "limits.turns=20", "timing.turn_delay=0.5", "observe.elements=no",
    "safety.forbidden_keys=ctrl+q, alt+f4", "model.name=a=b", "desktop.size=640, 480" } })
  for name, value in pairs { ["limits.turns"] = 20, ["timing.turn_delay"] = 0.5, ["observe.elements"] = false,
    ["safety.forbidden_keys"] = { "ctrl+q", "alt+f4" }, ["model.name"] = "a=b", ["desktop.width"] = 640,
    ["desktop.height"] = 480 } do
    t.eq(settings:get(name), value, name)
    t.eq(settings.sources[name], "a flag")
  end
  t.eq(math.type(settings:get "limits.turns"), "integer")
  local function wrong(word, part)
    local got, err = resolve_flags { set = { word } }
    t.eq(got, nil, word)
    t.has(tostring(err), part, word)
  end
  wrong("limits.turns=many", "limits.turns is 'many', but must be a whole number (from --set)")
  wrong("limits.turns=1.5", "must be a whole number")
  wrong("limits.turns=0", "must be at least 1")
  wrong("limits.seconds=nan", "must be a number")
  wrong("limits.seconds=1e999", "must be a number")
  wrong("observe.elements=maybe", "must be true or false")
  wrong("desktop.kind=virtual", "must be current or private")
  wrong("limits.turns", "--set wants KEY=VALUE")
  wrong("limits=3", "limits is '3', but must be a table of keys")
  wrong("desktop.size=640", "desktop.size must be { width, height }")
  wrong("screen.image_width=100000", "must be at most 8192")
end

function tests.flags_and_the_desktop_word()
  local layer = t.ok(flags_module.layer { policy = "odev", model = "m", endpoint = "http://x", runs = "r",
    desktop = "private:800x600" })
  t.eq(layer.values, { policy = "odev", ["model.name"] = "m", ["model.endpoint"] = "http://x", ["runs.dir"] = "r",
    ["desktop.kind"] = "private", ["desktop.width"] = 800, ["desktop.height"] = 600 })
  for _, word in ipairs { "privat", "private:800", "current:1x1", "private:x", "" } do
    t.has(tostring(select(2, flags_module.layer { desktop = word })), "--desktop is")
  end
  t.has(tostring(select(2, resolve_flags { desktop = "private:1x1" })), "desktop.width is 1, but must be at least 320")
end

function tests.files_types_are_checked_and_all_problems_told()
  local _, err = resolve { project = { limits = { turns = "lots", seconds = -1 }, model = "gpt" } }
  t.has(tostring(err), "limits.turns is 'lots'")
  t.has(tostring(err), "limits.seconds is -1")
  t.has(tostring(err), "model is 'gpt', but must be a table")
  t.has(tostring(select(2, resolve { mission = { desktop = { size = { 1 } } } })), "{ width, height }")
  t.eq(resolve({ mission = { desktop = { size = { 800, 600 } } } }):get "desktop.height", 600)
end

function tests.the_api_key_is_held_apart()
  local settings = resolve { environment = { OPENAI_API_KEY = "open-secret" } }
  t.eq(settings:secret "model.api_key_file", "open-secret")
  settings = resolve { environment = { DESKPILOT_API_KEY = "own-secret", OPENAI_API_KEY = "open-secret" } }
  t.eq(settings:secret "model.api_key_file", "own-secret")
  t.ok(not t.show(settings):find("-secret", 1, true), "the key shows")
  t.ok(not t.show(settings:dump()):find("-secret", 1, true), "the key is dumped")
  local folder = spawn.folder()
  assert(files.write(folder .. "/key", "  file-secret  \nmore\n"))
  local flags = { ["model.api_key_file"] = folder .. "/key" }
  t.eq(resolve({ flags = flags }):secret "model.api_key_file", "file-secret")
  t.eq(resolve({ flags = flags, environment = { OPENAI_API_KEY = "e" } }):secret "model.api_key_file", "e")
  assert(files.write(folder .. "/key", "\n\n"))
  t.has(tostring(select(2, resolve { flags = flags })), "is empty")
  t.has(tostring(select(2, resolve { flags = { ["model.api_key_file"] = folder .. "/none" } })), "cannot read")
  files.remove(folder)
  local masked = resolve { flags = { ["model.endpoint"] = "http://me:pw@host/v1" } }
  t.eq(masked:dump()["model.endpoint"], "http://***@host/v1")
end

function tests.a_persona_may_have_a_model_of_its_own()
  local folder = spawn.folder()
  assert(files.write(folder .. "/key", "vision-secret\n"))
  local settings = t.ok(resolve { environment = { OPENAI_API_KEY = "open-secret" },
    mission = { personas = { planner = { model = "plans" },
      vision = { model = "sees", endpoint = "http://eyes/v1" } } },
    flags = { ["personas.vision.api_key_file"] = folder .. "/key", ["personas.vision.model"] = "sees-well",
      ["personas.executor.temperature"] = "0.1" } })
  t.eq(settings:get "personas.executor.temperature", 0.1)
  t.eq(settings:get "personas.vision.model", "sees-well")
  t.eq(settings:get "personas.planner.endpoint", nil)
  local personas = settings:get "personas"
  t.eq({ personas.vision.model, personas.vision.endpoint, settings:secret "personas.vision.api_key_file" },
    { "sees-well", "http://eyes/v1", "vision-secret", folder .. "/key" })
  t.eq(personas.planner, { model = "plans" })
  t.ok(not t.show(settings):find("-secret", 1, true), "a persona's key shows")
  t.ok(not t.show(settings:dump()):find("-secret", 1, true), "a persona's key is dumped")
  t.has(t.show(settings:dump()), "personas.vision.model")
  files.remove(folder)
  for _, wrong in ipairs { { personas = { vision = { modl = "x" } } }, { personas = { vision = "x" } },
    { personas = { ["Two Words"] = { model = "x" } } } } do
    local none, err = resolve { mission = wrong }
    t.eq(none, nil)
    t.has(tostring(err), "personas")
  end
  t.has(tostring(select(2, resolve { flags = { ["personas.vision.api_key_file"] = "/nowhere/key" } })), "cannot read")
end

function tests.files_are_data_and_never_run()
  local folder = spawn.folder()
  assert(files.make_folder(folder .. "/user"))
  assert(files.write(folder .. "/deskpilot.lua", "return { limits = { turns = 5 } }"))
  local folders = { project_folder = folder, user_folder = folder .. "/user" }
  local found = config_files.read(nil, folders)
  t.eq(found.project, { limits = { turns = 5 } })
  t.eq(found.user, {})
  assert(files.write(folder .. "/user/config.lua", "io.open('/tmp/x')"))
  local _, err = config_files.read(nil, folders)
  t.has(tostring(err), "config.lua:1: expected a table")
  files.remove(folder)
end

function tests.set_between_turns()
  local settings = resolve {}
  t.ok(settings:set("limits.turns", "7"))
  t.eq(settings:get "limits.turns", 7)
  t.eq(settings:set("limits.turns", 0), nil)
  t.eq(settings:get "limits.turns", 7)
  t.eq(resolve({}):get "limits.turns", 600, "another run's value")
  t.eq(settings:set("limits.turn", 1), nil)
  t.ok(settings:set("personas.vision.model", "x"))
  t.eq(settings:get("personas").vision, { model = "x" })
end

-- --- declaring ----------------------------------------------------------------------------------------------

-- Keys of one owner's options.
local function keys_of(options, section)
  local keys = config_keys.new()
  local added, err = keys:add { owner = "a", where = "the policy 'mine' (mine.lua)", section = section or "mine",
    options = options }
  return added and keys, err
end

function tests.what_ships_is_declared_soundly()
  local settings = configured.settings()
  for _, key in ipairs(settings.keys:list()) do
    t.eq(config_check.option(key.name:match "[^.]*$", key.option), nil, key.name)
    t.ok(#(key.option.about or "") > 0, key.name .. " says what it is")
    for name, field in pairs(key.option.fields or {}) do t.ok(#(field.about or "") > 0, key.name .. " " .. name) end
  end
end

function tests.a_malformed_option_is_a_sentence()
  local integer = { type = "integer" }
  for problem, options in pairs {
    ["the option 'a' has no type; types are boolean, entries, integer"] = { a = {} },
    ["the option 'a' has the type 'int', which does not exist; types are"] = { a = { type = "int" } },
    ["the option 'a' is 5, but must be a table such as"] = { a = 5 },
    ["its options are 5, but must be a table"] = 5,
    ["the option 'Big' has a name that is not of small letters"] = { Big = integer },
    ["the option '1' has a name"] = { integer },
    ["has the default 'x', but its type is integer"] = { a = { type = "integer", default = "x" } },
    ["has the default 1.5, but its type is integer"] = { a = { type = "integer", default = 1.5 } },
    ["has the default 1, but must be at least 3"] = { a = { type = "integer", default = 1, min = 3 } },
    ["has the default 'c', but must be a or b"] = { a = { type = "string", default = "c", choices = { "a", "b" } } },
    ["has 'min', which is not for the type string"] = { a = { type = "string", min = 1 } },
    ["has 'mininum', which options do not know; did you mean 'min'?"] = { a = { type = "integer", mininum = 1 } },
    ["has a 'min' that is no number"] = { a = { type = "integer", min = "1" } },
    ["has an 'environment' that names no variables"] = { a = { type = "string", environment = 5 } },
    ["has no fields"] = { a = { type = "entries" } },
    ["has a field 'x' that has no type"] = { a = { type = "entries", fields = { x = {} } } },
    ["has a field 'x' that has the type keys, which a field cannot have"] = {
      a = { type = "entries", fields = { x = { type = "keys", keys = { "a" } } } } },
    ["stands for 'b', which is no option beside it"] = { a = { type = "keys", keys = { "b" } } },
  } do
    local keys, err = keys_of(options)
    t.eq(keys, nil, problem)
    t.has(tostring(err), "the policy 'mine' (mine.lua): ")
    t.has(tostring(err), problem)
  end
  t.has(tostring(select(2, keys_of({ a = integer }, "two words"))), "its section is 'two words', but must be one word")
end

function tests.two_may_declare_a_key_if_they_declare_the_same()
  local keys = keys_of { a = { type = "list", default = { "x" } }, b = { type = "integer", default = 1 } }
  local function add(owner, options, section)
    return keys:add { owner = owner, where = "the tool '" .. owner .. "'", section = section or "mine",
      options = options }
  end
  t.ok(add("same", { a = { type = "list", default = { "x" } } }))
  local none, err = add("other", { a = { type = "list", default = { "y" } } })
  t.eq(none, nil)
  t.has(tostring(err), "the tool 'other': the option 'a' would be the key mine.a, which the ")
  t.has(tostring(err), "declares differently")
  t.eq(keys:find("mine.a").default, { "x" })
  t.ok(add("wide", { mine2 = { type = "string" } }))
  t.has(tostring(select(2, add("x", { y = { type = "string" } }, "mine.mine2"))), "one word")
  t.ok(add("alone", { all = { type = "entries", fields = { x = { type = "string" } } } }))
  t.ok(keys:add { owner = "floor", where = "itself", options = { policy = { type = "string" } } })
  t.has(tostring(select(2, add("p", { x = { type = "string" } }, "policy"))), "policy is a key of its own")
  t.has(tostring(select(2, keys:add { owner = "q", where = "q", options = { mine = { type = "string" } } })),
    "which is a section")
end

function tests.an_option_may_have_a_section_of_its_own()
  local keys = t.ok(keys_of { chars = { type = "integer", default = 4, section = "history" }, x = { type = "string" } })
  t.eq({ keys:find("history.chars").default, keys:find "mine.chars" }, { 4 })
  t.eq(keys.sections, { history = true, mine = true })
end

-- A table of tables, as prices or servers will be: a declaration of a few lines.
function tests.entries_are_one_key()
  local keys = t.ok(keys_of({ prices = { type = "entries", fields = {
    input = { type = "number", min = 0 }, currency = { type = "string", default = "EUR", choices = { "EUR", "USD" } },
    tags = { type = "list" }, key_file = { type = "secret_file", environment = "PRICE_KEY" },
  } } }, "mine"))
  local function put_together(values, flags)
    return config_module.resolve(keys, { layers = { { source = "the mission", values = values } }, environment = {},
      flags = flags and { source = "a flag", values = flags } })
  end
  local settings = t.ok(put_together({ mine = { prices = { ["gpt-4.1"] = { input = 2, tags = { "a" } } } } },
    { ["mine.prices.gpt-4.1.currency"] = "USD", ["mine.prices.qwen/vl:2b.input"] = "0.5" }))
  t.eq(settings:get "mine.prices", { ["gpt-4.1"] = { input = 2, tags = { "a" }, currency = "USD" },
    ["qwen/vl:2b"] = { input = 0.5, currency = "EUR" } })
  t.eq(settings:get "mine.prices.qwen/vl:2b.currency", "EUR")
  t.eq(settings:get "mine.prices.other.input", nil)
  t.eq(settings.sources["mine.prices.gpt-4.1.input"], "the mission")
  local function wrong(part, values, flags)
    local none, err = put_together(values, flags)
    t.eq(none, nil, part)
    t.has(tostring(err), part)
  end
  wrong("mine.prices is 5, but must be a table of tables (from the mission)", { mine = { prices = 5 } })
  wrong("mine.prices.a is 5, but must be a table", { mine = { prices = { a = 5 } } })
  wrong("mine.prices.a.input is -1, but must be at least 0", { mine = { prices = { a = { input = -1 } } } })
  wrong("did you mean 'mine.prices.a.input'?", { mine = { prices = { a = { inptu = 1 } } } })
  wrong("'two words' cannot be the name of one of the mine.prices",
    { mine = { prices = { ["two words"] = { input = 1 } } } })
  wrong("mine.prices.a.currency is 'YEN', but must be EUR or USD", {}, { ["mine.prices.a.currency"] = "YEN" })
  t.has(tostring(select(2, settings:set("mine.prices", {}))), "several values")
end

function tests.what_is_declared_later_has_its_defaults()
  local settings = resolve { flags = { ["odev.retries"] = "1" } }
  local function declare(options)
    return settings:declare { owner = "policies/late", where = "the policy 'late'", section = "late",
      options = options }
  end
  t.raises("there is no configuration key 'late.a'", settings.get, settings, "late.a")
  t.ok(declare { a = { type = "integer", default = 3 }, b = { type = "list", default = { "x" } } })
  t.eq({ settings:get "late.a", settings:get "late.b" }, { 3, { "x" } })
  t.ok(settings:set("late.a", 7))
  t.ok(declare { a = { type = "integer", default = 4 }, c = { type = "boolean", default = true } })
  t.eq({ settings:get "late.a", settings:get "late.c" }, { 7, true }, "its file was edited: what was set stays")
  t.raises("late.b", settings.get, settings, "late.b")
  t.fails("invalid", "late.a is 7, but must be at most 5", declare { a = { type = "integer", max = 5 } })
  t.fails("invalid", "which the guard 'budgets' (shipped) declares differently", settings:declare { owner = "x",
    where = "x", section = "limits", options = { turns = { type = "string" } } })
end

function tests.a_single_key_before_the_rest()
  local settings = configured.settings()
  local function peek(values, flags, environment)
    return settings:peek({ layers = { { source = "a file", values = values } }, environment = environment or {},
      flags = { source = "a flag", values = flags or {} } }, "model.name")
  end
  t.eq(peek {}, "qwen3-vl-2b-instruct")
  t.eq(peek { model = { name = "a", nonsense = 1 }, more = "nonsense" }, "a")
  t.eq(peek({ model = { name = "a" } }, {}, { DESKPILOT_MODEL = "e" }), "e")
  t.eq(peek({ model = { name = "a" } }, { ["model.name"] = "f" }, { DESKPILOT_MODEL = "e" }), "f")
  t.eq(peek({ model = { name = {} } }), "qwen3-vl-2b-instruct", "a wrong one is passed over")
end

function tests.what_is_right_is_had_beside_an_error()
  local none, err, rest = resolve { flags = { ["limits.turns"] = "x", ["limits.seconds"] = "9", ["no.such"] = "1" } }
  t.eq(none, nil)
  t.has(tostring(err), "no.such")
  t.eq({ rest:get "limits.turns", rest:get "limits.seconds" }, { 600, 9 })
end

return tests
