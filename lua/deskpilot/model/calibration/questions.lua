--- The questions of a calibration: one request each, on pictures that were drawn for it.
local decode = require "deskpilot.model.decode"
local image = require "native.image"
local json = require "deskpilot.base.json"
local spaces = require "deskpilot.model.space"
local text = require "deskpilot.base.text"

local questions = {}

local most_tokens = 400 -- of an answer, with its thinking

local function image_part(bytes)
  return { type = "image", base64 = image.base64(bytes), mime = "image/png" }
end

local function request(system, words, picture, more)
  local content = { { type = "text", text = words } }
  if picture then content[#content + 1] = image_part(assert(picture:png())) end
  local chat = { persona = "calibration", max_tokens = most_tokens, temperature = 0,
    messages = { { role = "system", content = system }, { role = "user", content = content } } }
  for key, value in pairs(more or {}) do chat[key] = value end
  return chat
end

local function said_by(reply)
  return ((reply.content or "") ~= "" and reply.content or reply.thinking or ""):lower()
end

--- Which of these words is in the answer to a question about a picture: nil for none or several.
---@param client deskpilot.model.client
---@param words string
---@param picture native.Image?
---@param choices string[]
---@return string? choice, deskpilot.error? err, deskpilot.model.reply? reply
function questions.choice(client, words, picture, choices)
  local reply, err = client:chat(request("You answer in one word.", words, picture))
  if not reply then return nil, err end
  local found
  for _, choice in ipairs(choices) do
    if said_by(reply):find(choice, 1, true) then
      if found then return nil, nil, reply end
      found = choice
    end
  end
  return found, nil, reply
end

-- --- pointing ------------------------------------------------------------------------------------------------

local function tool_of(space)
  return { type = "function", ["function"] = { name = "click", description = "Click something in the screenshot.",
    parameters = { type = "object", required = json.list { "position" }, additionalProperties = false,
      properties = { position = { type = "array", items = { type = "number" }, minItems = 2, maxItems = 2,
        description = ("Its middle as %s."):format(space:words "position") } } } } }
end

-- Adds the numbers of a value: of a list, of lists in it, of the fields x and y, of a text.
local function collect(value, found, depth)
  if #found >= 8 or depth > 5 then return end
  if type(value) == "number" then
    found[#found + 1] = value
  elseif type(value) == "string" and #value < 400 then
    for word in value:gmatch "%-?%d+%.?%d*" do found[#found + 1] = tonumber(word) end
  elseif type(value) == "table" then
    if type(value.x) == "number" and type(value.y) == "number" then
      found[#found + 1], found[#found + 2] = value.x, value.y
      return
    end
    for _, item in ipairs(value) do collect(item, found, depth + 1) end
  end
end

local function numbers_in(value)
  local found = {}
  collect(value, found, 1)
  if #found < 2 then return nil end
  return #found >= 4 and table.move(found, 1, 4, 1, {}) or { found[1], found[2] }
end

local names = { "position", "coordinate", "coordinates", "point", "points", "start_box", "start_point", "bbox_2d",
  "point_2d", "box", "bbox", "element", "start", "target" }

-- The numbers of a call: of the argument that is usual for a place, else of the first that has some.
local function numbers_of_call(args)
  if type(args) ~= "table" then return nil end
  if args.x ~= nil and args.y ~= nil then return numbers_in { args.x, args.y } end
  for _, name in ipairs(names) do
    local numbers = args[name] ~= nil and numbers_in(args[name])
    if numbers then return numbers end
  end
  for _, name in ipairs(text.keys(args)) do
    local numbers = numbers_in(args[name])
    if numbers then return numbers end
  end
end

-- The first list of two or four numbers in words: "(512, 300)", "[[1, 2, 3, 4]]", "512 300".
local function numbers_of_words(words)
  words = words:sub(1, 4000)
  for at in words:gmatch "()[%[%(<{]" do
    local numbers = numbers_in(words:sub(at, at + 120):match "^[^%a]*")
    if numbers then return numbers end
  end
  return numbers_in(words:sub(1, 300))
end

---@class deskpilot.calibration.answer
---@field numbers number[]? nil where it gives no place
---@field native boolean? it came as a call, in the way of the wire
---@field called boolean? it came as a call, also one that is written in the text
---@field reply deskpilot.model.reply

--- Asks where something is.
---@param client deskpilot.model.client
---@param picture deskpilot.calibration.picture
---@param target deskpilot.calibration.target
---@param with_tools boolean else it is asked for JSON in words
---@return deskpilot.calibration.answer? answer, deskpilot.error? err
function questions.point(client, picture, target, with_tools)
  local space = spaces.of(client.profile, picture.width, picture.height)
  local order = ("Click %s."):format(target.name)
  local system = ("You operate a computer by looking at a screenshot of %d x %d pixels. Positions are %s. "):format(
    picture.width, picture.height, space:words "position")
  local chat
  if with_tools then
    chat = request(system .. "Answer by calling the tool `click` once.", order, picture.image,
      { tools = { tool_of(space) } })
  else
    chat = request(system .. ('Answer with nothing but one JSON object: {"position": %s}'):format(space:point_words()),
      order, picture.image)
  end
  local reply, err = client:chat(chat)
  if not reply then return nil, err end
  local answer = { reply = reply, native = #reply.tool_calls > 0 }
  for _, call in ipairs(decode.calls(reply, client.profile)) do
    answer.called, answer.numbers = true, answer.numbers or numbers_of_call(call.args)
  end
  local value = decode.json(reply.content or "")
  if not answer.numbers and type(value) == "table" then answer.numbers = numbers_of_call(value) or numbers_in(value) end
  if not answer.numbers then answer.numbers = numbers_of_words(reply.content or "") end
  return answer
end

--- How many calls there are in the answer to a question that needs two.
---@param client deskpilot.model.client
---@param picture deskpilot.calibration.picture
---@return integer? calls, deskpilot.error? err
function questions.two_calls(client, picture)
  local space = spaces.of(client.profile, picture.width, picture.height)
  local reply, err = client:chat(request("You operate a computer by looking at a screenshot. Call the tool `click` "
    .. "twice in one answer, in the order that you are told.", ("Click %s, then %s."):format(picture.targets[1].name,
    picture.targets[2].name), picture.image, { tools = { tool_of(space) } }))
  if not reply then return nil, err end
  return #decode.calls(reply, client.profile)
end

--- Whether a call that is demanded (`tool_choice`) is made, where the words ask for none.
---@param client deskpilot.model.client
---@return boolean? obeyed, deskpilot.error? err
function questions.demand(client)
  local tool = { type = "function", ["function"] = { name = "note", description = "Write a word down.",
    parameters = { type = "object", required = json.list { "word" }, properties = { word = { type = "string" } } } } }
  local reply, err = client:chat(request("You are brief.", "Greet me in one word.", nil,
    { tools = { tool }, tool_choice = "required" }))
  if not reply then return nil, err end
  return #reply.tool_calls > 0
end

return questions
