--- How far a task has come, which literal knows only from RECENT ACTIONS: the "Step N of M" that its own
--- justifications begin with, and from what is seen on screen.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"
local screen = require "deskpilot.model.literal.screen"

local course = {}

course.most_errors = 3 -- of one step
local most_looks = { wait_for = 60 } -- a second each; 10 for everything else
local popup_words = "Popup in the way"

---@class deskpilot.literal.course
---@field view deskpilot.literal.view
---@field plan deskpilot.literal.step[]
---@field offered fun(tool: string): boolean whether the tool may be used
---@field now integer the step to do now; behind the last one when all are done
---@field step deskpilot.literal.step? that step
---@field errors integer how often it has failed
---@field looks integer how often it was looked for in vain
---@field closed integer popups closed since the last step

-- A wait is no progress, except of a step that asks for one.
local function progress(view, plan)
  local now, errors, looks, closed = 1, 0, 0, 0
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
      closed = 0
    elseif text.starts(action.why, popup_words) then
      closed = closed + 1
    end
  end
  return now, errors, looks, closed
end

-- Passes over expectations that are already seen.
local function skip_seen(view, plan, now)
  while plan[now] and (plan[now].kind == "expect" or plan[now].kind == "wait_for")
    and screen.seen(view, plan[now].text) do
    now = now + 1
  end
  return now
end

--- Where things stand.
---@param view deskpilot.literal.view
---@param plan deskpilot.literal.step[]
---@param offered fun(tool: string): boolean
---@return deskpilot.literal.course
function course.read(view, plan, offered)
  local now, errors, looks, closed = progress(view, plan)
  local next_step = skip_seen(view, plan, now)
  if next_step ~= now then errors, looks = 0, 0 end
  return { view = view, plan = plan, offered = offered, now = next_step, step = plan[next_step], errors = errors,
    looks = looks, closed = closed }
end

--- Why literal no longer tries this step; nil as long as it does.
---@param self deskpilot.literal.course
---@return string?
function course.given_up(self)
  if self.errors < course.most_errors then return nil end
  local tool = ""
  for _, action in ipairs(self.view.actions) do
    if action.failed and action.step == self.now then tool = action.tool end
  end
  return ("Step %d of %d (%s) failed %d times by %s; the recent actions hold the reasons. literal gives up."):format(
    self.now, #self.plan, self.step.says, self.errors, tool)
end

--- Whether a step has been looked for often enough.
---@param self deskpilot.literal.course
---@return boolean
function course.looked_enough(self)
  return self.looks >= (most_looks[self.step.kind] or 10)
end

--- The words beside an action, from whose beginning the next request tells how far it is.
---@param self deskpilot.literal.course
---@param number integer of the step
---@param because string
---@return string
function course.justify(self, number, because)
  return ("Step %d of %d: %s. %s The task is written as a list of steps, the recent actions show every "
    .. "step before this one as done, and so this step is the one that comes next in the order that "
    .. "the task gives."):format(number, #self.plan, text.cut(self.plan[number].says, 45), because)
end

--- The words beside an action that gets a popup out of the way; it is no step.
---@param self deskpilot.literal.course
---@param what string what is in the way
---@return string
function course.justify_closing(self, what)
  return ("%s of step %d: %s. The task says that any popup is to be closed; after that the step can be done."):format(
    popup_words, math.min(self.now, #self.plan), what)
end

--- The nearest names on screen, as the end of a sentence.
---@param view deskpilot.literal.view
---@param name string
---@return string
function course.listed(view, name)
  local names = screen.nearest(view, name)
  if #names == 0 then return "no element is listed at all" end
  for i, other in ipairs(names) do names[i] = json.encode(text.cut(other, 40)) end
  return "the nearest names listed are " .. text.join(names)
end

--- Why a text that a step looks for counts as not there.
---@param self deskpilot.literal.course
---@return string
function course.unseen(self)
  return ("%s is seen in no element's name or value, in no page's text, nor in the window's title; %s"):format(
    json.encode(self.step.text), course.listed(self.view, self.step.text))
end

--- What shows on screen that the task is done.
---@param view deskpilot.literal.view
---@param plan deskpilot.literal.step[]
---@return string
function course.what_is_seen(view, plan)
  local seen = {}
  for _, step in ipairs(plan) do
    local where = (step.kind == "expect" or step.kind == "wait_for") and screen.seen(view, step.text)
    if where then table.insert(seen, json.encode(step.text) .. " is seen in " .. where) end
  end
  for _, element in ipairs(view.elements) do
    if #seen >= 8 then break end
    if element.value and element.value ~= "" then
      table.insert(seen, ("%s %s has the value %s"):format(element.role, json.encode(text.cut(element.name, 40)),
        json.encode(text.cut(element.value, 80))))
    end
  end
  if view.window then table.insert(seen, "the active window is " .. json.encode(view.window)) end
  return #seen > 0 and table.concat(seen, "; ") or "the request lists neither values nor a window title"
end

return course
