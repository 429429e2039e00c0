--- A client: which protocol it speaks and what it can do. One that began with `initialize` said so once, and answers
--- requests of ours; of the revision without sessions each request says it anew.
local call = require "deskpilot.cli.mcp.call"
local failure = require "deskpilot.cli.mcp.failure"
local protocol = require "deskpilot.mcp.protocol"

local client = {}

---@class deskpilot.mcp_client
---@field stateless boolean
---@field revision string
---@field capabilities table<string, any> untrusted
---@field log_level string? the least that it wants to hear of
---@field name string that it gives itself, for people; untrusted
local Client = {}
Client.__index = Client

local function name_of(info)
  local name = type(info) == "table" and info.name
  return type(name) == "string" and name or "an unnamed client"
end

local function table_or_empty(value)
  return type(value) == "table" and value or {}
end

--- The client of an `initialize` request, with the revision that is spoken from now on: its own where we have that.
---@param params table untrusted
---@return deskpilot.mcp_client
function client.by_handshake(params)
  local known, stateless = protocol.knows(params.protocolVersion)
  return setmetatable({ stateless = false, pending = {}, asked = 0, name = name_of(params.clientInfo),
    revision = known and not stateless and params.protocolVersion or protocol.HANDSHAKE,
    capabilities = table_or_empty(params.capabilities) }, Client)
end

--- The `_meta` of a request of the revision without sessions; nil where there is none.
---@param params table
---@return table?
function client.meta(params)
  local meta = params._meta
  return type(meta) == "table" and meta[protocol.meta.version] ~= nil and meta or nil
end

--- The client of a request of the revision without sessions. Raises a failure where its `_meta` is not as it has to be.
---@param params table untrusted
---@return deskpilot.mcp_client
function client.by_meta(params)
  local meta = table_or_empty(params._meta)
  local revision, capabilities = meta[protocol.meta.version], meta[protocol.meta.capabilities]
  if type(revision) ~= "string" or type(capabilities) ~= "table" then
    failure.raise(protocol.codes.invalid_params, ("the request's _meta needs %s and %s"):format(protocol.meta.version,
      protocol.meta.capabilities), nil, 400)
  end
  local _, stateless = protocol.knows(revision)
  if not stateless then
    failure.raise(protocol.codes.unsupported_version, "this revision of the protocol is not spoken here",
      { supported = protocol.revisions, requested = revision }, 400)
  end
  local level = meta[protocol.meta.log_level]
  return setmetatable({ stateless = true, revision = revision, capabilities = capabilities,
    log_level = call.is_level(level) and level or nil, name = name_of(meta[protocol.meta.client]) }, Client)
end

--- Sends a request of ours. `done` is called with the answer: { result = } or { error = { code, message } }.
---@param method string
---@param params table?
---@param send fun(line: string): boolean?
---@param done fun(answer: deskpilot.mcp.message)
---@return fun() stop the answer is not waited for any more
function Client:request(method, params, send, done)
  self.asked = self.asked + 1
  local id = ("deskpilot-%d"):format(self.asked)
  self.pending[id] = done
  send(protocol.request(id, method, params))
  return function() self.pending[id] = nil end
end

--- An answer to a request of ours has come. What nobody waits for is dropped.
---@param message deskpilot.mcp.message
function Client:answered(message)
  local done = self.pending and message.id and self.pending[message.id]
  if not done then return end
  self.pending[message.id] = nil
  done(message)
end

return client
