local t = require "harness"
local config = require "deskpilot.base.config"
local files = require "deskpilot.base.files"
local spawn = require "spawn"

local tests = {}

local function resolve(layers)
  layers.environment = layers.environment or {}
  return config.resolve(layers)
end

function tests.defaults_stand_where_nothing_is_said()
  local settings = t.ok(resolve {})
  for _, key in ipairs(config.keys) do
    local family = key.name:find("*", 1, true)
    t.eq(settings:get(key.name), key.default, key.name)
    t.eq(settings.sources[key.name], not family and "default" or nil)
    if key.default ~= nil then t.eq(config.convert(key.name, key.default), key.default, key.name) end
    t.ok(#key.doc > 0)
  end
  t.eq(settings:get "limits.turns", 600)
  t.eq(settings:get "policy", "three_body")
end

function tests.what_can_be_turned_off()
  t.eq(t.ok(resolve {}):get "safety.kill_chord", "ctrl+alt+escape")
  t.eq(t.ok(resolve { mission = { safety = { kill_chord = false } } }):get "safety.kill_chord", "")
  for _, word in ipairs { "false", "off", "no", "" } do
    t.eq(t.ok(resolve { flags = { ["safety.kill_chord"] = word } }):get "safety.kill_chord", "", word)
  end
  t.eq(t.ok(resolve { user = { safety = { kill_chord = "ctrl+f12" } } }):get "safety.kill_chord", "ctrl+f12")
  local none, err = resolve { flags = { ["safety.kill_chord"] = true } }
  t.eq(none, nil)
  t.has(tostring(err), "safety.kill_chord")
end

-- Each layer sets the keys from its own place downward, so that every pair of neighbours is tried.
function tests.precedence()
  local settings = t.ok(resolve {
    user = { limits = { turns = 1, failures = 1 }, model = { name = "u", endpoint = "http://u" } },
    project = { limits = { turns = 2, seconds = 2 }, model = { name = "p", endpoint = "http://p" } },
    mission = { limits = { turns = 3 }, model = { name = "m", endpoint = "http://m" }, task = "x", hook = print },
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
  t.has(tostring(err), "there is no configuration key 'limit'")
  _, err = resolve { mission = { limits = { turnz = 3 } } }
  t.has(tostring(err), "did you mean 'limits.turns'?")
  t.ok(resolve { mission = { task = "x", anything = {}, desktop = { apps = {}, size = { 800, 600 } } } })
  _, err = config.from_flags { set = { "timing.turn_dealy=1" } }
  t.has(tostring(err), "did you mean 'timing.turn_delay'?")
  t.raises("did you mean 'limits.turns'?", function() resolve({}):get "limits.turn" end)
end

function tests.set_converts_and_checks()
  local flags = t.ok(config.from_flags { set = { "limits.turns=20", "timing.turn_delay=0.5",
    "observe.elements=no", "safety.forbidden_keys=ctrl+q, alt+f4", "model.name=a=b" } })
  t.eq(flags, { ["limits.turns"] = 20, ["timing.turn_delay"] = 0.5, ["observe.elements"] = false,
    ["safety.forbidden_keys"] = { "ctrl+q", "alt+f4" }, ["model.name"] = "a=b" })
  local function wrong(word, part)
    local got, err = config.from_flags { set = { word } }
    t.eq(got, nil, word)
    t.has(tostring(err), part, word)
  end
  wrong("limits.turns=many", "limits.turns is 'many', but must be a whole number")
  wrong("limits.turns=1.5", "must be a whole number")
  wrong("limits.turns=0", "must be at least 1")
  wrong("limits.seconds=nan", "must be a number")
  wrong("limits.seconds=1e999", "must be a number")
  wrong("observe.elements=maybe", "must be true or false")
  wrong("desktop.kind=virtual", "must be current or private")
  wrong("limits.turns", "--set wants KEY=VALUE")
  wrong("screen.image_width=100000", "must be at most 8192")
end

function tests.flags_and_the_desktop_word()
  local flags = t.ok(config.from_flags { policy = "odev", model = "m", endpoint = "http://x", runs = "r",
    desktop = "private:800x600" })
  t.eq(flags, { policy = "odev", ["model.name"] = "m", ["model.endpoint"] = "http://x", ["runs.dir"] = "r",
    ["desktop.kind"] = "private", ["desktop.width"] = 800, ["desktop.height"] = 600 })
  for _, word in ipairs { "privat", "private:800", "current:1x1", "private:x", "" } do
    t.has(tostring(select(2, config.from_flags { desktop = word })), "--desktop is")
  end
  t.has(tostring(select(2, resolve { flags = t.ok(config.from_flags { desktop = "private:1x1" }) })),
    "desktop.width is 1, but must be at least 320")
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
  t.eq(settings.api_key, "open-secret")
  settings = resolve { environment = { DESKPILOT_API_KEY = "own-secret", OPENAI_API_KEY = "open-secret" } }
  t.eq(settings.api_key, "own-secret")
  t.ok(not t.show(settings):find("secret", 1, true), "the key shows")
  t.ok(not t.show(settings:dump()):find("secret", 1, true), "the key is dumped")
  local folder = spawn.folder()
  assert(files.write(folder .. "/key", "  file-secret  \nmore\n"))
  local flags = { ["model.api_key_file"] = folder .. "/key" }
  t.eq(resolve({ flags = flags }).api_key, "file-secret")
  t.eq(resolve({ flags = flags, environment = { OPENAI_API_KEY = "e" } }).api_key, "e")
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
    flags = { ["personas.vision.api_key_file"] = folder .. "/key", ["personas.vision.model"] = "sees-well" } })
  t.eq(settings:get "personas.vision.model", "sees-well")
  t.eq(settings:get "personas.planner.endpoint", nil)
  local personas = settings:personas()
  t.eq({ personas.vision.model, personas.vision.endpoint, personas.vision.api_key },
    { "sees-well", "http://eyes/v1", "vision-secret" })
  t.eq(personas.planner, { model = "plans" })
  t.ok(not t.show(settings):find("secret", 1, true), "a persona's key shows")
  t.ok(not t.show(settings:dump()):find("secret", 1, true), "a persona's key is dumped")
  t.has(t.show(settings:dump()), "personas.vision.model")
  files.remove(folder)
  for _, wrong in ipairs { { personas = { vision = { modl = "x" } } }, { personas = { vision = "x" } },
    { personas = { ["Two Words"] = { model = "x" } } } } do
    local none, err = resolve { mission = wrong }
    t.eq(none, nil)
    t.has(tostring(err), "personas.")
  end
  t.has(tostring(select(2, resolve { flags = { ["personas.vision.api_key_file"] = "/nowhere/key" } })), "cannot read")
end

function tests.files_are_data_and_never_run()
  local folder = spawn.folder()
  assert(files.make_folder(folder .. "/user"))
  assert(files.write(folder .. "/deskpilot.lua", "return { limits = { turns = 5 } }"))
  local project, user = config.read_files(folder, folder .. "/user")
  t.eq(project, { limits = { turns = 5 } })
  t.eq(user, {})
  assert(files.write(folder .. "/user/config.lua", "io.open('/tmp/x')"))
  local none, _, err = config.read_files(folder, folder .. "/user")
  t.eq(none, nil)
  t.has(tostring(err), "config.lua:1: expected a table")
  files.remove(folder)
end

function tests.describe_names_every_key()
  local words = config.describe()
  for _, key in ipairs(config.keys) do t.has(words, "`" .. key.name .. "`") end
end

function tests.set_between_turns()
  local settings = resolve {}
  t.ok(settings:set("limits.turns", "7"))
  t.eq(settings:get "limits.turns", 7)
  t.eq(settings:set("limits.turns", 0), nil)
  t.eq(settings:get "limits.turns", 7)
  t.eq(resolve({}):get "limits.turns", 600, "another run's value")
end

return tests
