--- What is in the way of a step: a popup that covers the page, and a question that the page waits for an answer to.
--- Where the task has the rule "close any popup" both are got out of the way, and that is no step.
local course = require "deskpilot.model.literal.course"
local deeds = require "deskpilot.model.literal.deeds"

local popups = {}

local function refused(state, why)
  if not state.step then return nil, why end
  return nil, ("Step %d of %d (%s): %s"):format(state.now, #state.plan, state.step.says, why)
end

--- Whether the page asks something that is not the step's to answer.
---@param state deskpilot.literal.course
---@return boolean
function popups.asks(state)
  local page = state.view.page
  return page ~= nil and page.dialog ~= nil and not (state.step and state.step.kind == "dialog")
end

--- The answer to what the page asks, if the task has the rule: a message is accepted, a question is not.
---@param state deskpilot.literal.course
---@return deskpilot.literal.deed? deed, string? why a refusal's sentence
function popups.answer(state)
  local dialog = state.view.page.dialog
  local asks = ("the page asks (%s): %s"):format(dialog.type, dialog.message)
  if not state.plan.closes_popups then
    return refused(state, asks .. "; no step of the task answers it (accept the dialog, dismiss the dialog)")
  end
  return { tool = "browser_dialog", args = { accept = dialog.type == "alert" },
    why = course.justify_closing(state, asks) }
end

--- Whether a popup covers the page that the task wants closed.
---@param state deskpilot.literal.course
---@return boolean
function popups.covers(state)
  local page = state.view.page
  return page ~= nil and page.popup ~= nil and state.plan.closes_popups == true
end

--- What closes the popup.
---@param state deskpilot.literal.course
---@return deskpilot.literal.deed? deed, string? why a refusal's sentence
function popups.close(state)
  local popup = state.view.page.popup
  if state.closed >= course.most_errors then
    return refused(state, ("a popup was closed %d times, and still one is there: %s"):format(state.closed, popup))
  end
  local element, why = deeds.closer(state.view)
  if not element then return refused(state, why) end
  return { tool = "browser_click", args = { index = element.index },
    why = course.justify_closing(state, popup .. " covers the page") }
end

return popups
