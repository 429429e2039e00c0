--- literal as one who commands: a doctrine and orders that say no more than the task's steps.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"
local answers = require "deskpilot.model.literal.answers"
local deeds = require "deskpilot.model.literal.deeds"

local orders = {}

local function list_of(plan)
  local lines = {}
  for i, step in ipairs(plan) do lines[i] = ("%d. %s"):format(i, step.says) end
  return table.concat(lines, "\n")
end

local prompt_format = [[
You are the executor of one mission on a live desktop. The mission is written as a list of steps, and
your work is to carry them out one at a time, in the order in which they stand, and to do nothing that
they do not ask for.

The mission, word for word:
%s

The same mission as %d numbered steps:
%s

How to work. Each turn you are shown the screen, the list of its elements with their roles, names,
centres and values, and the most recent actions with their results. Find out from the recent actions
which step was the last to succeed; the next one is yours. Make exactly one tool call per turn. Begin
its justification with "Step N of M:" and the step, so that the next turn can tell how far the work
has come. Take the position of a target from the list of elements: an exact name first, then the same
name in another case, and only then a name that contains it, when there is just one. Prefer what can
be pressed to a mere label.

When something is not there. A result that begins with ERROR means that the step was not done: try the
same step again, at most three times, and then say so instead of acting. Where a target or an expected
text is not on screen yet, wait a second and look again rather than clicking on a guess. Never invent
a position, and never take a step's success for granted: read the values on screen.

When all is done. After the last step look at the screen once more, name what can be seen there that
shows the result (values, names, the window's title), and report completion with that as evidence. If
the evidence is not there, say so plainly and do not report completion.]]

local wanted_phases = { INIT = true, FALLBACK = true }

-- The names that update_phase_tools would take, where its schema lists them.
local function allowed_names(tool)
  local at = tool
  for _, key in ipairs { "parameters", "properties", "tool_names", "items", "enum" } do
    if type(at) ~= "table" then return nil end
    at = at[key]
  end
  if type(at) ~= "table" then return nil end
  local allowed = {}
  for _, name in ipairs(at) do allowed[name] = true end
  return allowed
end

local function needed_tools(plan, allowed)
  local needed = { report_completion = true, wait = true }
  for _, step in ipairs(plan) do
    for _, name in ipairs(deeds.tools(step)) do needed[name] = true end
  end
  local names = json.list()
  for _, name in ipairs(text.keys(needed)) do
    if not allowed or allowed[name] then table.insert(names, name) end
  end
  return names
end

--- The answer for the Tactician's request.
---@param view deskpilot.literal.view
---@param plan deskpilot.literal.step[]
---@param tools table<string, table> the functions offered, by name
---@return deskpilot.literal.answer
function orders.tactician(view, plan, tools)
  if view.phase and not wanted_phases[view.phase:upper()] then
    return answers.say(("Phase %s stays as it is: its tools are those that the steps need, and the steps have not "
      .. "changed."):format(view.phase))
  end
  local calls = {}
  if tools.spawn_executor_prompt then
    table.insert(calls, { name = "spawn_executor_prompt", arguments = {
      prompt = prompt_format:format(view.mission, #plan, list_of(plan)), phase = "EXECUTION",
      rationale = ("The task spells out its %d steps, so one phase that follows them is enough; the prompt "
        .. "holds them all and says how to tell which one is next."):format(#plan),
    } })
  end
  if tools.update_phase_tools then
    local names = needed_tools(plan, allowed_names(tools.update_phase_tools))
    table.insert(calls, { name = "update_phase_tools", arguments = {
      tool_names = names, rationale = "These are the tools that the task's steps need, and no others: "
        .. text.join(names) .. ".",
    } })
  end
  return { content = "One phase, EXECUTION, follows the task's steps.", calls = calls }
end

local doctrine_format = [[
1. MISSION RESTATEMENT
%s

2. RECONNAISSANCE PHASE
The active window is %s, and %d elements are listed on screen. literal knows no more than that.

3. INTERMEDIATE PHASES
One, EXECUTION: carry out the %d steps below one at a time and in this order, each by one tool call; look at the screen
between them.
%s

4. VERIFICATION PHASE
In the last turn: what the steps expect is read off the screen again before completion is claimed.

5. OPERATIONAL RISKS
A name that is not on screen (wait a second and look again), a step that fails (try it again, three
times at most), a text that never appears (say so and stop). Nothing else is tried.

6. COMMANDER'S DIRECTIVES
Do only what the steps say. Act on elements by their listed positions, never on a guess.

SUCCESS CRITERIA
%s]]

--- The answer for the Strategist's request, which offers no tools.
---@param view deskpilot.literal.view
---@param plan deskpilot.literal.step[]
---@return deskpilot.literal.answer
function orders.strategist(view, plan)
  local criteria = {}
  for _, step in ipairs(plan) do
    if step.kind == "expect" then
      table.insert(criteria, "- " .. json.encode(step.text) .. " is seen on screen, in a name, a value or a title.")
    end
  end
  table.insert(criteria, ("- All %d steps were carried out without an error left standing."):format(#plan))
  return answers.say(doctrine_format:format(view.mission, view.window and json.encode(view.window) or "not known",
    #view.elements, #plan, list_of(plan), table.concat(criteria, "\n")))
end

return orders
