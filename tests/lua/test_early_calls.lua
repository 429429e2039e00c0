--- Calls that are acted on while the rest of their answer still comes, over HTTP, by all wires: which are, which wait
--- for the answer's end, and what remains of an answer that breaks off.
local t = require "harness"
local client = require "deskpilot.model.client"
local compatible_server = require "compatible_server"
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local null_run = require "null_run"
local persona = require "deskpilot.agent.persona"
local task = require "deskpilot.base.task"
local three_body_calls = require "deskpilot.policies.three_body.calls"
local vocabulary = require "deskpilot.model.vocabulary"

local tests = {}

local because = "It is what comes next."
local as_stream = { ["Content-Type"] = "text/event-stream" }

local function key(name) return { "press_key", { justification = because, key = name } } end

local three = { text = "Three keys.", calls = { key "a", key "b", key "c" } }

-- How an answer comes by each wire, and what stands in the events that announce a call.
local kinds = {
  chat = { kind = require "compatible.lmstudio", model = "m", announces = '"name":"press_key"' },
  vllm = { kind = require "compatible.vllm", wire = "chat", model = "m", announces = '"name":"press_key"' },
  anthropic = { kind = require "vendors.anthropic", model = "claude-opus-5-5", announces = '"type":"tool_use"' },
  responses = { kind = require "vendors.responses", model = "gpt-4.1", announces = "response.output_item.added",
    of = "function_call" },
  gemini = { kind = require "vendors.gemini", model = "gemini-test", announces = '"functionCall"' },
}

for wire, row in pairs(kinds) do row.wire = row.wire or wire end

local function announces(row, event)
  return event:find(row.announces, 1, true) and (not row.of or event:find(row.of, 1, true)) and true or false
end

-- The events of an answer's stream, and the place of the one that announces its third call.
local function events_of(row, said)
  local body = { model = row.model, stream = true, stream_options = { include_usage = true }, messages = {}, input = {},
    contents = {} }
  local pieces = row.kind.stream(row.kind.answer(said or three, 3, body), body)
  local whole = (type(pieces) == "table" and table.concat(pieces) or pieces):gsub("\r\n", "\n")
  local list, third, calls = {}, nil, 0
  for event in whole:gmatch "(.-\n\n)" do
    list[#list + 1] = event
    if announces(row, event) then calls = calls + 1 end
    if calls == 3 and not third then third = #list end
  end
  return list, third
end

-- The same with a function before the third call's announcement, and without what comes behind the event `up_to`.
local function held(list, third, ready, up_to)
  local parts = {}
  for i = 1, up_to or #list do
    if i == third then parts[#parts + 1] = ready end
    parts[#parts + 1] = list[i]
  end
  return parts
end

local function serve(script)
  local server = model_server.start(script)
  server.lenient = true -- not all of it is Chat Completions
  return server, setmetatable({}, { __close = function() server:stop() end })
end

local definitions = { { type = "function", ["function"] = { name = "press_key", description = "Presses a key.",
  parameters = { type = "object", properties = { key = { type = "string" } } } } } }

local function ask(server, row, on_call, more)
  local asked = assert(client.new { endpoint = server.endpoint, model = row.model, wire = row.wire, stream = "on",
    retries = 2, backoff = { 0.01 }, api_key = "key", timeout = 20 })
  local request = { messages = { { role = "user", content = "Press them." } }, tools = definitions, max_tokens = 500,
    on_call = on_call }
  for name, value in pairs(more or {}) do request[name] = value end
  return asked:chat(request)
end

-- --- the client ---------------------------------------------------------------------------------------------------

-- The third call is not sent before the first has been taken, which is seen in what the server has written by then.
function tests.a_call_is_handed_over_before_the_rest_is_sent()
  for wire, row in pairs(kinds) do
    local list, third = events_of(row)
    local taken, sent_when_taken, sending = {}, {}, { count = 0 }
    local server, closing <close> = serve(function()
      local parts = held(list, third, function()
        sending.third = #taken > 0
        return sending.third
      end)
      return { headers = as_stream, parts = parts }
    end)
    assert(closing)
    local reply = t.ok(ask(server, row, function(part)
      t.eq(#part.tool_calls, 1, wire)
      taken[#taken + 1] = json.decode(part.tool_calls[1].arguments).key
      sent_when_taken[#taken] = sending.third or false
      t.eq(part.content, "Three keys.", wire)
      return "taken"
    end), wire)
    t.eq(taken, { "a", "b", "c" }, wire)
    t.eq(sent_when_taken[1], false, wire .. ": before the third was sent")
    t.eq({ #reply.tool_calls, reply.taken, #server.requests }, { 3, 3, 1 }, wire)
    t.eq(reply.cut_off, nil, wire)
  end
end

-- An answer that does not come as a stream is read as ever.
function tests.what_comes_whole_hands_nothing_over()
  for wire, row in pairs(kinds) do
    local server, closing <close> = serve { { body = row.kind.answer(three, 3, { model = row.model, messages = {},
      input = {}, contents = {} }) } }
    assert(closing)
    local reply = t.ok(ask(server, row, function() error "nothing is to be handed over" end), wire)
    t.eq({ #reply.tool_calls, reply.taken }, { 3, nil }, wire)
  end
end

-- However it breaks off, it is not asked for again, and what was taken is all that is left of it.
function tests.an_answer_that_breaks_off_after_a_call()
  local too_long = ("x"):rep(300 * 1024)
  local endings = {
    ["the connection"] = {},
    ["an error"] = { chat = 'data: {"error":{"message":"out of memory","code":500}}\n\n',
      anthropic = 'data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
      responses = 'data: {"type":"error","message":"out of memory"}\n\n',
      gemini = 'data: {"error":{"code":500,"message":"out of memory"}}\n\n' },
    ["no JSON"] = { chat = "data: {{{\n\n", anthropic = "data: {{{\n\n", responses = "data: {{{\n\n",
      gemini = "data: {{{\n\n" },
    ["too much"] = {
      chat = 'data: {"choices":[{"index":0,"delta":{"content":"' .. too_long .. '"}}]}\n\n',
      anthropic = 'data: {"type":"content_block_start","index":40,"content_block":{"type":"text","text":""}}\n\n'
        .. 'data: {"type":"content_block_delta","index":40,"delta":{"type":"text_delta","text":"' .. too_long
        .. '"}}\n\n',
      responses = 'data: {"type":"response.output_text.delta","delta":"' .. too_long .. '"}\n\n',
      gemini = 'data: {"candidates":[{"content":{"parts":[{"text":"' .. too_long .. '"}]}}]}\n\n' },
  }
  for wire, row in pairs(kinds) do
    for name, ending in pairs(endings) do
      local what, list, third = wire .. ", " .. name, events_of(row)
      local taken = {}
      local server, closing <close> = serve(function()
        local parts = held(list, third, nil, third - 1)
        parts[#parts + 1] = function() return #taken > 0 end
        parts[#parts + 1] = ending[row.wire]
        return { headers = as_stream, parts = parts, broken = true }
      end)
      assert(closing)
      local reply = t.ok(ask(server, row, function(part)
        taken[#taken + 1] = json.decode(part.tool_calls[1].arguments).key
        return #taken == 1 and "taken" or "left"
      end), what) or {}
      t.eq({ #server.requests, taken[1], reply.taken, #(reply.tool_calls or {}) }, { 1, "a", 1, 1 }, what)
      t.eq(json.decode(reply.tool_calls[1].arguments).key, "a", what)
      t.eq({ type(reply.cut_off), reply.excess }, { "string", nil }, what)
      t.eq(reply.finish_reason, "length", what)
    end
  end
end

-- Where none was taken, an answer that breaks off is asked for again, as ever.
function tests.what_was_not_taken_is_asked_for_again()
  for wire, row in pairs(kinds) do
    local list, third = events_of(row)
    local server, closing <close> = serve(function(_, index)
      return { headers = as_stream, parts = held(list, nil, nil, index == 1 and third - 1 or nil), broken = index == 1 }
    end)
    assert(closing)
    local reply = t.ok(ask(server, row, function() return "left" end), wire)
    t.eq({ #server.requests, #reply.tool_calls, reply.taken }, { 2, 3, nil }, wire)
  end
end

-- A refusal that happens to be a stream of calls.
function tests.a_status_that_is_none_of_success()
  local row = kinds.chat
  local list = events_of(row)
  local server, closing <close> = serve { { status = 400, headers = as_stream, parts = list } }
  assert(closing)
  t.eq(ask(server, row, function() error "nothing is to be handed over" end), nil)
end

-- A model that calls the same over and over is cut off, and what it repeats is done once.
function tests.what_is_called_twice_waits()
  for wire, row in pairs(kinds) do
    local same = { text = "Again.", calls = {} }
    for i = 1, 12 do same.calls[i] = key "a" end
    local taken, list = 0, events_of(row, same)
    local server, closing <close> = serve { { headers = as_stream, parts = list } }
    assert(closing)
    local reply = t.ok(ask(server, row, function()
      taken = taken + 1
      return "taken"
    end), wire)
    t.eq({ taken, reply.taken, #reply.tool_calls, reply.cut_off }, { 1, 1, 1, "it calls the same again and again" },
      wire)
  end
end

-- What no server has marked: calls in the text, calls that are not numbered in their order, what is no JSON.
function tests.what_is_never_handed_over()
  local function stream(...)
    local parts = {}
    for i, delta in ipairs { ... } do
      parts[i] = compatible_server.chunk({ id = "c", created = 1, model = "m" }, delta)
    end
    parts[#parts + 1] = compatible_server.chunk({ id = "c", created = 1, model = "m" }, {}, "tool_calls")
    parts[#parts + 1] = "data: [DONE]\n\n"
    return parts
  end
  local function call(index, id, arguments)
    return { tool_calls = { { index = index, id = id, type = "function", ["function"] = { name = "press_key",
      arguments = arguments } } } }
  end
  local function taken_of(parts)
    local server, closing <close> = serve { { headers = as_stream, parts = parts } }
    assert(closing)
    local count = 0
    local reply = t.ok(ask(server, kinds.chat, function()
      count = count + 1
      return "taken"
    end))
    return count, reply
  end
  local text = '<tool_call>{"name": "press_key", "arguments": {"key": "a"}}</tool_call>\n'
  t.eq(taken_of(stream({ content = text }, { content = text }, { content = text })), 0, "text")
  t.eq(taken_of(stream(call(1, "x", '{"key":"b"}'), call(0, "y", '{"key":"a"}'))), 0, "another order")
  t.eq(taken_of(stream(call(0, "x", '{"key":"a"'), call(1, "y", '{"key":"b"}'))), 0, "no JSON")
  t.eq(taken_of(stream(call(0, "x", '{"key":"a"}'), call(0, "y", '{"key":"b"}'), call(0, "z", '{"key":"c"}'))), 3,
    "all numbered 0")
  t.eq(taken_of(stream(call(0, "x", '{"key":"a"}'), call(1, "y", '{"key":"b"}'), call(0, "z", '{"key":"c"}'))), 2,
    "a number that comes again")
  local count, reply = taken_of(stream(call(0, "x", '{"key":"a"}'), call(1, "y", '{"key":"b'), { refusal = "No." },
    call(1, nil, '"}')))
  t.eq({ count, reply.refusal }, { 1, "No." }, "what it refuses after the first call")
end

-- What is said before them is read with each call: a long answer is read once, at its end.
function tests.calls_behind_a_long_text_wait()
  local words, taken = {}, 0
  for i = 1, 8000 do words[i] = ("%x"):format(i * 7919 % 99991) end
  local list = events_of(kinds.chat, { text = table.concat(words, " "), calls = three.calls })
  local server, closing <close> = serve { { headers = as_stream, parts = { table.concat(list) } } }
  assert(closing)
  local reply = t.ok(ask(server, kinds.chat, function()
    taken = taken + 1
    return "taken"
  end, { max_tokens = 100000 }))
  t.eq({ taken, #reply.tool_calls, reply.taken }, { 0, 3, nil })
end

-- The pointer goes somewhere, and what is done there comes as the next call.
function tests.acts_that_belong_to_the_next_ones()
  local function stands(...)
    return vocabulary.stand_alone({ ... }, nil, {})
  end
  t.eq(stands { id = "1", name = "left_click", args = { coordinate = { 10, 20 } } }, true)
  t.eq(stands { id = "1", name = "mouse_move", args = { coordinate = { 10, 20 } } }, false)
  t.eq(stands { id = "1", name = "left_mouse_down", args = {} }, false)
  t.eq(stands { id = "1", name = "left_click", args = {} }, false)
  t.eq(stands { id = "1", name = "screenshot", args = {} }, false)
end

-- --- a run --------------------------------------------------------------------------------------------------------

-- Plays turns of an Executor whose keys are pressed on a keyboard that only writes them down.
local function play(script, options)
  options = options or {}
  local pressed, server, closing <close> = {}, serve(nil)
  assert(closing)
  server.script = function(_, index) return script(pressed, index) end
  local model = assert(client.new { endpoint = server.endpoint, model = "m", stream = "on", retries = 2,
    backoff = { 0.01 }, timeout = 20 })
  local flags = { ["three_body.calls_per_turn"] = options.most or 3, ["limits.failures"] = 5 }
  for name, value in pairs(options.flags or {}) do flags[name] = value end
  local mission = options.mission or {}
  mission.task = "Press keys."
  local run, events = null_run.play(mission, { client = model, flags = flags, turn = function(run)
    local keyboard = run.desk.keyboard
    run.desk.keyboard = setmetatable({ press = function(name)
      if name == "f" then return errors.fail("refused", "f is stuck") end
      if options.press then options.press(run, name) end
      local ok, err = true, nil
      if options.judged then ok, err = keyboard.press(name) end
      if ok then pressed[#pressed + 1] = name end
      return ok, err
    end }, { __index = keyboard })
    run.state.tools = options.tools or { "press_key" }
    local doing = three_body_calls.begin(run)
    local reply, err = persona.ask(run, "executor", { tools = run.state.tools, acts = true, system = "s",
      on_call = function(call) return doing:take(call) end, max_tokens = 500,
      brief = { mission = true, history = true, screen = "words" } })
    if run.outcome then return end
    if reply then doing:perform(reply) else run:reject("(none)", {}, tostring(err)) end
    if not run.outcome and run.turn >= (options.turns or 1) then run:stop("succeeded", "done") end
  end })
  return { pressed = table.concat(pressed, " "), run = run, events = events, server = server,
    kinds = (function()
      local list = {}
      for _, event in ipairs(events) do
        if event.event == "action" or event.event == "action_result" or event.event == "model_reply" then
          list[#list + 1] = event.event
        end
      end
      return table.concat(list, " ")
    end)() }
end

local function notes_of(done)
  local list = {}
  for i, event in ipairs(null_run.only(done.events, "note")) do list[i] = event.message end
  return table.concat(list, "\n")
end

-- An answer of the chat wire that waits before its third call until so many keys are pressed.
local function waits_for(pressed, count, said)
  local list, third = events_of(kinds.chat, said)
  return { headers = as_stream, parts = held(list, third, function() return #pressed >= count end) }
end

function tests.the_first_of_three_has_acted_before_the_third_is_sent()
  local done = play(function(pressed) return waits_for(pressed, 1) end)
  t.eq(done.pressed, "a b c")
  t.eq(done.kinds:match "^action action_result .*model_reply" ~= nil, true, done.kinds)
  local reply = null_run.only(done.events, "model_reply")[1]
  t.eq({ reply.early, #reply.tool_calls, #null_run.only(done.events, "action") }, { 3, 3, 3 })
  t.eq(done.run.spending.input_tokens > 0, true)
end

-- Each action is a step, and the answer stands with the first of them.
function tests.the_trajectory_has_the_answer_before_its_actions()
  local done = play(function(pressed) return waits_for(pressed, 1) end)
  local steps = require "deskpilot.agent.trajectory".of(".", done.events).steps
  t.eq(#steps, 3)
  for i, name in ipairs { "a", "b", "c" } do
    t.eq({ steps[i].action.args.key, #steps[i].replies }, { name, i == 1 and 1 or 0 })
  end
end

-- The time of what is done meanwhile is not the model's: both are in the turn, one beside the other.
function tests.the_time_of_the_actions_is_not_the_models()
  local acting = 0
  local done = play(function(pressed) return waits_for(pressed, 1) end, { press = function()
    local began = task.now()
    task.sleep(0.4)
    acting = acting + task.now() - began
  end })
  local reply, turn = null_run.only(done.events, "model_reply")[1], null_run.only(done.events, "turn_end")[1]
  -- A sleep of the loop counts whole milliseconds, and may end a moment before its time.
  t.ok(acting > 3 * 0.399 and reply.seconds + acting <= turn.seconds, { reply.seconds, acting, turn.seconds })
  t.eq(done.pressed, "a b c")
end

-- Nothing is done twice, and the next request tells what was done.
function tests.a_stream_that_breaks_after_the_first_call()
  local done = play(function(pressed, index)
    if index > 1 then return { headers = as_stream, parts = events_of(kinds.chat, { calls = { key "z" } }) } end
    local list, third = events_of(kinds.chat)
    local parts = held(list, third, nil, third - 1)
    parts[#parts + 1] = function() return #pressed >= 1 end
    return { headers = as_stream, parts = parts, broken = true }
  end, { turns = 2 })
  t.eq(done.pressed, "a z")
  t.eq(#done.server.requests, 2)
  t.has(done.server.requests[2].body, [[press_key(\"a\") -> pressed a]])
  t.has(notes_of(done), "executor: the answer was cut off: ")
  local replies = null_run.only(done.events, "model_reply")
  t.eq({ replies[1].early, replies[1].error, #replies[1].tool_calls }, { 1, nil, 1 })
end

function tests.a_call_that_fails_ends_it()
  local done = play(function(pressed)
    return waits_for(pressed, 1, { calls = { key "a", key "f", key "c" } })
  end)
  t.eq(done.pressed, "a")
  t.has(notes_of(done), "action 2 (press_key) failed, so the one after it in the same answer was not done")
end

function tests.a_veto_ends_it()
  local done = play(function(pressed) return waits_for(pressed, 1) end, { mission = {
    before_action = function(_, action)
      if action.args.key == "b" then return false, "not that one" end
    end } })
  t.eq(done.pressed, "a")
  t.has(notes_of(done), "1 of 3 actions of this answer were done. It was stopped action 2 (press_key): ")
end

-- What is judged where a key goes to the application is judged as ever: the keys that are never pressed, what needs a
-- person's yes.
function tests.the_guards_of_the_desktop_hold()
  local done = play(function(pressed)
    return waits_for(pressed, 1, { calls = { key "a", key "alt+f4", key "c" } })
  end, { judged = true })
  t.eq(done.pressed, "a")
  t.has(null_run.only(done.events, "action_result")[2].text, "alt+f4 is forbidden here (safety.forbidden_keys)")
  local asked = {}
  local function close_it(answer)
    return play(function(pressed) return waits_for(pressed, 1, { calls = { key "a", key "ctrl+w", key "c" } }) end,
      { judged = true, flags = { ["safety.approve"] = { "close" } }, mission = { ask = function(_, question)
        asked[#asked + 1] = question.text
        return answer
      end } })
  end
  done = close_it "no"
  t.eq({ done.pressed, #asked }, { "a", 1 })
  t.eq(done.kinds:match "^action action_result model_reply action " ~= nil, true, "what closes something waits")
  done = close_it "yes"
  t.eq({ done.pressed, #asked }, { "a ctrl+w c", 2 })
end

-- The same actions over and over are a loop, whether they came early or not.
function tests.loops_are_noticed()
  local done = play(function() return { headers = as_stream, parts = events_of(kinds.chat, { calls = { key "a",
    key "b" } }) } end, { turns = 5 })
  t.eq(done.pressed, "a b a b a b a b a b")
  local said = {}
  for _, event in ipairs(null_run.only(done.events, "guard")) do said[#said + 1] = event.message end
  t.has(table.concat(said, "\n"), "LOOP: press_key")
end

-- The screen is compared before each, as in every batch.
function tests.a_screen_that_has_changed_ends_it()
  local done = play(function(pressed) return waits_for(pressed, 1) end, { press = function(run)
    local window = { id = 9, pid = 9, title = "Alert", class = "x", x = 0, y = 0, width = 9, height = 9 }
    run.desk.windows = setmetatable({ active = function() return window end, list = function() return { window } end },
      { __index = run.desk.windows })
  end })
  t.eq(done.pressed, "a")
  t.has(notes_of(done), "1 of 3 actions of this answer were done. It was stopped before action 2 (press_key): ")
  t.has(notes_of(done), "2 more actions were not done")
end

function tests.no_more_than_a_turn_may_have()
  local four = { calls = { key "a", key "b", key "c", key "d" } }
  local done = play(function(pressed) return waits_for(pressed, 1, four) end, { most = 2 })
  t.eq(done.pressed, "a b")
  t.has(notes_of(done), "2 more tool calls came with these and were not done: at most 2 actions each turn.")
  done = play(function(pressed) return waits_for(pressed, 1, four) end, { most = 1 })
  t.eq(done.pressed, "a")
  t.has(notes_of(done), "3 more tool calls came with that one and were not done")
end

function tests.a_call_that_is_not_offered_waits()
  local done = play(function(pressed)
    return waits_for(pressed, 1, { calls = { key "a", { "fly", { justification = because } }, key "c" } })
  end)
  t.eq(done.pressed, "a")
  t.has(done.kinds, "action action_result model_reply action action_result")
  t.has(null_run.only(done.events, "action_result")[2].text, "fly is not among the tools of this phase")
end

-- Nothing is acted on before the answer's end: its stream ends without waiting for it.
local function waits(what, options, said)
  local done = play(function() return { headers = as_stream, parts = events_of(kinds.chat, said) } end, options)
  t.eq(done.pressed, "a b c", what)
  t.eq(done.kinds:match "^model_reply" ~= nil, true, ("%s: %s"):format(what, done.kinds))
  t.eq(null_run.only(done.events, "model_reply")[1].early, nil, what)
end

function tests.what_only_the_whole_answer_decides()
  waits("a look-up is offered", { tools = { "press_key", "look_closely" } })
  waits("a hook hears the answer", { mission = { model_reply = function() end } })
  waits("few tokens are left", { flags = { ["limits.tokens"] = 3000 } })
  waits("little time of models is left", { flags = { ["limits.model_seconds"] = 60 } })
end

-- The answer itself uses up what the run may spend, and then nothing of it is done.
function tests.an_answer_that_uses_up_what_there_is()
  local done = play(function() return { headers = as_stream, parts = events_of(kinds.chat) } end,
    { flags = { ["limits.calls"] = 1 } })
  t.eq({ done.pressed, done.run.outcome.status }, { "", "incomplete" })
end

-- What the journal tells of a request, and its sending does not need, is counted once it is on its way.
function tests.what_no_request_needs_is_done_while_the_model_thinks()
  local token_count, order = require "deskpilot.agent.token_count", {}
  local of_request, chat = token_count.of_request, getmetatable(assert(client.new { model = "m" })).__index.chat
  local methods = getmetatable(assert(client.new { model = "m" })).__index
  local restoring <close> = setmetatable({}, { __close = function()
    token_count.of_request, methods.chat = of_request, chat
  end })
  assert(restoring)
  function token_count.of_request(...)
    order[#order + 1] = "counted"
    return of_request(...)
  end
  function methods.chat(...)
    order[#order + 1] = "asked"
    local reply, err = chat(...)
    order[#order + 1] = "answered"
    return reply, err
  end
  local done = play(function() return { headers = as_stream, parts = events_of(kinds.chat) } end)
  t.eq({ done.pressed, order }, { "a b c", { "asked", "counted", "answered" } })
  t.ok((null_run.only(done.events, "model_reply")[1].tokens or {}).input)
end

-- What ends a run ends the answer too: nobody waits for the rest of it.
function tests.a_run_that_ends_meanwhile()
  local done = play(function()
    local list, third = events_of(kinds.chat)
    return { headers = as_stream, parts = held(list, third, function() return false end) }
  end, { mission = { after_action = function() return { stop = { "failed", "enough" } } end } })
  t.eq({ done.pressed, done.run.outcome.reason }, { "a", "enough" })
  t.eq(null_run.only(done.events, "model_reply")[1].early, 1)
end

local function never_ends()
  local list, third = events_of(kinds.chat)
  return { headers = as_stream, parts = held(list, third, function() return false end) }
end

function tests.a_limit_of_time_while_the_rest_is_waited_for()
  local done = play(never_ends, { flags = { ["limits.seconds"] = 1.5 } })
  t.eq({ done.pressed, done.run.outcome.status }, { "a", "incomplete" })
  t.eq(#null_run.only(done.events, "action_result"), 1)
end

function tests.an_interruption_while_the_rest_is_waited_for()
  local done = play(never_ends, { press = function(run)
    task.start(function()
      task.sleep(0.3)
      run:abort("interrupted", "interrupted by SIGINT")
    end)
  end })
  t.eq({ done.pressed, done.run.outcome.status }, { "a", "interrupted" })
  t.eq(#null_run.only(done.events, "action_result"), 1)
end

return tests
