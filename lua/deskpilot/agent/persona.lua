--- Asking a persona: its prompt, its request, and what happens when its model is not there.
local errors = require "deskpilot.base.errors"
local goal_limits = require "deskpilot.agent.goal_limits"
local option = require "deskpilot.base.config_option"
local lookup = require "deskpilot.base.lookup"
local spending = require "deskpilot.agent.spending"
local text = require "deskpilot.base.text"

local persona = {}

--- What a persona may spend on an answer, as options of `personas.NAME`. A policy says in its own `personas` what
--- each of its personas spends unless the configuration says otherwise.
---@type table<string, deskpilot.config_option>
persona.spending = {
  temperature = { type = "number", min = 0, max = 2, about = "how freely it answers" },
  max_tokens = { type = "integer", min = 1, about = "longest answer, in tokens" },
}

--- What a persona may spend in a whole run, as options of `personas.NAME`.
---@type table<string, deskpilot.config_option>
persona.limits = {
  calls = { type = "integer", min = 1, about = "calls of its model in a run" },
  tokens = { type = "integer", min = 1, about = "tokens of its requests and answers in a run" },
  input_tokens = { type = "integer", min = 1, about = "tokens of its requests in a run" },
  output_tokens = { type = "integer", min = 1, about = "tokens of its answers in a run" },
  model_seconds = { type = "number", min = 0.001, about = "seconds that its model may take in a run" },
  cost = { type = "number", min = 0.000001, about = "US dollars that it may cost in a run" },
}

-- What else a policy may say of one of its personas.
local policy_fields = {
  optional = { type = "boolean", about = "whether a run can do without it: its model need not be there at the start" },
}

-- What is wrong with one field of one persona, nil where nothing is.
local function field_problem(full, field, value)
  local declared = persona.spending[field] or policy_fields[field]
  if not declared then
    return ("says %s; what a persona spends is %s"):format(full, text.join(text.keys(persona.spending)))
  end
  local typed, why = option.convert(declared, full, value)
  if typed == nil then return "says that " .. why end
  if typed ~= value then return ("says that %s is text, but it must be a number"):format(full) end
end

--- Adds what is wrong with a policy's `personas`.
---@param personas any
---@param wrong deskpilot.problems
function persona.check(personas, wrong)
  if personas == nil then return end
  if type(personas) ~= "table" then return wrong:add("personas", "has personas that are no table") end
  for _, name in ipairs(text.keys(personas)) do
    local spends, path = personas[name], "personas." .. tostring(name)
    if type(spends) ~= "table" then
      wrong:add(path, "has the persona %s, which must be a table such as { temperature = 0.5 }", option.shown(name))
    else
      for _, field in ipairs(text.keys(spends)) do
        local full = path .. "." .. tostring(field)
        wrong:note(full, field_problem(full, field, spends[field]))
      end
    end
  end
end

--- Fills in what a request may spend, where it does not say so itself: what the configuration says of its persona, or
--- else the policy.
---@param run deskpilot.run
---@param request table {persona, temperature, max_tokens}
function persona.spend(run, request)
  local set = run.config:get("personas")[request.persona] or {}
  local own = run.personas and run.personas[request.persona] or {}
  for field in pairs(persona.spending) do
    if request[field] == nil then request[field] = set[field] end
    if request[field] == nil then request[field] = own[field] end
  end
end

-- What a persona may spend in the run, as bounds.
local function bounds_of(run, name)
  run.persona_bounds = run.persona_bounds or {}
  if not run.persona_bounds[name] then
    local set, asked = run.config:get("personas")[name] or {}, {}
    for field in pairs(persona.limits) do asked[field] = set[field] end
    run.persona_bounds[name] = goal_limits.within({ spending = spending.new() }, asked, {}, "personas." .. name
      .. ".%s")
  end
  return run.persona_bounds[name]
end

--- Ends the goal if a persona has used up what it may spend in the run, or if what a model costs is limited and not
--- known.
---@param run deskpilot.run
---@param name string
---@param model deskpilot.model.client that it is about to ask
---@return deskpilot.error? err why it is not asked
function persona.spent(run, name, model)
  local bounds = bounds_of(run, name)
  if (bounds.cost or run.goal.bounds.cost) and not spending.prices_of(model) then
    local words = ("what %s costs is limited (%s), and its prices are not known: say them, in US dollars for a million "
      .. "tokens, models = { [%q] = { input_price = 1, output_price = 4 } }"):format(model.name,
      (bounds.cost or run.goal.bounds.cost).words, model.name)
    run:stop("error", words)
    return errors.new("invalid", words)
  end
  local own = { spending = run.spending.personas[name] or spending.new() }
  local reached = goal_limits.reached(own, bounds, true)
  if reached then
    run:stop("incomplete", ("the %s is %s"):format(name, reached))
    return errors.new("refused", reached)
  end
  for _, words in ipairs(goal_limits.warnings(own, bounds)) do
    run:emit("guard", { name = "budgets", message = ("%s: %s"):format(name, words) })
  end
end

--- The tools that a policy's personas are offered: those of its groups and names, those of MCP servers, and those that
--- `tools.offer` adds.
--- Whatever else is found (a new file of tools/ with a group of its own) is offered to nobody.
---@param run deskpilot.run
---@param words string[] groups and names
---@return deskpilot.toolbox
function persona.toolbox(run, words)
  local all = { table.unpack(words) }
  for _, word in ipairs(run.config:get("tools.offer")) do all[#all + 1] = word end
  for _, group in ipairs(run.mcp and require "deskpilot.agent.mcp".groups(run) or {}) do all[#all + 1] = group end
  return run.toolbox:scope { groups = all, names = all }
end

--- The words of a prompt, with {{name}} replaced by its value.
---@param name string of a file in prompts/
---@param values table<string, string>?
---@return string
function persona.prompt(name, values)
  local words = assert(lookup.text("prompts/" .. name .. ".md"))
  return (words:gsub("{{(%w+)}}", function(key) return values and values[key] end))
end

-- Answers that no other turn will change: a wrong key, a model or an address that does not exist.
local useless = { [401] = true, [403] = true, [404] = true }

--- Whether asking again could not help: the server is not there, or does not know us or the model.
---@param err deskpilot.error
---@return boolean
function persona.is_gone(err)
  return err.code == "unavailable" or useless[err.status] == true
end

--- Asks one persona. A model that refuses or is not there ends the run; every other failure is a step.
---@param run deskpilot.run
---@param name string
---@param request table as for run:ask
---@return deskpilot.reply? reply, deskpilot.error? err
function persona.ask(run, name, request)
  request.persona = name
  local reply, err = run:ask(request)
  if reply and reply.refusal then
    run:stop("failed", ("the %s refused: %s"):format(name, text.one_line(reply.refusal)))
    return nil, errors.new("refused", reply.refusal)
  end
  if not reply and run.outcome then return nil, err end
  if not reply and persona.is_gone(err) then
    run:emit("error", { name = name, message = err.message, code = err.code })
    run:stop("error", err.message)
    run.outcome.missing = true -- the environment lacks something: the program's exit status says so
  end
  return reply, err
end

return persona
