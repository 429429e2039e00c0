--- One attempt to get an answer from a model server: sends a request that is ready, reads what comes, whole or as a
--- stream, and says of a failure whether another attempt may help.
local advice = require "deskpilot.model.advice"
local early = require "deskpilot.model.early"
local endpoints = require "deskpilot.model.endpoint"
local failure = require "deskpilot.model.failure"
local http = require "deskpilot.net.http"
local json = require "deskpilot.base.json"
local limits = require "deskpilot.model.limits"
local quirks = require "deskpilot.model.quirks"
local refusal = require "deskpilot.model.refusal"
local runaway = require "deskpilot.model.runaway"
local secrets = require "deskpilot.model.secrets"
local stream = require "deskpilot.model.stream"
local text = require "deskpilot.base.text"

local attempt = {}

--- What an attempt needs to know of the server. It holds the key, so it is kept where no client can show it.
---@class deskpilot.model.link
---@field urls table as endpoints.parse gives it
---@field key string?
---@field secrets string[] what the server was given and has no reason to say

--- What an attempt sends.
---@class deskpilot.model.attempt
---@field pieces string[] the body
---@field body table what they say
---@field streamed boolean? whether a stream is asked for
---@field on_text (fun(view: deskpilot.model.wire.view))? is called while the answer comes
---@field on_call (fun(reply: deskpilot.model.reply): deskpilot.model.handed)? is given its first calls meanwhile

--- Why there is no answer.
---@class deskpilot.model.no_answer
---@field again "yes"|"once"|nil whether another attempt may help
---@field whole boolean? it should ask for no stream
---@field wait number? seconds that the server asks to wait

--- The headers of a request.
---@param client deskpilot.model.client
---@param link deskpilot.model.link
---@return table<string, string>
function attempt.headers(client, link)
  local all = client.wire.headers(link.key, client.profile)
  all["Content-Type"], all["Accept"] = "application/json", "application/json, text/event-stream"
  return all
end

-- What the wires call the longest answer.
local function most_tokens(body)
  return body.max_tokens or body.max_completion_tokens or body.max_output_tokens
    or type(body.generationConfig) == "table" and body.generationConfig.maxOutputTokens or nil
end

-- Reads the answer as it comes. What goes on without an end is cut off, but for the calls that were acted on.
local function reader_of(client, link, sent)
  local events = client.wire.events()
  local watch = runaway.new(most_tokens(sent.body))
  local reader
  reader = stream.reader(events, function()
    local view = events:view()
    if sent.on_text then sent.on_text(view) end
    local cut = watch:look(view)
    if not cut then
      if reader.status == 200 then reader.early:look() end
      if not reader.early.over then return false end
      cut = { content = table.concat(view.content), calls = 0, why = "what it asked for has ended the work" }
    end
    events:cut(cut.content, math.max(cut.calls, reader.early.taken))
    reader.cut_off = cut.why
    return true
  end)
  reader.early = early.new(events, client.wire, link.secrets, sent.on_call)
  return reader
end

-- An answer that cannot be used, but for its first calls, which were acted on: it is not asked for again, since that
-- would do them again. What is left of it counts as one that was cut off.
local function rest_of(client, link, reader, why)
  local events, view = reader.answer, reader.answer:view()
  local content = view.size <= limits.most.content and table.concat(view.content) or ""
  events:cut(content, reader.early.taken)
  local reply = assert(client.wire.read(events:result()))
  reply.cut_off = text.cut(text.one_line(tostring(why)), 300)
  return secrets.strip(reply, link.secrets)
end

local function receive(client, link, sent, reader)
  return http.stream({
    method = "POST", url = endpoints.at(link.urls, client.wire.path(client.name, sent.streamed)),
    headers = attempt.headers(client, link), body = sent.pieces,
    timeout = { connect = client.connect_timeout, total = client.timeout, stall = client.stall },
    max_bytes = limits.most.body, ca_file = client.ca_file,
  }, function(bytes, status)
    reader.status = status
    return reader:feed(bytes) and (reader.answer.done and "whole" or true)
  end)
end

local function no_connection(client, link, err)
  local again = not err.not_begun and (err.code == "unavailable" or err.code == "io" or err.timeout == "connect")
  local _, explained = failure.of_transport(client.endpoint, link.urls.is_local, err)
  return nil, explained, { again = again and "yes" or err.timeout == "stall" and "once" or nil }
end

-- The decoded body of an answer, also of one that came as a stream; nil and why it is none.
local function decode(reader, result)
  local body, kind = result.body, (result.headers["content-type"] or ""):lower()
  result.body = nil -- what is decoded stands for it, and it may be large
  if reader.is_stream or kind:find("text/event-stream", 1, true) and not body:find("%S") then return reader:finish() end
  local raw, why = limits.decode(body)
  if raw ~= nil then return raw end
  return nil, "it cannot be read: " .. text.cut(text.one_line(secrets.mask(tostring(why))), 120)
end

--- What to do about a key that a server does not accept.
---@param client deskpilot.model.client
---@param link deskpilot.model.link
---@return string
function attempt.key_hint(client, link)
  return client.key_withheld or advice.key(link.key, client.key_from, client.key_option)
end

local function refused(client, link, result, sent)
  local _, err = failure.of_status(client.endpoint, result, attempt.key_hint(client, link))
  if not err.page then err.refusal = refusal.read(result.status, result.body,
    quirks.parameters(sent.body, client.wire.needs)) end
  local again = (result.status == 429 or result.status >= 500) and not err.refusal
  return nil, err, { again = again and "yes" or nil, wait = endpoints.retry_after(result.headers["retry-after"]) }
end

-- The status that an error has which came as an answer or in the middle of a stream.
local function inner_status(raw)
  local err = type(raw) == "table" and raw.error
  local status = type(err) == "table" and (math.tointeger(tonumber(err.code)) or math.tointeger(tonumber(err.status)))
  return status and status >= 400 and status < 600 and status or nil
end

-- Nothing is thought, said or called: a stream of which a server has lost the calls looks like that.
local function is_empty(reply)
  return not reply.excess and #reply.tool_calls == 0 and not reply.refusal
    and not (reply.content or ""):find("%S") and reply.finish_reason ~= "length"
end

local function read(client, link, sent, result, reader)
  local page = failure.of_page(client.endpoint, result)
  if page then return nil, page, { again = "once" } end
  local raw, why = decode(reader, result)
  local reply
  if raw ~= nil then reply, why = client.wire.read(raw) end
  if reply and sent.streamed and sent.body.tools and reader.is_stream and is_empty(reply) then
    local _, empty = failure.of_answer(client.endpoint, client.wire.answer, "nothing is said or called in it")
    return nil, empty, { again = "once", whole = true }
  end
  if reply then
    reply.cut_off = reader.cut_off
    -- Who was given the key has no reason to say it, and what is decided from the answer could type it somewhere. What
    -- is too large has been left out before.
    return secrets.strip(reply, link.secrets)
  end
  local status = inner_status(raw)
  if status then
    return refused(client, link, { status = status, headers = result.headers, body = json.encode(raw) }, sent)
  end
  local said = type(raw) == "table" and raw.error and failure.message(json.encode(raw)) or nil
  local _, err = failure.of_answer(client.endpoint, client.wire.answer, tostring(why), said)
  if said then err.refusal = refusal.read(200, json.encode(raw), quirks.parameters(sent.body, client.wire.needs)) end
  return nil, err, { again = not err.refusal and "once" or nil }
end

local function make(client, link, sent, reader)
  local result, err = receive(client, link, sent, reader)
  if not result then
    local all_said = reader.is_stream and reader.answer.done == true -- before the connection broke
    if not all_said then return no_connection(client, link, err) end
    result = { status = 200, headers = {} }
  end
  result.body = reader:body()
  if result.status ~= 200 and reader.is_stream then result.body = json.encode(reader:finish() or {}) end
  if result.status ~= 200 then return refused(client, link, result, sent) end
  return read(client, link, sent, result, reader)
end

--- Makes one.
---@param client deskpilot.model.client
---@param link deskpilot.model.link
---@param sent deskpilot.model.attempt
---@return deskpilot.model.reply? reply
---@return deskpilot.model.failure|deskpilot.error|nil err
---@return deskpilot.model.no_answer? failed
function attempt.make(client, link, sent)
  local reader = reader_of(client, link, sent)
  local reply, err, failed = make(client, link, sent, reader)
  local taken = #reader.early.names
  if taken == 0 then return reply, err, failed end
  if not reply or reply.excess then reply = rest_of(client, link, reader, err or reply.excess)
  elseif not reader.early:fits(reply) then
    reply = rest_of(client, link, reader, "it ends as another answer than it began")
  end
  reply.taken = taken
  return reply
end

return attempt
