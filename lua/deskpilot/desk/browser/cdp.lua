--- The Chrome DevTools protocol: calls and events over one connection to a browser, whose transport is a WebSocket
--- (endpoint.lua) or two pipes (pipe.lua). Each target (tab) has a session on that connection. Messages from the
--- browser are untrusted: an answer that cannot be read fails its call; any other malformed message ends the
--- connection.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local signal = require "deskpilot.base.signal"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local cdp = {}

--- Default timeout of a call, in seconds.
cdp.timeout = 10

--- The longest message that is accepted, in bytes. A screenshot of a large page has about ten million.
cdp.max_message = 100 * 1024 * 1024

--- What carries the messages. `send` may wait in a task; `close` may be called at any time.
---@class deskpilot.cdp_transport
---@field send fun(self: deskpilot.cdp_transport, bytes: string): boolean?, deskpilot.error?
---@field close fun(self: deskpilot.cdp_transport)

--- What a transport tells, from the loop. A message of more than max_message bytes ends it.
---@class deskpilot.cdp_listener
---@field max_message integer
---@field on_message fun(bytes: string)
---@field on_close fun(err: deskpilot.error) called once, if the transport ends and not by close()

---@class deskpilot.cdp_connection
---@field closed deskpilot.error? why it has ended; nil while it is open
local Connection = {}
Connection.__index = Connection

function Connection:__tostring()
  return self.closed and "connection to a browser (closed)" or "connection to a browser"
end

---@class deskpilot.cdp_session
---@field id string
---@field connection deskpilot.cdp_connection
---@field closed deskpilot.error? why it has ended; nil while it is open
local Session = {}
Session.__index = Session

function Session:__tostring()
  return ("session %s%s"):format(self.id, self.closed and " (closed)" or "")
end

-- --- incoming messages --------------------------------------------------------------------------------

local function short_text(value)
  return text.cut(text.one_line(tostring(value)), 300)
end

local codes = { [-32601] = "unsupported", [-32602] = "invalid", [-32001] = "not_found" }

-- The error for a call that the browser answers with an error.
local function refusal(call, answer)
  answer = type(answer) == "table" and answer or {}
  local message = short_text(answer.message or "no reason")
  local lower = message:lower()
  if lower:find("navigated or closed", 1, true) or lower:find("context was destroyed", 1, true) then
    return errors.new("cancelled", "the page was left or reloaded before %s was done", call.method)
  end
  local missing = lower:find("not find", 1, true) or lower:find("no target", 1, true)
    or lower:find("not found", 1, true) or lower:find("no node", 1, true)
  return errors.new(codes[answer.code] or missing and "not_found" or "refused", "%s",
    ("the browser refused %s: %s"):format(call.method, message))
end

local function finish(self, call, result, err)
  if call.ended then return end
  self.calls[call.id] = nil
  call.ended, call.result, call.err = true, result, err
  call.answered:notify()
end

-- Ends pending calls for which which(call) is true. The list is copied first, because a task that waits for a call
-- resumes at once and may begin others.
local function fail_calls(self, err, which)
  local list = {}
  for _, call in pairs(self.calls) do
    if which(call) then list[#list + 1] = call end
  end
  for _, call in ipairs(list) do finish(self, call, nil, err) end
end

local function take_answer(self, message)
  local call = self.calls[message.id]
  if not call then return end -- the caller has stopped waiting
  if message.error ~= nil then return finish(self, call, nil, refusal(call, message.error)) end
  if type(message.result) ~= "table" then
    return finish(self, call, nil, errors.new("protocol", "the browser's answer to %s has no result", call.method))
  end
  finish(self, call, message.result)
end

local function handlers_of(self, method, session_id)
  local of_session = self.handlers[session_id or ""]
  return of_session and of_session[method] or {}
end

local function take_event(self, message)
  local params = type(message.params) == "table" and message.params or {}
  local session_id = type(message.sessionId) == "string" and message.sessionId or nil
  local list = { table.unpack(handlers_of(self, message.method, session_id)) } -- handlers may change the list
  for _, handler in ipairs(list) do handler(params) end
end

local function take(self, bytes)
  local message = json.decode(bytes)
  if type(message) ~= "table" then
    local call = self.calls[math.tointeger(tonumber(bytes:match('^{"id":(%d+)[,}]')))]
    if not call then error("a message that is not a JSON object", 0) end
    return finish(self, call, nil, errors.new("protocol", "the browser's answer to %s cannot be read (it may be "
      .. "nested too deeply)", call.method))
  end
  if message.id ~= nil then return take_answer(self, message) end
  if type(message.method) ~= "string" then error("a message without id and method", 0) end
  take_event(self, message)
end

-- --- the end ------------------------------------------------------------------------------------------

local function end_session(session, err)
  if session.closed then return end
  session.closed = err
  session.connection.handlers[session.id] = nil
  session.connection.sessions[session.id] = nil
  session:interrupt(err)
  for _, listener in ipairs({ table.unpack(session.end_listeners) }) do listener(err) end
end

local function lost(self, err)
  if self.closed then return end
  self.closed = err
  local listeners, sessions = self.close_listeners, {}
  self.close_listeners = {}
  for _, session in pairs(self.sessions) do sessions[#sessions + 1] = session end
  for _, listener in ipairs(listeners) do listener(err) end
  for _, session in ipairs(sessions) do end_session(session, err) end
  fail_calls(self, err, function() return true end) -- last, because waiting tasks resume at once
end

local function lost_by(err)
  return errors.new("unavailable", "%s", "the connection to the browser is lost"
    .. (err and ": " .. short_text(err) or ""))
end

-- Called from the loop for each message. A malformed one ends the connection.
local function on_message(self, bytes)
  if self.closed then return end
  local ok, why = pcall(take, self, bytes)
  if ok then return end
  local err = errors.new("protocol", "the browser sent a malformed message: %s", short_text(why))
  self.transport:close()
  lost(self, err)
end

--- Connects to a browser.
---@param open fun(listener: deskpilot.cdp_listener): deskpilot.cdp_transport?, deskpilot.error?
---@return deskpilot.cdp_connection? connection, deskpilot.error? err
function cdp.connect(open)
  local self = setmetatable({ calls = {}, handlers = {}, sessions = {}, close_listeners = {}, last_id = 0 },
    Connection)
  local err
  self.transport, err = open { max_message = cdp.max_message,
    on_message = function(bytes) on_message(self, bytes) end,
    on_close = function(why) lost(self, lost_by(why)) end }
  if not self.transport then return nil, err end
  self:on("Target.detachedFromTarget", nil, function(params)
    local session = self.sessions[params.sessionId]
    if session then end_session(session, errors.new("not_found", "the tab has been closed")) end
  end)
  return self
end

--- Closes the connection. A browser on a WebSocket keeps running, one on pipes ends. A second call does nothing.
function Connection:close()
  if self.closed then return end
  lost(self, errors.new("unavailable", "the connection to the browser has been closed"))
  self.transport:close()
end

--- Calls fn(err) when the connection is lost or closed.
---@param fn fun(err: deskpilot.error) called from the loop: it may not wait
function Connection:on_close(fn)
  table.insert(self.close_listeners, fn)
end

-- --- calls --------------------------------------------------------------------------------------------

---@class deskpilot.cdp_call
---@field method string
local Call = {}
Call.__index = Call

function Call:__tostring()
  return "call of " .. self.method
end

--- Sends a call without waiting for its answer, so that several calls can be pending; Call:wait waits for the answer.
---@param method string
---@param params table?
---@param options { session: string? }?
---@return deskpilot.cdp_call? call, deskpilot.error? err
function Connection:begin(method, params, options)
  if self.closed then return nil, self.closed end
  local id = self.last_id + 1
  self.last_id = id
  local call = setmetatable({ id = id, method = method, connection = self, answered = signal.new(),
    session = options and options.session }, Call)
  self.calls[id] = call
  local message = json.encode { id = id, method = method, params = params, sessionId = call.session }
  local ok, err = self.transport:send(message)
  if ok or call.ended then return call end
  self.calls[id] = nil
  return nil, self.closed or lost_by(err)
end

--- Waits for the answer.
---@param timeout number? seconds; default cdp.timeout
---@return table? result, deskpilot.error? err
function Call:wait(timeout)
  timeout = timeout or cdp.timeout
  local guard <close> = setmetatable({}, { __close = function() self.connection.calls[self.id] = nil end })
  assert(guard)
  if self.answered:wait_until(timeout, function() return self.ended end) then return self.result, self.err end
  return errors.fail("timed_out", "the browser did not answer %s within %g s", self.method, timeout)
end

--- Waits for the answers to calls that have been begun, for so long in all.
---@param calls deskpilot.cdp_call[]
---@param seconds number
---@return boolean answered whether all of them were, and without an error
function cdp.wait_all(calls, seconds)
  local all, limit = true, task.now() + seconds
  for _, call in ipairs(calls) do all = call:wait(math.max(limit - task.now(), 0)) ~= nil and all end
  return all
end

--- Calls a method of the browser, or of a session, and waits for its answer.
---@param method string such as "Target.getTargets"
---@param params table?
---@param options { session: string?, timeout: number? }?
---@return table? result, deskpilot.error? err
function Connection:call(method, params, options)
  local call, err = self:begin(method, params, options)
  if not call then return nil, err end
  return call:wait(options and options.timeout)
end

local function remove(list, fn)
  for i, listener in ipairs(list) do
    if listener == fn then return table.remove(list, i) end
  end
end

--- Calls fn(params) for every event of that name.
---@param method string such as "Target.targetCreated"
---@param session_id string? whose events; without it those of the browser itself
---@param fn fun(params: table) called from the loop: it may not wait
---@return fun() off removes the handler
function Connection:on(method, session_id, fn)
  local key = session_id or ""
  self.handlers[key] = self.handlers[key] or {}
  local list = self.handlers[key][method] or {}
  self.handlers[key][method] = list
  list[#list + 1] = fn
  return function() remove(list, fn) end
end

-- --- sessions -----------------------------------------------------------------------------------------

--- The session with an id that the browser has announced.
---@param id string
---@return deskpilot.cdp_session
function Connection:adopt(id)
  local session = self.sessions[id]
  if not session then
    session = setmetatable({ id = id, connection = self, end_listeners = {} }, Session)
    self.sessions[id] = session
  end
  return session
end

--- Attaches to a target.
---@param target_id string
---@return deskpilot.cdp_session? session, deskpilot.error? err
function Connection:session(target_id)
  local result, err = self:call("Target.attachToTarget", { targetId = target_id, flatten = true })
  if not result then return nil, err end
  if type(result.sessionId) ~= "string" then return errors.fail("protocol", "the browser gave no session") end
  return self:adopt(result.sessionId)
end

--- Sends a call without waiting for its answer. While the session is blocked (see block), it fails at once.
---@param method string
---@param params table?
---@return deskpilot.cdp_call? call, deskpilot.error? err
function Session:begin(method, params)
  if self.closed then return nil, self.closed end
  local blocked = self.blocked
  if blocked and not blocked.passes[method] then return nil, blocked.err end
  return self.connection:begin(method, params, { session = self.id })
end

--- Calls a method and waits for its answer.
---@param method string such as "Page.navigate"
---@param params table?
---@param timeout number? seconds; default cdp.timeout
---@return table? result, deskpilot.error? err
function Session:call(method, params, timeout)
  local call, err = self:begin(method, params)
  if not call then return nil, err end
  return call:wait(timeout)
end

--- Calls fn(params) for every event of that name in this session.
---@param method string
---@param fn fun(params: table) called from the loop: it may not wait
---@return fun() off removes the handler
function Session:on(method, fn)
  return self.connection:on(method, self.id, fn)
end

--- Calls fn(err) when the session ends, because its target has been closed or the connection has ended.
---@param fn fun(err: deskpilot.error) called from the loop: it may not wait
---@return fun() off removes the listener
function Session:on_end(fn)
  table.insert(self.end_listeners, fn)
  return function() remove(self.end_listeners, fn) end
end

--- Waits for an event that arrives after this call.
---@param method string
---@param predicate (fun(params: table): boolean?)? which event; without it the first
---@param timeout number? seconds; default cdp.timeout
---@return table? params, deskpilot.error? err
function Session:wait(method, predicate, timeout)
  timeout = timeout or cdp.timeout
  local changed, found = signal.new(), nil
  local off = self:on(method, function(params)
    if not found and (not predicate or predicate(params)) then
      found = params
      changed:notify()
    end
  end)
  local off_end = self:on_end(function() changed:notify() end)
  local guard <close> = setmetatable({}, { __close = function()
    off()
    off_end()
  end })
  assert(guard)
  local function over() return found or self.closed end
  if changed:wait_until(timeout, over) and found then return found end
  if self.closed then return nil, self.closed end
  return errors.fail("timed_out", "%s did not come within %g s", method, timeout)
end

--- Fails all pending calls of this session, because the browser will not answer them.
---@param err deskpilot.error
---@param passes table<string, boolean>? methods whose calls are left alone
function Session:interrupt(err, passes)
  fail_calls(self.connection, err, function(call)
    return call.session == self.id and not (passes and passes[call.method])
  end)
end

--- Blocks the session: pending and future calls fail at once with this error. A call without an error unblocks it.
---@param err deskpilot.error?
---@param passes table<string, boolean>? methods that are still permitted
function Session:block(err, passes)
  self.blocked = err and { err = err, passes = passes or {} } or nil
  if err then self:interrupt(err, passes) end
end

return cdp
