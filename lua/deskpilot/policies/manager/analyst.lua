--- The Analyst: the worker that sees no screen and has no tool that acts. It works on what others have memorized and
--- reported, and answers all of it at once; a machine calculates for it.
local asking = require "deskpilot.policies.manager.asking"
local json = require "deskpilot.base.json"
local notebook = require "deskpilot.agent.notebook"
local orders = require "deskpilot.policies.manager.orders"
local persona = require "deskpilot.agent.persona"
local schema_fields = require "deskpilot.agent.fields"
local text = require "deskpilot.base.text"

local analyst = {}

local answer_tool = {
  name = "answer", group = "finish", acts = false,
  description = "Give all answers at once, in the order of the items.",
  parameters = schema_fields.object {
    { name = "answers", type = "array", minItems = 1, maxItems = 100, items = schema_fields.object {
      { name = "item", type = "string", maxLength = 64,
        description = "The item's name; where nothing was memorized, a name for the result." },
      { name = "how", type = "string", maxLength = 1000, description = "How it follows from the data." },
      { name = "answer", type = "string", minLength = 1, maxLength = 2000,
        description = "The answer in the form that is wanted, and nothing else." },
    } },
  },
  run = function() return "the Evaluator looks" end,
}

local missing_tool = {
  name = "report_missing", group = "finish", acts = false,
  description = "Say what is missing to answer. Whoever gathered is sent to get it.",
  parameters = schema_fields.object { { name = "missing", type = "string", minLength = 10, maxLength = 1000,
    description = "Which questions, data or guidance are missing, by the names of the items." } },
  run = function() return "it is asked for" end,
}

-- The subtasks that give what this one needs.
local function givers(run, subtask)
  local wanted, list = {}, {}
  for _, name in ipairs(subtask.needs) do wanted[name] = true end
  for _, other in ipairs(run.state.plan) do
    for _, name in ipairs(other.status == "done" and other.gives or {}) do
      if wanted[name] and list[#list] ~= other then list[#list + 1] = other end
    end
  end
  return list
end

-- The names of what one of them has memorized, in its order.
local function gathered(run, giver)
  return (run.state.gathered or {})[giver.id] or {}
end

local function all_items(run, subtask)
  local list = {}
  for _, giver in ipairs(givers(run, subtask)) do
    for _, name in ipairs(gathered(run, giver)) do list[#list + 1] = notebook.read(run.memory, name) end
  end
  return list
end

-- What of the items of an Operator is missing; nil where nothing is.
local function lack_of(run, giver)
  local names, lacks = gathered(run, giver), {}
  if #names == 0 then return "nothing was memorized: memorize every question with its data and guidance" end
  for _, name in ipairs(names) do
    local item = notebook.read(run.memory, name)
    local missing = item and notebook.lacks(item) or { "question", "data", "guidance" }
    if #missing > 0 then lacks[#lacks + 1] = ("%s has no %s"):format(name, text.join(missing)) end
  end
  if #lacks > 0 then return table.concat(lacks, "; ") end
end

--- What is missing before it can begin: of what an Operator was to gather, questions, data and guidance.
---@param run deskpilot.run
---@param subtask deskpilot.manager.subtask
---@return string? missing, deskpilot.manager.subtask? giver
function analyst.lacking(run, subtask)
  for _, giver in ipairs(givers(run, subtask)) do
    local missing = giver.role == "operator" and lack_of(run, giver)
    if missing then return missing, giver end
  end
end

local function told_items(items)
  local lines = {}
  for i, item in ipairs(items) do
    lines[i] = ("%d. %s\n  QUESTION: %s\n  GUIDANCE: %s\n  DATA: %s"):format(i, item.name, item.question, item.guidance,
      (item.data:gsub("\n", "\n    ")))
  end
  return { "GATHERED", #lines > 0 and table.concat(lines, "\n") or "nothing was memorized" }
end

-- What is wrong with the answers: each item has one, in their order; nil where nothing is.
local function problem_of(items, answers)
  for i, item in ipairs(items) do
    local given = answers[i]
    if not given then return ("there is no answer for %s: answer all %d items at once"):format(item.name, #items) end
    if given.item ~= item.name then
      return ("answer %d is for %s, and the item in that place is %s: keep the order of the items"):format(i,
        text.cut(given.item, 64), item.name)
    end
  end
  if #items > 0 and #answers > #items then
    return ("there are %d answers for %d items"):format(#answers, #items)
  end
end

-- Keeps the answers for who applies them, under the names that the subtask gives.
local function keep(run, subtask, answers)
  local lines = {}
  for i, given in ipairs(answers) do lines[i] = ("%d. %s: %s"):format(i, given.item, text.one_line(given.answer)) end
  local words = table.concat(lines, "\n")
  for _, name in ipairs(subtask.gives) do
    local ok, err = run.memory:set(name, words)
    if not ok then return nil, tostring(err) end
  end
  subtask.result = words
  return true
end

local function follow(run, subtask, call, items)
  if call.name == missing_tool.name then
    local giver = givers(run, subtask)[1] or subtask
    return "lacking", call.args.missing, { subtask = giver.id, missing = call.args.missing }
  end
  local why = problem_of(items, call.args.answers)
  if not why then
    local ok, problem = keep(run, subtask, call.args.answers)
    if ok then return "finished", subtask.result end
    why = problem
  end
  asking.reject(run, "analyst", call, why)
  return "working", why
end

--- Asks it once.
---@param run deskpilot.run
---@param subtask deskpilot.manager.subtask
---@return string trigger, string why, { subtask: string, missing: string }? lack
function analyst.step(run, subtask)
  local items = all_items(run, subtask)
  local own = { answer_tool, missing_tool, orders.failed_tool }
  local scope = run.toolbox:scope { names = { "recall", "calculate" }, reads_only = true }
  local names = scope:names()
  for _, tool in ipairs(own) do names[#names + 1] = tool.name end
  local call = asking.call(run, "analyst", { toolbox = scope:with(own), tools = names, image = false,
    system = persona.prompt "analyst", brief = { mission = "THE USER'S TASK", own_orders = orders.words(subtask),
      memory = true, notes = { told_items(items), orders.done_before(run) }, turn = true } })
  if run.outcome or not call then return "working", "the answer was of no use" end
  local trigger, why = orders.ended(subtask, call)
  if trigger then return trigger, why end
  run.history:add(run.turn, "note", ("the Analyst: %s %s"):format(call.name,
    text.cut(json.encode(call.args), 500)))
  return follow(run, subtask, call, items)
end

return analyst
