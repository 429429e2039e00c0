-- limits.seconds holds whatever the model server does: no answer, an answer without an end, and those that take longest
-- to read.
local child = require "worst_child"
local t = require "harness"
local worst = require "worst_replies"

local tests = {}

local limit = 0.5 -- seconds

local longest = { "stream: comments", "stream: fields", "stream: one_character_each", "stream: arguments",
  "stream: returns", "stream: lists", "stream: letters", "json: blanks", "json: 10,000,000 empty lists",
  "json: a string without an end", "json: words that nobody reads", "said: escapes", "said: broken_fences",
  "said: filled_fences", "said inside: blanks", "calls: 300,000", "failure: 30 MB of words", "page: 30 MB" }

local after = 1 -- seconds, at most, from the limit to the end

-- The time for which the run was ready to go on, and others had the processor, is not its own.
local function is_late(one) return one.ended - one.queued > limit + after end

local function check(one)
  t.ok(not is_late(one), ("%s, %s: the limit was %g s, it ended after %.2f s, %.2f s of them without a processor: "
    .. "%s, %s"):format(one.name, one.policy, limit, one.ended, one.queued, one.status, one.reason))
end

-- These wait, so they run at the same time.
function tests.answers_without_an_end()
  local begun = {}
  for name, reply in pairs { silence = { silent = true },
    pieces = { body = (" "):rep(1e6), slow = { bytes = 1, seconds = 0.01 } },
    events = { headers = { ["Content-Type"] = "text/event-stream" }, body = (": wait\n\n"):rep(1e5),
      slow = { bytes = 8, seconds = 0.01 } } } do
    begun[#begun + 1] = child.begin(name, reply, "three_body", limit)
  end
  for _, each in ipairs(begun) do
    local one = child.finish(each)
    if one then
      check(one)
      t.eq(one.status, "incomplete", each.name)
      t.has(one.reason, "limits.seconds", each.name)
    end
  end
end

-- A machine that is no more than another's guest stands still for a second now and then, which nobody tells it: what is
-- late is played once more. What takes too long to read does so each time.
local function play(name, reply, policy)
  local one = child.finish(child.begin(name, reply, policy, limit))
  if one and is_late(one) then one = child.finish(child.begin(name, reply, policy, limit)) end
  if one then check(one) end
end

for i, name in ipairs(longest) do
  tests[("answer_%02d"):format(i)] = function()
    local known
    for _, reply in ipairs(worst.all()) do
      if reply.name == name then
        known = true
        play(name, reply.make(), i % 3 == 0 and "odev" or "three_body")
      end
    end
    t.ok(known, name)
  end
end

return tests
