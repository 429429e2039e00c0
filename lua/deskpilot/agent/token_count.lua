--- How many tokens a request has, by its parts, and how many of them are new: not in a beginning that an earlier
--- request of the run has too, byte for byte, as caches of servers keep it. Estimated: each model has its own
--- tokenizer. For our requests the estimate is within a few hundredths of what that of Qwen3 says (docs/models.md).
---
--- A request is one text for this: its tools as JSON, one a line, then the messages in their order, each with its role;
--- what it shows is in the place of a picture.
local json = require "deskpilot.base.json"

local token_count = {}

local usual_patch = 32 -- pixels a side of what counts as one token in a picture
local unknown_picture = 1000 -- tokens of one that brings no size along
local kept = 3 -- requests of each persona that a new one is compared with

-- A word is a token for each so many letters, a digit is one, and so are up to so many signs in a row.
local letters, signs = 10, 4

--- The tokens of a text, about.
---@param text string
---@return integer
function token_count.of_text(text)
  local count = 0
  for word in text:gmatch "%a+" do count = count + 1 + (#word - 1) // letters end
  for run in text:gmatch "%p+" do count = count + 1 + (#run - 1) // signs end
  for _ in text:gmatch "%d" do count = count + 1 end
  for _ in text:gmatch "\n+" do count = count + 1 end
  for run in text:gmatch "[\128-\255]+" do count = count + 1 + (#run - 1) // 3 end
  return count
end

--- The tokens of a picture: one for each patch that it covers, also in part.
---@param width integer
---@param height integer
---@param profile deskpilot.model.profile? whose patches they are
---@return integer
function token_count.of_picture(width, height, profile)
  local wanted = profile and profile.picture or {}
  local patch = wanted.patch or wanted.factor or usual_patch
  if patch < 8 then patch = usual_patch end -- a factor of 1 or 2 is no patch
  return -(-width // patch) * -(-height // patch)
end

---@class deskpilot.token_count.piece
---@field text string
---@field tokens integer? of a picture
---@field kind "tools"|"system"|"text"|"pictures"

-- The request as pieces, in their order.
local function pieces_of(chat, profile)
  local list = {}
  for _, tool in ipairs(chat.tools or {}) do list[#list + 1] = { text = json.encode(tool) .. "\n", kind = "tools" } end
  for _, message in ipairs(chat.messages) do
    local kind = message.role == "system" and "system" or "text"
    local content = message.content or ""
    list[#list + 1] = { text = message.role .. "\n", kind = kind }
    for _, part in ipairs(type(content) == "table" and content or { { text = content } }) do
      if part.type == "image" then
        list[#list + 1] = { text = part.path or part.base64, kind = "pictures",
          tokens = part.width and token_count.of_picture(part.width, part.height, profile) or unknown_picture }
      else
        list[#list + 1] = { text = part.text or "", kind = kind }
      end
    end
    if message.tool_calls then list[#list + 1] = { text = json.encode(message.tool_calls), kind = "text" } end
  end
  return list
end

local function tokens_of(piece)
  piece.tokens = piece.tokens or token_count.of_text(piece.text)
  return piece.tokens
end

local none = {}

-- A text that stands where it stood in an earlier request is not counted again.
local function take_counts(pieces, earlier)
  for i, piece in ipairs(pieces) do
    for _, other in ipairs(piece.tokens and none or earlier) do
      local same = other[i]
      if same and same.text == piece.text and same.kind == piece.kind then piece.tokens = same.tokens end
    end
  end
end

-- How many bytes two texts have in common at their beginning.
local function common(a, b)
  local low, high = 0, math.min(#a, #b)
  while low < high do
    local middle = (low + high + 1) // 2
    if a:sub(1, middle) == b:sub(1, middle) then low = middle else high = middle - 1 end
  end
  return low
end

-- How many tokens at the beginning an earlier request has too.
local function shared(pieces, earlier)
  local count = 0
  for i, piece in ipairs(pieces) do
    local other = earlier[i]
    if not other or other.kind ~= piece.kind then return count end
    if other.text ~= piece.text then
      if piece.kind == "pictures" then return count end
      return count + token_count.of_text(piece.text:sub(1, common(piece.text, other.text)))
    end
    count = count + tokens_of(piece)
  end
  return count
end

---@class deskpilot.token_count
---@field input integer all of the request's tokens
---@field new integer those that are in no beginning that an earlier request of the run had too
---@field tools integer
---@field system integer
---@field text integer
---@field pictures integer
---@field all_tools integer? what the tools would be if all were offered that the persona may be given

--- Counts a request, and keeps it for those that come after it.
---@param run deskpilot.run
---@param chat deskpilot.model.request
---@param model deskpilot.model.client
---@param all_tools table[]? the definitions of all tools that the persona may be given
---@return deskpilot.token_count
function token_count.of_request(run, chat, model, all_tools)
  local pieces = pieces_of(chat, model.profile)
  local result, best = { input = 0, tools = 0, system = 0, text = 0, pictures = 0 }, 0
  run.counted = run.counted or {}
  local key = ("%s %s"):format(model.name, chat.persona or "")
  local earlier = run.counted[key] or {}
  take_counts(pieces, earlier)
  for _, piece in ipairs(pieces) do
    local tokens = tokens_of(piece)
    result[piece.kind], result.input = result[piece.kind] + tokens, result.input + tokens
  end
  for _, other in ipairs(earlier) do best = math.max(best, shared(pieces, other)) end
  table.insert(earlier, 1, pieces)
  earlier[kept + 1], run.counted[key] = nil, earlier
  result.new = result.input - best
  if all_tools then
    result.all_tools = 0
    for _, tool in ipairs(all_tools) do
      result.all_tools = result.all_tools + token_count.of_text(json.encode(tool) .. "\n")
    end
  end
  return result
end

local fields = { "input", "new", "tools", "all_tools", "system", "text", "pictures" }

--- Adds what was counted of a request to sums, of which there are none yet where nil is given.
---@param sums table<string, integer>?
---@param counted table<string, integer> as an event has it
---@return table<string, integer> sums
function token_count.add(sums, counted)
  sums = sums or {}
  for _, name in ipairs(fields) do
    local value = math.tointeger(tonumber(counted[name]))
    if value then sums[name] = (sums[name] or 0) + value end
  end
  -- Those who may be given all tools that they have count as they are, so that both sums are of the same requests.
  if not counted.all_tools and counted.tools then sums.all_tools = (sums.all_tools or 0) + counted.tools end
  return sums
end

--- Sums as people read them.
---@param sums table<string, integer>
---@return string
function token_count.words(sums)
  return ("about %d in all requests, %d of them new: the others stand at the beginning of an earlier request, where a "
    .. "cache finds them; tools %d (%d if all were always offered), pictures %d"):format(sums.input or 0, sums.new or 0,
    sums.tools or 0, sums.all_tools or 0, sums.pictures or 0)
end

return token_count
