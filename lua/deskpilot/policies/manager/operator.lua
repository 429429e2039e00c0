--- The Operator: the worker that sees the screen and has mouse and keyboard. One action, or one call of `memorize`, in
--- a turn.
local asking = require "deskpilot.policies.manager.asking"
local loops = require "deskpilot.guards.loop_detection"
local notebook = require "deskpilot.agent.notebook"
local orders = require "deskpilot.policies.manager.orders"
local persona = require "deskpilot.agent.persona"

local operator = {}

--- The groups and names of the tools that it is offered, beside those that end its subtask.
operator.tools = { "pointing", "typing", "browser", "apps", "waiting", "looking", "user", "memorize", "recall" }

-- Whether this action and those before it are the same, `manager.repeats` times, whatever came of them: the Evaluator
-- looks whether anything did.
local function repeats(run, call)
  local s, most = run.state, run.config:get "manager.repeats"
  local shot = run.observation and run.observation.shot
  local now = loops.describe(call.name, call.args, shot and shot.frame)
  local before = s.same and loops.describe(s.same.tool, s.same.args, shot and shot.frame)
  local count = before and loops.same(now, before) and s.same.count + 1 or 1
  s.same = { tool = call.name, args = call.args, count = count }
  if count < most then return false end
  s.same = nil
  return true
end

-- What was memorized belongs to the subtask, in its order; of a call that has failed in part, what was kept.
local function note_items(run, subtask, items)
  local s = run.state
  s.gathered = s.gathered or {}
  local list, known = s.gathered[subtask.id] or {}, {}
  for _, name in ipairs(list) do known[name] = true end
  for _, item in ipairs(items) do
    if not known[item.name] and notebook.read(run.memory, item.name) then list[#list + 1] = item.name end
    known[item.name] = true
  end
  s.gathered[subtask.id] = list
end

--- Asks it once and does what it calls for.
---@param run deskpilot.run
---@param subtask deskpilot.manager.subtask
---@return string trigger, string why
function operator.step(run, subtask)
  local scope = persona.toolbox(run, operator.tools)
  local box = scope:with { orders.done_tool, orders.failed_tool }
  local names = scope:names()
  for _, tool in ipairs { orders.done_tool, orders.failed_tool } do names[#names + 1] = tool.name end
  local call = asking.call(run, "operator", { acts = true, toolbox = box, tools = names,
    system = persona.prompt "operator", brief = { mission = "THE USER'S TASK", own_orders = orders.words(subtask),
      memory = true, history = true, screen = true,
      notes = { orders.done_before(run) }, turn = true } })
  if run.outcome or not call then return "working", "the answer was of no use" end
  local trigger, why = orders.ended(subtask, call)
  if trigger then return trigger, why end
  run:act { tool = call.name, args = call.args, persona = "operator", toolbox = box }
  if run.outcome then return "working", "" end
  if call.name == "memorize" then note_items(run, subtask, call.args.items) end
  if repeats(run, call) then
    return "repeating", ("%s was called %d times in a row in the same way"):format(call.name,
      run.config:get "manager.repeats")
  end
  return "working", call.name
end

return operator
