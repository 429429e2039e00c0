--- A chat request in three forms: a table in OpenAI's schema; the body that is sent, a list of strings, in which the
--- base64 of an image is the caller's string and is not copied; and the record in the run directory, with the paths of
--- images.
local uv = require "luv"
local json = require "deskpilot.base.json"
local secrets = require "deskpilot.model.secrets"
local text_tools = require "deskpilot.base.text"

local request = {}

---@class deskpilot.model.request
---@field persona string? for the record; not sent, as turn and goal are not
---@field turn integer? in which it is asked
---@field goal string? the path of the goal within the run that it is asked for
---@field mark string? the word of the run's marks, for the record; not sent by itself
---@field messages table[] OpenAI messages; an image is { type = "image", base64 =, mime =, path = }
---@field tools table[]?
---@field temperature number?
---@field max_tokens integer?
---@field facts deskpilot.literal.facts? what `literal` reads instead of the messages; not sent

-- Characters that could end or break the JSON string around the base64. Each is searched for with a plain find, which
-- is as fast as memchr; a pattern for the base64 alphabet takes 25 ms for a screenshot.
local breaking = { '"', "\\", "\n", "\r", "\0" }

local function check_image(part)
  local good = type(part.base64) == "string"
  for _, c in ipairs(breaking) do good = good and not part.base64:find(c, 1, true) end
  if not good then error("an image part needs `base64`, a string of base64 without line ends", 0) end
  local mime = part.mime or "image/png"
  if not mime:find("^image/[%w.+-]+$") then error("not the MIME type of an image: " .. mime, 0) end
  return mime
end

local function convert_content(content, image_url)
  if type(content) ~= "table" then return content end
  local parts = json.list()
  for i, part in ipairs(content) do
    if part.type == "image" then
      parts[i] = { type = "image_url", image_url = { url = image_url(part) } }
    else
      parts[i] = part
    end
  end
  return parts
end

--- The request in OpenAI's schema.
---@param source deskpilot.model.request
---@param model string
---@param image_url fun(part: table): string the URL to put for an image
function request.table(source, model, image_url)
  local messages = json.list()
  for i, message in ipairs(source.messages) do
    messages[i] = {
      role = message.role, content = convert_content(message.content, image_url),
      tool_calls = message.tool_calls, tool_call_id = message.tool_call_id, name = message.name,
    }
  end
  local with_tools = source.tools and #source.tools > 0
  return {
    model = model, messages = messages,
    temperature = source.temperature, max_tokens = source.max_tokens,
    tools = with_tools and json.list(source.tools) or nil,
    tool_choice = with_tools and "auto" or nil,
  }
end

local function split(text, mark, images)
  local pieces, from = {}, 1
  for index, image in ipairs(images) do
    local mark_of_image = mark .. index .. "."
    local first, last = text:find(mark_of_image, from, true)
    pieces[#pieces + 1] = text:sub(from, first - 1)
    pieces[#pieces + 1] = image
    from = last + 1
  end
  pieces[#pieces + 1] = text:sub(from)
  return pieces
end

--- The body, as a list of strings to send one after the other.
---@return string[]
function request.pieces(source, model)
  -- Each image is replaced by a random mark, and the encoded body is split at the marks. Nobody can guess the mark, so
  -- no text from a screen or a model can contain it.
  local mark, images = "image-" .. text_tools.hex(uv.random(16)) .. "-", {}
  local body = request.table(source, model, function(part)
    local mime = check_image(part)
    table.insert(images, part.base64)
    return "data:" .. mime .. ";base64," .. mark .. #images .. "."
  end)
  return split(json.encode(body), mark, images)
end

--- The request for the run's files: images are replaced by their paths, secrets are masked.
---@return table
function request.record(source, model)
  local record = request.table(source, model, function(part)
    return part.path or ("(an image of %d base64 characters)"):format(#(part.base64 or ""))
  end)
  record = secrets.mask_all(record)
  record.persona, record.turn, record.goal, record.mark = source.persona, source.turn, source.goal, source.mark
  return record
end

return request
