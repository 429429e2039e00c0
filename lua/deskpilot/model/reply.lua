--- The one form of an answer, whatever the wire that it came by.
local json = require "deskpilot.base.json"
local limits = require "deskpilot.model.limits"
local text = require "deskpilot.base.text"
local secrets = require "deskpilot.model.secrets"
local thinking = require "deskpilot.model.thinking"

local reply = {}

--- Something that a model's maker wants a person to say yes to before a call is done.
---@class deskpilot.model.check
---@field id string? the maker's
---@field code string? what kind it is
---@field message string? in the maker's words

--- A call as the model wrote it. `computer`: of its maker's own tool for the screen, the pointer and the keys, whose
--- verbs are not the names of our tools.
---@class deskpilot.model.raw_call
---@field id string
---@field name string
---@field arguments string JSON, as far as the model has kept to it
---@field computer boolean?
---@field checks deskpilot.model.check[]? what a person has to allow first

--- An answer as its wire has it, to be given back with the results of its calls.
---@class deskpilot.model.turn
---@field items table[]
---@field wire string by which it came
---@field model string that gave it
---@field allowed boolean? a person has allowed what the maker wanted to be allowed

---@class deskpilot.model.reply
---@field content string? without the thinking before it
---@field thinking string? the text in <think>...</think>, or where a server has it of its own
---@field tool_calls deskpilot.model.raw_call[]
---@field turn deskpilot.model.turn? where the server wants its own form back
---@field finish_reason string? as Chat Completions calls it: stop, length, tool_calls, content_filter; or the server's
---@field refusal string? the model's explanation if it refuses to answer
---@field usage deskpilot.model.usage
---@field learned string[]? sentences: what the server does not take, and what is sent in its place from now on
---@field cut_off string? why the rest of it was not waited for, or did not come
---@field taken integer? how many of its first calls were handed over before it had ended (request.on_call)
---@field seconds number for the whole call, including retries and waits
---@field attempts integer
---@field told_in deskpilot.model.space? in which the model is told of places
---@field space table? of a recorded answer: the space of its positions (deskpilot.model.space)
---@field note string? of a recorded answer: how the request differs from the one that it was given to
---@field excess string? what in the answer is too large: then none of it was read (deskpilot.model.limits)
---@field raw table? the decoded body, or in its place what was too large; run:ask keeps it in the run's folder alone

--- What an answer has cost, as the server counts it.
---@class deskpilot.model.usage
---@field input_tokens integer all of the request
---@field cached_tokens integer? those of them that were read from a cache
---@field written_tokens integer? those of them that were written to one
---@field output_tokens integer
---@field estimated boolean? it is not the server's count, which has none

--- A reply as run:ask returns it.
---@class deskpilot.reply: deskpilot.model.reply
---@field calls deskpilot.model.call[] the tool calls in it
---@field calls_error string? a sentence about the first malformed call
---@field unreadable string? why none of its calls can be done, where they cannot be read

-- What is too large in an answer; nil where nothing is.
local function excess_of(content, calls)
  local said = #(content or "")
  for _, call in ipairs(calls) do
    local why = limits.of_call(call.name, call.arguments, call.id)
    if why then return why end
    said = said + #call.arguments
  end
  return limits.of_sizes(#calls, said)
end

--- What stands for an answer that is too large, in a run's files too, so that a replay has the same.
---@param excess string what is too large
---@param content string? what is said in it
---@return table raw
function reply.remains(excess, content)
  content = secrets.mask((content or ""):sub(1, 1 << 16)) -- before it is cut
  return { excess = excess, choices = json.list { { index = 0,
    message = { role = "assistant", content = text.cut(content, 2000) } } } }
end

--- A number of tokens as a server says it: 0 where it is none.
---@param value any
---@return integer
function reply.tokens(value)
  return type(value) == "number" and value >= 0 and math.tointeger(math.floor(value)) or 0
end

local function empty(raw)
  return { tool_calls = {}, excess = raw.excess, usage = { input_tokens = 0, output_tokens = 0 }, raw = raw }
end

--- The reply to a body that is the remains of one; nil where it is not.
---@param raw any
---@return deskpilot.model.reply?
function reply.of_remains(raw)
  return type(raw) == "table" and type(raw.excess) == "string" and empty(raw) or nil
end

--- The names in a server's list of models; nil where it is none.
---@param list any
---@param field string of each entry that holds the name
---@return string[]?
function reply.names(list, field)
  if type(list) ~= "table" then return nil end
  local names = {}
  for _, entry in ipairs(list) do
    local name = type(entry) == "table" and entry[field]
    if type(name) == "string" then names[#names + 1] = name end
  end
  return names
end

--- The reply that a wire has read. Where it is too large, none of it is used.
---@param read table the fields of deskpilot.model.reply; `raw`: the decoded body
---@return deskpilot.model.reply
function reply.of(read)
  local excess = excess_of(read.content, read.tool_calls)
  if excess then
    local left = empty(reply.remains(excess, read.content))
    left.finish_reason, left.usage = read.finish_reason, read.usage
    return left
  end
  if read.content then
    local said, thought = thinking.split(read.content)
    read.content, read.thinking = said, read.thinking or thought
  end
  return read
end

return reply
