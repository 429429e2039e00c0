--- The messages of a request in OpenAI's form: what a persona is told, the pictures that go with it, and the look-ups
--- that it has made already, with their results.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local messages = {}

--- A look-up that a model has made, and what came of it.
---@class deskpilot.lookup
---@field id string of the call
---@field name string the tool
---@field arguments string as the model has written them, or what they were read as
---@field text string the result
---@field data any?
---@field own boolean? the text is ours alone: nothing from outside is in it
---@field pictures deskpilot.picture[]?

--- Look-ups that came in one answer.
---@class deskpilot.lookup_round: { [integer]: deskpilot.lookup, said: string? } said: the answer's own words

local longest_data = 20000 -- characters of a result's data

-- Which of the pictures are sent: the last one of the request itself, which positions are points of, then the latest.
local function chosen(own, rounds, most)
  local order, sent = {}, {}
  for _, round in ipairs(rounds) do
    for _, result in ipairs(round) do
      for _, picture in ipairs(result.pictures or {}) do table.insert(order, 1, picture) end
    end
  end
  for i = #own - 1, 1, -1 do order[#order + 1] = own[i] end
  table.insert(order, 1, own[#own])
  for i, picture in ipairs(order) do sent[picture] = most == 0 or i <= most end
  return sent
end

local function add_picture(content, picture, sent, marks)
  local caption = picture.caption
  if caption then caption = picture.outside and marks:wrap(caption) or marks:clean(caption) end
  if not sent[picture] then
    caption = ("(%s This picture is left out: only so many may be sent.)"):format(caption or "A picture.")
  end
  if caption then content[#content + 1] = { type = "text", text = caption } end
  if sent[picture] then
    content[#content + 1] = { type = "image", base64 = picture.base64, mime = picture.mime, path = picture.path }
  end
end

local function words_of(result, marks)
  if result.own then return result.text end
  local ok, data = pcall(json.encode, result.data)
  if result.data == nil or not ok then return marks:wrap(result.text) end
  return marks:wrap(result.text .. "\n" .. text.cut(data, longest_data))
end

-- Servers take nothing but text in the results of tools: their pictures follow in a message of the user's.
local function add_round(list, round, sent, marks)
  local calls, seen = json.list(), {}
  for i, result in ipairs(round) do
    calls[i] = { id = result.id, type = "function", ["function"] = { name = result.name,
      arguments = result.arguments } }
  end
  list[#list + 1] = { role = "assistant", content = round.said ~= "" and round.said or nil, tool_calls = calls }
  for _, result in ipairs(round) do
    list[#list + 1] = { role = "tool", tool_call_id = result.id, content = words_of(result, marks) }
    for _, picture in ipairs(result.pictures or {}) do
      if #seen == 0 then seen[1] = { type = "text", text = "PICTURES FROM YOUR LOOK-UPS:" } end
      add_picture(seen, picture, sent, marks)
    end
  end
  if #seen > 0 then list[#list + 1] = { role = "user", content = seen } end
end

--- The messages of a request.
---@param request { system: string, text: string, warning: string?, images: deskpilot.picture[],
---  results: deskpilot.lookup_round[]? }
---@param most integer the most pictures that may be sent, 0: any number
---@param marks deskpilot.untrusted between which the results of look-ups stand; what they mean ends the system prompt
---@return table[]
function messages.of(request, most, marks)
  local user = request.text
  if request.warning then user = user .. "\n\nWARNING: " .. marks:clean(request.warning) end
  local rounds = request.results or {}
  local content, sent = { { type = "text", text = user } }, chosen(request.images, rounds, most)
  for _, picture in ipairs(request.images) do add_picture(content, picture, sent, marks) end
  local system = ("%s\n\n%s"):format(text.trim(marks:clean(request.system)), marks:sentence())
  local list = { { role = "system", content = system }, { role = "user", content = content } }
  for _, round in ipairs(rounds) do add_round(list, round, sent, marks) end
  return list
end

return messages
