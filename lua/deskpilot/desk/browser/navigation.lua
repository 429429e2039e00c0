--- Navigation of a tab: to an address, back, forward, reload. Each call waits until the page has loaded.
local address = require "deskpilot.desk.browser.address"
local errors = require "deskpilot.base.errors"
local page_script = require "deskpilot.desk.browser.page_script"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local navigation = { methods = {} }
---@class deskpilot.tab
local Tab = navigation.methods

---@class deskpilot.visit
---@field url string the address that the navigation ended at
---@field title string
---@field status integer? HTTP status of the server's answer; the page is shown also if it is an error such as 404
---@field download deskpilot.download? set where the address was a file's; then the tab shows the same page as before

-- Meanings of Chromium's network errors. An error that is not listed is described by the words in its name.
local meanings = {
  ERR_CONNECTION_REFUSED = { "unavailable", "nothing listens there" },
  ERR_CONNECTION_RESET = { "unavailable", "the server broke the connection" },
  ERR_CONNECTION_CLOSED = { "unavailable", "the server closed the connection" },
  ERR_EMPTY_RESPONSE = { "protocol", "the server answered nothing" },
  ERR_NAME_NOT_RESOLVED = { "not_found", "there is no such host" },
  ERR_INTERNET_DISCONNECTED = { "unavailable", "this machine has no network connection" },
  ERR_ADDRESS_UNREACHABLE = { "unavailable", "there is no route to that host" },
  ERR_CONNECTION_TIMED_OUT = { "timed_out", "the host did not answer" },
  ERR_TIMED_OUT = { "timed_out", "the server did not answer" },
  ERR_FILE_NOT_FOUND = { "not_found", "there is no such file" },
  ERR_ACCESS_DENIED = { "refused", "access is denied" },
  ERR_TOO_MANY_REDIRECTS = { "protocol", "the server redirects without end" },
  ERR_UNSAFE_PORT = { "refused", "browsers do not use that port" },
  ERR_HTTP_RESPONSE_CODE_FAILURE = { "not_found", "the server answered with an error and no page" },
  ERR_BLOCKED_BY_CLIENT = { "refused", "the browser blocks it" },
  ERR_BLOCKED_BY_ADMINISTRATOR = { "refused", "the browser's administrator blocks it" },
  ERR_ABORTED = { "cancelled", "the browser aborted it: the server had no page to show, or another navigation began" },
}

local function not_loaded(url, reason)
  local name = reason:match("ERR_[%u%d_]+") or text.one_line(reason)
  local meaning = meanings[name]
  if not meaning then
    local certificate = name:find("^ERR_CERT") or name:find("^ERR_SSL")
    meaning = { certificate and "protocol" or "io", certificate and "its certificate or encryption is not accepted"
      or name:gsub("^ERR_", ""):gsub("_", " "):lower() }
  end
  return errors.fail(meaning[1], "%s", ("%s was not loaded: %s (%s)"):format(text.cut(url, 200), meaning[2],
    text.cut(name, 80)))
end

-- Waits until the page has loaded. A dialog, a crash and the closing of the tab end the wait at once with an error.
local function wait_until_loaded(self, limit)
  local session = self.session
  self.changed:wait_until(limit - task.now(), function()
    return not self.loading or self.closed or session.closed or session.blocked
  end)
  if session.closed then return nil, session.closed end
  if self.closed then return errors.fail("not_found", "the tab has been closed") end
  if session.blocked then return nil, session.blocked.err end
  if not self.loading then return true end
  return errors.fail("timed_out", "the page did not load completely in time: %s", text.cut(self.url, 200))
end

-- Chromium drops keys and clicks until a new page has painted content, or for half a second (measured: 0.55 s on a page
-- that has only a field). Hidden and empty pages never paint, so they are not waited for.
local takes_input = page_script.of({ "later" }, [[return new Promise(done => {
  const since = performance.now();
  const look = () => {
    const contentful = performance.getEntriesByType("paint").some(entry => entry.name === "first-contentful-paint");
    const empty = !document.body || !document.body.firstElementChild;
    if (contentful || empty || document.hidden || performance.now() - since > 700) done(true);
    else later(10, look);
  };
  look();
});]])
local INPUT_TIMEOUT = 2 -- seconds; a page may be too busy to answer

local function arrived(self)
  self:evaluate(takes_input, { world = "own", timeout = INPUT_TIMEOUT }) -- without an answer the page counts as loaded
  local info, err = self:info()
  if not info then return nil, err end
  local answer = self.answer
  return { url = info.url, title = info.title,
    status = answer and answer.loader == self.loader and answer.status or nil }
end

-- The visit for an address that is a download: the browser reports the download after it has aborted the navigation.
local function as_download(self, count, url, limit)
  self.changed:wait_until(math.min(self.browser.desk.timing.browser_answer, limit - task.now()), function()
    return #self.downloads > count
  end)
  local download = self.downloads[count + 1]
  if not download then return not_loaded(url, "ERR_ABORTED") end
  local visit, err = arrived(self)
  if not visit then return nil, err end
  visit.download, visit.status = download, nil
  return visit
end

--- Navigates to an address (http, https, file, data or about:blank) and waits until the page has loaded. A page that
--- the server sends with an HTTP error counts as loaded; the address of a file starts a download.
---@param url string
---@param options { timeout: number? }? seconds; default timing.page_load
---@return deskpilot.visit? visit, deskpilot.error? err "unavailable", "not_found" and so on: why it was not loaded;
---  "refused": a dialog is open; "timed_out": it is still loading
function Tab:navigate(url, options)
  local fit, why = address.check(url)
  if not fit then return nil, why end
  local permitted, forbidden = self.browser.desk.input.may_act { act = "navigate", tab = self, url = fit }
  if not permitted then return nil, forbidden end
  local seconds = options and options.timeout or self.browser.desk.timing.page_load
  local limit, count = task.now() + seconds, #self.downloads
  self.not_loaded = nil
  local result, err = self:call("Page.navigate", { url = fit }, seconds)
  if not result then return nil, err end
  if result.isDownload == true then return as_download(self, count, url, limit) end
  local ok, failure = wait_until_loaded(self, limit) -- also for the browser's own error page
  if self.not_loaded then return nil, self.not_loaded end -- a redirect
  if result.errorText ~= nil and result.errorText ~= "" then return not_loaded(url, tostring(result.errorText)) end
  if not ok then return nil, failure end
  return arrived(self)
end

-- Calls a method that loads a page, and waits for the start of the load, then for its end.
local function load(self, method, params, options)
  local seconds = options and options.timeout or self.browser.desk.timing.page_load
  local limit = task.now() + seconds
  local session = self.session
  local begun = false
  self.not_loaded = nil
  local off = session:on("Page.frameStartedLoading", function(event) begun = begun or event.frameId == self.frame end)
  local off_within = session:on("Page.navigatedWithinDocument", function() begun = true end)
  local guard <close> = setmetatable({}, { __close = function() off() off_within() end })
  assert(guard)
  local ok, err = self:call(method, params, seconds)
  if not ok then return nil, err end
  self.changed:wait_until(limit - task.now(), function()
    return begun or self.not_loaded or self.closed or session.closed or session.blocked
  end)
  ok, err = wait_until_loaded(self, limit)
  if not ok then return nil, err end
  if self.not_loaded then return nil, self.not_loaded end
  return arrived(self)
end

local function step(self, by, options)
  local history, err = self:call("Page.getNavigationHistory")
  if not history then return nil, err end
  local entries, index = history.entries, math.tointeger(history.currentIndex)
  if type(entries) ~= "table" or not index then return errors.fail("protocol", "the browser's history is malformed") end
  local entry = entries[index + 1 + by]
  if type(entry) ~= "table" then
    return errors.fail("not_found", "there is no page to go %s to", by < 0 and "back" or "forward")
  end
  return load(self, "Page.navigateToHistoryEntry", { entryId = entry.id }, options)
end

--- Goes back to the page before, and waits until it has loaded.
---@param options { timeout: number? }? seconds; default timing.page_load
---@return deskpilot.visit? visit, deskpilot.error? err code "not_found": there is no page before
function Tab:back(options)
  return step(self, -1, options)
end

--- Goes forward to the next page of the history, and waits until it has loaded.
---@param options { timeout: number? }? seconds; default timing.page_load
---@return deskpilot.visit? visit, deskpilot.error? err code "not_found": there is no next page
function Tab:forward(options)
  return step(self, 1, options)
end

--- Reloads the page, and waits until it has loaded.
---@param options { timeout: number?, without_cache: boolean? }? timeout: seconds; default timing.page_load
---@return deskpilot.visit? visit, deskpilot.error? err
function Tab:reload(options)
  return load(self, "Page.reload", { ignoreCache = options and options.without_cache or nil }, options)
end

return navigation
