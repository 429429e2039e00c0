--- literal: what stands in for a model where there is none. It is no language model: it reads the steps that a task
--- spells out (literal/steps.lua), finds their targets by name in what the run itself knows, and answers in OpenAI's
--- shape, through the same decoding and tools as any model. By the tools that are offered it knows whom it is asked as.
---
--- A task that it cannot read it refuses, and what does not come true it gives up: both are a message with `refusal` (a
--- sentence) and no tool call, so that a policy can end the run.
local json = require "deskpilot.base.json"
local course = require "deskpilot.model.literal.course"
local faces = require "deskpilot.model.literal.faces"
local steps = require "deskpilot.model.literal.steps"

local literal = {}

literal.says_first = "literal: not a language model; it follows steps written in the task"

-- An answer, or nil and why there is none.
local function decide(facts, offered)
  if not (facts and facts.task) then
    return nil, "literal acts on what a run knows of its task and its desktop, and this request tells nothing of it."
  end
  if offered.correct then
    return nil, "literal looks at no picture, so it knows no corrective action: what it could not do by the task's "
      .. "steps needs a vision model."
  end
  local plan, unreadable = steps.read(facts.task)
  if not plan then
    return nil, ("literal cannot read this task as steps: %s. The steps it knows are: %s. Write the task as such "
      .. "steps, or use a language model (--model, --endpoint)."):format(unreadable, steps.known)
  end
  if next(offered) == nil or offered.write_doctrine then
    return faces.strategist(facts, plan, offered.write_doctrine)
  end
  if offered.spawn_executor_prompt then return faces.tactician(course.read(facts, plan)) end
  if offered.decide then return faces.orchestrator(course.read(facts, plan), offered.decide) end
  if offered.write_plan then return faces.manager(course.read(facts, plan)) end
  if offered.judge then return faces.evaluator(course.read(facts, plan), offered.judge) end
  if offered.plan then return faces.planner(course.read(facts, plan), offered.plan) end
  if offered.tap then return faces.agent(course.read(facts, plan), offered) end
  return faces.executor(course.read(facts, plan), offered)
end

local function response(answer)
  local calls
  for i, call in ipairs(answer.calls or {}) do
    calls = calls or json.list()
    calls[i] = { id = "literal_" .. i, type = "function",
      ["function"] = { name = call.name, arguments = json.encode(call.args) } }
  end
  return {
    model = "literal",
    choices = { { finish_reason = calls and "tool_calls" or "stop", message = { role = "assistant", tool_calls = calls,
      content = literal.says_first .. "\n" .. answer.content, refusal = answer.refusal } } },
    usage = { prompt_tokens = 0, completion_tokens = 0, total_tokens = 0 },
  }
end

--- Answers a chat request in OpenAI's shape: choices[1].message, usage (all zero, as no token was made).
--- `message.refusal` is set when it cannot or will no longer go on.
---@param request { facts: deskpilot.literal.facts?, tools: table[]? } its messages are not looked at
---@return table response
function literal.chat(request)
  local offered = {}
  for _, tool in ipairs(request.tools or {}) do offered[tool["function"].name] = tool["function"] end
  local answer, why = decide(request.facts, offered)
  return response(answer or { content = why, refusal = why })
end

return literal
