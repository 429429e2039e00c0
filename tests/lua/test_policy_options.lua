--- Names that a policy has for shared keys of the configuration: which of two that are set counts, and that they hold
--- for the goals of that policy alone.
local t = require "harness"
local configured = require "configured"
local null_run = require "null_run"
local config_check = require "deskpilot.base.config_check"
local policy_options = require "deskpilot.agent.policy_options"
local resume = require "deskpilot.agent.resume"

local tests = {}

local function resolve(layers)
  return t.ok(configured.resolve(layers))
end

local function turns_of(layers)
  layers.flags = layers.flags or {}
  layers.flags.policy = layers.flags.policy or "task_executor"
  local config = resolve(layers)
  return config:get "limits.turns", config.sources["limits.turns"]
end

function tests.what_nobody_has_set_has_the_policys_default()
  t.eq({ turns_of {} }, { 50, "default" })
  t.eq({ turns_of { flags = { policy = "three_body" } } }, { 600, "default" })
  t.eq({ turns_of { flags = { policy = "three_body" }, user = { task_executor = { max_steps = 7 } } } },
    { 600, "default" }, "the options of a policy that does not work mean nothing")
end

function tests.the_stronger_place_counts_and_in_one_place_the_policys_own()
  t.eq({ turns_of { user = { task_executor = { max_steps = 7 } } } }, { 7, "the user configuration" })
  t.eq({ turns_of { user = { limits = { turns = 8 } } } }, { 8, "the user configuration" })
  t.eq((turns_of { user = { task_executor = { max_steps = 7 }, limits = { turns = 8 } } }), 7)
  t.eq((turns_of { user = { task_executor = { max_steps = 7 } }, flags = { ["limits.turns"] = 8 } }), 8)
  t.eq((turns_of { user = { limits = { turns = 8 } }, flags = { ["task_executor.max_steps"] = 7 } }), 7)
  t.eq((turns_of { environment = { DESKPILOT_TASK_EXECUTOR_MAX_STEPS = "9" }, user = { limits = { turns = 8 } } }), 9)
end

-- An option may stand for several keys, and bring others along where somebody has set it.
function tests.one_name_for_several_keys()
  local function of(flags)
    flags.policy = "task_executor"
    local config = resolve { flags = flags }
    return { config:get "model.retries", config:get "retry.actions", config:get "retry.delay",
      config:get "retry.factor", config:get "model.retry_delay" or "none" }
  end
  t.eq(of {}, { 2, 2, 0.5, 2, "none" }, "0.5, 1, 2 seconds")
  t.eq(of { ["task_executor.max_retries"] = 3, ["task_executor.retry_delay"] = 1 }, { 3, 3, 1, 1, 1 })
  t.eq(of { ["task_executor.max_retries"] = 3, ["model.retries"] = 1 }, { 3, 3, 0.5, 2, "none" })
end

-- Whoever is told to set a limit is told the name that counts.
function tests.the_name_by_which_it_was_set()
  local past = { turn = 7, seconds = 0, spending = {} }
  local function told(flags)
    flags.policy = "task_executor"
    return t.ok(resume.exhausted(past, resolve { flags = flags }))
  end
  t.has(told { ["task_executor.max_steps"] = 5 }, "task_executor.max_steps is 5; give it more, such as --set "
    .. "task_executor.max_steps=10")
  t.has(told { ["limits.turns"] = 5, policy = "three_body" }, "limits.turns is 5; give it more")
  t.eq(policy_options.name_of(resolve { flags = { policy = "three_body", ["limits.turns"] = 5 } }, "limits.turns"),
    "limits.turns")
end

-- In a run of another policy, the names hold while a goal of theirs is worked on; its own limit comes with them.
function tests.they_hold_for_the_goals_of_that_policy()
  local seen, asked = {}, 0
  local function note(run)
    seen[#seen + 1] = { run.config:get "limits.turns", run.config:get "observe.elements", run.goal.policy or "own" }
  end
  local run = null_run.play({ task = "x", limits = { turns = 40 }, action = function(m) note(m) end }, {
    flags = { ["task_executor.max_steps"] = 2, ["task_executor.use_accessibility_tree"] = false },
    model = function()
      asked = asked + 1
      return null_run.calls { { "wait", { seconds = 0.1, justification = "The screen has to change first." } } }
    end,
    turn = function(played)
      note(played)
      local ok, why = played:achieve { goal = "a part", policy = "task_executor" }
      t.eq({ ok, why }, { false, "out of turns: the limit is 2 (the goal's own)" })
      note(played)
      played:stop("failed", "that was all")
    end })
  t.eq(run.outcome.reason, "that was all")
  t.eq(asked, 2)
  t.eq(seen, { { 40, true, "own" }, { 2, false, "task_executor" }, { 2, false, "task_executor" }, { 40, true, "own" } })
end

-- What somebody has set meanwhile stays.
function tests.what_was_set_meanwhile_is_not_put_back()
  local run = null_run.play({ task = "x", action = function(m)
    assert(m.config:set("observe.elements", true))
  end }, { flags = { ["task_executor.use_accessibility_tree"] = false, ["task_executor.max_steps"] = 1 },
    model = function()
      return null_run.calls { { "wait", { seconds = 0.1, justification = "The screen has to change first." } } }
    end,
    turn = function(played)
      played:achieve { goal = "a part", policy = "task_executor" }
      played:stop("failed", "that was all")
    end })
  t.eq({ run.config:get "observe.elements", run.config.sources["observe.elements"] }, { true, "script" })
end

function tests.a_declaration_may_be_wrong()
  local function problem(option)
    return config_check.option("x", option)
  end
  t.eq(problem { type = "integer", sets = "limits.turns" }, nil)
  t.eq(problem { type = "integer", sets = { "limits.turns", "retry.actions" }, with = { ["retry.factor"] = 1 } }, nil)
  t.has(problem { type = "integer", sets = 5 }, "has a 'sets' that names no keys")
  t.has(problem { type = "integer", sets = "limits.turns", with = "x" }, "has a 'with' that is no table")
end

return tests
