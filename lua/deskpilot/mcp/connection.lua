--- A connection to a server: which revision it speaks, requests with their answers, what the server asks meanwhile, and
--- what it tells. What a server says is untrusted.
local errors = require "deskpilot.base.errors"
local greeting = require "deskpilot.mcp.greeting"
local http = require "deskpilot.mcp.http"
local protocol = require "deskpilot.mcp.protocol"
local stdio = require "deskpilot.mcp.stdio"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local uv = require "luv"

local connection = {}

local most_untold = 20000   -- messages during one request that are not its answer

--- What a server may ask a client; nil and an error where there is no answer.
---@alias deskpilot.mcp.ask fun(method: string, params: table): table?, deskpilot.error?

---@class deskpilot.mcp.connection_options
---@field label string what the server is called in messages
---@field command string[]? a program, or
---@field url string? an address
---@field cwd string?
---@field env table<string, string>?
---@field headers table<string, string>?
---@field ca_file string?
---@field revision string? the one to speak, where the server is not to be asked
---@field connect_timeout number seconds until it has to be ready
---@field client { name: string, version: string }
---@field roots (fun(): table[])? what it may know of folders
---@field on_change fun(what: "tools"|"resources")? the server's list has changed
---@field on_end fun(err: deskpilot.error)? it has ended by itself

---@class deskpilot.mcp.connection
---@field revision string? once it is agreed on
---@field capabilities table the server's
---@field info { name: string?, version: string? } what it says of itself
local Connection = {}
Connection.__index = Connection

--- The error, with the server's name before its words.
---@param err deskpilot.error
---@return deskpilot.error err
function Connection:labelled(err)
  err.message = ("%s: %s"):format(self.options.label, err.message)
  return err
end

-- --- requests -------------------------------------------------------------------------------------------------

local codes = { [protocol.codes.method_not_found] = "unsupported", [protocol.codes.invalid_params] = "invalid",
  [protocol.codes.resource_not_found] = "not_found", [protocol.codes.header_mismatch] = "protocol",
  [protocol.codes.missing_capability] = "unsupported", [protocol.codes.unsupported_version] = "unsupported" }

local function error_of(self, message)
  local said = message.error
  local err = errors.new(codes[said.code] or "refused", "%s", ("%s answers with an error: %s (%d)"):format(
    self.options.label, text.cut(text.one_line(said.message), 500), said.code))
  err.rpc, err.rpc_data, err.status = said.code, said.data, message.status
  return err
end

local function capabilities(self)
  local form = self.revision ~= "2025-06-18" and self.revision ~= "2025-03-26" and { form = {} } or {}
  return { elicitation = form, roots = self.options.roots and {} or nil }
end

local function with_meta(self, params, id)
  local copy = {}
  for key, value in pairs(params) do copy[key] = value end
  local meta = { [protocol.meta.progress] = id }
  if self.stateless then
    meta[protocol.meta.version], meta[protocol.meta.client] = self.revision, self.options.client
    meta[protocol.meta.capabilities] = capabilities(self)
  end
  copy._meta = meta
  return copy
end

-- The headers that repeat a request's body, for revisions that have them.
local function headers_for(self, method, params, more)
  if not self.stateless then return nil end
  local headers = { [protocol.headers.version] = self.revision, [protocol.headers.method] = method }
  local name = protocol.named[method] and params[protocol.named[method]]
  if type(name) == "string" then headers[protocol.headers.name] = protocol.header_value(name) end
  for key, value in pairs(more or {}) do headers[protocol.headers.param .. key:lower()] = value end
  return headers
end

local function wake(pending)
  local waiter = pending.waiter
  pending.waiter = nil
  if waiter then waiter() end
end

local function settle(pending, result, err)
  if pending.over then return end
  pending.over, pending.result, pending.err = true, result, err
  wake(pending)
end

-- Waits until something has come for the request, or its time is over.
local function wait(pending)
  local left = math.min(pending.at, pending.last) - task.now()
  if left <= 0 then return end
  task.await(function(done)
    local timer = uv.new_timer()
    local function close() if not timer:is_closing() then timer:close() end end
    local function finish()
      pending.waiter = nil
      close()
      done()
    end
    pending.waiter = finish
    uv.update_time()
    timer:start(math.ceil(math.min(left, 1e6) * 1000), 0, finish)
    return function()
      pending.waiter = nil
      close()
    end
  end)
end

local function respond(self, id, result, err)
  local line = result and protocol.result(id, result) or protocol.failure(id, err and err.rpc
    or protocol.codes.internal, err and err.message or "there is no answer")
  local ok, why = self.transport:post(line)
  if not ok then self:fail(self:labelled(why)) end
end

-- What the server wants to know in the middle of a request is answered by whoever makes the request, whose time stands
-- still meanwhile.
local function answer_inbox(self, pending)
  while #pending.inbox > 0 and not pending.over do
    local asked = table.remove(pending.inbox, 1)
    local began = task.now()
    respond(self, asked.id, pending.ask(asked.method, asked.params))
    pending.at, pending.last = task.now() + pending.timeout, pending.last + task.now() - began
  end
end

local function cancel(self, pending)
  if self.closed then return end
  if pending.cancel then pending.cancel() end
  if self.http and self.stateless or not self.greeted then return end
  self.transport:post(protocol.notification("notifications/cancelled", { requestId = pending.id,
    reason = "no longer wanted" }))
end

local function send(self, pending, method, params, options)
  local line = protocol.request(pending.id, method, params)
  if not self.http then
    local ok, err = self.transport:send(line)
    if ok then return end
    err.unsent = errors.is(err, "io") -- it had ended before, which nobody has noticed yet
    return self:fail(self:labelled(err))
  end
  pending.cancel = self.transport:send(line, { id = pending.id, opens = method == "initialize",
    headers = headers_for(self, method, params, options.headers), resumable = not self.stateless,
    failed = function(err) settle(pending, nil, self:labelled(err)) end })
end

---@class deskpilot.mcp.request_options
---@field timeout number seconds without an answer or progress
---@field most number? seconds in all, whatever progress is told; ten times the timeout
---@field ask deskpilot.mcp.ask? answers what the server asks meanwhile
---@field on_progress (fun(progress: { progress: number, total: number?, message: string? }))?
---@field headers table<string, string>? a tool's arguments that are repeated in headers

--- Makes a request and waits for its answer. A request that is given up is cancelled.
---@param method string
---@param params table
---@param options deskpilot.mcp.request_options
---@return table? result
---@return deskpilot.error? err code "timed_out"; err.rpc: the server's own code; err.ended: it has ended meanwhile;
---  err.unsent: it had ended before
function Connection:request(method, params, options)
  if self.closed then return nil, self.closed end
  self.next_id = self.next_id + 1
  local id, now = self.next_id, task.now()
  local pending = { id = id, inbox = {}, timeout = options.timeout, at = now + options.timeout, untold = 0,
    last = now + (options.most or 10 * options.timeout), ask = options.ask, on_progress = options.on_progress }
  self.pending[id] = pending
  table.insert(self.order, pending)
  local leaving <close> = setmetatable({}, { __close = function()
    self.pending[id] = nil
    for i, other in ipairs(self.order) do
      if other == pending then table.remove(self.order, i) break end
    end
    if not pending.over then cancel(self, pending) end
  end })
  assert(leaving)
  if method ~= "initialize" then params = with_meta(self, params, id) end
  send(self, pending, method, params, options)
  while not pending.over and task.now() < math.min(pending.at, pending.last) do
    if #pending.inbox > 0 then answer_inbox(self, pending) else wait(pending) end
  end
  if pending.over then return pending.result, pending.err end
  return errors.fail("timed_out", "%s has not answered %s within %g s", self.options.label, method,
    task.now() >= pending.last and options.most or options.timeout)
end

-- --- what the server says -------------------------------------------------------------------------------------

local function on_answer(self, message)
  local pending = message.id ~= nil and self.pending[message.id]
  if not pending then return end -- of a request that was given up, or of none
  if message.kind == "error" then return settle(pending, nil, error_of(self, message)) end
  local kind = message.result.resultType
  if self.stateless and kind ~= nil and kind ~= "complete" and kind ~= "input_required" then
    return settle(pending, nil, errors.new("protocol", "%s gives a result of a type that is not known: %s",
      self.options.label, text.cut(text.one_line(tostring(kind)), 60)))
  end
  settle(pending, message.result)
end

-- The latest request whose maker can ask somebody.
local function asker(self)
  for i = #self.order, 1, -1 do
    if self.order[i].ask then return self.order[i] end
  end
end

local function on_request(self, message)
  if self.stateless then return end -- servers of that revision send none
  if message.method == "ping" then return respond(self, message.id, {}) end
  if message.method == "roots/list" and self.options.roots then
    return respond(self, message.id, { roots = self.options.roots() })
  end
  local pending = message.method == "elicitation/create" and asker(self)
  if pending and #pending.inbox < 10 then
    table.insert(pending.inbox, message)
    return wake(pending)
  elseif message.method == "elicitation/create" then
    return respond(self, message.id, { action = "cancel" })
  end
  respond(self, message.id, nil, { rpc = protocol.codes.method_not_found, message = "this client does not do that" })
end

local function on_progress(self, params)
  local pending = self.pending[params.progressToken]
  if not pending or type(params.progress) ~= "number" then return end
  pending.at = task.now() + pending.timeout
  if not pending.on_progress then return end
  pending.on_progress { progress = params.progress, total = type(params.total) == "number" and params.total or nil,
    message = type(params.message) == "string" and text.cut(text.one_line(params.message), 300) or nil }
end

local changes = { ["notifications/tools/list_changed"] = "tools",
  ["notifications/resources/list_changed"] = "resources" }

local function on_notification(self, message)
  if message.method == "notifications/progress" then return on_progress(self, message.params) end
  if changes[message.method] and self.options.on_change then self.options.on_change(changes[message.method]) end
end

-- A server that only talks, and never answers.
local function talks_too_much(self)
  local pending = self.order[#self.order]
  if not pending then return false end
  pending.untold = pending.untold + 1
  return pending.untold > most_untold
end

local function on_message(self, message)
  if self.closed then return end
  if message.kind == "result" or message.kind == "error" then return on_answer(self, message) end
  if talks_too_much(self) then
    return self:fail(errors.new("protocol", "%s: it has sent %d messages and no answer", self.options.label,
      most_untold))
  end
  if message.kind == "request" then on_request(self, message) else on_notification(self, message) end
end

--- Ends the connection with an error for whoever waits for an answer.
---@param err deskpilot.error
function Connection:fail(err)
  if self.closed then return end
  err.ended, self.closed = true, err
  local transport = self.transport -- whoever is told may open another one at once
  task.start_for(nil, function() transport:close() end)
  if self.greeted and self.options.on_end then self.options.on_end(err) end
  for _, pending in ipairs { table.unpack(self.order) } do settle(pending, nil, err) end
end

-- --- the beginning --------------------------------------------------------------------------------------------

--- Starts the program, or makes ready for the address. Whatever was known of the revision is forgotten.
---@return boolean? ok, deskpilot.error? err
function Connection:reach()
  local options = self.options
  self.stateless, self.revision = false, nil
  local function heard(message) on_message(self, message) end
  if options.url then
    self.http = true
    self.transport = http.open({ url = options.url, headers = options.headers, ca_file = options.ca_file,
      connect_timeout = options.connect_timeout }, heard)
    return true
  end
  local transport, err = stdio.open({ command = options.command, cwd = options.cwd, env = options.env }, heard,
    function(why) self:fail(self:labelled(why)) end)
  if not transport then return nil, self:labelled(err) end
  self.transport, self.closed = transport, nil
  return true
end

--- Connects to a server and agrees on a revision.
---@param options deskpilot.mcp.connection_options
---@return deskpilot.mcp.connection? connection, deskpilot.error? err
function connection.open(options)
  local self = setmetatable({ options = options, pending = {}, order = {}, next_id = 0, capabilities = {}, info = {} },
    Connection)
  local ok, err = self:reach()
  if not ok then return nil, err end
  local leaving <close> = setmetatable({}, { __close = function()
    if not self.greeted then self:close() end
  end })
  assert(leaving)
  ok, err = greeting.greet(self)
  if not ok then
    self:close()
    return nil, err
  end
  greeting.listen(self)
  return self
end

--- Ends the connection, and the program where there is one.
function Connection:close()
  if self.listener then self.listener:cancel "the server is closed" end
  self.closed = self.closed or errors.new("cancelled", "%s was closed", self.options.label)
  self.transport:close()
end

return connection
