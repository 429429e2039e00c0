--- Ready-made checks of files, tables and processes; what each takes and says is in agent/checks.lua.
local uv = require "luv"
local csv = require "deskpilot.base.csv"
local files = require "deskpilot.base.files"
local platform = require "deskpilot.desk.platform"
local text = require "deskpilot.base.text"
local words = require "deskpilot.agent.check_words"
local verdict = require "deskpilot.agent.verdict"

local check_files = {}

local file_fields = { path = true, equals = true, contains = true, matching = true, gone = true }

---@param how table
---@return deskpilot.verdict
function check_files.file(how)
  words.known(how, file_fields, "file")
  local stat, why, code = uv.fs_stat(how.path)
  if not stat and code ~= "ENOENT" and code ~= "ENOTDIR" then
    return verdict.unknown(("%s could not be looked at: %s"):format(how.path, tostring(why)))
  end
  if how.gone then
    return words.presence(stat ~= nil, true, stat and how.path .. " is there" or "there is no file " .. how.path)
  end
  if not stat then return verdict.no("there is no file " .. how.path) end
  if how.equals == nil and how.contains == nil and how.matching == nil then
    return verdict.yes(("%s is there, of %d bytes"):format(how.path, stat.size))
  end
  local content, err = files.read(how.path)
  if not content then return verdict.unknown(err) end
  return words.compare(how.path, content, how)
end

local function has_all(record, wanted)
  for name, value in pairs(wanted) do
    if record[name] ~= tostring(value) then return false end
  end
  return true
end

local function row_text(record)
  local parts = {}
  for _, name in ipairs(text.keys(record)) do
    parts[#parts + 1] = ("%s=%s"):format(name, words.shown(tostring(record[name])))
  end
  return table.concat(parts, " ")
end

local row_fields = { path = true, where = true, has = true, separator = true, gone = true }

---@param how table
---@return deskpilot.verdict
function check_files.row(how)
  words.known(how, row_fields, "row")
  if not files.exists(how.path) then return verdict.no("there is no file " .. how.path) end
  local content, err = files.read(how.path)
  local records
  if content then records, err = csv.records(content, { separator = how.separator }) end
  if not records then
    return verdict.unknown(("%s could not be read as a table: %s"):format(how.path, tostring(err)))
  end
  local meant, other = row_text(how.where or {}), nil
  for _, record in ipairs(records) do
    if has_all(record, how.where or {}) then
      if has_all(record, how.has or {}) then
        return words.presence(true, how.gone, ("%s has the row %s"):format(how.path, row_text(record)))
      end
      other = record
    end
  end
  if other then
    return words.presence(false, how.gone, ("the row of %s with %s is %s, not %s"):format(how.path, meant,
      row_text(other), row_text(how.has)))
  end
  return words.presence(false, how.gone, ("none of the %d rows of %s has %s"):format(#records, how.path, meant))
end

local process_fields = { pid = true, name = true, gone = true }

---@param how table
---@return deskpilot.verdict
function check_files.process(how)
  words.known(how, process_fields, "process")
  local pids, err
  local pid = math.tointeger(how.pid)
  if pid then pids = platform.is_running(pid) and { pid } or {}
  else pids, err = platform.named(how.name) end
  if not pids then return verdict.unknown(err) end
  local what = pid and ("the process %d"):format(pid) or "a program " .. tostring(how.name)
  return words.presence(#pids > 0, how.gone, #pids > 0 and ("%s runs%s"):format(what, pid and ""
    or " as process " .. table.concat(pids, ", ")) or what .. " does not run")
end

return check_files
