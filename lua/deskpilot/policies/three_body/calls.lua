--- The Executor's answer: the calls that may be done, in their order, and what it is told of the others.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"
local batch = require "deskpilot.agent.batch"
local viewpoint = require "deskpilot.agent.viewpoint"

local calls = {}

-- Of a model that is meant to call several at once, where nothing is configured.
local usual_batch = 5

--- The most calls of an answer that are done: as configured, or as the Executor's model is meant to answer.
---@param run deskpilot.run
---@return integer
function calls.most(run)
  local most, profile = run.config:get("three_body.calls_per_turn"), viewpoint.profile(run, "executor")
  if run.config.sources["three_body.calls_per_turn"] ~= "default" then return most end
  return profile and profile.parallel and math.max(most, usual_batch) or most
end

--- How many calls an answer may have, in the words of the Executor's prompt.
---@param most integer calls.most
---@return { pace: string, calls: string }
function calls.words(most)
  if most == 1 then
    return { pace = "one action each turn",
      calls = "Call exactly ONE tool. A second call in the same answer is not done." }
  end
  return { pace = ("at most %d actions each turn"):format(most), calls = ("Call 1 to %d tools, in the order in which "
    .. "they are to be done. Call several where this screenshot shows already what each of them needs, for example "
    .. "the fields of one form. They are done without another look of yours, up to the first that fails or finds the "
    .. "screen changed. What you cannot see yet belongs in the next turn."):format(most) }
end

local function tell(run, line)
  run.history:add(run.turn, "note", line)
  run:note(line)
end

-- What is wrong with a call before it is tried; nil where nothing is.
local function problem_of(run, call)
  local s = run.state
  if call.name ~= "report_completion" and not call.args then return tostring(call.error) end
  if (" " .. table.concat(s.tools, " ") .. " "):find(" " .. call.name .. " ", 1, true) then
    return not call.args and tostring(call.error) or nil
  end
  s.wants_to_report = call.name == "report_completion" -- only the Tactician can begin the phase for it
  return ("%s is not among the tools of this phase: %s"):format(call.name, text.join(s.tools))
end

local function reject(run, call, why)
  run:reject(call.name ~= "" and call.name or "(none)", call.args or {}, why)
end

-- The calls up to the first that cannot be done, and what is wrong with that one.
local function usable(run, list, most)
  local good = {}
  for i = 1, math.min(#list, most) do
    local why = problem_of(run, list[i])
    if why then return good, list[i], why end
    good[i] = { tool = list[i].name, args = list[i].args }
  end
  return good
end

-- A batch of which nothing was done is a step that failed, or else it could be repeated for ever.
local function tell_of_rest(run, outcome, list, number)
  if outcome.at_once then
    reject(run, list[1], outcome.cut)
  elseif outcome.cut then
    tell(run, ("%d of %d actions of this answer were done. It was stopped %s"):format(outcome.done, number,
      outcome.cut))
  elseif outcome.failed and outcome.failed.number < number then
    local rest = number - outcome.failed.number
    tell(run, ("action %d (%s) failed, so the %s after it in the same answer %s not done"):format(
      outcome.failed.number, outcome.failed.tool, rest == 1 and "one" or rest, rest == 1 and "was" or "were"))
  end
end

local function tell_of_ignored(run, number, most)
  if number <= 0 then return end
  local limit = most == 1 and "one action each turn" or ("at most %d actions each turn"):format(most)
  tell(run, ("%d more tool call%s came with %s and %s not done: %s."):format(number, number == 1 and "" or "s",
    most == 1 and "that one" or "these", number == 1 and "was" or "were", limit))
end

local function nothing_called(run, reply)
  local said = text.cut(text.one_line(reply.content or ""), 150)
  run:reject("(none)", json.list {}, reply.calls_error and tostring(reply.calls_error)
    or ("no tool was called; every turn needs %s tool call. You said: %q"):format(
      calls.most(run) == 1 and "exactly one" or "a", said))
end

---@class deskpilot.three_body.doing
---@field run deskpilot.run
---@field most integer calls of the answer that are done
---@field done integer how many of them were tried
---@field batch deskpilot.batch? where it may be several
local Doing = {}
Doing.__index = Doing

--- Begins to do what an answer calls for that is about to come.
---@param run deskpilot.run
---@return deskpilot.three_body.doing
function calls.begin(run)
  return setmetatable({ run = run, most = calls.most(run), done = 0 }, Doing)
end

local function batch_of(self)
  self.batch = self.batch or batch.begin(self.run, { persona = "executor", again = self.run.state.cut_at_once })
  return self.batch
end

--- Does a call of the answer while it still comes.
---@param call deskpilot.model.call
---@return deskpilot.model.handed
function Doing:take(call)
  if problem_of(self.run, call) then return "left" end
  self.done = self.done + 1
  local wanted = { tool = call.name, args = call.args, persona = "executor" }
  if self.most == 1 then
    self.run:act(wanted)
    return "last"
  end
  return batch_of(self):step(wanted, self.done) and self.done < self.most and "taken" or "last"
end

-- The calls of a batch that are left.
local function do_rest(self, good)
  local doing = batch_of(self)
  for i = self.done + 1, #good do
    if self.run.outcome or doing.outcome.cut or doing.outcome.failed then break end
    if not doing:step(good[i], i, i == #good) then break end
  end
  return doing:finish(#good)
end

--- Does what an answer calls for, once it has come: what is left of it.
---@param self deskpilot.three_body.doing
---@param reply deskpilot.reply
function Doing:perform(reply)
  local run, most, list = self.run, self.most, reply.calls or {}
  if #list == 0 then return nothing_called(run, reply) end
  local good, bad, why = usable(run, list, most)
  if #good == 0 then return reject(run, bad, why) end
  local whole = true
  if self.done == 0 and #good == 1 and not bad then
    run:act { tool = good[1].tool, args = good[1].args, persona = "executor" }
  elseif most > 1 then
    for _, call in ipairs(good) do run.history:note_places(call.args) end -- what is told of them may name these
    local outcome = do_rest(self, good)
    if run.outcome then return end
    run.state.cut_at_once, whole = outcome.at_once, not (outcome.cut or outcome.failed)
    tell_of_rest(run, outcome, list, math.min(#list, most))
  end
  if bad and whole then reject(run, bad, why) end
  tell_of_ignored(run, #list - most, most)
end

--- Does what an answer calls for that has come.
---@param run deskpilot.run
---@param reply deskpilot.reply
function calls.perform(run, reply)
  calls.begin(run):perform(reply)
end

return calls
