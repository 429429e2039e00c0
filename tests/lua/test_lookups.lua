--- Look-ups: calls that are answered within the turn, as they go over the wire to a real HTTP server; and the pictures
--- of a request.
local t = require "harness"
local client = require "deskpilot.model.client"
local messages = require "deskpilot.agent.messages"
local model_server = require "model_server"
local native = require "native.image"
local null_run = require "null_run"
local text = require "deskpilot.base.text"

local tests = {}

local picture = native.base64(assert(assert(native.new(4, 4)):png()))
local shown = { base64 = picture, mime = "image/png" }

-- Two tools that look, one with a picture, and one that acts.
local function add_tools(run)
  local function add(name, fields)
    fields.name, fields.description = name, "d"
    fields.parameters = { type = "object", properties = { at = { type = "string" } }, additionalProperties = false }
    assert(run.toolbox:add(fields))
  end
  add("price", { looks = true, run = function(_, args)
    if args.at == "nowhere" then return nil, require("deskpilot.base.errors").new("not_found", "no price is there") end
    return { text = "it costs 7", data = { price = 7 } }
  end })
  add("picture_of", { looks = true, run = function() return { text = "see the picture", pictures = { shown } } end })
  add("act", { run = function() return "acted" end })
end

local names = { "price", "picture_of", "act" }

local function calls(...)
  local list = {}
  for i, call in ipairs { ... } do
    list[i] = { id = "same_id", type = "function", ["function"] = { name = call[1], arguments = call[2] or "{}" } }
  end
  return model_server.reply_message({ content = "I look first.", tool_calls = list }, "tool_calls")
end

-- Asks once in a turn of a run on a real server; the requests, and what `ask` gave.
local function ask(replies, flags, more)
  local server = model_server.start(replies)
  local got = {}
  local run, events = null_run.play({ task = "x" }, { flags = flags, turn = function(run)
    run.model = assert(client.new { endpoint = server.endpoint, name = "scripted" })
    add_tools(run)
    local request = { persona = "p", system = "s", text = "t", tools = names, acts = true }
    for key, value in pairs(more or {}) do request[key] = value end
    got.reply, got.err = run:ask(request)
    got.actions, got.history = run.actions, #run.history.entries
    run:stop("succeeded", "asked")
  end })
  server:stop()
  t.eq(server:problems(), "", "every request is what a strict server takes")
  local requests = {}
  for i, entry in ipairs(server.requests) do requests[i] = entry.json end
  return got, requests, events, run
end

-- What a tool has said stands between the run's marks.
local function marked(run, words) return ("%s\n%s\n%s"):format(run.marks.open, words, run.marks.close) end

function tests.two_look_ups_in_one_answer_with_a_picture()
  local got, requests, events, run = ask { calls({ "price", '{"at":"here"}' }, { "picture_of" }), calls { "act" } }
  t.eq({ got.reply.calls[1].name, got.actions, got.history }, { "act", 0, 0 }, "no action, no line of history")
  t.eq(#requests, 2)
  t.eq(requests[2].tools, requests[1].tools)
  local list = requests[2].messages
  t.eq({ list[1], list[2] }, { requests[1].messages[1], requests[1].messages[2] }, "what was asked stays as it was")
  t.eq({ list[3].role, list[3].content, #list[3].tool_calls }, { "assistant", "I look first.", 2 })
  t.eq(list[3].tool_calls[1]["function"], { name = "price", arguments = '{"at":"here"}' })
  t.ok(list[3].tool_calls[1].id ~= list[3].tool_calls[2].id, "ids are told apart, though the model has not")
  t.eq({ list[4].role, list[4].tool_call_id, list[4].content },
    { "tool", list[3].tool_calls[1].id, marked(run, 'it costs 7\n{"price":7}') })
  t.eq({ list[5].role, list[5].tool_call_id, list[5].content },
    { "tool", list[3].tool_calls[2].id, marked(run, "see the picture") })
  t.eq({ list[6].role, list[6].content[1].text, list[6].content[2].image_url.url, #list },
    { "user", "PICTURES FROM YOUR LOOK-UPS:", "data:image/png;base64," .. picture, 6 })
  local told = null_run.only(events, "lookup")
  t.eq({ #told, told[1].tool, told[1].args, told[1].ok, told[1].text, told[1].data, told[1].turn },
    { 2, "price", { at = "here" }, true, "it costs 7", { price = 7 }, 1 })
  t.eq(told[2].pictures, { "screenshots/step_0001_lookup2_1.png" })
  t.eq({ #null_run.only(events, "action"), #null_run.only(events, "settled") }, { 0, 0 })
  t.eq({ #null_run.only(events, "model_request"), #null_run.only(events, "model_reply") }, { 2, 2 })
end

function tests.look_ups_that_fail_are_told()
  local got, requests, events, run = ask { calls({ "price", '{"at":"nowhere"}' }, { "price", '{"at":{}}' },
    { "price", '{"at' }), calls { "act" } }
  t.eq(got.reply.calls[1].name, "act")
  local list = requests[2].messages
  t.eq(list[4].content, marked(run, "ERROR: no price is there"))
  t.has(list[5].content, "ERROR: price: at")
  t.has(list[6].content, "ERROR: ")
  t.eq(null_run.only(events, "lookup")[1].ok, false)
end

function tests.what_comes_with_a_look_up_waits()
  local got, requests, events = ask { calls({ "fly away!" }, { "price" }), calls { "act" } }
  t.eq(got.reply.calls[1].name, "act")
  t.eq(requests[2].messages[3].tool_calls[1]["function"].name, "fly_away_", "servers take no other names")
  t.has(requests[2].messages[4].content, "NOT DONE: it came together with a look-up")
  t.has(requests[2].messages[5].content, "it costs 7")
  t.eq(#null_run.only(events, "lookup"), 1)
end

function tests.who_asks_may_answer_in_place_of_the_tool()
  local heard = {}
  local _, requests, events, run = ask({ calls({ "price", '{"at":"here"}' }, { "price", '{"at":"there"}' }),
    calls { "act" } }, nil, { look_up = function(name, args, find)
      heard[#heard + 1] = { name, args }
      if args.at == "there" then return { text = "you know that", own = true } end
      return find()
    end })
  t.eq(heard, { { "price", { at = "here" } }, { "price", { at = "there" } } })
  local list = requests[2].messages
  t.eq({ list[4].content, list[5].content }, { marked(run, 'it costs 7\n{"price":7}'), "you know that" })
  t.eq(null_run.only(events, "lookup")[2].text, "you know that")
  t.eq(null_run.only(events, "model_request")[1].look_up, nil, "it is no field of the event")
end

function tests.they_are_limited()
  local got, requests, events, run = ask({ calls({ "price" }, { "price" }, { "price" }), calls { "price" } },
    { ["limits.lookups"] = 2 })
  t.eq(#requests, 3, "told once that they are spent, then no more")
  t.eq({ requests[2].messages[5].content, requests[2].messages[6].content }, { marked(run, 'it costs 7\n{"price":7}'),
    "ERROR: the look-ups of this turn are spent (limits.lookups = 2): act now, with what you know" })
  t.eq(#null_run.only(events, "lookup"), 2)
  t.eq(got.reply.calls[1].args, nil)
  t.has(got.reply.calls[1].error, "the look-ups of this turn are spent", "for the policy a call that is wrong")
end

function tests.pictures_that_the_request_makes_free_are_not_counted()
  local look, act = calls { "picture_of" }, calls { "act" }
  local got, requests, events = ask({ look, calls({ "price" }, { "picture_of" }), look, calls { "price" }, act },
    { ["limits.lookups"] = 1 }, { free = function(name) return name == "picture_of" end })
  t.eq({ #requests, got.reply.calls[1].name, #null_run.only(events, "lookup") }, { 4, "price", 4 })
  t.has(tostring(got.reply.calls[1].error), "the look-ups of this turn are spent (limits.lookups = 1)")
  got, requests, events = ask({ look, look, act }, { ["limits.lookups"] = 1 })
  t.eq({ #requests, got.reply.calls[1].name, #null_run.only(events, "lookup") }, { 3, "act", 1 },
    "otherwise they count as all others do")
end

function tests.a_look_up_that_was_not_offered_is_none()
  local got, requests, events = ask({ calls { "price" } }, nil, { tools = { "act" } })
  t.eq({ #requests, got.reply.calls[1].name, #null_run.only(events, "lookup") }, { 1, "price", 0 })
end

-- A model that writes its calls as text is answered like any other.
function tests.calls_written_as_text()
  local got, requests = ask { model_server.reply_text '<tool_call>{"name": "price", "arguments": {}}</tool_call>',
    model_server.reply_text '<tool_call>{"name": "act", "arguments": {}}</tool_call>' }
  t.eq(got.reply.calls[1].name, "act")
  t.eq(requests[2].messages[3].tool_calls[1]["function"].name, "price")
end

-- `literal` reads no messages: what it looks up is an action.
function tests.literal_is_not_asked_again()
  local asked = 0
  null_run.play({ task = "x" }, { model = function()
    asked = asked + 1
    return null_run.calls { { "price", {} } }
  end, turn = function(run)
    run.model.literal = true
    add_tools(run)
    local reply = run:ask { system = "s", text = "t", tools = names }
    t.eq(reply.calls[1].name, "price")
    t.eq(run:act({ tool = "price", args = reply.calls[1].args }).text, "it costs 7")
    t.eq({ run.actions, #run.history.entries }, { 1, 1 })
    run:stop("succeeded", "asked")
  end })
  t.eq(asked, 1)
end

-- --- the pictures of a request --------------------------------------------------------------------------------------

local function pictures_of(list)
  local found = {}
  for _, message in ipairs(list) do
    for _, part in ipairs(type(message.content) == "table" and message.content or {}) do
      if part.type == "image" then found[#found + 1] = part.base64 end
    end
  end
  return found
end

function tests.a_cap_keeps_the_screen_and_then_the_latest()
  local marks = require "deskpilot.agent.untrusted".new()
  local function one(name) return { base64 = name, mime = "image/png", caption = name .. " is here." } end
  local request = { system = "s", text = "t", images = { one "old", one "screen" }, results = {
    { { id = "1", name = "price", arguments = "{}", text = "x", pictures = { one "first", one "second" } } },
    { { id = "2", name = "price", arguments = "{}", text = "x", pictures = { one "third" } } } } }
  t.eq(pictures_of(messages.of(request, 0, marks)), { "old", "screen", "first", "second", "third" })
  t.eq(pictures_of(messages.of(request, 1, marks)), { "screen" })
  t.eq(pictures_of(messages.of(request, 3, marks)), { "screen", "second", "third" })
  t.eq(messages.of(request, 1, marks)[2].content[2].text,
    "(old is here. This picture is left out: only so many may be sent.)")
  t.eq(pictures_of(messages.of({ system = "s", text = "t", images = {} }, 1, marks)), {})
  request.images = {}
  t.eq(pictures_of(messages.of(request, 0, marks)), { "first", "second", "third" }, "without a screenshot")
  t.eq(pictures_of(messages.of(request, 1, marks)), { "third" })
end

function tests.a_policy_says_what_is_looked_at()
  local _, events = null_run.play({ task = "x", limits = { turns = 3 } }, { model = function(request)
    return null_run.calls({}, tostring(#pictures_of(request.messages)))
  end, turn = function(run)
    if run.turn == 1 then
      local first = run.observation
      t.ok(run:observe { reuse = true })
      t.ok(run.observation == first, "the last one was good enough")
      t.fails("unavailable", "no observation before", run:picture { before = true })
      t.ok(run:observe { region = { x = 100, y = 50, width = 200, height = 100 } })
      t.eq(run.observation.shot.frame, { x = 100, y = 50, width = 200, height = 100 })
      local before = t.ok(run:picture { before = true })
      t.eq(before.base64, first.base64)
      local part = t.ok(run:picture { region = { x = 0, y = 0, width = 10, height = 20 }, caption = "A corner." })
      t.eq({ part.caption, part.path }, { "A corner.", "screenshots/picture_0001.png" })
      t.eq(run:ask({ system = "s", text = "t", images = { before, part, run.observation } }).content, "3")
      t.eq(run:ask({ system = "s", text = "t" }).content, "1")
      t.ok(run:observe { marks = true })
      t.fails("unavailable", "no page", run:picture { page = true })
    else
      run:stop("succeeded", "seen")
    end
  end })
  local observed = null_run.only(events, "observed")
  t.eq(observed[2].screenshot, "screenshots/step_0001_2.png")
  t.eq(null_run.only(events, "model_request")[1].pictures[2], "screenshots/picture_0001.png")
  t.eq(null_run.only(events, "model_request")[1].images, nil, "no megabytes in the journal")
end

function tests.a_look_tells_what_its_time_went_to()
  local _, events = null_run.play({ task = "t", limits = { turns = 2 } }, { turn = function() end })
  local looks = null_run.only(events, "observed")
  t.eq(#looks, 2)
  for _, look in ipairs(looks) do
    local sum, parts = 0, text.keys(look.parts)
    for _, seconds in pairs(look.parts) do
      t.ok(seconds >= 0, "no time runs backwards: " .. seconds)
      sum = sum + seconds
    end
    table.sort(parts)
    t.eq(parts, { "capture", "elements", "encode", "page" })
    t.ok(sum > 0 and sum <= look.seconds, ("%g of %g s"):format(sum, look.seconds))
  end
end

function tests.a_turn_without_a_look()
  local looked
  local _, events = null_run.play({ task = "x" }, { observe = "false", turn = function(run)
    looked = run.observation
    run:stop("succeeded", "seen")
  end })
  t.eq({ looked, #null_run.only(events, "observed") }, { nil, 0 })
  _, events = null_run.play({ task = "x" }, { turn = function(run)
    if run.turn == 4 then run:stop("succeeded", "seen") end
  end, observe = "function(run) return run.turn ~= 2 and { reuse = run.turn > 2 } end" })
  local turns = {}
  for i, event in ipairs(null_run.only(events, "observed")) do turns[i] = event.turn end
  t.eq(turns, { 1 }, "the second turn does not look, the others have the first one's")
end

return tests
