--- How far a task has come, and what comes next. The run's own actions tell how far: the reason that literal gives for
--- one begins with the number of its step.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"
local deeds = require "deskpilot.model.literal.deeds"
local screen = require "deskpilot.model.literal.screen"

local course = {}

local most_tries = 3 -- of one step, and of claiming completion
local most_looks = { wait_for = 60 } -- a second each; 10 for everything else
local looks = { expect = true, wait_for = true }

---@class deskpilot.literal.course
---@field facts deskpilot.literal.facts
---@field plan deskpilot.literal.step[]
---@field now integer the step to do now; behind the last one when all are done
---@field step deskpilot.literal.step? that step
---@field errors integer how often it has failed
---@field failure table? the action that failed last
---@field looks integer how often something had to be done or waited for before it
---@field claims integer how often completion was claimed

local function go(self, number)
  if number ~= self.now then self.now, self.errors, self.looks = number, 0, 0 end
end

local function count(self, action)
  local why = action.why or ""
  local before = tonumber(why:match("^Before step (%d+) of"))
  local number = before or tonumber(why:match("^Step (%d+) of"))
  if action.tool == "report_completion" or action.tool == "finish" or text.starts(why, "All ") then
    self.claims = self.claims + 1
  elseif self.plan[number] then
    go(self, number)
    if before then
      self.looks = self.looks + 1
    elseif not action.ok then
      self.errors, self.failure = self.errors + 1, action
    else
      go(self, number + 1)
    end
  end
end

--- Where things stand.
---@param facts deskpilot.literal.facts
---@param plan deskpilot.literal.step[]
---@return deskpilot.literal.course
function course.read(facts, plan)
  local self = { facts = facts, plan = plan, now = 1, errors = 0, looks = 0, claims = 0 }
  for _, action in ipairs(facts.actions) do count(self, action) end
  while plan[self.now] and looks[plan[self.now].kind] and screen.seen(facts, plan[self.now].args.text) do
    go(self, self.now + 1)
  end
  self.step = plan[self.now]
  return self
end

-- No deeds, and why.
local function give_up(self, why, ...)
  why = why:format(...)
  if not self.step then return nil, why end
  return nil, ("Step %d of %d (%s): %s. literal gives up."):format(self.now, #self.plan, self.step.says, why)
end

--- The texts of the expectations that the task ends with.
---@param plan deskpilot.literal.step[]
---@return string[]
function course.expected_at_the_end(plan)
  local texts = {}
  for i = #plan, 1, -1 do
    if plan[i].kind ~= "expect" then break end
    table.insert(texts, 1, plan[i].args.text)
  end
  return texts
end

--- A text of the screen as it is quoted in a sentence.
---@param words string
---@return string
function course.quoted(words)
  words = text.one_line(words)
  return words:find('"', 1, true) and "“" .. words .. "”" or '"' .. words .. '"'
end

-- For each of those texts, what shows it.
local function shown_at_the_end(self)
  local list = {}
  for i, words in ipairs(course.expected_at_the_end(self.plan)) do
    list[i] = ("All %d steps were carried out, one after the other, without an error left standing, and %s is seen "
      .. "in %s."):format(#self.plan, course.quoted(words), screen.seen(self.facts, words) or "nothing that is listed")
  end
  return #list > 0 and list or nil
end

-- All is done, as far as the run's actions and the screen tell.
local function claim(self)
  local seen, last = {}, 0 -- last: the step before the expectations that the task ends with
  for i, step in ipairs(self.plan) do
    local where = looks[step.kind] and screen.seen(self.facts, step.args.text)
    if where then table.insert(seen, ("%s is seen in %s"):format(json.encode(step.args.text), where)) end
    if step.kind ~= "expect" then last = i end
  end
  table.insert(seen, "the active window is " .. json.encode(self.facts.window and self.facts.window.title or "none"))
  local evidence = ("All %d steps that the task spells out were carried out without an error left standing. What is on "
    .. "screen now: %s."):format(#self.plan, table.concat(seen, "; "))
  if self.claims >= most_tries then
    return give_up(self, "Completion was claimed %d times and not accepted. %s", self.claims, evidence)
  end
  return { { tool = "report_completion", args = { evidence = evidence }, shown = shown_at_the_end(self), why = evidence,
    number = last, ends = true, anchor = {} } }
end

-- What comes before the step: a popup or a question of the page is got out of the way, if the task has that rule; and
-- what is not there yet may be there in a second.
local function prepare(self, why)
  local page, closes = self.facts.page or {}, self.plan.closes_popups
  if self.looks >= (self.step and most_looks[self.step.kind] or 10) then
    return give_up(self, "%s, after %d looks", why, self.looks)
  end
  if page.dialog and not closes then
    return give_up(self, "%s, and no step of the task answers that (accept the dialog, dismiss the dialog)", why)
  end
  local deed, no = { tool = "wait", args = { seconds = 1 }, ends = true, anchor = {} }
  if closes and (page.dialog or page.popup) then
    local kind = not page.dialog and "close_popup" or page.dialog.type == "alert" and "accept" or "dismiss"
    deed, no = deeds.of(self.facts, { { kind = kind, says = "", args = {} } }, 1)
  end
  if not deed then return give_up(self, "%s", no) end
  deed.number, deed.why = nil, ("Before step %d of %d: %s."):format(self.now, #self.plan, why)
  return { deed }
end

--- What to do next: as many deeds as go together, since what each needs is there now and the ones before it leave it
--- there. The last one is the claim that all is done.
---@param self deskpilot.literal.course
---@param most integer how many deeds may be done before the next look
---@return deskpilot.literal.deed[]? deeds nil to give up
---@return string? why
function course.next(self, most)
  local dialog, step = self.facts.page and self.facts.page.dialog, self.step
  if self.errors >= most_tries then
    return give_up(self, "it failed %d times, at last by %s: %s", self.errors, self.failure.tool,
      text.cut(text.one_line(self.failure.text), 200))
  end
  if dialog and not (step and (step.kind == "accept" or step.kind == "dismiss")) then
    return prepare(self, ("the page asks (%s): %s"):format(dialog.type, json.encode(dialog.message)))
  end
  if not step then return claim(self) end
  local list, number = {}, self.now
  while self.plan[number] and #list < most do
    local deed, why = deeds.of(self.facts, self.plan, number)
    if not deed and #list == 0 then return prepare(self, why) end
    table.insert(list, deed)
    if not deed or deed.ends then break end
    number = deed.number + 1
  end
  return list
end

return course
