--- To which server a key is sent: the real program against real servers, judged by the headers that arrive there.
local t = require "harness"
local configured = require "configured"
local endpoints = require "deskpilot.model.endpoint"
local files = require "deskpilot.base.files"
local http = require "deskpilot.net.http"
local run_models = require "deskpilot.cli.run_models"
local client = require "deskpilot.model.client"
local model_server = require "model_server"
local spawn = require "spawn"

local tests = {}

local key = "sk-the-users-own-key"

-- A server that refuses every request, and keeps what keys came with them.
local function start(answer)
  local keys = {}
  local server = model_server.start(function(_, _, request)
    keys[#keys + 1] = request.headers.authorization or "none"
    return answer and answer(request) or { status = 401, body = "{}" }
  end)
  server.models = "scripted"
  return server, keys
end

-- Runs the program in a project's folder with an own configuration beside it, against a server; what came there is
-- "none" or the key, the same with every request.
local function asked(how)
  local folder, server, keys = spawn.folder(), start(how.answer)
  local address = server.endpoint
  local function put(name, words)
    local path = files.join(folder, name)
    assert(files.make_folder((files.split(path))))
    assert(files.write(path, (words:gsub("ADDRESS", address):gsub("FOLDER", folder))))
  end
  put("p/m.lua", how.mission or "return { task = 'x' }")
  put("elsewhere.key", "sk-elsewhere\n")
  for name, words in pairs(how.files or {}) do put(name, words) end
  local env = { DESKPILOT_API_KEY = key, OPENAI_API_KEY = false, DISPLAY = false, APPDATA = folder .. "/config",
    XDG_CONFIG_HOME = folder .. "/config", http_proxy = how.proxy and server.origin or false }
  for name, value in pairs(how.env or {}) do env[name] = value and value:gsub("ADDRESS", address) end
  local words = { spawn.program, table.unpack(how.command or { "run", "m.lua", "--set", "model.retries=0" }) }
  for _, word in ipairs(how.words or {}) do
    words[#words + 1] = (word:gsub("ADDRESS", address):gsub("FOLDER", folder))
  end
  local child = spawn.run(words, { cwd = folder .. "/p", env = env })
  server:stop()
  files.remove(folder)
  local seen = keys[1]
  for _, one in ipairs(keys) do t.eq(one, seen, "the same with every request") end
  return seen, child, #keys
end

local sent = "Bearer " .. key

function tests.an_address_that_the_user_has_named()
  for what, how in pairs {
    flag = { words = { "--endpoint", "ADDRESS" } },
    set = { words = { "--set", "model.endpoint=ADDRESS" } },
    variable = { env = { DESKPILOT_ENDPOINT = "ADDRESS" } },
    own_file = { files = { ["config/deskpilot/config.lua"] = "{ model = { endpoint = 'ADDRESS' } }" } },
    mission = { mission = "return { task = 'x', model = { endpoint = 'ADDRESS' } }" },
    own_provider = { words = { "--provider", "mine" }, files = { ["config/deskpilot/deskpilot/model/providers.lua"] =
      "return { mine = { endpoint = 'ADDRESS' } }" } },
    own_file_too = { files = { ["config/deskpilot/config.lua"] = "{ model = { endpoint = 'ADDRESS' } }",
      ["p/deskpilot.lua"] = "{ model = { endpoint = 'ADDRESS/' } }" } },
    own_key_file = { env = { DESKPILOT_API_KEY = false, DESKPILOT_ENDPOINT = "ADDRESS" }, files = { ["own.key"] = key,
      ["config/deskpilot/config.lua"] = "{ model = { api_key_file = 'FOLDER/own.key' } }" } },
  } do
    local seen, child, count = asked(how)
    t.eq(seen, sent, what .. ": " .. child.stderr)
    t.eq({ child.status, count }, { 3, 2 }, what)
    t.has(child.stderr, how.env and how.env.DESKPILOT_API_KEY == false and "It is from " or
      "is the API key right? It is from DESKPILOT_API_KEY")
  end
end

local by_project = { ["p/deskpilot.lua"] = "{ model = { endpoint = 'ADDRESS' } }" }

function tests.an_address_that_only_the_project_names()
  local seen, child = asked { files = by_project }
  t.eq({ seen, child.status }, { "none", 3 }, child.stderr)
  t.has(child.stderr, "the API key from DESKPILOT_API_KEY is not sent there, because only ")
  t.has(child.stderr, "deskpilot.lua names that address: name that address yourself, by --endpoint or --provider, "
    .. "DESKPILOT_ENDPOINT or model.endpoint in ")
  t.eq(asked { files = by_project, env = { DESKPILOT_API_KEY = false, OPENAI_API_KEY = key } }, "none")
  t.eq(asked { files = by_project, env = { DESKPILOT_API_KEY = false,
    DESKPILOT_MODEL_API_KEY_FILE = "../elsewhere.key" } }, "none")
  seen, child = asked { files = by_project, command = { "doctor" } }
  t.eq(seen, "none")
  t.has(child.stdout, "is not sent there, because only ")
  -- A persona's address likewise.
  local personas = { ["p/deskpilot.lua"] = "{ personas = { executor = { endpoint = 'ADDRESS' } } }" }
  t.eq(asked { files = personas, words = { "--set", "personas.executor.api_key_file=FOLDER/elsewhere.key", "--endpoint",
    "literal" } }, "none")
end

function tests.a_key_of_the_projects_own()
  local own = { ["p/deskpilot.lua"] = "{ model = { endpoint = 'ADDRESS', api_key_file = 'keys/own' } }",
    ["p/keys/own"] = "sk-of-the-project\n" }
  t.eq(asked { files = own }, "Bearer sk-of-the-project", "and not the user's, though there is one")
  t.eq(asked { files = own, env = { DESKPILOT_API_KEY = false } }, "Bearer sk-of-the-project")
  t.eq(asked { files = own, words = { "--endpoint", "ADDRESS" } }, sent, "at an address of the user's, the user's")
  own["p/deskpilot.lua"] = "{ model = { api_key_file = 'keys/own' } }"
  t.eq(asked { files = own, env = { DESKPILOT_API_KEY = false }, words = { "--endpoint", "ADDRESS" } }, "none",
    "whose account it is would read along")
  -- A project's file names none that lies elsewhere: it may be written by who wants to have them.
  for _, path in ipairs { "../elsewhere.key", "FOLDER/elsewhere.key", "keys/../../elsewhere.key" } do
    own["p/deskpilot.lua"] = "{ model = { endpoint = 'ADDRESS', api_key_file = '" .. path .. "' } }"
    local seen, child = asked { files = own }
    t.eq({ seen, child.status }, { nil, 2 }, path)
    t.has(child.stderr, "a project's file can name only a key that lies in the project, not ")
    t.has(child.stderr, "(model.api_key_file)")
  end
end

function tests.what_the_configuration_makes_of_it()
  local function options(layers, name)
    local all = run_models.options(assert(configured.resolve(layers)))
    return all[name or ""]
  end
  local environment = { DESKPILOT_API_KEY = key, OPENROUTER_API_KEY = "r-key" }
  local found = options { environment = environment }
  t.eq({ found.endpoint, found.api_key }, { "http://localhost:1234/v1" }, "whoever listens there")
  t.has(found.api_key_withheld, "because nobody has named that address")
  t.eq(options({ environment = environment, flags = { ["model.endpoint"] = "localhost:1234" } }).api_key, key)
  t.eq(options({ environment = environment, flags = { ["model.provider"] = "lmstudio" } }).api_key, key)
  found = options { environment = environment, project = { model = { provider = "lmstudio" } } }
  t.eq(found.api_key, nil)
  found = options { environment = environment, project = { model = { provider = "openrouter" } } }
  t.eq({ found.endpoint, found.api_key }, { "https://openrouter.ai/api/v1", "r-key" },
    "the variable and the address that belong together")
  found = options { environment = environment, project = { model = { provider = "openrouter",
    endpoint = "https://evil.example/v1" } } }
  t.eq({ found.endpoint, found.api_key }, { "https://evil.example/v1" })
  local evil = { personas = { vision = { endpoint = "https://evil.example/v1" } } }
  found = options({ environment = environment, flags = { ["model.endpoint"] = "https://good.example/v1" },
    project = evil }, "vision")
  t.eq({ found.endpoint, found.api_key }, { "https://evil.example/v1" })
  evil.personas.vision.endpoint = "https://good.example/v1"
  found = options({ environment = environment, flags = { ["model.endpoint"] = "https://good.example/v1" },
    project = evil }, "vision")
  t.eq(found.api_key, key, "the same server as the run's")
end

function tests.models_that_stand_in_have_keys_of_their_own()
  local environment = { DESKPILOT_API_KEY = key, OPENROUTER_API_KEY = "r-key" }
  local function all(list, more)
    local layers = { environment = environment, flags = { ["model.endpoint"] = "https://good.example/v1",
      ["model.fallback"] = list } }
    for name, value in pairs(more or {}) do layers[name] = value end
    local options, err = run_models.options(assert(configured.resolve(layers)))
    return options and options[""].fallback, err
  end
  local found = all { "second", "third at openrouter", "fourth at https://evil.example/v1", "fifth at ollama",
    "sixth at https://good.example/v1", "seventh at localhost:1" }
  local seen = {}
  for i, one in ipairs(found) do seen[i] = { one.model, one.endpoint, one.api_key or "none" } end
  t.eq(seen, { { "second", "https://good.example/v1", key }, { "third", "https://openrouter.ai/api/v1", "r-key" },
    { "fourth", "https://evil.example/v1", "none" }, { "fifth", "http://localhost:11434/v1", "none" },
    { "sixth", "https://good.example/v1", key }, { "seventh", "localhost:1", "none" } })
  -- A project that names a server for them gets no key of the user's there.
  found = all(nil, { project = { model = { fallback = { "evil at https://evil.example/v1" } } } })
  t.eq({ found[1].endpoint, found[1].api_key }, { "https://evil.example/v1" })
  for _, entry in ipairs { "two words", "x at nowhere" } do
    local none, err = all { entry }
    t.eq(none, nil)
    t.has(tostring(err), "model.fallback")
  end
end

function tests.never_in_plain_text_to_another_machine()
  local proxied = { proxy = true, words = { "--endpoint", "http://model.example/v1" } }
  local seen, child = asked(proxied)
  t.eq(seen, "none", child.stderr)
  t.has(child.stderr, "the API key from DESKPILOT_API_KEY is not sent there, because http:// shows it to everybody on "
    .. "the way: use https://, or a tunnel to an address of this machine")
  seen, child = asked { proxy = true, command = { "doctor", "--endpoint", "http://127.0.0.1.model.example/v1" } }
  t.eq(seen, "none")
  t.has(child.stdout, "http:// shows it to everybody")
  for address, is_private in pairs { ["localhost:1"] = true, ["http://LOCALHOST/v1"] = true, ["127.0.0.1"] = true,
    ["http://127.9.8.7:5/v1"] = true, ["http://[::1]:80"] = true, ["https://model.example"] = true,
    ["http://u:p@localhost:1"] = true, ["http://model.example"] = false, ["http://127.model.example"] = false,
    ["http://127.0.0.1.model.example:80"] = false, ["http://localhost.model.example"] = false,
    ["http://localhost@model.example"] = false, ["http://localhost:80@model.example"] = false,
    ["http://[::1]@model.example"] = false, ["http://10.0.0.1:1234"] = false, ["http://[::2]:80"] = false,
    ["http://0.0.0.0:1"] = false, ["http://model.example/localhost"] = false } do
    t.eq(assert(endpoints.parse(address)).is_private, is_private, address)
  end
  t.fails("invalid", "the address http://model.example/v1 holds a password, which http:// shows to everybody",
    client.new { endpoint = "http://u:p@model.example" })
  t.ok(client.new { endpoint = "https://u:p@model.example" })
  t.ok(client.new { endpoint = "http://u:p@localhost:5" })
end

function tests.not_behind_a_redirection()
  local target, arrived = start()
  local function elsewhere(request)
    return { status = 307, headers = { Location = target.origin .. request.path } }
  end
  local seen, child = asked { words = { "--endpoint", "ADDRESS" }, answer = elsewhere }
  t.eq(seen, sent)
  t.eq(arrived, {}, "nobody follows it: " .. child.stderr)
  -- A script may ask for it; then the header stays behind.
  local server, came = start(elsewhere)
  local result = assert(http.request { url = server.endpoint .. "/models", follow_redirects = true,
    headers = { Authorization = sent } })
  t.eq({ result.status, came, arrived }, { 401, { sent }, { "none" } })
  server:stop()
  target:stop()
end

function tests.mistakes_name_the_option()
  local _, child = asked { words = { "--provider", "nosuch" } }
  t.has(child.stderr, "there is no model provider 'nosuch'")
  t.has(child.stderr, "(from --provider)")
  _, child = asked { env = { DESKPILOT_PROVIDER = "nosuch" } }
  t.has(child.stderr, "(from DESKPILOT_PROVIDER)")
  _, child = asked { words = { "--set", "personas.vision.provider=nosuch" } }
  t.has(child.stderr, "(from --set)")
end

return tests
