--- A browser of ours that has ended, started again with its profile: its tabs are the same objects, where they were.
local tab_module = require "deskpilot.desk.browser.tab"

local revive = {}

-- Where each tab was, in their order. Their objects are kept for those that come in their place.
local function take_down_tabs(self)
  local list = {}
  for i, tab in ipairs(self.order) do list[i] = { tab = tab, url = tab.url } end
  self.order, self.by_id, self.active = {}, {}, nil
  return list
end

-- Sends the tabs of the new process to where those before them were. What of it cannot be loaded is seen there.
local function restore(self, list)
  for i, before in ipairs(list) do
    if i > 1 then
      local made = self:call("Target.createTarget", { url = "about:blank" })
      if not made then return end
      -- The browser tells of the new tab in its own time.
      self.changed:wait_until(self.desk.timing.browser_answer, function() return self.by_id[made.targetId] end)
    end
    if before.url and before.url ~= "about:blank" then before.tab:navigate(before.url) end
  end
  if self.order[1] then self.order[1]:activate() end
end

--- Starts its process again, and connects to it.
---@param self deskpilot.browser of desk.browser.start
---@param connect fun(place: deskpilot.browser_endpoint): table?, deskpilot.error?
---@param urls boolean whether its tabs go to where they were
---@return boolean? ok, deskpilot.error? err
function revive.start_again(self, connect, urls)
  local list = take_down_tabs(self)
  if not urls then
    for _, before in ipairs(list) do tab_module.gone(before.tab) end
    list = {}
  end
  self.revived = {}
  for i, before in ipairs(list) do self.revived[i] = before.tab end
  local place, err = self.process:start()
  if not place then
    for _, before in ipairs(list) do tab_module.gone(before.tab) end
    return nil, err
  end
  local connection, failure = connect(place)
  if not connection then return nil, failure end
  restore(self, list)
  self.revived = nil
  return true
end

return revive
