--- A browser that went away in the middle of the work: connected to again, or started again, with its page as it was.
local text = require "deskpilot.base.text"
local plan_module = require "deskpilot.policies.odev.plan"
local scene = require "deskpilot.policies.odev.scene"

local recover = {}

local ANSWER = 5 -- seconds for a browser to say that it is there

--- The browser of the latest page that was seen, if it crashed, was killed or does not let us in any more; or nil:
--- also where somebody has closed it.
---@param run deskpilot.run
---@return deskpilot.browser?
function recover.lost(run)
  local tab = run.observation.tab
  if tab then run.state.browser = tab.browser end
  local browser = run.state.browser
  if not browser or browser.closed or browser:has_quit() then return nil end
  -- It is asked: of one that was killed a moment ago nothing may have been heard yet.
  if browser:call("Browser.getVersion", nil, ANSWER) or browser:has_quit() then return nil end
  return browser
end

-- Whether the indices of the step's actions mean the same things on the page as it is now.
local function same_elements(step, before, now)
  for _, call in ipairs(step.plan.actions) do
    local index = call.args.index
    if index ~= nil then
      local old, new
      for _, element in ipairs(before and before.elements or {}) do
        if element.index == index then old = element end
      end
      for _, element in ipairs(now and now.elements or {}) do
        if element.index == index then new = element end
      end
      if not (old and new and old.role == new.role and old.name == new.name) then return false end
    end
  end
  return true
end

--- Brings it back. The step may be done again if it means the same on the page as it is now.
---@param run deskpilot.run
---@param browser deskpilot.browser
---@param step table?
---@return boolean? again, string? why nil where it cannot be had back
function recover.bring_back(run, browser, step)
  local pid = browser.pid
  local ok, err = browser:reconnect()
  if not ok then return nil, "the browser has gone and cannot be had back: " .. tostring(err) end
  if not step then return false, "the browser had gone and is back" end
  local seen
  seen, err = run:observe()
  if not seen then return nil, "the desktop cannot be seen: " .. tostring(err) end
  if not same_elements(step, step.scene.page, run.observation.page) then
    return false, "the browser had gone and is back, but not with the page that the step was made for"
  end
  for _, call in ipairs(step.plan.actions) do
    local fit, sentence = plan_module.check_action(run, call, call.why)
    if not fit then return false, "the browser had gone and is back; " .. text.one_line(sentence) end
  end
  step.scene = scene.shown(run)
  if browser.pid ~= pid then step.done = {} end -- another process: what was done to the page went with the old one
  return true, "the browser had gone and is back"
end

return recover
