--- Starts a browser: with a temporary profile, with pipes that nobody else can reach to speak to it, and without the
--- questions and hints of a first start.
local uv = require "luv"
local cdp = require "deskpilot.desk.browser.cdp"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local pipe = require "deskpilot.desk.browser.pipe"
local pipes = require "deskpilot.desk.app.pipes"
local json = require "deskpilot.base.json"
local platform = require "deskpilot.desk.platform"
local process_tree = require "deskpilot.desk.platform.process_tree"
local task = require "deskpilot.base.task"
local waits = require "deskpilot.desk.wait.waits"

local launch = {}

local POLL = 0.02 -- seconds between two checks whether the browser has ended
local END_REPORT = 2 -- seconds from the end of its pipes until that of its process is known

---@class deskpilot.browser_process
---@field binary string
---@field folder string our temporary folder, below which the browser writes all its files
---@field profile string its profile's folder: below `folder`, or the caller's own
---@field downloads string
---@field pid integer? of its latest start
---@field pipes deskpilot.pipes? of its latest start
---@field desk deskpilot.desk
---@field options table as given to desk.browser.start
local Process = {}
Process.__index = Process

-- No first-run pages and no bubbles over the page; no requests except those of pages; covered tabs keep working.
local flags = {
  "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-quic", "--hide-crash-restore-bubble",
  "--disable-search-engine-choice-screen", "--password-store=basic",
  "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
}
local without = "--disable-features=Translate,CalculateNativeWinOcclusion"

-- In the basic mode: in the full one each change of a page with 10,000 elements blocks the page for seconds.
local accessible = "--force-renderer-accessibility=basic"

-- Settings without a flag: they turn off bubbles that would cover a part of the page.
local preferences = {
  credentials_enable_service = false, profile = { password_manager_enabled = false },
  autofill = { profile_enabled = false, credit_card_enabled = false },
  translate = { enabled = false }, bookmark_bar = { show_on_all_tabs = false },
  browser = { has_seen_welcome_page = true, check_default_browser = false },
  download = { prompt_for_download = false }, download_bubble = { partial_view_enabled = false },
}

-- The longest path of a temporary folder in which the browser's sockets still fit: Linux limits their paths to 108
-- bytes.
local SOCKET_FOLDER_MAX = 60

local private = { private = true } -- pages, passwords, cookies

local function write_preferences(profile)
  local folder = files.join(profile, "Default")
  if files.exists(files.join(folder, "Preferences")) then return true end
  local ok, err = files.make_folder(folder, private)
  if not ok then return nil, err end
  return files.write(files.join(folder, "Preferences"), json.encode(preferences), private)
end

local function make_folders(self)
  local base = self.desk.session and self.desk.session.folder or files.temporary_folder()
  local folder, why = files.make_temporary_folder(base, "browser-")
  if not folder then return nil, why end
  self.folder = files.absolute(folder)
  self.profile = self.options.profile and files.join(uv.cwd(), self.options.profile)
    or files.join(self.folder, "profile")
  self.downloads = self.options.downloads and files.join(uv.cwd(), self.options.downloads)
    or files.join(self.folder, "downloads")
  for path, how in pairs { [self.profile] = private, [files.join(self.folder, "tmp")] = private,
    [self.downloads] = self.options.downloads and {} or private } do
    local ok, err = files.make_folder(path, how)
    if not ok then return nil, err end
  end
  return write_preferences(self.profile)
end

local function command_of(self)
  local argv = { self.binary, "--user-data-dir=" .. files.native(self.profile) }
  local function add(list) table.move(list, 1, #list, #argv + 1, argv) end
  add(flags)
  add(platform.browser_flags())
  -- A private desktop has no GPU; and nobody is there for whom a page should glide for half a second at each notch, or
  -- a tooltip come half a second after the Tab key.
  if self.desk.session then
    add { "--disable-gpu", "--disable-smooth-scrolling", without .. ",KeyboardAccessibleTooltipInViews" }
  else
    add { without }
  end
  local size = self.options.window
  add { size and ("--window-size=%d,%d"):format(size[1], size[2]) or "--start-maximized" }
  if self.options.accessibility then add { accessible } end
  add(self.options.args or {})
  add { "about:blank" }
  -- A killed browser leaves sockets and other files in its temporary folder, so it gets one below ours.
  local env = { ACCESSIBILITY_ENABLED = self.options.accessibility and "1" or "0" }
  local temporary = files.join(self.folder, "tmp")
  if #temporary <= SOCKET_FOLDER_MAX then env.TMPDIR = temporary end
  argv.env, argv.pipes = env, self.pipes
  return argv
end

--- How its process has ended; nil while it runs, or if it was never started.
---@return { status: integer, words: string? }? ended
function Process:ended()
  return self.pid and self.desk.apps.ended(self.pid) or nil
end

local function ended_early(self, ended)
  if ended.status == 0 then
    return errors.fail("refused", "%s ended at once: another browser runs with the profile %s; close that one, or "
      .. "attach to it if it has a debugging port", self.binary, self.profile)
  end
  return errors.fail("unavailable", "%s", ("%s ended with status %d before it could be reached%s"):format(
    self.binary, ended.status, ended.words and ": " .. ended.words or ""))
end

--- Waits until its process has ended.
---@param seconds number
---@return boolean ended
function Process:wait_for_end(seconds)
  local limit = task.now() + seconds
  while not self:ended() do
    if task.now() >= limit then return false end
    task.sleep(POLL)
  end
  return true
end

-- Speaks to the browser, and waits until it answers.
local function connect(self, limit)
  local connection, err = cdp.connect(function(listener) return pipe.open(self.pipes, listener) end)
  if not connection then return nil, err end
  local version
  version, err = connection:call("Browser.getVersion", nil, { timeout = math.max(limit - task.now(), 0) })
  if version then return connection end
  if connection.closed and self:wait_for_end(END_REPORT) then return ended_early(self, self:ended()) end
  connection:close()
  return errors.fail(err.code, "%s was started and cannot be reached: %s", self.binary, tostring(err))
end

local function is_headless(self)
  for _, flag in ipairs(self.options.args or {}) do
    if flag:find("^%-%-headless") then return true end
  end
  return false
end

--- The topmost visible window of a process or its descendants.
---@param desk deskpilot.desk
---@param pid integer
---@return deskpilot.window? window
function launch.window_of(desk, pid)
  local list = desk.windows.list() or {}
  for i = #list, 1, -1 do
    local window = list[i]
    if window.visible and window.pid ~= 0 and (window.pid == pid or process_tree.descends(window.pid, pid)) then
      return window
    end
  end
end

local function wait_for_window(self, limit)
  while not is_headless(self) do
    local changes = self.desk.native:window_changes()
    if launch.window_of(self.desk, self.pid) then return true end
    local ended = self:ended()
    if ended then return ended_early(self, ended) end
    local left = limit - task.now()
    if left <= 0 then return errors.fail("timed_out", "%s showed no window in time", self.binary) end
    local ok, err = waits.windows_changed(self.desk, changes, math.min(left, self.desk.timing.wait_every))
    if not ok then return nil, err end
  end
  return true
end

--- Starts the browser, or starts it again, and waits until it can be reached and shows its window.
---@return deskpilot.cdp_connection? connection, deskpilot.error? err
function Process:start()
  local limit = task.now() + (self.options.wait or self.desk.timing.browser_start)
  if self.pipes then self.pipes:close() end -- of the start before
  self.pipes = pipes.new()
  local pid, err = self.desk.apps.start(command_of(self))
  if not pid then return nil, err end
  self.pid = pid
  local connection, failure = connect(self, limit)
  if not connection then return nil, failure end
  local ok, why = wait_for_window(self, limit)
  if ok then return connection end
  connection:close()
  return nil, why
end

--- Ends the browser, if it runs, and removes its temporary folder. Waits as long as desk.apps.stop does.
function Process:stop()
  if self.pipes then self.pipes:close() end
  if self.pid and not self:ended() then self.desk.apps.stop(self.pid) end
  self:remove(true)
end

--- Kills the browser, if it runs, and removes its temporary folder. For callers that cannot wait in a task.
function Process:kill()
  if self.pipes then self.pipes:close() end
  if self.pid and not self:ended() then platform.end_tree(self.pid) end
  self:remove(false)
end

-- Removes the temporary folder. Repeated for up to 2 s, because killed processes may still write for a moment.
function Process:remove(may_wait)
  local limit = task.now() + 2
  while true do
    files.remove(self.folder)
    if not files.exists(self.folder) or task.now() > limit then return end
    if may_wait then task.sleep(POLL) else uv.sleep(10) end
  end
end

--- Prepares a browser's start: makes its folders. See desk.browser.start for the options.
---@param desk deskpilot.desk
---@param options table
---@return deskpilot.browser_process? process, deskpilot.error? err
function launch.new(desk, options)
  local binary = options.binary or platform.browsers()[1]
  if not binary then
    return errors.fail("unavailable", "there is no browser here that can be started: %s", platform.browser_advice)
  end
  local self = setmetatable({ desk = desk, options = options, binary = binary }, Process)
  local ok, err = make_folders(self)
  if ok then return self end
  if self.folder then files.remove(self.folder) end
  return nil, err
end

return launch
