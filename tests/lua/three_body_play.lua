--- Runs missions with the three-body policy against a real HTTP server that plays its three personas as a test scripts
--- them, on a private desktop with a real calculator.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local spawn = require "spawn"
local told = require "told"

local three_body_play = {}

local because = "The calculator is in front and its keys are easy to see, so this is the next thing to do."

local by_tool = { write_doctrine = "strategist", spawn_executor_prompt = "tactician", update_phase_tools = "tactician",
  revise_criterion = "tactician" }

--- Who is asked: the tools say it.
function three_body_play.persona(request)
  for _, tool in ipairs(request.tools or {}) do
    local who = by_tool[tool["function"].name]
    if who then return who end
  end
  return "executor"
end

--- The system prompt, and what the request says in words.
function three_body_play.words(request)
  return request.messages[1].content, told.words(request)
end

--- The definition of a tool that is offered, or nil.
function three_body_play.tool(request, name)
  for _, tool in ipairs(request.tools or {}) do
    if tool["function"].name == name then return tool["function"] end
  end
end

--- An answer with several calls, each { name, args }.
function three_body_play.calls(...)
  local list = {}
  for i, call in ipairs { ... } do
    list[i] = { id = "call_" .. i, type = "function", ["function"] = { name = call[1],
      arguments = json.encode(call[2]) } }
  end
  return model_server.reply_message({ content = json.null, tool_calls = list }, "tool_calls")
end

--- A Strategist's answer with these success criteria.
function three_body_play.doctrine(criteria, more)
  local args = { mission = "The calculator shows 77.", reconnaissance = "The calculator is open.",
    phases = { "EXECUTION: press the keys; over when the display shows it." }, verification = "Look at the display.",
    success_criteria = json.list(criteria), risks = { "The display holds an old value: clear it." },
    directives = "Verify soon." }
  for key, value in pairs(more or {}) do args[key] = value end
  return three_body_play.calls { "write_doctrine", args }
end

--- A Tactician's orders.
function three_body_play.orders(phase, tools, prompt)
  return three_body_play.calls(
    { "spawn_executor_prompt", { prompt = prompt or "Orders for " .. phase, phase = phase, rationale = "seen" } },
    { "update_phase_tools", { tool_names = tools, rationale = "needed" } })
end

--- A click on a key of the calculator.
function three_body_play.click(request, key)
  local _, words = three_body_play.words(request)
  local x, y = words:match('toggle button "' .. key .. '" %[(%d+),(%d+)%]')
  return model_server.reply_tool("click_element", { label = key, position = { tonumber(x), tonumber(y) },
    justification = because })
end

--- A claim of completion.
function three_body_play.claim(evidence)
  return model_server.reply_tool("report_completion", { evidence = evidence })
end

local Played = {}
Played.__index = Played

--- The requests to that persona.
function Played:asked(who)
  local list = {}
  for _, request in ipairs(self.requests) do
    if three_body_play.persona(request) == who then list[#list + 1] = request end
  end
  return list
end

--- The results of the actions of a tool.
function Played:actions(tool)
  local list = {}
  for _, event in ipairs(self.events) do
    if event.event == "action_result" and event.tool == tool then list[#list + 1] = event end
  end
  return list
end

--- Plays a mission on a calculator.
---@param script { strategist: function, tactician: function, executor: function, mission: string?, flags: string[]?,
---  turns: integer?, started: fun(child)? } the personas: function(request, n) -> a reply; mission: fields of its table
---  as Lua source; started: is given the program
function three_body_play.play(script)
  local folder, counts = spawn.folder(), {}
  local server = model_server.start(function(request)
    local who = three_body_play.persona(request)
    counts[who] = (counts[who] or 0) + 1
    return script[who](request, counts[who])
  end)
  local path = files.join(folder, "m.lua")
  assert(files.write(path, ([[return { task = "Show the number 77.",
    desktop = { kind = "private", size = { 1280, 800 }, apps = { { "galculator" } } },
    limits = { turns = %d }, timing = { verify = 0.5 }, %s }]]):format(script.turns or 10, script.mission or "")))
  local argv = { spawn.program, "run", path, "--json", "--runs", folder .. "/runs", "--endpoint", server.endpoint,
    "--model", "qwen3-vl", "--set", "model.calls_per_minute=0", "--set", "model.retries=0" }
  table.move(script.flags or {}, 1, #(script.flags or {}), #argv + 1, argv)
  local child = spawn.start(argv, { cwd = folder })
  if script.started then script.started(child) end
  child:wait()
  server:stop()
  local self = setmetatable({ child = child, result = json.decode(child.stdout) or {}, requests = {}, bodies = {},
    connections = server.connections }, Played)
  t.ok(self.result.status, child.stderr)
  self.events = journal.read(self.result.run_dir or "") or {}
  for _, entry in ipairs(server.requests) do
    t.eq(entry.problems or {}, {}, "every request is valid")
    self.requests[#self.requests + 1] = entry.json
    self.bodies[#self.bodies + 1] = entry.body
  end
  files.remove(folder)
  return self
end

return three_body_play
