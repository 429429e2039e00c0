--- Answers that cannot be read, as they go over the wire to a real HTTP server: they go back once. And tools that are
--- described in words, for models that have none.
local t = require "harness"
local client = require "deskpilot.model.client"
local export = require "deskpilot.agent.export"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local null_run = require "null_run"

local tests = {}

local names = { "click_element", "type_text", "wait", "recall", "report_completion" }

-- Asks once in a turn of a run on a real server: what `ask` gave, the requests and the events.
local function ask(model, replies, more)
  local server = model_server.start(replies)
  local got = {}
  local run, events = null_run.play({ task = "x" }, { screen = null_run.thousand, turn = function(run)
    run.model = assert(client.new { endpoint = server.endpoint, model = model })
    local request = { persona = "p", system = "s", text = "t", tools = names, acts = true }
    for key, value in pairs(more or {}) do request[key] = value end
    got.reply, got.err = run:ask(request)
    got.actions = run.actions
    run:stop("succeeded", "asked")
  end })
  server:stop()
  t.eq(server:problems(), "", "every request is what a strict server takes")
  local requests = {}
  for i, entry in ipairs(server.requests) do requests[i] = entry.json end
  return got, requests, events, run
end

local text = model_server.reply_text
local broken = 'I wait.\n<tool_call>{"name": "wait", "arguments": {"seconds": }}</tool_call>'
local good = '<tool_call>{"name": "wait", "arguments": {"seconds": 1, "justification": "j"}}</tool_call>'

function tests.what_cannot_be_read_goes_back()
  local got, requests, events = ask("some-model", { text(broken), text(good) })
  t.eq(#requests, 2)
  t.eq({ got.reply.calls[1].name, got.reply.calls[1].args, got.actions }, { "wait",
    { seconds = 1, justification = "j" }, 0 })
  local list = requests[2].messages
  t.eq({ list[1], list[2], #list }, { requests[1].messages[1], requests[1].messages[2], 4 })
  t.eq({ list[3].role, list[3].content }, { "assistant", broken })
  t.eq(list[4].role, "user")
  t.has(list[4].content, "This answer cannot be used: A tool call written as text cannot be read")
  local asked = null_run.only(events, "model_request")
  t.eq({ asked[1].correction, asked[1].read, asked[2].lookups }, {})
  t.has(asked[2].correction, "cannot be read")
end

function tests.only_once()
  local got, requests = ask("some-model", { text(broken), text(broken), text(good) })
  t.eq(#requests, 2)
  t.has(got.reply.calls[1].error, "cannot be read")
  t.has(got.reply.unreadable, "cannot be read")
end

function tests.words_are_no_mistake()
  local got, requests = ask("some-model", { text "I am thinking." })
  t.eq({ #requests, got.reply.content }, { 1, "I am thinking." })
end

function tests.an_answer_that_was_cut_off_goes_back()
  local cut = model_server.reply_message({ content = "I look and look and" }, "length")
  local got, requests = ask("some-model", { cut, text(good) })
  t.eq({ #requests, got.reply.calls[1].name }, { 2, "wait" })
  t.has(requests[2].messages[4].content, "too long")
  local half = model_server.reply_message({ content = '<tool_call>{"name": "type_text", "arguments": {"text": "rm' },
    "length")
  got = ask("some-model", { half, half })
  t.eq(got.reply.calls[1].args, nil)
end

function tests.a_native_call_that_cannot_be_read()
  local got, requests = ask("some-model", { model_server.reply_tool("wait", '{"seconds": '), text(good) })
  t.eq({ #requests, got.reply.calls[1].name }, { 2, "wait" })
  t.eq(requests[2].messages[3].content, 'wait {"seconds":')
  t.has(requests[2].messages[4].content, "The arguments of wait cannot be read")
end

-- A verb for which there is no tool here, and one whose tool was not offered.
function tests.verbs_without_a_tool()
  local got, requests = ask("qwen3-vl", { text('<tool_call>{"name":"computer_use","arguments":{"action":"key",'
    .. '"keys":["a"]}}</tool_call>') }, { tools = { "wait" } })
  t.eq(#requests, 2)
  t.has(requests[2].messages[4].content, "key means press_key here, which is not among the tools offered now: wait")
  t.has(got.reply.calls[1].error, "press_key")
end

function tests.who_asks_decides_what_can_be_used()
  local function read(reply)
    if reply.content == "yes" then return true end
    return nil, "say yes"
  end
  local got, requests = ask("some-model", { text "no", text "yes" }, { read = read })
  t.eq({ #requests, got.reply.content }, { 2, "yes" })
  t.has(requests[2].messages[4].content, "This answer cannot be used: say yes. Nothing of it was done")
  got, requests = ask("some-model", { text "no", text "no" }, { read = read })
  t.eq({ #requests, got.reply.content }, { 2, "no" })
end

function tests.repairs_are_kept()
  local _, _, events = ask("qwen3-vl", {
    text '<tool_call>{"name":"computer_use","arguments":{"action":"wait","time":1,}}' })
  local told = null_run.only(events, "model_reply")[1]
  t.eq({ told.model, told.repairs }, { "qwen3-vl", { score = 4, kinds = { missing_tag = 1, trailing_comma = 1 } } })
  local result = export.result(events, "no such folder")
  t.eq(result.model.repairs, { ["qwen3-vl"] = { answers = 1, score = 4, kinds = { missing_tag = 1,
    trailing_comma = 1 } } })
  result = export.result({ told, told }, "no such folder")
  t.eq(result.model.repairs["qwen3-vl"], { answers = 2, score = 8, kinds = { missing_tag = 2, trailing_comma = 2 } })
end

-- --- tools in words ---------------------------------------------------------------------------------

function tests.tools_are_described_in_the_models_own_words()
  local got, requests = ask("ui-tars-7b-dpo", { text "Thought: There.\nAction: click(start_box='(500,300)')" })
  t.eq(requests[1].tools, nil)
  local system = requests[1].messages[1].content
  t.has(system, "- click(element?, point?")
  t.has(system, "- wait(seconds)")
  t.has(system, "'<point>x y</point>'")
  t.has(system, "- finished(content)")
  t.has(system, "Action: click(point='<point>x y</point>')")
  t.ok(not system:find("justification", 1, true), system)
  t.eq(got.reply.calls[1].args, { position = { 500, 300 }, label = "the target", justification = "There." })
end

function tests.look_ups_go_back_as_words()
  local _, requests = ask("ui-tars-7b-dpo", { text "Thought: Hm.\nAction: recall()", text "Action: wait()" })
  t.eq(#requests, 2)
  local list = requests[2].messages
  t.eq({ #list, list[3].role, list[3].content, list[3].tool_calls }, { 4, "assistant",
    "Thought: Hm.\nAction: recall()" })
  t.eq(list[4].role, "user")
  t.has(json.encode(list[4].content), "RESULT OF recall:")
end

function tests.every_profile_with_tools_in_words_is_taught()
  local profiles, tool_text = require "deskpilot.model.profile", require "deskpilot.model.tool_text"
  local definitions = { { type = "function", ["function"] = { name = "click_element", description = "Click it.",
    parameters = { type = "object", properties = { label = { type = "string" }, position = { type = "array",
      minItems = 2, maxItems = 2, items = { type = "number" } }, justification = { type = "string" } },
      required = { "justification", "label" } } } } }
  local count = 0
  for _, profile in ipairs(assert(profiles.all())) do
    if profile.tools == "text" then
      local words = tool_text.of(definitions, profile)
      t.ok(#words > 60 and utf8.len(words), profile.name .. words)
      t.ok(not words:find("%s", 1, true), words)
      count = count + 1
    end
  end
  t.ok(count >= 8, count .. " profiles")
end

return tests
