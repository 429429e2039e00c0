--- What is remembered across runs: a private file for each project or application, in the folder of the user's state.
--- Several runs may write one at the same time: each change reads the file anew, under a lock, and replaces it.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local secrets = require "deskpilot.model.secrets"
local similar = require "deskpilot.agent.similar"
local system = require "native.system"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local memory_store = {}

local version = 1
local most_bytes = 4 * 2 ^ 20 // 1
local most_values = 200
local lock_time = 10 -- seconds to wait for another run's change

---@class deskpilot.memory_store
---@field path string
---@field name string that of its file, as `deskpilot memory` takes it
---@field kind "project"|"application"
---@field key string the project's folder, or the application's name
local Store = {}
Store.__index = Store

--- The folder of all stores.
---@return string
function memory_store.folder()
  return files.join(files.user_state_folder(), "memory")
end

-- "project-invoices-1f2e3d4c": readable, and different for different keys.
local function name_of(kind, key)
  local words = select(2, files.split(key)):lower():gsub("[^%w]+", "-"):gsub("^%-", "")
  local readable = text.without_end(words, "-"):sub(1, 40)
  return ("%s-%s-%s"):format(kind, readable == "" and "x" or readable, system.sha256(key):sub(1, 8))
end

--- The store of a project or an application. Nothing is read yet.
---@param kind "project"|"application"
---@param key string
---@return deskpilot.memory_store
function memory_store.of(kind, key)
  local name = name_of(kind, key)
  return setmetatable({ kind = kind, key = key, name = name,
    path = files.join(memory_store.folder(), name .. ".json") }, Store)
end

local function empty(self)
  return { kind = self.kind, key = self.key, values = {}, experiences = {} }
end

local function texts(list)
  if type(list) ~= "table" then return false end
  for _, item in pairs(list) do
    if type(item) ~= "string" then return false end
  end
  return true
end

-- What a file holds, or what is wrong with it.
local function decode(words, path)
  local data = json.decode(words)
  if type(data) ~= "table" or data.format ~= "deskpilot memory" or not texts(data.values)
    or not texts(data.experiences) then
    return errors.fail("invalid", "%s is no memory of deskpilot's; erase it: deskpilot memory --erase %s", path,
      (select(2, files.split(path)):gsub("%.json$", "")))
  end
  if data.version ~= version then
    return errors.fail("unsupported", "%s is of version %s, and this deskpilot knows version %d", path,
      tostring(data.version), version)
  end
  return data
end

local function load(self)
  local words, err = files.read(self.path, most_bytes)
  if words then return decode(words, self.path) end
  if err.code == "not_found" then return empty(self) end
  return nil, err
end

-- Read anew only when the file has changed.
local function stamp(path)
  local stat = uv.fs_stat(path)
  return stat and ("%d %d.%09d %d"):format(stat.ino, stat.mtime.sec, stat.mtime.nsec, stat.size) or "none"
end

--- What is remembered; nothing where the file cannot be read (`problem` says why then).
---@return { values: table<string, string>, experiences: string[] }
function Store:read()
  local now = stamp(self.path)
  if self.stamp ~= now then
    local data, err = load(self)
    self.data, self.problem, self.stamp = data or empty(self), err, now
  end
  return self.data
end

local function pause()
  if task.may_wait() then task.sleep(0.01) else uv.sleep(10) end
end

-- Nobody else changes the file until the returned one is closed. On a file system without locks changes may be lost,
-- but the file stays whole.
local function lock(path)
  local fd, why = files.append(path .. ".lock", { private = true })
  if not fd then return nil, why end
  local limit = task.now() + lock_time
  while true do
    local ok, err = system.lock_file(fd)
    if ok or err.code ~= "refused" then return fd end
    if task.now() > limit then
      uv.fs_close(fd)
      return errors.fail("timed_out", "%s is being written by another run", path)
    end
    pause()
  end
end

local function save(self, data)
  data.format, data.version = "deskpilot memory", version
  data.experiences = json.list(data.experiences)
  return files.write(self.path, secrets.encode(data) .. "\n", { private = true })
end

-- Changes the file by change(data), which may say what is wrong.
local function update(self, change)
  local ok, err = files.make_folder(memory_store.folder(), { private = true })
  if not ok then return nil, err end
  local fd, why = lock(self.path)
  if not fd then return nil, why end
  local unlocking <close> = setmetatable({}, { __close = function() uv.fs_close(fd) end })
  assert(unlocking)
  local data, failure = load(self)
  if not data then return nil, failure end
  ok, err = change(data)
  if not ok then return nil, err end
  self.stamp = nil
  return save(self, data)
end

--- Keeps a value.
---@param name string
---@param value string
---@return boolean? ok, deskpilot.error? err
function Store:set(name, value)
  return update(self, function(data)
    if not data.values[name] and #text.keys(data.values) >= most_values then
      return errors.fail("invalid", "%d values are kept across runs already; see deskpilot memory", most_values)
    end
    data.values[name] = value
    return true
  end)
end

--- Keeps an experience, unless another run has learned nearly the same meanwhile.
---@param sentence string
---@param most integer the oldest beyond this number go
---@return boolean? ok, deskpilot.error? err
function Store:learn(sentence, most)
  return update(self, function(data)
    if similar.find(sentence, data.experiences) then return true end
    table.insert(data.experiences, sentence)
    while #data.experiences > most do table.remove(data.experiences, 1) end
    return true
  end)
end

--- All stores that there are, by their names.
---@return { name: string, path: string, data: table?, problem: deskpilot.error? }[]
function memory_store.all()
  local list = {}
  for _, file in ipairs(files.list(memory_store.folder())) do
    local name = file:match "^(%l+%-[%w-]+)%.json$"
    if name then
      local path = files.join(memory_store.folder(), file)
      local words, err = files.read(path, most_bytes)
      local data, problem
      if words then data, problem = decode(words, path) end
      list[#list + 1] = { name = name, path = path, data = data, problem = problem or err }
    end
  end
  return list
end

--- Removes a store.
---@param path string as all() gives it
---@return boolean? ok, deskpilot.error? err
function memory_store.erase(path)
  local ok, why = uv.fs_unlink(path)
  uv.fs_unlink(path .. ".lock")
  if ok then return true end
  return errors.fail("io", "cannot remove %s: %s", path, tostring(why))
end

return memory_store
