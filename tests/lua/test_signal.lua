--- Signals: who waits is woken, in time or not at all, and nothing is kept of who has gone.
local t = require "harness"
local signal = require "deskpilot.base.signal"
local task = require "deskpilot.base.task"

local tests = {}

function tests.everyone_who_waits_is_woken()
  local changed, woken = signal.new(), {}
  for i = 1, 3 do
    task.start(function() woken[i] = changed:wait(20) end)
  end
  t.eq(woken, {})
  changed:notify()
  t.eq(woken, { true, true, true })
  changed:notify() -- to nobody
  t.eq(next(changed.waiters), nil)
end

function tests.nobody_waits_for_ever()
  local changed = signal.new()
  local began = task.now()
  t.eq(changed:wait(0.05), false)
  t.ok(task.now() - began >= 0.04)
  t.eq(changed:wait(0), false)
  t.eq(changed:wait(-1), false)
  local waiting = task.start(changed.wait, changed, 60)
  waiting:cancel "the test wants it"
  t.eq(next(changed.waiters), nil)
end

function tests.until_it_is_so()
  local changed, number, looks = signal.new(), 0, 0
  local waiting = task.start(changed.wait_until, changed, 20, function()
    looks = looks + 1
    return number >= 2 and number
  end)
  for i = 1, 2 do
    number = i
    changed:notify()
  end
  t.eq({ waiting:wait() }, { true, 2 })
  t.eq(looks, 3)
  t.eq(changed:wait_until(20, function() return "at once" end), "at once")
  t.eq(changed:wait_until(0.05, function() return false end), nil)
  -- One that waits again when it is woken does not wake itself.
  local rounds = 0
  local again = task.start(function()
    while changed:wait(20) do rounds = rounds + 1 end
  end)
  changed:notify()
  t.eq(rounds, 1)
  again:cancel "enough"
end

return tests
