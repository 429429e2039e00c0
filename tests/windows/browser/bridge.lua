-- Hands the DevTools protocol from standard input, as over a browser's pipes, to a browser that listens on a port, and
-- what that says to standard output (pipe_browser.c).
local uv = require "luv"
local endpoint = require "deskpilot.desk.browser.endpoint"
local pipe = require "deskpilot.desk.browser.pipe"
local task = require "deskpilot.base.task"

local MAX = 100 << 20

return function(port)
  local input, output = uv.new_pipe(), uv.new_pipe()
  assert(input:open(0))
  assert(output:open(1))
  local place = assert(endpoint.of_port(port))
  task.await(function(done)
    local here, there
    local listening = task.start(function()
      there = assert(place.open { max_message = MAX, on_message = function(bytes) here:send(bytes) end,
        on_close = function() done() end })
      here = pipe.open({ input = output, output = input, rest = "", close = function() end }, { max_message = MAX,
        on_message = function(bytes) there:send(bytes) end, on_close = function() done() end })
    end)
    assert(listening)
    return function() end
  end)
  os.exit(0, false)
end
