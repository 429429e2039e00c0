-- model/probe and model/provider: what is certain of a model server before anything is started.
local t = require "harness"
local configured = require "configured"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local lookup = require "deskpilot.base.lookup"
local model_server = require "model_server"
local ports = require "ports"
local probe = require "deskpilot.model.probe"
local provider = require "deskpilot.model.provider"
local spawn = require "spawn"
local task = require "deskpilot.base.task"

local tests = {}

local page = "<!DOCTYPE html>\n<html><head><title>Open  WebUI</title></head><body>hello</body></html>"
local html = { ["Content-Type"] = "text/html; charset=utf-8" }

-- Probes a server that answers GET by list(request) and POST by chat(request).
local function ask(list, chat, options)
  local posts = 0
  local server = model_server.start(function(_, _, request)
    if request.method == "GET" then return list(request) end
    posts = posts + 1
    return chat and chat(request) or model_server.reply_text "OK"
  end)
  server.models = "scripted"
  options = options or {}
  options.model = options.model or "wanted"
  options.endpoint = server.origin .. (options.path or "/v1")
  local ok, err = probe.check(options)
  server:stop()
  t.eq(server:problems(), "")
  return ok, err, posts, server
end

local function has(...)
  local data = {}
  for i, name in ipairs { ... } do data[i] = { id = name } end
  return function() return { body = { object = "list", data = data } } end
end

local function answers(reply)
  return function() return reply end
end

function tests.a_server_that_has_the_model_is_asked_nothing_more()
  for _, names in ipairs { { "other", "wanted" }, { "Wanted" }, { "wanted:latest" } } do
    local ok, err, posts = ask(has(table.unpack(names)))
    t.eq({ ok, err, posts }, { true, nil, 0 }, names[1])
  end
  t.eq(probe.check { model = "literal" }, true)
end

-- Fakes, proxies and small servers keep no list, or are slow or busy; what they can do shows when they are asked.
function tests.what_is_not_certain_is_no_failure()
  for name, reply in pairs {
    no_list = { status = 404, body = { error = "no such path" } }, not_allowed = { status = 405, body = "" },
    busy = { status = 503, body = "" }, empty_object = { body = "{}" }, words = { body = "OK",
      headers = { ["Content-Type"] = "text/plain" } }, broken = { drop = true, body = ("x"):rep(100) },
  } do
    local ok, err, posts = ask(answers(reply))
    t.eq({ ok, tostring(err), posts }, { true, "nil", 0 }, name)
  end
  local began = task.now()
  local ok, err = ask(answers { silent = true }, nil, { connect_timeout = 0.1 })
  t.eq({ ok, err }, { true, nil }, "a slow one")
  t.ok(task.now() - began < 10)
end

function tests.a_name_that_is_not_listed_is_tried()
  local list = has("qwen3-vl:8b", "llava:7b")
  local function refuses(reply, part)
    local ok, err, posts, server = ask(list, answers(reply), { model = "qwen3-vl:4b" })
    t.eq(ok, nil)
    t.has(tostring(err), part)
    t.eq(posts, 1)
    t.eq(server.requests[2].json.max_tokens, 1, "the smallest question")
    return err
  end
  local err = refuses({ status = 404, body = { error = { message = "model 'qwen3-vl:4b' not found" } } },
    "has no model qwen3-vl:4b: did you mean qwen3-vl:8b? It has qwen3-vl:8b and llava:7b; choose one by --model")
  t.eq(err.code, "not_found")
  refuses({ status = 400, body = { error = { message = "The model `x` does not exist" } } }, "has no model")
  for _, reply in ipairs { model_server.reply_text "OK", { status = 500, body = "" },
    { status = 400, body = { error = { message = "max_tokens is not supported with this model" } } } } do
    t.eq(ask(list, answers(reply), { model = "alias" }), true, "a server may answer to names that it does not list")
  end
  local none = select(2, ask(answers { body = '{"object":"list","data":null}' }, answers { status = 404,
    body = { error = "model not found" } }))
  t.has(tostring(none), "has no model wanted: it has none; choose one by --model")
end

function tests.a_web_page()
  local ok, err, posts = ask(answers { headers = html, body = page }, answers { headers = html, body = page })
  t.eq({ ok, posts }, { nil, 1 })
  t.has(tostring(err), 'answers with a web page ("Open WebUI") and not as a model server does: check the address')
  t.ok(not tostring(err):find("<", 1, true), "no markup")
  ok, err = ask(answers { status = 404, headers = html, body = page }, answers { status = 405, headers = html,
    body = "<html>\n" })
  t.eq(ok, nil)
  t.has(tostring(err), "answers with a web page and not")
  err = select(2, ask(answers { headers = html, status = 404, body = page }, answers { headers = html, status = 501,
    body = "<html><title>Error response</title></html>" }))
  t.has(tostring(err), 'answers with a web page ("Open WebUI")', "a server of files")
  t.eq(ask(answers { headers = html, body = page }), true, "a chat that works behind pages")
end

function tests.a_missing_v1()
  for _, path in ipairs { "/openai", "/api/chat" } do
    for name, miss in pairs { json = { status = 404, body = "{}" }, html = { headers = html, body = page } } do
      local ok, err = ask(function(request)
        return request.path == "/v1/models" and has("wanted")() or miss
      end, nil, { path = path })
      t.eq(ok, nil, name)
      t.has(tostring(err), path .. " is not the address of a model server, but http://127.0.0.1:")
      t.ok(tostring(err):find("is: use %-%-endpoint http://127%.0%.0%.1:%d+/v1$"), tostring(err))
    end
  end
end

function tests.a_key_that_is_missing_or_wrong()
  local no = { status = 401, body = { error = { message = "who are you?" } } }
  local _, err = ask(answers(no), answers(no))
  t.eq(err.code, "refused")
  t.has(tostring(err), "answered 401: who are you? (it wants an API key: put it into the variable DESKPILOT_API_KEY, "
    .. "or say by model.api_key_file which file holds it)")
  err = select(2, ask(answers(no), answers(no), { api_key_option = "personas.vision.api_key_file" }))
  t.has(tostring(err), "(it wants an API key: say by personas.vision.api_key_file which file holds it)")
  err = select(2, ask(answers(no), answers(no), { api_key = "secret-key", api_key_from = "OPENAI_API_KEY" }))
  t.has(tostring(err), "(is the API key right? It is from OPENAI_API_KEY)")
  t.ok(not tostring(err):find("secret%-key"))
  t.eq(ask(answers(no)), true, "a key that may chat but not list")
end

function tests.nobody_is_there()
  local ok, err = probe.check { endpoint = "http://127.0.0.1:" .. ports.refusing(), model = "m" }
  t.eq({ ok, err.code }, { nil, "unavailable" })
  t.has(tostring(err), "connection refused")
  t.has(tostring(err), "`ollama serve` (Ollama: --provider ollama, http://localhost:11434/v1)")
  t.has(tostring(err), "--model literal needs none")
  ok, err = probe.check { endpoint = "http://no-such-host.invalid/v1", model = "m" }
  t.eq(ok, nil)
  t.has(tostring(err), "check the address and the network")
  for port, words in pairs { [11434] = "Ollama usually listens there: start it by `ollama serve`",
    [8080] = "llama.cpp usually", [8000] = "vLLM usually", [1234] = "`lms server start`" } do
    t.has(require("deskpilot.model.advice").start(("http://127.0.0.1:%d/v1"):format(port)), words)
  end
  ok, err = probe.check { endpoint = "localhost:99999", model = "m" }
  t.eq({ ok, err.code }, { nil, "invalid" })
  ok, err = ask(answers { raw = "SSH-2.0-OpenSSH_9.2\r\n" })
  t.eq({ ok, err.code }, { nil, "protocol" })
end

-- --- providers --------------------------------------------------------------------------------------------

local function setting(layers, name)
  local config, err = configured.resolve(layers)
  return config and config:get(name) or tostring(err)
end

function tests.a_provider_stands_for_its_endpoint()
  local ollama = "http://localhost:11434/v1"
  t.eq(setting({ flags = { ["model.provider"] = "ollama" } }, "model.endpoint"), ollama)
  t.eq(setting({ flags = { ["model.provider"] = "ollama" } }, "model.name"), "qwen2.5vl")
  t.eq(setting({ environment = { DESKPILOT_PROVIDER = "vllm" } }, "model.endpoint"), "http://localhost:8000/v1")
  t.eq(setting({ environment = { DESKPILOT_PROVIDER = "vllm" } }, "model.name"), "qwen3-vl-2b-instruct")
  local own = { model = { endpoint = "http://box/v1", name = "mine" } }
  t.eq(setting({ project = own, flags = { ["model.provider"] = "ollama" } }, "model.endpoint"), ollama,
    "a flag goes before a file")
  t.eq(setting({ project = own, flags = { ["model.provider"] = "ollama" } }, "model.name"), "mine",
    "a model that somebody has named stays")
  t.eq(setting({ user = { model = { provider = "ollama" } }, project = own }, "model.endpoint"), "http://box/v1")
  t.eq(setting({ user = { model = { provider = "ollama" } }, environment = { DESKPILOT_ENDPOINT = "http://e/v1" } },
    "model.endpoint"), "http://e/v1")
  t.eq(setting({ flags = { ["model.provider"] = "ollama", ["model.endpoint"] = "http://x:11434/v1" } },
    "model.endpoint"), "http://x:11434/v1", "both in one place")
  t.eq(setting({ mission = { personas = { vision = { provider = "ollama" } } } }, "personas.vision.endpoint"), ollama)
  t.has(setting({ flags = { ["model.provider"] = "olama" } }, "model.name"), "there is no model provider 'olama'; did "
    .. "you mean 'ollama'?")
  t.has(setting({ flags = { ["model.provider"] = "zzz" } }, "model.name"), "; there are anthropic, ")
end

function tests.the_documents_list_all_of_them()
  local document = assert(files.read "docs/configuration.md")
  local help = provider.shipped_names()
  for _, one in ipairs(assert(provider.all())) do
    t.ok(document:find(("| `%s` | [^|]+ | `%s` |"):format(one.name, one.endpoint:gsub("%p", "%%%0"))), one.name)
    t.has(help, one.name)
  end
  t.has(spawn.run({ spawn.program, "run", "--help" }).stdout, help)
end

function tests.keys_go_to_whom_they_belong()
  local function key(environment, flags, name)
    local config = assert(configured.resolve { environment = environment, flags = flags })
    return table.pack(config:secret(name or "model.api_key_file"))
  end
  local router = { ["model.provider"] = "openrouter" }
  t.eq(key({ OPENROUTER_API_KEY = "r-key", OPENAI_API_KEY = "o-key" }, router),
    { "r-key", "OPENROUTER_API_KEY", n = 2 })
  t.eq(key({ OPENAI_API_KEY = "o-key" }, router)[1], nil, "another company's key is not sent")
  t.eq(key({ DESKPILOT_API_KEY = "d-key", OPENROUTER_API_KEY = "r-key" }, router)[1], "d-key")
  t.eq(key({ OPENAI_API_KEY = "o-key" }, { ["model.provider"] = "openai" }), { "o-key", "OPENAI_API_KEY", n = 2 })
  t.eq(key({ OPENROUTER_API_KEY = "r-key" }, { ["personas.vision.provider"] = "openrouter" },
    "personas.vision.api_key_file")[1], "r-key")
end

function tests.every_variable_has_a_name()
  t.eq(setting({ environment = { DESKPILOT_RUNS_DIR = "/elsewhere" } }, "runs.dir"), "/elsewhere")
  t.eq(setting({ environment = { DESKPILOT_LIMITS_TURNS = "7" }, mission = { limits = { turns = 3 } } },
    "limits.turns"), 7)
  t.eq(setting({ environment = { DESKPILOT_LIMITS_TURNS = "7" }, flags = { ["limits.turns"] = 8 } }, "limits.turns"), 8)
  t.eq(setting({ environment = { DESKPILOT_DESKTOP_SIZE = "640,480" } }, "desktop.height"), 480)
  t.eq(setting({ environment = { DESKPILOT_RUNS_KEEP = "5, 1.5, 0" } }, "runs.keep_days"), 1.5)
  t.eq(setting({ environment = { DESKPILOT_MODEL_NAME = "a", DESKPILOT_MODEL = "b" } }, "model.name"), "b",
    "the short one goes first")
  t.has(setting({ environment = { DESKPILOT_LIMITS_TURNS = "many" } }, "limits.turns"),
    "limits.turns is 'many', but must be a whole number (from DESKPILOT_LIMITS_TURNS)")
  local folder = spawn.folder()
  assert(files.write(folder .. "/key", "file-secret\n"))
  local config = assert(configured.resolve { environment = { DESKPILOT_MODEL_API_KEY_FILE = folder .. "/key" } })
  t.eq(config:secret "model.api_key_file", "file-secret")
  files.remove(folder)
end

function tests.the_files_of_wrong_keys_are_named()
  local settings = require "deskpilot.cli.settings"
  local _, err = configured.settings():resolve { environment = {}, layers = settings.file_layers {
    project = { limts = {} }, user = { timing = { verify = "x" } }, project_folder = "/work/it",
    user_folder = "/home/me/.config/deskpilot" } }
  t.has(tostring(err), "did you mean 'limits'? (from /work/it/deskpilot.lua)")
  t.has(tostring(err), "timing.verify is 'x', but must be a number (from /home/me/.config/deskpilot/config.lua)")
end

function tests.the_file_of_providers_can_be_ones_own()
  local folder = spawn.folder()
  assert(files.make_folder(folder .. "/deskpilot/model"))
  local function says(words)
    assert(files.write(folder .. "/deskpilot/model/providers.lua", words))
    lookup.set_roots { user_folder = folder }
    local found, err = provider.find "mine"
    lookup.set_roots {}
    return found or err
  end
  local mine = says "return { mine = { endpoint = 'http://box:9000/v1', model = 'm' } }"
  t.eq({ mine.title, mine.endpoint, mine.model, mine.is_local }, { "mine", "http://box:9000/v1", "m", false })
  t.has(tostring(says "return { ollama = { endpoint = 'http://x' } }"), "there is no model provider 'mine'; there is "
    .. "ollama")
  for words, part in pairs {
    ["return { mine = { endpoit = 'http://x' } }"] = "providers.lua: mine.endpoit is not known; did you mean "
      .. "'endpoint'?",
    ["return { mine = {} }"] = "providers.lua: mine.endpoint: not the address",
    ["return { mine = 1 }"] = "mine must be",
    ["return os.exit()"] = "providers.lua:1: ", ["return { mine = { model = 1, endpoint = 'x' } }"] = "must be a text",
  } do
    local err = says(words)
    t.ok(errors.is(err, "invalid"), words)
    t.has(tostring(err), part)
  end
  files.remove(folder)
end

return tests
