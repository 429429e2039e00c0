--- Signed missions: what a signature covers, and whose a worker takes. It covers everything that decides what runs and
--- where, so that whoever may write to the server can neither change a mission nor make one. The same mission can be
--- handed out again, for as long as a signature counts.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local minisign = require "deskpilot.fleet.minisign"

local trust = {}

--- Seconds that a signature counts: as long as a fleet keeps its records. Clocks may differ by a day.
trust.lasts = 30 * 24 * 3600
local CLOCKS = 24 * 3600

-- Reads a file of a key, and says of which file it was where it is none.
local function read(path, reader)
  local words, err = files.read(path, minisign.longest)
  if not words then return nil, err end
  local key, why = reader(words)
  if key then return key end
  return errors.fail("invalid", "%s: %s", path, why)
end

--- The keys that a worker trusts.
---@param paths string[]
---@return deskpilot.minisign.public[]? keys, deskpilot.error? err
function trust.keys(paths)
  local keys = {}
  for i, path in ipairs(paths) do
    local key, err = read(path, minisign.read_public)
    if not key then return nil, err end
    keys[i] = key
  end
  return keys
end

--- The key that missions are signed with.
---@param path string
---@return deskpilot.minisign.secret? key, deskpilot.error? err
function trust.signer(path) return read(path, minisign.read_secret) end

-- What is signed: lines, and each argument with its length, so that no two missions have the same text.
local function text_of(id, record)
  local parts = { "deskpilot mission 1", "id " .. id, "signed " .. record.signed, "bundle " .. record.bundle,
    "mission " .. record.mission, "tags " .. table.concat(record.tags or {}, ","), "arguments " .. #record.args }
  for _, argument in ipairs(record.args) do parts[#parts + 1] = #argument .. " " .. argument end
  return table.concat(parts, "\n") .. "\n"
end

--- Signs the record of a mission: it has a `signature` then.
---@param key deskpilot.minisign.secret
---@param id string
---@param record table
function trust.sign(key, id, record)
  record.signed = os.time()
  record.signature = minisign.sign(key, text_of(id, record), "deskpilot mission " .. id)
end

local function check_fields(record)
  local signed = math.tointeger(record.signed)
  if not signed or signed < 0 or signed > 1 << 40 or type(record.bundle) ~= "string" or type(record.mission) ~= "string"
    or type(record.args) ~= "table" or record.tags ~= nil and type(record.tags) ~= "table" then
    return false
  end
  record.signed = signed
  for _, list in ipairs { record.args, record.tags or {} } do
    for _, item in ipairs(list) do
      if type(item) ~= "string" then return false end
    end
  end
  return true
end

--- Whether a mission is signed by one of those keys, as it is.
---@param keys deskpilot.minisign.public[]
---@param id string
---@param record table untrusted
---@return true? ok, deskpilot.error? err refused, with a sentence for whoever submitted it
function trust.check(keys, id, record)
  if record.signature == nil then
    return errors.fail("refused", "the mission is not signed, and this worker runs only what one of its keys has "
      .. "signed: submit it with --sign KEYFILE")
  end
  if type(record.signature) ~= "string" or not check_fields(record) then
    return errors.fail("refused", "the mission's signature cannot be read: submit it again with --sign KEYFILE")
  end
  local ok, err = minisign.verify(keys, text_of(id, record), record.signature)
  if not ok then return errors.fail("refused", "the mission's signature is refused: %s", err) end
  local age = os.time() - record.signed
  if age > trust.lasts or age < -CLOCKS then
    return errors.fail("refused", "the mission was signed at %s, and a signature counts for %d days: submit it again",
      os.date("!%Y-%m-%dT%H:%M:%SZ", record.signed), trust.lasts // 86400)
  end
  return true
end

return trust
