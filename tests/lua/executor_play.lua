--- Runs missions with the policy `task_executor` and an agent that a test scripts, over HTTP, on a private desktop, and
--- gives back what the run left: its result, its journal, what was asked, and what the desktop's own applications say.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local journal = require "deskpilot.agent.journal"
local journals = require "journals"
local model_server = require "model_server"
local spawn = require "spawn"
local told = require "told"

local executor_play = {}

local because = "The screen shows that this is the next thing to do, and afterwards it shows what was asked for."

--- An answer with one action, as a tool call.
function executor_play.action(name, args)
  local copy = { justification = name ~= "finish" and name ~= "ask_user" and because or nil }
  for key, value in pairs(args or {}) do copy[key] = value end
  return model_server.reply_tool(name, copy)
end

--- An answer with one action, as the JSON of the specification.
function executor_play.json(action)
  return model_server.reply_text(json.encode(action))
end

executor_play.because = because

--- What the request says in words.
function executor_play.words(request)
  return told.words(request)
end

--- What the request adds to the one before it, in words.
function executor_play.added(request)
  local content = request.messages[2].content
  local words = ""
  for _, part in ipairs(type(content) == "table" and content or {}) do words = part.text or words end
  return words
end

--- The number of the element that is listed with that role and name; the test fails where there is none.
function executor_play.number(request, role, name)
  local words = told.words(request)
  local number = words:match("%[(%d+)%] " .. role .. ' "' .. name:gsub("%p", "%%%0") .. '"')
  return math.tointeger(tonumber(t.ok(number, ("%s %q is listed: %s"):format(role, name, words))))
end

--- Where that element stands: its middle in 0..1000.
function executor_play.place(request, role, name)
  local words = told.words(request)
  local x, y = words:match("%] " .. role .. ' "' .. name:gsub("%p", "%%%0") .. '" %[(%d+),(%d+)%]')
  t.ok(x, ("%s %q is listed with its place: %s"):format(role, name, words))
  return { tonumber(x), tonumber(y) }
end

--- Of a mission: a calculator.
executor_play.calculator = [[
task = "Show the number 77.",
desktop = { kind = "private", size = { 1000, 700 }, apps = { { "galculator" } } },
before_run = function(m)
  assert(m.desk.wait_for_window { title = "galculator", active = true, timeout = 30 })
  assert(m.desk.wait_for_element { app = "galculator", name = "7", timeout = 30 })
end,
verify = function(m) return m.checks.element { app = "galculator", role = "text", shows = "77" } end,
]]

--- The agent of that mission: it presses 7 twice, by its number, and claims.
function executor_play.seventy_seven(request, n)
  if n > 2 then return executor_play.action("finish", { reason = "The display shows 77." }) end
  return executor_play.action("tap", { element = executor_play.number(request, "toggle button", "7"), label = "7" })
end

---@class executor_played
---@field result table result.json
---@field events table[]
---@field requests table[] of the model server, in order
---@field stamps number[] when each of them came, in seconds
---@field folder string the mission's, which the caller removes by played:close()
local Played = {}
Played.__index = Played

function Played:close()
  files.remove(self.folder)
end

--- The events of that name.
function Played:only(name)
  local list = {}
  for _, event in ipairs(self.events) do
    if event.event == name then list[#list + 1] = event end
  end
  return list
end

--- The results of the actions, of one tool's alone if it is named.
function Played:actions(tool)
  local list = {}
  for _, event in ipairs(self:only "action_result") do
    if not tool or event.tool == tool then list[#list + 1] = event end
  end
  return list
end

--- What the mission has noted as "STATE " and a JSON value, in order.
function Played:states()
  local list = {}
  for _, event in ipairs(self:only "note") do
    local said = event.message:match "^STATE (.*)"
    if said then list[#list + 1] = json.decode(said) end
  end
  return list
end

--- Plays a mission: the fields of its table as Lua source, in which FOLDER is its folder and `state(m, value)` notes a
--- value for `states`.
---@param script { mission: string, agent: fun(request: table, n: integer, folder: string): table, flags: string[]?,
---  before: (fun(folder: string))?, limits: string?, input: string? } agent: what it answers
---@return executor_played
function executor_play.play(script)
  local folder, count = spawn.folder(), 0
  local self = setmetatable({ folder = folder, requests = {}, stamps = {}, events = {} }, Played)
  local task = require "deskpilot.base.task"
  local server = model_server.start(function(request)
    count = count + 1
    self.stamps[count] = task.now()
    return script.agent(request, count, folder) or { status = 500, body = "not expected" }
  end)
  if script.before then script.before(folder) end
  local path = files.join(folder, "m.lua")
  assert(files.write(path, ("local FOLDER = %q\n"):format(folder) .. [[
local function state(m, value) m:note("STATE " .. require "deskpilot.base.json".encode(value)) end
assert(state)
return {
]] .. script.mission .. "\nlimits = { seconds = 90 },\n}\n"))
  local argv = { spawn.program, "run", path, "--json", "--runs", folder .. "/runs", "--endpoint", server.endpoint,
    "--model", "qwen3-vl", "--policy", "task_executor", "--set", "model.calls_per_minute=0", "--set",
    "timing.verify=5" }
  table.move(script.flags or {}, 1, #(script.flags or {}), #argv + 1, argv)
  local child = spawn.run(argv, { cwd = folder, input = script.input })
  server:stop()
  self.child, self.result = child, json.decode(child.stdout) or {}
  t.ok(self.result.status, child.stderr)
  self.events = journal.read(self.result.run_dir or "") or {}
  t.eq((journals.problems((self.result.run_dir or "") .. "/journal.jsonl")), {}, "the journal is valid")
  for _, entry in ipairs(server.requests) do
    t.eq(entry.problems or {}, {}, "every request is valid")
    self.requests[#self.requests + 1] = entry.json
  end
  if self.result.task_result then t.eq(self.result.task_result.status, self.result.status) end
  t.eq(child:left(), {}, "processes left behind")
  return self
end

return executor_play
