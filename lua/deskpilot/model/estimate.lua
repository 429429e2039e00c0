--- How many tokens a request and its answer have, where the server does not say it. Only an estimate: a token is about
--- four bytes of English or JSON, and a picture is counted in squares of 28 pixels.
local json = require "deskpilot.base.json"
local native = require "native.image"

local estimate = {}

local bytes_of_token = 4
local unknown_picture = 1000 -- tokens of one whose size cannot be read
local square = 28

-- A PNG says its size in the first 24 bytes, which are 32 characters of base64.
local function of_picture(part)
  local head = native.from_base64((part.base64 or ""):sub(1, 32))
  if not head or #head < 24 or head:sub(2, 4) ~= "PNG" then return unknown_picture end
  local width, height = string.unpack(">I4I4", head, 17)
  local tokens = ((width + square - 1) // square) * ((height + square - 1) // square)
  return math.min(tokens, 16384)
end

local function of_text(words)
  return (#words + bytes_of_token - 1) // bytes_of_token
end

--- The usage of a request and its answer.
---@param body table what was sent, with marks in place of pictures
---@param request deskpilot.model.request with its pictures
---@param reply deskpilot.model.reply
---@return { input_tokens: integer, output_tokens: integer, estimated: true }
function estimate.usage(body, request, reply)
  local input, output = of_text(json.encode(body)), of_text((reply.content or "") .. (reply.thinking or ""))
  for _, message in ipairs(request.messages) do
    for _, part in ipairs(type(message.content) == "table" and message.content or {}) do
      if part.type == "image" then input = input + of_picture(part) end
    end
  end
  for _, call in ipairs(reply.tool_calls) do output = output + of_text(call.name .. call.arguments) end
  return { input_tokens = input, output_tokens = output, estimated = true }
end

return estimate
