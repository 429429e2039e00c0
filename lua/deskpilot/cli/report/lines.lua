--- Each event of a run as a line of its turn, by the event's name. An event without a function here has no line. Of a
--- line's class "bad" is what should be seen at once: it is not folded.
local figures = require "deskpilot.cli.report.figures"
local parts = require "deskpilot.cli.report.parts"
local text = require "deskpilot.base.text"

local as_text, count_of, line, seconds = parts.as_text, parts.count_of, parts.line, parts.seconds

local lines = {}

-- Each gives the markup of an event of that name, or nil.
---@type table<string, fun(event: table, context: deskpilot.report_context): string?>
local renderers = {}

local function field(value, name)
  if type(value) == "table" then return value[name] end
end

-- --- models -------------------------------------------------------------------------------------------------------

local function call_words(call)
  local fn = type(call["function"]) == "table" and call["function"] or call
  return ("%s(%s)"):format(tostring(fn.name or "?"), tostring(as_text(fn.arguments) or ""))
end

-- Only a request of this run is linked, whatever the journal says.
local function is_request(name)
  return type(name) == "string" and name:find "^requests/[%w_-]+$" ~= nil
end

-- "1.2k tokens sent (800 cached), 45 received, 12.3k bytes, $0.0100".
local function sizes(event, context)
  local list, usage = {}, type(event.usage) == "table" and event.usage or {}
  if usage.input_tokens ~= nil then
    list[1] = parts.short(usage.input_tokens) .. " tokens sent"
    if count_of(usage.cached_tokens) > 0 then
      list[1] = ("%s (%s cached)"):format(list[1], parts.short(usage.cached_tokens))
    end
    list[2] = parts.short(usage.output_tokens) .. " received"
  end
  local bytes = is_request(event.request) and context.size(event.request .. ".request.json")
  if bytes and bytes > 0 then list[#list + 1] = parts.short(bytes) .. " bytes" end
  if parts.measure(event.cost) and event.cost > 0 then list[#list + 1] = ("$%.4f"):format(event.cost) end
  return table.concat(list, ", ")
end

-- What the request is made of, of what had to be guessed in the answer, and what the model thought.
local function about_reply(event)
  local list = {}
  if type(event.thinking) == "string" and event.thinking ~= "" then list[1] = "thought: " .. event.thinking end
  if type(event.tokens) == "table" then
    local kinds = {}
    for _, name in ipairs { "input", "new", "system", "text", "tools", "pictures" } do
      if event.tokens[name] ~= nil then kinds[#kinds + 1] = ("%s %s"):format(name, parts.short(event.tokens[name])) end
    end
    list[#list + 1] = "tokens, estimated: " .. table.concat(kinds, ", ")
  end
  return list
end

function renderers.model_request(event)
  if not (event.warning or event.correction or event.veto) then return nil end
  local persona = event.persona or "model"
  if event.veto then
    return line { kind = "trouble", persona = persona, head = persona .. " was not asked", dim = event.vetoed_by,
      body = event.veto, class = "bad" }
  elseif event.correction then
    return line { kind = "trouble", persona = persona, head = "its answer went back to " .. persona,
      body = event.correction, class = "bad" }
  end
  return line { kind = "trouble", persona = persona, head = persona .. " was warned", body = event.warning,
    class = "bad" }
end

local function repairs(event)
  local kinds = {}
  for _, kind in ipairs(text.keys(field(event.repairs, "kinds") or {})) do
    kinds[#kinds + 1] = ("%s %s"):format(tostring(kind), tostring(as_text(event.repairs.kinds[kind])))
  end
  if #kinds == 0 then return "" end
  return line { kind = "trouble", persona = event.persona, head = "the answer was repaired", class = "repaired",
    dim = "score " .. tostring(field(event.repairs, "score")), body = table.concat(kinds, ", ") }
end

function renderers.model_reply(event, context)
  local words = {}
  if type(event.content) == "string" then words[1] = event.content
  elseif type(event.text) == "string" then words[1] = event.text end
  for _, call in ipairs(type(event.tool_calls) == "table" and event.tool_calls or {}) do
    words[#words + 1] = type(call) == "table" and call_words(call) or tostring(call)
  end
  local failed = event.error
  if failed then words[#words + 1] = type(failed) == "table" and failed.message or tostring(failed) end
  table.move(about_reply(event), 1, 2, #words + 1, words)
  local size = sizes(event, context)
  return line { kind = failed and "trouble" or "model", persona = event.persona or "model",
    head = event.persona or "model", dim = seconds(event.seconds) .. (size ~= "" and " · " .. size or ""),
    body = table.concat(words, "\n"), class = failed and "bad" or "",
    link = context.linked and is_request(event.request) and event.request .. ".request.json" or nil }
    .. repairs(event)
end

-- --- acts ---------------------------------------------------------------------------------------------------------

function renderers.action(event)
  if not event.veto then return nil end
  return line { kind = "trouble", persona = event.persona, head = ("%s vetoed"):format(tostring(event.tool or "?")),
    dim = event.vetoed_by, body = event.veto, class = "bad" }
end

function renderers.action_result(event, context)
  local args = event.args and tostring(as_text(event.args)) or ""
  local bad = event.ok == false
  local element = type(event.element) == "table" and ("%s %s · "):format(tostring(event.element.role or ""),
    tostring(event.element.name or "")) or ""
  return line { kind = "act", head = (bad and "✗ " or "✓ ") .. tostring(event.tool or "?"),
    dim = element .. seconds(event.seconds), body = args .. "\n" .. tostring(event.text or ""),
    class = bad and "bad" or "good", more = figures.given(event, context) }
end

function renderers.retry(event)
  return line { kind = "trouble", head = ("%s failed, attempt %d of %d"):format(tostring(event.tool or "?"),
    count_of(event.attempt), count_of(event.of)), class = "bad",
    dim = event.again == false and "not done again" or "done again after " .. seconds(event.seconds),
    body = tostring(event.text or "") .. (event.why and "\n" .. tostring(event.why) or "") }
end

function renderers.suspected(event)
  return line { kind = "trouble", head = "suspected", dim = event.tool, body = event.message, class = "bad" }
end

function renderers.screen_changed(event)
  return line { kind = event.matters and "trouble" or "note", head = "the screen has changed",
    dim = seconds(event.seconds) .. " after the picture", body = event.text, class = event.matters and "bad" or nil }
end

function renderers.desktop_lost(event)
  return line { kind = "trouble", head = "the desktop is lost", dim = "waiting for up to " .. seconds(event.seconds),
    body = event.text, class = "bad" }
end

function renderers.desktop_back(event)
  return line { kind = "trouble", head = "the desktop is back", dim = "after " .. seconds(event.seconds) }
end

function renderers.lookup(event, context)
  local args = event.args and tostring(as_text(event.args)) or ""
  return line { kind = "look", head = "looked: " .. tostring(event.tool or "?"), dim = seconds(event.seconds),
    body = args .. "\n" .. tostring(event.text or ""), class = event.ok == false and "bad" or "",
    more = figures.given(event, context) }
end

function renderers.settled(event)
  return line { kind = "note", head = "settled", dim = seconds(event.seconds) .. " " .. tostring(event.reason or "") }
end

-- One line for a call of a script, or for many of one function; what is written of it comes from the desktop.
function renderers.desk_call(event)
  local times, dim = count_of(event.times), { seconds(event.seconds) }
  if times > 1 then dim[#dim + 1] = times .. " times" end
  if count_of(event.failed) > 0 then dim[#dim + 1] = count_of(event.failed) .. " failed" end
  if type(event.where) == "string" then dim[#dim + 1] = event.where end
  local words = { ("%s(%s)"):format(tostring(event.call or "?"), tostring(event.target or "")) }
  local came = event.text and tostring(as_text(event.text)) or ""
  local bad = event.ok == false
  if not bad and came ~= "" then words[2] = "→ " .. came end
  return line { kind = "act", head = (bad and "✗ " or "✓ ") .. table.concat(words, " "), dim = table.concat(dim, ", "),
    body = bad and came or nil, class = bad and "bad" or event.acts == false and "" or "good" }
end

-- --- the policy ---------------------------------------------------------------------------------------------------

-- An agent that works in iterations: what it thought, asked, did and noted, a line for each.
function renderers.iteration(event)
  local words = {}
  for _, name in ipairs { "reasoning", "tools", "commands", "commands_why", "learned", "reflection", "status_why",
    "failed", "system_note", "sizes" } do
    if event[name] ~= nil then
      words[#words + 1] = ("%s: %s"):format((name:gsub("_", " ")), tostring(as_text(event[name])))
    end
  end
  return line { kind = event.failed and "trouble" or "model", body = table.concat(words, "\n"), dim = event.status,
    head = ("iteration %s of %s"):format(tostring(event.iteration or "?"), tostring(event.of or "?")),
    class = event.failed and "bad" or "" }
end

function renderers.tools_changed(event)
  local words = {}
  for _, what in ipairs { "added", "removed" } do
    if type(event[what]) == "table" and #event[what] > 0 then
      words[#words + 1] = what .. " " .. tostring(as_text(event[what]))
    end
  end
  return line { kind = "note", head = "tools", body = table.concat(words, "; ") }
end

function renderers.phase_change(event)
  local why, tools = event.why or event.rationale, event.tools_rationale
  local words = why ~= nil and { as_text(why) } or {}
  if tools ~= nil and tools ~= why then words[#words + 1] = "tools: " .. tostring(as_text(tools)) end
  return line { kind = "note", head = "phase", dim = ("%s -> %s"):format(tostring(event.from or "-"),
    tostring(event.to or "?")), body = table.concat(words, "\n") }
end

function renderers.plan(event)
  local words = { tostring(as_text(event.reason) or "") }
  for _, subtask in ipairs(type(event.subtasks) == "table" and event.subtasks or {}) do
    if type(subtask) == "table" then
      words[#words + 1] = ("%s %s (%s): %s"):format(tostring(subtask.id), tostring(subtask.status),
        tostring(subtask.role), tostring(subtask.title))
    end
  end
  return line { kind = "note", head = "plan", body = table.concat(words, "\n") }
end

function renderers.evaluation(event)
  local words = tostring(as_text(event.evidence) or "")
  if event.missing then words = words .. "\nmissing: " .. tostring(as_text(event.missing)) end
  local yes = event.answer == "yes"
  return line { kind = yes and "note" or "trouble", dim = event.because, body = words, class = yes and "good" or "bad",
    head = ("evaluated %s: %s, %s"):format(tostring(event.subtask or "the task"), tostring(event.answer),
      tostring(event.decision)) }
end

--- "yes: what was seen", of a check that was asked last.
---@param said any
---@return string?
function lines.verdict_words(said)
  if type(said) ~= "table" then return nil end
  return ("%s: %s"):format(tostring(said.answer), tostring(said.evidence))
end

function renderers.goal_start(event)
  local words = { tostring(event.task) }
  if event.limits ~= nil then words[2] = "left to it: " .. tostring(as_text(event.limits)) end
  if event.tools ~= nil then words[#words + 1] = "its tools: " .. tostring(as_text(event.tools)) end
  return line { kind = "note", head = "an agent is asked" .. (event.goal and ": goal " .. tostring(event.goal) or ""),
    dim = ("policy %s, model %s"):format(tostring(event.policy or "?"), tostring(event.model or "?")),
    body = table.concat(words, "\n") }
end

function renderers.goal_end(event)
  local said, class = lines.verdict_words(event.verdict), parts.colour_of(event.status)
  return line { kind = class == "bad" and "trouble" or "note", class = class, dim = seconds(event.seconds),
    head = ("goal %s %s"):format(tostring(event.goal), tostring(event.status)),
    body = tostring(event.reason) .. (said and "\nits check: " .. said or "") }
end

-- --- the rest -----------------------------------------------------------------------------------------------------

function renderers.guard(event)
  return line { kind = "trouble", head = "guard " .. tostring(event.name or ""), body = event.message or event.reason,
    class = "bad" }
end

function renderers.note(event)
  return line { kind = "note", head = "note", body = event.message or event.text }
end

function renderers.control(event)
  return line { kind = "question", class = "asked", head = "a person: " .. tostring(event.what or "?"),
    dim = ("%s %s"):format(tostring(event.by or ""), seconds(event.seconds)), body = event.text }
end

function renderers.question(event)
  local options = type(event.options) == "table" and as_text(event.options)
  return line { kind = "question", head = event.consent and "consent" or "question", class = "asked",
    body = ("%s%s"):format(tostring(as_text(event.text) or ""), options and "\n" .. options or "") }
end

function renderers.answer(event)
  if event.answer == nil then
    return line { kind = "question", head = "no answer", dim = seconds(event.seconds), body = event.why,
      class = "bad" }
  end
  return line { kind = "question", head = "answer", class = "asked", body = event.answer,
    dim = ("%s %s"):format(tostring(event.by or ""), seconds(event.seconds)) }
end

function renderers.memory(event)
  local what = event.name or event.experience
  return line { kind = "note", head = "memory", dim = event.op,
    body = event.value and ("%s = %s"):format(tostring(what), tostring(event.value)) or what }
end

renderers["error"] = function(event)
  local words = tostring(as_text(event.message or event.text) or "")
  if type(event.traceback) == "string" then words = words .. "\n    " .. event.traceback:gsub("\n", "\n    ") end
  return line { kind = "trouble", head = "error in " .. tostring(event.name or "?"), dim = event.during, body = words,
    class = "bad" }
end

--- The lines of a turn.
---@param turn deskpilot.report_turn
---@param context deskpilot.report_context
---@return string
function lines.of_turn(turn, context)
  local list = {}
  for _, event in ipairs(turn.events) do
    local render = renderers[event.event]
    list[#list + 1] = render and render(event, context) or nil
  end
  return table.concat(list, "\n")
end

return lines
