--- Servers that call themselves compatible with Chat Completions, each as its documentation and its users' reports have
--- it and not as our client would like it: what it refuses and in which words, how it streams, what it calls an error,
--- where it puts thinking and usage, how it ends. tests/lua/compatible/NAME.lua is one.
---
---   local server = compatible_server.start("ollama", function(view, number, body) return { text = "hello" } end)
---   server.endpoint; server.key; server.problems; server:stop()
---
--- The script is given what a request says (`view`, as vendor_server.lua has it) and says what to answer: { text =,
--- thought =, calls = { { name, args } } }.
local json = require "deskpilot.base.json"
local model_server = require "model_server"

local compatible_server = {}

--- What a kind of server is.
---@class compatible_server.kind
---@field model string that it serves
---@field key string? that it wants
---@field failure fun(status: integer, message: string, param: string?): table the body of a refusal
---@field refuses fun(body: table, request: table, number: integer): integer?, string?, string?, table? status, message,
---  parameter, headers
---@field answer fun(said: table, number: integer, body: table): table a chat completion
---@field stream fun(answer: table, body: table): string[] the pieces that it comes in

local function texts_of(content)
  if type(content) == "string" then return { content }, 0 end
  local texts, pictures = {}, 0
  for _, part in ipairs(type(content) == "table" and content or {}) do
    if part.type == "text" then texts[#texts + 1] = part.text end
    if part.type == "image_url" then pictures = pictures + 1 end
  end
  return texts, pictures
end

--- What a request says.
---@param body table
---@return { tools: table<string, table>, text: string[], pictures: integer, system: string?, results: string[] }
function compatible_server.view(body)
  local view = { tools = {}, text = {}, pictures = 0, results = {} }
  for _, tool in ipairs(body.tools or {}) do view.tools[tool["function"].name] = tool["function"] end
  for _, message in ipairs(body.messages) do
    local texts, pictures = texts_of(message.content)
    view.pictures = view.pictures + pictures
    if message.role == "system" then view.system = table.concat(texts) end
    local list = message.role == "tool" and view.results or message.role == "user" and view.text or {}
    table.move(texts, 1, #texts, #list + 1, list)
  end
  return view
end

--- The calls of an answer in OpenAI's form, with ids made by that function.
function compatible_server.calls(said, id)
  local list = json.list()
  for i, call in ipairs(said.calls or {}) do
    list[i] = { id = id(i), type = "function", ["function"] = { name = call[1], arguments = json.encode(call[2]) } }
  end
  return #list > 0 and list or nil
end

--- A completion.
function compatible_server.completion(body, message, finish, more)
  message.role = "assistant"
  local answer = { id = "chatcmpl-1", object = "chat.completion", created = 1700000000, model = body.model,
    choices = { { index = 0, message = message, finish_reason = finish } },
    usage = { prompt_tokens = 900, completion_tokens = 40, total_tokens = 940 } }
  for key, value in pairs(more or {}) do answer[key] = value end
  return answer
end

--- A chunk of a streamed answer.
function compatible_server.chunk(answer, delta, finish, more)
  local chunk = { id = answer.id, object = "chat.completion.chunk", created = answer.created, model = answer.model,
    choices = json.list { delta and { index = 0, delta = delta, finish_reason = finish or json.null } or nil } }
  for key, value in pairs(more or {}) do chunk[key] = value end
  return "data: " .. json.encode(chunk) .. "\n\n"
end

--- A text in pieces of at most that many bytes, whole characters each.
function compatible_server.pieces(words, size)
  local list, at = {}, 1
  while at <= #words do
    local stop = math.min(at + size, #words + 1)
    while stop <= #words and words:byte(stop) & 0xC0 == 0x80 do stop = stop + 1 end
    list[#list + 1], at = words:sub(at, stop - 1), stop
  end
  return list
end

--- Whether a picture is one that servers take: base64 in a data URL.
function compatible_server.bad_picture(body)
  for _, message in ipairs(body.messages) do
    for _, part in ipairs(type(message.content) == "table" and message.content or {}) do
      local url = part.type == "image_url" and part.image_url.url
      local data = url and url:match("^data:image/%a+;base64,(.+)$")
      if url and not (data and model_server.decode_base64(data)) then return true end
    end
  end
  return false
end

--- Whether the result of a tool holds a picture.
function compatible_server.picture_in_result(body)
  for _, message in ipairs(body.messages) do
    if message.role == "tool" and select(2, texts_of(message.content)) > 0 then return true end
  end
  return false
end

local function answer(self, body, request, number)
  local kind = self.kind
  local status, message, param, headers = kind.refuses(body, request, number)
  if kind.key and request.headers.authorization ~= "Bearer " .. kind.key then
    status, message, param, headers = 401, kind.no_key or "Unauthorized", nil, nil
  end
  if status then
    table.insert(self.refused, ("%d: %s"):format(status, message))
    return { status = status, headers = headers, body = kind.failure(status, message, param) }
  end
  local ok, said = xpcall(self.script, debug.traceback, compatible_server.view(body), number, body)
  if not ok then
    table.insert(self.problems, said)
    return { status = 500, body = kind.failure(500, said) }
  end
  local whole = kind.answer(said, number, body)
  if not body.stream then return { body = whole } end
  local pieces = kind.stream(whole, body)
  return { headers = { ["Content-Type"] = "text/event-stream" }, chunked = true, body = table.concat(pieces),
    slow = { bytes = 700, seconds = 0 } }
end

local Server = {}
Server.__index = Server

function Server:stop() self.server:stop() end

--- What was wrong with requests by the standard itself, or in the script; "" when nothing was.
function Server:wrong()
  local all = { self.server:problems() }
  table.move(self.problems, 1, #self.problems, 2, all)
  return table.concat(all, "\n")
end

--- Starts one.
---@param name string of a file in tests/lua/compatible/
---@param script fun(view: table, number: integer, body: table): table
---@return table server with endpoint, key, model; refused: the sentences; requests: as model_server has them
function compatible_server.start(name, script)
  local self = setmetatable({ kind = require("compatible." .. name), script = script, refused = {}, problems = {} },
    Server)
  self.server = model_server.start(function(body, number, request) return answer(self, body, request, number) end)
  self.server.lenient, self.server.models = true, { self.kind.model }
  self.endpoint, self.key, self.model = self.server.endpoint, self.kind.key, self.kind.model
  self.requests = self.server.requests
  return self
end

return compatible_server
