--- Private desktops: a display server, a session bus and a window manager (on Windows a second Windows desktop) that
--- nobody sees. They are children of a host process (linux/host.lua, windows/host.lua), which removes everything even
--- if this program is killed. The functions here wait (see base/task.lua).
local uv = require "luv"
local native = require "native.desk"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local host_line = require "deskpilot.desk.private.host_line"
local host_runs = require "deskpilot.desk.private.host_runs"
local json = require "deskpilot.base.json"
local platform = require "deskpilot.desk.platform"
local process_tree = require "deskpilot.desk.platform.process_tree"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local private = {}

--- Seconds.
private.timing = {
  start = 30,         -- timeout: the desktop is ready
  app_start = 10,     -- timeout: the host has started an application
  windows = 15,       -- timeout: all applications show a window
  focus = 1,          -- timeout: after that, one of them is active
  poll = 0.01,        -- between two checks of a condition
  stop = 15,          -- timeout: the host has ended; after that it is killed
  told = 2,           -- timeout: the host's last words are read
  remove = 10,        -- timeout: nobody makes files any more in the folder of a host that was killed
}

---@class deskpilot.private_session
---@field display string such as ":5"; on Windows the desktop's name
---@field cookie string? X11: the MIT-MAGIC-COOKIE-1 of the display, 32 hexadecimal digits
---@field bus_address string? X11: of the desktop's session bus
---@field folder string temporary, removed by stop: holds home, run and log
---@field pids { host: integer, server: integer?, manager: integer? }
---@field apps { argv: string[], pid: integer, ended: table? }[]
local Session = {}
Session.__index = Session

local live = setmetatable({}, { __mode = "k" }) -- sessions that have not been stopped

-- --- the connection to the host ---------------------------------------------------------------------

local function wake(self)
  local waiters = self.waiters
  self.waiters = {}
  for waiter in pairs(waiters) do waiter() end
end

local events = {}

function events.folder(self, event)
  self.folder = event.folder
end

function events.ready(self, event)
  self.display, self.bus_address, self.folder = event.display, event.bus_address, event.folder
  self.cookie = event.cookie
  if event.pids then self.pids.server, self.pids.manager = event.pids.server, event.pids.manager end
  self.ready = true
end

function events.failed(self, event)
  self.failure = errors.new(event.code, event.message)
end

function events.app(self, event)
  self.answers[event.id] = { pid = event.pid }
end

function events.app_failed(self, event)
  self.answers[event.id] = { err = errors.new(event.code, event.message) }
end

function events.exit(self, event)
  self.exits[event.pid] = { status = event.status, signal = event.signal, words = event.words }
  for _, app in ipairs(self.apps) do
    if app.pid == event.pid then app.ended = self.exits[event.pid] end
  end
end

function events.ran(self, event)
  self.answers[event.id] = event
end

function events.stopped(self)
  self.stopped = true
end

local function take_line(self, line)
  local event = json.decode(line)
  local handler = type(event) == "table" and events[event.event]
  if handler then handler(self, event) end
end

local function listen(self)
  local complaint = ""
  local cut = host_line.cutter(function(line) take_line(self, line) end)
  self.output:read_start(function(_, data)
    if not data then
      self.gone, self.told_all = self.gone or complaint, true
      self.output:read_stop()
    else
      cut(data)
    end
    wake(self)
  end)
  self.complaints:read_start(function(_, data)
    if data then complaint = (complaint .. data):sub(-500) end
    if self.gone then self.gone = complaint end
  end)
end

local function send(self, command)
  if not self.input:is_closing() then self.input:write(json.encode(command) .. "\n") end
end

-- Waits until ready() returns something. An error after the timeout, or if the host has ended.
local function wait_for(self, seconds, ready)
  local limit = task.now() + seconds
  while true do
    local value = ready()
    if value then return value end
    local left = limit - task.now()
    if left <= 0 then return errors.fail("timed_out", "the private desktop did not answer within %g s", seconds) end
    if self.gone and not self.stopping then
      return errors.fail("io", "the private desktop's host has ended%s", self.gone ~= ""
        and ": " .. text.one_line(self.gone) or "")
    end
    task.await(function(done)
      local timer = uv.new_timer()
      local function finish()
        self.waiters[finish] = nil
        if not timer:is_closing() then timer:close() end
        done()
      end
      self.waiters[finish] = true
      uv.update_time()
      timer:start(math.ceil(left * 1000), 0, finish)
      return function()
        self.waiters[finish] = nil
        if not timer:is_closing() then timer:close() end
      end
    end)
  end
end

local function program()
  return os.getenv("DESKPILOT_BIN") or uv.exepath()
end

local function start_host(again)
  local self = setmetatable({ input = uv.new_pipe(), output = uv.new_pipe(), complaints = uv.new_pipe(),
    waiters = {}, answers = {}, exits = {}, apps = {}, pids = {}, next_id = 1 }, Session)
  local pid
  -- Detached, in a session of its own: Ctrl+C in a terminal must not reach the desktop's processes.
  self.handle, pid = uv.spawn(program(), { args = { "--desktop-host" }, detached = true,
    stdio = { self.input, self.output, self.complaints } }, function()
      self.ended = true
      self.gone = self.gone or ""
      if not self.handle:is_closing() then self.handle:close() end
      wake(self)
    end)
  if not self.handle then
    for _, pipe in ipairs { self.input, self.output, self.complaints } do pipe:close() end
    -- About once in a thousand starts Wine fails with an unknown error, and nothing has been started: try again once.
    if not again and tostring(pid):find("^UNKNOWN") then return start_host(true) end
    return errors.fail("io", "cannot start %s: %s", program(), tostring(pid))
  end
  self.pids.host = pid
  live[self] = true
  listen(self)
  return self
end

-- Removes what a host that was killed has not removed. The applications end with their host, but not what they have
-- started, which could make the folder once more.
local function remove(folder)
  local limit = task.now() + private.timing.remove
  while platform.end_users(folder) > 0 or files.exists(folder) do
    files.remove(folder)
    if task.now() >= limit then return end
    task.sleep(private.timing.poll)
  end
end

local function let_go(self)
  self.stopping = true
  wait_for(self, private.timing.told, function() return self.told_all end) -- its end may be known before its words
  self.told_all = true
  for _, pipe in ipairs { self.input, self.output, self.complaints } do
    if not pipe:is_closing() then pipe:close() end
  end
  if self.folder and not self.stopped then remove(self.folder) end
end

-- --- applications -----------------------------------------------------------------------------------

--- Starts a program on this desktop. Does not wait for its window.
---@param argv string[]
---@param env table<string, string>?
---@param pipes deskpilot.pipes? becomes its file descriptors 3 and 4
---@return integer? pid, deskpilot.error? err
function Session:start_app(argv, env, pipes)
  assert(type(argv) == "table" and type(argv[1]) == "string", "start_app wants a list: the program and its arguments")
  local id = self.next_id
  self.next_id = id + 1
  local command = {}
  for i, argument in ipairs(argv) do command[i] = tostring(argument) end
  local offer, refused
  if pipes then
    offer, refused = pipes:offer(self.folder)
    if not offer then return nil, refused end
  end
  send(self, { command = "app", id = id, argv = json.list(command), env = env, pipes = offer })
  local answer, err = wait_for(self, private.timing.app_start, function() return self.answers[id] end)
  if not answer then return nil, err end
  self.answers[id] = nil
  if answer.err then return nil, answer.err end
  if pipes and not pipes:wait(private.timing.app_start) then
    return errors.fail("io", "%s was started without its pipes", command[1])
  end
  table.insert(self.apps, { argv = command, pid = answer.pid, ended = self.exits[answer.pid] })
  return answer.pid
end

--- Runs a program on this desktop to its end.
---@param options deskpilot.program_options with env as a table of variables to add
---@return deskpilot.program_result? result, deskpilot.error? err
function Session:run(options)
  local id = self.next_id
  self.next_id = id + 1
  send(self, host_runs.command(id, options))
  local guard <close> = setmetatable({}, { __close = function()
    if not self.answers[id] then send(self, { command = "cancel", id = id }) end
    self.answers[id] = nil
  end })
  assert(guard)
  local answer, err = wait_for(self, options.timeout + private.timing.app_start,
    function() return self.answers[id] end)
  if not answer then return nil, err end
  return host_runs.result(answer)
end

-- The applications that show no window yet. A window may belong to a descendant of the program.
local function windowless(apps, windows)
  local missing = {}
  for _, app in ipairs(apps) do
    local shows = false
    for _, window in ipairs(windows) do
      shows = shows or (window.visible and window.pid > 0 and process_tree.descends(window.pid, app.pid))
    end
    if not shows then missing[#missing + 1] = app end
  end
  return missing
end

local function any_active(windows)
  for _, window in ipairs(windows) do
    if window.active then return true end
  end
  return false
end

local function ended_early(app)
  return errors.fail("io", "%s ended (%s) before it showed a window%s", app.argv[1],
    app.ended.signal ~= 0 and "signal " .. app.ended.signal or "status " .. app.ended.status,
    app.ended.words and ": " .. app.ended.words or "")
end

--- Waits until every application that was started shows a window, and until one of these windows is active.
---@param seconds number?
---@return boolean? ok, deskpilot.error? err
function Session:wait_for_windows(seconds)
  seconds = seconds or private.timing.windows
  local desk <close>, err = native.open { display = self.display, cookie = self.cookie }
  if not desk then return nil, err end
  local limit, complete = task.now() + seconds, nil
  while true do
    local windows, why = desk:windows()
    if not windows then return nil, why end
    local missing = windowless(self.apps, windows)
    if #missing == 0 then
      complete = complete or task.now()
      if any_active(windows) or task.now() > complete + private.timing.focus then return true end
    end
    for _, app in ipairs(missing) do
      if app.ended and app.ended.status + app.ended.signal ~= 0 then return ended_early(app) end
    end
    if self.gone then return errors.fail("io", "the private desktop has ended") end
    if #missing > 0 and task.now() > limit then
      return errors.fail("timed_out", "%s showed no window within %g s", missing[1].argv[1], seconds)
    end
    task.sleep(private.timing.poll)
  end
end

-- --- starting and stopping --------------------------------------------------------------------------

--- Ends the desktop and waits until its processes have ended and its folder is removed. May be called more than once,
--- and from any task.
---@return boolean? ok, deskpilot.error? err
function Session:stop()
  live[self] = nil
  if self.ended then let_go(self) return true end
  self.stopping = true
  send(self, { command = "stop" })
  if not self.input:is_closing() then self.input:close() end
  local ok = wait_for(self, private.timing.stop, function() return self.ended end)
  if not ok then uv.kill(self.pids.host, "sigkill") end
  let_go(self)
  if ok then return true end
  return errors.fail("timed_out", "the private desktop did not end within %g s; it was killed, and "
    .. "may have left processes behind", private.timing.stop)
end

--- Ends the desktop without waiting: closes the host's standard input, upon which the host ends everything. For callers
--- that cannot wait.
function Session:abandon()
  live[self] = nil
  if not self.input:is_closing() then self.input:close() end
end

local function check_options(options)
  local size = options.size or { 1280, 800 }
  local width, height = size.w or size[1], size.h or size[2]
  for _, side in ipairs { width or 0, height or 0 } do
    assert(math.type(side) == "integer" and side >= 64 and side <= 16384,
      "size must be two whole numbers from 64 to 16384")
  end
  for _, argv in ipairs(options.apps or {}) do
    assert(type(argv) == "table" and type(argv[1]) == "string",
      "apps must be a list of lists: each a program and its arguments")
  end
  return width, height
end

local function fill(self, options, width, height)
  send(self, { command = "start", width = width, height = height, env = options.env })
  local _, err = wait_for(self, private.timing.start, function() return self.ready or self.failure end)
  if not self.ready then return nil, self.failure or err end
  for _, argv in ipairs(options.apps or {}) do
    local pid, why = self:start_app(argv)
    if not pid then return nil, why end
  end
  if #self.apps == 0 then return true end
  return self:wait_for_windows()
end

--- Starts a desktop and its applications, and waits until each shows a window.
---@param options { size: integer[]?, apps: string[][]?, env: table<string, string>? }
---@return deskpilot.private_session? session, deskpilot.error? err
function private.start(options)
  local width, height = check_options(options)
  local self, err = start_host()
  if not self then return nil, err end
  local guard <close> = setmetatable({}, { __close = function() -- cancelled, or an error
    if not self.kept then self:abandon() end
  end })
  assert(guard)
  local ok, failure = fill(self, options, width, height)
  if not ok then
    self:stop()
    return nil, failure
  end
  self.kept = true
  return self
end

--- The sessions that have been started and not stopped.
---@return deskpilot.private_session[]
function private.sessions()
  local list = {}
  for session in pairs(live) do list[#list + 1] = session end
  return list
end

return private
