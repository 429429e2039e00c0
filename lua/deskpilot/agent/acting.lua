--- Actions: a call becomes the act of a tool, which listeners, people and the tool itself may refuse; then the screen
--- settles. What the functions take and give is said where a run has them (agent/run.lua).
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local act_record = require "deskpilot.agent.act_record"
local action_target = require "deskpilot.agent.action_target"
local changed_screen = require "deskpilot.agent.changed_screen"
local listeners = require "deskpilot.agent.listeners"
local observation = require "deskpilot.agent.observation"
local pace = require "deskpilot.agent.pace"
local pictures = require "deskpilot.agent.pictures"
local questions = require "deskpilot.agent.questions"
local retrying = require "deskpilot.agent.retrying"
local toolbox = require "deskpilot.agent.toolbox"

local acting = {}

local function finish_action(run, action, ok, result, extra)
  local event = extra or {}
  event.tool, event.args, event.action = action.tool, action.args, action
  event.ok, event.text = ok, result
  local justification = action.args.justification
  local tool = run.toolbox:get(action.tool)
  run.history:add_action(run.turn, { tool = action.tool, args = action.args, ok = ok, text = result,
    tells = tool and tool.tells, element = event.element,
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

-- What changes come late after is learned of acts of a kind: by the tool, and the role of what it acts on.
local function kind_of(action, hit)
  local role = hit and hit.element and hit.element.role
  return role and action.tool .. " " .. role or action.tool
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
  local same, stale = changed_screen.check(run, { tool = action.tool, args = args, persona = call.persona,
    observation = call.observation, compared = call.compared })
  if not same then return nil, stale end
  if run.journal and toolbox.lasts(run.toolbox:get(action.tool), args) then
    local safe, why = pcall(run.journal.secure)
    if not safe then return errors.fail("io", "not done, because %s", tostring(why)) end
  end
  if run.config:get "timing.settle_by_cause" then run.desk.timing.settle_by_cause = true end
  local tool = run.toolbox:get(action.tool)
  local records = tool and tool.acts ~= false
  local function record()
    if records then ctx.hit, ctx.hit_element = act_record.before(run, action) end
    records = false
    return kind_of(action, ctx.hit)
  end
  run.desk.act = action
  run.desk.pending_work:begin(record)
  record() -- where nothing is asked
  action_target.begin(action, listeners.mission_hears(run, "action_result"))
  local result, err, attempts = retrying.run(run, { tool = action.tool, toolbox = call.toolbox,
    observation = ctx.observation }, args, function() return run_tool(run, action, call, ctx, args) end)
  if not result then return nil, err, attempts end
  result, err = pictures.keep_all(run, result, ("screenshots/action_%04d"):format(run.actions))
  return result, err, attempts
end

-- A model that reads of the attempts does not begin the same series once more.
local function with_attempts(words, ok, attempts)
  if attempts == 1 then return words end
  return ("%s (%s %d attempts)"):format(words, ok and "after" or "failed in", attempts)
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

-- Whether a look at the elements follows a settle, with nothing in between that could change them: a script looks where
-- it wants to, and what a hook of somebody's own does is not known.
local function looks_next(run)
  if not run.goal.thinks or not run.config:get "observe.elements" then return false end
  for _, name in ipairs { "settled", "turn_end", "turn_start" } do
    if listeners.own_file_hears(run, name) then return false end
  end
  return true
end

-- `hit` and `element`: what the action has hit (act_record.before).
local function settle(run, hit, element)
  local how = { quiet = pace.set(run, "settle_quiet"), cap = pace.set(run, "settle_cap"),
    floor = pace.get(run, "settle_floor"), elements = looks_next(run) }
  local began = task.now()
  local settled, err = run.desk.settle(how)
  if wait_for_page(run) then settled, err = run.desk.settle(how) end
  settled = settled or { reason = "unknown: " .. tostring(err) }
  settled.seconds = task.now() - began
  run:emit("settled", { seconds = settled.seconds, reason = settled.reason, unknown = settled.unknown,
    after = act_record.after(run, hit, element) })
end

--- See run:settle.
function acting.settle(run)
  settle(run)
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
  local result, err, attempts = perform(run, action, call, ctx)
  local ok = result ~= nil
  local words = with_attempts(result and result.text or tostring(err), ok, attempts or 1)
  result = result or {}
  if type(action.args) ~= "table" then action.args = {} end
  show_next(run, result.pictures or {}, action.tool)
  finish_action(run, action, ok, words, { seconds = task.now() - began, data = result.data,
    pictures = pictures.paths(result.pictures or {}), code = err and err.code, ignored = action.ignored,
    attempts = attempts ~= 1 and attempts or nil,
    hit = ctx.hit, element = ctx.element, point = ctx.point or action.args.position or action.args["end"] })
  local tool = run.toolbox:get(action.tool)
  if not action.veto and tool and tool.acts ~= false then
    settle(run, ok and ctx.hit, ctx.hit_element)
    run.acted = task.now()
  end
  return { ok = ok, text = words, code = err and err.code, vetoed = action.veto ~= nil,
    tried = attempts ~= nil, data = result.data,
    pictures = result.pictures, hit = ctx.hit }
end

return acting
