--- What a server's tool or resource gives, as the result of a tool here: words, data and pictures. All of it is from
--- outside, and limited.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local mcp_results = {}

local most = { blocks = 200, text = 20000, failure = 2000, pictures = 8, base64 = 8 * 2 ^ 20 // 1, data = 100000 }

local pictured = { ["image/png"] = true, ["image/jpeg"] = true, ["image/webp"] = true, ["image/gif"] = true }

local function string_of(value) return type(value) == "string" and value or nil end

local function kind_of(value) return text.cut(text.one_line(string_of(value) or "no type"), 60) end

local function add_picture(found, data, mime, caption)
  if type(data) ~= "string" or not pictured[mime] then
    return ("(a picture of the type %s, which cannot be shown)"):format(kind_of(mime))
  elseif #data > most.base64 then
    return ("(a picture of %d MB, which is too large)"):format(#data * 3 // 4 >> 20)
  elseif #found.pictures == most.pictures then
    return "(one picture more, which is left out)"
  end
  found.pictures[#found.pictures + 1] = { base64 = data, mime = mime, caption = caption }
  return nil
end

local function add_contents(found, contents, caption)
  contents = type(contents) == "table" and contents or {}
  local uri = text.cut(text.one_line(string_of(contents.uri) or ""), 300)
  if type(contents.text) == "string" then return (uri ~= "" and uri .. ":\n" or "") .. contents.text end
  if pictured[contents.mimeType] then return add_picture(found, contents.blob, contents.mimeType, caption) end
  return ("(%s: %s of the type %s, which is no text)"):format(uri, type(contents.blob) == "string"
    and ("%d bytes"):format(#contents.blob * 3 // 4) or "nothing", kind_of(contents.mimeType))
end

local blocks = {}

function blocks.text(_, block) return string_of(block.text) end

function blocks.image(found, block, caption) return add_picture(found, block.data, block.mimeType, caption) end

function blocks.audio(_, block) return ("(a sound of the type %s, which cannot be heard here)"):format(
  kind_of(block.mimeType)) end

function blocks.resource(found, block, caption) return add_contents(found, block.resource, caption) end

function blocks.resource_link(_, block)
  return ("(a resource: %s, %s)"):format(text.cut(text.one_line(string_of(block.uri) or "without an address"), 500),
    text.cut(text.one_line(string_of(block.title) or string_of(block.name) or ""), 100))
end

-- Whether a text says only what the data say: then it need not be told twice.
local function says_the_same(words, data)
  if not words:find "^%s*[{[]" then return false end
  local value = json.decode(words)
  if value == nil then return false end
  local ok, same = pcall(function() return json.encode(value) == json.encode(data) end)
  return ok and same
end

local function data_of(found, structured)
  if structured == nil or structured == json.null then return nil end
  local ok, written = pcall(json.encode, structured)
  if ok and #written <= most.data then return structured end
  found.words[#found.words + 1] = "(data that are too large to be shown)"
  return nil
end

local function cut(words, limit)
  if #words <= limit then return words end
  return ("%s\n(%d characters more)"):format(text.cut(words, limit), #words - limit)
end

--- The result of a tool's call.
---@param raw table the server's result
---@param name string the tool, for captions
---@return deskpilot.tool_result? result, deskpilot.error? err what the server says has gone wrong
function mcp_results.of_call(raw, name)
  local found = { words = {}, pictures = {} }
  local caption = ("A picture that %s has given:"):format(name)
  local data = data_of(found, raw.structuredContent)
  for i, block in ipairs(type(raw.content) == "table" and raw.content or {}) do
    if i > most.blocks then break end
    local read = type(block) == "table" and blocks[block.type]
    local words = read and read(found, block, caption)
      or not read and ("(content of the type %s, which is not known)"):format(kind_of(
        type(block) == "table" and block.type)) or nil
    if words and not (data ~= nil and says_the_same(words, data)) then found.words[#found.words + 1] = words end
  end
  local words = table.concat(found.words, "\n")
  if raw.isError == true then
    if words == "" then words = name .. " failed without saying why" end
    return errors.fail("refused", "%s", cut(words, most.failure))
  end
  if words == "" then words = data ~= nil and "the result is data" or #found.pictures > 0 and "a picture" or "done" end
  return { text = cut(words, most.text), data = data, pictures = found.pictures }
end

--- The contents of a resource.
---@param contents table[] the server's
---@param uri string
---@return deskpilot.tool_result
function mcp_results.of_contents(contents, uri)
  local found = { words = {}, pictures = {} }
  local caption = ("The resource %s:"):format(text.cut(text.one_line(uri), 200))
  for i, item in ipairs(contents) do
    if i > most.blocks then break end
    found.words[#found.words + 1] = add_contents(found, item, caption)
  end
  local words = table.concat(found.words, "\n")
  return { text = words ~= "" and cut(words, most.text) or #found.pictures > 0 and "a picture" or "it is empty",
    pictures = found.pictures }
end

return mcp_results
