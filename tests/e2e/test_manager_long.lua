--- The policy manager over hundreds of turns of a scripted model: memory stays flat, requests stay within a cap, and
--- the journal loses nothing that the requests no longer tell.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local play = require "manager_play"
local spawn = require "spawn"

local tests = {}

local iterations = 200
local each = 25 -- operations of a subtask

local mission = [[
local FOLDER = %q
return {
  task = "Work through all pages.", policy = "manager",
  desktop = { kind = "private", size = { 400, 300 } },
  limits = { turns = 400, seconds = 200 }, timing = { verify = 0.1, settle_quiet = 0.01, settle_floor = 0 },
  history = { kept = 100 },
  turn_end = function(_, event)
    if event.turn %% 40 ~= 0 then return end
    collectgarbage()
    local file = assert(io.open(FOLDER .. "/memory", "a"))
    file:write(("%%d\n"):format(collectgarbage "count" // 1))
    file:close()
  end,
}]]

local function plan()
  local list = {}
  for i = 1, iterations // each do list[i] = play.subtask("operator", "Work on page " .. i) end
  return play.plan(table.unpack(list))
end

local longest, count = 0, 0

-- Each a little longer than the last, so that no two are equal; every 25th answer ends the subtask.
local function operator(_, n)
  if n % each == 0 then return play.done(("Page %d is worked through. "):format(n // each):rep(20)) end
  count = count + 1
  return play.call("wait", { seconds = 0.1 + n * 1e-6,
    justification = ("Place number %d of this page comes next. "):format(n):rep(5) })
end

function tests.two_hundred_iterations_take_no_more_memory_and_no_longer_requests()
  local folder = spawn.folder()
  local answer = play.answerer { manager = plan, operator = operator, evaluator = play.yes }
  local server
  server = model_server.start(function(request)
    local words = 0
    for _, message in ipairs(request.messages) do
      if type(message.content) == "string" then words = words + #message.content end
      for _, part in ipairs(type(message.content) == "table" and message.content or {}) do
        words = words + #(part.text or "")
      end
    end
    longest, server.requests = math.max(longest, words), {}
    return answer(request)
  end)
  assert(files.write(folder .. "/m.lua", mission:format(folder)))
  local child = spawn.run({ spawn.program, "run", folder .. "/m.lua", "--json", "--runs", folder .. "/runs",
    "--endpoint", server.endpoint, "--model", "qwen3-vl", "--set", "model.calls_per_minute=0", "--set",
    "manager.operations=40" }, { cwd = folder })
  server:stop()
  local result = json.decode(child.stdout) or {}
  t.eq(result.status, "claimed", tostring(result.reason) .. child.stderr)
  t.eq(result.task_result.operations.operator, iterations)
  local memory = {}
  for kilobytes in (files.read(folder .. "/memory") or ""):gmatch "%d+" do memory[#memory + 1] = tonumber(kilobytes) end
  io.stdout:write(("memory in kB every 40 turns: %s; longest request: %d bytes of words\n"):format(
    table.concat(memory, " "), longest))
  t.ok(#memory >= 5 and memory[#memory] < memory[2] * 1.25 + 1000, "memory: " .. table.concat(memory, " "))
  t.ok(longest < 60000, longest)
  local acted, first, last = 0, nil, nil
  for _, event in ipairs(journal.read(result.run_dir) or {}) do
    if event.event == "action_result" and event.tool == "wait" then
      local number = event.args.justification:match "number (%d+)"
      acted, first, last = acted + 1, first or number, number
    end
  end
  t.eq({ acted, first, last }, { count, "1", "199" }, "the journal has all of it")
  files.remove(folder)
end

return tests
