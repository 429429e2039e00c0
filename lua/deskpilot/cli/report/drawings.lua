--- The drawings of a report, as SVG with places in percent: the timeline of phases, goals and personas, what the time
--- went to, and the tokens of each request.
local escape = require "deskpilot.cli.html".escape
local figures = require "deskpilot.cli.report.figures"
local parts = require "deskpilot.cli.report.parts"
local text = require "deskpilot.base.text"

local drawings = {}

local lane_height, most_lanes, most_bars = 22, 24, 2000
local colours = 8 -- classes c0..c7 of the style sheet

-- --- the timeline ---------------------------------------------------------------------------------------------

---@class deskpilot.report_span
---@field from number seconds
---@field to number
---@field name any
---@field turn integer?
---@field class string

-- The lanes by name, in the order in which they are drawn.
local function new_lanes()
  local lanes = { order = {}, spans = {} }
  function lanes.add(name, span)
    if not lanes.spans[name] then
      if #lanes.order >= most_lanes then return end
      lanes.order[#lanes.order + 1], lanes.spans[name] = name, {}
    end
    if #lanes.spans[name] < most_bars then table.insert(lanes.spans[name], span) end
  end
  return lanes
end

local function add_phase(lanes, event, open, at)
  local lane = "phase" .. (event.goal and " " .. tostring(event.goal) or "")
  if open[lane] then open[lane].to = at end
  open[lane] = { from = at, name = event.to, turn = event.turn }
  lanes.add(lane, open[lane])
end

local function add_goal(lanes, event, open, at)
  local path = tostring(event.goal or "?")
  if event.event == "goal_end" then
    if open["goal " .. path] then open["goal " .. path].to = at end
    return
  end
  local span = { from = at, name = path .. " " .. tostring(event.task or ""), turn = event.turn }
  open["goal " .. path] = span
  lanes.add("goals", span)
end

-- What took time and has ended.
local function add_work(lanes, event, at)
  local took = parts.measure(event.seconds) or 0
  local span = { from = math.max(0, at - took), to = at, turn = event.turn }
  if event.event == "model_reply" then
    span.name, span.class = event.persona, event.error and "bad" or nil
    lanes.add("asks " .. tostring(event.persona or "model"), span)
  elseif event.event == "action_result" or event.event == "desk_call" then
    span.name, span.class = event.tool or event.call, event.ok == false and "bad" or nil
    lanes.add("acts", span)
  elseif event.event == "answer" then
    span.name, span.class = "a question", "asked"
    lanes.add("people", span)
  elseif event.event == "guard" or event.event == "error" or event.event == "retry" then
    span.from, span.name, span.class = at, event.name or event.tool or event.event, "bad"
    lanes.add("trouble", span)
  end
end

local function lanes_of(events)
  local lanes, open, whole = new_lanes(), {}, 0
  for _, event in ipairs(events) do
    local at = parts.measure(event.at) or 0
    whole = math.max(whole, at)
    if event.event == "phase_change" then add_phase(lanes, event, open, at)
    elseif event.event == "goal_start" or event.event == "goal_end" then add_goal(lanes, event, open, at)
    else add_work(lanes, event, at) end
  end
  return lanes, whole
end

-- Names get their colours in the order in which they come.
local function colour_of(seen, name)
  name = tostring(name)
  if not seen[name] then
    seen.count = (seen.count or 0) + 1
    seen[name] = "c" .. (seen.count - 1) % colours
  end
  return seen[name]
end

local function bar(span, whole, row, seen)
  local from, to = 100 * span.from / whole, 100 * (span.to or whole) / whole
  local turn = math.tointeger(span.turn)
  local drawn = ('<rect class="%s" x="%.3f%%" width="%.3f%%" y="%d" height="%d"><title>%s (%.1f s)</title></rect>')
    :format(span.class or colour_of(seen, span.name), math.min(from, 99.9), math.max(0.12, to - from),
      row * lane_height + 3, lane_height - 6, escape(text.cut(text.one_line(tostring(span.name or "")), 100)),
      math.max(0, (span.to or whole) - span.from))
  return turn and turn > 0 and ('<a href="#turn%d">%s</a>'):format(turn, drawn) or drawn
end

--- The timeline: a lane for phases, goals, each persona that was asked, acts, people and trouble.
---@param events table[]
---@return string
function drawings.timeline(events)
  local lanes, whole = lanes_of(events)
  if #lanes.order == 0 or whole <= 0 then return "" end
  local names, bars, seen = {}, {}, {}
  for row, name in ipairs(lanes.order) do
    names[row] = ("<li>%s</li>"):format(escape(text.cut(text.one_line(name), 24)))
    for _, span in ipairs(lanes.spans[name]) do bars[#bars + 1] = bar(span, whole, row - 1, seen) end
  end
  return ('<div class="timeline"><ul>%s</ul><svg height="%d" role="img" aria-label="timeline">%s</svg></div>'
    .. '<p class="dim ends"><b>0 s</b> <b>%.1f s</b></p>'):format(table.concat(names), #names * lane_height,
      table.concat(bars), whole)
end

-- --- time and tokens ------------------------------------------------------------------------------------------

local shares = { { "model", "model" }, { "capture", "looking" }, { "input", "acting" }, { "settle", "settling" },
  { "people", "people" }, { "policy", "the rest" }, { "rate", "limits of calls" } }

--- What the time went to, as one bar.
---@param share deskpilot.time_share
---@param whole number?
---@return string
function drawings.time(share, whole)
  local sum = 0
  for _, part in ipairs(shares) do sum = sum + share[part[1]] end
  if not whole or sum <= 0 then return "" end
  local bars, names, x = {}, {}, 0
  for i, part in ipairs(shares) do
    local percent = 100 * share[part[1]] / sum
    if percent > 0 then
      bars[#bars + 1] = ('<rect class="c%d" x="%.2f%%" width="%.2f%%" y="0" height="24"><title>%s %.1f s</title>'
        .. "</rect>"):format(i - 1, x, percent, part[2], share[part[1]])
      names[#names + 1] = ('<span class="key c%d">%s %.0f %%</span>'):format(i - 1, part[2], percent)
      x = x + percent
    end
  end
  return ('<svg height="24" role="img" aria-label="time">%s</svg><p class="keys">%s</p>'):format(table.concat(bars),
    table.concat(names, " "))
end

local function usages(events)
  local list, most = {}, 0
  for _, event in ipairs(events) do
    local usage = event.event == "model_reply" and type(event.usage) == "table" and event.usage or {}
    local sent, received = parts.measure(usage.input_tokens), parts.measure(usage.output_tokens) or 0
    if sent and #list < most_bars then
      list[#list + 1] = { sent = sent, cached = math.min(sent, parts.measure(usage.cached_tokens) or 0),
        received = received, turn = math.tointeger(event.turn), persona = event.persona }
      most = math.max(most, sent + received)
    end
  end
  return list, most
end

--- The tokens of each request, one bar beside the other: cached, sent, received.
---@param events table[]
---@return string
function drawings.tokens(events)
  local list, most = usages(events)
  if #list == 0 or most <= 0 then return "" end
  local bars, step = {}, 100 / #list
  for i, usage in ipairs(list) do
    local top, drawn = 100, {}
    for _, piece in ipairs { { "c2", usage.cached }, { "c0", usage.sent - usage.cached }, { "c1", usage.received } } do
      local height = 100 * piece[2] / most
      top = top - height
      drawn[#drawn + 1] = ('<rect class="%s" x="%.3f%%" width="%.3f%%" y="%.2f%%" height="%.2f%%"/>'):format(piece[1],
        (i - 1) * step, step * 0.86, math.max(0, top), height)
    end
    bars[i] = ('<a%s><title>%s: %d sent, %d of them cached, %d received</title>%s</a>'):format(usage.turn
      and (' href="#turn%d"'):format(usage.turn) or "", escape(usage.persona or "model"), usage.sent // 1,
      usage.cached // 1, usage.received // 1, table.concat(drawn))
  end
  return ('<svg height="120" role="img" aria-label="tokens">%s</svg><p class="keys"><span class="key c0">sent</span> '
    .. '<span class="key c2">cached</span> <span class="key c1">received</span> <span class="dim">the largest request '
    .. 'and its answer: %s tokens</span></p>'):format(table.concat(bars), parts.short(most))
end

--- A turn's part of the film-strip.
---@param turn deskpilot.report_turn
---@param context deskpilot.report_context
---@return string
function drawings.frames(turn, context)
  return ('<div class="frames" id="frames-%s">%s</div>'):format(figures.anchor(turn),
    figures.thumbnails(turn, context))
end

--- The film-strip.
---@param turns deskpilot.report_turns
---@param context deskpilot.report_context
---@return string
function drawings.strip(turns, context)
  local list = {}
  for i, turn in ipairs(turns.list) do list[i] = drawings.frames(turn, context) end
  return table.concat(list)
end

return drawings
