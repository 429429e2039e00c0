--- A server on 127.0.0.1 that behaves like a maker's own: it takes only what the maker's types allow (tests/wires/),
--- and refuses what the maker refuses, in its words. It is written from the makers' documentation, not from our client.
---
---   local server = vendor_server.start("anthropic", function(view, number, body) return { text = "hello" } end)
---   server.endpoint; server.key; server.requests[1].json; server.problems; server:stop()
---
--- The script is given what a request says (`view`, the same for all) and says what to answer: { text =, thought =,
--- calls = { { name, args } }, computer = { { verb, args } }, checks = }, or { status =, body = } as it is.
local cjson = require "cjson"
local files = require "deskpilot.base.files"
local http_server = require "deskpilot.net.http_server"
local json = require "deskpilot.base.json"
local schema = require "deskpilot.base.schema"

local vendor_server = {}

local schemas = {}

-- Decoded, an empty list is as an empty object.
local lists = { "summary", "annotations", "pending_safety_checks", "content", "messages", "input", "tools", "parts",
  "actions", "contents", "system", "required" }
local objects = { "args", "properties", "response", "parameters", "input_schema" }

local function mixed_up(text)
  for _, name in ipairs(lists) do
    if name ~= "input" and text:find(('"%s":{}'):format(name), 1, true) then return name .. " is no list" end
  end
  for _, name in ipairs(objects) do
    if text:find(('"%s":[]'):format(name), 1, true) then return name .. " is no object" end
  end
end

--- What a maker's types say of a request: nil, or the sentence.
---@param name string of a file in tests/wires/
---@param text string its JSON
---@return string?
function vendor_server.problem(name, text)
  local why = mixed_up(text)
  if why then return why end
  schemas[name] = schemas[name] or assert(schema.declare(assert(json.decode(assert(files.read(("tests/wires/%s.json")
    :format(name)))))))
  local ok, unfit = schema.validate(schemas[name], cjson.decode(text)) -- with its nulls
  return not ok and unfit or nil
end

local function reply(status, body, headers)
  headers = headers or {}
  headers["Content-Type"] = headers["Content-Type"] or "application/json"
  return { status = status, headers = headers, body = type(body) == "table" and json.encode(body) or body }
end

local function list_models(self, request)
  local data = json.list()
  if request.headers.authorization == nil and request.headers["x-api-key"] == nil
    and request.headers["x-goog-api-key"] == nil then
    return reply(401, self.vendor.failure(401, "no key"))
  end
  for i, name in ipairs(self.models) do
    data[i] = self.vendor.wire == "gemini" and { name = "models/" .. name } or { id = name }
  end
  return reply(200, self.vendor.wire == "gemini" and { models = data } or { data = data, has_more = false })
end

-- A refusal of the maker's, kept for the test, which has to see none where none is meant.
local function refuse(self, status, message, param)
  self.problems[#self.problems + 1] = ("%d: %s"):format(status, message)
  return reply(status, self.vendor.failure(status, message, param))
end

local function handle(self, request)
  local vendor = self.vendor
  if request.method == "GET" then return list_models(self, request) end
  local param
  local status, why = vendor.refuses_head(request)
  if status then return refuse(self, status, why) end
  local body = json.decode(request.body)
  if type(body) ~= "table" then return refuse(self, 400, "the body is no JSON") end
  local entry = { json = body, body = request.body, headers = request.headers, path = request.path }
  self.requests[#self.requests + 1] = entry
  local problem = vendor_server.problem(vendor.schema(request), request.body)
  if problem then return refuse(self, 400, problem) end
  body.model = body.model or request.path:match("models/([^:]+)")
  status, why, param = vendor.refuses(body)
  if status then return refuse(self, status, why, param) end
  local said = self.script(vendor.view(body), #self.requests, body)
  if said.status then return reply(said.status, said.body, said.headers) end
  local answer = vendor.answer(said, #self.requests, body)
  if not (body.stream or request.path:find(":streamGenerateContent", 1, true)) then return reply(200, answer) end
  return reply(200, vendor.stream(answer), { ["Content-Type"] = "text/event-stream; charset=utf-8" })
end

local Server = {}
Server.__index = Server

function Server:stop()
  self.server:stop()
end

--- Server-sent events, each named by its type where it has one.
---@param list table[]
---@return string
function vendor_server.events(list)
  local parts = {}
  for i, event in ipairs(list) do
    parts[i] = (event.type and "event: " .. event.type .. "\n" or "") .. "data: " .. json.encode(event) .. "\n\n"
  end
  return table.concat(parts)
end

--- A text in pieces, as answers come.
---@param text string
---@return string[]
function vendor_server.pieces(text)
  local list = {}
  for from = 1, math.max(#text, 1), 7 do list[#list + 1] = text:sub(from, from + 6) end
  return list
end

--- Starts one.
---@param vendor "anthropic"|"responses"|"gemini"
---@param script fun(view: table, number: integer, body: table): table
---@param models string[]? those that it lists
function vendor_server.start(vendor, script, models)
  local self = setmetatable({ vendor = require("vendors." .. vendor), script = script, requests = {}, problems = {},
    models = models or { "test" } }, Server)
  self.key = self.vendor.key
  self.server = assert(http_server.start(function(request) return handle(self, request) end,
    { max_body = 64 * 1024 * 1024 }))
  self.endpoint = self.server.url .. self.vendor.default_path
  return self
end

return vendor_server
