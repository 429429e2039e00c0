--- Follows a browser's downloads until they are complete. The page suggests a file's name, which is untrusted: the
--- browser saves the file under a random id, and it gets a safe form of the suggested name when it is complete.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local signal = require "deskpilot.base.signal"
local signature = require "deskpilot.base.signature"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local downloads = { methods = {} }
---@class deskpilot.tab
local Tab = downloads.methods

---@class deskpilot.download
---@field name string
---@field url string
---@field state "running"|"complete"|"failed"
---@field received integer bytes
---@field total integer? bytes, where the server has said so
---@field path string? when it is complete
---@field err deskpilot.error? when it has failed
local Download = {}
Download.__index = Download

function Download:__tostring()
  return ("download %s (%s)"):format(self.name, self.state)
end

-- How many downloads are remembered per browser and per tab.
local KEPT = 200

-- --- names --------------------------------------------------------------------------------------------

local reserved = { con = true, prn = true, aux = true, nul = true, ["conin$"] = true, ["conout$"] = true }

-- Names of Windows devices; an extension does not change their meaning.
local function is_device(name)
  local stem = text.without_end(name:lower():match("^[^.]*"), " ")
  return reserved[stem] or stem:find("^com%d$") or stem:find("^lpt%d$")
end

--- A file name that is safe on every system and similar to the suggested one.
---@param suggestion any
---@return string
function downloads.safe_name(suggestion)
  local name = type(suggestion) == "string" and suggestion or ""
  if not utf8.len(name) then name = name:gsub("[\x80-\xff]", "_") end
  name = text.after_last(name, "/\\"):gsub("[%c<>:\"|?*]", "_"):gsub("^[%s.]+", "")
  name = text.without_end(name, "%s.")
  if is_device(name) then name = "_" .. name end
  if #name > 150 then
    local stem, ending = name:match("^(.*)(%.[%w]+)$")
    if not ending or #ending > 20 then stem, ending = name, "" end
    while #stem + #ending > 150 do stem = stem:sub(1, utf8.offset(stem, -1) - 1) end
    name = stem .. ending
  end
  return name ~= "" and name or "download"
end

-- --- the browser's events -------------------------------------------------------------------------------

local function keep(list, download)
  list[#list + 1] = download
  if #list > KEPT then table.remove(list, 1) end
end

-- The tab that a download was started in. A tab that was opened for the download alone has shown no page and will be
-- closed by the browser; then it is the tab that opened that one.
local function tab_of(browser, frame)
  for _, tab in ipairs(browser.order) do
    if tab.frame == frame or tab.frames[frame] then
      return not tab.loader and browser.by_id[tab.opener or ""] or tab
    end
  end
end

local function begun(browser, params)
  local id = params.guid
  if type(id) ~= "string" or not id:find("^[%w-]+$") or #id > 100 or browser.running[id] then return end
  local download = setmetatable({ name = downloads.safe_name(params.suggestedFilename), state = "running",
    url = text.cut(tostring(params.url), 2000), received = 0, changed = signal.new() }, Download)
  browser.running[id] = download
  keep(browser.downloads, download)
  local tab = tab_of(browser, params.frameId)
  if tab then keep(tab.downloads, download) end
  for _, other in ipairs(browser.order) do other.changed:notify() end
end

local function ended(browser, id, download, err)
  browser.running[id] = nil
  download.err, download.state = err, err and "failed" or "complete"
  download.changed:notify()
end

-- Gives a complete file its name. Without a folder of ours the browser has chosen the path and reported it.
local function complete(browser, id, download, path_of_browser)
  local folder = browser.download_folder
  if not folder then
    download.path = type(path_of_browser) == "string" and text.cut(path_of_browser, 4000) or nil
    return ended(browser, id, download)
  end
  local path, err = files.place(files.join(folder, id), folder, download.name)
  if not path then return ended(browser, id, download, err) end
  download.path = path
  ended(browser, id, download)
end

local function progress(browser, params)
  local download = browser.running[params.guid or ""]
  if not download then return end
  download.received = math.tointeger(params.receivedBytes) or download.received
  local total = math.tointeger(params.totalBytes)
  download.total = total and total > 0 and total or download.total
  if params.state == "completed" then complete(browser, params.guid, download, params.filePath)
  elseif params.state == "canceled" then
    ended(browser, params.guid, download, errors.new("cancelled", "%s",
      ("the download of %s was interrupted after %d bytes by the server or the browser"):format(
        download.name, download.received)))
  end
end

--- Listens to the browser's download events.
---@param browser deskpilot.browser
---@param connection deskpilot.cdp_connection
function downloads.listen(browser, connection)
  browser.running = {}
  connection:on("Browser.downloadWillBegin", nil, function(params) begun(browser, params) end)
  connection:on("Browser.downloadProgress", nil, function(params) progress(browser, params) end)
  connection:on_close(function(err)
    local running = browser.running
    browser.running = {}
    for id, download in pairs(running) do ended(browser, id, download, err) end
  end)
end

--- Enables the browser's download events, and sets the folder for files.
---@param browser deskpilot.browser
---@param connection deskpilot.cdp_connection
---@return table? ok, deskpilot.error? err
function downloads.start(browser, connection)
  local folder = browser.download_folder
  return connection:call("Browser.setDownloadBehavior", { behavior = folder and "allowAndName" or "default",
    downloadPath = folder and files.native(folder) or nil, eventsEnabled = true })
end

-- --- waiting for downloads --------------------------------------------------------------------------------

--- Waits until the download is complete.
---@param timeout number? seconds; default 60
---@return string? path, deskpilot.error? err code "cancelled": it was interrupted
function Download:wait(timeout)
  timeout = timeout or 60
  self.changed:wait_until(timeout, function() return self.state ~= "running" end)
  if self.err then return nil, self.err end
  if self.state == "running" then
    return errors.fail("timed_out", "%s", ("%s is not complete after %g s: %d bytes%s have arrived"):format(self.name,
      timeout, self.received, self.total and (" of %d"):format(self.total) or ""))
  end
  if self.path then return self.path end
  return errors.fail("unsupported", "this browser does not report where it has saved %s; attach to it with the option "
    .. "downloads, a folder", self.name)
end

signature.methods("download", Download, { wait = { "number?" } })

--- Waits until the tab starts a download and until that download is complete. `action` is called first to start it; if
--- it returns nil, err, so does this function.
---@param options { action: function?, timeout: number? }? timeout: seconds; default timing.download
---@return string? path
---@return deskpilot.download|deskpilot.error download
function Tab:wait_for_download(options)
  options = options or {}
  local limit = task.now() + (options.timeout or self.browser.desk.timing.download)
  local last = self.downloads[#self.downloads]
  if options.action then
    local ok, err = options.action()
    if ok == nil and err ~= nil then return nil, err end
  end
  local found = self.changed:wait_until(limit - task.now(), function()
    for i = #self.downloads, 1, -1 do
      if self.downloads[i] == last then return self.downloads[i + 1] end
    end
    return not last and self.downloads[1] or self.closed or self.open_dialog
  end)
  if not found then return errors.fail("timed_out", "the tab did not start a download in time") end
  if found == true then return errors.fail("not_found", "the tab has been closed") end
  if found == self.open_dialog then return nil, self.session.blocked.err end
  local path, err = found:wait(math.max(0, limit - task.now()))
  if not path then return nil, err end
  return path, found
end

return downloads
