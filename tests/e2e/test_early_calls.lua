--- The first calls of an answer are done while the rest of it still comes: the real program, a real desktop, and a
--- program that writes down each key that reached it (xev). The server sends on only once that has been written.
local t = require "harness"
local compatible_server = require "compatible_server"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local play = require "three_body_play"
local spawn = require "spawn"

local tests = {}

local because = "The window in front takes the keys, and this one is the next of those that are wanted."

-- How often a key was pressed, as the application has it.
local function presses(path, key)
  local words, count = (files.read(path) or ""):gsub("\r", ""), 0
  for body in words:gmatch "\nKeyPress event,([^\n]*\n[^\n]*\n[^\n]*)" do
    if body:find("keysym 0x%x+, " .. key .. "%)") then count = count + 1 end
  end
  return count
end

-- The events of a stream that calls these keys. In front of the one that announces the third: `gate`.
local function parts_of(keys, gate)
  local parts, answer = {}, { id = "c", created = 1, model = "m" }
  for i, key in ipairs(keys) do
    if i == 3 then parts[#parts + 1] = gate end
    parts[#parts + 1] = compatible_server.chunk(answer, { tool_calls = { { index = i - 1, id = "k" .. i,
      type = "function", ["function"] = { name = "press_key", arguments = "" } } } })
    for _, piece in ipairs(compatible_server.pieces(json.encode { key = key, justification = because }, 9)) do
      parts[#parts + 1] = compatible_server.chunk(answer, { tool_calls = { { index = i - 1,
        ["function"] = { arguments = piece } } } })
    end
  end
  return parts
end

local function ended(parts)
  parts[#parts + 1] = compatible_server.chunk({ id = "c", created = 1, model = "m" }, {}, "tool_calls")
  parts[#parts + 1] = "data: [DONE]\n\n"
  return parts
end

local as_stream = { ["Content-Type"] = "text/event-stream" }

local function run(executor, turns, started)
  local folder = spawn.folder()
  local path = files.join(folder, "events.txt")
  local played = play.play { turns = turns or 1, started = started, mission = ([[task = "Press a, b and c.",
    desktop = { kind = "private", size = { 900, 600 } },
    before_run = function(m)
      assert(m.desk.apps.start { "sh", "-c", "exec stdbuf -oL xev -geometry 500x400+100+100 > %s", wait = 30 })
      assert(m.desk.wait_for_window { title = "Event Tester", active = true, timeout = 30 })
    end]]):format(path),
    flags = { "--set", "three_body.calls_per_turn=3", "--set", "model.stream=on", "--set",
      "model.retries=2" },
    strategist = function() return play.doctrine { "The keys are pressed." } end,
    tactician = function() return play.orders("EXECUTION", { "press_key", "wait" }) end,
    executor = function(request, number) return executor(path, request, number) end }
  return played, path, folder
end

function tests.the_first_of_three_has_acted_before_the_third_is_sent()
  local sent = {}
  local played, path, folder = run(function(path)
    return { headers = as_stream, parts = ended(parts_of({ "a", "b", "c" }, function()
      sent.a = sent.a or presses(path, "a") > 0
      return sent.a
    end)) }
  end)
  t.eq({ sent.a, presses(path, "a"), presses(path, "b"), presses(path, "c") }, { true, 1, 1, 1 }, played.child.stderr)
  local early
  for _, event in ipairs(played.events) do early = event.event == "model_reply" and event.early or early end
  t.ok(early and early >= 1, "model_reply tells of it")
  t.eq(played.connections, 1, "for the look whether the model is there, before the desktop is, and for all requests")
  files.remove(folder)
end

-- The connection breaks before the third call: the first is done, once, and the next request tells of it.
function tests.a_stream_that_breaks_after_the_first()
  local played, path, folder = run(function(path, request, number)
    if number == 2 then
      local told = select(2, play.words(request))
      t.has(told, 'press_key("a") -> pressed a')
      return { headers = as_stream, parts = ended(parts_of { "b" }) }
    end
    local parts = {}
    for _, part in ipairs(parts_of({ "a", "b", "c" }, false)) do
      if not part then break end
      parts[#parts + 1] = part
    end
    parts[#parts + 1] = function() return presses(path, "a") > 0 end
    return { headers = as_stream, parts = parts, broken = true }
  end, 2)
  t.eq({ presses(path, "a"), presses(path, "b"), presses(path, "c") }, { 1, 1, 0 }, played.child.stderr)
  t.eq({ #played:actions "press_key", #played:asked "executor" }, { 2, 2 })
  files.remove(folder)
end

-- Whether a program's run has written down the result of an action.
local function has_result(program)
  for i, word in ipairs(program.argv) do
    for _, name in ipairs(word == "--runs" and files.list(program.argv[i + 1]) or {}) do
      local words = files.read(files.join(program.argv[i + 1], name, "journal.jsonl")) or ""
      if words:find('"event":"action_result"', 1, true) then return true end
    end
  end
  return false
end

-- Ctrl+C while the rest is waited for: what was done stands in the journal, and nothing else is.
function tests.an_interruption_while_the_rest_is_waited_for()
  local program, stopped
  local played, path, folder = run(function(path)
    return { headers = as_stream, parts = parts_of({ "a", "b", "c" }, function()
      if not stopped and presses(path, "a") > 0 and has_result(program) then
        stopped = true
        program:kill "sigint"
      end
      return false
    end) }
  end, 5, function(child) program = child end)
  t.eq({ played.result.status, played.child.status }, { "interrupted", 130 }, played.child.stderr)
  t.eq({ presses(path, "a"), presses(path, "b"), presses(path, "c") }, { 1, 0, 0 })
  t.eq({ #played:actions "press_key", #played:asked "executor" }, { 1, 1 })
  files.remove(folder)
end

return tests
