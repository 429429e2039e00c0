-- model/refusal and model/quirks: what servers say when they refuse a request, in their own words, what is changed for
-- it, and what is remembered.
local uv = require "luv"
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local quirks = require "deskpilot.model.quirks"
local refusal = require "deskpilot.model.refusal"
local system = require "native.system"

local tests = {}

local sent = {
  model = "m", stream = true, stream_options = { include_usage = true }, temperature = 0.2, max_tokens = 100,
  tools = { {} }, tool_choice = "auto", parallel_tool_calls = true, response_format = {}, reasoning_effort = "low",
  messages = { { role = "system", content = "s" }, { role = "user", content = { { type = "text", text = "t" } } } },
}

local function read(status, body, request)
  if type(body) == "table" then body = json.encode(body) end
  return refusal.read(status, body, request or sent)
end

local function openai(message, param, code)
  return { error = { message = message, type = "invalid_request_error", param = param, code = code } }
end

-- What servers answer: the status, the body, what is read of it.
local answers = {
  -- OpenAI and what follows it
  { 400, openai("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' "
    .. "instead.", "max_tokens", "unsupported_parameter"), { rename = "max_tokens", to = "max_completion_tokens" } },
  { 400, { error = { message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
    .. "'max_completion_tokens' instead.", code = "invalid_request_body" } },
    { rename = "max_tokens", to = "max_completion_tokens" } },
  { 400, openai("Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is "
    .. "supported.", "temperature", "unsupported_value"), { drop = "temperature" } },
  { 400, openai("Unknown parameter: 'parallel_tool_calls'.", "parallel_tool_calls", "unknown_parameter"),
    { drop = "parallel_tool_calls" } },
  { 400, openai("Function tools with reasoning_effort are not supported for this model in /v1/chat/completions.",
    "reasoning_effort"), { drop = "reasoning_effort" } },
  { 400, openai("This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 "
    .. "tokens.",
    "messages", "context_length_exceeded"), { too_long = true } },
  { 429, openai("You exceeded your current quota, please check your plan and billing details.", nil,
    "insufficient_quota"), { quota = true } },
  { 429, openai("Rate limit reached for requests. Limit: 3 / min. Unsupported? No.", nil, "rate_limit_exceeded") },
  { 401, openai("Incorrect API key provided; temperature is not supported", "temperature") },
  -- vLLM: pydantic's words, jinja's and its own
  { 400, { object = "error", type = "BadRequestError", param = json.null, code = 400, message = "[{'type': "
    .. "'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted', 'input': {}}]" },
    { drop = "stream_options" } },
  { 400, { error = { message = "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be "
    .. "set", type = "BadRequestError", param = json.null, code = 400 } }, { tools = "text" } },
  { 400, { object = "error", message = "This model's maximum context length is 8192 tokens. However, you "
    .. "requested 8204 "
    .. "tokens (12 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
    type = "BadRequestError", param = json.null, code = 400 }, { too_long = true } },
  { 400, { object = "error", message = "max_tokens must be at least 1, got "
    .. "-186.", type = "BadRequestError", code = 400 },
    { too_long = true } },
  { 400, { error = { message = "At most 1 image(s) may be provided in one prompt.", type = "BadRequestError",
    code = 400 } }, { pictures = 1 } },
  { 400, { object = "error", message = "Qwen3-8B is not a multimodal model", code = 400 }, { pictures = 0 } },
  { 400, { error = { message = "System role not supported", code = 400 } }, { system = "user" } },
  -- FastAPI
  { 422, { detail = { { type = "extra_forbidden", loc = { "body", "tool_choice" }, msg = "Extra inputs are not "
    .. "permitted",
    input = "auto" } } }, { drop = "tool_choice" } },
  { 422, { object = "error", message = { detail = { { type = "extra_forbidden", loc = { "body", "parallel_tool_calls" },
    msg = "Extra inputs are not permitted" } } } }, { drop = "parallel_tool_calls" } },
  { 422, { detail = { { loc = { "body", "messages", 1, "content" }, msg = "Input should be a valid string: "
    .. "content" } } },
    { content = "text" } },
  -- llama.cpp
  { 400, { error = { code = 400, message = "request (4390 tokens) exceeds the available context size (4096 "
    .. "tokens), try "
    .. "increasing it", type = "exceed_context_size_error", n_prompt_tokens = 4390, n_ctx = 4096 } },
    { too_long = true } },
  { 500, { error = { code = 500, message = "Context size has been exceeded.", type = "server_error" } },
    { too_long = true } },
  { 500, { error = { code = 500, message = "image input is not supported - hint: if this is unexpected, you may "
    .. "need to "
    .. "provide the mmproj", type = "server_error" } }, { pictures = 0 } },
  { 500, { error = { code = 500, message = "tools param requires --jinja flag", type = "server_error" } },
    { tools = "text" } },
  { 500, { error = { message = "temperature is not supported" } } },
  -- LM Studio
  { 400, { error = "Invalid tool_choice type: 'object'. Supported string values: none, auto, required" },
    { drop = "tool_choice" } },
  { 400, { error = "'response_format.type' must be 'json_schema' or 'text'" }, { drop = "response_format" } },
  { 400, { error = "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with "
    .. "context length of only 4096 tokens, which is not enough." }, { too_long = true } },
  { 400, { error = "Model does not support images. Please use a model that does." }, { pictures = 0 } },
  { 400, { error = "Invalid 'content': 'content' objects must be a string" }, { content = "text" } },
  { 404, { error = { message = "Model \"m\" is not loaded, load one by lms load", type = "invalid_request_error" } } },
  -- Ollama
  { 400, { error = { message = "registry.ollama.ai/library/gemma3:4b does not support tools", type = "api_error" } },
    { tools = "text" } },
  { 400, { error = { message = "json: cannot unmarshal array into Go struct field "
    .. "ChatCompletionRequest.messages.content "
    .. "of type string", type = "invalid_request_error" } }, { content = "text" } },
  { 500, { error = { message = "Failed to create new sequence: failed to process inputs: this model is missing data "
    .. "required for image input", type = "api_error" } }, { pictures = 0 } },
  { 404, { error = { message = "model \"m\" not found, try pulling it first", type = "api_error" } } },
  -- OpenRouter, Groq, DashScope, Anthropic's and Gemini's words
  { 404, { error = { message = "No endpoints found that support image input", code = 404 } }, { pictures = 0 } },
  { 404, { error = { message = "No endpoints found that support tool use. To learn more about provider routing, visit: "
    .. "https://openrouter.ai/docs/provider-routing", code = 404 } }, { tools = "text" } },
  { 404, { error = { message = "No endpoints found that support the provided 'tool_choice' value.", code = 404 } },
    { drop = "tool_choice" } },
  { 402, { error = { message = "Insufficient credits. Add more using the settings.", code = 402 } }, { quota = true } },
  { 413, "<html>413 Request Entity Too Large</html>", { too_long = true } },
  { 400, { error = { message = "prompt is too long: 210000 tokens > 200000 maximum", type = "invalid_request_error" } },
    { too_long = true } },
  { 400, { error = { code = 400, message = "The input token count (1200000) exceeds the maximum number of tokens "
    .. "allowed "
    .. "(1048576).", status = "INVALID_ARGUMENT" } }, { too_long = true } },
  { 400, { error = { message = "Your credit balance is too low to access the API." } }, { quota = true } },
  -- Nothing that could be changed
  { 400, { error = { message = "Invalid schema for function 'press_key'" } } },
  { 400, "" }, { 400, "null" }, { 400, "[[[[[[[[" }, { 400, { error = { { { { { "deep" } } } } } } },
  { 400, { error = { message = "the model m is not supported" } } },
  { 400, { error = { message = "the messages must alternate" } } },
  { 400, { error = { message = "my_temperature is not supported" } } },
  { 400, { error = { message = "the temperature in the room is nice" } } },
  { 503, { error = { message = "stream is not supported while loading" } } },
}

function tests.what_servers_say()
  for _, case in ipairs(answers) do
    t.eq(read(case[1], case[2]), case[3], json.encode(case[2]))
  end
  t.ok(#answers >= 40, #answers)
end

function tests.only_what_was_sent_is_changed()
  local plain = { model = "m", messages = { { role = "user", content = "t" } }, max_completion_tokens = 5 }
  t.eq(read(400, openai("temperature is not supported", "temperature"), plain), nil)
  t.eq(read(400, openai("'content' must be a string"), plain), nil)
  t.eq(read(400, openai("messages is not supported", "messages"), plain), nil)
  t.eq(read(400, openai("max_completion_tokens is not supported, use max_tokens instead"), plain),
    { rename = "max_completion_tokens", to = "max_tokens" })
  t.eq(read(400, openai("This model only support stream mode, please enable the stream parameter"), plain),
    { stream = true })
  local both = { model = "m", messages = {}, max_tokens = 1, max_completion_tokens = 1 }
  t.eq(read(400, openai("max_tokens is not supported, use max_completion_tokens"), both), { drop = "max_tokens" })
end

function tests.what_is_changed()
  local known = quirks.new { refuses = { "seed" }, renames = { max_tokens = "max_completion_tokens" } }
  t.eq(quirks.add(known, { drop = "tool_choice" }), "does not take tool_choice, which is left out from now on")
  t.eq(quirks.add(known, { drop = "tool_choice" }), nil, "it was left out already")
  t.eq(quirks.add(known, { rename = "max_tokens", to = "max_completion_tokens" }), nil)
  t.ok(quirks.add(known, { content = "text" }))
  t.ok(quirks.add(known, { system = "user" }))
  t.has(quirks.add(known, { pictures = 2 }), "at most 2 of the pictures")
  t.has(quirks.add(known, { drop = "stream" }), "gives no streams")
  t.eq({ known.stream, known.pictures }, { false, 2 })
  local picture = { { type = "text", text = "look" }, { type = "image_url", image_url = { url = "data:" } } }
  local body = { model = "m", seed = 1, tool_choice = "auto", max_tokens = 5, messages = {
    { role = "system", content = "be good" },
    { role = "user", content = { { type = "text", text = "a" }, { type = "text", text = "b" } } },
    { role = "user", content = picture },
  } }
  quirks.apply(known, body)
  t.eq(body, { model = "m", max_completion_tokens = 5, messages = {
    { role = "user", content = "be good\n\na\n\nb" }, { role = "user", content = picture } } })
  body = { messages = { { role = "system", content = "alone" } } }
  quirks.apply(known, body)
  t.eq(body.messages, { { role = "user", content = "alone" } })
end

local function with_file(fn)
  local folder = t.ok(files.make_temporary_folder(uv.os_tmpdir(), "quirks"))
  local ok, err = xpcall(fn, debug.traceback, folder .. "/cache/servers.json")
  files.remove(folder)
  if not ok then error(err, 0) end
end

local function recalled(path, endpoint, model)
  local known = quirks.new()
  quirks.recall(known, path, endpoint, model)
  return known
end

local here = "http://127.0.0.1:1234/v1"

function tests.it_is_remembered_for_that_model_and_server()
  with_file(function(path)
    t.eq(recalled(path, here, "m"), quirks.new())
    local known = quirks.new()
    for _, one in ipairs { { drop = "tool_choice" }, { rename = "max_tokens", to = "max_completion_tokens" },
      { content = "text" }, { system = "user" }, { pictures = 0 }, { drop = "stream" }, { tools = "text" } } do
      t.ok(quirks.add(known, one))
    end
    t.ok(quirks.remember(known, path, here, "m"))
    t.ok(quirks.remember(quirks.new { refuses = { "temperature" } }, path, here, "n"))
    t.eq(recalled(path, here, "m"), known)
    t.eq(recalled(path, here, "n"), quirks.new { refuses = { "temperature" } })
    t.eq(recalled(path, "http://127.0.0.1:1/v1", "m"), quirks.new(), "another server")
    if t.platform == "linux" then
      t.eq({ uv.fs_stat(path).mode & 511, uv.fs_stat((files.split(path))).mode & 511 }, { 384, 448 }, "the user's own")
    end
  end)
end

function tests.what_cannot_be_read_is_not_there()
  with_file(function(path)
    files.make_folder((files.split(path)))
    local entry = { at = os.time(), refuses = { "a", "../b", ("x"):rep(65), 7, "c" }, renames = { x = "y", z = 5 },
      content = "picture", system = true, stream = "yes", pictures = -1, tools = "native" }
    for name, words in pairs { empty = "", broken = "{", list = "[1]", deep = ("["):rep(100), version = json.encode {
      version = 2, servers = { [here .. " m"] = entry } }, large = (" "):rep(300000),
      old = json.encode { version = 1, servers = { [here .. " "
        .. "m"] = { at = os.time() - 31 * 86400, refuses = { "a" } } } },
      future = json.encode { version = 1, servers = { [here .. " m"] = { at = os.time() + 999, refuses = { "a" } } } },
      text = json.encode { version = 1, servers = { [here .. " m"] = "a" } } } do
      t.ok(files.write(path, words), name)
      t.eq(recalled(path, here, "m"), quirks.new(), name)
    end
    t.ok(files.write(path, json.encode { version = 1, servers = { [here .. " m"] = entry } }))
    local known = recalled(path, here, "m")
    t.eq(known, { refuses = { a = true, c = true }, renames = { x = "y" } })
    t.ok(quirks.remember(known, path, here, "m"), "it is replaced")
  end)
end

function tests.the_file_stays_small()
  with_file(function(path)
    files.make_folder((files.split(path)))
    local servers, now = {}, os.time()
    for i = 1, 300 do servers[("http://h/v1 m%03d"):format(i)] = { at = now - i, refuses = { "temperature" } } end
    t.ok(files.write(path, json.encode { version = 1, servers = servers }))
    t.ok(quirks.remember(quirks.new { refuses = { "seed" } }, path, here, "m"))
    local kept = json.decode(t.ok(files.read(path))).servers
    local count = 0
    for _ in pairs(kept) do count = count + 1 end
    t.eq(count, 200)
    t.ok(kept[here .. " m"] and kept["http://h/v1 m199"] and not kept["http://h/v1 m200"], "the oldest have gone")
  end)
end

function tests.a_folder_that_cannot_be_written()
  local ok, err = quirks.remember(quirks.new(), "/dev/null/x/servers.json", here, "m")
  t.eq({ ok, type(err) }, { nil, "table" })
end

function tests.where_it_is()
  t.has(quirks.path(), "deskpilot")
  t.ok(system.platform == "windows" or not quirks.path():find("config", 1, true))
end

return tests
