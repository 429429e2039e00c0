--- The head of a run's page: what it was about, how it has ended, and what it took.
local accounts = require "deskpilot.cli.report.accounts"
local escape = require "deskpilot.cli.html".escape
local export = require "deskpilot.agent.export"
local lines = require "deskpilot.cli.report.lines"
local own_files = require "deskpilot.base.own_files"
local parts = require "deskpilot.cli.report.parts"
local spending = require "deskpilot.agent.spending"
local text = require "deskpilot.base.text"
local time_share = require "deskpilot.agent.time_share"
local token_count = require "deskpilot.agent.token_count"

local as_text, count_of, row, seconds = parts.as_text, parts.count_of, parts.row, parts.seconds

local summary = {}

local function totals(events)
  local sums = { desk = 0, model = spending.new(), time = time_share.new() }
  for _, event in ipairs(events) do
    time_share.add(sums.time, event, event.event)
    if event.event == "model_reply" then
      spending.add(sums.model, tostring(event.persona), spending.of_event(event))
    elseif event.event == "desk_call" then
      sums.desk = sums.desk + math.max(1, count_of(event.times))
    end
  end
  return sums
end

-- What the run's requests have come to, and how much of what the applications reported they tell.
local function token_row(events)
  local sums, told, reported
  for _, event in ipairs(events) do
    if event.event == "model_reply" and type(event.tokens) == "table" then
      sums = token_count.add(sums, event.tokens)
    elseif event.event == "observed" and tonumber(event.tree) then
      told, reported = (told or 0) + count_of(event.elements), (reported or 0) + count_of(event.tree)
    end
  end
  if not sums then return "" end
  local elements = told and ("; elements told of %d, of %d that there were in all looks"):format(told, reported) or ""
  return row("request tokens", token_count.words(sums) .. elements)
end

-- What had to be guessed to read the answers, a row for each model.
local function repair_rows(events)
  local rows, models = {}, {}
  for _, event in ipairs(events) do export.add_repairs(models, event) end
  for _, model in ipairs(text.keys(models.repairs or {})) do
    local sum, kinds = models.repairs[model], {}
    for i, kind in ipairs(text.keys(sum.kinds)) do kinds[i] = ("%s %g"):format(kind, sum.kinds[kind]) end
    rows[#rows + 1] = row("repaired answers of " .. model, ("%d, score %g: %s"):format(sum.answers, sum.score,
      table.concat(kinds, ", ")))
  end
  return table.concat(rows)
end

-- What was spent on models, in a row for each persona where there are several.
local function spent_rows(all)
  local function words(spent)
    local cached = spent.cached_tokens > 0 and (" (%d of them cached)"):format(spent.cached_tokens) or ""
    return ("%d call%s, %s, %d tokens sent%s, %d received%s"):format(spent.calls,
      spent.calls == 1 and "" or "s", seconds(spent.model_seconds),
      spent.input_tokens, cached, spent.output_tokens, spent.cost > 0 and (", $%.4f"):format(spent.cost) or "")
  end
  local rows, names = { row("models", words(all)) }, text.keys(all.personas)
  for _, name in ipairs(#names > 1 and names or {}) do rows[#rows + 1] = row(name, words(all.personas[name])) end
  return table.concat(rows)
end

local function last_phase(events)
  local phase
  for _, event in ipairs(events) do
    if event.event == "phase_change" and not event.goal then phase = event.to end
  end
  return phase and as_text(phase)
end

-- The goals within the run, each as far in as it is deep.
local function goal_rows(events)
  local rows, at = {}, {}
  for _, event in ipairs(events) do
    local path = event.goal and tostring(event.goal) or "?"
    if event.event == "goal_start" then
      at[path] = #rows + 1
      rows[#rows + 1] = { path = path, words = ("%s (%s): unfinished"):format(tostring(event.task),
        tostring(event.policy)) }
    elseif event.event == "goal_end" and at[path] then
      rows[at[path]].words = ("%s (%s): %s, %d turns, %s"):format(tostring(event.task), tostring(event.policy),
        tostring(event.status), count_of(event.turns), seconds(event.seconds))
    end
  end
  for i, goal in ipairs(rows) do
    local depth = select(2, goal.path:gsub("%.", ""))
    rows[i] = row(("\u{a0}"):rep(4 * (math.min(depth, 10) - 1)) .. "goal " .. goal.path, goal.words)
  end
  return table.concat(rows)
end

-- Personas that ask a model of their own.
local function personas(start)
  local rows = {}
  for name, model in pairs(type(start.personas) == "table" and start.personas or {}) do
    if type(model) == "table" then
      rows[#rows + 1] = row("model of " .. tostring(name), ("%s at %s"):format(tostring(model.model),
        tostring(model.endpoint)))
    end
  end
  table.sort(rows)
  return table.concat(rows)
end

-- The user's files that were in force, also those that came into force later.
local function own_rows(events)
  local rows = {}
  for _, event in ipairs(events) do
    for _, file in ipairs(type(event.own_files) == "table" and event.own_files or {}) do
      if type(file) == "table" then
        rows[#rows + 1] = row("own file", ("%s: %s of the %s's folder, sha256 %s"):format(own_files.words { file },
          tostring(file.path), tostring(file.folder), tostring(file.sha256)))
      end
    end
  end
  return table.concat(rows)
end

local function start_of(events)
  for _, event in ipairs(events) do
    if event.event == "run_start" then return event end
  end
  return {}
end

-- Who worked: a script, and the agents that it has asked; or else the policy and its model.
local function workers(events, start)
  local rows, seen = {}, {}
  local function add(who)
    local line = row("policy", who.policy) .. row("model", who.model) .. row("endpoint", who.endpoint)
    if not seen[line] then rows[#rows + 1] = line end
    seen[line] = true
  end
  if start.script then rows[1] = row("worked by", "a script") else add(start) end
  for _, event in ipairs(events) do
    if event.event == "goal_start" then add(event) end
  end
  return table.concat(rows)
end

local function parent_row(parent)
  if type(parent) ~= "table" then return "" end
  return row("goes on from", ("%s after turn %s (%s)"):format(tostring(parent.run), tostring(parent.turn),
    tostring(parent.kind)))
end

--- Whether the run is a script.
---@param events table[]
---@return boolean
function summary.is_script(events) return start_of(events).script == true end

--- What the run has spent its time on, and how long it took.
---@param events table[]
---@return deskpilot.time_share share, number? whole
function summary.time(events)
  local whole
  for _, event in ipairs(events) do
    if event.event == "run_end" then whole = event.seconds end
  end
  whole = parts.measure(whole) or parts.measure((events[#events] or {}).at)
  return time_share.finish(totals(events).time, whole), whole
end

--- The head of the page.
---@param events table[]
---@param about { name: string, bytes: integer?, lost: string?, going: boolean? } going: the run has not ended
---@return string
function summary.html(events, about)
  local start, ending = start_of(events), {}
  for _, event in ipairs(events) do
    if event.event == "run_end" then ending = event end
  end
  local status = ending.status or about.going and "running" or "unfinished"
  local reason = ending.reason or about.going and "it goes on"
    or "the journal has no end: the run was cut off or is still going"
  local sums = totals(events)
  local whole = ending.seconds or (events[#events] or {}).at
  local agent = not start.script or count_of(ending.turns) > 0 or count_of(ending.actions) > 0
  return table.concat({
    ("<h1>%s</h1>"):format(escape(start.task or start.mission or about.name)),
    ('<p><span class="status %s">%s</span> %s</p>'):format(status == "running" and "" or parts.colour_of(status),
      escape(status), escape(reason)),
    "<dl>", row("run", about.name), row("mission", start.mission), parent_row(start.parent), workers(events, start),
    personas(start),
    agent and row("turns", ending.turns) or "", agent and row("actions", ending.actions) or "",
    start.script and row("desk calls", sums.desk) or "", row("time", seconds(whole)),
    agent and row("time went to", time_share.words(time_share.finish(sums.time, whole), whole)) or "",
    agent and spent_rows(sums.model) or "", repair_rows(events), row("final phase", last_phase(events)),
    row("the mission's check", lines.verdict_words(ending.verdict)), goal_rows(events), accounts.rows(events),
    row("archive", ("%d events%s"):format(#events, about.bytes and (", %.1f MB"):format(about.bytes / 2 ^ 20) or "")),
    token_row(events), row("journal", about.lost), own_rows(events), row("deskpilot", start.version), "</dl>",
  }, "\n")
end

return summary
