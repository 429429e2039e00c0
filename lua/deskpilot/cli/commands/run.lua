--- deskpilot run: a mission from its file to its debrief.
local uv = require "luv"
local asking = require "deskpilot.cli.asking"
local config_files = require "deskpilot.base.config_files"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local flags = require "deskpilot.cli.flags"
local json = require "deskpilot.base.json"
local stop_hotkey = require "deskpilot.cli.stop_hotkey"
local system = require "native.system"
local lookup = require "deskpilot.base.lookup"
local platform = require "deskpilot.desk.platform"
local provider = require "deskpilot.model.provider"
local shipped_files = require "native.shipped"
local settings_module = require "deskpilot.cli.settings"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local function shipped_missions()
  local names = {}
  for _, file in ipairs(shipped_files.list "missions/") do
    names[#names + 1] = file:match("^missions/([%w_]+)%.lua$")
  end
  return text.join(names)
end

local command = {
  summary = "Run a mission: let an agent do a task, or run a script.",
  order = 10,
  usage = "run MISSION [OPTIONS] [-- ARGUMENT...]",
  arguments = true, -- for the mission: m.args
  options = {
    { name = "policy", value = "NAME", help = "how the agent thinks (default: the mission's, or three_body)" },
    { name = "model", value = "NAME", help = "the model asked for; `literal` needs no server" },
    { name = "provider", value = "NAME", help = "the model server by its name: " .. provider.shipped_names() },
    { name = "endpoint", value = "URL", help = "the OpenAI-compatible server by its address" },
    { name = "set", value = "KEY=VALUE", repeated = true, help = "any configuration key" },
    { name = "desktop", value = "WHERE", help = "current, private or private:WIDTHxHEIGHT" },
    { name = "runs", value = "DIR", help = "where run directories are kept (default: runs)" },
    { name = "answers", value = "FILE", help = "answers to what a person would be asked: lines QUESTION = ANSWER" },
    { name = "json", help = "print one JSON object on standard output at the end" },
    { name = "verbose", short = "v", help = "also show what the personas say" },
    { name = "quiet", short = "q", help = "show only the end" },
  },
  details = ([[
MISSION is a file, or the name of one that ships: %s.

  deskpilot run calculator --model literal                  no model server is needed
  deskpilot run calculator --provider ollama --model NAME
  deskpilot run mine.lua --desktop private --set limits.turns=20
  deskpilot run rename -- ~/Pictures/harbour                what follows -- is for the mission: m.args

Exit status 0: it succeeded; 1: it ran and did not succeed; 2: the mission, the command line or the configuration is
wrong; 3: the machine lacks something (a display, a model server); 130: interrupted.]]):format(shipped_missions()),
}

local status_of = { succeeded = 0, failed = 1, incomplete = 1, error = 1, interrupted = 130 }

-- Everything about a run that fails before it begins says so in one sentence.
local function refuse(options, status, err)
  io.stderr:write("deskpilot: ", tostring(err), "\n")
  if options.json then
    io.stdout:write(json.encode { status = status == 130 and "interrupted" or "error", reason = tostring(err),
      turns = 0, actions = 0, seconds = 0, run_dir = json.null,
      model = { calls = 0, input_tokens = 0, output_tokens = 0 } }, "\n")
  end
  return status
end

--- Called instead of run() when the command line cannot be read: --json holds all the same.
---@param why string
---@param words string[]
---@return integer status
function command.refused(why, words)
  local json_wanted = (" " .. table.concat(words, " ") .. " "):find(" --json ", 1, true) ~= nil
  return refuse({ json = json_wanted }, 2, why)
end

-- The emergency-stop hotkey as the configuration has it without the mission, whose file is a program too, and so are
-- tools and guards.
local function start_hotkey(combo)
  local hotkey = stop_hotkey.new(stop_hotkey.problem(combo) and "" or combo)
  hotkey:watch()
  return hotkey
end

-- The same as the mission has it.
local function change_hotkey(hotkey, combo)
  local problem = stop_hotkey.problem(combo)
  if problem then return nil, problem end
  if hotkey.combo == combo then return hotkey end
  hotkey:close()
  hotkey = stop_hotkey.new(combo)
  hotkey:watch()
  return hotkey
end

-- Where the run works, and whether it can work there.
local function place(plan, options)
  local desktop = plan.mission.desktop
  if desktop and desktop.apps and not options.desktop and not desktop.kind then
    plan.config:set("desktop.kind", platform.apps_desktop, "mission")
  end
  if plan.mission.task and plan.config:get "desktop.kind" == "private" and platform.private_limits then
    return errors.fail("unsupported", "an agent cannot work on a private desktop here, which is %s; use --desktop "
      .. "current", platform.private_limits)
  end
  return plan
end

-- The mission, the configuration with what it says, and the policy that a task needs.
local function read_mission(settings, sources, source, where)
  local mission, err = require "deskpilot.agent.mission".read(source, where, settings.keys:words())
  if not mission then return nil, err end
  table.insert(sources.layers, require "deskpilot.agent.mission".layer(mission, where))
  local policy, resolved
  if mission.task then
    local name, origin = settings:peek(sources, "policy")
    policy, err = settings:load("policies", name)
    if not policy and errors.is(err, "not_found") then
      return errors.fail(err.code, "%s (from %s)", tostring(err), origin)
    end
    if not policy then return nil, err end
  end
  resolved, err = settings:resolve(sources)
  if not resolved then return nil, err end
  return mission, resolved, policy
end

-- Who answers what a person is asked.
local function answerers(options)
  local list = { asking.person }
  if options.answers then
    local file, err = asking.file(options.answers)
    if not file then return nil, err end
    table.insert(list, 1, file)
  end
  return list
end

-- What a run needs to know before anything is touched: the mission, and everything that has options.
local function resolve(options, name)
  local folders = { project_folder = lookup.project_folder(uv.cwd()), user_folder = files.user_config_folder() }
  local source, where, mission_folder = lookup.mission(name, folders)
  if not source then return nil, where end
  local flag_layer, err = flags.layer(options)
  if not flag_layer then return nil, err end
  local project, user
  project, user, err = config_files.read(folders.project_folder, folders.user_folder)
  if not project then return nil, err end

  folders.mission_folder = mission_folder
  lookup.set_roots(folders)
  local settings = settings_module.new()
  local sources = { layers = settings_module.file_layers(project, user, folders), flags = flag_layer }
  local hotkey = start_hotkey(settings:peek(sources, "safety.stop_hotkey"))
  local plan = { hotkey = hotkey, folder = mission_folder, file = { path = where, sha256 = system.sha256(source) },
    name = select(2, files.split(where)):gsub("%.lua$", "") }
  for _, kind in ipairs { "tools", "guards" } do
    plan[kind], err = settings:load_all(kind)
    if not plan[kind] then return nil, err end
  end
  plan.mission, plan.config, plan.policy = read_mission(settings, sources, source, where)
  if not plan.mission then return nil, plan.config end
  plan.hotkey, err = change_hotkey(hotkey, plan.config:get "safety.stop_hotkey")
  if not plan.hotkey then return nil, err end
  plan.answerers, err = answerers(options)
  if not plan.answerers then return nil, err end
  return place(plan, options)
end

-- What a model client needs to know: of the run's model, or of a persona's `own`.
local function model_options(settings, own)
  local endpoint = settings:get "model.endpoint"
  local key, from = own.api_key, own.api_key_from
  -- Whoever is asked elsewhere is not shown the key.
  if not key and (own.endpoint or endpoint) == endpoint then key, from = settings:secret "model.api_key_file" end
  return { endpoint = own.endpoint or endpoint, model = own.model or settings:get "model.name", api_key = key,
    api_key_from = from, api_key_option = own.api_key_option, timeout = settings:get "model.timeout",
    connect_timeout = settings:get "model.connect_timeout", retries = settings:get "model.retries" }
end

-- What the clients need to know of the run's model (as "") and of the personas' that have one of their own.
local function all_model_options(settings)
  local all = { [""] = model_options(settings, {}) }
  for name, own in pairs(settings:get "personas") do
    for field, value in pairs(own) do
      if value == "" then own[field] = nil end
    end
    own.api_key_option = ("personas.%s.api_key_file"):format(name)
    own.api_key, own.api_key_from = settings:secret(own.api_key_option)
    if own.model or own.endpoint or own.api_key then all[name] = model_options(settings, own) end
  end
  return all
end

-- The model of the run, and those of the personas that have one of their own.
local function open_models(all)
  local model, personas = nil, {}
  for name, options in pairs(all) do
    local opened, err = require "deskpilot.model.client".new(options)
    if not opened then
      return errors.fail(err.code, "%s%s", name == "" and "" or ("personas.%s: "):format(name), tostring(err))
    end
    if name == "" then model = opened else personas[name] = opened end
  end
  return model, personas
end

-- The models that the policy's personas ask, by "" or the persona's name, without those that it can do without.
local function asked_models(policy, all)
  local asked, shares = {}, next(policy.personas or {}) == nil
  for name, persona in pairs(policy.personas or {}) do
    if not persona.optional and all[name] then asked[#asked + 1] = name end
    shares = shares or not persona.optional and not all[name]
  end
  table.sort(asked)
  if shares then table.insert(asked, 1, "") end
  return asked
end

-- Whether the models are there, before anybody waits for a desktop. A script asks one when it comes to it, if ever.
local function probe_models(plan)
  if not plan.policy then return true end
  for _, name in ipairs(asked_models(plan.policy, plan.models)) do
    local ok, err = require "deskpilot.model.probe".check(plan.models[name])
    if not ok then
      return errors.fail(err.code, "%s%s", name == "" and "" or ("the persona %s: "):format(name), tostring(err))
    end
  end
  return true
end

-- What a run is made of, loaded and checked before anything is touched.
local function prepare(plan)
  local parts = { mission = plan.mission, config = plan.config, name = plan.name, folder = plan.folder,
    file = plan.file, answerers = plan.answerers, listeners = {}, args = plan.args, open_model = function(own)
      return require "deskpilot.model.client".new(model_options(plan.config, own))
    end }
  local err
  parts.toolbox, err = require "deskpilot.agent.toolbox".new(plan.tools, plan.config)
  if not parts.toolbox then return nil, err end
  local _, problems = require "deskpilot.desk.app.profiles".load()
  if problems[1] then return nil, problems[1] end
  plan.models = all_model_options(plan.config)
  parts.model, parts.models = open_models(plan.models)
  if not parts.model then return nil, parts.models end
  parts.listeners = require "deskpilot.agent.hooks".entries(plan.mission)
  for _, guard in ipairs(plan.guards) do
    table.insert(parts.listeners, { name = "the guard " .. guard.name, listener = guard.plugin })
  end
  return parts
end

local app_wait = 15 -- seconds for an application of the mission's to show its window

-- Starts or finds the desktop. Closed by the returned function, which waits.
local function open_desktop(plan)
  local desktop = plan.mission.desktop or {}
  local size = { plan.config:get("desktop.width"), plan.config:get("desktop.height") }
  local session, err
  local where = {}
  if plan.config:get("desktop.kind") == "private" then
    session, err = require "deskpilot.desk.private.session".start { size = size, apps = desktop.apps or {},
      env = desktop.env }
    if not session then return nil, err end
    plan.hotkey:watch_private(session)
    where = { display = session.display, bus = session.bus_address, session = session }
  end
  local desk, failure = require "deskpilot.desk".open(where)
  if not desk then
    if session then session:stop() end
    return nil, failure
  end
  if not session and desktop.apps then
    for _, app in ipairs(desktop.apps) do
      local started, why = desk.apps.start { env = desktop.env, wait = app_wait, table.unpack(app) }
      if not started then
        desk:close()
        return nil, why
      end
    end
  end
  return desk, function()
    desk:close()
    if session then session:stop() end
  end
end

local function perform(plan, parts, options)
  local dir, err = require "deskpilot.agent.rundir".create(plan.config:get("runs.dir"), plan.name,
    plan.config:get("safety.min_free_mb") * 2 ^ 20 // 1)
  if not dir then return nil, err end
  local journal, failure = require "deskpilot.agent.journal".open(dir.path)
  if not journal then return nil, failure end
  local old_runs = require "deskpilot.agent.old_runs"
  local release <close> = setmetatable({}, { __close = old_runs.hold(dir.path) })
  assert(release)
  parts.dir = dir
  parts.desktop = plan.config:get("desktop.kind")
  table.insert(parts.listeners, { name = "the journal", listener = journal, essential = true })
  table.insert(parts.listeners, { name = "the progress display",
    listener = require "deskpilot.cli.progress".new {
      level = options.quiet and "quiet" or options.verbose and "verbose" or "normal" } })
  if plan.hotkey.failure then
    table.insert(parts.listeners, { name = "the emergency-stop hotkey", listener = { run_start = function(run)
      run:note(("the emergency-stop hotkey %s is not watched: %s"):format(plan.hotkey.combo,
        tostring(plan.hotkey.failure)))
    end } })
  end
  local limits = parts.desktop == "current" and platform.session_limits()
  if limits then
    table.insert(parts.listeners, { name = "the session", listener = { run_start = function(run)
      run:note(("%s: %s"):format(limits.name, limits.detail))
    end } })
  end
  table.insert(parts.listeners, { name = "runs.keep", listener = { run_start = function(run)
    local base, own = files.split(dir.path)
    local removed = old_runs.tidy(base, { count = run.config:get "runs.keep_count",
      days = run.config:get "runs.keep_days", megabytes = run.config:get "runs.keep_mb" }, own)
    if removed then run:note(removed) end
  end } })
  local run = require "deskpilot.agent.run".new(parts)
  plan.run = run
  require "deskpilot.agent.loop".execute(run)
  journal.close()
  return require "deskpilot.agent.export".write(dir.path, run.outcome)
end

local function work(options, name, plan_out)
  if options.json then -- standard output is for the one object, whatever a mission prints
    io.output(io.stderr)
    print = function(...) -- luacheck: ignore
      local words = table.pack(...)
      for i = 1, words.n do words[i] = tostring(words[i]) end
      io.stderr:write(table.concat(words, "\t"), "\n")
    end
  end
  local plan, err = resolve(options, name)
  if not plan then return refuse(options, 2, err) end
  plan.args = options.arguments
  local parts, failure = prepare(plan)
  if not parts then return refuse(options, 2, failure) end
  local there, missing = probe_models(plan)
  if not there then return refuse(options, 3, missing) end
  local desk, close = open_desktop(plan)
  if not desk then return refuse(options, 3, close) end
  plan_out.close = close
  parts.desk = desk
  plan_out.plan = plan
  local result
  result, err = perform(plan, parts, options)
  plan_out.close = nil
  close()
  if not result then return refuse(options, 3, err) end
  if options.json then io.stdout:write(json.encode(result), "\n") end
  return plan.run.outcome.missing and 3 or status_of[result.status] or 1
end

-- The run that goes on, for interrupted(); a process runs one mission.
local state = {}

--- On Ctrl+C and its kin: the run ends as interrupted, wherever it is, and is written down.
---@param signal string
---@return boolean handled
function command.interrupted(signal)
  local run = state.plan and state.plan.run
  local why = "stopped by " .. task.signal_name(signal)
  if run and run.outcome and run.outcome.status == "interrupted" then
    return true -- a busy script was stopped on the spot, and the run is being written down already
  elseif run and run.body and run.body:ended() then
    state.job:cancel(why) -- a hook of the mission's that comes after the end
  elseif run then
    run:abort("interrupted", why)
  elseif state.job then
    state.job:cancel(why)
  end
  return true
end

--- Runs the mission named on the command line.
---@param options table as parsed from command.options
---@param positional string[]
---@return integer status the exit status (docs/missions.md)
function command.run(options, positional)
  if #positional == 0 then
    return refuse(options, 2, "run needs a mission, a file or the name of one that ships: deskpilot run calculator")
  elseif #positional > 1 then
    return refuse(options, 2, ("run takes one mission, not %s; what is for the mission stands after --"):format(
      table.concat(positional, " and ")))
  end
  state.job = task.start(function()
    task.sleep(0) -- from here on resumed by the loop, so that an interruption ends this task alone
    return work(options, positional[1], state)
  end)
  local ok, status = state.job:wait()
  if ok then return status end
  if state.close then state.close() end
  if errors.is(status, "cancelled") then return refuse(options, 130, status) end
  return refuse(options, 2, status)
end

return command
