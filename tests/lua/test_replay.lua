--- A model that answers from a recorded run.
local t = require "harness"
local client = require "deskpilot.model.client"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local replay = require "deskpilot.model.replay"
local spawn = require "spawn"

local tests = {}

local function request(persona, turn, words, tools)
  local list = {}
  for i, name in ipairs(tools or {}) do
    list[i] = { type = "function", ["function"] = { name = name, parameters = { type = "object" } } }
  end
  return { persona = persona, turn = turn, tools = list, messages = { { role = "system", content = "You act." },
    { role = "user", content = { { type = "text", text = words }, { type = "image", base64 = "AAAA", path = "p" } } },
  } }
end

local function answer(words)
  return { choices = { { finish_reason = "stop", message = { role = "assistant", content = words } } } }
end

-- A folder with recorded requests, each { persona, turn, words, answer or false }.
local function recorded(list)
  local folder = spawn.folder()
  local writer = assert(client.new { endpoint = "http://127.0.0.1:9/v1", model = "m" })
  assert(files.make_folder(folder .. "/requests"))
  for i, each in ipairs(list) do
    local name = ("%s/requests/%04d-%s"):format(folder, i, each[1])
    local record = writer:record(request(each[1], each[2], each[3], { "a" }))
    assert(files.write(name .. ".request.json", json.encode(record)))
    if each[4] then assert(files.write(name .. ".reply.json", json.encode(answer(each[4])))) end
  end
  return folder
end

function tests.the_answer_is_that_of_the_persona_and_the_turn()
  local folder = recorded { { "planner", 1, "one", "p1" }, { "executor", 1, "one", "e1" },
    { "executor", 2, "two", "e2" }, { "executor", 2, "two again", "e2b" } }
  local model = assert(client.new { model = "replay:" .. folder })
  t.eq({ model.name, model.endpoint }, { "replay:" .. folder, "replay" })
  local function ask(...)
    local reply, err = model:chat(request(...))
    return reply and reply.content or err.message, reply and reply.note
  end
  t.eq({ ask("executor", 2, "two", { "a" }) }, { "e2" })
  t.eq({ ask("executor", 2, "two again", { "a" }) }, { "e2b" }, "the second of a turn")
  t.eq({ ask("planner", 1, "one", { "a" }) }, { "p1" })
  local words, note = ask("executor", 7, "seven", { "a" })
  t.eq(words, "e1", "another turn: the next one of the persona")
  t.has(note, "the request is not the recorded 0002-executor:")
  t.has(note, "the answer is that of turn 1\n- one\n+ seven")
  t.has(ask("executor", 8, "eight"), "has no further answer of executor (3 in all)")
  t.has(ask("vision", 8, "eight"), "no further answer of vision (0 in all)")
  files.remove(folder)
end

function tests.how_a_request_differs()
  local folder = recorded { { "e", 1, "a\nb\nc\nd\ne\nf", "x" }, { "e", 2, "same", false } }
  local model = assert(client.new { model = "replay:" .. folder })
  local reply = assert(model:chat(request("e", 1, "a\nB", { "a", "b" })))
  t.has(reply.note, "- b\n- c\n- d\n- ... 3 more\n+ B\n+ tools: a, b")
  t.fails("protocol", "the recorded request 0002-e had no answer", model:chat(request("e", 2, "same", { "a" })))
  t.eq(replay.difference(request("e", 1, "x"), request("e", 9, "x")), nil)
  files.remove(folder)
end

function tests.what_is_no_run_is_refused()
  local folder = spawn.folder()
  t.fails("not_found", "there are no recorded requests in " .. folder, client.new { model = "replay:" .. folder })
  t.eq({ replay.folder "replay:x", replay.folder "replay:", replay.folder "m", replay.folder(nil) }, { "x" })
  files.remove(folder)
end

return tests
