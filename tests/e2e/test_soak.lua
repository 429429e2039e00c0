--- The short form of `./dev soak`: what a turn leaves behind is seen after a few of them too, but for what is small.
--- Memory is left to the long form, which runs a build whose allocator is the system's own.
local soak = require "bench.soak"
local t = require "harness"

local tests = {}

function tests.a_turn_leaves_no_handle_thread_or_file_behind()
  local windows = soak.run(100)
  t.eq(#windows, 10)
  t.eq(soak.growing(windows, { handles = true, threads = true, files = true, temporary = true }), {})
  for _, window in ipairs(windows) do
    t.ok(window.handles > 0 and window.threads > 0 and window.memory > 0, "it was looked at")
    t.ok(window.files >= 3, "a picture, a request and an answer of each turn")
  end
end

return tests
