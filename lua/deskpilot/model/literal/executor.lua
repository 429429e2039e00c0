--- literal as one who acts once a turn: the next step as one tool call.
local text = require "deskpilot.base.text"
local answers = require "deskpilot.model.literal.answers"
local course = require "deskpilot.model.literal.course"
local deeds = require "deskpilot.model.literal.deeds"
local popups = require "deskpilot.model.literal.popups"

local executor = {}

-- Waits a second for what is not there yet; without that tool says so, and in the end gives up.
local function look_again(state, missing)
  local what = ("Step %d of %d (%s): %s"):format(state.now, #state.plan, state.step.says, missing)
  if course.looked_enough(state) then
    return answers.refuse(("%s, after %d looks. literal gives up."):format(what, state.looks))
  end
  if not state.offered "wait" then return answers.say(what .. ".") end
  return answers.call(what .. "; waiting.", "wait", {
    seconds = 1,
    justification = course.justify(state, state.now, ("Look %d. What it needs is not on screen yet: %s."):format(
      state.looks + 1, missing)),
  })
end

local function complete(state)
  local says = {}
  for i, step in ipairs(state.plan) do says[i] = step.says end
  local evidence = ("All %d steps that the task spells out were carried out without an error (%s). What is "
    .. "on screen now: %s."):format(#state.plan, text.cut(table.concat(says, ", "), 300),
    course.what_is_seen(state.view, state.plan))
  local claims = 0
  for _, action in ipairs(state.view.actions) do
    if action.tool == "report_completion" then claims = claims + 1 end
  end
  if claims >= course.most_errors then
    return answers.refuse("Every step was done and that was reported, and still it is not accepted. " .. evidence)
  end
  if not state.offered "report_completion" then return answers.say(evidence) end
  return answers.call("All steps are done.", "report_completion", { evidence = evidence })
end

local function act(state, deed, number)
  local step = state.plan[number]
  if not state.offered(deed.tool) then
    return answers.refuse(("Step %d of %d (%s) needs the tool %s, which is not offered."):format(number, #state.plan,
      step.says, deed.tool))
  end
  deed.args.justification = deed.why
  return answers.call(("Step %d of %d: %s."):format(number, #state.plan, step.says), deed.tool, deed.args)
end

-- What gets a popup or a question of the page out of the way.
local function clear(state, deed, why)
  if not deed then return answers.refuse(why) end
  return act(state, deed, math.min(state.now, #state.plan))
end

--- The answer for an executor's request.
---@param state deskpilot.literal.course
---@return deskpilot.literal.answer
function executor.answer(state)
  local given_up = course.given_up(state)
  if given_up then return answers.refuse(given_up) end
  if popups.asks(state) then return clear(state, popups.answer(state)) end
  local step = state.step
  if not step then return complete(state) end
  if step.kind == "expect" or step.kind == "wait_for" then
    return look_again(state, course.unseen(state))
  end
  local deed, why = deeds.of(state, state.now)
  if deed then return act(state, deed, deed.number) end
  if popups.covers(state) then return clear(state, popups.close(state)) end
  return look_again(state, why)
end

return executor
