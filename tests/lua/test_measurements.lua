--- What the benchmark and the soak make of what they measure: a noisy machine is told from a slow program, and what
--- grows from what only goes up and down.
local results = require "bench.results"
local soak = require "bench.soak"
local statistics = require "bench.statistics"
local t = require "harness"

local tests = {}

-- A table of one part, whose rows are these in each attempt; what was said, how often it was measured, what was missed.
local function measured(attempts)
  local said, count = {}, 0
  local all = results.new(function(words) said[#said + 1] = words end)
  all:measure("the part", function(row)
    count = count + 1
    for _, values in ipairs(attempts[count] or attempts[#attempts]) do row(table.unpack(values)) end
  end)
  local missed = all:print()
  return table.concat(said), count, missed, all.rows
end

function tests.a_target_that_is_met_is_measured_once()
  local said, count, missed = measured { { { "a", { 4, 5, 6, 5 }, "ms", 5 }, { "b", 1000, "ms" } } }
  t.eq({ count, missed }, { 1, 0 })
  t.has(said, "±10%")
  t.has(said, "target 5      met\n")
end

function tests.a_noisy_machine_is_measured_again()
  local said, count, missed, rows = measured { { { "a", 12, "ms", 10 }, { "b", 1, "ms", 2 } },
    { { "a", 9, "ms", 10 }, { "b", 7, "ms", 2 } } }
  t.eq({ count, missed, rows[1].value, rows[2].value }, { 2, 0, 9, 1 }, "what was met once, is met")
  t.has(said, "the part: a: 12, not 10")
  t.has(said, "measured again, 1 of 2")
  t.has(said, "target 10     met (also 12)")
end

function tests.a_slow_program_misses_it_three_times()
  local said, count, missed, rows = measured { { { "a", 12, "ms", 10 } }, { { "a", 14, "ms", 10 } },
    { { "a", 13, "ms", 10 } } }
  t.eq({ count, missed, rows[1].value }, { 3, 1, 12 })
  t.has(said, "measured again, 2 of 2")
  t.has(said, "it counts as missed")
  t.has(said, "MISSED (also 13, 14)")
end

function tests.rows_of_one_name_are_told_apart_by_their_order()
  local _, _, missed, rows = measured { { { "wrong", 0, "", 0 }, { "wrong", 3, "", 0 } },
    { { "wrong", 2, "", 0 }, { "wrong", 0, "", 0 } } }
  t.eq({ missed, rows[1].value, rows[2].value }, { 0, 0, 0 })
end

function tests.medians_and_percentiles()
  t.eq({ statistics.median { 3, 1, 2 }, statistics.median { 4, 1, 2, 3 } }, { 2, 2.5 })
  local list = {}
  for i = 1, 100 do list[i] = 101 - i end
  t.eq(statistics.ratios({ 2, 4, 30, 50 }, { 2, 10 }), { 1.0, 2.0, 3.0, 5.0 },
    "by turns: the machine was busy in the second")
  t.eq({ statistics.percentile(list, 95), statistics.percentile(list, 100), list[1] }, { 95, 100, 100 })
end

-- Windows of a soak in which nothing happens but what change(window, number) does.
local function windows(change)
  local list = {}
  for i = 1, 10 do
    list[i] = { turns = 1000, seconds = 0.1 + 0.002 * (i % 3), relative = 20, computed = 0.02,
      memory = 40 + 0.3 * (i % 2), handles = 20, threads = 9, files = 4, temporary = 14 }
    change(list[i], i)
  end
  return list
end

function tests.what_goes_up_and_down_is_flat()
  t.eq(soak.growing(windows(function() end)), {})
  t.eq(soak.growing(windows(function(window, i)
    if i == 1 then window.memory, window.threads = 20, 3 end -- what is loaded once
    if i == 10 then window.seconds, window.relative = 0.5, 90 end -- somebody else's work
  end)), {})
  t.eq(soak.growing(windows(function(window, i) window.seconds = 0.1 + 0.02 * i end)), {}, "all work takes longer")
end

function tests.what_grows_is_told()
  local function growing(key, by)
    local list = soak.growing(windows(function(window, i)
      window[key] = window[key] + by * i
      window.relative = window.seconds * 200
    end))
    t.eq(#list, 1, key)
    return list[1]
  end
  t.has(growing("memory", 0.5), "memory: grows by")
  t.has(growing("seconds", 0.002), "time of a turn: grows by")
  t.has(growing("computed", 0.0002), "processor's time for a turn: grows by")
  t.has(growing("handles", 1), "handles: grows by")
  t.has(growing("threads", 1), "threads")
  t.has(growing("temporary", 1), "temporary files")
  t.has(growing("files", 0.01), "files of a turn: grows by")
end

return tests
