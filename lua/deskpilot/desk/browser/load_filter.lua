--- Asks desk.input about each document that a tab's main frame is about to load, before anything is sent to a server:
--- links, forms, scripts of the page, redirects, new tabs. What may not be loaded is stopped, and the tab keeps the
--- page that it has (`tab.not_loaded` says why).
---
--- Documents of frames are not asked about, nor what is shown without a request: pages of the history that the browser
--- still holds, and addresses such as about:blank.
local task = require "deskpilot.base.task"

local load_filter = {}

local documents = { patterns = { { urlPattern = "*", resourceType = "Document", requestStage = "Request" } } }

-- The browser holds the request back until this has answered, also while a dialog is open.
local function decide(self, session, event)
  local request, why = type(event.request) == "table" and event.request or {}, nil
  if event.frameId == self.frame then
    local ok, err = self.browser.desk.input.may_load(tostring(request.url), self)
    why = not ok and err or nil
  end
  self.not_loaded = why or self.not_loaded
  session.connection:begin(why and "Fetch.failRequest" or "Fetch.continueRequest",
    { requestId = event.requestId, errorReason = why and "Aborted" or nil }, { session = session.id })
end

--- Starts to ask in a session of a tab, where anybody wants to be asked.
---@param self deskpilot.tab
---@param session deskpilot.cdp_session
---@return deskpilot.cdp_call? call of the browser, to be waited for; nil where nobody wants to be asked
function load_filter.begin(self, session)
  if self.filtered == session or not self.browser.desk.input.judges_loading() then return nil end
  self.filtered = session
  session:on("Fetch.requestPaused", function(event)
    if type(event.requestId) == "string" then task.start(decide, self, session, event) end
  end)
  return session:begin("Fetch.enable", documents)
end

return load_filter
