--- What a run's folder tells of it in one row: how it ended and what it took. It is made from result.json and the
--- beginning of the journal, so that some hundred runs are listed at once.
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local old_runs = require "deskpilot.agent.old_runs"
local uv = require "luv"

local run_summary = {}

---@class deskpilot.run_summary
---@field name string of its folder
---@field folder string
---@field status string as in result.json; "running" where it goes on just now, "unfinished" where it was killed
---@field reason string? why it ended so
---@field mission string?
---@field policy string? nil of a script
---@field model string? nil of a script
---@field turns number?
---@field actions number?
---@field seconds number?
---@field tokens number? sent and received
---@field cost number? US dollars; nil where the model's prices are not known
---@field bytes number? what it has kept

-- run_start is the second event; it holds the configuration, some kilobytes.
local head_bytes = 1 << 18

local function head_of(folder)
  local fd = uv.fs_open(files.join(folder, "journal.jsonl"), "r", 0)
  if not fd then return {} end
  local head = uv.fs_read(fd, head_bytes, 0) or ""
  uv.fs_close(fd)
  for line in head:gmatch "[^\n]+" do
    local event = json.decode(line)
    if type(event) == "table" and event.event == "run_start" then return event end
  end
  return {}
end

local function typed(value, wanted)
  if type(value) == wanted then return value end
end

local function counts(summary, result)
  local model, archive = typed(result.model, "table") or {}, typed(result.archive, "table") or {}
  for _, name in ipairs { "turns", "actions", "seconds" } do summary[name] = typed(result[name], "number") end
  local sent, received = typed(model.input_tokens, "number"), typed(model.output_tokens, "number")
  summary.tokens = sent and received and sent + received
  summary.cost, summary.bytes = typed(model.cost, "number"), typed(archive.bytes, "number")
end

--- Reads it. What a folder does not tell is left out.
---@param run { name: string, folder: string } as old_runs.list gives it
---@return deskpilot.run_summary
function run_summary.read(run)
  local result = typed(json.decode(files.read(files.join(run.folder, "result.json"), 1 << 22) or ""), "table")
  local start = head_of(run.folder)
  local summary = { name = run.name, folder = run.folder, mission = typed(start.mission, "string"),
    policy = typed(start.policy, "string"), model = typed(start.model, "string") }
  if result then
    summary.status, summary.reason = typed(result.status, "string") or "unknown", typed(result.reason, "string")
    counts(summary, result)
  else
    summary.status = old_runs.is_held(run.folder) and "running" or "unfinished"
  end
  return summary
end

return run_summary
