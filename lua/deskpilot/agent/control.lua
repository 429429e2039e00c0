--- The control of a run by a person: pause, one step, go on, take over, give back, stop; and answers to what a person
--- is asked. Orders may come at any time, from a page or keys; they take effect before the next turn and before the
--- next act. Time that a person takes is not the run's (goal_limits.extend).
---
--- While a person has taken over the agent waits. What it had chosen before is not done afterwards, since the screen is
--- another; its next observation says that a person has worked there, and which windows came and went.
local errors = require "deskpilot.base.errors"
local goal_limits = require "deskpilot.agent.goal_limits"
local questions = require "deskpilot.agent.questions"
local signal = require "deskpilot.base.signal"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local control = {}

local slice = 1 -- seconds of a wait; the limits of time are moved by as much before it

--- The orders, each with what it does in words.
control.orders = {
  { "pause", "wait before the next act" },
  { "step", "do one act, then wait" },
  { "go", "go on; also: give the desktop back" },
  { "take", "take over: the agent waits while you work" },
  { "stop", "end the run" },
}

---@class deskpilot.control
---@field state "running"|"paused"|"taken" as ordered
---@field waiting boolean whether the run waits for a person now
---@field stepping { turn: integer? }? one step was ordered
---@field by string? who gave the latest order
---@field asked { id: integer, question: deskpilot.question, at: number }? what a person is asked now
---@field run deskpilot.run? once it has begun
---@field changed deskpilot.signal of any of these
---@field inputs integer what a person did on the desktop by the control itself
local Control = {}
Control.__index = Control

--- A control; the run goes on by itself until it is told otherwise.
---@return deskpilot.control
function control.new()
  return setmetatable({ state = "running", waiting = false, count = 0, inputs = 0, changed = signal.new() }, Control)
end

local acts = {}

function acts.pause(self) self.state, self.stepping = "paused", nil end

function acts.step(self)
  self.state, self.stepping = "paused", {}
end

function acts.go(self) self.state, self.stepping = "running", nil end

function acts.take(self) self.state, self.stepping = "taken", nil end

function acts.stop(self, by)
  if self.run then self.run:abort("interrupted", "stopped by " .. by) end
end

--- Gives an order.
---@param order string one of control.orders
---@param by string who: "the live page", "the terminal"
---@return boolean? ok, deskpilot.error? err
function Control:order(order, by)
  if not acts[order] then return errors.fail("invalid", "there is no order %q", text.cut(tostring(order), 40)) end
  if self.run and self.run.outcome then return errors.fail("unavailable", "the run is over") end
  self.by = by
  acts[order](self, by)
  self.changed:notify()
  return true
end

--- Answers what a person is asked now.
---@param id integer of the question, so that nobody answers another one than he has read
---@param words string
---@param by string
---@return boolean? ok, deskpilot.error? err
function Control:answer(id, words, by)
  local asked = self.asked
  if not asked or asked.id ~= id or asked.answer then
    return errors.fail("stale", "this question is not asked any more")
  end
  local answer = type(words) == "string" and utf8.len(words) and questions.choose(asked.question, words)
  if not answer then
    return errors.fail("invalid", asked.question.options and "that is none of the options" or "an answer needs a text")
  end
  asked.answer, self.by = answer, by
  self.changed:notify()
  return true
end

-- --- waiting ------------------------------------------------------------------------------------------------------

local function titles(run)
  local list = {}
  for _, window in ipairs(run.desk.windows.list() or {}) do
    list[window.id] = window.visible and text.cut(text.one_line(window.title), 60) or nil
  end
  return list
end

local function listed(words, list)
  if #list == 0 then return "" end
  for i, title in ipairs(list) do list[i] = ("%q"):format(title) end
  return ("; %s: %s"):format(words, text.join(list))
end

-- What a person's work has changed of the windows.
local function windows_changed(before, after)
  local came, went = {}, {}
  for id, title in pairs(after) do
    if not before[id] then came[#came + 1] = title end
  end
  for id, title in pairs(before) do
    if not after[id] then went[#went + 1] = title end
  end
  table.sort(came)
  table.sort(went)
  return listed("windows that came", came) .. listed("windows that went", went)
end

local function tell(run, what, by, seconds, about)
  run:emit("control", { what = what, by = by, seconds = seconds, text = about })
end

-- Waits while a person wants it; time stands still for the limits.
local function wait(self, run, wanted)
  self.waiting = true
  self.changed:notify()
  while not run.outcome and self.state == wanted and not (wanted == "paused" and self.stepping) do
    local began = task.now()
    goal_limits.extend(run, slice)
    self.changed:wait(slice)
    goal_limits.extend(run, task.now() - began - slice)
  end
  self.waiting = false
end

-- A person works on the desktop until it is given back.
local function taken_over(self, run)
  local began, before, inputs = task.now(), titles(run), self.inputs
  tell(run, "taken over", self.by)
  wait(self, run, "taken")
  if run.outcome then return end
  local took = task.now() - began
  local about = windows_changed(before, titles(run))
  tell(run, "given back", self.by, took, about ~= "" and about:sub(3) or nil)
  local done = self.inputs > inputs and (" and did %d things there"):format(self.inputs - inputs) or ""
  local words = ("a person took over the desktop for %.0f s%s, and has given it back"):format(took, done)
  run.history:add(run.turn, "note", words .. about) -- titles are from outside, as all of the history may be
  run:inform(words .. "; look at what is there now")
end

local function paused(self, run)
  local began = task.now()
  tell(run, "paused", self.by)
  wait(self, run, "paused")
  if run.outcome then return end
  tell(run, self.stepping and "one step" or self.state == "taken" and "taken" or "goes on", self.by, task.now() - began)
end

-- Holds the run while somebody wants it. Whether the desktop was in a person's hands meanwhile.
local function gate(self, run)
  local held, over = false, false
  while not run.outcome and (self.state == "taken" or self.state == "paused" and not self.stepping) do
    held = true
    if self.state == "taken" then
      over = true
      taken_over(self, run)
    else
      paused(self, run)
    end
  end
  if held then self.changed:notify() end
  return over
end

--- What listens to the run: it waits where a person wants it to.
---@return deskpilot.listener
function Control:listener()
  local self_ = self
  local listener = {}

  function listener.run_start(run) self_.run = run end

  -- A step ends with an act, or with the turn that it was begun in.
  function listener.turn_start(run)
    local step = self_.stepping
    if step and step.turn and step.turn ~= run.turn then self_.stepping = nil end
    gate(self_, run)
    if self_.stepping then self_.stepping.turn = run.turn end
  end

  function listener.action(run, action)
    if action.rejected then return end
    local over = gate(self_, run)
    self_.stepping = nil -- this is the step
    if not over or run.outcome then return end
    action.postponed = true -- no failure of the agent's
    return { veto = "a person has worked on the desktop meanwhile, so this was not done; look at the screen again" }
  end

  -- A script has neither turns nor acts; it is held after a call.
  function listener.desk_call(run)
    if not run.goal.parent and task.may_wait() then
      gate(self_, run)
      self_.stepping = nil
    end
  end

  function listener.run_end() self_.changed:notify() end

  return listener
end

-- --- questions ----------------------------------------------------------------------------------------------------

--- Somebody who answers by this control or in another way, whoever is first. Where nobody is there in the other way,
--- the control alone is waited for.
---@param other deskpilot.answerer the person at the terminal, say
---@return deskpilot.answerer
function Control:answerer(other)
  local self_ = self
  return { name = other.name, ask = function(run, question)
    self_.count = self_.count + 1
    local asked = { id = self_.count, question = question, at = task.now() }
    self_.asked = asked
    local work = task.start(function()
      task.sleep(0)
      local answer, err = other.ask(run, question)
      asked.other = { answer, err }
      self_.changed:notify()
    end)
    local over <close> = setmetatable({}, { __close = function()
      self_.asked = nil
      work:cancel "the question is over"
      self_.changed:notify()
    end })
    assert(over)
    self_.changed:notify()
    local came = self_.changed:wait_until(question.seconds, function()
      local said = asked.other
      return asked.answer and { asked.answer } or said and not errors.is(said[2], "unavailable") and said
        or run.outcome and { nil, errors.new("refused", "the run is over") }
    end)
    if came then return came[1], came[2] end
    return errors.fail("timed_out", "nobody has answered within %g s", question.seconds)
  end }
end

return control
