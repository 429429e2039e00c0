--- `--live`: a page of the run while it goes on, by which a person watches and controls it. The page's address has a
--- token, which is kept in the run's folder for `deskpilot live` and for a run that goes on from this one: pages that
--- are open go on with that.
local board_module = require "deskpilot.cli.live.board"
local control_module = require "deskpilot.agent.control"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local hands = require "deskpilot.cli.live.hands"
local keys = require "deskpilot.cli.live.keys"
local server_module = require "deskpilot.cli.live.server"
local terminal = require "deskpilot.cli.terminal"

local live = {}

local file_name = "live.json"

--- What a run's folder says of its page; nil where it has none.
---@param folder string
---@return { url: string, token: string, port: integer }?
function live.of(folder)
  local words = files.read(files.join(folder, file_name), 4096)
  local said = words and json.decode(words)
  if type(said) ~= "table" or type(said.url) ~= "string" or type(said.token) ~= "string"
    or not said.token:find "^%x+$" or #said.token ~= 48 or math.type(said.port) ~= "integer" then
    return nil
  end
  return said
end

--- Where a page finds the pictures and requests of a run's folder.
---@param folder string
---@return deskpilot.report_context
function live.context(folder)
  return { linked = true, picture = function(path) return path end, size = function(name)
    local path = files.join(folder, name)
    return files.exists(path) and files.size(path) or nil
  end }
end

---@class deskpilot.live
---@field control deskpilot.control
---@field server deskpilot.live_server

--- Begins the page of a run that is about to begin.
---@param parts table of the run (agent/run.lua), which gets its listeners and who answers
---@param dir deskpilot.rundir
---@param before string? the folder of the run that it goes on from
---@return deskpilot.live? live, deskpilot.error? err
function live.begin(parts, dir, before)
  local control = control_module.new()
  local _, name = files.split(files.absolute(dir.path))
  local board = board_module.new(name, live.context(dir.path))
  local past = before and live.of(before) or {}
  local server, err = server_module.start(board, { folder = dir.path, control = control,
    hands = hands.new(parts.desk, control), token = past.token, port = past.port })
  if not server then return nil, err end
  local kept, why = dir:save_json(file_name, { url = server.url, token = server.token, port = server.http.port }, true)
  if not kept then return nil, why end
  -- First of all: what guards find is how things are when the run goes on.
  table.insert(parts.listeners, 1, { name = "the control", listener = control:listener() })
  table.insert(parts.listeners, { name = "the live page", listener = {
    every = function(_, event) board:add(event) end } })
  local people = parts.answerers[#parts.answerers]
  parts.answerers = table.move(parts.answerers, 1, #parts.answerers - 1, 1, {})
  terminal.note("live: ", server.url, "\n")
  local typed = keys.start(control)
  table.insert(parts.answerers, control:answerer(typed:beside(people)))
  table.insert(parts.listeners, { name = "the keys", listener = { run_end = function() typed:close() end } })
  return { control = control, server = server }
end

--- The page of a run that another process works on, which can only be looked at. Returns when the run is over.
---@param folder string
---@return boolean? ok, deskpilot.error? err
function live.watch(folder)
  local journal = require "deskpilot.agent.journal"
  local old_runs = require "deskpilot.agent.old_runs"
  local task = require "deskpilot.base.task"
  local events, how = journal.read(folder)
  if not events then return nil, how end
  local _, name = files.split(files.absolute(folder))
  local board = board_module.new(name, live.context(folder))
  for _, event in ipairs(events) do board:add(event) end
  local server, err = server_module.start(board, { folder = folder })
  if not server then return nil, err end
  local closing <close> = setmetatable({}, { __close = function() server:stop() end })
  assert(closing)
  terminal.put(server.url, "\n")
  io.stdout:flush()
  while old_runs.is_held(folder) do
    task.sleep(0.3)
    local now, why = journal.read(folder)
    if not now then return nil, why end
    for i = #board.turns.events + 1, #now do board:add(now[i]) end
  end
  if #board.turns.events == 0 then return errors.fail("not_found", "the run has written nothing") end
  return true
end

return live
