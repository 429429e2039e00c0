--- A server that is reached by HTTP ("Streamable HTTP"): each message is a POST of its own, whose answer is one message
--- or a stream of events with several. Servers that begin with `initialize` may also keep a stream open for what they
--- say by themselves (GET), and one that breaks off may be gone on with. Redirections are not followed, so that no
--- header of the configuration reaches another host.
local errors = require "deskpilot.base.errors"
local event_stream = require "deskpilot.net.event_stream"
local http = require "deskpilot.net.http"
local protocol = require "deskpilot.mcp.protocol"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local transport = {}

local most = { bytes = protocol.limits.bytes, lines = 1000000, events = 100000 }
local most_streamed = 2 ^ 30 // 1 -- bytes of a stream in all
local most_resumed = 5            -- times that an answer's stream may break off without having said anything
local most_posting = 50           -- answers of ours that are under way
local longest_wait = 30           -- seconds before a stream is asked for again, whatever the server says

---@class deskpilot.mcp.http
---@field url string
---@field revision string? once it is agreed on
---@field session string?
local Transport = {}
Transport.__index = Transport

--- A server at an address. Nothing is sent yet.
---@param options { url: string, headers: table<string, string>?, ca_file: string?, connect_timeout: number? }
---@param on_message fun(message: deskpilot.mcp.message)
---@return deskpilot.mcp.http
function transport.open(options, on_message)
  return setmetatable({ url = options.url, own_headers = options.headers or {}, ca_file = options.ca_file,
    connect_timeout = options.connect_timeout or 10, on_message = on_message, tasks = {},
    posting = 0 }, Transport)
end

local function headers_of(self, more)
  local all = {}
  for name, value in pairs(self.own_headers) do all[name] = value end
  all["Accept"] = "application/json, text/event-stream"
  if self.revision then all[protocol.headers.version] = self.revision end
  if self.session then all[protocol.headers.session] = self.session end
  for name, value in pairs(more or {}) do all[name] = value end
  return all
end

-- Takes the body of an answer as it comes: a stream's messages at once, anything else as a whole.
local function body_reader(self, about)
  local reader = { pieces = {}, size = 0, head = "" } -- head: what it begins with, for errors
  reader.events = event_stream.reader(function(data)
    if not data:find "%S" then return false end -- only an id to go on from
    local message = protocol.read(data)
    if not message then return false end
    if about.id and message.id == about.id and (message.kind == "result" or message.kind == "error") then
      reader.answered = true
    end
    if reader.answered and about.opens then -- who hears it goes on at once, with the session that is in the headers
      reader.opening = message
      return true
    end
    self.on_message(message)
    return reader.answered or self.closed
  end, most)
  function reader.feed(bytes)
    if #reader.head < 1000 then reader.head = (reader.head .. bytes):sub(1, 1000) end
    local first = bytes:match "^%s*(.)"
    if reader.whole == nil and first then reader.whole = first == "{" or first == "[" or first == "<" end
    if not reader.whole then return reader.events:feed(bytes) end
    reader.size = reader.size + #bytes
    if reader.size > protocol.limits.bytes then return true end
    reader.pieces[#reader.pieces + 1] = bytes
  end
  return reader
end

local function exchange(self, request, about)
  local reader = body_reader(self, about)
  request.url, request.ca_file, request.max_bytes = self.url, self.ca_file, most_streamed
  request.timeout = { connect = self.connect_timeout, total = request.total }
  request.total = nil
  local result, err = http.stream(request, reader.feed)
  if not result then return nil, err end
  local session = result.headers[protocol.headers.session]
  if about.opens and session and #session <= 1000 and not session:find "[^\33-\126]" then self.session = session end
  return result, reader
end

-- --- what an answer means -------------------------------------------------------------------------------------

local words_of_status = { [401] = "it asks for authorization (401)", [403] = "it forbids this (403)",
  [405] = "it takes no messages at this address (405)", [404] = "there is nothing at this address (404)" }

local function status_error(self, result, body)
  local status = result.status
  local words = words_of_status[status] or ("it answers with the status %d"):format(status)
  if status == 401 then
    words = words .. ": give it a token by headers_from (OAuth is not supported)"
  elseif status >= 300 and status < 400 then
    words = words .. ", a redirection, which is not followed: configure the address that it leads to"
  end
  local said = text.cut(text.one_line(body), 200)
  if status == 404 and self.session then words = "it no longer knows this session (404)" end
  local err = errors.new(status >= 500 and "unavailable" or "refused", "%s", words .. (said ~= "" and status ~= 401
    and (" (%s)"):format(said) or ""))
  err.status, err.session_lost = status, status == 404 and self.session ~= nil or nil
  return err
end

-- The message in a body that came whole. An error that could not name its request is that of this one.
local function deliver(self, about, result, body)
  local message, why = protocol.read(body)
  local is_error = message and message.kind == "error"
  if result.status >= 300 and not is_error then return status_error(self, result, body) end
  if not message then
    if not about.id then return nil end
    return errors.new("protocol", "its answer %s", why)
  end
  if is_error then
    message.status = result.status
    message.id = message.id or about.id
    if result.status == 404 and self.session and message.error.code ~= protocol.codes.method_not_found then
      return status_error(self, result, "")
    end
  end
  self.on_message(message)
end

local function pause(seconds) task.sleep(math.min(seconds, longest_wait)) end

-- Asks again for a stream that broke off, by the id of its last event.
local function resume(self, about, reader)
  local tries, id, retry = 0, reader.events.id, reader.events.retry
  while id and not self.closed do
    pause(retry or 1)
    local result, again = exchange(self, { method = "GET", headers = headers_of(self, { ["Last-Event-ID"] = id,
      ["Accept"] = "text/event-stream" }) }, about)
    if not result then return again end
    if again.answered then return nil end
    if result.status ~= 200 then return status_error(self, result, "") end
    local later = again.events.id
    tries = (later == nil or later == id) and tries + 1 or 0
    if tries >= most_resumed then break end
    id, retry = later or id, again.events.retry or retry
  end
  return errors.new("io", "the stream of its answer has ended without the answer")
end

-- Sends a message and takes what comes for it; what has gone wrong.
local function post(self, line, about)
  local headers = headers_of(self, about.headers)
  headers["Content-Type"] = "application/json"
  local result, reader = exchange(self, { method = "POST", headers = headers, body = line, total = about.total }, about)
  if not result then return reader end
  if reader.opening then self.on_message(reader.opening) end
  if reader.answered then return nil end
  if reader.size > protocol.limits.bytes then
    return errors.new("protocol", "its answer has more than %d bytes", protocol.limits.bytes)
  end
  if reader.whole then return deliver(self, about, result, table.concat(reader.pieces)) end
  reader.events:finish()
  if reader.answered then return nil end
  if result.status >= 300 then return status_error(self, result, reader.head) end
  if not about.id then return nil end
  if reader.events.why then return errors.new("protocol", "of the stream of its answer %s", reader.events.why) end
  if about.resumable then return resume(self, about, reader) end
  return errors.new("io", "its answer has ended without a message")
end

-- --- sending --------------------------------------------------------------------------------------------------

local function in_background(self, fn)
  local work
  work = task.start_for(nil, function()
    local closing <close> = setmetatable({}, { __close = function() self.tasks[work] = nil end })
    task.sleep(0) -- from here on a task of its own
    assert(closing)
    fn()
  end)
  self.tasks[work] = true
  return work
end

--- What is known of a message that is sent.
---@class deskpilot.mcp.http.about
---@field id deskpilot.mcp.id? of a request
---@field headers table<string, string>? what repeats its body
---@field opens boolean? whether a session begins with it
---@field resumable boolean? whether a stream that breaks off may be gone on with
---@field total number? seconds in all
---@field failed (fun(err: deskpilot.error))? called where there will be no answer

--- Sends a message. Does not wait: answers come by on_message.
---@param line string
---@param about deskpilot.mcp.http.about
---@return fun() cancel closes the connection of it
function Transport:send(line, about)
  local work = in_background(self, function()
    local err = post(self, line, about)
    if err and about.failed then about.failed(err) end
  end)
  return function() work:cancel "no longer wanted" end
end

--- Sends a message that has no answer, and waits until the server has taken it.
---@param line string
---@return boolean? ok, deskpilot.error? err
function Transport:tell(line)
  local err = post(self, line, { total = 30 })
  if err then return nil, err end
  return true
end

--- Sends a message that nobody waits for.
---@param line string
---@return boolean? ok, deskpilot.error? err where the server takes none of those before
function Transport:post(line)
  if self.posting >= most_posting then return errors.fail("protocol", "it asks without taking the answers") end
  self.posting = self.posting + 1
  in_background(self, function()
    local over <close> = setmetatable({}, { __close = function() self.posting = self.posting - 1 end })
    assert(over)
    post(self, line, { total = 30 })
  end)
  return true
end

--- Keeps a stream open for what the server says by itself, where it has one; asks for it again when it ends.
function Transport:listen()
  in_background(self, function()
    local wait, id = 1, nil
    while not self.closed do
      local began = task.now()
      local result, reader = exchange(self, { method = "GET", headers = headers_of(self, {
        ["Accept"] = "text/event-stream", ["Last-Event-ID"] = id }) }, {})
      if result and (result.status ~= 200 or reader.whole) then return end -- it has none
      if result then id = reader.events.id or id end
      wait = result and task.now() - began > longest_wait and 1 or math.min(2 * wait, longest_wait)
      pause(math.max(wait, result and reader.events.retry or 0))
    end
  end)
end

--- Ends everything, and the session where there is one: waits for that where it may, at most two seconds.
function Transport:close()
  if self.closed then return end
  self.closed = true
  local running = self.tasks
  self.tasks = {}
  for work in pairs(running) do work:cancel "the server is closed" end
  if self.session and task.may_wait() then
    http.request { method = "DELETE", url = self.url, headers = headers_of(self), ca_file = self.ca_file,
      timeout = { connect = 2, total = 2 }, max_bytes = 1 << 20 }
  end
end

return transport
