--- The Technician: the worker that runs commands and sees no picture. Each command runs in a shell of its own, from the
--- same folder (tools/run_command.lua), and only with the configuration's or a person's consent.
local asking = require "deskpilot.policies.manager.asking"
local orders = require "deskpilot.policies.manager.orders"
local persona = require "deskpilot.agent.persona"
local text = require "deskpilot.base.text"

local technician = {}

local kept = 6        -- of the latest commands of a subtask, for its requests
local longest = 4000  -- characters of the output of each

--- The commands of its subtask and what came of them, in words.
---@param run deskpilot.run
---@return string
function technician.outputs(run)
  local lines = {}
  for i, one in ipairs(run.state.outputs or {}) do lines[i] = ("$ %s\n%s"):format(one.command, one.text) end
  return #lines > 0 and table.concat(lines, "\n\n") or "no command was run yet"
end

local function keep(run, command, words)
  local s = run.state
  s.outputs = s.outputs or {}
  table.insert(s.outputs, { command = command, text = text.cut(words, longest) })
  while #s.outputs > kept do table.remove(s.outputs, 1) end
end

--- Takes over what a run before has done without finishing its turn: a command is not run twice because nobody knew.
---@param run deskpilot.run
function technician.resume(run)
  local past = run.past or {}
  for _, action in ipairs(past.unfinished or {}) do
    if action.tool == "run_command" then keep(run, tostring(action.args.command), action.text) end
  end
  local begun = past.begun
  if begun and begun.tool == "run_command" and type(begun.args) == "table" then
    keep(run, tostring(begun.args.command), "the run was cut off while this ran: it may be done, half done or not "
      .. "begun; look before you run it again")
  end
end

--- Asks it once, and runs the command that it calls for.
---@param run deskpilot.run
---@param subtask deskpilot.manager.subtask
---@return string trigger, string why
function technician.step(run, subtask)
  local scope = run.toolbox:scope { names = { "run_command", "recall", "remember" } }
  local own = { orders.done_tool, orders.failed_tool }
  local box, names = scope:with(own), scope:names()
  for _, tool in ipairs(own) do names[#names + 1] = tool.name end
  local call = asking.call(run, "technician", { toolbox = box, tools = names, image = false,
    system = persona.prompt "technician", brief = { mission = "THE USER'S TASK", own_orders = orders.words(subtask),
      memory = true, notes = { { "THE LATEST COMMANDS", technician.outputs(run) }, orders.done_before(run) },
      turn = true } })
  if run.outcome or not call then return "working", "the answer was of no use" end
  local trigger, why = orders.ended(subtask, call)
  if trigger then return trigger, why end
  local result = run:act { tool = call.name, args = call.args, persona = "technician", toolbox = box }
  if call.name == "run_command" then keep(run, call.args.command, result.text) end
  return "working", call.name
end

return technician
