--- The test application (testapp.h) as tests use it: started in a folder of its own, its log as a list
--- of events, and ended whatever happens to the test.
local uv = require "luv"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local json = require "deskpilot.base.json"
local task = require "deskpilot.base.task"

local testapp = {}

--- The program's path, and the helper's that sends Ctrl+C (ctrlc.c).
testapp.program = os.getenv "DESKPILOT_TESTAPP" or "build/windows/tests/testapp.exe"
testapp.ctrlc = os.getenv "DESKPILOT_CTRLC" or "build/windows/tests/ctrlc.exe"

local patience = 30 -- seconds; two processors may be shared by much

--- A desk's, for the same reason.
testapp.timing = { focus = 10, window = 10, clipboard = 5, elements = 5 }

--- What runs `fn` at the end of the block that it is declared in, as a to-be-closed variable.
function testapp.finally(fn)
  return setmetatable({}, { __close = fn })
end

--- A new empty folder.
---@return string
function testapp.folder()
  return assert(uv.fs_mkdtemp(files.join(files.temporary_folder(), "deskpilot-test-XXXXXX")))
end

--- Calls fn with a new folder, which is removed when it ends.
---@param fn fun(folder: string)
function testapp.with_folder(fn)
  local folder = testapp.folder()
  local _ <close> = testapp.finally(function() files.remove(folder) end)
  fn(folder)
end

local App = {}
App.__index = App

local flags = { at = "--at", size = "--size", title = "--title", fullscreen = "--fullscreen", hang = "--hang" }

local function command_line(options, path)
  local words = { "--log", path }
  for name, value in pairs(options) do
    words[#words + 1] = assert(flags[name], name)
    if value ~= true then words[#words + 1] = value end
  end
  return words
end

local function wait_until_ready(self)
  local ready, at = self:wait_for { event = "ready" }
  self.ready, self.pid, self.hwnd, self.from = ready, ready.pid, ready.hwnd, at + 1
  return self
end

--- Starts one and waits until it has shown itself.
---@param options { at: string?, size: string?, title: string?, fullscreen: true?, hang: true? }?
function testapp.start(options)
  local folder = testapp.folder()
  local self = setmetatable({ folder = folder, path = files.join(folder, "log.jsonl"), from = 1 }, App)
  local function spawn()
    self.process, self.process_id = uv.spawn(testapp.program, { args = command_line(options or {}, self.path) },
      function(status)
        self.status = status
        self.process:close()
      end)
  end
  spawn()
  -- Wine's CreateProcess fails now and then without a reason that it could name; a second try works.
  if not self.process and tostring(self.process_id):find("^UNKNOWN") then spawn() end
  assert(self.process, self.process_id)
  return wait_until_ready(self)
end

--- One that something else starts with `--log path`, once it has shown itself: its log.
---@param path string
function testapp.attach(path)
  return wait_until_ready(setmetatable({ path = path, from = 1 }, App))
end

--- Everything logged so far.
---@return table[] events
function App:log()
  local events = {}
  for line in (files.read(self.path) or ""):gmatch("([^\n]*)\n") do
    events[#events + 1] = assert(json.decode(line), line)
  end
  return events
end

--- What is logged from here on is what wait_for and events look at.
function App:mark()
  self.from = #self:log() + 1
end

local function fits(event, pattern)
  for key, value in pairs(pattern) do
    if event[key] ~= value then return false end
  end
  return true
end

--- The events since the mark that have all fields of the pattern.
---@param pattern table
---@return table[] events, integer? first the first one's place in the log
function App:events(pattern)
  local found, first = {}, nil
  for i, event in ipairs(self:log()) do
    if i >= self.from and fits(event, pattern) then
      found[#found + 1] = event
      first = first or i
    end
  end
  return found, first
end

local function tail_of(app)
  local lines, log = {}, app:log()
  for i = math.max(1, #log - 15), #log do lines[#lines + 1] = harness.show(log[i]) end
  return table.concat(lines, "\n    ")
end

--- Waits for events since the mark that have all fields of the pattern: the first of them, or with a
--- count the list of so many.
---@param pattern table
---@param count integer?
---@return table event_or_list, integer first its place in the log
function App:wait_for(pattern, count)
  local limit = task.now() + patience
  while true do
    local found, first = self:events(pattern)
    if #found >= (count or 1) then return count and found or found[1], first end
    if task.now() > limit or self.status then
      error(("waited too long for %s (%d of %d came); the log ends with\n    %s"):format(harness.show(pattern),
        #found, count or 1, tail_of(self)), 2)
    end
    task.sleep(0.01)
  end
end

--- Where a control lies: x, y, width, height in pixels of the screen. Also a place to click at.
---@param name string
function App:control(name)
  local rect = assert(self.ready.controls[name], name).rect
  return { x = rect[1], y = rect[2], width = rect[3], height = rect[4] }
end

-- The control that got the focus last, and did not lose it.
local function focused(app)
  local name
  for _, event in ipairs(app:log()) do
    if event.event == "focus" then name = event.what == "got" and event.target or nil end
  end
  return name
end

--- Clicks a control that is to have the focus, and waits until it has.
function App:focus(desk, name)
  harness.ok(desk.mouse.click(self:control(name)))
  self:wait_for { event = "mouse", what = "up", target = name }
  harness.wait_until("the focus of " .. name, function() return focused(self) == name end, patience)
  self:mark()
end

--- Lets one go on that was started to hang, or told to by its menu.
function App:release()
  local ended
  local handle, why = uv.spawn(testapp.program, { args = { "--release", tostring(self.pid) } },
    function(status) ended = status end)
  assert(handle, why)
  harness.wait_until("the release", function() return ended end, patience)
  handle:close()
  harness.eq(ended, 0, "the release")
end

--- Waits for its end; its exit status.
---@return integer
function App:wait()
  return harness.wait_until("the test application's end", function() return self.status end, patience)
end

--- Ends it, whatever it does, and removes its folder.
function App:stop()
  if not self.status then self.process:kill "sigkill" end
  self:wait()
  files.remove(self.folder)
end

--- Opens the desktop, starts a test application, runs fn(desk, app), and takes both down.
function testapp.with(options, fn)
  local desk = assert(desk_module.open { timing = testapp.timing })
  local closing <close> = testapp.finally(function() desk:close() end)
  local app = testapp.start(options)
  local stopping <close> = testapp.finally(function() app:stop() end)
  fn(desk, app)
  return closing, stopping
end

return testapp
