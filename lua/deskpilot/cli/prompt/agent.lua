--- An agent at the prompt: `.ask "task"` lets one do a piece on the prompt's desktop, `.step "task"` lets a person see
--- each request and decide about each act, `.policy NAME` says how it thinks. It is a run like any other, with its
--- folder, journal and limits.
local errors = require "deskpilot.base.errors"
local goal_limits = require "deskpilot.agent.goal_limits"
local json = require "deskpilot.base.json"
local lookup = require "deskpilot.base.lookup"
local questions = require "deskpilot.agent.questions"
local running = require "deskpilot.cli.running"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local agent = {}

local longest_thought = 3600 -- seconds that a person may think about an act

---@class deskpilot.prompt_agent
---@field policy string? the one that was chosen; the configuration's otherwise
---@field works boolean whether a run goes on
local Agent = {}
Agent.__index = Agent

--- No agent yet.
---@param open_desk fun(): deskpilot.desk the prompt's desktop; raises what is wrong
---@return deskpilot.prompt_agent
function agent.new(open_desk)
  return setmetatable({ open_desk = open_desk, works = false }, Agent)
end

-- --- a person decides about each act --------------------------------------------------------------------------------

local choices = { "do it", "skip it", "go on without asking", "end the run" }

local function act_words(action)
  local ok, args = pcall(json.encode, action.args)
  return text.cut(("%s %s"):format(action.tool, ok and args or ""), 600)
end

-- Asks; the time that it takes is not the run's. It is no question of the agent's, so that none of it goes to a model.
local function decision(run, action)
  local began = task.now()
  goal_limits.extend(run, longest_thought)
  local answer = questions.ask(run, { text = "next act: " .. act_words(action), options = choices,
    seconds = longest_thought }, true)
  goal_limits.extend(run, task.now() - began - longest_thought)
  return answer
end

local function stepper()
  local asks = true
  local listener = {}

  function listener.model_request(run, request)
    run:note(("asks %s (%s), %d tools: %s.request.json"):format(request.persona, request.model, #(request.tools or {}),
      request.request))
  end

  function listener.action(run, action)
    if not asks or action.rejected or action.veto then return end
    local answer = decision(run, action)
    if answer == choices[1] then return end
    if answer == choices[3] then
      asks = false
      return
    end
    if answer ~= choices[2] then run:abort("interrupted", "ended by a person at the prompt") end
    action.postponed = true -- no failure of the agent's
    return { veto = "a person did not want this act; think of another" }
  end

  return { name = "the person at the prompt", listener = listener }
end

-- --- commands -------------------------------------------------------------------------------------------------------

local function work(self, words, by_steps)
  if words == "" then error('a task is wanted: .ask "write the date into the editor"', 0) end
  local desk = self.open_desk()
  self.works = true
  local over <close> = setmetatable({}, { __close = function() self.works = false end })
  assert(over)
  -- The prompt watches the emergency-stop hotkey already, and ends this run by it. Whoever sits here sees what became
  -- of the task, so that the agent's word is enough.
  local options = { policy = self.policy, set = { "safety.stop_hotkey=" }, reload = true, verbose = by_steps,
    accept_claims = true }
  local status = running.start(options, function()
    return { source = { text = "return { task = " .. ("%q"):format(words) .. " }", where = "the prompt's task",
      name = "prompt", inside = true },
      change = function(plan)
        plan.listeners = by_steps and { stepper() } or {}
        return true
      end,
      desk = function()
        desk:watch()
        return desk, function() end
      end }
  end)
  if status == 130 then return errors.fail("cancelled", "the run was ended") end
  return status == 0
end

local commands = {}

function commands.ask(self, words) return work(self, words, false) end

function commands.step(self, words) return work(self, words, true) end

function commands.policy(self, words)
  local names = lookup.list "policies"
  if words == "" then return ("%s; there are: %s"):format(self.policy or "as configured", text.join(names)) end
  for _, name in ipairs(names) do
    if name == words then
      self.policy = name
      return name
    end
  end
  error(("there is no policy %q; there are: %s"):format(words, text.join(names)), 0)
end

--- What an entry asks of the agent; nil where it is Lua.
---@param entry string ".ask words" or `.ask "words"`
---@return (fun(): any, deskpilot.error?)? work to be called in a task; raises what is wrong
function Agent:command(entry)
  local name, words = entry:match "^%s*%.(%a+)%f[^%a](.*)$"
  if not name then return nil end
  local command = commands[name]
  words = text.trim(words)
  local quote = words:sub(1, 1)
  if #words > 1 and (quote == '"' or quote == "'") and words:sub(-1) == quote then words = words:sub(2, -2) end
  return function()
    if not command then error(("there is no command .%s: .ask, .step and .policy"):format(name), 0) end
    return command(self, words)
  end
end

--- Ends the run that goes on.
---@param signal string
function Agent:interrupted(signal)
  return running.interrupted(signal)
end

return agent
