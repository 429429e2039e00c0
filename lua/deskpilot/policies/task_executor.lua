--- One agent, one action at a time: it sees the screen, predicts the next action, the action is done and recorded, and
--- so on until the agent says that the task is done. What is of use to every policy (tries, limits, the trajectory,
--- questions, other machines' tools) is the loop's; the options here are names for that (agent/policy_options.lua).
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local persona = require "deskpilot.agent.persona"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

---@class deskpilot.policies.task_executor: deskpilot.policy
local policy = {
  api = 1,
  options = {
    max_steps = { type = "integer", default = 50, min = 1, sets = "limits.turns",
      about = "steps after which the task ends as incomplete; the same as limits.turns" },
    step_delay = { type = "number", default = 0, min = 0, sets = "timing.turn_delay",
      about = "seconds to rest after each step; the same as timing.turn_delay" },
    use_accessibility_tree = { type = "boolean", default = true, sets = { "observe.elements", "observe.page" },
      about = "tell the agent of the elements on the screen; the same as observe.elements and observe.page" },
    include_step_info = { type = "boolean", default = true,
      about = "tell the agent which step it is at, and of how many" },
    max_retries = { type = "integer", default = 2, min = 0, max = 10, sets = { "retry.actions", "model.retries" },
      about = "tries after a failed action, and after a failed prediction" },
    retry_delay = { type = "number", min = 0, max = 60, sets = { "retry.delay", "model.retry_delay" },
      with = { ["retry.factor"] = 1 },
      about = "seconds before each of these, always the same; unless it is set they grow: 0.5, 1, 2" },
    validate_screen_change = { type = "boolean", default = false, sets = "observe.validate_screen_change",
      about = "compare the screen before and after each action, and tell the agent where nothing has changed" },
    ask_timeout = { type = "number", default = 120, min = 1, max = 86400, sets = "ask_user.seconds",
      about = "seconds that a person has for an answer; the same as ask_user.seconds" },
    mcp_timeout = { type = "number", default = 60, min = 0.1, max = 86400, sets = "tools.mcp_timeout",
      about = "seconds that a call of an MCP server's tool may take; the same as tools.mcp_timeout" },
  },
  personas = { agent = { temperature = 0.2, max_tokens = 1024 } },
  -- The actions of a touch screen, and what a desktop has beside them.
  tools = { "touch", "ask_user", "press_key", "scroll_down", "scroll_up", "apps", "waiting", "browser_open", "give_up",
    "looking", "user" },
}

-- Those of the specification first: what an agent is told of a failure may be cut.
local first = { "tap", "swipe", "type", "back", "home", "recent", "finish", "ask_user", "mcp_call" }

local function in_order(names)
  local there, list = {}, {}
  for _, name in ipairs(names) do there[name] = true end
  for _, name in ipairs(first) do
    if there[name] then list[#list + 1] = name end
    there[name] = nil
  end
  for _, name in ipairs(names) do
    if there[name] then list[#list + 1] = name end
  end
  return list
end

-- About an answer that asks for no action that there is. It counts as a step, and the agent is shown it.
local function validation_error(name, allowed)
  return ("ActionValidationError: %s; the actions are %s"):format(name == "" and "no action was named"
    or ("there is no action %q"):format(text.cut(text.one_line(name), 60)), text.join(in_order(allowed)))
end

-- What a tool finds out before it does anything: then the same observation serves for the next prediction, as after
-- what was never tried. Everything else may have been half done.
local changes_nothing = { invalid = true, not_found = true, unsupported = true, forbidden = true }

local function done(run, result)
  local s, counts = run.state, run.result
  counts.steps = counts.steps + 1
  if not result.ok then counts.failed = counts.failed + 1 end
  -- What is stale has changed since.
  s.reuse = not result.ok and result.code ~= "stale" and (not result.tried or changes_nothing[result.code] or false)
end

local function reject(run, name, args, why)
  run.result.rejected = run.result.rejected + 1
  done(run, run:reject(name ~= "" and name or "(none)", args or json.list {}, why))
end

-- The agent's thoughts, for an action that has no reason of its own.
local function thoughts(reply)
  for _, words in ipairs { reply.content or "", reply.thinking or "" } do
    if words:find "%S" then return text.cut(text.one_line(text.trim(words)), 600) end
  end
  return "(The agent gave no reason.)"
end

local function nothing_predicted(run, reply)
  local said = text.cut(text.one_line(reply.content or ""), 150)
  reject(run, "", nil, reply.calls_error and tostring(reply.calls_error)
    or ("every step needs one action, and none was called. You said: %q"):format(said))
end

local function act(run, box, reply, call)
  if not box:get(call.name) then
    local _, why = box:validate(call.name, {}, run)
    local forbidden = errors.is(why, "forbidden") -- by a list, of a tool that there is
    return reject(run, call.name, call.args, forbidden and tostring(why) or validation_error(call.name, box:names()))
  end
  if not call.args then return reject(run, call.name, nil, tostring(call.error)) end
  done(run, run:act { tool = call.name, args = call.args, persona = "agent", why = thoughts(reply), toolbox = box })
end

local function prediction_failed(run, err)
  run:emit("error", { name = "agent", message = tostring(err), code = err.code })
  run:stop("error", ("the agent's model gave no prediction: %s"):format(tostring(err)))
  run.outcome.missing = true -- the environment lacks something: the program's exit status says so
end

local function predict_once(run, box)
  local info = run.config:get "task_executor.include_step_info"
  return persona.ask(run, "agent", { tools = box:names(), toolbox = box, acts = true, system = persona.prompt "agent",
    brief = { mission = "TASK", history = true, screen = true, turn = info and "STEP" or nil } })
end

local pauses = { 0.5, 1, 2 } -- seconds before each further try

-- The client has tried again already what it takes for passing. An answer that never came it leaves to us; its tries
-- count, so that there are never more than model.retries allows.
local function predict(run, box)
  local tries = 0
  while true do
    local reply, err = predict_once(run, box)
    if reply or run.outcome or err.code ~= "timed_out" then return reply, err end
    tries = tries + (err.attempts or 1)
    if tries > run.config:get "model.retries" then return nil, err end
    run:note(("no prediction came in time; it is asked for again (%d of %d)"):format(tries,
      run.config:get "model.retries"))
    task.sleep(run.config:get "model.retry_delay" or pauses[math.min(tries, #pauses)])
  end
end

--- The last observation serves again where the action has failed and the screen is as it was.
---@param run deskpilot.run
---@return deskpilot.look_options?
function policy.observe(run)
  return run.state.reuse and { reuse = true } or nil
end

local function begin(run)
  run.result = run.result or { status = "running", steps = 0, failed = 0, rejected = 0 }
  run.result.status, run.state.reuse = "running", false
end

policy.start, policy.resume = begin, begin

-- Calls of MCP servers' tools by the name of the one action are offered where there are servers.
local function offered(run)
  local words = { table.unpack(policy.tools) }
  if run.mcp then words[#words + 1] = "mcp_call" end
  return persona.toolbox(run, words)
end

---@param run deskpilot.run
function policy.turn(run)
  local box = offered(run)
  local reply, err = predict(run, box)
  if run.outcome then return end
  if not reply then return prediction_failed(run, err) end
  local calls = reply.calls or {}
  if #calls == 0 then return nothing_predicted(run, reply) end
  act(run, box, reply, calls[1])
  if #calls > 1 and not run.outcome then
    local words = ("%d more action%s came with that one and %s not done: one action each step"):format(#calls - 1,
      #calls == 2 and "" or "s", #calls == 2 and "was" or "were")
    run.history:add(run.turn, "note", words)
    run:note(words)
  end
end

return policy
