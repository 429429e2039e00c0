--- Runs missions with the policy `orchestrator` and a model that a test scripts, over HTTP, and gives back what the run
--- left: its result, its journal, what was asked.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local spawn = require "spawn"
local told = require "told"

local play = {}

--- A decision; the fields that a test does not care for are filled in. Each command is { tool, args }.
---@param fields table
---@return table reply
function play.decide(fields)
  local args = { reasoning = fields.reasoning or "This is the next step.", commands = json.list(),
    status = fields.status or "continue", status_why = fields.status_why or "The screen shows it.",
    learned = fields.learned and json.list(fields.learned), reflection = fields.reflection,
    commands_why = fields.commands_why }
  for i, command in ipairs(fields.commands or {}) do
    args.commands[i] = { tool = command[1], args = next(command[2] or {}) and command[2] or json.decode "{}",
      why = command[3] }
  end
  return model_server.reply_tool("decide", args)
end

--- An answer that asks one or more tools for information: each { tool, args }.
function play.ask(...)
  local calls = json.list()
  for i, call in ipairs { ... } do
    calls[i] = { id = "call_" .. i, type = "function", ["function"] = { name = call[1],
      arguments = json.encode(next(call[2] or {}) and call[2] or json.decode "{}") } }
  end
  return model_server.reply_message({ tool_calls = calls }, "tool_calls")
end

--- What a request says in words.
play.words = told.words

--- The index of the page's element that is listed with that role and name, or nil.
function play.index(request, role, name)
  local pattern = "\n%[(%d+)%] " .. role .. ' "' .. name:gsub("%p", "%%%0") .. '"'
  return math.tointeger(tonumber(play.words(request):match(pattern)))
end

--- The names of the tools that a request offers.
function play.offered(request)
  local names = {}
  for i, tool in ipairs(request.tools or {}) do names[i] = tool["function"].name end
  return names
end

--- What the tools have answered in a request, the latest last.
function play.results(request)
  local list = {}
  for _, message in ipairs(request.messages) do
    if message.role == "tool" then list[#list + 1] = message.content end
  end
  return list
end

--- Whether any picture went along.
function play.has_picture(request)
  for _, message in ipairs(request.messages) do
    for _, part in ipairs(type(message.content) == "table" and message.content or {}) do
      if part.type == "image_url" then return true end
    end
  end
  return false
end

---@class orchestrator_played
---@field result table result.json
---@field events table[]
---@field requests table[] of the model server, in order
---@field folder string the mission's, which the caller removes by played:close()
local Played = {}
Played.__index = Played

function Played:close()
  files.remove(self.folder)
end

--- The events of that name.
function Played:all(name)
  local list = {}
  for _, event in ipairs(self.events) do
    if event.event == name then list[#list + 1] = event end
  end
  return list
end

--- What the notes, joined, say.
function Played:notes()
  local lines = {}
  for i, event in ipairs(self:all "note") do lines[i] = event.message end
  return table.concat(lines, "\n")
end

--- Plays a mission: the fields of its table as Lua source, in which FOLDER is its folder.
---@param script { mission: string, agent: function, flags: string[]?, before: function?, file: string? } agent:
---  function(request, n, folder) -> a reply; file: a whole mission's file in place of `mission`
---@return orchestrator_played
function play.play(script)
  local folder, count = spawn.folder(), 0
  local self = setmetatable({ folder = folder, requests = {}, events = {} }, Played)
  local server = model_server.start(function(request)
    count = count + 1
    return script.agent(request, count, folder)
  end)
  if script.before then script.before(folder) end
  local path = script.file
  if not path then
    path = files.join(folder, "m.lua")
    assert(files.write(path, "local FOLDER = " .. ("%q"):format(folder) .. "\nreturn {\n" .. script.mission
      .. '\nlimits = { turns = 400, seconds = 200 },\n}\n'))
  end
  local argv = { files.absolute(spawn.program), "run", path, "--json", "-v", "--runs", folder .. "/runs", "--endpoint",
    server.endpoint, "--model", "qwen3-vl", "--policy", "orchestrator", "--set", "model.calls_per_minute=0", "--set",
    "model.retries=0", "--set", "timing.verify=1" }
  table.move(script.flags or {}, 1, #(script.flags or {}), #argv + 1, argv)
  self.child = spawn.run(argv, { cwd = folder, env = { TMPDIR = folder, XDG_STATE_HOME = folder } })
  server:stop()
  self.result = json.decode(self.child.stdout) or {}
  t.ok(self.result.status, self.child.stderr)
  self.run_dir = files.join(folder, (self.result.run_dir or ""):match "runs/[^/]*$" or "runs")
  self.events = journal.read(self.run_dir) or {}
  for _, entry in ipairs(server.requests) do
    t.eq(entry.problems or {}, {}, "every request is valid")
    self.requests[#self.requests + 1] = entry.json
  end
  return self
end

return play
