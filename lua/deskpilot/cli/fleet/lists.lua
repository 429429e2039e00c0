--- `deskpilot fleet status` and `runs`: what a fleet has, as it is at this moment.
local columns = require "deskpilot.cli.columns"
local json = require "deskpilot.base.json"
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"

local lists = {}

local SHORT = 12 -- characters of an id that are shown; that many name a run

--- As much of a mission's id as is shown.
---@param id string
---@return string
function lists.short(id) return id:sub(1, SHORT) end

local function many(count, word) return ("%d %s%s"):format(count, word, count == 1 and "" or "s") end

--- The workers, what they run, and how many missions wait.
---@param store deskpilot.fleet.store
---@param options { json: boolean? }
---@return true? ok, deskpilot.error? err
function lists.status(store, options)
  local workers, err = store:workers_there()
  if not workers then return nil, err end
  local queued, why = store:queued()
  if not queued then return nil, why end
  local slots, running, rows = 0, 0, {}
  for i, worker in ipairs(workers) do
    slots, running = slots + worker.slots, running + #worker.running
    local ids = {}
    for k, id in ipairs(worker.running) do ids[k] = lists.short(id) end
    rows[i] = { worker.name, tostring(worker.slots), tostring(#worker.running),
      worker.draining and "takes no more" or "", table.concat(ids, " ") }
  end
  local waiting = math.max(0, queued - running)
  if options.json then
    terminal.put_json { workers = json.list(workers), slots = slots, running = running, waiting = waiting }
    return true
  end
  if #rows > 0 then
    columns.put({ "worker", "slots", "runs", "state", "what" }, rows, { slots = true, runs = true })
  end
  terminal.put(("%s with %s: %s, %d wait\n"):format(many(#workers, "worker"), many(slots, "slot"),
    running == 1 and "1 mission runs" or ("%d missions run"):format(running), waiting))
  return true
end

--- How a mission stands, in a word: that of its run where it has ended.
---@param record table
---@return string
function lists.standing(record)
  local outcome = type(record.outcome) == "table" and record.outcome or {}
  local result = type(outcome.result) == "table" and outcome.result or {}
  if record.status ~= "done" then return record.status end
  return tostring(result.status or "error")
end

--- Why it ended so, or what its present attempt began with; "" where nothing says so.
---@param record table
---@return string
function lists.reason(record)
  if record.status == "running" then
    local from = type(record.continued) == "table" and record.continued
    return from and ("goes on after turn %s of attempt %s"):format(tostring(from.turn), tostring(from.attempt))
      or record.anew and "began anew: " .. tostring(record.anew) or ""
  end
  local outcome = type(record.outcome) == "table" and record.outcome or {}
  local result = type(outcome.result) == "table" and outcome.result or {}
  return tostring(result.reason or outcome.words or record.words or "")
end

--- The parameters of a mission as words.
---@param record table
---@return string
function lists.arguments(record)
  local words = {}
  for i, word in ipairs(type(record.args) == "table" and record.args or {}) do words[i] = tostring(word) end
  return table.concat(words, " ")
end

--- How long it has run, in its latest attempt.
---@param record table
---@return number? seconds
function lists.seconds(record)
  local began, ended = tonumber(record.began), tonumber(record.ended)
  if not began then return nil end
  if record.status == "queued" then return nil end
  return math.max(0, (ended or os.time()) - began)
end

--- Where the artifacts of a mission's latest run that has any are, and how many; nil where nothing says so.
---@param record table
---@return string? place
---@return string? count "12", or "9 of 12"
---@return string? why some are missing
function lists.artifacts(record)
  local there = type(record.artifacts) == "table" and record.artifacts
  if not there then return nil end
  local have, missing = math.tointeger(there.files) or 0, math.tointeger(there.missing) or 0
  local why = there.why and tostring(there.why)
  if missing == 0 and why then return tostring(there.place), "none", why end
  return tostring(there.place), missing == 0 and tostring(have) or ("%d of %d"):format(have, have + missing), why
end

local function row(one)
  local record = one.record
  return { lists.short(one.id), lists.standing(record), tostring(record.attempts or "-"),
    columns.clock(lists.seconds(record)), tostring(record.mission), lists.arguments(record),
    tostring(record.worker or "-"), select(2, lists.artifacts(record)) or "-", lists.reason(record) }
end

-- Says once for all where artifacts are: whole addresses are too long for a table.
local function put_places(list)
  local bases = {}
  for _, one in ipairs(list) do
    local place = lists.artifacts(one.record)
    local base = place and (place:match "^(.*)/%x+/%d+$" or place)
    if base then bases[base] = true end
  end
  for _, base in ipairs(text.keys(bases)) do
    terminal.put("artifacts are in ", terminal.line(base), "/ID/ATTEMPT (deskpilot fleet logs RUN tells it whole)\n")
  end
end

--- The missions with how they stand, the latest submitted last.
---@param store deskpilot.fleet.store
---@param options { json: boolean?, batch: string?, last: integer }
---@return true? ok, deskpilot.error? err
function lists.runs(store, options)
  local all, err = store:records()
  if not all then return nil, err end
  local wanted = {}
  for _, one in ipairs(all) do
    if not options.batch or one.record.batch == options.batch then wanted[#wanted + 1] = one end
  end
  local from, rows = math.max(1, #wanted - options.last + 1), {}
  for i = from, #wanted do
    if options.json then
      wanted[i].record.id = wanted[i].id
      terminal.put_json(wanted[i].record)
    else
      rows[#rows + 1] = row(wanted[i])
    end
  end
  if options.json then return true end
  if #rows == 0 then
    terminal.put(options.batch and ("there are no runs of a batch %s\n"):format(options.batch) or "there are no runs\n")
    return true
  end
  columns.put({ "run", "status", "tries", "time", "mission", "parameters", "worker", "artifacts", "reason" },
    rows, { tries = true, time = true })
  put_places(table.move(wanted, from, #wanted, 1, {}))
  if from > 1 then terminal.note(("%d older ones are not listed (--last 0 lists all)\n"):format(from - 1)) end
  return true
end

return lists
