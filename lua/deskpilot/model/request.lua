--- A request in two forms: the body that is sent, a list of strings, in which the base64 of an image is the caller's
--- string and is not copied; and the record in the run directory, with the paths of images.
local uv = require "luv"
local json = require "deskpilot.base.json"
local chat = require "deskpilot.model.wires.chat"
local quirks = require "deskpilot.model.quirks"
local secrets = require "deskpilot.model.secrets"
local text_tools = require "deskpilot.base.text"

local request = {}

---@class deskpilot.model.request
---@field persona string? for the record; not sent, as turn and goal are not
---@field turn integer? in which it is asked
---@field goal string? the path of the goal within the run that it is asked for
---@field mark string? the word of the run's marks, for the record; not sent by itself
---@field messages deskpilot.model.message[]
---@field tools table[]?
---@field on_text (fun(view: deskpilot.model.wire.view))? is called while the answer comes, where it comes as a stream
---@field on_call (fun(reply: deskpilot.model.reply): deskpilot.model.handed)? is given the first calls of an answer
---  that comes as a stream as soon as each of them is whole (deskpilot.model.early); it may act on them
---@field tool_choice string? "required": a tool has to be called; else it is the model's to decide
---@field temperature number?
---@field max_tokens integer?
---@field space table? in which its positions are, for the record; not sent
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
---@param source deskpilot.model.request
---@param wire deskpilot.model.wire
---@param how { model: string, profile: deskpilot.model.profile?, streamed: boolean?, quirks: deskpilot.model.quirks? }
---@return string[] pieces, table body what they say, with marks in place of images
function request.pieces(source, wire, how)
  -- Each image is replaced by a random mark, and the encoded body is split at the marks. Nobody can guess the mark, so
  -- no text from a screen or a model can contain it.
  local mark, images = "image-" .. text_tools.hex(uv.random(16)) .. "-", {}
  local body = wire.body(source, { model = how.model, profile = how.profile, streamed = how.streamed,
    image = function(part)
      local mime = check_image(part)
      table.insert(images, part.base64)
      return mark .. #images .. ".", mime
    end })
  if how.quirks then quirks.apply(how.quirks, body) end
  return split(json.encode(body), mark, images), body
end

-- The request with the paths of its images in their place.
local function with_paths(source)
  local copy = setmetatable({ messages = {} }, { __index = source })
  for i, message in ipairs(source.messages) do
    local content = message.content
    if type(content) == "table" then
      content = json.list()
      for k, part in ipairs(message.content) do
        content[k] = part.type ~= "image" and part or { type = "image_url", image_url = { url = part.path
          or ("(an image of %d base64 characters)"):format(#(part.base64 or "")) } }
      end
    end
    copy.messages[i] = setmetatable({ content = content }, { __index = message })
  end
  return copy
end

--- The request for the run's files, as Chat Completions has it, whatever the wire: images are replaced by their paths,
--- secrets are masked.
---@param source deskpilot.model.request
---@param model string
---@param wire deskpilot.model.wire? by which it goes, where it goes
---@param unmasked boolean? for who masks them as it is written (secrets.encode)
---@return table
function request.record(source, model, wire, unmasked)
  local record = chat.body(with_paths(source), { model = model })
  record.persona, record.turn, record.goal, record.mark = source.persona, source.turn, source.goal, source.mark
  record.space, record.wire = source.space, wire and wire.name ~= "chat" and wire.name or nil
  return unmasked and record or secrets.mask_all(record)
end

return request
