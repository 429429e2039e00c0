-- Elements that are read before somebody asks for them: when the reading holds, and when it does not. A desk that a
-- test makes up; e2e/test_settling.lua has a real one.
local ahead = require "deskpilot.desk.elements.ahead"
local t = require "harness"
local task = require "deskpilot.base.task"

local tests = {}

-- A desk on which nothing happens until the test says so, and what reads it: each reading is a list of its own.
local function place(seconds)
  local self = { drawn = 0, windows = 1, reads = 0 }
  self.desk = { watching = true, native = { pump = function() return true end,
    last_change = function() return self.drawn end, window_changes = function() return self.windows end } }
  self.ahead = ahead.new(self.desk, function()
    self.reads = self.reads + 1
    local list = { number = self.reads }
    task.sleep(seconds or 0)
    return self.answer or list
  end)
  return self
end

function tests.what_was_read_is_given_once()
  local it = place()
  t.eq(it.ahead:take(), nil, "nothing was begun")
  it.ahead:begin()
  t.eq(it.ahead:take(), { number = 1 })
  t.eq(it.ahead:take(), nil)
end

function tests.one_reading_at_a_time()
  local it = place(0.02)
  it.ahead:begin()
  it.ahead:begin()
  t.eq(it.ahead:take(), { number = 1 }, "it is waited for")
  it.ahead:begin()
  it.ahead.reading.task:wait()
  it.ahead:begin()
  t.eq(it.reads, 2, "one that holds is not begun again")
  it.drawn = task.now() * 1e9
  it.ahead:begin()
  t.eq(it.ahead:take(), { number = 3 })
end

function tests.it_does_not_hold()
  for name, change in pairs {
    drawn = function(it) it.drawn = task.now() * 1e9 end,
    window = function(it) it.windows = 2 end,
    act = function(it) it.ahead:forget() end,
    unwatched = function(it) it.desk.watching = false end,
    lost = function(it) it.desk.native.pump = function() return nil end end,
    failed = function(it) it.ahead.reading.task:cancel "as a test" end,
    late = function(it) it.ahead.reading.began = it.ahead.reading.began - 1 end,
  } do
    local it = place(0.02)
    it.ahead:begin()
    change(it)
    t.eq(it.ahead:take(), nil, name)
  end
end

function tests.what_is_drawn_while_it_reads()
  local it = place(0.02)
  it.ahead:begin()
  task.start(function()
    task.sleep(0.01)
    it.drawn = task.now() * 1e9
  end)
  t.eq(it.ahead:take(), nil)
end

return tests
