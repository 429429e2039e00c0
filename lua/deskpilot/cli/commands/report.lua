--- `deskpilot report RUN`: report.html beside a run's journal, made from the journal alone. What a
--- model or a screen said is escaped and never becomes markup.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local invisible = require "deskpilot.base.invisible"
local json = require "deskpilot.base.json"
local own_files = require "deskpilot.base.own_files"
local rundir = require "deskpilot.agent.rundir"
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"

local report = {
  summary = "Write report.html into a run directory, from its journal.",
  order = 70,
  usage = "report RUN",
  options = {},
}

local entities = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["'"] = "&#39;" }

--- Text as HTML shows it: escaped, and without what nobody sees (base/invisible.lua).
---@return string
local function escape(words)
  return (invisible.remove(tostring(words == nil and "" or words)):gsub("[&<>\"']", entities))
end

local style = [[
:root { color-scheme: light dark; --line: #8884; --dim: #777; --good: #1a7f37; --bad: #c62828; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1200px; margin: 0 auto; padding: 24px; }
h1 { font-size: 22px; margin: 0 0 4px; } h2 { font-size: 16px; margin: 0; }
.dim { color: var(--dim); } .good { color: var(--good); } .bad { color: var(--bad); }
.status { font-weight: 700; text-transform: uppercase; letter-spacing: .04em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 16px 0; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
section { border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px; margin: 16px 0; }
section header { display: flex; gap: 16px; align-items: baseline; margin-bottom: 10px; }
.turn { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 16px; }
@media (max-width: 800px) { .turn { grid-template-columns: minmax(0, 1fr); } }
figure { margin: 0 0 10px; position: relative; align-self: start; border: 1px solid var(--line); }
figure img { display: block; width: 100%; height: auto; }
.mark { position: absolute; width: 26px; height: 26px; margin: -13px 0 0 -13px; border-radius: 50%;
  border: 3px solid #e91e63; box-shadow: 0 0 0 2px #fff, inset 0 0 0 2px #fff; }
.mark.from { border-style: dashed; }
section.within { border-left-width: 4px; }
.event { margin: 0 0 10px; } .event b { font-weight: 600; }
pre { margin: 2px 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.45 ui-monospace, monospace; }
]]

local function seconds(value)
  return type(value) == "number" and ("%.2f s"):format(value) or ""
end

local function count_of(value)
  return math.tointeger(tonumber(value)) or 0
end

local function pre(words)
  if words == nil or words == "" then return "" end
  return "<pre>" .. escape(words) .. "</pre>"
end

local function as_text(value)
  if type(value) ~= "table" then return value end
  local ok, written = pcall(json.encode, value)
  return ok and written or "(a value that JSON cannot hold)"
end

-- How an end is shown; any other is bad, and a claim that nothing has checked is neither.
local colour_of = { succeeded = "good", claimed = "" }

local function event_line(head, dim, body, class)
  return ('<div class="event"><b class="%s">%s</b> <span class="dim">%s</span>%s</div>'):format(class or "",
    escape(head), escape(dim or ""), pre(body))
end

local function call_line(call)
  local fn = type(call["function"]) == "table" and call["function"] or call
  return ("%s(%s)"):format(tostring(fn.name or "?"), tostring(as_text(fn.arguments) or ""))
end

local renderers = {}

function renderers.model_request(event)
  if not event.warning then return nil end
  return event_line((event.persona or "model") .. " was warned", "", event.warning)
end

function renderers.model_reply(event)
  local parts = {}
  if type(event.content) == "string" then parts[1] = event.content
  elseif type(event.text) == "string" then parts[1] = event.text end
  for _, call in ipairs(type(event.tool_calls) == "table" and event.tool_calls or {}) do
    parts[#parts + 1] = type(call) == "table" and call_line(call) or tostring(call)
  end
  local failed = event.error
  if failed then parts[#parts + 1] = type(failed) == "table" and failed.message or tostring(failed) end
  return event_line(event.persona or "model", seconds(event.seconds), table.concat(parts, "\n"),
    failed and "bad" or "")
end

function renderers.action(event)
  if not event.veto then return nil end
  return event_line(("%s vetoed"):format(event.tool or "?"), event.vetoed_by, event.veto, "bad")
end

-- The pictures that a tool has given. Only those of this run are shown, whatever the journal says.
local function given_pictures(event)
  local list = {}
  for _, path in ipairs(type(event.pictures) == "table" and event.pictures or {}) do
    if rundir.is_picture(path) then
      list[#list + 1] = ('<figure><img src="%s" alt="what %s has given" loading="lazy"></figure>'):format(escape(path),
        escape(tostring(event.tool or "?")))
    end
  end
  return table.concat(list)
end

function renderers.action_result(event)
  local args = event.args and as_text(event.args) or ""
  return event_line((event.ok == false and "✗ " or "✓ ") .. tostring(event.tool or "?"),
    seconds(event.seconds), args .. "\n" .. tostring(event.text or ""), event.ok == false and "bad" or "good")
    .. given_pictures(event)
end

function renderers.lookup(event)
  local args = event.args and as_text(event.args) or ""
  return event_line("looked: " .. tostring(event.tool or "?"), seconds(event.seconds), args .. "\n"
    .. tostring(event.text or ""), event.ok == false and "bad" or "") .. given_pictures(event)
end

function renderers.tools_changed(event)
  local words = {}
  for _, what in ipairs { "added", "removed" } do
    if type(event[what]) == "table" and #event[what] > 0 then
      words[#words + 1] = what .. " " .. tostring(as_text(event[what]))
    end
  end
  return event_line("tools", "", table.concat(words, "; "))
end

function renderers.settled(event)
  return event_line("settled", seconds(event.seconds) .. " " .. tostring(event.reason or ""))
end

function renderers.phase_change(event)
  local why, tools = event.why or event.rationale, event.tools_rationale
  local words = why ~= nil and { as_text(why) } or {}
  if tools ~= nil and tools ~= why then words[#words + 1] = "tools: " .. tostring(as_text(tools)) end
  return event_line("phase", ("%s -> %s"):format(tostring(event.from or "-"), tostring(event.to or "?")),
    table.concat(words, "\n"))
end

function renderers.guard(event)
  return event_line("guard " .. tostring(event.name or ""), "", event.message or event.reason, "bad")
end

-- "yes: what was seen", of a check that was asked last.
local function verdict_words(said)
  if type(said) ~= "table" then return nil end
  return ("%s: %s"):format(tostring(said.answer), tostring(said.evidence))
end

function renderers.goal_start(event)
  local words = { tostring(event.task) }
  if event.limits ~= nil then words[2] = "left to it: " .. tostring(as_text(event.limits)) end
  if event.tools ~= nil then words[#words + 1] = "its tools: " .. tostring(as_text(event.tools)) end
  return event_line("an agent is asked" .. (event.goal and ": goal " .. tostring(event.goal) or ""),
    ("policy %s, model %s"):format(tostring(event.policy or "?"), tostring(event.model or "?")),
    table.concat(words, "\n"))
end

function renderers.goal_end(event)
  local said = verdict_words(event.verdict)
  return event_line(("goal %s %s"):format(tostring(event.goal), tostring(event.status)), seconds(event.seconds),
    tostring(event.reason) .. (said and "\nits check: " .. said or ""), colour_of[event.status] or "bad")
end

function renderers.note(event)
  return event_line("note", "", event.message or event.text)
end

function renderers.question(event)
  local options = type(event.options) == "table" and as_text(event.options)
  return event_line(event.consent and "consent" or "question", "", ("%s%s"):format(tostring(as_text(event.text) or ""),
    options and "\n" .. options or ""))
end

function renderers.answer(event)
  if event.answer == nil then return event_line("no answer", seconds(event.seconds), event.why, "bad") end
  return event_line("answer", ("%s %s"):format(tostring(event.by or ""), seconds(event.seconds)), event.answer)
end

function renderers.memory(event)
  local what = event.name or event.experience
  return event_line("memory", event.op, event.value and ("%s = %s"):format(tostring(what), tostring(event.value))
    or what)
end

function renderers.error(event)
  local words = tostring(as_text(event.message or event.text) or "")
  if type(event.traceback) == "string" then words = words .. "\n    " .. event.traceback:gsub("\n", "\n    ") end
  return event_line("error in " .. tostring(event.name or "?"), event.during, words, "bad")
end

-- One line for a call of a script, or for many of one function; what is written of it comes from the desktop.
function renderers.desk_call(event)
  local times = count_of(event.times)
  local dim = { seconds(event.seconds) }
  if times > 1 then dim[#dim + 1] = times .. " times" end
  if count_of(event.failed) > 0 then dim[#dim + 1] = count_of(event.failed) .. " failed" end
  if type(event.where) == "string" then dim[#dim + 1] = event.where end
  local words = { ("%s(%s)"):format(tostring(event.call or "?"), tostring(event.target or "")) }
  local text_ = event.text and tostring(as_text(event.text)) or ""
  if event.ok ~= false and text_ ~= "" then words[2] = "→ " .. text_ end
  return event_line((event.ok == false and "✗ " or "✓ ") .. table.concat(words, " "), table.concat(dim, ", "),
    event.ok == false and text_ or nil, event.ok == false and "bad" or event.acts == false and "" or "good")
end

-- A mark on the screenshot, for a point in 0..1000 of it.
local function mark(point, class)
  if type(point) ~= "table" then return "" end
  local x, y = tonumber(point[1]), tonumber(point[2])
  if not x or not y or x < 0 or x > 1000 or y < 0 or y > 1000 then return "" end
  return ('<span class="mark%s" style="left:%.2f%%;top:%.2f%%"></span>'):format(class or "", x / 10, y / 10)
end

local function marks(event)
  local args = type(event.args) == "table" and event.args or {}
  return mark(event.point or args.position or args["end"]) .. mark(args.start, " from")
end

-- Only a picture of this run is shown, whatever the journal says.
local function figure(turn, look)
  local path = look.screenshot
  if not rundir.is_picture(path) then return "" end
  local when = turn.number > 0 and "turn " .. turn.number or "the end"
  return ('<figure><img src="%s" alt="the screen at %s" loading="lazy">%s</figure>'):format(escape(path), when,
    table.concat(look.marks))
end

local function figures(turn)
  local list = {}
  for i, look in ipairs(turn.looks) do list[i] = figure(turn, look) end
  return table.concat(list)
end

-- The events by turn, in order. Turn 0 is what happens outside turns: before the first, and in a script, which may ask
-- agents in between.
local function by_turn(events)
  local turns, at = {}, {}
  for _, event in ipairs(events) do
    local number = math.tointeger(event.turn) or 0
    local turn = at[number]
    if not turn or number == 0 and turns[#turns] ~= turn then
      turn = { number = number, goal = type(event.goal) == "string" and event.goal or nil, parts = {}, looks = {} }
      at[number] = turn
      turns[#turns + 1] = turn
    end
    local render = renderers[event.event]
    if event.event == "observed" or event.event == "picture" then
      turn.looks[#turn.looks + 1] = { screenshot = event.screenshot, marks = {} }
    end
    if event.event == "turn_start" then turn.at, turn.goal = event.at, event.goal end
    if event.event == "turn_end" then turn.seconds = event.seconds end
    local look = turn.looks[#turn.looks] -- what is done is shown where it was decided on
    if look and event.event == "action_result" then look.marks[#look.marks + 1] = marks(event) end
    turn.parts[#turn.parts + 1] = render and render(event) or nil
  end
  return turns
end

local function section(turn, is_script)
  if #turn.parts == 0 and #turn.looks == 0 then return "" end
  local title = turn.number > 0 and "Turn " .. turn.number or is_script and "Script" or "Outside turns"
  local depth = select(2, tostring(turn.goal or ""):gsub("%.", ""))
  if turn.number > 0 and turn.goal then title = ("%s · goal %s"):format(title, tostring(turn.goal)) end
  local place = turn.number > 0 and (' id="turn%d"'):format(turn.number) or ""
  if depth > 0 then
    place = place .. (' class="within" style="margin-left:%dpx"'):format(math.min(depth, 10) * 28)
  end
  return ('<section%s><header><h2>%s</h2><span class="dim">%s %s</span></header>'
    .. '<div class="turn"><div>%s</div><div>%s</div></div></section>'):format(place, escape(title),
      turn.at and ("at %.1f s"):format(turn.at) or "", turn.seconds and "took " .. seconds(turn.seconds) or "",
      figures(turn), table.concat(turn.parts, "\n"))
end

local function row(name, value)
  if value == nil or value == "" then return "" end
  return ("<dt>%s</dt><dd>%s</dd>"):format(escape(name), escape(value))
end

local function totals(events)
  local sums = { model = 0, settle = 0, calls = 0, desk = 0 }
  for _, event in ipairs(events) do
    local spent = tonumber(event.seconds) or 0
    if event.event == "model_reply" then
      sums.model, sums.calls = sums.model + spent, sums.calls + 1
    elseif event.event == "desk_call" then
      sums.desk = sums.desk + math.max(1, count_of(event.times))
    elseif event.event == "settled" then
      sums.settle = sums.settle + spent
    end
  end
  return sums
end

-- What a policy has to say of its work on one goal: numbers in rows, whatever they are called.
local function account_of(result, lead)
  local counts, spent = {}, {}
  for _, name in ipairs { "steps", "verified", "unverified", "cut_short", "rejected", "retries" } do
    local words = name:gsub("_", " ")
    if result[name] ~= nil then counts[#counts + 1] = ("%d %s"):format(count_of(result[name]), words) end
  end
  local escalations = type(result.escalations) == "table" and result.escalations or {}
  local seconds_of = type(result.seconds) == "table" and result.seconds or {}
  for _, name in ipairs { "observe", "decide", "execute", "verify", "escalate" } do
    if seconds_of[name] ~= nil then spent[#spent + 1] = ("%s %s"):format(name, seconds(seconds_of[name])) end
  end
  local seen = count_of(escalations.vision)
  return table.concat {
    row(lead .. "steps", text.join(counts)),
    row(lead .. "vision asked", seen == 0 and "never" or seen == 1 and "once" or seen .. " times"),
    row(lead .. "page asked again", escalations.browser and count_of(escalations.browser)),
    row(lead .. "time by phase", text.join(spent)),
  }
end

-- The same for the run's own goal and for each within it.
local function account(events)
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

local function header(events, name, bytes, lost)
  local start, ending = start_of(events), {}
  for _, event in ipairs(events) do
    if event.event == "run_end" then ending = event end
  end
  local status = ending.status or "unfinished"
  local sums = totals(events)
  local whole = ending.seconds or (events[#events] or {}).at
  local agent = not start.script or count_of(ending.turns) > 0 or count_of(ending.actions) > 0
  return table.concat({
    ("<h1>%s</h1>"):format(escape(start.task or start.mission or name)),
    ('<p><span class="status %s">%s</span> %s</p>'):format(colour_of[status] or "bad",
      escape(status), escape(ending.reason or "the journal has no end: the run was cut off or is still going")),
    "<dl>", row("run", name), row("mission", start.mission), parent_row(start.parent), workers(events, start),
    personas(start),
    agent and row("turns", ending.turns) or "", agent and row("actions", ending.actions) or "",
    start.script and row("desk calls", sums.desk) or "", row("time", seconds(whole)),
    agent and row("model time", ("%s in %d answers"):format(seconds(sums.model), sums.calls)) or "",
    agent and row("settling", seconds(sums.settle)) or "", row("final phase", last_phase(events)),
    row("the mission's check", verdict_words(ending.verdict)), goal_rows(events), account(events),
    row("archive", ("%d events%s"):format(#events, bytes and (", %.1f MB"):format(bytes / 2 ^ 20) or "")),
    row("journal", lost), own_rows(events), row("deskpilot", start.version), "</dl>",
  }, "\n")
end

--- The page of a run.
---@param events table[] the journal's, oldest first
---@param name string what the run is called
---@param bytes integer? how much it has kept
---@param lost string? what of the journal could not be read
---@return string html
function report.html(events, name, bytes, lost)
  local parts = {}
  local is_script = start_of(events).script == true
  for _, turn in ipairs(by_turn(events)) do parts[#parts + 1] = section(turn, is_script) end
  return table.concat({
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src \'self\' file:; '
      .. "style-src 'unsafe-inline'\">",
    ("<title>%s</title><style>%s</style></head><body>"):format(escape(name), style),
    header(events, name, bytes, lost), table.concat(parts, "\n"), "</body></html>\n",
  }, "\n")
end

--- Writes the report of a run directory.
---@param folder string
---@return string? path, deskpilot.error? err
---@return string? lost what of the journal could not be read
function report.write(folder)
  local journal = require "deskpilot.agent.journal"
  local events, how = journal.read(folder)
  if not events then return nil, how end
  local lost = journal.lost(how)
  local _, name = files.split(files.absolute(folder))
  local path = files.join(folder, "report.html")
  local ok, failure = files.write(path, report.html(events, name, rundir.size(folder), lost), { private = true })
  if not ok then return nil, failure end
  return path, nil, lost
end

-- The run that was made last in a folder of runs, or in its folder `runs`.
local function latest_run(folder)
  for _, base in ipairs { folder, files.join(folder, "runs"), "runs" } do
    local names = files.list(base)
    for i = #names, 1, -1 do
      local run = files.join(base, names[i])
      if files.exists(files.join(run, "journal.jsonl")) then return run end
    end
  end
end

local function no_run(folder)
  local latest = latest_run(folder)
  return ("%s is no run directory%s"):format(folder, latest and ("; the latest one there is " .. latest)
    or ": there is no journal.jsonl in it")
end

function report.run(_, positional)
  if #positional ~= 1 then
    local latest = latest_run "."
    terminal.complain("report wants one run directory: deskpilot report ", latest or "runs/NAME")
    return 2
  end
  local folder = positional[1]
  if text.ends(folder, "/journal.jsonl") or folder == "journal.jsonl" then folder = (files.split(folder)) end
  local path, err, lost = report.write(folder)
  if not path and errors.is(err, "not_found") then err = no_run(folder) end
  if not path then
    terminal.complain(tostring(err))
    return 2
  end
  if lost then terminal.complain(lost) end
  terminal.put(path, "\n")
  return 0
end

return report
