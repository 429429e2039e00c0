--- Whether a step has worked: the anchor first, then every one of the success indicators. The screen is looked at
--- again whenever it changes, until it is as the plan said or the time is up; only then, and once, are the pixels of
--- the active window read for indicators that neither the page nor the elements tell of.
local errors = require "deskpilot.base.errors"
local text = require "deskpilot.base.text"
local waits = require "deskpilot.desk.wait.waits"
local anchor = require "deskpilot.policies.odev.anchor"
local sight = require "deskpilot.policies.odev.sight"

local verify = {}

local function listed(words)
  local quoted = {}
  for i, word in ipairs(words) do quoted[i] = ("%q"):format(text.cut(text.one_line(word), 80)) end
  return text.join(quoted)
end

local function not_seen(missing)
  return ("the success indicator%s %s %s not on the screen"):format(#missing == 1 and "" or "s", listed(missing),
    #missing == 1 and "is" or "are")
end

-- One look. What is missing: nil where all is there; a sentence, and the indicators if it is only they.
local function look(run, plan)
  local seen = sight.take(run)
  local why = anchor.miss(plan.anchor, seen, run.config:get("odev.keyword_share"))
  if why then return { why = why } end
  local missing = seen:missing(plan.indicators)
  if #missing == 0 then return nil end
  return { why = not_seen(missing), indicators = missing, seen = seen }
end

local function read_screen(run, lack)
  if not lack.indicators or not run.config:get("odev.read_screen") then return lack.why end
  local missing = lack.seen:unread(lack.indicators)
  if #missing == 0 then return nil end
  return not_seen(missing)
end

-- Looks until nothing is missing, or the time is up.
local function poll(run, plan, seconds)
  local lack
  local ok, err = waits.look_until(run.desk, { timeout = seconds }, function()
    lack = look(run, plan)
    if not lack then return true end
    return nil, errors.new("not_found", "%s", lack.why)
  end)
  if ok then return nil end
  if not errors.is(err, "not_found") then return tostring(err) end
  return read_screen(run, lack)
end

--- Why a step is not verified; nil where it is. A step of which an action failed is verified only if success
--- indicators were named and all of them are there: an anchor, and an empty one above all, may hold without it.
---@param run deskpilot.run
---@param plan deskpilot.odev.plan
---@param outcome deskpilot.odev.outcome
---@return string? why
function verify.miss(run, plan, outcome)
  local failed = outcome.failed
  if not failed then return poll(run, plan, run.config:get("odev.verify_seconds")) end
  local why = ("action %d (%s) failed: %s"):format(failed.number, failed.tool, failed.text)
  if #plan.indicators == 0 or look(run, plan) then return why end
end

--- Whether all of these are on the screen now, as far as the page and the elements tell; pixels are not read.
---@param run deskpilot.run
---@param indicators string[]
---@return boolean
function verify.all_seen(run, indicators)
  return #indicators > 0 and #sight.take(run):missing(indicators) == 0
end

--- Why the page alone does not show that the step has worked: its URL, if the plan named one, and all indicators,
--- told of by the page itself. For when windows and titles are not what was expected.
---@param run deskpilot.run
---@param plan deskpilot.odev.plan
---@return string? why
function verify.page_miss(run, plan)
  local url = plan.anchor.url
  local names_url = url ~= nil and url ~= ""
  if not names_url and #plan.indicators == 0 then return "the plan names neither a URL nor an indicator" end
  local seen = sight.take(run)
  if not seen.page then return "no page is in front" end
  local why = names_url and anchor.miss({ url = url }, seen, 1)
  if why then return why end
  local missing = {}
  for _, words in ipairs(plan.indicators) do
    if not seen:page_shows(words) then missing[#missing + 1] = words end
  end
  if #missing > 0 then return not_seen(missing) end
end

--- Whether the active window shows a page that we can look at.
---@param run deskpilot.run
---@return boolean
function verify.has_page(run)
  return sight.take(run).page ~= nil
end

return verify
