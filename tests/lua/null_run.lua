--- A run of the real loop, guards and policies on the desktop that is only imagined, with a model that is a function.
local chat = require "deskpilot.model.wires.chat"
local configured = require "configured"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local hooks = require "deskpilot.agent.hooks"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local lookup = require "deskpilot.base.lookup"
local loop = require "deskpilot.agent.loop"
local mcp = require "deskpilot.agent.mcp"
local mcp_options = require "deskpilot.agent.mcp_options"
local run_module = require "deskpilot.agent.run"
local spawn = require "spawn"

local null_run = {}

--- A screen for tests that point at places: a thousandth of it is a pixel.
null_run.thousand = { width = 1000, height = 1000 }

-- For the others a smaller one, whose pictures take a sixth of the time.
local usual = { width = 400, height = 400 }

-- Everything that a run announces, as it was then.
local function recorder(events)
  return { every = function(_, event)
    local copy = {}
    for key, value in pairs(event) do copy[key] = value end
    events[#events + 1] = copy
  end }
end

--- An answer in OpenAI's shape with these calls, each { name, arguments }; words where there are none.
function null_run.calls(list, words)
  local calls = #list > 0 and json.list() or nil
  for i, call in ipairs(list) do
    calls[i] = { id = "call_" .. i, type = "function",
      ["function"] = { name = call[1], arguments = json.encode(call[2]) } }
  end
  return { choices = { { finish_reason = calls and "tool_calls" or "stop",
    message = { role = "assistant", content = words or "", tool_calls = calls } } } }
end

local function model_of(answer, profile)
  local function ask(_, request)
    local body, err = answer(request)
    if not body then return nil, err end
    return chat.read(body)
  end
  return { name = "scripted", profile = profile, endpoint = "none", record = function() return {} end, chat = ask }
end

-- A policy whose turn is the test's.
local played = [[return { turn = function(run) run.played(run) end, transient = { "passing" }, observe = %s,
  start = function(run) run.began = "started" end, resume = function(run) run.began = "resumed" end }]]

--- Runs a mission to its end.
---@param mission table
---@param options { turn: fun(run: deskpilot.run)?, observe: string?, flags: table?, project: table?,
---  open_model: function?, args: string[]?, past: deskpilot.past?, keep: boolean?,
---  model: (fun(request: table): table?, any)?, client: deskpilot.model.client?, profile: table?, screen: table?,
---  desk: deskpilot.desk?, control: deskpilot.control?, answerers: deskpilot.answerer[]? }? turn: a policy, in place of
---  the mission's, and its `observe` as Lua source; project: what its deskpilot.lua says; model: gives a body of
---  OpenAI's, or nil and an error, and `profile` is its own; client: asks a server; past: what it goes on from; keep:
---  the run's folder stays; screen: the imagined one's size; desk: a real one in its place, which stays open;
---  control: a person's; answerers: who answers what a person is asked
---@return deskpilot.run run, table[] events
function null_run.play(mission, options)
  options = options or {}
  local folder = spawn.folder()
  if options.turn then
    assert(files.make_folder(files.join(folder, "deskpilot/policies")))
    assert(files.write(files.join(folder, "deskpilot/policies/played.lua"), played:format(options.observe or "nil")))
    mission.policy = "played"
  end
  lookup.set_roots { project_folder = folder }
  local settings, tools = configured.settings(not options.turn and mission.policy or nil)
  local guards = assert(settings:load_all "guards")
  local flags = { ["timing.settle_quiet"] = 0, ["timing.settle_floor"] = 0 }
  for key, value in pairs(options.flags or {}) do flags[key] = value end
  local layers = options.project and require "deskpilot.cli.settings".file_layers { project = options.project,
    user = {}, project_folder = folder } or {}
  layers[#layers + 1] = require "deskpilot.agent.mission".layer(mission)
  local config = assert(settings:resolve { layers = layers, environment = {},
    flags = { source = "a flag", values = flags } })
  local list, events, screen = {}, {}, options.screen or usual
  if options.control then list[1] = { name = "the control", listener = options.control:listener() } end
  for _, entry in ipairs(hooks.entries(mission)) do list[#list + 1] = entry end
  for _, guard in ipairs(guards) do
    list[#list + 1] = { name = "the guard " .. guard.name, listener = guard.plugin }
  end
  local servers = mcp.listener(assert(mcp_options.of(config)))
  if servers then list[#list + 1] = { name = "the MCP servers", listener = servers } end
  list[#list + 1] = { name = "the record", listener = recorder(events) }
  local dir = assert(require "deskpilot.agent.rundir".create(files.join(folder, "runs"), "m", 0))
  local written = assert(journal.open(dir.path)) -- is checked when the folder is removed
  list[#list + 1] = { name = "the journal", listener = written, essential = true }
  local run = run_module.new { mission = mission, name = "m", config = config, listeners = list, desktop = "current",
    toolbox = assert(require "deskpilot.agent.toolbox".new(tools, config)),
    open_model = options.open_model, args = options.args,
    model = options.client or model_of(options.model
      or function() error "no model was expected to be asked" end, options.profile),
    dir = dir, journal = written, past = options.past, reloading = options.reloading,
    answerers = options.answerers,
    desk = options.desk
      or assert(desk_module.open { backend = "null", width = screen.width, height = screen.height }) }
  run.played = options.turn
  loop.execute(run)
  if not options.desk then run.desk:close() end
  written.close()
  lookup.set_roots {}
  if not options.keep then files.remove(folder) end
  return run, events
end

--- The events of one kind.
function null_run.only(events, name)
  local found = {}
  for _, event in ipairs(events) do
    if event.event == name then found[#found + 1] = event end
  end
  return found
end

return null_run
