--- literal: what stands in for a model where there is none. It is no language model: it reads steps
--- that a task spells out (see literal/steps.lua), finds their targets by name in the request's list
--- of elements, and answers in OpenAI's shape, through the same decoding and tools as any model. It
--- sees the request and nothing else, and knows how far it is only from RECENT ACTIONS: the "Step N
--- of M" that its own justifications begin with.
---
--- A task that it cannot read it refuses, and what does not come true it gives up: both are a
--- message with `refusal` (a sentence) and no tool call, so that a policy can end the run.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"
local screen = require "deskpilot.model.literal.screen"
local steps = require "deskpilot.model.literal.steps"

local literal = {}

literal.says_first = "literal: not a language model; it follows steps written in the task"

local most_errors = 3 -- of one step
local most_looks = { expect = 10, wait_for = 60 } -- a second each; 10 for a target that is not there
local quote = steps.quote

--- Answers ------------------------------------------------------------------------------------------

---@class deskpilot.literal.answer
---@field content string
---@field calls { name: string, arguments: table }[]?
---@field refusal string?

local function say(content)
  return { content = content }
end

local function call(content, name, arguments)
  return { content = content, calls = { { name = name, arguments = arguments } } }
end

local function refuse(sentence)
  return { content = sentence, refusal = sentence }
end

local function response(answer, turn)
  local calls
  for i, item in ipairs(answer.calls or {}) do
    calls = calls or json.list()
    calls[i] = {
      id = ("literal_%d_%d"):format(turn or 0, i), type = "function",
      ["function"] = { name = item.name, arguments = json.encode(item.arguments) },
    }
  end
  return {
    id = "literal", object = "chat.completion", created = 0, model = "literal",
    choices = { {
      index = 0, finish_reason = calls and "tool_calls" or "stop",
      message = {
        role = "assistant", content = literal.says_first .. "\n" .. answer.content,
        tool_calls = calls, refusal = answer.refusal,
      },
    } },
    usage = { prompt_tokens = 0, completion_tokens = 0, total_tokens = 0 },
  }
end

--- Executor: how far it is --------------------------------------------------------------------------

-- The step to do now, how often it failed, and how often it was looked for in vain. A wait is no
-- progress, except of a step that asks for one.
local function progress(view, plan)
  local now, errors, looks = 1, 0, 0
  for _, action in ipairs(view.actions) do
    local number = action.step
    if number and number >= 1 and number <= #plan then
      if number ~= now then now, errors, looks = number, 0, 0 end
      if action.failed then
        errors = errors + 1
      elseif action.tool == "wait" and plan[number].kind ~= "pause" then
        looks = math.max(looks + 1, action.look)
      else
        now, errors, looks = number + 1, 0, 0
      end
    end
  end
  return now, errors, looks
end

-- Passes over expectations that are already seen.
local function skip_seen(view, plan, now)
  while plan[now] and plan[now].text and plan[now].kind ~= "type" and screen.seen(view, plan[now].text) do
    now = now + 1
  end
  return now
end

local function justify(number, plan, because)
  return ("Step %d of %d: %s. %s The task is written as a list of steps, the recent actions show every "
    .. "step before this one as done, and so this step is the one that comes next in the order that "
    .. "the task gives."):format(number, #plan, text.cut(plan[number].says, 45), because)
end

--- Executor: one step -------------------------------------------------------------------------------

local tools_of = {
  click = "click_element", double_click = "double_click_element", right_click = "right_click_element",
  type = "type_text", press = "press_key", scroll_down = "scroll_down", scroll_up = "scroll_up",
  drag = "drag_element", pause = "wait", wait_for = "wait", expect = "wait",
}

local function listed(view, name)
  local names = screen.nearest(view, name)
  if #names == 0 then return "no element is listed at all" end
  for i, other in ipairs(names) do names[i] = quote(text.cut(other, 40)) end
  return "the nearest names listed are " .. text.join(names)
end

-- Waits a second for what is not there yet; without that tool says so, and in the end gives up.
local function look_again(state, missing, limit)
  local number = state.now
  local what = ("Step %d of %d (%s): %s"):format(number, #state.plan, state.step.says, missing)
  if state.looks >= limit then
    return refuse(("%s, after %d looks. literal gives up."):format(what, state.looks))
  end
  if not state.tools.wait then return say(what .. ".") end
  return call(what .. "; waiting.", "wait", {
    seconds = 1,
    justification = justify(number, state.plan, ("Look %d. What it needs is not on screen yet: %s."):format(
      state.looks + 1, missing)),
  })
end

local function act(state, because, arguments)
  local tool = tools_of[state.step.kind]
  if not state.tools[tool] then
    return refuse(("Step %d of %d (%s) needs the tool %s, which is not offered."):format(state.now,
      #state.plan, state.step.says, tool))
  end
  arguments.justification = justify(state.now, state.plan, because)
  return call(("Step %d of %d: %s."):format(state.now, #state.plan, state.step.says), tool, arguments)
end

local function place(element)
  return json.list { element.x, element.y }
end

-- What to call it to the tool, which wants a name even for what has none.
local function label_of(element, name)
  return element.name ~= "" and element.name or name
end

local function described(element)
  return ("%s %s at [%d, %d]"):format(element.role, quote(text.cut(element.name, 60)), element.x, element.y)
end

local function missing(state, name)
  return look_again(state, ("nothing named %s is listed on screen; %s"):format(quote(name),
    listed(state.view, name)), most_looks.expect)
end

local doers = {}

function doers.click(state)
  local step = state.step
  local element = screen.find(state.view, step.target, step.role)
  if not element then return missing(state, step.target) end
  return act(state, ("The target is %s."):format(described(element)),
    { label = label_of(element, step.target), position = place(element) })
end
doers.double_click, doers.right_click = doers.click, doers.click

function doers.drag(state)
  local from = screen.find(state.view, state.step.target)
  if not from then return missing(state, state.step.target) end
  local to = screen.find(state.view, state.step.to)
  if not to then return missing(state, state.step.to) end
  return act(state, ("It goes from %s to %s."):format(described(from), described(to)),
    { label = label_of(from, state.step.target), start = place(from), ["end"] = place(to) })
end

function doers.type(state)
  return act(state, "The text goes to what has the keyboard focus.", { text = state.step.text })
end

function doers.press(state)
  return act(state, "The key goes to what has the keyboard focus.", { key = state.step.key })
end

function doers.scroll_down(state)
  return act(state, "The view under the pointer is scrolled by one notch of the tool.", {})
end
doers.scroll_up = doers.scroll_down

function doers.pause(state)
  return act(state, "The task asks for this pause.", { seconds = state.step.seconds })
end

function doers.expect(state)
  return look_again(state, ("%s is seen in no element's name or value, nor in the window's title; %s"):format(
    quote(state.step.text), listed(state.view, state.step.text)), most_looks[state.step.kind])
end
doers.wait_for = doers.expect

--- Executor: the end --------------------------------------------------------------------------------

local function what_is_seen(view, plan)
  local seen = {}
  for _, step in ipairs(plan) do
    local where = (step.kind == "expect" or step.kind == "wait_for") and screen.seen(view, step.text)
    if where then table.insert(seen, quote(step.text) .. " is seen in " .. where) end
  end
  for _, element in ipairs(view.elements) do
    if #seen >= 8 then break end
    if element.value and element.value ~= "" then
      table.insert(seen, ("%s %s has the value %s"):format(element.role, quote(text.cut(element.name, 40)),
        quote(text.cut(element.value, 80))))
    end
  end
  if view.window then table.insert(seen, "the active window is " .. quote(view.window)) end
  return #seen > 0 and table.concat(seen, "; ") or "the request lists neither values nor a window title"
end

local function complete(state)
  local says = {}
  for i, step in ipairs(state.plan) do says[i] = step.says end
  local evidence = ("All %d steps that the task spells out were carried out without an error (%s). What is "
    .. "on screen now: %s."):format(#state.plan, text.cut(table.concat(says, ", "), 300),
    what_is_seen(state.view, state.plan))
  local claims = 0
  for _, action in ipairs(state.view.actions) do
    if action.tool == "report_completion" then claims = claims + 1 end
  end
  if claims >= most_errors then
    return refuse("Every step was done and that was reported, and still it is not accepted. " .. evidence)
  end
  if not state.tools.report_completion then return say(evidence) end
  return call("All steps are done.", "report_completion", { evidence = evidence })
end

local function last_error(view, number)
  local why = ""
  for _, action in ipairs(view.actions) do
    if action.failed and action.step == number then why = action.tool end
  end
  return why
end

local function executor(view, plan, tools)
  local now, errors, looks = progress(view, plan)
  if errors >= most_errors then
    return refuse(("Step %d of %d (%s) failed %d times by %s; the recent actions hold the reasons. literal "
      .. "gives up."):format(now, #plan, plan[now].says, errors, last_error(view, now)))
  end
  local next_step = skip_seen(view, plan, now)
  if next_step ~= now then now, looks = next_step, 0 end
  local state = { view = view, plan = plan, tools = tools, now = now, looks = looks, step = plan[now] }
  if not state.step then return complete(state) end
  return doers[state.step.kind](state)
end

--- Tactician ----------------------------------------------------------------------------------------

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
  for _, step in ipairs(plan) do needed[tools_of[step.kind]] = true end
  local names = json.list()
  for _, name in ipairs(text.keys(needed)) do
    if not allowed or allowed[name] then table.insert(names, name) end
  end
  return names
end

local function tactician(view, plan, tools)
  if view.phase and not wanted_phases[view.phase:upper()] then
    return say(("Phase %s stays as it is: its tools are those that the steps need, and the steps have not "
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

--- Strategist ---------------------------------------------------------------------------------------

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

local function strategist(view, plan)
  local criteria = {}
  for _, step in ipairs(plan) do
    if step.kind == "expect" then
      table.insert(criteria, "- " .. quote(step.text) .. " is seen on screen, in a name, a value or a title.")
    end
  end
  table.insert(criteria, ("- All %d steps were carried out without an error left standing."):format(#plan))
  return say(doctrine_format:format(view.mission, view.window and quote(view.window) or "not known",
    #view.elements, #plan, list_of(plan), table.concat(criteria, "\n")))
end

--- A request ----------------------------------------------------------------------------------------

local function text_of(content)
  if type(content) == "string" then return content end
  local parts = {}
  for _, part in ipairs(type(content) == "table" and content or {}) do
    if type(part.text) == "string" then table.insert(parts, part.text) end
  end
  return table.concat(parts, "\n")
end

-- The newest message of the user's that holds a mission.
local function request_text(messages)
  for i = #messages, 1, -1 do
    local said = messages[i].role == "user" and text_of(messages[i].content) or ""
    if ("\n" .. said):find("\nMISSION:", 1, true) then return said end
  end
  return ""
end

local function offered(list)
  local tools = {}
  for _, tool in ipairs(list or {}) do
    local fn = tool["function"]
    if fn then tools[fn.name] = fn end
  end
  return tools
end

local function decide(view, tools)
  if not view.mission or view.mission == "" then
    return refuse("The request names no mission (no section MISSION:), and literal reads nothing else.")
  end
  local plan, unreadable = steps.read(view.mission)
  if not plan then
    return refuse(("literal cannot read this task as steps: %s. The steps it knows are: %s. Write the task "
      .. "as such steps, or use a language model (--model, --endpoint)."):format(unreadable, steps.known))
  end
  if next(tools) == nil then return strategist(view, plan) end
  if tools.spawn_executor_prompt or tools.update_phase_tools then return tactician(view, plan, tools) end
  return executor(view, plan, tools)
end

--- Answers a chat request of OpenAI's shape in the same: choices[1].message, usage (all zero, as no
--- token was made). `message.refusal` is set when it cannot or will no longer go on.
---@param request table { messages =, tools =? }
---@return table response
function literal.chat(request)
  local view = screen.read(request_text(request.messages))
  return response(decide(view, offered(request.tools)), view.turn)
end

return literal
