--- NATS's protocol without a connection: bytes of the server go in, what they say comes out, and what is said to it is
--- made into bytes. Everything from the server is untrusted: lines, headers and messages have limits, and what is no
--- word of the protocol is an error. A message whose headers cannot be read comes without them, since they are another
--- client's, whom this connection is not to end by.
local json = require "deskpilot.base.json"

local nats_protocol = {}

--- Bytes of a line of the server's; its greeting is the longest.
nats_protocol.most_line = 65536
--- Bytes of a message with its headers, as NATS has them at most.
nats_protocol.most_message = 64 << 20
--- Bytes of a subject.
nats_protocol.most_subject = 1024

local MOST_HEADERS = 64
local MOST_ID = 0x7fffffff
local GREETING = { bytes = nats_protocol.most_line, values = 2000, depth = 8 }

-- --- what the server says ----------------------------------------------------------------------------------------

---@class deskpilot.nats_protocol.word
---@field kind "info"|"ping"|"pong"|"ok"|"error"|"message"
---@field info table? of the greeting
---@field words string? of the error
---@field id integer? of the message's subscription
---@field message deskpilot.nats.message?

---@class deskpilot.nats_protocol.reader
local Reader = {}
Reader.__index = Reader

--- What reads one connection from its beginning.
---@return deskpilot.nats_protocol.reader
function nats_protocol.reader()
  return setmetatable({ pieces = {}, have = 0, need = 1, data = "", at = 1 }, Reader)
end

--- Adds bytes that have come.
---@param bytes string
function Reader:add(bytes)
  self.pieces[#self.pieces + 1] = bytes
  self.have = self.have + #bytes
end

-- Until so many bytes are there, nothing more can be read.
local function wait_for(self, bytes)
  self.need = bytes
end

-- Joins what has come to what is left, once that is worth it.
local function join(self)
  if #self.pieces == 0 then return true end
  if #self.data - self.at + 1 + self.have < self.need then return false end
  self.data = self.data:sub(self.at) .. table.concat(self.pieces)
  self.at, self.pieces, self.have = 1, {}, 0
  return true
end

local function whole_number(word, most)
  local number = word and #word <= 10 and word:find "^%d+$" and math.tointeger(tonumber(word))
  return number and number <= most and number or nil
end

-- "subject id [reply] sizes...": what the line says of the message that follows.
local function announced(line, with_headers)
  local words = {}
  for word in line:gmatch "[^ \t]+" do
    if #words == 6 then return nil end
    words[#words + 1] = word
  end
  local least = with_headers and 4 or 3
  if #words ~= least and #words ~= least + 1 then return nil end
  local size = whole_number(words[#words], nats_protocol.most_message)
  local header = not with_headers and 0 or whole_number(words[#words - 1], nats_protocol.most_message)
  local id = whole_number(words[2], MOST_ID)
  if not (size and header and id) or header > size then return nil end
  return { id = id, subject = words[1], reply = #words > least and words[3] or nil, header = header, size = size }
end

-- What cannot be read is left out.
local function headers_of(block)
  local headers, count = {}, 0
  local first, rest = block:match "^NATS/1%.0([^\r\n]*)\r\n(.*)$"
  if not first then return headers end
  headers.Status, headers.Description = first:match "^[ \t]+(%d%d%d)[ \t]*(.*)$"
  if headers.Description == "" then headers.Description = nil end
  for line in (rest:match "^(.*)\r\n" or ""):gmatch "[^\r\n]+" do
    local name, value = line:match "^([^:%s]+):[ \t]*(.*)$"
    if name and headers[name] == nil then
      count = count + 1
      if count > MOST_HEADERS then break end
      headers[name] = value
    end
  end
  return headers
end

local function take_message(self)
  local next_one = self.announced
  local all = next_one.size + 2
  if #self.data - self.at + 1 < all then
    wait_for(self, all)
    return nil
  end
  local at = self.at
  self.announced, self.at, self.need = nil, at + all, 1
  if self.data:sub(at + next_one.size, self.at - 1) ~= "\r\n" then
    return nil, "a message that is longer than it says"
  end
  return { kind = "message", id = next_one.id, message = { subject = next_one.subject, reply = next_one.reply,
    headers = next_one.header > 0 and headers_of(self.data:sub(at, at + next_one.header - 1)) or {},
    data = self.data:sub(at + next_one.header, at + next_one.size - 1) } }
end

local SIMPLE = { PING = "ping", PONG = "pong", ["+OK"] = "ok" }

local function read_line(self, line)
  local word, rest = line:match "^([%w+-]+)[ \t]*(.*)$"
  word = (word or ""):upper()
  if SIMPLE[word] then return { kind = SIMPLE[word] } end
  if word == "MSG" or word == "HMSG" then
    self.announced = announced(rest, word == "HMSG")
    if not self.announced then return nil, "a message of an impossible size, or without a subject" end
    return take_message(self)
  end
  if word == "-ERR" then return { kind = "error", words = rest:match "^'(.*)'%s*$" or rest } end
  if word == "INFO" then
    local info = json.decode(rest, GREETING)
    if type(info) == "table" then return { kind = "info", info = info } end
    return nil, "a greeting that is no JSON object"
  end
  return nil, "something else than NATS's protocol"
end

--- The next word of the server's.
---@return deskpilot.nats_protocol.word? word nil until more has come
---@return string? why what is wrong with what it says: nothing more can be read
function Reader:next()
  if self.broken then return nil, self.broken end
  local word, why
  if join(self) then
    if self.announced then
      word, why = take_message(self)
    else
      local stop = self.data:find("\n", self.at, true)
      local size = (stop or #self.data + 1) - self.at
      if size > nats_protocol.most_line then
        why = ("a line of more than %d bytes"):format(nats_protocol.most_line)
      elseif stop then
        local line = self.data:sub(self.at, stop - 1):gsub("\r$", "")
        self.at = stop + 1
        word, why = read_line(self, line)
      else
        wait_for(self, size + 1)
      end
    end
  end
  self.broken = why
  return word, why
end

-- --- what is said to it ------------------------------------------------------------------------------------------

--- What is wrong with a subject: a space or a line's end in it would be another command.
---@param subject string
---@return string? why
function nats_protocol.wrong_subject(subject)
  if #subject > 0 and #subject <= nats_protocol.most_subject and not subject:find "[\0-\32\127]"
    and not subject:find("..", 1, true) and not subject:find "^%." and not subject:find "%.$" then
    return nil
  end
  return ("a subject of NATS is 1 to %d bytes of words joined by '.', without spaces and NUL bytes"):format(
    nats_protocol.most_subject)
end

--- What is wrong with headers.
---@param headers table<string, string>
---@return string? why
function nats_protocol.wrong_headers(headers)
  for name, value in pairs(headers) do
    if name == "" or name:find "[:%s\0]" or value:find "[\r\n\0]" then
      return "a header's name has no spaces and no ':', its value no line's end"
    end
  end
end

--- Sends a message.
---@param message { subject: string, reply: string?, data: string?, headers: table<string, string>? } checked
---@return string
function nats_protocol.publish(message)
  local data, head = message.data or "", message.subject
  if message.reply then head = head .. " " .. message.reply end
  if not message.headers or not next(message.headers) then return ("PUB %s %d\r\n%s\r\n"):format(head, #data, data) end
  local lines = { "NATS/1.0" }
  for name, value in pairs(message.headers) do lines[#lines + 1] = name .. ": " .. value end
  local block = table.concat(lines, "\r\n") .. "\r\n\r\n"
  return ("HPUB %s %d %d\r\n%s%s\r\n"):format(head, #block, #block + #data, block, data)
end

--- Begins and ends a subscription.
---@param id integer
---@param subject string checked
---@return string
function nats_protocol.subscribe(id, subject) return ("SUB %s %d\r\n"):format(subject, id) end

---@param id integer
---@return string
function nats_protocol.unsubscribe(id) return ("UNSUB %d\r\n"):format(id) end

--- What a client says of itself, and the question whether it may.
---@param facts table
---@return string
function nats_protocol.connect(facts) return ("CONNECT %s\r\nPING\r\n"):format(json.encode(facts)) end

return nats_protocol
