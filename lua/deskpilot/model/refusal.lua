--- Why a server refuses a request, read from its answer: a parameter that it does not take, a text that is too long for
--- it, pictures or tools that it has no use for, a quota that is used up. Servers have no common form for it; what they
--- say is from outside and only ever picks one of the changes that are known here.
local limits = require "deskpilot.model.limits"

local refusal = {}

local longest_said = 2000 -- bytes of a message that are looked at: some servers repeat the request in it

--- What to change so that the next request is taken. One of the fields is set.
---@class deskpilot.model.refusal
---@field drop string? the parameter to leave out
---@field rename string? the parameter whose value goes under the name `to`
---@field to string?
---@field content "text"? contents are texts and not lists of parts
---@field system "user"? there are no system messages
---@field stream true? nothing but streams is answered
---@field pictures integer? the most pictures of one request
---@field tools "text"? tools have to be described in words
---@field too_long true? it is more than the model's context holds
---@field quota true? the account has nothing left

-- Never left out, whatever a server says.
local essential = { model = true, messages = true, input = true, contents = true, tools = true, system = true,
  instructions = true, system_instruction = true, systemInstruction = true, generationConfig = true }

-- The names that a parameter may get.
local new_names = { max_completion_tokens = true, max_tokens = true, max_output_tokens = true }

local function has(words, list)
  for _, part in ipairs(list) do
    if words:find(part, 1, true) then return true end
  end
  return false
end

--- What a server says of a failure, from any of the usual fields of its answer, as it came; "" where it says nothing.
---@param body string
---@return string said
---@return table? decoded its JSON
function refusal.said(body)
  local decoded = limits.decode(body)
  local said = decoded
  for _ = 1, 4 do
    if type(said) ~= "table" then break end
    said = said.error or said.message or said.detail or said.msg or said[1]
  end
  return type(said) == "string" and said or body, type(decoded) == "table" and decoded or nil
end

-- "tool_choice" of a field such as "tool_choice", "body.tool_choice", "messages[1].content".
local function first_of_path(path)
  if type(path) ~= "string" then return nil end
  return (path:gsub("^body%.", ""):match("^[%w_]+"))
end

-- The parameter that an answer names in a field of its own: OpenAI's `param`, or the `loc` of FastAPI's lists.
local function named_field(decoded)
  local at = decoded
  for _ = 1, 5 do
    if type(at) ~= "table" then return nil end
    if type(at.param) == "string" then return first_of_path(at.param) end
    if type(at.loc) == "table" then
      local place = at.loc[1] == "body" and at.loc[2] or at.loc[1]
      return type(place) == "string" and place or nil
    end
    at = at.error or type(at.message) == "table" and at.message or at.detail or at[1]
  end
end

local refusing = { "support", "unknown", "unrecognized", "unrecognised", "unexpected", "not permitted", "not allowed",
  "invalid", "extra", "deprecated", "must ", "cannot", "can't", "only ", "not accept", "no longer", "should ",
  "incompatible", "not available", "not enabled", "requires" }

-- Where a name stands in a text as a word of its own.
local function place_of(name, said)
  local at = 1
  while true do
    local first, last = said:find(name, at, true)
    if not first then return nil end
    if not said:sub(first - 1, first - 1):find("[%w_]") and not said:sub(last + 1, last + 1):find("[%w_]") then
      return first
    end
    at = last + 1
  end
end

-- The parameter of the request that a sentence names first.
local function named_word(said, sent)
  local best, where
  for name in pairs(sent) do
    local at = type(name) == "string" and not essential[name] and place_of(name, said)
    if at and (not where or at < where) then best, where = name, at end
  end
  return best
end

-- "Use 'max_completion_tokens' instead."
local function new_name(said, old)
  for name in pairs(new_names) do
    if name ~= old and place_of(name, said) then return name end
  end
end

local function is_too_long(said, decoded)
  local err = decoded and type(decoded.error) == "table" and decoded.error or decoded or {}
  local kind = ("%s %s"):format(tostring(err.code), tostring(err.type))
  return has(kind, { "context_length_exceeded", "exceed_context_size_error" })
    or has(said, { "context length", "context size", "context window", "maximum context", "prompt is too long",
      "input is too long", "too many tokens", "maximum number of tokens", "reduce the length of the",
      "max_tokens must be at least 1, got", "longer than the maximum model length", "request entity too large",
      "payload too large" })
end

local function pictures_taken(said)
  local most = said:match("at most (%d+) image") or said:match("maximum of (%d+) image")
    or said:match("maximum number of images .- is (%d+)") -- pattern: of at most 2000 bytes
  if most then return math.tointeger(tonumber(most)) end
  if has(said, { "no endpoints found that support image", "image input is not supported",
    "image inputs are not supported", "not support image", "not support vision", "does not support images",
    "missing data required for image input",
    "is not a multimodal model", "is not multimodal", "no vision", "doesn't support images", "cannot read image",
    "image_url is not supported", "images are not supported", "unknown variant `image_url`",
    "unsupported content type: image", "mmproj" }) then
    return 0
  end
end

local function takes_no_tools(said)
  return has(said, { "does not support tools", "not support tool use", "that support tool use",
    "does not support function calling", "tools are not supported", "tool use is not supported",
    "tool calling is not supported", "tool choice requires --", "tools param requires --" })
end

local function is_out_of_quota(status, said, decoded)
  local err = decoded and type(decoded.error) == "table" and decoded.error or decoded or {}
  return status == 402 or err.code == "insufficient_quota" or err.type == "insufficient_quota"
    or status ~= 200 and has(said, { "exceeded your current quota", "insufficient credits", "insufficient balance",
      "credit balance is too low", "insufficient_quota" })
end

local function wants_text(said)
  return said:find("content", 1, true) and has(said, { "must be a string", "should be a string", "be a valid string",
    "expected a string", "expected string", "must be string", "not an array", "cannot unmarshal array",
    "arrays are not supported", "only string content", "invalid type: sequence" })
end

local function has_text_parts(sent)
  for _, message in ipairs(type(sent.messages) == "table" and sent.messages or {}) do
    if type(message) == "table" and type(message.content) == "table" then return true end
  end
  return false
end

local function of_parameters(said, decoded, sent)
  if has_text_parts(sent) and wants_text(said) then return { content = "text" } end
  if has(said, { "system role not supported", "system role is not supported", "system messages are not supported" })
    then return { system = "user" } end
  if not sent.stream and has(said, { "only support stream", "only supports stream", "stream must be set to true",
    "please enable the stream" }) then return { stream = true } end
  local name = named_field(decoded)
  if not (name and sent[name] ~= nil and not essential[name]) then
    name = has(said, refusing) and named_word(said, sent) or nil
  end
  if not name then return nil end
  local other = new_names[name] and new_name(said, name)
  if other and sent[other] == nil then return { rename = name, to = other } end
  return { drop = name }
end

-- Statuses by which servers refuse what a request asks for.
local about_request = { [400] = true, [404] = true, [405] = true, [415] = true, [422] = true, [501] = true }

--- Reads an answer that is none. Nil where it names nothing that could be changed.
---@param status integer of HTTP; 200 for an error that came as an answer
---@param body string
---@param sent table the body of the request, decoded
---@return deskpilot.model.refusal?
function refusal.read(status, body, sent)
  if status == 401 or status == 403 then return nil end
  local said, decoded = refusal.said(body)
  said = said:sub(1, longest_said):lower()
  if is_out_of_quota(status, said, decoded) then return { quota = true } end
  if status == 429 then return nil end
  if status == 413 or is_too_long(said, decoded) then return { too_long = true } end
  local pictures = pictures_taken(said)
  if pictures then return { pictures = pictures } end
  if sent.tools and takes_no_tools(said) then return { tools = "text" } end
  return about_request[status] and of_parameters(said, decoded, sent) or nil
end

return refusal
