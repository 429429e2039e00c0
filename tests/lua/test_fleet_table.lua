-- What submit --wait shows: plain lines, and on a terminal a table that stays within it.
local lists = require "deskpilot.cli.fleet.lists"
local t = require "harness"
local task = require "deskpilot.base.task"
local waiting_table = require "deskpilot.cli.fleet.waiting_table"

local tests = {}

local function id(i) return ("%032x"):format(i) end

local function record(i, status, result)
  return { status = status, mission = "m.lua", args = { "name=" .. i }, worker = "w-1", attempts = 1,
    began = os.time() + i, outcome = result and { status = result == "succeeded" and 0 or 1,
      result = { status = result, reason = "so it is" } } }
end

local function with(tty, fn)
  local written = {}
  local shown <close> = waiting_table.new(9, { tty = tty, size = function() return 60, 10 end,
    write = function(words) written[#written + 1] = words end })
  fn(shown, written)
end

function tests.each_that_is_over_is_a_line()
  with(false, function(shown, written)
    shown:stands(id(1), record(1, "running"))
    shown:over(id(1), record(1, "done", "succeeded"), 1)
    shown:over(id(2), { status = "cancelled", args = { "\27[2Jx\ny" }, outcome = { status = 130 } }, 2)
    task.sleep(0.5)
    t.eq(written, { "1 of 9: " .. id(1) .. " name=1: succeeded so it is\n",
      "2 of 9: " .. id(2) .. " [2Jx y: cancelled\n" })
  end)
end

function tests.a_mission_is_told_in_words()
  local function told(fields) return { lists.standing(fields), lists.reason(fields) } end
  t.eq(told { status = "queued" }, { "queued", "" })
  t.eq(told { status = "queued", words = "no display" }, { "queued", "no display" })
  t.eq(told { status = "running", words = "no display" }, { "running", "" }, "those were of the attempt before")
  t.eq(told { status = "running", anew = "a script" }, { "running", "began anew: a script" })
  t.eq(told { status = "running", continued = { attempt = 1, turn = 4, run = "r" } },
    { "running", "goes on after turn 4 of attempt 1" })
  t.eq(told { status = "done", outcome = { status = 3, words = "given up" } }, { "error", "given up" })
  t.eq(told { status = "done", outcome = 7, args = 7 }, { "error", "" }, "whatever somebody has written there")
  t.eq(lists.arguments { args = 7 }, "")
  t.eq(lists.seconds { status = "queued", began = 5 }, nil)
  t.eq(lists.seconds { status = "done", began = 5, ended = 9 }, 4)
end

function tests.a_terminal_has_one_table()
  with(true, function(shown, written)
    t.eq(written[1], "0 of 9 done; 0 run, 9 wait\n")
    for i = 1, 8 do shown:stands(id(i), record(i, "running")) end
    t.wait_until("it to be drawn", function() return written[2] end, 10)
    local lines = {}
    for line in written[2]:gmatch "[^\n]+" do lines[#lines + 1] = line end
    t.eq(lines[1]:sub(1, 11), "\r\27[1A\27[Jrun", "in place of the line before")
    t.eq({ lines[8], lines[9], #lines }, { "and 2 more", "0 of 9 done; 8 run, 1 wait", 9 }, "less than the terminal's")
    shown:over(id(3), record(3, "done", "failed"), 1)
    t.has(written[#written - 1], "\r\27[9A\27[J1 of 9: " .. id(3) .. " name=3: failed so it is\n")
    t.has(written[#written], "1 of 9 done, 1 of them did not succeed; 7 run, 1 wait\n")
    t.ok(not written[#written]:find("name=3", 1, true))
    shown:stands(id(1), record(1, "queued"))
    t.wait_until("it to be drawn", function() return written[#written]:find("6 run, 2 wait", 1, true) end, 10)
    shown:close()
    t.eq(written[#written], "\r\27[8A\27[J")
  end)
end

return tests
