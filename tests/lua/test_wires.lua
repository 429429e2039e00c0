-- The makers' own wires, each against a server that behaves as the maker's documentation says (vendor_server.lua) and
-- takes only what the maker's published types allow.
local t = require "harness"
local configured = require "configured"
local client = require "deskpilot.model.client"
local json = require "deskpilot.base.json"
local files = require "deskpilot.base.files"
local secrets = require "deskpilot.model.secrets"
local run_models = require "deskpilot.cli.run_models"
local spawn = require "spawn"
local stream = require "deskpilot.model.stream"
local vendor_server = require "vendor_server"
local wires = require "deskpilot.model.wire"

local tests = {}

local png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

local models = { anthropic = "claude-opus-5-5", responses = "gpt-5.4", gemini = "gemini-3.5-flash" }

local function tool(name, properties)
  return { type = "function", ["function"] = { name = name, description = "Does " .. name .. ".", parameters = {
    type = "object", properties = properties or { label = { type = "string" } }, additionalProperties = false } } }
end

local function screen()
  return { type = "image", base64 = png, mime = "image/png", path = "screenshots/step_0001.png", width = 1280,
    height = 800 }
end

local function request(more)
  local one = { persona = "executor", max_tokens = 300, messages = {
    { role = "system", content = "You are the Executor." },
    { role = "user", content = { { type = "text", text = 'SCREEN: "a" \\ é' }, screen() } } },
    tools = { tool "click_element", tool "look_closely", tool "wait" } }
  for key, value in pairs(more or {}) do one[key] = value end
  return one
end

-- Asks a server of that maker's; its reply, and the server, which has stopped.
local function ask(vendor, said, more, options)
  local server = vendor_server.start(vendor, type(said) == "function" and said or function() return said end)
  options = options or {}
  options.endpoint, options.api_key = server.endpoint, options.api_key or server.key
  options.model, options.wire, options.retries = options.model or models[vendor], vendor, 0
  local asking = assert(client.new(options))
  local reply, err = asking:chat(request(more))
  if type(said) ~= "function" then t.eq(server.problems, {}, vendor .. " refuses nothing") end
  server:stop()
  return reply, server, err, asking
end

local function last(server) return server.requests[#server.requests].json end

local function first_tool(body, field)
  for _, one in ipairs(body.tools or {}) do
    if one[field or "type"] then return one end
  end
end

-- The same for each wire.
local function each(fn)
  for _, vendor in ipairs { "anthropic", "responses", "gemini" } do fn(vendor) end
end

function tests.words_and_calls()
  each(function(vendor)
    local reply, server, err = ask(vendor, { text = "I press it.", thought = "Which one?", calls = {
      { "click_element", { label = "Seven" } }, { "wait", {} } } })
    t.ok(reply, tostring(err))
    t.eq(reply.content, "I press it.")
    t.eq(reply.thinking, "Which one?")
    t.eq(#reply.tool_calls, 2)
    t.eq(reply.tool_calls[1].name, "click_element")
    t.eq(json.decode(reply.tool_calls[1].arguments), { label = "Seven" })
    t.eq(reply.tool_calls[2].arguments, "{}")
    t.eq(reply.tool_calls[1].computer, nil, "it is ours")
    t.ok(reply.tool_calls[1].id ~= reply.tool_calls[2].id, "ids are told apart")
    t.eq(reply.finish_reason, "tool_calls")
    t.eq(reply.turn.wire, vendor)
    local view = server.vendor.view(last(server))
    t.has(view.system, "You are the Executor.")
    t.eq(view.text, { 'SCREEN: "a" \\ é' })
    t.eq(view.pictures, 1)
    t.ok(view.tools.click_element and view.tools.look_closely, "our own tools are offered as functions")
    t.ok(view.computer, "and the maker's own beside them")
    t.has(server.requests[1].body, png, "the picture as it is")
  end)
end

function tests.usage()
  t.eq(ask("anthropic", { text = "x" }).usage,
    { input_tokens = 2000, cached_tokens = 1850, written_tokens = 30, output_tokens = 60 })
  t.eq(ask("responses", { text = "x" }).usage, { input_tokens = 328, cached_tokens = 256, output_tokens = 52 })
  t.eq(ask("gemini", { text = "x" }).usage, { input_tokens = 400, cached_tokens = 100, output_tokens = 50 })
end

function tests.the_makers_own_tools()
  local _, server = ask("anthropic", { text = "x" })
  t.eq(first_tool(last(server)).type, "computer_toolset_20260801")
  local configs = first_tool(last(server)).configs
  t.eq({ configs.zoom == nil, configs.wait == nil, configs.left_click == nil, configs.type, configs.hold_key },
    { true, true, true, { enabled = false }, { enabled = false } }, "what no tool of this request can do")
  t.eq(server.requests[1].headers["anthropic-beta"], nil, "it is no beta any more")
  _, server = ask("anthropic", { text = "x" }, { temperature = 0.5 }, { model = "claude-sonnet-4-6" })
  local declared = first_tool(last(server))
  t.eq({ declared.type, declared.name, declared.display_width_px, declared.display_height_px, declared.enable_zoom },
    { "computer_20251124", "computer", 1280, 800, true })
  t.eq(server.requests[1].headers["anthropic-beta"], "computer-use-2025-11-24")

  _, server = ask("responses", { text = "x" })
  t.eq(first_tool(last(server)), { type = "computer" })
  t.eq(last(server).input[1].content[2].detail, "original")
  t.eq({ last(server).store, last(server).truncation }, { false })
  _, server = ask("responses", { text = "x" }, nil, { model = "computer-use-preview" })
  declared = first_tool(last(server))
  t.eq({ declared.type, declared.display_width, declared.display_height }, { "computer_use_preview", 1280, 800 })
  t.eq(last(server).truncation, "auto")

  _, server = ask("gemini", { text = "x" })
  declared = first_tool(last(server), "computerUse").computerUse
  t.eq(declared.environment, "ENVIRONMENT_DESKTOP")
  local without = " " .. table.concat(declared.excludedPredefinedFunctions, " ") .. " "
  for _, name in ipairs { "wait", "mouse_down", "type" } do t.has(without, (" %s "):format(name)) end
  t.ok(not without:find(" click ", 1, true))
  _, server = ask("gemini", { text = "x" }, nil, { model = "gemini-3.1-pro-preview" })
  declared = first_tool(last(server), "computerUse").computerUse
  t.eq(declared.environment, "ENVIRONMENT_BROWSER")
  t.has(table.concat(declared.excludedPredefinedFunctions, " "), "navigate", "what a desktop does not have")
end

function tests.not_where_nothing_points()
  each(function(vendor)
    local _, server = ask(vendor, { text = "x" }, { tools = { tool "write_doctrine" } })
    t.eq(server.vendor.view(last(server)).computer, nil)
    local model = models[vendor]
    _, server = ask(vendor, { text = "x" }, nil, { models = { [model] = { computer = "none" } } })
    t.eq(server.vendor.view(last(server)).computer, nil, "the configuration turns it off")
    _, server = ask(vendor, { text = "x" }, { tools = json.list() })
    t.eq(last(server).tools, nil)
  end)
end

local function calls_of(reply)
  local list = {}
  for i, call in ipairs(reply.tool_calls) do list[i] = { call.name, json.decode(call.arguments), call.computer } end
  return list
end

function tests.actions_of_the_makers_own_tools()
  local reply = ask("anthropic", { computer = { { "left_click", { coordinate = { 100, 200 } } },
    { "type", { text = "hello" } }, { "zoom", { region = { 0, 0, 10, 10 } } } } })
  t.eq(calls_of(reply), { { "left_click", { coordinate = { 100, 200 } }, true }, { "type", { text = "hello" }, true },
    { "zoom", { region = { 0, 0, 10, 10 } }, true } })
  reply = ask("anthropic", { computer = { { "left_click", { coordinate = { 1, 2 } } } } }, nil,
    { model = "claude-sonnet-4-6" })
  t.eq(calls_of(reply), { { "computer", { action = "left_click", coordinate = { 1, 2 } }, true } })

  reply = ask("responses", { computer = { { "click", { button = "left", x = 5, y = 6 } },
    { "keypress", { keys = { "CTRL", "S" } } } } })
  t.eq(calls_of(reply), { { "click", { button = "left", x = 5, y = 6 }, true },
    { "keypress", { keys = { "CTRL", "S" } }, true } })
  t.ok(reply.tool_calls[1].id ~= reply.tool_calls[2].id, "each action is a call of its own")
  reply = ask("responses", { computer = { { "scroll", { x = 1, y = 2, scroll_x = 0, scroll_y = 100 } } } }, nil,
    { model = "computer-use-preview" })
  t.eq(calls_of(reply), { { "scroll", { x = 1, y = 2, scroll_x = 0, scroll_y = 100 }, true } })

  reply = ask("gemini", { computer = { { "click", { x = 500, y = 20 } }, { "hotkey", { keys = { "ctrl", "s" } } } } })
  t.eq(calls_of(reply), { { "click", { x = 500, y = 20, intent = "because" }, true },
    { "hotkey", { keys = { "ctrl", "s" }, intent = "because" }, true } })
end

-- A request that goes on after a look-up, in the neutral form that agent/messages.lua makes.
local function after_look(reply, results)
  local one, calls = request(), json.list()
  for i, result in ipairs(results) do
    calls[i] = { id = "lookup_1_" .. i, type = "function",
      ["function"] = { name = result.name or "look_closely", arguments = "{}" } }
  end
  one.messages[3] = { role = "assistant", content = reply.content, tool_calls = calls, turn = reply.turn }
  for i, result in ipairs(results) do
    one.messages[3 + i] = { role = "tool", tool_call_id = "lookup_1_" .. i, from = result.from, failed = result.failed,
      content = result.picture and { { type = "text", text = result.text }, screen() } or result.text }
  end
  return one
end

-- A look and its answer, through a server that checks both.
local function look(vendor, said, results, options)
  local number = 0
  local server = vendor_server.start(vendor, function()
    number = number + 1
    return number == 1 and said or { text = "thanks" }
  end)
  options = options or {}
  options.endpoint, options.api_key, options.retries, options.wire = server.endpoint, server.key, 0, vendor
  options.model = options.model or models[vendor]
  local asking = assert(client.new(options))
  local reply = assert(asking:chat(request()))
  if options.change then options.change(reply) end
  for i, result in ipairs(results) do result.from = result.from or reply.tool_calls[i].id end
  local again, err = asking:chat(after_look(reply, results))
  server:stop()
  t.eq(server.problems, {}, vendor .. " takes its own answer back")
  t.ok(again, tostring(err))
  t.eq(again and again.content, "thanks")
  return last(server), server
end

function tests.results_of_looks()
  each(function(vendor)
    local body, server = look(vendor, { text = "Let me see.", thought = "hm", calls = { { "look_closely", {} },
      { "look_closely", {} } } }, { { text = "a picture", picture = true },
      { text = "no such window", failed = true } })
    t.eq(#server.vendor.view(body).results, 2)
    t.has(server.requests[2].body, "no such window")
    t.eq(select(2, server.requests[2].body:gsub(png:gsub("%W", "%%%0"), "")), 2, "the screen, and what was looked at")
  end)
end

function tests.results_of_looks_by_the_makers_own_tools()
  local body = look("anthropic", { thought = "hm", computer = { { "zoom", { region = { 0, 0, 9, 9 } } },
    { "left_click", { coordinate = { 1, 1 } } } } }, { { text = "no such part", failed = true },
    { text = "Not executed: an earlier computer action in this turn failed.", failed = true } })
  local said, results = body.messages[2].content, body.messages[3].content
  t.eq({ said[1].type, said[1].signature ~= nil, said[2].name, said[2].toolset_name },
    { "thinking", true, "zoom", "computer" })
  t.eq({ results[1].is_error, results[1].toolset_name, results[2].content[1].text },
    { true, "computer", "Not executed: an earlier computer action in this turn failed." })

  body = look("responses", { thought = "hm", computer = { { "screenshot" }, { "double_click", { x = 1, y = 2,
    keys = json.null } } } }, { { text = "the screen", picture = true }, { text = "NOT DONE" } })
  local item = body.input[4]
  t.eq({ body.input[2].type, body.input[3].type, item.type, item.call_id, item.output.type },
    { "reasoning", "computer_call", "computer_call_output", "call_c1", "computer_screenshot" })
  t.has(item.output.image_url, "data:image/png;base64," .. png)
  t.has(body.input[5].content, "NOT DONE", "what a picture cannot say")

  body = look("gemini", { thought = "hm", computer = { { "take_screenshot" } } }, { { text = "the screen",
    picture = true } })
  local call, answer = body.contents[2].parts[2], body.contents[3].parts[1].functionResponse
  t.eq({ call.functionCall.name, call.thoughtSignature, answer.name, answer.response.output },
    { "take_screenshot", "Cs4BAdHtim1", "take_screenshot", "the screen" })
  t.eq(answer.parts[1].inlineData, { mimeType = "image/png", data = png })
end

-- Of another model, or of none: the server gets it as calls of our tools.
function tests.answers_of_others()
  each(function(vendor)
    look(vendor, { text = "Let me see.", calls = { { "look_closely", {} } } }, { { text = "a picture",
      picture = true } }, { change = function(reply) reply.turn.model = "another" end })
    look(vendor, { computer = { { "click", { x = 1, y = 1 } } } }, { { text = "no", failed = true } },
      { change = function(reply) reply.turn = nil end })
  end)
end

-- A call that nothing was told of is answered all the same.
function tests.every_call_is_answered()
  each(function(vendor)
    local _, server = look(vendor, { calls = { { "look_closely", {} }, { "wait", {} } } }, { { text = "seen" } })
    t.has(server.requests[2].body, "Not executed.")
  end)
end

function tests.what_the_maker_wants_allowed()
  local check = { id = "cu_sc_1", code = "malicious_instructions", message = "The page gives orders." }
  local reply = ask("responses", { computer = { { "click", { x = 1, y = 2, button = "left" } } }, checks = { check } })
  t.eq(reply.tool_calls[1].checks, { check })
  reply = ask("gemini", { computer = { { "click", { x = 1, y = 2 } } }, checks = { check } })
  t.eq(reply.tool_calls[1].checks, { { code = "require_confirmation", message = "The page gives orders." } })
  t.eq(json.decode(reply.tool_calls[1].arguments).safety_decision, nil, "it is no argument of the action")
  for _, odd in ipairs { 5, { 5 }, { { message = 5 } }, "x" } do
    reply = assert(wires.of "responses".read { output = { { type = "computer_call", call_id = "c",
      pending_safety_checks = odd, actions = { { type = "wait" } } } } })
    t.eq(#reply.tool_calls[1].checks, 1, "what cannot be read is asked about too")
    reply = assert(wires.of "gemini".read { candidates = { { content = { parts = { { functionCall = { name = "click",
      args = { safety_decision = odd } } } } } } } })
    t.eq(#reply.tool_calls[1].checks, 1)
  end
  reply = assert(wires.of "gemini".read { candidates = { { content = { parts = { { functionCall = { name = "click",
    args = { safety_decision = { decision = "regular" } } } } } } } } })
  t.eq(reply.tool_calls[1].checks, nil)
  local function allow(answer) answer.turn.allowed = true end
  local body = look("responses", { computer = { { "screenshot" } }, checks = { check } },
    { { text = "seen", picture = true } }, { change = allow })
  t.eq(body.input[3].acknowledged_safety_checks, { check })
  body = look("gemini", { computer = { { "take_screenshot" } }, checks = { check } }, { { text = "seen" } },
    { change = allow })
  t.eq(body.contents[3].parts[1].functionResponse.response.safety_acknowledgement, "true")
end

function tests.caching_marks()
  local _, server = ask("anthropic", { text = "x" })
  local body = last(server)
  t.eq(body.tools[#body.tools].cache_control, { type = "ephemeral" }, "the tools")
  t.eq(body.system[#body.system].cache_control, { type = "ephemeral" }, "and the system prompt")
  t.eq(select(2, server.requests[1].body:gsub("cache_control", "")), 2, "nothing that changes from turn to turn")
  _, server = ask("anthropic", { text = "x" }, { messages = { { role = "system", content = "You are it." },
    { role = "user", stable = 2, content = { { type = "text", text = "a" }, { type = "text", text = "b" },
      { type = "text", text = "WARNING" } } } } })
  local content = last(server).messages[1].content
  t.eq({ content[1].cache_control ~= nil, content[2].cache_control, content[3].cache_control ~= nil },
    { false, { type = "ephemeral" }, false }, "and what comes again in the next request")
end

function tests.keys()
  each(function(vendor)
    local reply, server, err = ask(vendor, function() return { text = "x" } end, nil, { api_key = "wrong-key-123456" })
    t.eq(reply, nil)
    t.eq({ err.code, err.status }, { "refused", 401 }, tostring(err))
    t.has(tostring(err), "is the API key right?")
    t.ok(not tostring(err):find("wrong-key-123456", 1, true), "the key is not told")
    t.eq(#server.requests, 0)
    -- Whoever sends the key back has it taken out, also of what is given back.
    reply = ask(vendor, { text = "your key is " .. server.key, thought = server.key })
    t.ok(not json.encode { reply.content, reply.thinking, reply.turn, reply.raw }:find(server.key, 1, true))
  end)
  t.ok(secrets.mask("sk-ant-test-1234567890"):find("sk-ant-test-1234567890", 1, true) == nil)
end

function tests.the_lists_of_models()
  each(function(vendor)
    local server = vendor_server.start(vendor, function() return {} end, { "one", "two" })
    local asking = assert(client.new { endpoint = server.endpoint, api_key = server.key, wire = vendor,
      model = models[vendor] })
    t.eq(asking:models(), { "one", "two" })
    server:stop()
  end)
end

function tests.failures()
  each(function(vendor)
    local function failing(status, body, headers) return function() return { status = status, body = body,
      headers = headers } end end
    local found = require("vendors." .. vendor)
    local _, _, err = ask(vendor, failing(529, found.failure(529, "Overloaded")))
    t.eq(err.code, "unavailable")
    t.has(tostring(err), "529: Overloaded")
    _, _, err = ask(vendor, failing(404, found.failure(404, "model: nothing")))
    t.eq(err.code, "not_found")
    _, _, err = ask(vendor, failing(200, "{}"))
    t.eq(err.code, "protocol")
    t.has(tostring(err), "answered what is no " .. wires.of(vendor).answer)
    _, _, err = ask(vendor, failing(200, '{"error":{"message":"out of tea"}}'))
    t.has(tostring(err), "out of tea")
  end)
end

function tests.refusals_and_ends()
  local function answered(vendor, body) return ask(vendor, function() return { status = 200, body = body } end) end
  local reply = answered("anthropic", { type = "message", role = "assistant", content = json.list(),
    stop_reason = "refusal", stop_details = { type = "refusal", category = "cyber", explanation = "No." } })
  t.eq(reply.refusal, "No.")
  reply = answered("anthropic", { type = "message", role = "assistant", content = { { type = "tool_use", id = "t",
    name = "type", input = {} } }, stop_reason = "max_tokens" })
  t.eq(reply.finish_reason, "length")
  reply = answered("responses", { object = "response", status = "completed", output = { { type = "message",
    content = { { type = "refusal", refusal = "I cannot." } } } } })
  t.eq(reply.refusal, "I cannot.")
  reply = answered("responses", { object = "response", status = "incomplete", output = json.list(),
    incomplete_details = { reason = "max_output_tokens" } })
  t.eq(reply.finish_reason, "length")
  local _, _, err = answered("responses", { object = "response", status = "failed", output = json.list(),
    error = { code = "server_error", message = "it broke" } })
  t.has(tostring(err), "it broke")
  reply = answered("gemini", { promptFeedback = { blockReason = "PROHIBITED_CONTENT" } })
  t.has(reply.refusal, "PROHIBITED_CONTENT")
  reply = answered("gemini", { candidates = { { finishReason = "SAFETY", index = 0 } } })
  t.has(reply.refusal, "SAFETY")
  reply = answered("gemini", { candidates = { { finishReason = "MAX_TOKENS",
    content = { parts = { { text = "a" } } } } } })
  t.eq(reply.finish_reason, "length")
end

-- --- answers that are not what they should be ------------------------------------------------------------------

local others = { 5, "x", true, {}, { 1, "x", { {} } }, { type = 5 }, json.null }

-- Calls fn with the body, each time with something else in one of its places.
local function each_change(body, fn, place, path)
  place, path = place or body, path or ""
  local keys = {}
  for key in pairs(place) do keys[#keys + 1] = key end
  for _, key in ipairs(keys) do
    local was, here = place[key], path .. "." .. tostring(key)
    for i, other in ipairs(others) do
      place[key] = other
      fn(("%s = %d"):format(here, i))
    end
    place[key] = nil
    if type(key) == "string" then fn(here .. " = nil") end
    place[key] = was
    if type(was) == "table" then each_change(body, fn, was, here) end
  end
end

local function check_read(vendor, body, where)
  local wire = wires.of(vendor)
  local ok, reply = pcall(wire.read, body)
  if not ok then return t.ok(false, ("%s %s: %s"):format(vendor, where, tostring(reply))) end
  if not reply then return end
  local kinds = { type(reply.content or ""), type(reply.thinking or ""), type(reply.finish_reason or ""),
    type(reply.refusal or ""), math.type(reply.usage.input_tokens) }
  t.eq(kinds, { "string", "string", "string", "string", "integer" }, vendor .. where)
  local results = {}
  for i, call in ipairs(reply.tool_calls) do
    t.eq({ type(call.id), type(call.name), type(call.arguments) }, { "string", "string", "string" }, vendor .. where)
    results[i] = { text = "seen", from = call.id }
  end
  if reply.turn then reply.turn.wire, reply.turn.model = vendor, "m" end
  ok, reply = pcall(wire.body, after_look(reply, results), { model = "m", image = function() return "", "" end })
  t.ok(ok and json.encode(reply), ("%s %s: given back: %s"):format(vendor, where, tostring(reply)))
end

function tests.malformed_answers()
  local said = { text = "a", thought = "b", calls = { { "wait", { seconds = 1 } } }, checks = { { id = "i", code = "c",
    message = "m" } }, computer = { { "click", { x = 1 } } } }
  each(function(vendor)
    local found = require("vendors." .. vendor)
    local body = found.answer(said, 1, { model = "m", include = { "reasoning.encrypted_content" }, input = {},
      messages = {}, contents = {} })
    body = json.decode(json.encode(body))
    each_change(body, function(where) check_read(vendor, body, where) end)
  end)
end

-- --- streams, as the makers' documentation shows them ------------------------------------------------------------

local function events(...) return vendor_server.events { ... } end

-- Of generateContent.
local function chunk(part, reason, usage)
  return { candidates = { { index = 0, finishReason = reason, content = { role = "model", parts = { part } } } },
    usageMetadata = usage }
end

local streams = {
  anthropic = events({ type = "message_start", message = { id = "msg_1", type = "message", role = "assistant",
      content = json.list(), usage = { input_tokens = 25, output_tokens = 1 } } },
    { type = "content_block_start", index = 0, content_block = { type = "thinking", thinking = "", signature = "" } },
    { type = "content_block_delta", index = 0, delta = { type = "thinking_delta", thinking = "Hm." } },
    { type = "content_block_delta", index = 0, delta = { type = "signature_delta", signature = "EqQB" } },
    { type = "content_block_stop", index = 0 }, { type = "ping" },
    { type = "content_block_start", index = 1, content_block = { type = "text", text = "" } },
    { type = "content_block_delta", index = 1, delta = { type = "text_delta", text = "I cl" } },
    { type = "content_block_delta", index = 1, delta = { type = "text_delta", text = "ick." } },
    { type = "content_block_stop", index = 1 },
    { type = "content_block_start", index = 2, content_block = { type = "tool_use", id = "toolu_1",
      name = "left_click", toolset_name = "computer", input = {} } },
    { type = "content_block_delta", index = 2, delta = { type = "input_json_delta", partial_json = "" } },
    { type = "content_block_delta", index = 2, delta = { type = "input_json_delta", partial_json = '{"coordinate":' } },
    { type = "content_block_delta", index = 2, delta = { type = "input_json_delta", partial_json = " [1, 2]}" } },
    { type = "content_block_stop", index = 2 },
    { type = "message_delta", delta = { stop_reason = "tool_use", stop_sequence = json.null },
      usage = { output_tokens = 15 } }, { type = "message_stop" }),
  responses = events({ type = "response.created", response = { id = "r", object = "response", output = json.list() } },
    { type = "response.output_item.added", output_index = 0, item = { type = "message" } },
    { type = "response.output_text.delta", delta = "I cl" }, { type = "response.output_text.delta", delta = "ick." },
    { type = "response.output_item.done", output_index = 0, item = { type = "message", id = "m", role = "assistant",
      status = "completed", content = { { type = "output_text", text = "I click.", annotations = json.list() } } } },
    { type = "response.completed", response = { id = "r", object = "response", status = "completed", output = {
      { type = "reasoning", id = "rs", summary = { { type = "summary_text", text = "Hm." } } },
      { type = "message", id = "m", role = "assistant", status = "completed", content = { { type = "output_text",
        text = "I click.", annotations = json.list() } } },
      { type = "computer_call", id = "c", call_id = "cc", status = "completed", pending_safety_checks = json.list(),
        actions = { { type = "click", button = "left", x = 1, y = 2 } } } },
      usage = { input_tokens = 25, output_tokens = 15 } } }),
  gemini = events(chunk { text = "H", thought = true }, chunk { text = "m.", thought = true }, chunk { text = "I cl" },
    chunk { text = "ick.", thoughtSignature = "s" },
    chunk({ functionCall = { name = "click", args = { x = 1, y = 2 } }, thoughtSignature = "t" }, "STOP",
      { promptTokenCount = 25, candidatesTokenCount = 15 })),
}

function tests.streams()
  each(function(vendor)
    local wire = wires.of(vendor)
    local raw, why = stream.read(streams[vendor], wire.events())
    t.ok(raw, tostring(why))
    local reply = assert(wire.read(raw))
    t.eq({ reply.content, reply.thinking, reply.finish_reason, reply.usage.input_tokens, reply.usage.output_tokens },
      { "I click.", "Hm.", "tool_calls", 25, 15 })
    t.eq(#reply.tool_calls, 1)
    t.eq(json.decode(reply.tool_calls[1].arguments), vendor == "anthropic" and { coordinate = { 1, 2 } }
      or vendor == "responses" and { button = "left", x = 1, y = 2 } or { x = 1, y = 2 })
    -- Cut off anywhere, it is no answer.
    local body = streams[vendor]
    for _, share in ipairs { 0.1, 0.5, 0.9 } do
      local half = stream.read(body:sub(1, math.floor(#body * share)), wire.events())
      t.eq(half, nil, ("%s, %g of it"):format(vendor, share))
    end
    -- Sent without being asked for.
    local answered = ask(vendor, function() return { status = 200, body = body,
      headers = { ["Content-Type"] = "text/event-stream" } } end)
    t.eq(answered.content, "I click.")
  end)
end

function tests.streams_without_end()
  local big = ("x"):rep(1000)
  local pieces = {
    anthropic = { type = "content_block_delta", index = 0, delta = { type = "text_delta", text = big } },
    responses = { type = "response.output_text.delta", delta = big },
    gemini = { candidates = { { content = { parts = { { text = big } } } } } },
  }
  each(function(vendor)
    local adding, count = wires.of(vendor).events(), 0
    if vendor == "anthropic" then
      adding:add(json.encode { type = "message_start", message = { type = "message" } })
      adding:add(json.encode { type = "content_block_start", index = 0, content_block = { type = "text", text = "" } })
    end
    local piece = json.encode(pieces[vendor])
    repeat count = count + 1 until adding:add(piece) or count > 1000
    t.ok(count < 300, vendor .. " stops reading, after " .. count)
    local reply = wires.of(vendor).read(adding:result())
    t.has(reply.excess, "bytes")
    t.eq(wires.of(vendor).read(json.decode(json.encode(reply.raw))).excess, reply.excess, "a replay has the same")
  end)
end

-- Each event with something else in one of its places.
function tests.malformed_streams()
  each(function(vendor)
    local list, wire = {}, wires.of(vendor)
    for data in streams[vendor]:gmatch("data: ([^\n]*)") do list[#list + 1] = data end
    for number, data in ipairs(list) do
      local event = json.decode(data)
      each_change(event, function(where)
        local reading = wire.events()
        local ok, raw = pcall(function()
          for i, each_data in ipairs(list) do
            if reading:add(i == number and json.encode(event) or each_data) then break end
            reading:view()
          end
          return (reading:result())
        end)
        t.ok(ok, ("%s, event %d %s: %s"):format(vendor, number, where, tostring(raw)))
        if ok and raw then check_read(vendor, raw, where) end
      end)
    end
  end)
end

-- One that calls the same for ever is cut off, and what is whole of it counts.
function tests.answers_that_repeat_themselves()
  local function again(index)
    return { anthropic = { { type = "content_block_start", index = index, content_block = { type = "tool_use",
        id = "t" .. index, name = "wait", input = {} } }, { type = "content_block_delta", index = index, delta = {
          type = "input_json_delta", partial_json = '{"seconds":1}' } }, { type = "content_block_stop",
          index = index } },
      responses = { { type = "response.output_item.added", output_index = index, item = { type = "function_call",
        call_id = "c" .. index, name = "wait", arguments = "" } }, { type = "response.function_call_arguments.delta",
        output_index = index, delta = '{"seconds":1}' } },
      gemini = { { candidates = { { content = { parts = { { functionCall = { name = "wait", args = { seconds = 1 } } } }
        } } } } } }
  end
  each(function(vendor)
    local body = vendor == "anthropic" and { { type = "message_start", message = { type = "message" } } } or {}
    for i = 0, 40 do table.move(again(i)[vendor], 1, 9, #body + 1, body) end
    local reply, _, err = ask(vendor, function() return { status = 200, body = vendor_server.events(body),
      headers = { ["Content-Type"] = "text/event-stream" } } end)
    t.ok(reply, tostring(err))
    t.eq({ #reply.tool_calls, reply.tool_calls[1].name, reply.tool_calls[1].arguments, reply.finish_reason },
      { 1, "wait", '{"seconds":1}', "length" })
    t.has(reply.cut_off, "the same again")
  end)
end

function tests.stream_errors()
  local bodies = {
    anthropic = events { type = "error", error = { type = "overloaded_error", message = "Overloaded" } },
    responses = events { type = "error", code = "server_error", message = "Overloaded" },
    gemini = events { error = { code = 503, message = "Overloaded", status = "UNAVAILABLE" } },
  }
  each(function(vendor)
    local _, _, err = ask(vendor, function() return { status = 200, body = bodies[vendor],
      headers = { ["Content-Type"] = "text/event-stream" } } end)
    t.has(tostring(err), "Overloaded")
  end)
end

-- A run's recorded answers are read by the wire that they came by.
function tests.replays()
  each(function(vendor)
    local reply, _, _, asking = ask(vendor, { text = "I click.", computer = { { "click", { x = 1, y = 2 } } } })
    local folder = spawn.folder()
    assert(files.make_folder(folder .. "/requests"))
    assert(files.write(folder .. "/requests/0001-executor.request.json", json.encode(asking:record(request()))))
    assert(files.write(folder .. "/requests/0001-executor.reply.json", json.encode(reply.raw)))
    local again = assert(assert(client.new { model = "replay:" .. folder }):chat(request()))
    t.eq({ again.content, again.tool_calls, again.note }, { reply.content, reply.tool_calls })
    files.remove(folder)
  end)
end

-- --- which wire ---------------------------------------------------------------------------------------------------

function tests.choice()
  local function name(options) return assert(client.new(options)).wire.name end
  t.eq(name { model = "claude-opus-5-5" }, "chat", "a server that nobody knows")
  t.eq(name { model = "claude-opus-5-5", endpoint = "https://openrouter.ai/api/v1" }, "chat")
  t.eq(name { model = "claude-opus-5-5", endpoint = "https://api.anthropic.com/v1" }, "anthropic")
  t.eq(name { model = "claude-opus-5-5", endpoint = "https://api.anthropic.com" }, "anthropic")
  t.eq(name { model = "gpt-5.4", endpoint = "https://api.openai.com/v1" }, "responses")
  t.eq(name { model = "gpt-4.1", endpoint = "https://api.openai.com/v1" }, "chat")
  t.eq(name { model = "gemini-3.5-flash", endpoint = "https://generativelanguage.googleapis.com/v1beta" }, "gemini")
  t.eq(name { model = "gemini-3.5-flash", endpoint = "https://generativelanguage.googleapis.com/v1beta/openai" },
    "chat", "its other address speaks Chat Completions")
  t.eq(name { model = "gpt-5.4", endpoint = "https://api.openai.com/v1", wire = "chat" }, "chat", "it was named")
  t.eq(name { model = "mine", models = { Mine = { wire = "anthropic" } } }, "anthropic", "of that model")
  t.eq(name { model = "literal", wire = "anthropic" }, "chat")
  local none, err = client.new { wire = "anthropc" }
  t.eq(none, nil)
  t.has(tostring(err), "there is no wire 'anthropc'; did you mean 'anthropic'?")
  t.eq(assert(client.new { wire = "gemini", endpoint = "http://127.0.0.1:9" }).endpoint, "http://127.0.0.1:9/v1beta")
  for _, given in ipairs { "http://h/v1/messages", "http://h/v1/responses", "http://h/v1/chat/completions" } do
    t.eq(assert(client.new { endpoint = given }).endpoint, "http://h/v1", given)
  end
end

function tests.choice_by_the_configuration()
  local function options(...)
    local config = assert(configured.settings():resolve { layers = {}, environment = {}, flags = { source = "a flag",
      values = ... } })
    return run_models.options(config)
  end
  local all = options { ["model.wire"] = "anthropic", ["personas.a.wire"] = "gemini", ["personas.b.model"] = "m",
    ["personas.c.endpoint"] = "http://127.0.0.1:9/v1" }
  t.eq({ all[""].wire, all.a.wire, all.b.wire, all.c.wire }, { "anthropic", "gemini", "anthropic" },
    "another server is asked in its own way")
end

-- Where the schemas are from is told in them.
function tests.the_schemas_name_their_source()
  for _, name in ipairs { "responses", "anthropic", "anthropic_beta", "gemini" } do
    t.has(assert(files.read("tests/wires/" .. name .. ".json")):sub(1, 300), "made by make.mjs from the types of")
  end
end

return tests
