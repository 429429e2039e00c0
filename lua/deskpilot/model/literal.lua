--- literal: what stands in for a model where there is none. It is no language model: it reads steps
--- that a task spells out (see literal/steps.lua), finds their targets by name in the request's lists
--- of elements, and answers in OpenAI's shape, through the same decoding and tools as any model. It
--- sees the request and nothing else, and knows how far it is only from RECENT ACTIONS: the "Step N
--- of M" that its own justifications begin with. By the tools that are offered it knows what it is asked to be: a
--- planner (`plan`), a pair of eyes (`correct`, which it refuses), a commander, or one who acts once a turn.
---
--- A task that it cannot read it refuses, and what does not come true it gives up: both are a
--- message with `refusal` (a sentence) and no tool call, so that a policy can end the run.
local json = require "deskpilot.base.json"
local answers = require "deskpilot.model.literal.answers"
local course = require "deskpilot.model.literal.course"
local executor = require "deskpilot.model.literal.executor"
local orders = require "deskpilot.model.literal.orders"
local planner = require "deskpilot.model.literal.planner"
local screen = require "deskpilot.model.literal.screen"
local steps = require "deskpilot.model.literal.steps"

local literal = {}

literal.says_first = "literal: not a language model; it follows steps written in the task"

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

local function text_of(content)
  if type(content) == "string" then return content end
  local parts = {}
  for _, part in ipairs(type(content) == "table" and content or {}) do
    if type(part.text) == "string" then table.insert(parts, part.text) end
  end
  return table.concat(parts, "\n")
end

-- The newest message of the user's that holds a mission, or a goal, as some call it.
local function request_text(messages)
  for i = #messages, 1, -1 do
    local said = "\n" .. (messages[i].role == "user" and text_of(messages[i].content) or "")
    if said:find("\nMISSION:", 1, true) or said:find("\nGOAL:", 1, true) then return said end
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

-- Whether a tool may be used: offered itself or, where a plan is asked for, named in the plan's schema, if that names
-- any.
local function may_use(tools)
  local names = tools
  local at = tools.plan
  for _, key in ipairs { "parameters", "properties", "actions", "items", "properties", "tool", "enum" } do
    at = type(at) == "table" and at[key] or nil
  end
  if tools.plan then names = nil end
  if type(at) == "table" then
    names = {}
    for _, name in ipairs(at) do names[name] = true end
  end
  return function(name) return name ~= "" and (names == nil or names[name] ~= nil) end
end

local function decide(view, tools)
  if tools.correct then
    return answers.refuse("literal looks at no picture, so it knows no corrective action: what it could not do by the "
      .. "task's steps needs a vision model.")
  end
  if not view.mission or view.mission == "" then
    return answers.refuse("The request names no mission (no section MISSION or GOAL), and literal reads nothing else.")
  end
  local plan, unreadable = steps.read(view.mission)
  if not plan then
    return answers.refuse(("literal cannot read this task as steps: %s. The steps it knows are: %s. Write the task "
      .. "as such steps, or use a language model (--model, --endpoint)."):format(unreadable, steps.known))
  end
  if next(tools) == nil then return orders.strategist(view, plan) end
  if tools.spawn_executor_prompt or tools.update_phase_tools then return orders.tactician(view, plan, tools) end
  local state = course.read(view, plan, may_use(tools))
  return tools.plan and planner.answer(state) or executor.answer(state)
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
