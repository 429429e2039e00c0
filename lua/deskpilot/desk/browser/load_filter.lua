--- Asks desk.input about each document that a tab's main frame is about to load, before anything is sent to a server:
--- links, forms, scripts of the page, redirects, new tabs. What may not be loaded is stopped, and the tab keeps the
--- page that it has (`tab.not_loaded` says why). And about each file that a page asks for: the dialog does not open
--- where anybody wants to be asked, and the page gets files by tab:upload alone.
---
--- While a tab asks, the browser passes all requests through a stage of its own, not only those of documents, and its
--- pages load in 0.09 s in place of 0.065. So it does not ask while what is done is done in a page of the web, and what
--- that may lead to is judged by nobody.
---
--- Documents of frames are not asked about, nor what is shown without a request: pages of the history that the browser
--- still holds, and addresses such as about:blank.
local address = require "deskpilot.desk.browser.address"
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

-- Whether what is done in the page of a tab leads to no document that is judged: browsers follow neither a link nor a
-- redirect from the web to anything else, but a page may go back in its tab's history.
local function need_not_ask(self)
  return not self.browser.desk.input.judges_web() and address.is_of_the_web(self.url) and self.browser.process ~= nil
    and not self.left_the_web
end

-- The browser itself answers these, not the page: also while a dialog is open.
local function ask(self, session)
  if self.filtered ~= session then
    self.filtered = session
    session:on("Fetch.requestPaused", function(event)
      if type(event.requestId) == "string" then task.start(decide, self, session, event) end
    end)
  end
  self.asking = session
  return session.connection:begin("Fetch.enable", documents, { session = session.id })
end

local function ask_no_more(self, session)
  self.asking = nil
  return session.connection:begin("Fetch.disable", nil, { session = session.id })
end

local function begin_choosing(self, session)
  self.without_chooser = session
  session:on("Page.fileChooserOpened", function()
    if not self.uploading then task.start(self.browser.desk.input.may_choose, self) end
  end)
  return session:begin("Page.setInterceptFileChooserDialog", { enabled = true })
end

--- Has a tab ask in its session, where anybody wants to be asked.
---@param self deskpilot.tab
---@param session deskpilot.cdp_session
---@param in_page boolean? whether what is about to be done is done in the tab's page
---@return deskpilot.cdp_call[] calls of the browser, to be waited for
function load_filter.begin(self, session, in_page)
  local input, calls = self.browser.desk.input, {}
  local asks = input.judges "navigation" and not ((in_page or self.typed_into) and need_not_ask(self))
  if asks and self.asking ~= session then calls[1] = ask(self, session)
  elseif not asks and self.asking == session then ask_no_more(self, session) end
  if self.without_chooser ~= session and input.judges "chooser" then
    calls[#calls + 1] = begin_choosing(self, session)
  end
  return calls
end

return load_filter
