--- The ways of talking to a model server. A wire knows what is particular to one: where a request goes, how it is
--- written, how an answer is read, whole or as it comes. Who sends it, how often and how long is client.lua, the same
--- for all of them. model/wires/NAME.lua is one.
local errors = require "deskpilot.base.errors"
local provider = require "deskpilot.model.provider"
local text = require "deskpilot.base.text"

local wire = {}

--- What an answer that comes as a stream of server-sent events becomes.
---@class deskpilot.model.wire.events
---@field add fun(self, data: string, event: string?): boolean? the data of one event, and its name where it has one;
---  true where no more of them is wanted: the answer is complete, too large or broken
---@field result fun(self): table?, string? the body as if no stream had been asked for, also where there is only an
---  `error` or `excess` in it; or nil and why there is none (of an answer that is not complete: that it ends too early)
---@field done boolean? whether the server has said that this is all
---@field view fun(self): deskpilot.model.wire.view what has been said so far
---@field cut fun(self, content: string, calls: integer) ends the answer, whatever has been wrong with it: of what was
---  said only that is kept, and the first of the calls
---@field complete fun(self, number: integer): boolean? whether that call, in the order in which they come, is whole:
---  the server has marked its end, and nothing that is still to come can change it. Nil while it is not known; false
---  where it will not be known before the answer's end
---@field part fun(self, number: integer): table the body of an answer of that call and what has been said so far

--- What has been said of an answer that still comes. The lists are the answer's own.
---@class deskpilot.model.wire.view
---@field content string[] the parts of what is said
---@field thinking string[] and of what is thought
---@field calls { name: string, arguments: string[], whole: table? }[] the last one may not be complete
---@field count integer parts that have come, which is about the number of tokens
---@field size integer bytes

--- How a request is to be written.
---@class deskpilot.model.wire.how
---@field model string
---@field profile deskpilot.model.profile? the model's
---@field streamed boolean? whether the answer is to come as a stream
---@field image deskpilot.model.wire.image

---@class deskpilot.model.wire
---@field name string
---@field answer string what an answer is called: "chat completion"
---@field base string the path of an address that has none: "/v1"
---@field path fun(model: string, streamed: boolean?): string where a request goes, below the server's address
---@field headers fun(key: string?, profile: deskpilot.model.profile?): table<string, string> beside those of every
---  request; with the API key
---@field body fun(request: deskpilot.model.request, how: deskpilot.model.wire.how): table what is sent, before it is
---  JSON
---@field read fun(raw: any): deskpilot.model.reply?, deskpilot.error? err code "protocol"; raw: the decoded body
---@field events fun(): deskpilot.model.wire.events an empty answer
---@field needs table<string, true>? parameters that no request goes without
---@field models string where the list of models is, below the server's address
---@field names fun(raw: any): string[]? the models in that list, decoded

--- The messages of a request, whatever its wire, are those of Chat Completions, but for what follows.
---@class deskpilot.model.message
---@field role "system"|"user"|"assistant"|"tool"
---@field content string|table[]|nil a text or parts: { type = "text", text = }, { type = "image", base64 =, mime =,
---  path =, width =, height = }; in a tool's result the first part is a text
---@field tool_calls table[]? of an assistant's
---@field tool_call_id string? of a tool's result
---@field turn deskpilot.model.turn? of an assistant's: the answer as its wire has it
---@field from string? of a tool's result: the id of the call in that answer
---@field failed boolean? of a tool's result

--- Stands for the base64 of an image while the body is made; raises for what is none.
---@alias deskpilot.model.wire.image fun(part: table): base64: string, mime: string

wire.list = { "chat", "responses", "anthropic", "gemini" }

--- The wire of that name.
---@param name string
---@return deskpilot.model.wire? found, deskpilot.error? err code "invalid"
function wire.of(name)
  for _, known in ipairs(wire.list) do
    if known == name then return require("deskpilot.model.wires." .. name) end
  end
  return errors.fail("invalid", "there is no wire '%s'%s", tostring(name), text.did_you_mean(tostring(name), wire.list))
end

local function contains(list, name)
  for _, other in ipairs(list) do
    if other == name then return true end
  end
  return false
end

--- The wire to a server: the one that somebody has named; at a server that is known the model's own, where it is
--- spoken there; or else Chat Completions, which nearly all servers speak.
---@param named string? nil or "" where nobody has
---@param endpoint string
---@param profile deskpilot.model.profile
---@return deskpilot.model.wire? found, deskpilot.error? err code "invalid"
function wire.choose(named, endpoint, profile)
  if named and named ~= "" then return wire.of(named) end
  local server = provider.at(endpoint)
  if not server then return wire.of "chat" end
  return wire.of(contains(server.wires, profile.wire) and profile.wire or server.wires[1])
end

return wire
