--- How a connection to a server begins: it is asked as the revision without sessions has it, and by `initialize` where
--- it does not know that.
local errors = require "deskpilot.base.errors"
local protocol = require "deskpilot.mcp.protocol"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local greeting = {}

local probe = 5 -- seconds that a server has to answer what servers of older revisions need not know

-- Revisions that begin with `initialize` and whose tools are called in the same way.
local older = { ["2024-11-05"] = true }

-- The revisions of a list that are spoken here, the best one.
local function choose(list)
  local there = {}
  for _, name in ipairs(type(list) == "table" and list or {}) do
    if type(name) == "string" then there[name] = true end
  end
  for _, name in ipairs(protocol.revisions) do
    if there[name] then return name end
  end
end

local function no_common(self, list)
  local names = {}
  for i, name in ipairs(type(list) == "table" and list or {}) do
    if i <= 10 then names[i] = text.cut(text.one_line(tostring(name)), 20) end
  end
  return errors.fail("unsupported", "%s", ("%s speaks no revision of the protocol that is known here (%s): it has %s")
    :format(self.options.label, table.concat(protocol.revisions, ", "), #names > 0 and table.concat(names, ", ")
    or "none"))
end

local function keep_info(self, result, info)
  info = type(info) == "table" and info or {}
  self.capabilities = type(result.capabilities) == "table" and result.capabilities or {}
  self.info = { name = type(info.name) == "string" and text.cut(text.one_line(info.name), 100) or nil,
    version = type(info.version) == "string" and text.cut(text.one_line(info.version), 100) or nil }
  self.greeted = true
end

local function initialize(self, revision, timeout)
  self.stateless, self.revision = false, nil
  if self.http then self.transport.revision = nil end
  local result, err = self:request("initialize", { protocolVersion = revision, capabilities = { elicitation = {},
    roots = self.options.roots and {} or nil }, clientInfo = self.options.client }, { timeout = timeout })
  if not result then return nil, err end
  local agreed = result.protocolVersion
  local known, stateless = protocol.knows(agreed)
  if not (known and not stateless or older[agreed]) then return no_common(self, { agreed }) end
  self.revision = agreed
  keep_info(self, result, result.serverInfo)
  if self.http then self.transport.revision = agreed end
  local ok, why = self.transport:tell(protocol.notification("notifications/initialized"))
  if not ok then return nil, self:labelled(why) end
  if self.http then self.transport:listen() end
  return true
end

-- Asks as the revision without sessions has it: true; false where the server is of an older one; nil and an error.
local function discover(self, timeout)
  self.stateless, self.revision = true, protocol.STATELESS
  local result, err = self:request("server/discover", {}, { timeout = timeout })
  if result and type(result.supportedVersions) == "table" then
    local revision = choose(result.supportedVersions)
    if not revision then return no_common(self, result.supportedVersions) end
    if revision ~= protocol.STATELESS then return false, revision end
    local meta = type(result._meta) == "table" and result._meta or {}
    keep_info(self, result, meta[protocol.meta.server] or result.serverInfo)
    return true
  end
  if result then return false end -- one that says yes to everything
  if err.rpc == protocol.codes.unsupported_version then
    local list = type(err.rpc_data) == "table" and err.rpc_data.supported
    local revision = choose(list)
    if not revision then return no_common(self, list) end
    return revision == protocol.STATELESS and "again" or false, revision
  end
  if err.rpc and protocol.is_stateless_error(err.rpc) then return nil, err end
  local answered = err.rpc or err.status and err.status ~= 401 and err.status ~= 403
  if answered or errors.is(err, "timed_out") or err.ended or errors.is(err, "protocol") then return false end
  return nil, err
end

--- Agrees with a server on a revision.
---@param self deskpilot.mcp.connection
---@return boolean? ok, deskpilot.error? err
function greeting.greet(self)
  local options = self.options
  local until_then = task.now() + options.connect_timeout
  local function left() return math.max(0.1, until_then - task.now()) end
  if options.revision and options.revision ~= protocol.STATELESS then
    return initialize(self, options.revision, left())
  end
  local first = options.revision and left() or math.min(probe, left() / 2)
  local found, more = discover(self, first)
  if found == "again" then found, more = discover(self, left()) end
  if found == true or found == nil then return found, more end
  if found == "again" or options.revision then
    return errors.fail("unsupported", "%s does not speak revision %s", options.label, protocol.STATELESS)
  end
  if self.closed then -- a program that did not survive the question
    local ok, err = self:reach()
    if not ok then return nil, err end
  end
  return initialize(self, more or protocol.HANDSHAKE, left())
end

--- Asks for the stream on which a server without sessions tells of changes.
---@param self deskpilot.mcp.connection
function greeting.listen(self)
  local tools = self.capabilities.tools
  if not self.stateless or type(tools) ~= "table" or tools.listChanged ~= true then return end
  self.listener = task.start_for(nil, function()
    local day, wait_for = 86400, 1
    while not self.closed do
      local _, err = self:request("subscriptions/listen", { notifications = { toolsListChanged = true } },
        { timeout = day, most = day })
      if self.closed or err and (err.rpc or err.status) then return end
      task.sleep(wait_for)
      wait_for = math.min(2 * wait_for, 60)
    end
  end)
end

return greeting
