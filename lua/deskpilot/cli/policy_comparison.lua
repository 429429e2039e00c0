--- The same mission by several policies, side by side: what the runs of each came to, as a table and as a page.
local escape = require "deskpilot.cli.html".escape
local journal = require "deskpilot.agent.journal"
local text = require "deskpilot.base.text"

local comparison = {}

---@class deskpilot.policy_comparison.run what one run came to
---@field status string
---@field reason string
---@field run_dir string?
---@field calls integer of models
---@field tokens integer sent and received
---@field seconds number
---@field steps integer actions
---@field escalations integer times that a page, a model that sees, or a person was asked for help

-- A policy that cannot go on enters a state of that name, or asks a person.
local function count_escalations(folder)
  local count = 0
  for _, event in ipairs(folder and journal.read(folder) or {}) do
    local to = event.event == "phase_change" and tostring(event.to) or ""
    if text.starts(to, "ESCALATE") or event.event == "question" then count = count + 1 end
  end
  return count
end

local function number(value) return math.type(value) and value or 0 end

--- What matters of a run's result object.
---@param result table as --json prints it
---@return deskpilot.policy_comparison.run
function comparison.run(result)
  local model, folder = type(result.model) == "table" and result.model or {}, result.run_dir
  folder = type(folder) == "string" and folder or nil
  return { status = tostring(result.status), reason = tostring(result.reason), run_dir = folder,
    calls = number(model.calls), tokens = number(model.input_tokens) + number(model.output_tokens),
    seconds = number(result.seconds), steps = number(result.actions), escalations = count_escalations(folder) }
end

local columns = { "calls", "tokens", "seconds", "steps", "escalations" }

-- The value in the middle, the least and the most.
local function spread(runs, name)
  local values = {}
  for i, run in ipairs(runs) do values[i] = run[name] end
  table.sort(values)
  local low, high = values[(#values + 1) // 2], values[#values // 2 + 1]
  return { median = low == high and low or (low + high) / 2, least = values[1], most = values[#values] }
end

--- What the runs of each policy came to together.
---@param runs table<string, deskpilot.policy_comparison.run[]> by policy
---@param policies string[] in their order
---@return table[] rows { policy, runs, succeeded, calls, tokens, ...: { median, least, most } }
function comparison.rows(runs, policies)
  local rows = {}
  for i, policy in ipairs(policies) do
    local row, list = { policy = policy, runs = #runs[policy], succeeded = 0 }, runs[policy]
    for _, run in ipairs(list) do row.succeeded = row.succeeded + (run.status == "succeeded" and 1 or 0) end
    for _, name in ipairs(columns) do row[name] = spread(list, name) end
    rows[i] = row
  end
  return rows
end

local function shown(value, name)
  return name == "seconds" and ("%.1f"):format(value) or ("%.4g"):format(value)
end

-- Nothing in place of no tokens: `literal` has none.
local function whole(value, name)
  if name == "tokens" then return value > 0 and ("%.0f"):format(value) or "-" end
  return shown(value, name)
end

-- "4.5 (3-6)", or "4" where all are the same.
local function cell(of, name)
  if of.least == of.most then return whole(of.median, name) end
  return ("%s (%s-%s)"):format(whole(of.median, name), whole(of.least, name), whole(of.most, name))
end

local function cells(row)
  local list = { row.policy, ("%d of %d"):format(row.succeeded, row.runs) }
  for _, name in ipairs(columns) do list[#list + 1] = cell(row[name], name) end
  return list
end

local function head()
  return { "policy", "succeeded", table.unpack(columns) }
end

--- The rows as a table that can be read in a terminal and stand in a document.
---@param rows table[] as `rows` gives them
---@return string
function comparison.table(rows)
  local lines, widths = { head() }, {}
  for _, row in ipairs(rows) do lines[#lines + 1] = cells(row) end
  for _, line in ipairs(lines) do
    for i, words in ipairs(line) do widths[i] = math.max(widths[i] or 3, #words) end
  end
  local rule = {}
  for i, width in ipairs(widths) do rule[i] = ("-"):rep(width) end
  table.insert(lines, 2, rule)
  for n, line in ipairs(lines) do
    for i, words in ipairs(line) do line[i] = words .. (" "):rep(widths[i] - #words) end
    lines[n] = "| " .. table.concat(line, " | ") .. " |"
  end
  return table.concat(lines, "\n") .. "\n"
end

local style = [[
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 0 auto; padding: 24px; }
h1 { font-size: 22px; } h2 { font-size: 16px; }
table { border-collapse: collapse; } td, th { border-bottom: 1px solid #8884; padding: 4px 18px 4px 0; }
th { text-align: left; }
code { font: 13px/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
]]

local function html_row(list, tag)
  local parts = {}
  for i, words in ipairs(list) do parts[i] = ("<%s>%s</%s>"):format(tag, escape(words), tag) end
  return "<tr>" .. table.concat(parts) .. "</tr>"
end

--- The same as a page, with each run below it.
---@param mission string
---@param command string that has made it
---@param rows table[]
---@param runs table<string, deskpilot.policy_comparison.run[]>
---@return string
function comparison.page(mission, command, rows, runs)
  local lines = { html_row(head(), "th") }
  local each = { html_row({ "policy", "status", "calls", "tokens", "seconds", "steps", "escalations", "run", "reason" },
    "th") }
  for _, row in ipairs(rows) do
    lines[#lines + 1] = html_row(cells(row), "td")
    for _, run in ipairs(runs[row.policy]) do
      each[#each + 1] = html_row({ row.policy, run.status, whole(run.calls, "calls"), whole(run.tokens, "tokens"),
        whole(run.seconds, "seconds"), whole(run.steps, "steps"), whole(run.escalations, "escalations"),
        run.run_dir or "", text.cut(text.one_line(run.reason), 300) }, "td")
    end
  end
  return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>%s by policies</title>\n<style>\n%s'
    .. "</style></head>\n<body>\n<h1>%s by policies</h1>\n<p><code>%s</code></p>\n<table>\n%s\n</table>\n"
    .. "<h2>The runs</h2>\n<table>\n%s\n</table>\n</body></html>\n"):format(escape(mission), style, escape(mission),
    escape(command), table.concat(lines, "\n"), table.concat(each, "\n"))
end

return comparison
