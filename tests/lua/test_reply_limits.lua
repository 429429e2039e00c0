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

-- The time for which the run was ready to go on, and others had the processor, is not its own.
local function check(begun)
  local one = child.finish(begun)
  if not one then return end
  t.ok(one.ended - one.queued <= limit + 1, ("%s, %s: the limit was %g s, it ended after %.2f s, %.2f s of them "
    .. "without a processor: %s, %s"):format(one.name, one.policy, limit, one.ended, one.queued, one.status,
    one.reason))
  return one
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
    local one = check(each)
    t.eq(one and one.status, "incomplete", each.name)
    t.has(one and one.reason, "limits.seconds", each.name)
  end
end

for i, name in ipairs(longest) do
  tests[("answer_%02d"):format(i)] = function()
    local known
    for _, reply in ipairs(worst.all()) do
      if reply.name == name then
        known = true
        check(child.begin(name, reply.make(), i % 3 == 0 and "odev" or "three_body", limit))
      end
    end
    t.ok(known, name)
  end
end

return tests
