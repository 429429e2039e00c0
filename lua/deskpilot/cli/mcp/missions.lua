--- What the tool `run` does. A mission is run by a deskpilot of its own, which has the same desktop, keeps a run of its
--- own, and is ended with the call. A task in words is worked on within the server's run, by its policy and model.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local lookup = require "deskpilot.base.lookup"
local text = require "deskpilot.base.text"
local uv = require "luv"

local missions = {}

local longest = 24 * 3600 -- seconds; a mission has limits of its own (limits.seconds)

-- The flags of the server that a mission is run with too.
local passed = { "policy", "model", "provider", "endpoint", "wire", "answers" }

local function argv_of(desktop, name, args)
  local options = desktop.options
  local argv = { os.getenv "DESKPILOT_BIN" or uv.exepath(), "run", name, "--json", "--shared", "--runs",
    files.absolute(desktop.run.config:get "runs.dir") }
  for _, flag in ipairs(passed) do
    if options[flag] then argv[#argv + 1], argv[#argv + 2] = "--" .. flag, options[flag] end
  end
  for _, word in ipairs(options.set or {}) do argv[#argv + 1], argv[#argv + 2] = "--set", word end
  argv[#argv + 1] = "--"
  return table.move(args or {}, 1, #(args or {}), #argv + 1, argv)
end

-- What deskpilot itself reads of its environment, which programs are not given otherwise.
local function environment()
  local env = {}
  for name, value in pairs(assert(uv.os_environ())) do
    local upper = name:upper()
    local own = text.starts(upper, "DESKPILOT_") or text.ends(upper, "API_KEY")
    if own or upper == "HOME" or text.starts(upper, "XDG_") then env[name] = value end
  end
  env.XDG_RUNTIME_DIR, env.XDG_SESSION_TYPE = nil, nil -- those of the desktop
  return env
end

-- A mission is looked up by its name: a client is not to run files.
local function known(desktop, name)
  if not name:find "^[%w_][%w_-]*$" then
    return errors.fail("invalid", "a mission is given by its name, which is no path: %s", text.cut(name, 60))
  end
  local found, err = lookup.mission(name, { project_folder = lookup.project_folder(),
    user_folder = files.user_config_folder() })
  if not found then return nil, err end
  if desktop.allowed then
    return errors.fail("refused", "a mission is not limited to the applications that --allow names; start the server "
      .. "without --allow to run missions through it")
  end
  return true
end

local function words_of(result)
  return ("%s: %s\n%d actions, %d turns, %.1f s; its run is deskpilot://runs/%s/journal.jsonl"):format(result.status,
    text.one_line(tostring(result.reason)), result.actions or 0, result.turns or 0, result.seconds or 0,
    select(2, files.split(tostring(result.run_dir))))
end

local function run_mission(desktop, call, name, args)
  local ok, err = known(desktop, name)
  if not ok then return nil, err end
  call.status = "the mission " .. name .. " is running"
  local argv = argv_of(desktop, name, args)
  argv.env, argv.timeout, argv.max_output, argv.cwd = environment(), longest, 1 << 20, uv.cwd()
  local done, why = desktop.run.desk.apps.run(argv)
  if not done then return nil, why end
  local result = json.decode(done.stdout)
  if type(result) ~= "table" or type(result.status) ~= "string" then
    return errors.fail("io", "the mission %s has ended with status %s; it said: %s", name, tostring(done.status),
      text.cut(text.one_line(text.trim(done.stderr)), 500))
  end
  if result.status ~= "succeeded" then return errors.fail("refused", "%s", words_of(result)) end
  return { text = words_of(result), structured = result }
end

local function run_task(desktop, call, words)
  call.status = "an agent is at work"
  local run = desktop.run
  local ok, reason = run:achieve(words, { accept_claims = true })
  if not ok then return errors.fail("refused", "not done: %s", tostring(reason)) end
  return ("done: %s"):format(tostring(reason))
end

--- Runs what a client has asked for.
---@param desktop deskpilot.mcp_desktop
---@param call deskpilot.mcp_call
---@param args { mission: string?, args: string[]?, task: string? }
---@return deskpilot.mcp_tool_result|string|nil result, deskpilot.error? err
function missions.run(desktop, call, args)
  if (args.mission ~= nil) == (args.task ~= nil) then
    return errors.fail("invalid", "run wants a mission or a task, one of the two")
  end
  if args.mission then return run_mission(desktop, call, args.mission, args.args) end
  return run_task(desktop, call, args.task)
end

return missions
