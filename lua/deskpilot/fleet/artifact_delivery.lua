--- The artifacts of one run, brought to where they are kept: a folder that machines share, or a server that takes PUT.
--- What fails is tried again after pauses that grow, as long as the place's patience lasts from the last file that
--- arrived; what is missing then is told in a sentence and nothing else.
local artifact_files = require "deskpilot.fleet.artifact_files"
local artifact_folder = require "deskpilot.fleet.artifact_folder"
local artifact_http = require "deskpilot.fleet.artifact_http"
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"

local delivery = {}

--- Unless told: bytes of a run at most, seconds that a place which fails is tried again.
delivery.default = { most = 256 << 20, patience = 300 }

local FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30 -- seconds

--- Where artifacts are kept.
---@class deskpilot.fleet.artifact_place
---@field address fun(self, name: string): string
---@field begin fun(self, name: string): true?, deskpilot.error?
---@field keep fun(self, name: string, path: string, bytes: string): true?, deskpilot.error?

--- Opens a place by what people call it. Nothing is sent yet.
---@param where string a folder, or an address of http or https
---@param access_file string? what gives access to an address
---@param ca_file string? authorities (PEM) that its certificate is checked by, in place of the system's
---@return deskpilot.fleet.artifact_place? place, deskpilot.error? err invalid
function delivery.place(where, access_file, ca_file)
  if where:find "^https?://" then return artifact_http.open(where, access_file, ca_file) end
  if where:find "^%l[%l%d+.-]+://" then
    return errors.fail("invalid", "artifacts cannot be sent to %s: it is a folder, or an address of http or https "
      .. "(object storage takes PUT)", where)
  end
  if access_file or ca_file then
    return errors.fail("invalid", "%s is a folder, and a folder takes no token and no authorities", where)
  end
  return artifact_folder.open(where)
end

---@class deskpilot.fleet.artifact_account
---@field place string where they are
---@field files integer that are there
---@field bytes integer
---@field missing integer files that are not
---@field why string? the latest reason

-- Calls act() until it has done it, or trying again is of no use.
local function patiently(self, act)
  local pause = FIRST_PAUSE
  while true do
    local ok, err = act()
    if ok then
      self.arrived = task.now()
      return true
    end
    if err.rest or errors.is(err, "invalid") then return nil, err end
    local wait = math.max(pause, err.pause or 0)
    if task.now() + wait > self.arrived + self.patience then
      err.rest = "place"
      return nil, err
    end
    task.sleep(wait)
    pause = math.min(2 * pause, LONGEST_PAUSE)
  end
end

local function missing(account, why)
  account.missing, account.why = account.missing + 1, tostring(why)
end

-- Whether the place is still of use.
local function send(self, account, file)
  if account.bytes + file.size > self.most then
    missing(account, ("a run may have %d MB there (--max-mb, --artifacts-mb)"):format(self.most >> 20))
    return true
  end
  local bytes, unread = artifact_files.read(self.folder, file.path, math.min(artifact_files.most, self.most))
  if not bytes then
    missing(account, unread)
    return true
  end
  local ok, err = patiently(self, function() return self.place:keep(self.name, file.path, bytes) end)
  if ok then
    account.files, account.bytes = account.files + 1, account.bytes + #bytes
    return true
  end
  missing(account, err)
  return err.rest == "file"
end

--- Brings them there.
---@param place deskpilot.fleet.artifact_place
---@param folder string of the run
---@param options { name: string, most: integer?, patience: number? } name: under which they are kept there, with
---  slashes; most: bytes of the run
---@return deskpilot.fleet.artifact_account account
function delivery.send(place, folder, options)
  local self = { place = place, folder = folder, name = options.name, arrived = task.now(),
    most = options.most or delivery.default.most, patience = options.patience or delivery.default.patience }
  local list, left_out = artifact_files.list(folder)
  local account = { place = place:address(options.name), files = 0, bytes = 0, missing = left_out }
  if left_out > 0 then account.why = "the run's folder has links, or more than 10000 files, which do not go" end
  local ok, err = patiently(self, function() return place:begin(options.name) end)
  if not ok then
    account.missing, account.why = account.missing + #list, tostring(err)
    return account
  end
  for i, file in ipairs(list) do
    if not send(self, account, file) then
      account.missing = account.missing + #list - i
      break
    end
  end
  return account
end

return delivery
