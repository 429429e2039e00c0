--- A signal for the process that the kernel gives to another of its threads. The thread sanitizer runs this too.
local t = require "harness"
local system = require "native.system"
local task = require "deskpilot.base.task"
local uv = require "luv"

local tests = {}

-- The numbers of the threads beside the main one.
local function other_threads()
  local list = {}
  local scan = assert(uv.fs_scandir "/proc/self/task")
  for name in uv.fs_scandir_next, scan do
    local id = math.tointeger(tonumber(name))
    if id ~= uv.os_getpid() then list[#list + 1] = id end
  end
  return list
end

function tests.a_signal_that_another_thread_is_given_interrupts_too()
  local heard
  system.on_interrupt(function(name) heard = name end)
  task.limit(20, task.sleep, 0.01) -- a limit starts the thread that watches over limits
  local threads = other_threads()
  t.ok(#threads > 0, "there are other threads")
  for _, id in ipairs(threads) do
    heard = nil
    local timer = uv.new_timer()
    timer:start(0, 0, function() -- outside of all tasks: a busy one would be ended
      timer:close()
      t.eq(uv.kill(id, "sigint"), 0) -- kill(2) offers it to the thread of that number first
    end)
    t.wait_until("the signal to be heard", function() return heard end, 20)
    t.eq(heard, "SIGINT")
    system.clear_interrupt()
  end
end

return tests
