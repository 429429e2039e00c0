--- What is said of the world after a look at it: yes, no or unknown, with what was seen. A mission's verify, the effect
--- of a tool and whoever judges an agent's work answer in this way. Unknown is never success.
local errors = require "deskpilot.base.errors"

local verdict = {}

---@class deskpilot.verdict
---@field answer "yes"|"no"|"unknown"
---@field evidence string what was compared and what was seen; or why nothing could be seen
---@field parts deskpilot.verdict[]? those that it is made of

local meta = { __name = "deskpilot.verdict", __tostring = function(self) return verdict.words(self) end }

local function new(answer, evidence, parts)
  return setmetatable({ answer = answer, evidence = tostring(evidence or "no reason given"), parts = parts }, meta)
end

--- It is so.
---@param evidence any what was seen
---@return deskpilot.verdict
function verdict.yes(evidence) return new("yes", evidence) end

--- It is not so.
---@param evidence any what was seen instead
---@return deskpilot.verdict
function verdict.no(evidence) return new("no", evidence) end

--- It could not be seen whether it is so.
---@param why any
---@return deskpilot.verdict
function verdict.unknown(why) return new("unknown", why) end

--- Whether a value is a verdict.
---@param value any
---@return boolean
function verdict.is(value)
  return type(value) == "table" and getmetatable(value) == meta
end

-- Failures that say how the world is; with any other one it could not be seen.
local seen = { not_found = true, timed_out = true, invalid = true, stale = true }

--- What a check's results mean: a verdict, or true, or false and why. An error that came from not being able to look
--- means unknown. Words beside true are not evidence: in `return sent, "it was not sent"` they are the reason of a no.
---@param value any
---@param why any
---@return deskpilot.verdict
function verdict.of(value, why)
  if verdict.is(value) then return value end
  if value then return verdict.yes("the check holds") end
  if not errors.is(why) then return verdict.no(why) end
  return (seen[why.code] or value == false) and verdict.no(errors.words(why)) or verdict.unknown(errors.words(why))
end

--- In a sentence: evidence alone where the answer is no, as a reason.
---@param said deskpilot.verdict
---@return string
function verdict.words(said)
  if said.answer == "no" then return said.evidence end
  return said.answer .. ": " .. said.evidence
end

local function with_parts(list)
  local parts = {}
  for i, part in ipairs(list) do parts[i] = verdict.of(part) end
  return parts
end

-- The evidence of those parts that gave that answer.
local function evidence_of(parts, answer)
  local words = {}
  for _, part in ipairs(parts) do
    if part.answer == answer then words[#words + 1] = part.evidence end
  end
  return #words > 0 and table.concat(words, "; ") or nil
end

-- The first of these answers that a part has given is the answer of all.
local function joined(list, order, empty)
  local parts = with_parts(list)
  for _, answer in ipairs(order) do
    local evidence = evidence_of(parts, answer)
    if evidence then return new(answer, evidence, parts) end
  end
  return new(empty, "nothing was asked for", parts)
end

--- Yes if every part says yes; no if one says no; else unknown.
---@param list deskpilot.verdict[]
---@return deskpilot.verdict
function verdict.all(list) return joined(list, { "no", "unknown", "yes" }, "yes") end

--- Yes if one part says yes; no if every one says no; else unknown.
---@param list deskpilot.verdict[]
---@return deskpilot.verdict
function verdict.any(list) return joined(list, { "yes", "unknown", "no" }, "no") end

return verdict
