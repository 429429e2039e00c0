--- Notices that the same thing is being tried again and again, A-A-A or A-B-A-B, and asks for a
--- change of approach: a warning in the next request, and a higher temperature.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"
local history = require "deskpilot.agent.history"

---@class deskpilot.guards.loop_detection: deskpilot.guard
local loops = {
  api = 1,
  section = "loop",
  options = {
    threshold = { type = "integer", default = 3, min = 2, about = "times the same action makes a loop" },
    window = { type = "integer", default = 5, min = 2, about = "actions looked back over for loops" },
    temperature_factor = { type = "number", default = 1.5, min = 1, max = 10,
      about = "how much a loop raises the temperature of the next request (1: not at all)" },
  },
}

local hottest = 2 -- more than that is refused by servers

local function signature(action)
  local args = {}
  for key, value in pairs(action.args) do
    if key ~= "justification" then args[key] = value end
  end
  local ok, written = pcall(json.encode, args)
  return action.tool .. (ok and written or "")
end

--- The repeated thing in words, or nil. `recent` holds signatures, newest last.
---@param recent string[]
---@param threshold integer how many times counts as a loop
---@return string?
function loops.find(recent, threshold)
  local last, count = recent[#recent], 0
  if not last then return nil end
  for _, entry in ipairs(recent) do if entry == last then count = count + 1 end end
  if count >= threshold then return ("the same action %d times in the last %d"):format(count, #recent) end
  local n = #recent
  if n >= 4 and recent[n] == recent[n - 2] and recent[n - 1] == recent[n - 3] and recent[n] ~= recent[n - 1] then
    return "the same two actions in turns"
  end
end

function loops.run_start(run)
  run.recent_actions, run.loop = {}, nil
end

function loops.action_result(run, event)
  if event.tool == "wait" or event.tool == "(none)" then return end -- waiting twice, or no action, is no loop
  if event.action and event.action.postponed then return end
  local recent = run.recent_actions
  recent[#recent + 1] = signature(event)
  while #recent > run.config:get("loop.window") do table.remove(recent, 1) end
  local found = loops.find(recent, run.config:get("loop.threshold"))
  run.loop = nil
  if found then
    local target = history.target(event.args) or ""
    run.loop = ("LOOP: %s on %q: %s. It is not working. CHANGE YOUR APPROACH: another element, a keyboard "
      .. "shortcut, or a different way to the goal."):format(event.tool, text.cut(tostring(target), 60), found)
    run:emit("guard", { name = "loop_detection", message = run.loop })
  end
end

--- The next request for an action carries the warning, and a higher temperature where it has one.
function loops.model_request(run, request)
  if not run.loop or not request.acts then return end
  local amend, temperature = { warning = run.loop }, request.temperature
  if temperature then
    local raised = math.min(temperature * run.config:get("loop.temperature_factor"), hottest)
    amend.temperature = math.max(raised, temperature)
  end
  return { amend = amend }
end

return loops
