--- What the commands that run a mission share (run, resume, fork, rerun): from the order to its debrief.
local terminal = require "deskpilot.cli.terminal"
local asking = require "deskpilot.cli.asking"
local config_files = require "deskpilot.base.config_files"
local environment = require "deskpilot.desk.platform.environment"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local flags = require "deskpilot.cli.flags"
local hold = require "deskpilot.cli.hold"
local json = require "deskpilot.base.json"
local lookup = require "deskpilot.base.lookup"
local platform = require "deskpilot.desk.platform"
local provider = require "deskpilot.model.provider"
local run_models = require "deskpilot.cli.run_models"
local settings_module = require "deskpilot.cli.settings"
local stop_hotkey = require "deskpilot.cli.stop_hotkey"
local system = require "native.system"
local task = require "deskpilot.base.task"
local trust = require "deskpilot.base.trust"

local running = {}

--- What is to be run, and how.
---@class deskpilot.cli.order
---@field name string? the mission as the command line names it
---@field source { text: string, where: string, folder: string?, name: string, inside: boolean? }? in place of `name`;
---  inside: a text of deskpilot's own and of no file
---@field flags table<string, any>? what a command line has said before; the present one is stronger
---@field args string[]? for the mission: m.args
---@field journal string? of the run before, from which some of this comes
---@field runs string? where the run's folder is made, unless the command line says so
---@field past deskpilot.past? what the run goes on from
---@field change fun(plan: table)? changes the plan before anything is touched
---@field desk (fun(plan: table): deskpilot.desk?, function|deskpilot.error)? opens another desktop
---@field say string? a line for the user before it begins

--- The options of every command that runs a mission.
running.options = {
  { name = "policy", value = "NAME", help = "how the agent thinks (default: the mission's, or three_body)" },
  { name = "model", value = "NAME",
    help = "the model asked for; `literal` needs no server, `replay:RUN` answers as it did in that run" },
  { name = "provider", value = "NAME", help = "the model server by its name: " .. provider.shipped_names() },
  { name = "endpoint", value = "URL", help = "the model server by its address" },
  { name = "wire", value = "NAME", help = "the protocol that it speaks: chat, responses, anthropic or gemini" },
  { name = "set", value = "KEY=VALUE", repeated = true, help = "any configuration key" },
  { name = "desktop", value = "WHERE", help = "current, private or private:WIDTHxHEIGHT" },
  { name = "runs", value = "DIR", help = "where run directories are kept (default: runs)" },
  hold.option,
  { name = "accept-claims", help = "take the agent's word where a mission has no verify: exit status 0 for claimed" },
  { name = "heal", help = "an exported mission asks a model for a step whose target is gone" },
  { name = "answers", value = "FILE", help = "answers to what a person would be asked: lines QUESTION = ANSWER" },
  { name = "live", help = "serve a page to watch and control the run, and take orders by keys (docs/live.md)" },
  { name = "reload", help = "take an edited policy, tool, guard or profile at the next turn" },
  { name = "json", help = "print one JSON object on standard output at the end" },
  { name = "verbose", short = "v", help = "also show what the personas say" },
  { name = "quiet", short = "q", help = "show only the end" },
}

--- What their exit status means, for --help.
running.statuses = [[
Exit status 0: it succeeded; 1: it ran and did not succeed, or nothing has checked what the agent claims; 2: the
mission, the command line or the configuration is wrong; 3: the machine lacks something (a display, a model server);
130: interrupted.]]

local status_of = { succeeded = 0, failed = 1, incomplete = 1, error = 1, interrupted = 130 }

--- Everything about a run that fails before it begins says so in one sentence.
---@param options table
---@param status integer
---@param err any
---@return integer status
function running.refuse(options, status, err)
  terminal.complain(tostring(err))
  if options.json then
    terminal.put_json { status = status == 130 and "interrupted" or "error", reason = tostring(err),
      turns = 0, actions = 0, seconds = 0, run_dir = json.null,
      model = { calls = 0, input_tokens = 0, output_tokens = 0 } }
  end
  return status
end

--- Called instead of run() when the command line cannot be read: --json holds all the same.
---@param why string
---@param words string[]
---@return integer status
function running.refused(why, words)
  local json_wanted = (" " .. table.concat(words, " ") .. " "):find(" --json ", 1, true) ~= nil
  return running.refuse({ json = json_wanted }, 2, why)
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

-- The flags of the command line, and those of another run where the command line is silent.
local function flag_layer(options, order)
  local layer, err = flags.layer(options)
  if not layer then return nil, err end
  local instead = { ["model.endpoint"] = "model.provider", ["model.provider"] = "model.endpoint" }
  for key, value in pairs(order.flags or {}) do
    if layer.values[key] == nil and not (instead[key] and layer.values[instead[key]] ~= nil) then
      layer.values[key], layer.origins[key] = value, "the run before"
    end
  end
  if order.runs and not options.runs then
    layer.values["runs.dir"], layer.origins["runs.dir"] = order.runs, "the run before"
  end
  return layer
end

-- The flags as a later run may take them over: none with a password in it.
local function lasting(values)
  local kept = {}
  for key, value in pairs(values) do
    local secret = type(value) == "string" and value:find("://[^/]*@")
    if not secret and type(value) ~= "table" then kept[key] = value end
  end
  return next(kept) and kept or nil
end

-- The mission's text, the name of its file, its folder and its name.
local function find_mission(order, folders)
  local given = order.source
  for _, path in ipairs { given and not given.inside and given.where or nil, order.journal } do
    local ok, err = trust.check(path)
    if not ok then return nil, err end
  end
  if given then return given.text, given.where, given.folder, given.name end
  local source, where, folder = lookup.mission(order.name, folders)
  if not source then return nil, where end
  return source, where, folder, (select(2, files.split(where)):gsub("%.lua$", ""))
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
local function resolve(options, order)
  local layer, err = flag_layer(options, order)
  if not layer then return nil, err end
  local found, failure = config_files.read(layer)
  if failure then return nil, failure end
  local source, where, mission_folder, name = find_mission(order, found)
  if not source then return nil, where end
  local placed, misplaced = config_files.search(found, mission_folder)
  if not placed then return nil, misplaced end
  local settings = settings_module.new()
  local sources = { layers = settings_module.file_layers(found), flags = layer }
  local hotkey = start_hotkey(settings:peek(sources, "safety.stop_hotkey"))
  local plan = { hotkey = hotkey, folder = mission_folder, name = name, source = source, past = order.past,
    args = order.args, flags = lasting(layer.values), before = order.journal and (files.split(order.journal)),
    file = { path = where, sha256 = system.sha256(source), folder = mission_folder } }
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
  if order.change then
    local ok, why = order.change(plan)
    if not ok then return nil, why end
  end
  return place(plan, options)
end

-- What a run is made of, loaded and checked before anything is touched.
local function prepare(plan)
  local parts = { mission = plan.mission, config = plan.config, name = plan.name, folder = plan.folder,
    file = plan.file, flags = plan.flags, past = plan.past, parent = plan.parent,
    recording = plan.recording, args = plan.args, answerers = plan.answerers }
  local err
  parts.toolbox, err = require "deskpilot.agent.toolbox".new(plan.tools, plan.config)
  if not parts.toolbox then return nil, err end
  if plan.recording then parts.toolbox = plan.recording:toolbox(parts.toolbox) end
  local allowed, refused = environment.named(plan.config:get "desktop.pass_env")
  if not allowed then return nil, refused end
  local _, problems = require "deskpilot.desk.app.profiles".load()
  if problems[1] then return nil, problems[1] end
  plan.models, err = run_models.options(plan.config)
  if not plan.models then return nil, err end
  parts.model, parts.models = run_models.open(plan.models)
  if not parts.model then return nil, parts.models end
  local servers, wrong = require "deskpilot.agent.mcp_options".of(plan.config)
  if not servers then return nil, wrong end
  parts.open_model = function(own) return run_models.another(plan.config, parts.model, own) end
  parts.listeners = require "deskpilot.agent.hooks".entries(plan.mission)
  local wanted = #servers > 0 and not (plan.recording or plan.no_servers)
  local mcp = wanted and require "deskpilot.agent.mcp".listener(servers)
  if mcp then table.insert(parts.listeners, { name = "the MCP servers", listener = mcp }) end
  for _, guard in ipairs(plan.guards) do
    table.insert(parts.listeners, { name = "the guard " .. guard.name, listener = guard.plugin })
  end
  table.move(plan.listeners or {}, 1, #(plan.listeners or {}), #parts.listeners + 1, parts.listeners)
  return parts
end

local app_wait = 15 -- seconds for an application of the mission's to show its window

-- Starts or finds the desktop. Closed by the returned function, which waits.
local function open_desktop(plan)
  local desktop = plan.mission.desktop or {}
  local size = { plan.config:get("desktop.width"), plan.config:get("desktop.height") }
  local session, err
  local env = environment.named(plan.config:get "desktop.pass_env")
  local where = { env = env }
  if plan.config:get("desktop.kind") == "private" then
    for name, value in pairs(desktop.env or {}) do env[name] = value end
    session, err = require "deskpilot.desk.private.session".start { size = size, apps = desktop.apps or {},
      env = env }
    if not session then return nil, err end
    plan.hotkey:watch_private(session)
    where = { display = session.display, bus = session.bus_address, session = session }
  end
  local desk, failure = require "deskpilot.desk".open(where)
  if not desk then
    if session then session:stop() end
    return nil, failure
  end
  desk:watch() -- from here on it is known how long windows have been drawn; where that cannot be told, waiting says so
  if not session then
    local function take() return hold.take(desk, ("the run %q"):format(plan.name), plan.config:get "desktop.shared") end
    local held, why, other = take()
    if not held then
      desk:close()
      return nil, why
    end
    plan.beside = other
    desk.reconnected = function()
      local again, refused = take()
      if again then plan.hotkey:watch_again() end
      return again, refused
    end
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

-- The exit status of a run that has ended so.
local function status_for(outcome, config)
  if outcome.missing then return 3 end
  if outcome.status == "claimed" then return config:get "accept_claims" and 0 or 1 end
  return status_of[outcome.status] or 1
end

local function perform(plan, parts, options)
  local dir, err = require "deskpilot.agent.rundir".create(plan.config:get("runs.dir"), plan.name,
    plan.config:get("safety.min_free_mb") * 2 ^ 20 // 1)
  if not dir then return nil, err end
  local kept, problem = dir:save("mission.lua", plan.source) -- what a run goes on with that continues this one
  if not kept then return nil, problem end
  local journal, failure = require "deskpilot.agent.journal".open(dir.path)
  if not journal then return nil, failure end
  local closing <close> = setmetatable({}, { __close = journal.close })
  assert(closing)
  parts.dir, parts.journal = dir, journal
  parts.desktop = plan.config:get("desktop.kind")
  if options.reload then
    parts.reloading = require "deskpilot.agent.reloading".new(function(path, key)
      local words = files.read(path)
      return words and require "deskpilot.cli.source_lines".of(words, key)
    end, require "deskpilot.cli.placeholders".problems)
  end
  table.insert(parts.listeners, { name = "the journal", listener = journal, essential = true })
  table.insert(parts.listeners, { name = "the trajectory",
    listener = require "deskpilot.agent.trajectory".saver(dir) })
  table.insert(parts.listeners, { name = "the progress display",
    listener = require "deskpilot.cli.progress".new {
      level = options.quiet and "quiet" or options.verbose and "verbose" or "normal" } })
  if plan.hotkey.failure and not plan.recording then
    table.insert(parts.listeners, { name = "the emergency-stop hotkey", listener = { run_start = function(run)
      run:note(("the emergency-stop hotkey %s is not watched: %s"):format(plan.hotkey.combo,
        tostring(plan.hotkey.failure)))
    end } })
  end
  if plan.beside then
    table.insert(parts.listeners, { name = "the desktop's holder", listener = { run_start = function(run)
      run:note("this desktop is shared: it is also in use by " .. plan.beside)
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
    local removed = require "deskpilot.agent.old_runs".tidy(base, { count = run.config:get "runs.keep_count",
      days = run.config:get "runs.keep_days", megabytes = run.config:get "runs.keep_mb" }, own)
    if removed then run:note(removed) end
  end } })
  local page
  if options.live then
    page, failure = require "deskpilot.cli.live".begin(parts, dir, plan.before)
    if not page then return nil, failure end
  end
  local run = require "deskpilot.agent.run".new(parts)
  plan.run = run
  local last, unwatched = require "deskpilot.agent.last_words".open(run, journal.writer, {
    status = function(outcome) return status_for(outcome, plan.config) end,
    clean = terminal.line, json = options.json })
  if not last then return nil, unwatched end
  plan.last_words = last
  table.insert(parts.listeners, 1, { name = "the watchdog", listener = last.listener })
  local loop = require "deskpilot.agent.loop"
  require "native.shipped".give_back() -- a megabyte of modules, which are loaded by now
  loop.execute(run)
  local result, why = require "deskpilot.agent.export".write(dir.path, run.outcome)
  if result then last:written(result) end
  journal.close()
  if page then page.server:stop() end
  if why then terminal.complain(why) end
  return result
end

local function work(options, order, plan_out)
  if options.json then -- standard output is for the one object, whatever a mission prints
    io.output(io.stderr)
    terminal.install(io.stderr)
  end
  if order.say then terminal.note(order.say, "\n") end
  local plan, err = resolve(options, order)
  if not plan then return running.refuse(options, 2, err) end
  local parts, failure = prepare(plan)
  if not parts then return running.refuse(options, 2, failure) end
  local there, missing = run_models.probe(plan)
  if not there then return running.refuse(options, 3, missing) end
  local desk, close = (order.desk or open_desktop)(plan)
  if not desk then return running.refuse(options, 3, close) end
  plan_out.close = close
  parts.desk = desk
  plan_out.plan = plan
  local result
  result, err = perform(plan, parts, options)
  plan_out.close = nil
  close()
  if plan.last_words then plan.last_words:close() end
  if not result then return running.refuse(options, 3, err) end
  if options.json then terminal.put_json(result) end
  return status_for({ status = result.status, missing = plan.run.outcome.missing }, plan.config)
end

-- The run that goes on, for interrupted(); a process runs one mission.
local state = {}

--- On Ctrl+C and its kin: the run ends as interrupted, wherever it is, and is written down.
---@param signal string
---@return boolean handled
function running.interrupted(signal)
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

--- Runs what is ordered, from the reading of its files to its end.
---@param options table as parsed from running.options
---@param find fun(): deskpilot.cli.order?, deskpilot.error? what is to be run; may wait
---@return integer status the exit status (docs/missions.md)
function running.start(options, find)
  -- A run lives long: with Lua's own 200 % what is no longer used takes as much memory as the rest. With 130 % it takes
  -- a megabyte less than so, and a run in a browser a seventh more of the processor's time.
  collectgarbage("incremental", 160)
  state.job = task.start(function()
    task.sleep(0) -- from here on resumed by the loop, so that an interruption ends this task alone
    local order, err = find()
    if not order then return running.refuse(options, 2, err) end
    return work(options, order, state)
  end)
  local ok, status = state.job:wait()
  if ok then return status end
  if state.plan and state.plan.last_words then state.plan.last_words:close() end
  if state.close then state.close() end
  if errors.is(status, "cancelled") then return running.refuse(options, 130, status) end
  return running.refuse(options, errors.no_memory(status) and 3 or 2, status)
end

return running
