--- Artifacts by HTTP: each file is PUT to PREFIX/NAME/PATH. What gives access stands in a file, since others see
--- command lines: a token, headers, a query (a signature for a whole container of Azure's). A server may send on by 307
--- or 308 to an address of one file, such as object storage signs: that gets the file and none of the rest.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local artifact_files = require "deskpilot.fleet.artifact_files"
local endpoint = require "deskpilot.model.endpoint"
local http = require "deskpilot.net.http"
local secrets = require "deskpilot.model.secrets"
local text = require "deskpilot.base.text"

local artifact_http = {}

local TIMEOUT = { connect = 10, stall = 30, total = 600 } -- seconds
local MOST_ANSWER, MOST_ACCESS = 64 << 10, 64 << 10       -- bytes
local AGAIN = { [408] = true, [425] = true, [429] = true } -- and all of 500 and above
local LONGEST_PAUSE = 60                                   -- seconds that a server may ask for

---@class deskpilot.fleet.artifact_http : deskpilot.fleet.artifact_place
---@field prefix string
---@field access { headers: table<string, string>, query: string }
---@field ca_file string?
local Place = {}
Place.__index = Place

-- What a line of the access file adds.
local function read_line(access, line)
  local name, value = line:match "^([%w-]+): (.+)$"
  if line:sub(1, 1) == "?" then
    access.query = (access.query == "" and "?" or access.query .. "&") .. line:sub(2)
    secrets.register(line:sub(2))
    for _, secret in ipairs(endpoint.secrets(line)) do secrets.register(secret) end
  elseif name then
    access.headers[name] = text.trim(value)
    secrets.register(access.headers[name])
    secrets.register(access.headers[name]:match "^%a+ (%S+)$") -- the token in "Bearer TOKEN"
  elseif not line:find "[%s]" and not access.headers.Authorization then
    access.headers.Authorization = "Bearer " .. line
    secrets.register(line)
  else
    return false
  end
  return not line:find "[^\32-\126]"
end

--- Reads what gives access: a line with a token, with "Name: value" of a header, or with a query that begins with "?".
---@param path string?
---@return { headers: table<string, string>, query: string }? access, deskpilot.error? err
function artifact_http.access(path)
  local access = { headers = {}, query = "" }
  if not path then return access end
  local words, err = files.read(path, MOST_ACCESS)
  if not words then return nil, err end
  local count = 0
  for line in text.lines(words) do
    line = text.trim(line)
    if line ~= "" and not read_line(access, line) then
      return errors.fail("invalid", "%s has a line that is no token, no header (Name: value) and no query (?...)", path)
    end
    if line ~= "" then count = count + 1 end
  end
  if count > 0 then return access end
  return errors.fail("invalid", "%s is empty: it is to hold what gives access to artifacts", path)
end

--- Opens a place.
---@param prefix string
---@param access_file string?
---@param ca_file string?
---@return deskpilot.fleet.artifact_http? place, deskpilot.error? err invalid
function artifact_http.open(prefix, access_file, ca_file)
  local host, path = prefix:match "^https?://([^/?#%s]+)(.*)$"
  if not host or path:find "[#%s]" then
    return errors.fail("invalid", "artifacts cannot be sent to %s: an address is https://host/path",
      secrets.mask(prefix))
  end
  if host:find("@", 1, true) or path:find("?", 1, true) then
    return errors.fail("invalid", "others can see an address on a command line: put its user, password or query into a "
      .. "file (--token FILE of upload, --artifacts-token FILE of worker), as docs/fleet.md says")
  end
  local access, err = artifact_http.access(access_file)
  if not access then return nil, err end
  local parsed = endpoint.parse(prefix, "/")
  if access_file and not (parsed and parsed.is_private) then
    return errors.fail("invalid", "what gives access (%s) would go to %s unencrypted: use https", access_file, host)
  end
  return setmetatable({ prefix = text.without_end(prefix, "/"), access = access, ca_file = ca_file }, Place)
end

--- Where those of that name are, for people.
---@param name string
---@return string
function Place:address(name) return self.prefix .. "/" .. name end

--- Nothing is begun: a PUT makes what it needs.
---@return true
function Place:begin() return true end

local function encoded(path)
  return (path:gsub("[^%w._~/-]", function(c) return ("%%%02X"):format(c:byte()) end))
end

-- The error of an answer. `rest`: what else it is about: this file alone ("file"), or all of them ("place").
local function refusal(where, result)
  local status, said = result.status, text.cut(text.one_line(secrets.mask(result.body)), 200)
  local hint, rest = "", "place"
  if status == 401 or status == 403 then hint = ": what gives access (--token, --artifacts-token) is refused"
  elseif status == 404 then hint = ": there is no such place"
  elseif status == 409 then hint = ": a WebDAV server has to make folders by itself"
  elseif status == 405 or status == 501 then hint = ": that address takes no PUT"
  elseif status == 413 then hint, rest = ": the file is too large for it", "file"
  elseif status == 507 then hint = ": there is no room" end
  local err = errors.new("refused", "%s answered %d%s%s", where, status, hint, said ~= "" and " (" .. said .. ")" or "")
  if status < 500 and not AGAIN[status] or status == 501 then err.rest = rest end
  local pause = endpoint.retry_after(result.headers["retry-after"])
  err.pause = pause and math.min(pause, LONGEST_PAUSE)
  return err
end

local function put(self, url, headers, bytes)
  local made, result, err = pcall(http.request, { method = "PUT", url = url, headers = headers, body = bytes,
    timeout = TIMEOUT, max_bytes = MOST_ANSWER, ca_file = self.ca_file })
  if made then return result, err end
  if errors.interrupts(result) then error(result, 0) end
  return errors.fail("invalid", "%s", tostring(result))
end

-- An address that a server has named for a file.
local function sent_on(from, to)
  if type(to) == "string" and to:find "^https://" then return to end
  return type(to) == "string" and to:find "^http://" and from:find "^http://" and to or nil
end

--- Keeps a file.
---@param name string under which artifacts are kept
---@param path string of the file there
---@param bytes string
---@return true? ok, deskpilot.error? err `rest`: trying again is of no use, for this "file" or for all ("place");
---  `pause`: seconds that the server wants to be left alone
function Place:keep(name, path, bytes)
  local url = self.prefix .. "/" .. encoded(files.join(name, path))
  local headers = { ["Content-Type"] = artifact_files.type_of(path) }
  for header, value in pairs(self.access.headers) do headers[header] = value end
  local result, err = put(self, url .. self.access.query, headers, bytes)
  local where, on = self.prefix, false
  if result and (result.status == 307 or result.status == 308) then
    local to = sent_on(url, result.headers.location)
    if not to then
      return errors.fail("protocol", "%s answered %d without an address of https to go on to", where, result.status)
    end
    where, on = "the address that " .. self.prefix .. " has named", true
    result, err = put(self, to, { ["Content-Type"] = headers["Content-Type"] }, bytes)
  end
  if result and result.status >= 200 and result.status < 300 then return true end
  if result then err = refusal(where, result) end
  if on then err.rest = err.rest == "file" and "file" or nil end -- it may have been too old: the next one is new
  local told = errors.new(err.code, "%s", secrets.mask(tostring(err)))
  told.rest, told.pause = err.rest, err.pause
  return nil, told
end

return artifact_http
