--- The messages of a request, from which its wire makes what is sent: what a persona is told, the pictures that go with
--- it, and the look-ups that it has made already, with their results.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"
local tool_text = require "deskpilot.model.tool_text"

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
---@field from string? the id of the call in the model's answer
---@field failed boolean?

--- Look-ups that came in one answer. said: the answer's own words; turn: the answer as its wire has it; correction: it
--- holds no look-ups, but could not be used, and why
---@class deskpilot.lookup_round: { [integer]: deskpilot.lookup, said: string?, turn: deskpilot.model.turn?,
---  correction: string? }

local longest_data = 20000 -- characters of a result's data
local longest_result = { 4000, 1000 } -- characters of a look-up's result, where the request was too long once and twice

-- Which of the pictures are sent: the last one of the request itself, which positions are points of, then the latest.
local function chosen(request, rounds, most)
  local own = {}
  for _, part in ipairs(request.earlier or {}) do table.move(part.images, 1, #part.images, #own + 1, own) end
  table.move(request.images, 1, #request.images, #own + 1, own)
  local order, sent = {}, {}
  for _, round in ipairs(rounds) do
    for _, result in ipairs(round) do
      for _, picture in ipairs(result.pictures or {}) do table.insert(order, 1, picture) end
    end
  end
  for i = #own - 1, 1, -1 do order[#order + 1] = own[i] end
  if #own > 0 then table.insert(order, 1, own[#own]) end
  for i, picture in ipairs(order) do sent[picture] = most == 0 or i <= most end
  return sent
end

local function add_picture(content, picture, sent, marks, detail)
  local caption = picture.caption
  if caption then caption = picture.outside and marks:wrap(caption) or marks:clean(caption) end
  if not sent[picture] then
    caption = ("(%s This picture is left out: only so many may be sent.)"):format(caption or "A picture.")
  end
  if caption then content[#content + 1] = { type = "text", text = caption } end
  if sent[picture] then
    local shot = picture.shot
    content[#content + 1] = { type = "image", base64 = picture.base64, mime = picture.mime, path = picture.path,
      detail = detail, width = shot and shot.width, height = shot and shot.height }
  end
end

local function words_of(result, marks, short)
  if result.own then return result.text end
  local ok, data = pcall(json.encode, result.data)
  local words = result.text
  if result.data ~= nil and ok then words = words .. "\n" .. text.cut(data, longest_data) end
  return marks:wrap(short > 0 and text.cut(words, longest_result[short]) or words)
end

-- For a model without tool calls: its answer as it was, and the results as the user's words.
local function add_round_in_words(list, round, sent, marks, request)
  local said = round.said and round.said:find("%S") and round.said or "(Without words.)"
  list[#list + 1] = { role = "assistant", content = said }
  local words, content = {}, {}
  for i, result in ipairs(round) do
    words[i] = tool_text.result(result.name, words_of(result, marks, request.short or 0))
    for _, picture in ipairs(result.pictures or {}) do add_picture(content, picture, sent, marks, request.detail) end
  end
  table.insert(content, 1, { type = "text", text = table.concat(words, "\n\n") })
  list[#list + 1] = { role = "user", content = content }
end

local function add_correction(list, round, marks)
  list[#list + 1] = { role = "assistant", content = round.said }
  list[#list + 1] = { role = "user", content = marks:clean(round.correction) }
end

local function add_round(list, round, sent, marks, request)
  if round.correction then return add_correction(list, round, marks) end
  if request.described then return add_round_in_words(list, round, sent, marks, request) end
  local calls = json.list()
  for i, result in ipairs(round) do
    calls[i] = { id = result.id, type = "function", ["function"] = { name = result.name,
      arguments = result.arguments } }
  end
  list[#list + 1] = { role = "assistant", content = round.said ~= "" and round.said or nil, tool_calls = calls,
    turn = round.turn }
  for _, result in ipairs(round) do
    local content = words_of(result, marks, request.short or 0)
    if result.pictures and #result.pictures > 0 then
      content = { { type = "text", text = content } }
      for _, picture in ipairs(result.pictures) do add_picture(content, picture, sent, marks, request.detail) end
    end
    list[#list + 1] = { role = "tool", tool_call_id = result.id, content = content, from = result.from,
      failed = result.failed }
  end
end

--- The messages of a request. The user's first one has in `stable` how many of its parts come again, word for word, in
--- the persona's next request where that goes on from this one: with the tools and the system prompt, what is worth
--- keeping in a cache.
---@param request { system: string, text: string, warning: string?, images: deskpilot.picture[],
---  earlier: { text: string, images: deskpilot.picture[] }[]?, results: deskpilot.lookup_round[]?, detail: string?,
---  short: integer?, described: string? } earlier: what was sent before and comes first; short: how often it was too
---  long; described: its tools, for a model that has none
---@param most integer the most pictures that may be sent, 0: any number, below 0: none
---@param marks deskpilot.untrusted between which the results of look-ups stand; what they mean ends the system prompt
---@return table[]
function messages.of(request, most, marks)
  local rounds = request.results or {}
  if (request.short or 0) > 0 and most >= 0 then most = 1 end
  local content, sent = {}, chosen(request, rounds, most)
  for _, part in ipairs(request.earlier or {}) do
    content[#content + 1] = { type = "text", text = part.text }
    for _, picture in ipairs(part.images) do add_picture(content, picture, sent, marks, request.detail) end
  end
  content[#content + 1] = { type = "text", text = request.text }
  for _, picture in ipairs(request.images) do add_picture(content, picture, sent, marks, request.detail) end
  local stable = #content
  if request.warning then
    content[#content + 1] = { type = "text", text = "\n\nWARNING: " .. marks:clean(request.warning) }
  end
  local system = text.trim(marks:clean(request.system))
  if request.described then system = system .. "\n\n" .. marks:clean(request.described) end
  system = ("%s\n\n%s"):format(system, marks:sentence())
  local list = { { role = "system", content = system }, { role = "user", content = content, stable = stable } }
  for _, round in ipairs(rounds) do add_round(list, round, sent, marks, request) end
  return list
end

return messages
