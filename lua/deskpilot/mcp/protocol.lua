--- The Model Context Protocol as both of its sides speak it: the names of its revisions, its error codes, and its
--- JSON-RPC messages, read with limits and written as one line. No transport and no state is in here.
local json = require "deskpilot.base.json"
local native = require "native.image"
local text = require "deskpilot.base.text"

local protocol = {}

--- The revision without sessions: every request says what it needs in its `_meta`, and `server/discover` says what a
--- server is.
protocol.STATELESS = "2026-07-28"
--- The newest revision that begins with `initialize`.
protocol.HANDSHAKE = "2025-11-25"
--- The revisions that are spoken, the newest first.
protocol.revisions = { protocol.STATELESS, protocol.HANDSHAKE, "2025-06-18", "2025-03-26" }

--- Whether a revision is one that is spoken; and whether it is the one without sessions.
---@param revision any
---@return boolean spoken, boolean stateless
function protocol.knows(revision)
  for _, name in ipairs(protocol.revisions) do
    if name == revision then return true, name == protocol.STATELESS end
  end
  return false, false
end

--- The keys of `_meta` that are the protocol's own.
protocol.meta = {
  version = "io.modelcontextprotocol/protocolVersion",
  client = "io.modelcontextprotocol/clientInfo",
  capabilities = "io.modelcontextprotocol/clientCapabilities",
  log_level = "io.modelcontextprotocol/logLevel",
  server = "io.modelcontextprotocol/serverInfo",
  subscription = "io.modelcontextprotocol/subscriptionId",
  progress = "progressToken",
}

--- Codes of error answers.
protocol.codes = {
  parse = -32700,               -- what came is no JSON
  invalid_request = -32600,     -- it is JSON and no request
  method_not_found = -32601,
  invalid_params = -32602,      -- an unknown tool or resource as well, and a request without its `_meta`
  internal = -32603,
  resource_not_found = -32002,  -- in the revisions before 2026-07-28
  header_mismatch = -32020,     -- the headers of an HTTP request say something else than its body
  missing_capability = -32021,  -- data.requiredCapabilities says what the client did not offer
  unsupported_version = -32022, -- data.supported says which revisions the server has
}

--- Whether an error code is one that only a server of the revision without sessions sends.
---@param code integer
---@return boolean
function protocol.is_stateless_error(code)
  return code <= protocol.codes.header_mismatch and code >= -32099
end

-- --- reading ----------------------------------------------------------------------------------------------

--- What a message may cost: pictures come as base64 in it.
---@type deskpilot.json.limits
protocol.limits = { bytes = 32 * 1024 * 1024, values = 200000, depth = 50 }

---@alias deskpilot.mcp.id string|integer

---@class deskpilot.mcp.message
---@field kind "request"|"notification"|"result"|"error"
---@field id deskpilot.mcp.id? nil for a notification, and for an error about what could not be read
---@field method string? of a request or a notification
---@field params table? of those; {} where there are none
---@field result table? of a result
---@field error { code: integer, message: string, data: any }? of an error; the message is cut to 2,000 characters

local function is_id(value)
  return type(value) == "string" and #value <= 1000 or math.type(value) == "integer"
end

local function is_object(value)
  return type(value) == "table" and (#value == 0)
end

local readers = {}

function readers.call(value)
  if type(value.method) ~= "string" or #value.method > 200 then return nil, "its method is no name" end
  if value.params ~= nil and not is_object(value.params) then return nil, "its params are no object" end
  if value.id ~= nil and not is_id(value.id) then return nil, "its id is neither a text nor a whole number" end
  return { kind = value.id ~= nil and "request" or "notification", id = value.id, method = value.method,
    params = value.params or {} }
end

function readers.result(value)
  if not is_id(value.id) then return nil, "it is an answer without an id" end
  if not is_object(value.result) then return nil, "its result is no object" end
  return { kind = "result", id = value.id, result = value.result }
end

function readers.error(value)
  local err = value.error
  if value.id ~= nil and not is_id(value.id) then return nil, "its id is neither a text nor a whole number" end
  if not is_object(err) or math.type(err.code) ~= "integer" or type(err.message) ~= "string" then
    return nil, "its error has no code and message"
  end
  return { kind = "error", id = value.id,
    error = { code = err.code, message = text.cut(err.message, 2000), data = err.data } }
end

--- Reads one message. Nothing in it has been checked but that it is a message: params and results are untrusted.
---@param line string its JSON
---@param most deskpilot.json.limits? default: protocol.limits
---@return deskpilot.mcp.message?
---@return string? why nil, the end of a sentence about the message
---@return integer? code protocol.codes.parse or .invalid_request, for whoever answers requests
---@return deskpilot.mcp.id? id of a message that is none, where it can be told: the answer carries it
function protocol.read(line, most)
  local value, why = json.decode(line, most or protocol.limits)
  if value == nil then return nil, "is no JSON that can be read: " .. text.cut(why, 200), protocol.codes.parse end
  local message
  if not is_object(value) or value.jsonrpc ~= "2.0" then
    why = "it is no JSON-RPC 2.0 object"
  elseif value.method ~= nil then message, why = readers.call(value)
  elseif value.error ~= nil then message, why = readers.error(value)
  elseif value.result ~= nil then message, why = readers.result(value)
  else why = "it has neither a method nor a result nor an error" end
  if message then return message end
  local id = type(value) == "table" and is_id(value.id) and value.id or nil
  return nil, "is no message: " .. why, protocol.codes.invalid_request, id
end

-- --- writing ----------------------------------------------------------------------------------------------

local order = { "jsonrpc", "id", "method", "params", "result", "error" }

local function line(message)
  message.jsonrpc = "2.0"
  return json.encode(json.ordered(message, order))
end

--- A request, as one line without its end. Raises for params that JSON cannot hold.
---@param id deskpilot.mcp.id
---@param method string
---@param params table?
---@return string
function protocol.request(id, method, params)
  return line { id = id, method = method, params = params }
end

--- A notification, as one line without its end.
---@param method string
---@param params table?
---@return string
function protocol.notification(method, params)
  return line { method = method, params = params }
end

--- The answer to a request, as one line without its end.
---@param id deskpilot.mcp.id
---@param result table
---@return string
function protocol.result(id, result)
  return line { id = id, result = result }
end

--- An error answer, as one line without its end.
---@param id deskpilot.mcp.id? nil where the request's could not be read
---@param code integer one of protocol.codes
---@param message string
---@param data any
---@return string
function protocol.failure(id, code, message, data)
  return line { id = id, error = { code = code, message = message, data = data } }
end

-- --- lines on a pipe --------------------------------------------------------------------------------------

---@class deskpilot.mcp.lines
---@field limit integer
local Lines = {}
Lines.__index = Lines

--- Cuts bytes into lines, one message each, for whoever reads a pipe by hand.
---@param limit integer? most bytes of a line; default: protocol.limits.bytes
---@return deskpilot.mcp.lines
function protocol.lines(limit)
  return setmetatable({ limit = limit or protocol.limits.bytes, parts = {}, size = 0 }, Lines)
end

local function take(self, piece)
  local whole = table.concat(self.parts) .. piece
  self.parts, self.size = {}, 0
  if self.skipping then
    self.skipping = nil
    return false
  end
  return (whole:gsub("\r$", ""))
end

--- Takes bytes as they come, and gives the lines that are complete with them; empty ones are left out. A line of more
--- than the limit is `false` in the list, and nothing of it is kept.
---@param bytes string
---@return (string|false)[]
function Lines:feed(bytes)
  local found, from = {}, 1
  while true do
    local at = bytes:find("\n", from, true)
    if self.size + (at or #bytes + 1) - from > self.limit then
      self.parts, self.size, self.skipping = {}, 0, true
    end
    if not at then break end
    local complete = take(self, self.skipping and "" or bytes:sub(from, at - 1))
    if complete ~= "" then found[#found + 1] = complete end
    from = at + 1
  end
  if not self.skipping and from <= #bytes then
    self.parts[#self.parts + 1] = bytes:sub(from)
    self.size = self.size + #bytes - from + 1
  end
  return found
end

-- --- HTTP -------------------------------------------------------------------------------------------------

--- The header's name of each thing that HTTP repeats of a request's body, in lower case.
protocol.headers = {
  version = "mcp-protocol-version",
  session = "mcp-session-id", -- of the revisions that begin with `initialize`
  method = "mcp-method",
  name = "mcp-name",          -- params.name or params.uri of the methods in protocol.named
  param = "mcp-param-",       -- the beginning of one for a tool's argument whose schema says so
}

--- The methods whose HTTP requests carry a name, and where it is in their params.
protocol.named = { ["tools/call"] = "name", ["prompts/get"] = "name", ["resources/read"] = "uri" }

local PREFIX, SUFFIX = "=?base64?", "?="

local function is_encoded(value)
  return #value >= #PREFIX + #SUFFIX and value:sub(1, #PREFIX) == PREFIX and value:sub(-#SUFFIX) == SUFFIX
end

--- A text as the value of a header: itself where that is plain ASCII, else in base64 between marks.
---@param value string
---@return string
function protocol.header_value(value)
  local plain = not value:find("[^\32-\126]") and value == text.trim(value) and not is_encoded(value)
  return plain and value or PREFIX .. native.base64(value) .. SUFFIX
end

--- The text that a header's value stands for.
---@param value string
---@return string? nil for base64 that is none
function protocol.header_text(value)
  if not is_encoded(value) then return value end
  local ok, decoded = pcall(native.from_base64, value:sub(#PREFIX + 1, -#SUFFIX - 1))
  return ok and decoded or nil
end

return protocol
