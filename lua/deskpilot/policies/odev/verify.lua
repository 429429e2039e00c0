--- Verifies a step: its anchor, then all of its success indicators. The check is repeated whenever the screen changes,
--- until it holds or `odev.verify_seconds` have passed. Then OCR looks once in the active window for the indicators
--- that are neither on the page nor in the elements.
local errors = require "deskpilot.base.errors"
local text = require "deskpilot.base.text"
local waits = require "deskpilot.desk.wait.waits"
local visible_texts = require "deskpilot.agent.visible_texts"
local anchor = require "deskpilot.policies.odev.anchor"

local verify = {}

local function quoted_list(texts)
  local quoted = {}
  for i, value in ipairs(texts) do quoted[i] = ("%q"):format(text.cut(text.one_line(value), 80)) end
  return text.join(quoted)
end

local function describe_missing(missing)
  return ("the success indicator%s %s %s not on the screen"):format(#missing == 1 and "" or "s", quoted_list(missing),
    #missing == 1 and "is" or "are")
end

-- Checks once. Nil where everything holds; else {why}, and if only indicators are missing also {indicators, seen}.
local function find_lack(run, plan)
  local seen = visible_texts.collect(run)
  local why = anchor.mismatch(plan.anchor, seen, run.config:get("odev.keyword_share"))
  if why then return { why = why } end
  local missing = seen:missing(plan.indicators)
  if #missing == 0 then return nil end
  return { why = describe_missing(missing), indicators = missing, seen = seen }
end

local function read_screen(run, lack)
  if not lack.indicators or not run.config:get("odev.read_screen") then return lack.why end
  local missing = lack.seen:unread(lack.indicators)
  if #missing == 0 then return nil end
  return describe_missing(missing)
end

-- Checks until everything holds or the timeout has passed.
local function poll(run, plan, seconds)
  local lack
  local ok, err = waits.look_until(run.desk, { timeout = seconds }, function()
    lack = find_lack(run, plan)
    if not lack then return true end
    return nil, errors.new("not_found", "%s", lack.why)
  end)
  if ok then return nil end
  if not errors.is(err, "not_found") then return tostring(err) end
  return read_screen(run, lack)
end

--- Why a step is not verified; nil where it is. After a failed action the step counts as verified only if the plan has
--- success indicators and all of them are on the screen: an anchor may hold without the action having worked.
---@param run deskpilot.run
---@param plan deskpilot.odev.plan
---@param outcome deskpilot.batch_outcome
---@return string? why
function verify.mismatch(run, plan, outcome)
  local failed = outcome.failed
  if not failed then return poll(run, plan, run.config:get("odev.verify_seconds")) end
  local why = ("action %d (%s) failed: %s"):format(failed.number, failed.tool, failed.text)
  if #plan.indicators == 0 or find_lack(run, plan) then return why end
end

--- Whether there are indicators and all of them are on the screen now. Pixels are not read.
---@param run deskpilot.run
---@param indicators string[]
---@return boolean
function verify.all_seen(run, indicators)
  return #indicators > 0 and #visible_texts.collect(run):missing(indicators) == 0
end

--- Why the page alone does not show that the step has worked; nil where it does: the page has the URL that the plan
--- named, if any, and all indicators. This is asked when the window or its title is not what the plan expected.
---@param run deskpilot.run
---@param plan deskpilot.odev.plan
---@return string? why
function verify.page_mismatch(run, plan)
  local url = plan.anchor.url
  local names_url = url ~= nil and url ~= ""
  if not names_url and #plan.indicators == 0 then return "the plan names neither a URL nor an indicator" end
  local seen = visible_texts.collect(run)
  if not seen.page then return "no page is in front" end
  local why = names_url and anchor.mismatch({ url = url }, seen, 1)
  if why then return why end
  local missing = {}
  for _, indicator in ipairs(plan.indicators) do
    if not seen:page_shows(indicator) then missing[#missing + 1] = indicator end
  end
  if #missing > 0 then return describe_missing(missing) end
end

--- Whether the active window shows a page that can be observed.
---@param run deskpilot.run
---@return boolean
function verify.has_page(run)
  return visible_texts.collect(run).page ~= nil
end

return verify
