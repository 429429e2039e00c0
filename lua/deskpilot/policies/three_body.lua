--- The three-body hierarchy. A Strategist reads the mission once and writes the doctrine; a Tactician
--- looks in every few turns, names the phase, and configures the Executor (its prompt, its tools); the
--- Executor takes one action each turn with the tools of the phase and nothing else.
local errors = require "deskpilot.base.errors"
local briefing = require "deskpilot.agent.briefing"
local criteria = require "deskpilot.agent.criteria"
local persona = require "deskpilot.agent.persona"
local calls = require "deskpilot.policies.three_body.calls"
local doctrine = require "deskpilot.policies.three_body.doctrine"
local phases = require "deskpilot.policies.three_body.phases"
local revision = require "deskpilot.policies.three_body.revision"

---@class deskpilot.policies.three_body: deskpilot.policy
local policy = {
  api = 1,
  options = {
    tactician_interval = { type = "integer", default = 5, min = 1,
      about = "the Tactician looks in on turn 1, every so many turns, and when the Executor has wanted to report "
        .. "completion in a phase that does not verify" },
    calls_per_turn = { type = "integer", default = 1, min = 1, max = 20,
      about = "most actions that the Executor takes from one look (5 unless set, of a model whose profile says that "
        .. "it calls several tools at once); it stops at the first that fails or finds the screen changed" },
    unanswered_questions = { type = "integer", default = 3, min = 1,
      about = "questions in a row that the Tactician leaves without a valid answer, after which the Executor gets "
        .. "emergency orders" },
    doctrine_chars = { section = "history", type = "integer", default = 400, min = 0,
      about = "how much of the doctrine the Executor is told, in characters; the success criteria it is told whole" },
  },
  -- What a phase may have.
  tools = { "pointing", "typing", "browser", "apps", "waiting", "looking", "finish", "user" },
  -- What each may spend, unless personas.NAME says otherwise.
  personas = {
    strategist = { temperature = 0.3, max_tokens = 1200 },
    tactician = { temperature = 0.4, max_tokens = 800 },
    executor = { temperature = 0.5, max_tokens = 1024 },
  },
}
local prompt = persona.prompt

local function toolbox_of(run)
  return persona.toolbox(run, policy.tools)
end

-- When the Tactician has stopped answering, the mission must still be able to end.
local emergency_tools = { "click_element", "press_key", "type_text", "scroll_down", "scroll_up",
  "report_completion", "give_up" }

local function meta_tools()
  local rationale = { type = "string", description = "Why this is needed now, from what the screen shows." }
  return {
    { name = "spawn_executor_prompt",
      description = "Give the Executor its orders for a phase. Use it when the phase changes.",
      parameters = { type = "object", additionalProperties = false,
        required = { "prompt", "phase", "rationale" },
        properties = {
          prompt = { type = "string", minLength = 1, description = "The Executor's orders, 50-200 words." },
          phase = { type = "string", minLength = 1, maxLength = 60,
            description = "Name of the phase, for example RECONNAISSANCE, EXECUTION_SAVE or VERIFICATION." },
          rationale = rationale } } },
    { name = "update_phase_tools",
      description = "Say which tools the Executor may use in this phase.",
      parameters = { type = "object", additionalProperties = false, required = { "tool_names", "rationale" },
        properties = {
          tool_names = { type = "array", items = { type = "string" },
            description = "Their names, of those that your instructions list." },
          rationale = { type = "string" } } } },
  }
end

-- The doctrine. An answer that it cannot be read from goes back.
local function ask_for_doctrine(run)
  local box = run.toolbox:with { doctrine.tool }
  local reply, failure = persona.ask(run, "strategist", { toolbox = box, tools = { doctrine.tool.name },
    system = prompt("strategist", { tools = briefing.tools(run, toolbox_of(run):names()) }),
    brief = { mission = true, screen = "words" }, read = doctrine.read })
  if run.outcome or not reply then return nil, failure end
  local written, why = doctrine.read(reply)
  if written then return written end
  return errors.fail("protocol", "the answers could not be read: %s", why)
end

local function strategist(run)
  local written, err = ask_for_doctrine(run)
  if run.outcome then return end
  run.state.doctrine = written and written.text or ""
  run.goal.criteria = written and written.criteria or {}
  if not written then
    run:emit("error", { name = "strategist", message = tostring(err), code = err.code })
    run.history:add(run.turn, "error", "no doctrine: " .. tostring(err))
  elseif #written.criteria > 0 then
    run:note("the success criteria: " .. criteria.numbered(written.criteria))
  else
    run:note("the Strategist gave no success criteria")
  end
end

-- Whether two lists hold the same names: then those of before stay, whose order a server's cache knows.
local function same_set(a, b)
  local known = {}
  for _, name in ipairs(b) do known[name] = true end
  for _, name in ipairs(a) do
    if not known[name] then return false end
  end
  return #a == #b
end

-- Gives the Executor its orders, and the tools as the phase allows them. A sentence about each tool that was changed.
local function configure(run, phase, orders, names, rationales)
  local s = run.state
  local from, tools, report = s.phase, phases.tools(toolbox_of(run), phase, names)
  if same_set(tools, s.tools or {}) then tools = s.tools end
  s.phase, s.orders, s.tools = phase, orders, tools
  run.history:add(run.turn, "phase", ("%s -> %s"):format(from, phase))
  run:emit("phase_change", { from = from, to = phase, tools = tools, prompt = orders,
    rationale = rationales.orders or rationales.tools,
    tools_rationale = rationales.orders and rationales.tools })
  return report
end

local function fall_back(run, phase, tools, why)
  configure(run, phase, prompt "executor_fallback", tools, { orders = why })
end

-- The arguments of each meta-tool that was called, with why, and a sentence for each call that was wrong.
local function read_orders(box, reply)
  local orders, report, found = { why = {} }, {}, false
  for _, call in ipairs(reply.calls or {}) do
    local args, why = call.args, call.error
    if args and call.name == "update_phase_tools" and type(args.tool_names) == "table" then
      orders.tool_names, orders.why.tools, found = args.tool_names, args.rationale, true
    elseif args and call.name ~= revision.tool.name then
      args, why = box:validate(call.name, args)
      if args and call.name == "spawn_executor_prompt" then
        orders.prompt, orders.phase, orders.why.orders, found = args.prompt, args.phase, args.rationale, true
      end
    end
    if not args then report[#report + 1] = ("%s: %s"):format(tostring(call.name), tostring(why)) end
  end
  if reply.calls_error then report[#report + 1] = tostring(reply.calls_error) end
  return found and orders or nil, report
end

local function follow(run, orders, report)
  local s = run.state
  local phase, names, more = orders.phase or (s.orders and s.phase) or "EXECUTION", s.tools or phases.safe_tools, {}
  if orders.tool_names then names, more = phases.known(toolbox_of(run), orders.tool_names) end
  table.move(more, 1, #more, #report + 1, report)
  more = configure(run, phase, orders.prompt or s.orders or prompt "executor_fallback", names, orders.why)
  table.move(more, 1, #more, #report + 1, report)
end

-- A valid answer is orders, or words that leave things as they are.
local function tactician(run)
  local s, list, tools = run.state, run.goal.criteria or {}, { "spawn_executor_prompt", "update_phase_tools" }
  s.unanswered = s.unanswered + 1 -- until there is one
  local meta = meta_tools()
  if revision.is_due(run) then
    meta[3], tools[3] = revision.tool, revision.tool.name
  end
  local box = run.toolbox:with(meta)
  local reply, err = persona.ask(run, "tactician", {
    -- The shipped prompts hold only what stays the same; one of the user's may want the others in it.
    system = prompt("tactician", { tools = briefing.tools(run, toolbox_of(run):names()), mission = run.task,
      doctrine = s.doctrine ~= "" and s.doctrine or "none",
      criteria = #list > 0 and criteria.numbered(list) or "none" }),
    brief = { mission = true, plan = s.doctrine, criteria = list, phase = s.phase, tools = s.tools, orders = s.orders,
      history = true, screen = "words", notes = s.report and { { "REPORT ON YOUR LAST ORDERS", s.report } },
      turn = true },
    tools = tools, toolbox = box,
  })
  if run.outcome then return end
  s.report = nil
  if not reply then
    run:emit("error", { name = "tactician", message = tostring(err), code = err.code })
    run.history:add(run.turn, "error", "the Tactician did not answer: " .. tostring(err))
    return
  end
  local orders, report = read_orders(box, reply)
  revision.follow(run, box, reply, report)
  if orders then follow(run, orders, report) end
  if orders or #report == 0 then s.unanswered = 0 end
  if #report > 0 then
    s.report = table.concat(report, "\n")
    run.history:add(run.turn, "note", "to the Tactician: " .. s.report)
    run:note("to the Tactician: " .. s.report)
  end
end

-- The tools of the phase, without those that the run has lost meanwhile (a server that took them back).
local function tools_now(run)
  local s = run.state
  local known, lost = phases.known(toolbox_of(run), s.tools)
  if #lost == 0 then return s.tools end
  s.tools = phases.tools(toolbox_of(run), s.phase, known)
  s.report = (s.report and s.report .. "\n" or "") .. table.concat(lost, "\n")
  return s.tools
end

local function executor(run)
  local s, frame = run.state, calls.words(calls.most(run))
  local tools = tools_now(run)
  local verifies = (" " .. table.concat(tools, " ") .. " "):find(" report_completion ", 1, true)
  local doing = calls.begin(run)
  local reply, err = persona.ask(run, "executor", { tools = tools, could = toolbox_of(run):names(), acts = true,
    on_call = function(call) return doing:take(call) end,
    system = prompt("executor", { pace = frame.pace, calls = frame.calls, orders = s.orders }),
    brief = { mission = true, criteria = verifies and run.goal.criteria, phase = s.phase,
      doctrine = doctrine.for_executor(s.doctrine), own_orders = s.orders, history = true,
      screen = phases.points(toolbox_of(run), tools) or "words", turn = true } })
  if run.outcome then return end
  if not reply then
    run:emit("error", { name = "executor", message = tostring(err), code = err.code })
    run:reject("(none)", {}, "the model did not answer: " .. tostring(err))
    return
  end
  doing:perform(reply)
end

function policy.start(run)
  local s = run.state
  s.phase, s.turn, s.unanswered = "INIT", 0, 0
end

function policy.turn(run)
  local s, config = run.state, run.config
  s.turn = s.turn + 1 -- of this goal
  if not s.doctrine then strategist(run) end
  if run.outcome then return end
  if s.turn == 1 or s.turn % config:get("three_body.tactician_interval") == 0 or s.wants_to_report then
    s.wants_to_report = false
    tactician(run)
  end
  if run.outcome then return end
  if s.unanswered >= config:get("three_body.unanswered_questions") then
    if s.phase ~= phases.emergency then
      fall_back(run, phases.emergency, emergency_tools, ("the Tactician has left %d questions in a row without a valid "
        .. "answer"):format(s.unanswered))
    end
  elseif not s.orders then
    fall_back(run, phases.fallback, phases.safe_tools, "there are no valid orders from the Tactician")
  end
  executor(run)
end

return policy
