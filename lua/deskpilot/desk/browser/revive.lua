--- Starts a browser again that desk.browser.start had started and that has ended. It keeps its profile; its tabs keep
--- their objects and get their addresses back.
local tab_module = require "deskpilot.desk.browser.tab"

local revive = {}

-- Removes the tabs and returns them with their addresses, in their order.
local function detach_tabs(self)
  local list = {}
  for i, tab in ipairs(self.order) do list[i] = { tab = tab, url = tab.url } end
  self.order, self.by_id, self.active = {}, {}, nil
  return list
end

-- Opens as many tabs as there were, and navigates each to its former address. A page that cannot be loaded is no error
-- here; the tab then shows the browser's error page. Why pages are missing, a sentence each; nil where none is.
local function restore(self, list)
  local missing = {}
  for i, before in ipairs(list) do
    local tab, ok, err = before.tab, true, nil
    if i > 1 then ok, err = self:call("Target.createTarget", { url = "about:blank" }) end
    -- The event that announces a new tab may arrive later than the answer.
    self.changed:wait_until(ok and self.desk.timing.browser_answer or 0, function()
      return tab.attaching or tab.attached
    end)
    if ok and before.url ~= "about:blank" then ok, err = tab:navigate(before.url) end
    if not ok then missing[#missing + 1] = tostring(err) end
  end
  if self.order[1] then self.order[1]:activate() end
  return missing[1] and missing or nil
end

--- Starts the process again, and connects to it.
---@param self deskpilot.browser that desk.browser.start has started
---@param connect fun(connection: deskpilot.cdp_connection): table?, deskpilot.error?
---@param urls boolean whether to restore the tabs and their addresses
---@return boolean? ok, deskpilot.error? err
---@return string[]? missing why pages are missing, a sentence each
function revive.start_again(self, connect, urls)
  local list = detach_tabs(self)
  if not urls then
    for _, before in ipairs(list) do tab_module.gone(before.tab) end
    list = {}
  end
  self.revived = {}
  for i, before in ipairs(list) do self.revived[i] = before.tab end
  local started, err = self.process:start()
  if not started then
    for _, before in ipairs(list) do tab_module.gone(before.tab) end
    return nil, err
  end
  local connection, failure = connect(started)
  if not connection then return nil, failure end
  local missing = restore(self, list)
  self.revived = nil
  return true, nil, missing
end

return revive
