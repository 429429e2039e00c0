--- What the policies say of their own work (task_result), in rows of the summary.
local parts = require "deskpilot.cli.report.parts"
local text = require "deskpilot.base.text"

local count_of, row, seconds = parts.count_of, parts.row, parts.seconds

local accounts = {}

-- How a policy's counts compare with what it aims at: "calls 2 (below 3), tokens 6000 (NOT below 5000)".
local function aims_of(targets)
  local list = {}
  for _, name in ipairs(type(targets) == "table" and text.keys(targets) or {}) do
    local target = type(targets[name]) == "table" and targets[name] or {}
    for _, how in ipairs { "below", "above", "at_least" } do
      if tonumber(target[how]) and tonumber(target.value) then
        list[#list + 1] = ("%s %g (%s%s %g)"):format(tostring(name):gsub("_", " "), target.value,
          target.met == true and "" or "NOT ", how:gsub("_", " "), target[how])
      end
    end
  end
  return #list > 0 and table.concat(list, ", ") or nil
end

-- What a policy has to say of its work on one goal: numbers in rows, whatever they are called.
local function account_of(result, lead)
  local counts, spent = {}, {}
  for _, name in ipairs { "steps", "verified", "unverified", "cut_short", "subtasks", "done", "failed", "dropped",
    "plans", "replans", "switches", "supplements", "rejected", "retries" } do
    local words = name:gsub("_", " ")
    if result[name] ~= nil then counts[#counts + 1] = ("%d %s"):format(count_of(result[name]), words) end
  end
  local escalates = type(result.escalations) == "table"
  local escalations = escalates and result.escalations or {}
  local seconds_of = type(result.seconds) == "table" and result.seconds or {}
  for _, name in ipairs { "observe", "decide", "execute", "verify", "escalate" } do
    if seconds_of[name] ~= nil then spent[#spent + 1] = ("%s %s"):format(name, seconds(seconds_of[name])) end
  end
  local seen = count_of(escalations.vision)
  return table.concat {
    row(lead .. "steps", text.join(counts)),
    row(lead .. "aims", aims_of(result.targets)),
    row(lead .. "vision asked", not escalates and "" or seen == 0 and "never" or seen == 1 and "once"
      or seen .. " times"),
    row(lead .. "page asked again", escalations.browser and count_of(escalations.browser)),
    row(lead .. "time by phase", text.join(spent)),
  }
end

--- For the run's own goal and for each within it.
---@param events table[]
---@return string
function accounts.rows(events)
  local results, order, rows = {}, {}, {}
  for _, event in ipairs(events) do
    if type(event.task_result) == "table" then
      local goal = event.goal and ("goal %s: "):format(tostring(event.goal)) or ""
      if not results[goal] then order[#order + 1] = goal end
      results[goal] = event.task_result
    end
  end
  for i, goal in ipairs(order) do rows[i] = account_of(results[goal], goal) end
  return table.concat(rows)
end

return accounts
