--- What the steps of a run on the browser suite's pages took, by cause, and which of them came too early: from the
--- run's journal, the model's answers and the records of the pages.
local pages_steps = {}

---@class bench.step
---@field page string
---@field timer boolean whether the page changes by itself
---@field kind string of the act
---@field what string
---@field seconds number from the beginning of its turn to that of the next, without the model
---@field waited number seconds of these in which the page itself waited: for its timer, its animation, a slow server
---@field model number
---@field causes table<string, number> seconds: capture, encode, elements, page, files, request, act, other, and
---  "settling: REASON" for each reason

---@class bench.too_early
---@field page string
---@field what string in words

---@class bench.measured
---@field steps bench.step[]
---@field early bench.too_early[] acts on a page that was about to change, and presses that hit nothing
---@field blind bench.too_early[] looks at a page that was about to change
---@field drawing bench.too_early[] looks within the frames that draw a change: it may be in the picture
---@field unseen bench.too_early[] times that the model did not find what it wanted, and waited
---@field wrong bench.too_early[] pages that were left in another state than they wanted
---@field refused bench.too_early[] acts that could not be done, and were tried again

local parts = { "capture", "encode", "elements", "page" }

-- The events of each turn by their names, settling as a list; and when the next turn began.
local function turns_of(events)
  local list, of_number = {}, {}
  for _, event in ipairs(events) do
    local number = event.turn
    if event.event == "turn_start" then
      local before = list[#list]
      if before then before.ends = event.at end
      list[#list + 1] = { settled = {} }
      of_number[number] = list[#list]
    end
    local turn = of_number[number]
    if turn and event.event == "settled" then table.insert(turn.settled, event)
    elseif turn then turn[event.event] = event end
  end
  return list
end

local function causes_of(turn, model)
  local causes, rest = {}, turn.ends - turn.turn_start.at - model
  local function add(name, seconds)
    causes[name] = (causes[name] or 0) + seconds
    rest = rest - seconds
  end
  local looked = turn.observed or { at = turn.turn_start.at, seconds = 0 } -- it may go on from the look before
  local files = looked.seconds
  for _, name in ipairs(parts) do
    local seconds = looked.parts and looked.parts[name] or 0
    add(name, seconds)
    files = files - seconds
  end
  add("files", files)
  add("request", turn.model_reply.at - looked.at - model)
  add("act", turn.action_result.seconds or 0)
  for _, event in ipairs(turn.settled) do
    add(("settling: %s%s"):format(event.reason, event.unknown and (" (%s not known)"):format(event.unknown) or ""),
      event.seconds)
  end
  causes.other = rest
  return causes
end

-- Milliseconds since 1970 of a time of the run.
local function clock_of(events)
  for _, event in ipairs(events) do
    if event.event == "run_start" then
      return function(at) return (event.began + at - event.at) * 1000 end
    end
  end
end

-- The changes of all pages.
local function changes_of(records)
  local list = {}
  for _, record in ipairs(records) do
    for _, change in ipairs(record.changes) do
      list[#list + 1] = { page = record.page, what = change[1], begun = change[2], made = change[3],
        drawn = change[4] }
    end
  end
  return list
end

-- What each page does, timer or not.
local common = { ["the page loads"] = true, ["the next page"] = true }

-- Milliseconds between two times in which a change of the page's own was under way.
local function waited_between(changes, from, to)
  local open = {}
  for _, change in ipairs(changes) do
    if change.begun < to and change.made > from and not common[change.what] then open[#open + 1] = change end
  end
  table.sort(open, function(a, b) return a.begun < b.begun end)
  local sum = 0
  for _, change in ipairs(open) do
    local stop = math.min(change.made, to)
    sum = sum + math.max(0, stop - math.max(change.begun, from))
    from = math.max(from, stop)
  end
  return sum
end

local function told_by_pages(result, records)
  for _, record in ipairs(records) do
    local function add(list, ...) table.insert(list, { page = record.page, what = (...):format(select(2, ...)) }) end
    for _, early in ipairs(record.early) do
      add(result.early, "%s %.0f ms after this had begun: %s", early[1], early[3], early[2])
    end
    for _, missed in ipairs(record.missed) do
      add(result.early, "the mouse was pressed on nothing (%s at %d,%d)", table.unpack(missed))
    end
    if record.wrong ~= "" then add(result.wrong, "%s", record.wrong) end
  end
end

-- A look whose picture was taken while something was still to change.
local function judge_look(result, turn, changes, clock)
  if not turn.observed then return end
  local began, found, list = clock(turn.observed.at - turn.observed.seconds), nil, nil
  for _, change in ipairs(changes) do
    local open = change.begun < began and began < change.drawn
    if open and began < change.made then found, list = change, result.blind
    elseif open and not found then found, list = change, result.drawing end
  end
  if not found then return end
  table.insert(list, { page = found.page, what = ("%.0f ms before it was there: %s"):format(found.drawn - began,
    found.what) })
end

--- Puts together what a run has left.
---@param events table[] the journal
---@param model bench.model
---@param site bench.site
---@return bench.measured
function pages_steps.of(events, model, site)
  local result = { steps = {}, early = {}, blind = {}, drawing = {}, unseen = {}, wrong = {}, refused = {} }
  local clock, changes = clock_of(events), changes_of(site.records)
  told_by_pages(result, site.records)
  for i, turn in ipairs(turns_of(events)) do
    local answer, request = model.answers[i], model.server.requests[i]
    if not (answer and turn.action_result and turn.ends) then break end
    if answer.kind == "unseen" then
      table.insert(result.unseen, { page = answer.page, what = answer.what })
    elseif answer.kind ~= "finish" then
      local causes = causes_of(turn, request.seconds)
      local whole = 0
      for _, seconds in pairs(causes) do whole = whole + seconds end
      table.insert(result.steps, { page = answer.page, timer = answer.timer, kind = answer.kind, what = answer.what,
        seconds = whole, waited = answer.timer and waited_between(changes, clock(turn.turn_start.at),
          clock(turn.ends)) / 1000 or 0, model = request.seconds, causes = causes })
    end
    if not turn.action_result.ok then
      table.insert(result.refused, { page = answer.page, what = turn.action_result.text })
    end
    judge_look(result, turn, changes, clock)
  end
  return result
end

return pages_steps
