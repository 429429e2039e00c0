--- A small policy that uses all that goals within goals are made of: a lead looks closely, hands parts of the work to
--- other policies, remembers what came of them, asks a person, and reports; the mission's check has the last word.
local briefing = require "deskpilot.agent.briefing"
local fields = require "deskpilot.agent.fields"
local persona = require "deskpilot.agent.persona"

local text = { type = "string", minLength = 1 }
local function words(name, about) return { name = name, type = "string", minLength = 1, description = about } end

local own = {
  { name = "hand_over", acts = false, description = "Give a part of the work to an agent. In `goal` and `shows`, "
      .. "${name} stands for that value of MEMORY.", parameters = fields.object {
      words("goal", "What is to be done."),
      { name = "policy", type = "string", enum = { "three_body", "odev" } },
      { name = "tools", type = "array", items = text, minItems = 1 },
      words("app", "The application that shows the result."),
      words("shows", "The text that it shows then.") } },
  { name = "ask_person", acts = false, description = "Ask a person; the answer is kept as ${answer}.",
    parameters = fields.object { words("question", "The whole question."),
      { name = "options", type = "array", items = text, minItems = 2 } } },
}
local offered = { "look_closely", "remember", "report_completion", "hand_over", "ask_person" }
local does = {}

function does.hand_over(run, args)
  local wanted, unknown = run.memory:expand(args)
  if #unknown > 0 then return run:reject("hand_over", args, "not in MEMORY: " .. table.concat(unknown, ", ")) end
  local ok, why = run:achieve { goal = wanted.goal, policy = wanted.policy, tools = wanted.tools,
    limits = { turns = 8 }, verify = function(m)
      return m.checks.element { app = wanted.app, role = "text", shows = wanted.shows }
    end }
  run.history:add(run.turn, "note", ("handed over: %s; %s: %s"):format(wanted.goal, ok and "done" or "NOT done", why))
end

function does.ask_person(run, args)
  local answer = run:question { text = args.question, options = args.options }
  if answer then assert(run.memory:set("answer", answer)) end -- the history tells of it
end

-- The claim is compared with the mission's check; an answer that is not yes is the end of it.
function does.report_completion(run, args)
  run.goal.verdict = nil
  run:act { tool = "report_completion", args = args, persona = "lead" }
  local said = run.goal.verdict
  if said and not run.outcome then run:stop(said.answer == "no" and "failed" or "incomplete", tostring(said)) end
end

---@type deskpilot.policy
return {
  api = 1,
  personas = { lead = { temperature = 0, max_tokens = 800 } },
  turn = function(run)
    local box = run.toolbox:with(own)
    local reply, err = persona.ask(run, "lead", { tools = offered, toolbox = box,
      system = "You lead other agents. Call one tool; only look-ups may be several.",
      text = briefing.compose(run, { mission = true, memory = true, history = true, screen = true, turn = true }) })
    if run.outcome then return end
    local call = reply and reply.calls[1]
    if not call then return run:reject("(none)", {}, "call a tool: " .. tostring(err or reply.calls_error)) end
    local args, why = call.args, call.error
    if args then args, why = box:validate(call.name, args, run) end
    if not args then return run:reject(call.name, {}, tostring(why)) end
    if does[call.name] then return does[call.name](run, args) end
    run:act { tool = call.name, args = args, persona = "lead" }
  end,
}
