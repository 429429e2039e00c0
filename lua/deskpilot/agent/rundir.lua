--- A run's folder: runs/<UTC time>-<mission>/. Nothing ever overwrites another run, and nobody but its user may look
--- into it: screenshots, prompts and pages show whatever was on the screen.
local files = require "deskpilot.base.files"
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local secrets = require "deskpilot.model.secrets"
local text = require "deskpilot.base.text"

local rundir = {}

---@class deskpilot.rundir
---@field path string
local Rundir = {}
Rundir.__index = Rundir

local private = { private = true }
local quick = { private = true, sync = false } -- a turn does not wait for the disk; the journal is put there meanwhile

local function slug(name)
  local s = text.without_end(name:lower():gsub("[^%w_-]+", "-"):gsub("^%-+", ""), "-")
  return s == "" and "mission" or s:sub(1, 60)
end

--- Makes a new folder under `base`.
---@param base string
---@param name string the mission's
---@param min_free integer bytes that must stay free on the disk
---@return deskpilot.rundir? rundir, deskpilot.error? err
function rundir.create(base, name, min_free)
  local ok, err = files.make_folder(base, private)
  if not ok then return nil, err end
  local stem = files.join(base, os.date("!%Y%m%dT%H%M%SZ-") .. slug(name))
  local path = stem
  for number = 2, 1000 do -- two runs in one second get two folders
    local made, failure = files.make_new_folder(path, private)
    if made then break end
    if failure then return nil, failure end
    path = stem .. "-" .. number
  end
  local self = setmetatable({ path = path, min_free = min_free, requests = 0 }, Rundir)
  for _, folder in ipairs { "screenshots", "requests" } do
    ok, err = files.make_folder(files.join(path, folder), private)
    if not ok then return nil, err end
  end
  return self
end

local function room(self, size)
  local free = files.free_space(self.path)
  if free and free < self.min_free + size then
    return errors.fail("io", "only %d MB are free where the run is kept (%s); %d MB are needed: free some "
      .. "space, choose another disk with --runs, or lower safety.min_free_mb", free // 2 ^ 20, self.path,
      (self.min_free + size) // 2 ^ 20)
  end
  return true
end

--- Saves a file of the run, after a look at the free space.
---@param name string path inside the run's folder
---@param data string
---@param behind integer? so many bytes of the file that is there stay, and the data comes behind them
---@return boolean? ok, deskpilot.error? err
function Rundir:save(name, data, behind)
  local ok, err = room(self, #data + (behind or 0))
  if not ok then return nil, err end
  return files.write(files.join(self.path, name), data, { private = quick.private, sync = quick.sync, behind = behind })
end

--- Saves a value as JSON, secrets masked.
---@param name string
---@param value any
---@param masked boolean? they have been masked already
---@return boolean? ok, deskpilot.error? err
function Rundir:save_json(name, value, masked)
  local ok, encoded = pcall(masked and json.encode or secrets.encode, value)
  if not ok then return errors.fail("invalid", "cannot save %s: %s", name, tostring(encoded)) end
  return self:save(name, encoded .. "\n")
end

-- What is made of the journal and can be made again.
local derived = { ["result.json"] = true, ["trajectory.json"] = true, ["report.html"] = true }

--- How much a run has kept, in bytes: its journal, its pictures, its requests and what it has downloaded.
---@param path string of a run directory
---@return integer bytes
function rundir.size(path)
  local sum = 0
  for _, name in ipairs(files.list(path)) do
    if not derived[name] then sum = sum + files.size(files.join(path, name)) end
  end
  return sum
end

--- Whether a path, as a journal may say it, is that of a file among a run's pictures. Nothing else is shown or read
--- for one, whatever a journal says.
---@param path any
---@return boolean
function rundir.is_picture(path)
  return type(path) == "string" and path:find("^screenshots/[%w_-][%w_.-]*$") ~= nil
end

--- The next name for a request of that persona: "requests/0003-executor".
---@param persona string
---@return string
function Rundir:next_request(persona)
  self.requests = self.requests + 1
  return ("requests/%04d-%s"):format(self.requests, slug(persona))
end

return rundir
