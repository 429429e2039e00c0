--- One agent that works on a list of goals, one after the other. Each goal is worked on in iterations: the agent is
--- told what it always needs, asks tools for more information where it must, and decides on a few commands, its status,
--- and what it wants to remember. It says when a goal is complete, stuck or infeasible; the limits have the last word.
---
--- A turn of the loop is one iteration; of a run with a list of goals a turn of the run is one goal, which has turns of
--- its own.
local persona = require "deskpilot.agent.persona"
local batches = require "deskpilot.policies.orchestrator.batches"
local context = require "deskpilot.policies.orchestrator.context"
local decision = require "deskpilot.policies.orchestrator.decision"
local goals = require "deskpilot.policies.orchestrator.goals"
local guardrails = require "deskpilot.policies.orchestrator.guardrails"
local information = require "deskpilot.policies.orchestrator.information"
local iteration = require "deskpilot.policies.orchestrator.iteration"
local metrics = require "deskpilot.policies.orchestrator.metrics"
local offer = require "deskpilot.policies.orchestrator.offer"
local reflection = require "deskpilot.policies.orchestrator.reflection"
local repair = require "deskpilot.policies.orchestrator.repair"

local function count(default, about, min, max)
  return { type = "integer", default = default, min = min or 1, max = max, about = about }
end

---@class deskpilot.policies.orchestrator: deskpilot.policy
local policy = {
  api = 1,
  options = {
    mode = { type = "string", default = "work", choices = { "work", "repair", "explore" }, about = "work: reach the "
      .. "goal; repair: go over the steps of an earlier run (orchestrator.repair) and mend them; explore: find out "
      .. "what an application has, and remember it, without changing anything" },
    repair = { type = "string", default = "", about = "of the mode repair: the folder of a run, its trajectory.json, "
      .. "or a mended.json" },
    iterations = count(8, "iterations of one goal, after which it ends as incomplete", 1, 1000),
    failures = count(2, "iterations of a goal in a row that fail, after which it ends as failed", 1, 100),
    goal_seconds = { type = "number", default = 0, min = 0, about = "seconds of one goal (0: as many as the run has)" },
    goal_tokens = count(0, "tokens of one goal (0: as many as the run has)", 0),
    commands = count(3, "commands of one iteration", 1, 20),
    commands_succeeding = count(5, "the same while more than 0.8 of the last ten commands succeed", 1, 20),
    commands_failing = count(2, "the same while less than 0.5 of them do", 1, 20),
    recent_steps = count(7, "latest steps that each request tells", 1, 50),
    history_kept = count(100, "steps that are kept to be recalled", 1, 1000),
    history_whole = count(50, "latest steps that are recalled word for word; of older ones a summary is told", 1, 1000),
    interactive = count(50, "buttons, links and the like that each request tells of", 0, 1000),
    fields = count(20, "fields that each request tells of", 0, 1000),
    labels = count(20, "other texts of the desktop that each request tells of", 0, 1000),
    depth = count(4, "elements within each other that each request tells of, outermost first", 1, 100),
    element_chars = count(30, "characters of an element's name and value that each request tells", 8, 200),
    page_chars = count(1000, "characters of a page's text that each request tells", 0, 100000),
    experiences = count(10, "latest experiences that each request tells", 0, 100),
    warn_tokens = count(3000, "tokens of an iteration's context above which it is warned of", 1),
    result_chars = count(3000, "characters of an information tool's answer above which it is summarised", 200),
  },
  tools = offer.commands,
  -- Pictures, and what else cannot be continued from.
  transient = { "cache", "began", "lookups", "shown_whole" },
  personas = { orchestrator = { temperature = 0.2, max_tokens = 1500 } },
}

--- What is kept of the past, for the whole journey through the goals.
---@param config deskpilot.config
function policy.history(config)
  return config:get "orchestrator.history_kept", config:get "orchestrator.recent_steps",
    config:get "orchestrator.history_whole"
end

--- Who leads a list of goals sees no screen.
---@param run deskpilot.run
function policy.observe(run)
  if goals.leads(run) then return false end
end

local function begin(run)
  metrics.begin(run)
  guardrails.begin(run)
end

---@param run deskpilot.run
function policy.start(run)
  local s = run.state
  if goals.leads(run) then return goals.start(run) end
  goals.join(run)
  s.iteration, s.failures = 0, 0
  begin(run)
  repair.begin(run)
end

---@param run deskpilot.run
function policy.resume(run)
  if goals.leads(run) then return goals.resume(run) end
  run.state.failures = 0
  begin(run)
end

-- What came of the decision, in one table for the event.
local function decide(run)
  local most = batches.most(run)
  local definition = decision.definition(run, most)
  local request, sizes = context.request(run, definition, most)
  request.look_up = information.looker(run, request.toolbox)
  request.free = information.free(run, request.toolbox)
  request.read = function(reply) return decision.read(run, reply, definition) end
  local reply, err = persona.ask(run, "orchestrator", request)
  if run.outcome then return { sizes = sizes } end
  local decided, why
  if reply then decided, why = request.read(reply) else why = "the orchestrator did not answer: " .. tostring(err) end
  return { decided = decided, invalid = not decided and tostring(why) or nil, sizes = sizes }
end

---@param run deskpilot.run
function policy.turn(run)
  if goals.leads(run) then return goals.work(run) end
  local s = run.state
  s.iteration = s.iteration + 1
  information.begin(run)
  local step = decide(run)
  if step.decided then
    reflection.take(run, step.decided)
    step.commands, step.outcome = batches.perform(run, step.decided)
    step.failed = iteration.settle(run, step)
  elseif step.invalid then
    run:reject("decide", {}, step.invalid)
    step.failed = step.invalid
  end
  s.failures = step.failed and s.failures + 1 or 0
  reflection.judge(run, step)
  information.finish(run, step)
  metrics.add(run, step)
  iteration.announce(run, step)
  guardrails.check(run, step)
  repair.finish(run)
end

return policy
