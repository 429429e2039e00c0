--- The journal: every event is one line of journal.jsonl, written as it happens, so that a run killed
--- at any instant leaves a file that every reader accepts. Readers are beside the writer.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local listeners = require "deskpilot.agent.listeners"
local secrets = require "deskpilot.model.secrets"

local journal = {}

-- Fields that are objects of the running program, not data.
local private = { action = true }

local function line(event, number)
  local data = {}
  for key, value in pairs(event) do
    local kind = type(value)
    if kind ~= "function" and kind ~= "userdata" and not (private[key] and kind == "table") then
      data[key] = value
    end
  end
  data.event, data.at, data.number = nil, nil, number
  local ok, rest = pcall(json.encode, secrets.mask_all(data))
  if not ok then -- a hook put something there that is no data: the line says so, the run goes on
    rest = json.encode { number = number, turn = event.turn, not_encodable = tostring(rest) }
  end
  return ('{"event":"%s","at":%.4f,%s'):format(event.event, event.at, rest:sub(2)) .. "\n"
end

--- A listener that appends to folder/journal.jsonl.
---@return table? listener, deskpilot.error? err
function journal.open(folder)
  local path = files.join(folder, "journal.jsonl")
  local fd, why = uv.fs_open(path, "a", tonumber("644", 8))
  if not fd then return errors.fail("io", "cannot write %s: %s", path, tostring(why)) end
  local listener, count = {}, 0
  local function append(_, event)
    count = count + 1
    local ok, failure = uv.fs_write(fd, line(event, count), -1)
    if not ok then error("cannot write " .. path .. ": " .. tostring(failure), 0) end
  end
  for _, name in ipairs(listeners.events) do listener[name] = append end
  function listener.close()
    if fd then uv.fs_close(fd) end
    fd = nil
  end
  return listener
end

--- The events of a run, oldest first. A last line that was cut by a kill is left out.
---@param folder string a run directory
---@return table[]? events, deskpilot.error? err
function journal.read(folder)
  local text, err = files.read(files.join(folder, "journal.jsonl"))
  if not text then return nil, err end
  local events = {}
  for row in text:gmatch("[^\n]+") do
    local event = json.decode(row)
    if type(event) == "table" and event.event then events[#events + 1] = event end
  end
  return events
end

return journal
