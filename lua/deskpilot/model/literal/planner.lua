--- literal as one who plans: the next steps as a batch of actions, with what the task itself says should be seen
--- afterwards. Steps go together as long as each one's target is listed now and the ones before it leave the list as
--- it is.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"
local answers = require "deskpilot.model.literal.answers"
local course = require "deskpilot.model.literal.course"
local deeds = require "deskpilot.model.literal.deeds"
local popups = require "deskpilot.model.literal.popups"

local planner = {}

local most_actions = 5
local longest_why = 190 -- bytes; the schema has a limit

local function action(tool, args, why)
  return { tool = tool, args = args, why = text.cut(why, longest_why) }
end

local function plan(rationale, actions, more)
  more = more or {}
  return answers.call(rationale, "plan", { rationale = rationale, actions = json.list(actions),
    anchor = more.anchor or {}, success_indicators = json.list(more.indicators or {}),
    completes_goal = more.completes_goal or false })
end

local function refuse(state, why)
  return answers.refuse(("Step %d of %d (%s): %s"):format(state.now, #state.plan, state.step.says, why))
end

-- A second's wait, after which the next request shows more.
local function look_again(state, missing)
  if course.looked_enough(state) then
    return refuse(state, ("%s, after %d looks. literal gives up."):format(missing, state.looks))
  end
  local because = ("Look %d. What it needs is not on screen yet: %s."):format(state.looks + 1, missing)
  local words = course.justify(state, state.now, because)
  return plan(words, { action("wait", { seconds = 1 }, words) })
end

-- The expectations that stand from that step on, and the step after them.
local function expectations(state, number)
  local indicators = {}
  while state.plan[number] and state.plan[number].kind == "expect" do
    indicators[#indicators + 1] = state.plan[number].text
    number = number + 1
  end
  return indicators, number
end

-- Everything is done; what is left is to say so, with what the task's last steps expect.
local function complete(state)
  local claims = 0
  for _, done in ipairs(state.view.actions) do
    if done.tool == "wait" and done.why:find("^All %d+ steps") then claims = claims + 1 end
  end
  if claims >= course.most_errors then
    return answers.refuse(("Every step was done and that was claimed %d times, and still it is not accepted. What is "
      .. "on screen now: %s."):format(claims, course.what_is_seen(state.view, state.plan)))
  end
  local first = #state.plan
  local indicators = {}
  while first > 0 and (state.plan[first].kind == "expect" or state.plan[first].kind == "wait_for") do
    table.insert(indicators, 1, state.plan[first].text)
    first = first - 1
  end
  local words = ("All %d steps that the task spells out were carried out. What is on screen now: %s."):format(
    #state.plan, course.what_is_seen(state.view, state.plan))
  return plan(words, { action("wait", { seconds = 0.1 }, words) },
    { indicators = indicators, completes_goal = true })
end

-- What gets a popup or a question of the page out of the way.
local function clear(deed, why)
  if not deed then return answers.refuse(why) end
  return plan(deed.why, { action(deed.tool, deed.args, deed.why) })
end

-- The deeds of as many steps as go together from now on, and why the first step without one has none.
local function gather(state)
  local list, number = {}, state.now
  while #list < most_actions and state.plan[number] do
    local kind = state.plan[number].kind
    if kind == "expect" or kind == "wait_for" or (kind == "pause" and #list > 0) then break end
    local deed, why = deeds.of(state, number)
    if not deed then return list, number, why end
    list[#list + 1] = deed
    number = deed.number + 1
    if deed.ends then break end
  end
  return list, number
end

-- Nothing in a batch that only fills in changes the application.
local function anchor_of(state, last)
  if last.ends then return last.anchor end
  return { application = state.view.application }
end

local function batch(state, list, number)
  local actions = {}
  for i, deed in ipairs(list) do actions[i] = action(deed.tool, deed.args, deed.why) end
  local last = list[#list]
  local indicators, after = expectations(state, number)
  local words = #list == 1 and ("Step %d of %d: %s."):format(last.number, #state.plan, state.plan[last.number].says)
    or ("Steps %d to %d of %d: what they need is listed, and none of them but the last changes that."):format(
      state.now, last.number, #state.plan)
  return plan(words, actions, { anchor = anchor_of(state, last), indicators = indicators,
    completes_goal = after > #state.plan })
end

--- The answer for a planner's request.
---@param state deskpilot.literal.course
---@return deskpilot.literal.answer
function planner.answer(state)
  local given_up = course.given_up(state)
  if given_up then return answers.refuse(given_up) end
  if popups.asks(state) then return clear(popups.answer(state)) end
  if not state.step then return complete(state) end
  if state.step.kind == "expect" or state.step.kind == "wait_for" then
    return look_again(state, course.unseen(state))
  end
  local list, number, why = gather(state)
  if #list > 0 then return batch(state, list, number) end
  if popups.covers(state) then return clear(popups.close(state)) end
  return look_again(state, why)
end

return planner
