--- Restores a lost browser: connects to it again, or starts it again with its tabs.
local text = require "deskpilot.base.text"
local assumptions = require "deskpilot.agent.assumptions"
local plan_module = require "deskpilot.policies.odev.plan"

local recover = {}

local PROBE_TIMEOUT = 5 -- seconds for a browser to answer whether it is alive

--- The browser of the latest observed page, if it has crashed, was killed or no longer accepts connections. Nil
--- otherwise, also where somebody has closed it.
---@param run deskpilot.run
---@return deskpilot.browser?
function recover.lost(run)
  local tab = run.observation.tab
  if tab then run.state.browser = tab.browser end
  local browser = run.state.browser
  if not browser or browser.closed or browser:has_quit() then return nil end
  -- A browser that was killed a moment ago may still count as connected, so a call has to prove that it is alive.
  if browser:call("Browser.getVersion", nil, PROBE_TIMEOUT) or browser:has_quit() then return nil end
  return browser
end

-- What is reported of a restored browser.
local function told(missing)
  return "the connection to the browser was lost and is restored"
    .. (missing and ", but " .. text.one_line(text.join(missing)) or "")
end

-- Whether the indices of the step's actions mean elements of the same role and name before and now.
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

--- Restores the browser. `again` says whether the interrupted step can be continued: its actions must mean the same
--- elements on the restored page.
---@param run deskpilot.run
---@param browser deskpilot.browser
---@param step table? the interrupted step
---@return boolean? again nil where the browser cannot be restored
---@return string? why
function recover.bring_back(run, browser, step)
  local pid = browser.pid
  local ok, err, missing = browser:reconnect()
  if not ok then return nil, "the connection to the browser is lost and cannot be restored: " .. tostring(err) end
  local restored = told(missing)
  if not step then return false, restored end
  local seen, why = run:observe()
  if not seen then return nil, "the desktop cannot be observed: " .. tostring(why) end
  if not same_elements(step, step.assumed.state.page, run.observation.page) then
    return false, restored .. ", but it does not show the page that the step was made for"
  end
  for _, call in ipairs(step.plan.actions) do
    local fit, sentence = plan_module.check_action(run, call, call.why)
    if not fit then return false, restored .. "; " .. text.one_line(sentence) end
  end
  step.assumed = assumptions.new(run)
  if browser.pid ~= pid then step.done = {} end -- a new process: what was entered into the old one's page is lost
  return true, restored
end

return recover
