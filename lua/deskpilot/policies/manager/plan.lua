--- The Manager's plan: what it is written in, and what is checked before anybody works on it. A subtask says what is to
--- be reached, by which role, what it needs of others and what it gives them; how it is reached is its worker's affair.
local json = require "deskpilot.base.json"
local schema_fields = require "deskpilot.agent.fields"
local similar = require "deskpilot.agent.similar"
local text = require "deskpilot.base.text"

local plan = {}

---@class deskpilot.manager.subtask
---@field id string "S1", in the order in which they were planned
---@field title string
---@field intent string what is to be reached
---@field role "operator"|"analyst"|"technician"
---@field completion string what shows that it is done
---@field needs string[] names of what others have given
---@field gives string[] names of what it leaves for others
---@field status "open"|"done"|"failed"|"dropped"
---@field operations integer answers of its worker
---@field seconds number that they took
---@field supplements integer how often something was found missing
---@field missing string? what is still missing
---@field advice string? what the Evaluator has said last
---@field result string? what its worker has reported
---@field why string? why it has failed

local function names(name, about)
  return { name = name, type = "array", maxItems = 10, optional = true, description = about,
    items = { type = "string", pattern = "^[A-Za-z_][A-Za-z0-9_.-]*$", maxLength = 64 } }
end

--- The tool that a plan is written by.
---@param run deskpilot.run
---@param roles string[] that a subtask may be given to
---@return table definition
function plan.definition(run, roles)
  return { name = "write_plan", description = "Write the plan of what is left to do, or an empty one if nothing is.",
    parameters = schema_fields.object {
      { name = "reason", type = "string", minLength = 1, maxLength = 2000,
        description = "What the screen and the reports show, and why this is the plan." },
      { name = "subtasks", type = "array", maxItems = run.config:get "manager.subtasks", items = schema_fields.object {
        { name = "title", type = "string", minLength = 1, maxLength = 120 },
        { name = "intent", type = "string", minLength = 10, maxLength = 2000,
          description = "What is to be reached, with every name and value that it takes; not how." },
        { name = "role", type = "string", enum = json.list(roles) },
        { name = "completion", type = "string", minLength = 1, maxLength = 500,
          description = "What shows that it is done." },
        names("needs", "Names of what other subtasks give to this one."),
        names("gives", "Names of what it leaves for others, such as questions, answers, total."),
      } },
    } }
end

-- --- single subtasks ----------------------------------------------------------------------------------------------

-- How something is done on a screen, wherever it stands; and as what somebody is told to do: "the type of the file" is
-- no instruction.
local never = { "click", "clicks", "clicking", "doubleclick", "rightclick", "drag", "dragging", "typing", "hotkey" }
local orders = { "type", "press", "scroll", "hover" }
local looks = { "verify", "validate", "confirm that", "make sure", "ensure that", "check that", "check whether",
  "check if", "doublecheck" }
local optional = { "optional", "optionally", "if desired", "nice to have" }

-- Its words in small letters with one blank around each, and "|" where a part of a sentence begins.
local function plain(sentence)
  local words = sentence:lower():gsub("double[%s-]c", "doublec"):gsub("right[%s-]c", "rightc")
  words = words:gsub("[.,;:!?\n()]", " | "):gsub("[^%w|\128-\255]", " ")
  local parts = { "", "|" }
  for word in words:gmatch "%S+" do
    parts[#parts + 1] = (word == "and" or word == "then" or word == "to") and "|" or word
  end
  return table.concat(parts, " ") .. " "
end

local function first_of(words, list, before)
  for _, word in ipairs(list) do
    if words:find(before .. word .. " ", 1, true) then return word end
  end
end

local function problem_of(subtask)
  local words = plain(subtask.title) .. plain(subtask.intent)
  local how = first_of(words, never, " ") or first_of(words, orders, " | ")
  if how then
    return ('it says how ("%s"): say what is to be reached, and leave the way to the worker'):format(how)
  end
  local look = first_of(plain(subtask.title):sub(1, 40), looks, " | ")
    or first_of(plain(subtask.intent):sub(1, 40), looks, " | ")
  if look then return ('it only verifies ("%s"): leave it out, the Evaluator looks after each subtask'):format(look) end
  local spare = first_of(words, optional, " ")
  if spare then return ('it is not needed ("%s"): plan only what the task asks for'):format(spare) end
end

-- --- the plan as a whole --------------------------------------------------------------------------------------------

-- Who gives each name: the subtasks that are done, then those of the plan, each { gives, needs, role }.
local function givers_of(done, list, problems)
  local givers = {}
  for _, subtask in ipairs(done) do
    for _, name in ipairs(subtask.gives) do givers[name] = { subtask = subtask, at = 0 } end
  end
  for i, subtask in ipairs(list) do
    for _, name in ipairs(subtask.gives) do
      if givers[name] and givers[name].at > 0 then
        problems[#problems + 1] = ("subtask %d: %s is given by subtask %d already"):format(i, name, givers[name].at)
      else
        givers[name] = { subtask = subtask, at = i }
      end
    end
  end
  return givers
end

local function check_needs(i, subtask, givers, problems)
  for _, name in ipairs(subtask.needs) do
    local giver = givers[name]
    if not giver then
      problems[#problems + 1] = ("subtask %d: it needs %s, and no subtask gives that"):format(i, name)
    elseif giver.at >= i then
      problems[#problems + 1] = ("subtask %d: it needs %s, which is given only by subtask %d"):format(i, name,
        giver.at)
    end
  end
  if subtask.role == "analyst" and #subtask.needs == 0 then
    problems[#problems + 1] = ("subtask %d: an Analyst sees no screen, so it needs what others have gathered; name it "
      .. "in `needs`, and in `gives` of who gathers it"):format(i)
  end
end

-- Whether a subtask uses, by however many others, what another one of the plan gives.
local function depends(subtask, other, givers, depth)
  for _, name in ipairs(depth < 50 and subtask.needs or {}) do
    local giver = givers[name]
    if giver and giver.at > 0 and (giver.subtask == other or depends(giver.subtask, other, givers, depth + 1)) then
      return true
    end
  end
  return false
end

local function applies(subtask, givers)
  for _, name in ipairs(subtask.role == "operator" and subtask.needs or {}) do
    if givers[name] and givers[name].subtask.role == "analyst" then return true end
  end
  return false
end

-- Everything is gathered, one Analyst answers, one Operator applies: two of a kind have to build on each other.
local function check_passes(list, givers, problems)
  for i, subtask in ipairs(list) do
    for k = 1, i - 1 do
      local other = list[k]
      local apart = not depends(subtask, other, givers, 0)
      if apart and subtask.role == "analyst" and other.role == "analyst" then
        problems[#problems + 1] = ("subtasks %d and %d: gather everything first, then let one Analyst subtask answer "
          .. "all of it"):format(k, i)
      elseif apart and applies(subtask, givers) and applies(other, givers) then
        problems[#problems + 1] = ("subtasks %d and %d: let one Operator subtask apply all the answers"):format(k, i)
      end
    end
  end
end

-- Whether two are the same piece of work, whoever does it.
local function same_work(one, other)
  return similar.same(one.title, other.title) and similar.same(one.intent, other.intent)
end

local function check_repeats(i, subtask, list, done, problems)
  for k = 1, i - 1 do
    if same_work(subtask, list[k]) then
      problems[#problems + 1] = ("subtask %d: it is the same as subtask %d"):format(i, k)
    end
  end
  for _, other in ipairs(done) do
    if same_work(subtask, other) then
      problems[#problems + 1] = ("subtask %d: it was done already as %s (%s)"):format(i, other.id, other.title)
    end
  end
end

--- Whether the task wants something to be seen in a terminal.
---@param task string
---@return boolean
function plan.wants_terminal(task)
  local words = plain(task)
  local where = first_of(words, { "terminal", "console", "shell window" }, " ")
  return where ~= nil and first_of(words, { "show", "shows", "shown", "print", "prints", "printed", "display",
    "displayed", "see", "visible" }, " ") ~= nil
end

-- What a Technician does is on no screen.
local function check_terminal(task, list, problems)
  if not plan.wants_terminal(task) then return end
  local last
  for _, subtask in ipairs(list) do
    if subtask.role ~= "analyst" then last = subtask.role end
  end
  if last == "technician" then
    problems[#problems + 1] = "the task wants something to be seen in a terminal, and nobody sees what a Technician "
      .. "does: let an Operator subtask after it show the result in a terminal window"
  end
end

--- What is wrong with a plan.
---@param task string
---@param list deskpilot.manager.subtask[]
---@param done deskpilot.manager.subtask[] those that are done already
---@return string[] problems sentences for the Manager
function plan.problems(task, list, done)
  local problems = {}
  local givers = givers_of(done, list, problems)
  for i, subtask in ipairs(list) do
    local why = problem_of(subtask)
    if why then problems[#problems + 1] = ("subtask %d (%s): %s"):format(i, text.cut(subtask.title, 60), why) end
    check_repeats(i, subtask, list, done, problems)
    check_needs(i, subtask, givers, problems)
  end
  check_passes(list, givers, problems)
  check_terminal(task, list, problems)
  return problems
end

--- The subtasks of a plan that are in one of these states.
---@param list deskpilot.manager.subtask[]
---@param status string
---@return deskpilot.manager.subtask[]
function plan.of_status(list, status)
  local found = {}
  for _, subtask in ipairs(list) do
    if subtask.status == status then found[#found + 1] = subtask end
  end
  return found
end

--- Reads a plan from the arguments of `write_plan`.
---@param run deskpilot.run
---@param args table that the schema allows
---@return { reason: string, subtasks: deskpilot.manager.subtask[] }? written, string? why sentences for the Manager
function plan.read(run, args)
  local known, list = run.state.plan or {}, {}
  for i, given in ipairs(args.subtasks) do
    list[i] = { id = ("S%d"):format(#known + i), title = text.one_line(given.title), intent = given.intent,
      role = given.role, completion = given.completion, needs = json.list(given.needs or {}),
      gives = json.list(given.gives or {}), status = "open", operations = 0, seconds = 0, supplements = 0 }
  end
  local done = plan.of_status(known, "done")
  if #list == 0 and #done == 0 then return nil, "an empty plan means that all is done, and nothing was done yet" end
  local problems = plan.problems(run.task, list, done)
  if #problems > 0 then return nil, table.concat(problems, "\n") end
  return { reason = args.reason, subtasks = list }
end

--- Takes a plan in place of what was left of the one before. What succeeded stays.
---@param run deskpilot.run
---@param written { reason: string, subtasks: deskpilot.manager.subtask[] }
---@return { kept: string[], dropped: string[], reassigned: string[] } changes by id
function plan.take(run, written)
  local s = run.state
  local changes = { kept = json.list {}, dropped = json.list {}, reassigned = json.list {} }
  for _, old in ipairs(s.plan) do
    if old.status == "done" then table.insert(changes.kept, old.id) end
    if old.status == "open" then
      local again
      for _, new in ipairs(written.subtasks) do again = again or same_work(old, new) and new or nil end
      old.status = "dropped"
      if not again then table.insert(changes.dropped, old.id)
      elseif again.role ~= old.role then table.insert(changes.reassigned, again.id) end
    elseif old.status == "failed" then
      for _, new in ipairs(written.subtasks) do
        if same_work(old, new) and new.role ~= old.role then table.insert(changes.reassigned, new.id) end
      end
    end
  end
  for _, new in ipairs(written.subtasks) do table.insert(s.plan, new) end
  return changes
end

--- A subtask in a line.
---@param subtask deskpilot.manager.subtask
---@return string
function plan.line(subtask)
  local ends = subtask.status == "failed" and " FAILED: " .. text.cut(text.one_line(subtask.why or ""), 300)
    or subtask.result and " -> " .. text.cut(text.one_line(subtask.result), 300) or ""
  local gives = #subtask.gives > 0 and " [gives " .. table.concat(subtask.gives, ", ") .. "]" or ""
  return ("%s (%s): %s%s%s"):format(subtask.id, subtask.role, subtask.title, gives, ends)
end

return plan
