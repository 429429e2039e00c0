--- A client's request while it is worked on: a task of its own that can be cancelled, tells of its progress, and may
--- ask the client something in between. How it asks depends on the protocol. A client that began with `initialize` is
--- sent a request of ours and answers it. The revision without sessions has no such requests: the client's own request
--- ends with what is wanted (`input_required`), and it comes again with the answers and `requestState`, by which the
--- call that waits is found. Nothing of the call is in that state but a random name: the call stays here, where it was.
local errors = require "deskpilot.base.errors"
local failure = require "deskpilot.cli.mcp.failure"
local protocol = require "deskpilot.mcp.protocol"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local uv = require "luv"

local call = {}

--- Seconds.
call.timing = {
  heartbeat = 5, -- between two words of progress while nothing else is told
  answer = 120,  -- for an answer of the client's user
}

local longest = 1000 -- characters of a message of progress

---@class deskpilot.mcp_call
---@field server deskpilot.mcp_server
---@field client deskpilot.mcp_client who asks
---@field method string
---@field params table untrusted
---@field send (fun(line: string): boolean?)? a message to the client before the answer; nil where there is no way
---@field token string? under which it waits for answers
local Call = {}
Call.__index = Call

--- What the client has to be able to do for each of our requests.
local capability_of = { ["elicitation/create"] = "elicitation", ["sampling/createMessage"] = "sampling",
  ["roots/list"] = "roots" }

--- A new call. Nothing runs yet.
---@param server deskpilot.mcp_server
---@param client deskpilot.mcp_client
---@param message deskpilot.mcp.message
---@param send (fun(line: string): boolean?)?
---@return deskpilot.mcp_call
function call.new(server, client, message, send)
  return setmetatable({ server = server, client = client, method = message.method, params = message.params,
    send = send, began = task.now(), latest = task.now() }, Call)
end

-- --- its end --------------------------------------------------------------------------------------------------

-- Tells whoever waits for it what has become of the call: a result, a failure, or what it wants to know.
function Call:settle(outcome)
  local waiter = self.waiter
  self.waiter = nil
  if waiter then waiter(outcome) else self.outcome = outcome end
end

local function beat(self)
  while true do
    task.sleep(call.timing.heartbeat)
    local seconds = task.now() - self.began
    if not self.told and task.now() - self.latest >= call.timing.heartbeat - 0.1 then
      self:tell(seconds // 1, nil, self.status or "at work")
    end
  end
end

--- Starts the work, as if `owner` had started it.
---@param owner deskpilot.task
---@param fn fun(call: deskpilot.mcp_call): table the result
function Call:start(owner, fn)
  self.work = task.start_for(owner, function()
    task.sleep(0) -- from here on resumed by the loop, so that it can be cancelled
    if self:progress_token() then task.start(beat, self) end
    local ok, result = xpcall(fn, function(err) return failure.is(err) and err or errors.traceback(err) end, self)
    if self.cancelled then error(result, 0) end
    self:settle(ok and { result = result } or { failure = failure.of(result) })
  end)
end

--- Waits until the call has ended or wants to know something. Where whoever waits is cancelled, so is the call.
---@return { result: table?, failure: deskpilot.mcp_failure?, wanted: table<string, table>?, state: string? } outcome
function Call:next_outcome()
  if self.outcome then
    local outcome = self.outcome
    self.outcome = nil
    return outcome
  end
  return task.await(function(done)
    self.waiter = done
    return function()
      self.waiter = nil
      self:cancel("the client has cancelled it")
    end
  end)
end

--- Ends the work wherever it is. Nobody is told.
---@param why string
function Call:cancel(why)
  self.cancelled = true
  if self.token then self.server.waiting[self.token] = nil end
  if self.work then self.work:cancel(why) end
end

-- --- words before the end -------------------------------------------------------------------------------------

--- The token under which the client wants to hear of progress; nil where it does not.
---@return string|integer|nil
function Call:progress_token()
  local meta = self.params._meta
  local token = type(meta) == "table" and meta[protocol.meta.progress]
  return self.send and (type(token) == "string" or math.type(token) == "integer") and token or nil
end

function Call:tell(done, total, message)
  local token = self:progress_token()
  if not token then return end
  self.latest = task.now()
  self.send(protocol.notification("notifications/progress", { progressToken = token, progress = done, total = total,
    message = message and text.cut(text.one_line(message), longest) }))
end

--- Tells how far the work is. The numbers of one call must grow.
---@param done number
---@param total number?
---@param message string?
function Call:progress(done, total, message)
  self.told = true
  self:tell(done, total, message)
end

local levels = {}
for i, name in ipairs { "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency" } do
  levels[name] = i
end

--- Whether a word is a level of log messages.
---@param level any
---@return boolean
function call.is_level(level)
  return levels[level] ~= nil
end

--- Sends a log message, where the client wants those of that level.
---@param level "debug"|"info"|"notice"|"warning"|"error"
---@param message string
function Call:log(level, message)
  local least = levels[self.client.log_level]
  if not (self.send and least and levels[level] >= least) then return end
  self.send(protocol.notification("notifications/message", { level = level, logger = "deskpilot",
    data = text.cut(message, longest) }))
end

-- --- questions ------------------------------------------------------------------------------------------------

--- Whether the client says that it can do something: "elicitation", "sampling", "roots".
---@param capability string
---@return boolean
function Call:has(capability)
  return type(self.client.capabilities[capability]) == "table"
end

--- Fails the call unless the client can do that.
---@param capability string
function Call:need(capability)
  if self:has(capability) then return end
  failure.raise(self.client.stateless and protocol.codes.missing_capability or protocol.codes.invalid_request,
    ("this needs a client with the capability %s"):format(capability),
    { requiredCapabilities = { [capability] = {} } }, 400)
end

-- Of the answers that the client has sent along, those that are asked for and are answers at all.
local function take(self, requests, answers)
  local given = self.params.inputResponses
  for key in pairs(type(given) == "table" and requests or {}) do
    if answers[key] == nil and type(given[key]) == "table" then answers[key] = given[key] end
  end
end

local function missing(requests, answers)
  local left = {}
  for key, request in pairs(requests) do
    if answers[key] == nil then left[key] = request end
  end
  return next(left) and left or nil
end

-- Waits until the client's request has come again. Whether it has.
local function await_retry(self, wanted, seconds)
  self.token = text.hex(uv.random(16))
  self.server.waiting[self.token] = self
  self.send = nil -- the client's request is over: there is nothing to be said of it before it comes again
  self:settle { wanted = wanted, state = self.token }
  return task.limit(seconds, task.await, function(done)
    self.resume = done
    return function() self.resume = nil end
  end)
end

local function ask_by_result(self, requests, seconds)
  local answers, limit = {}, task.now() + seconds
  take(self, requests, answers)
  local left = missing(requests, answers)
  while left do
    local again = await_retry(self, left, limit - task.now())
    if self.token then self.server.waiting[self.token] = nil end
    self.token = nil
    if not again or self.displaced then
      return errors.fail("timed_out", self.displaced and "the client has asked for something else instead of answering"
        or "nobody has answered within %g s", seconds)
    end
    take(self, requests, answers)
    left = missing(requests, answers)
  end
  return answers
end

local function ask_by_requests(self, requests, seconds)
  if not self.send then
    return errors.fail("unavailable", "the client takes no requests while it waits for an answer")
  end
  local answers = {}
  for _, key in ipairs(text.keys(requests)) do
    local request = requests[key]
    local in_time, answer = task.limit(seconds, task.await, function(done)
      return self.client:request(request.method, request.params, self.send, done)
    end)
    if not in_time then return errors.fail("timed_out", "nobody has answered within %g s", seconds) end
    if answer.error then return errors.fail("refused", "the client says: %s", text.one_line(answer.error.message)) end
    answers[key] = answer.result
  end
  return answers
end

--- Asks the client, and waits. Fails the call where the client cannot do what is asked for (`has` tells).
---@param requests table<string, { method: string, params: table? }> by names of the caller's choice
---@param seconds number? call.timing.answer
---@return table<string, table>? answers by the same names; untrusted
---@return deskpilot.error? err code "timed_out", "refused" or "unavailable"
function Call:ask(requests, seconds)
  for _, request in pairs(requests) do self:need(capability_of[request.method]) end
  seconds = seconds or call.timing.answer
  if self.client.stateless then return ask_by_result(self, requests, seconds) end
  return ask_by_requests(self, requests, seconds)
end

--- The client's request has come again, with answers: the call goes on.
---@param client deskpilot.mcp_client
---@param params table
---@param send (fun(line: string): boolean?)?
function Call:go_on(client, params, send)
  self.client, self.params, self.send = client, params, send
  local resume = self.resume
  self.resume = nil
  if resume then resume() end
end

--- Another call wants what this one keeps while it waits for answers: it has to do without them.
function Call:displace()
  self.displaced = true
  self:go_on(self.client, self.params, nil)
end

return call
