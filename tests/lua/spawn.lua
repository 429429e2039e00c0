--- Runs the real program as a child process, for tests that judge it from outside.
local uv = require "luv"
local files = require "deskpilot.base.files"
local system = require "native.system"
local task = require "deskpilot.base.task"

local spawn = {}

--- The program under test.
spawn.program = os.getenv("DESKPILOT_BIN") or "build/deskpilot"

local count = 0 -- of children, for their tags

local function environment(extra, tag)
  local list, env = { tag }, uv.os_environ()
  env.TEST_PROCESS_TAG = nil
  env.XDG_CACHE_HOME = files.join(files.temporary_folder(), "cache") -- what is learned of servers is the test's own
  for key, value in pairs(extra or {}) do
    if value then env[key] = value else env[key] = nil end
  end
  for key, value in pairs(env) do list[#list + 1] = key .. "=" .. value end
  return list
end

local on_wine = system.platform == "windows"

-- The first program that has to do with windows starts Wine's process for the desktop, which has that program's output
-- open too. This one is the first, so that nobody waits for the output of a program that has ended.
if on_wine then assert(require("native.desk").open {}):close() end

-- The same goes for each further desktop, and that process may stay for ever.
local function let_go(pipes, closed)
  local timer = uv.new_timer()
  timer:start(5000, 0, function()
    timer:close()
    for _, pipe in ipairs(pipes) do
      if not pipe:is_closing() then
        pipe:close()
        closed()
      end
    end
  end)
  timer:unref()
end

local Process = {}
Process.__index = Process

--- Starts argv[1]; its output is collected in process.stdout and process.stderr.
---@param argv string[]
---@param options table? {cwd, env, input, pipe}: env holds values, false to unset; input is all its input; with pipe,
---  process.input is written to by the test
function spawn.start(argv, options)
  options = options or {}
  count = count + 1
  local self = setmetatable({ stdout = "", stderr = "", waiters = {}, open = 3, argv = argv, began = task.now(),
    tag = ("TEST_PROCESS_TAG=%d-%d;"):format(uv.os_getpid(), count) }, Process)
  local pipes = { uv.new_pipe(), uv.new_pipe() }
  local input = (options.input or options.pipe) and uv.new_pipe()
  local function closed()
    self.open = self.open - 1
    if self.open > 0 then return end
    self.seconds = task.now() - self.began
    for _, waiter in ipairs(self.waiters) do waiter() end
  end
  for _ = 1, on_wine and 5 or 1 do -- Wine's CreateProcess fails without a reason once in a while
    self.handle, self.pid = uv.spawn(argv[1], { args = { table.unpack(argv, 2) }, cwd = options.cwd,
      env = environment(options.env, self.tag), stdio = { input, pipes[1], pipes[2] } }, function(status, signal)
      self.status, self.signal = status, signal
      self.handle:close()
      if on_wine then let_go(pipes, closed) end
      closed()
    end)
    if self.handle or not tostring(self.pid):find("^UNKNOWN") then break end
    task.sleep(0.1)
  end
  assert(self.handle, self.pid)
  self.input = input
  if options.input then input:write(options.input, function() input:close() end) end
  for i, field in ipairs { "stdout", "stderr" } do
    pipes[i]:read_start(function(_, data)
      if data then self[field] = self[field] .. data return end
      pipes[i]:close()
      closed()
    end)
  end
  return self
end

-- Less than the harness gives a test, so that it is known what the process was doing.
local PATIENCE = 100

--- Waits for the end; the process itself is returned. One that does not end fails the test with what
--- it has said.
function Process:wait()
  if self.open > 0 then
    local ended, err = task.limit(PATIENCE, task.await, function(done) table.insert(self.waiters, done) end)
    if not ended then
      local alive = self.status == nil
      if alive then uv.kill(self.pid, "sigkill") end
      error(("%s: %s; it has said:\n%s%s"):format(table.concat(self.argv, " "), alive and tostring(err)
        or "has ended, but its output is still open", self.stdout, self.stderr), 2)
    end
  end
  return self
end

function Process:kill(signal)
  uv.kill(self.pid, signal)
end

--- Waits until it has said that on standard error, and no moment longer; an error tells what it said instead.
---@param word string
---@param seconds number? 30
function Process:wait_for_word(word, seconds)
  local limit = task.now() + (seconds or 30)
  while not self.stderr:find(word, 1, true) do
    if task.now() > limit or self.open == 0 then
      if not self.status then self:kill "sigkill" end
      error(("waited for %q; the program said (status %s):\n%s"):format(word, self.status, self.stderr), 2)
    end
    task.sleep(0.001)
  end
end

-- STATUS_DLL_INIT_FAILED: it has ended before its own first instruction, which Wine lets happen once in a while.
local NEVER_RAN = 0xC0000142

--- Starts and waits.
function spawn.run(argv, options)
  local process = spawn.start(argv, options):wait()
  if on_wine and process.status == NEVER_RAN then return spawn.start(argv, options):wait() end
  return process
end

--- For a `local guard <close> =` variable: when it goes, the processes of the list that still run are killed, and
--- their ends waited for.
---@param list table[] of spawn.start; may grow
---@param finally fun()? called after that
---@return table guard
function spawn.guard(list, finally)
  return setmetatable({}, { __close = function()
    for _, one in ipairs(list) do
      if not one.status then
        one:kill "sigkill"
        one:wait()
      end
    end
    if finally then finally() end
  end })
end

--- A new empty folder.
function spawn.folder()
  return files.absolute(assert(uv.fs_mkdtemp(files.join(files.temporary_folder(), "deskpilot-test-XXXXXX"))))
end

--- A test that is given a new folder, which is removed when it ends.
---@param fn fun(folder: string)
---@return fun() test
function spawn.in_folder(fn)
  return function()
    local folder = spawn.folder()
    local _ <close> = setmetatable({}, { __close = function() files.remove(folder) end })
    fn(folder)
  end
end

--- The processes that this one has left behind: those that inherited its environment's tag.
---@return string[] command lines
function Process:left()
  local found = {}
  local scan = uv.fs_scandir("/proc")
  while true do
    local name = uv.fs_scandir_next(scan)
    if not name then break end
    local function read(what)
      local file = name:match("^%d+$") and io.open("/proc/" .. name .. "/" .. what, "rb")
      local text = file and file:read("a") or ""
      if file then file:close() end
      return text
    end
    if read("environ"):find(self.tag, 1, true) then
      found[#found + 1] = name .. " " .. read("cmdline"):gsub("%z", " ")
    end
  end
  return found
end

return spawn
