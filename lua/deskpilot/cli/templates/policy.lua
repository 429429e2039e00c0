-- How an agent thinks and acts. `deskpilot run MISSION --policy example` uses it; docs/policies.md has what the shipped
-- ones do, and `deskpilot eject odev` gives one to read and to change.
local persona = require "deskpilot.agent.persona"

---@class deskpilot.policies.example: deskpilot.policy
local policy = {
  api = 1, -- the version of what a policy is given and has to offer
  -- Keys of the configuration: --set example.silent=5
  options = {
    silent = { type = "integer", default = 3, min = 1, about = "answers without an action, one after the other, after "
      .. "which it gives up" },
  },
  -- Whom it asks, and what these may spend unless personas.NAME says otherwise.
  personas = { example = { temperature = 0.3, max_tokens = 1000 } },
  -- The groups and names of tools that it offers.
  tools = { "pointing", "typing", "apps", "browser", "waiting", "finish", "user" },
}

-- A longer one is better a file of its own: deskpilot/prompts/NAME.md, read by persona.prompt "NAME".
local system = [[
You operate a computer desktop with mouse and keyboard to do what the user's task says.
Each answer is one call of a tool. Look at the screen and at what your last action has brought before the next one.
When the screen shows that the task is done, say so by report_completion with what you see as evidence.]]

-- The run's state is a table of the policy's own; `deskpilot resume` goes on with it.
function policy.start(run)
  run.state.silent = 0
end

-- One turn: the desktop was looked at just now (run.observation); ask, and do what was answered.
function policy.turn(run)
  local box = persona.toolbox(run, policy.tools)
  local reply, err = persona.ask(run, "example", { system = system, toolbox = box, tools = box:names(), acts = true,
    brief = { mission = true, history = true, screen = true, turn = true } })
  if run.outcome then return end -- a limit was reached, somebody has stopped it, ...
  local call = reply and reply.calls[1]
  if call and call.args then
    run.state.silent = 0
    run:act { tool = call.name, args = call.args, persona = "example", toolbox = box }
    return
  end
  run.state.silent = run.state.silent + 1
  local why = tostring(call and call.error or reply and reply.calls_error or err or "no tool was called")
  run:reject(call and call.name or "(none)", {}, why) -- the next request tells of it
  if run.state.silent >= run.config:get "example.silent" then run:stop("failed", "no answer was an action: " .. why) end
end

return policy
