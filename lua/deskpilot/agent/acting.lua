--- Actions: a call becomes the act of a tool, which listeners, people and the tool itself may refuse; then the screen
--- settles. What the functions take and give is said where a run has them (agent/run.lua).
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local action_target = require "deskpilot.agent.action_target"
local listeners = require "deskpilot.agent.listeners"
local observation = require "deskpilot.agent.observation"
local pace = require "deskpilot.agent.pace"
local pictures = require "deskpilot.agent.pictures"
local questions = require "deskpilot.agent.questions"
local toolbox = require "deskpilot.agent.toolbox"

local acting = {}

local function finish_action(run, action, ok, result, extra)
  local event = extra or {}
  event.tool, event.args, event.action = action.tool, action.args, action
  event.ok, event.text = ok, result
  local justification = action.args.justification
  run.history:add_action(run.turn, { tool = action.tool, args = action.args, ok = ok, text = result,
    why = type(justification) == "string" and justification or action.why })
  return run:emit("action_result", event)
end

--- See run:reject.
function acting.reject(run, tool, args, why)
  run.actions = run.actions + 1
  local action = run:emit("action", { tool = tool, args = args, rejected = true })
  finish_action(run, action, false, why)
  return { ok = false, text = why }
end

-- What a tool is given besides its arguments.
local function context(run, call)
  return { desk = run.desk, run = run, config = run.config, observation = call.observation or run.observation }
end

-- Told once in a run: a model that adds something does so each time. Each action has it in its event.
local function note_ignored(run, action, ignored)
  action.ignored = ignored
  local words = ("%s: left out what the tool does not know: %s"):format(action.tool, table.concat(ignored, ", "))
  if not run.noted[words] then run:note(words) end
  run.noted[words] = true
end

-- While a tool runs, what is done on the desktop is the agent's; what hooks do before and after it is not.
local function run_tool(run, action, call, ctx, args)
  local before = run.acting
  run.acting = true
  local over <close> = setmetatable({}, { __close = function() run.acting = before end })
  assert(over)
  return (call.toolbox or run.toolbox):run(action.tool, ctx, args)
end

-- The arguments, with the caller's reason where the tool wants a justification and they have none.
local function justified(run, call)
  local tool, args = run.toolbox:get(call.tool), call.args
  if not (call.why and tool and type(args) == "table") or args.justification ~= nil then return args end
  if not tool.parameters.properties.justification then return args end
  local copy = { justification = call.why }
  for key, value in pairs(args) do copy[key] = value end
  return copy
end

--- See run:validate.
function acting.validate(run, call)
  return (call.toolbox or run.toolbox):validate(call.tool, justified(run, call), run)
end

--- See run:check.
function acting.check(run, call)
  local args, ignored = run:validate(call)
  if not args then return nil, ignored end
  local ok, why = (call.toolbox or run.toolbox):check(call.tool, context(run, call), args)
  if not ok then return nil, why end
  return args, ignored
end

local function perform(run, action, call, ctx)
  if type(action.args) ~= "table" then
    return errors.fail("invalid", "%s needs a table of arguments, not %s", tostring(action.tool), type(action.args))
  end
  if action.veto then
    return errors.fail("refused", "%s vetoed this: %s", action.vetoed_by, action.veto)
  end
  local args, ignored = run:check { tool = action.tool, args = action.args, observation = call.observation,
    why = call.why, toolbox = call.toolbox }
  if not args then return nil, ignored end
  action.args = args
  if #ignored > 0 then note_ignored(run, action, ignored) end
  local allowed, refusal = questions.allow_call(run, action.tool, args, call.why)
  if not allowed then return nil, refusal end
  if run.journal and toolbox.lasts(run.toolbox:get(action.tool), args) then
    local safe, why = pcall(run.journal.secure)
    if not safe then return errors.fail("io", "not done, because %s", tostring(why)) end
  end
  action_target.begin(action, listeners.mission_hears(run, "action_result"))
  local result, err = run_tool(run, action, call, ctx, args)
  if not result then return nil, err end
  return pictures.keep_all(run, result, ("screenshots/action_%04d"):format(run.actions))
end

-- A page that an action has sent elsewhere is quiet too while its server thinks: whether it was waited for.
local function wait_for_page(run)
  if not run.config:get("observe.page") then return false end
  local tab = observation.tab(run.desk, run.desk.windows.active())
  if not (tab and tab.loading) then return false end
  run.desk.wait_until(function() return not tab.loading or tab:dialog() end,
    { timeout = pace.get(run, "settle_page"), every = 0.02 })
  return true
end

--- See run:settle.
function acting.settle(run)
  local how = { quiet = pace.set(run, "settle_quiet"), cap = pace.set(run, "settle_cap"),
    floor = pace.get(run, "settle_floor") }
  local began = task.now()
  local settled, err = run.desk.settle(how)
  if wait_for_page(run) then settled, err = run.desk.settle(how) end
  settled = settled or { reason = "unknown: " .. tostring(err) }
  settled.seconds = task.now() - began
  run:emit("settled", { seconds = settled.seconds, reason = settled.reason })
end

-- What a tool has given to see goes with the next request for an action.
local function show_next(run, list, tool)
  for _, picture in ipairs(list) do
    picture.caption = picture.caption or ("A picture that %s has given:"):format(tool)
    run.goal.pictures = run.goal.pictures or {}
    table.insert(run.goal.pictures, picture)
  end
end

--- See run:act.
function acting.act(run, call)
  run.actions = run.actions + 1
  local began = task.now()
  local action = run:emit("action", action_target.attach(run, { tool = call.tool, args = call.args or {},
    persona = call.persona, why = call.why }, call))
  local ctx = context(run, call)
  local result, err = perform(run, action, call, ctx)
  local ok, words = result ~= nil, result and result.text or tostring(err)
  result = result or {}
  if type(action.args) ~= "table" then action.args = {} end
  show_next(run, result.pictures or {}, action.tool)
  finish_action(run, action, ok, words, { seconds = task.now() - began, data = result.data,
    pictures = pictures.paths(result.pictures or {}), code = err and err.code, ignored = action.ignored,
    element = ctx.element, point = ctx.point or action.args.position or action.args["end"] })
  local tool = run.toolbox:get(action.tool)
  if not action.veto and tool and tool.acts ~= false then
    run:settle()
    run.acted = task.now()
  end
  return { ok = ok, text = words, code = err and err.code, vetoed = action.veto ~= nil, data = result.data,
    pictures = result.pictures }
end

return acting
