--- Files that a browser fetches, followed until they are there. Their names are the page's wish: the browser saves
--- them under names of its own choice, and what is left of the wish is their name when they are complete.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local signal = require "deskpilot.base.signal"
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

-- How many are remembered of a browser and of a tab.
local KEPT = 200

-- --- names --------------------------------------------------------------------------------------------

local reserved = { con = true, prn = true, aux = true, nul = true, ["conin$"] = true, ["conout$"] = true }

-- Windows's devices, whatever their ending.
local function is_device(name)
  local stem = name:lower():match("^[^.]*"):gsub(" +$", "")
  return reserved[stem] or stem:find("^com%d$") or stem:find("^lpt%d$")
end

--- A file's name that is safe on every system, as like the given one as can be.
---@param wish any
---@return string
function downloads.safe_name(wish)
  local name = type(wish) == "string" and wish or ""
  if not utf8.len(name) then name = name:gsub("[\x80-\xff]", "_") end
  name = name:match("[^/\\]*$"):gsub("[%c<>:\"|?*]", "_"):gsub("^[%s.]+", ""):gsub("[%s.]+$", "")
  if is_device(name) then name = "_" .. name end
  if #name > 150 then
    local stem, ending = name:match("^(.*)(%.[%w]+)$")
    if not ending or #ending > 20 then stem, ending = name, "" end
    while #stem + #ending > 150 do stem = stem:sub(1, utf8.offset(stem, -1) - 1) end
    name = stem .. ending
  end
  return name ~= "" and name or "download"
end

-- A path in the folder that no file has.
local function free_path(folder, name)
  local path, number = files.join(folder, name), 1
  local stem, ending = name:match("^(.+)(%.[^.]+)$")
  while files.exists(path) do
    path = files.join(folder, ("%s (%d)%s"):format(stem or name, number, ending or ""))
    number = number + 1
  end
  return path
end

-- --- what the browser tells -----------------------------------------------------------------------------

local function keep(list, download)
  list[#list + 1] = download
  if #list > KEPT then table.remove(list, 1) end
end

-- The tab that a download was begun in. One that was opened for it alone has shown no page, and is closed: it is
-- the business of the tab that had it opened.
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
  for _, other in ipairs(browser.order) do other.changed:tell() end
end

local function ended(browser, id, download, err)
  browser.running[id] = nil
  download.err, download.state = err, err and "failed" or "complete"
  download.changed:tell()
end

-- Gives it its name. Where the browser decides where files go, it has told where this one is.
local function complete(browser, id, download, told)
  local folder = browser.download_folder
  if not folder then
    download.path = type(told) == "string" and text.cut(told, 4000) or nil
    return ended(browser, id, download)
  end
  local path = free_path(folder, download.name)
  local ok, why = uv.fs_rename(files.join(folder, id), path)
  if not ok then
    return ended(browser, id, download, errors.new("io", "%s cannot be named: %s", download.name, tostring(why)))
  end
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
      ("%s was not fetched to its end (%d bytes came): the server or the browser broke it off"):format(
        download.name, download.received)))
  end
end

--- Listens to what the browser tells of downloads.
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

--- Has the browser tell of downloads, and put them into the folder that was asked for.
---@param browser deskpilot.browser
---@param connection deskpilot.cdp_connection
---@return table? ok, deskpilot.error? err
function downloads.start(browser, connection)
  local folder = browser.download_folder
  return connection:call("Browser.setDownloadBehavior", { behavior = folder and "allowAndName" or "default",
    downloadPath = folder and files.native(folder) or nil, eventsEnabled = true })
end

-- --- waiting for them -------------------------------------------------------------------------------------

--- Waits until the file is there.
---@param timeout number? seconds; a minute
---@return string? path, deskpilot.error? err code "cancelled": it was broken off
function Download:wait(timeout)
  timeout = timeout or 60
  self.changed:wait_until(timeout, function() return self.state ~= "running" end)
  if self.err then return nil, self.err end
  if self.state == "running" then
    return errors.fail("timed_out", "%s", ("%s is not complete after %g s: %d bytes%s have come"):format(self.name,
      timeout, self.received, self.total and (" of %d"):format(self.total) or ""))
  end
  if self.path then return self.path end
  return errors.fail("unsupported", "this browser does not tell where it put %s; attach with a folder for downloads",
    self.name)
end

--- Waits for a file that the tab begins to fetch from now on, and until it is there. What is to begin it can be given
--- as `action`, whose nil, err is an error here too.
---@param options { action: function?, timeout: number? }? seconds; timing.download
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
  if not found then return errors.fail("timed_out", "the tab did not begin to fetch a file") end
  if found == true then return errors.fail("not_found", "the tab has been closed") end
  if found == self.open_dialog then return nil, self.session.blocked.err end
  local path, err = found:wait(math.max(0, limit - task.now()))
  if not path then return nil, err end
  return path, found
end

return downloads
