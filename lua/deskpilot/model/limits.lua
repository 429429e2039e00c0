--- What an answer of a model may have at most. An answer comes from outside and may be anything; these are checked
--- before anything else looks at it, so that its size bounds the time and the memory that it takes. Genuine answers
--- are far below: a long document typed in one call has some ten thousand bytes.
local json = require "deskpilot.base.json"

local limits = {}

--- The limits themselves.
limits.most = {
  body = 32 * 1024 * 1024, -- bytes of an HTTP answer; a long stream has some hundred for each token
  bytes = 2 * 1024 * 1024, -- of one JSON text: an answer in one piece, or one event of a stream
  values = 20000, -- in one JSON text
  depth = 60, -- lists and objects inside each other
  events = 200000, -- lines with data in a stream
  content = 256 * 1024, -- bytes that the model says, its thinking and the arguments of its calls among them
  calls = 64, -- tools that are called
  name = 128, -- bytes of a tool's name
  id = 1024, -- bytes of a call's id
  arguments = 128 * 1024, -- bytes of the arguments of one call
}

--- What a server's list of models may have: large ones know hundreds, and tell dozens of things of each.
---@type deskpilot.json.limits
limits.models = { bytes = 8 * 1024 * 1024, values = 200000, depth = 60 }

local most = limits.most

--- The value of a JSON text of a model or its server. All texts in it are UTF-8.
---@param text string
---@return any value, string? why nil, and what is wrong with it
function limits.decode(text)
  if #text <= most.bytes and not utf8.len(text) then text = json.utf8(text) end
  return json.decode(text, most)
end

--- What is too large in a call; nil where nothing is.
---@param name string
---@param arguments string
---@param id string?
---@return string?
function limits.of_call(name, arguments, id)
  if #name > most.name then
    return ("the name of a tool has %d bytes, and at most %d are read"):format(#name, most.name)
  elseif id and #id > most.id then
    return ("the id of a tool call has %d bytes, and at most %d are read"):format(#id, most.id)
  elseif #arguments > most.arguments then
    return ("the arguments of a tool call have %d bytes, and at most %d are read"):format(#arguments, most.arguments)
  end
end

--- What is too large in a number of calls, or of bytes that are said; nil where nothing is.
---@param calls integer
---@param said integer
---@return string?
function limits.of_sizes(calls, said)
  if calls > most.calls then
    return ("more than %d tools are called in it"):format(most.calls)
  elseif said > most.content then
    return ("its text has %d bytes, and at most %d are read"):format(said, most.content)
  end
end

--- The sentence for the model about an answer of which nothing was read.
---@param what string
---@return string
function limits.sentence(what)
  return ("Your answer was too large, and nothing of it was read: %s. Answer again, much shorter."):format(what)
end

return limits
