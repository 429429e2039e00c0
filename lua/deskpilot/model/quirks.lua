--- What a server does not take of a request, learned from its refusals (refusal.lua): how a request is changed for it,
--- and a file in the user's cache that remembers it for each model and server, so that it is learned once. The file
--- may be erased at any time; what cannot be read in it counts as not there.
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local quirks = {}

local version = 1
local most_bytes = 256 * 1024
local most_entries = 200 -- models at servers; those that were learned longest ago go first
local most_names = 16 -- parameters of one
local longest_name = 64
local lifetime = 30 * 86400 -- seconds, after which a server may have learned better

--- What is known of a model at a server, beside what its profile says.
---@class deskpilot.model.quirks
---@field refuses table<string, true> parameters that are left out
---@field renames table<string, string> parameters that go under another name
---@field content "text"? contents are texts and not lists of parts
---@field system "user"? what a system message would say begins the user's
---@field stream boolean? true: only streams are answered; false: none
---@field pictures integer? the most of one request
---@field tools "text"? tools have to be described in words
---@field told boolean? it was said that the model was never calibrated

--- Nothing is known.
---@param profile { refuses: string[]?, renames: table<string, string>? }? what it says goes in
---@return deskpilot.model.quirks
function quirks.new(profile)
  local known = { refuses = {}, renames = {} }
  for _, name in ipairs(profile and profile.refuses or {}) do known.refuses[name] = true end
  for name, to in pairs(profile and profile.renames or {}) do known.renames[name] = to end
  return known
end

--- Adds what one refusal has taught.
---@param known deskpilot.model.quirks
---@param refusal deskpilot.model.refusal
---@return string? sentence what will be done from now on; nil where it was known already, so it was no help
function quirks.add(known, refusal)
  if refusal.drop == "stream" then refusal = { stream = false } end
  if refusal.drop then
    if known.refuses[refusal.drop] then return nil end
    known.refuses[refusal.drop] = true
    return ("does not take %s, which is left out from now on"):format(refusal.drop)
  elseif refusal.rename then
    if known.renames[refusal.rename] then return nil end
    known.renames[refusal.rename] = refusal.to
    return ("takes %s in place of %s"):format(refusal.to, refusal.rename)
  end
  local sentences = {
    content = "takes texts alone and no lists of parts, and gets them from now on",
    system = "takes no system message, whose words begin the first message from now on",
    stream = refusal.stream and "answers by streams alone, and is asked for them from now on"
      or "gives no streams, and is asked for none from now on",
    pictures = refusal.pictures == 0 and "takes no pictures: the model sees the words about the screen alone"
      or ("takes at most %d of the pictures of a request"):format(refusal.pictures or 0),
    tools = "takes no tools, which are described in words from now on",
  }
  for name, sentence in pairs(sentences) do
    local value = refusal[name]
    if value ~= nil and known[name] ~= value then
      known[name] = value
      return sentence
    end
  end
end

-- --- changing a request --------------------------------------------------------------------------------------

local function joined_text(parts)
  local words = {}
  for i, part in ipairs(parts) do
    if type(part) ~= "table" or part.type ~= "text" then return nil end
    words[i] = part.text
  end
  return table.concat(words, "\n\n")
end

local function contents_as_text(messages)
  for _, message in ipairs(messages) do
    if type(message.content) == "table" then message.content = joined_text(message.content) or message.content end
  end
end

local function system_as_user(messages)
  local first, second = messages[1], messages[2]
  if not (first and first.role == "system") then return end
  if not (second and second.role == "user") then
    first.role = "user"
    return
  end
  table.remove(messages, 1)
  if type(second.content) == "string" then
    second.content = first.content .. "\n\n" .. second.content
  else
    table.insert(second.content, 1, { type = "text", text = first.content })
  end
end

--- Changes the body of a request, before it is JSON.
---@param known deskpilot.model.quirks
---@param body table as a wire makes it, new for this request
function quirks.apply(known, body)
  if type(body.messages) == "table" then
    if known.system == "user" then system_as_user(body.messages) end
    if known.content == "text" then contents_as_text(body.messages) end
  end
  for _, place in ipairs { body, body.generationConfig } do -- the latter is Gemini's
    for name, to in pairs(known.renames) do
      if place[name] ~= nil then place[to], place[name] = place[name], nil end
    end
    for name in pairs(known.refuses) do place[name] = nil end
  end
end

--- What of a request a refusal may be about: its parameters, wherever they stand in it, but for those without which it
--- would be none.
---@param body table
---@param needs table<string, true>? that the wire cannot do without
---@return table
function quirks.parameters(body, needs)
  local all = {}
  for _, place in ipairs { body, body.generationConfig } do
    for name, value in pairs(place) do
      if not (needs and needs[name]) then all[name] = value end
    end
  end
  return all
end

-- --- remembering ---------------------------------------------------------------------------------------------

--- The file, in the user's cache.
---@return string
function quirks.path()
  return files.join(files.user_cache_folder(), "servers.json")
end

local function is_name(value)
  return type(value) == "string" and #value <= longest_name and value:find("^[%w_]+$") ~= nil
end

local function read_names(list, read)
  local names, count = {}, 0
  for name, value in pairs(type(list) == "table" and list or {}) do
    local good, as = read(name, value)
    count = count + 1
    if good and count <= most_names then names[good] = as end
  end
  return names
end

-- One entry, of which only what is as it should be is taken.
local function read_entry(entry)
  if type(entry) ~= "table" or type(entry.at) ~= "number" then return nil end
  local pictures = type(entry.pictures) == "number" and math.tointeger(entry.pictures) or nil
  local stream = entry.stream
  if type(stream) ~= "boolean" then stream = nil end
  return {
    refuses = read_names(entry.refuses, function(_, name) return is_name(name) and name, true end),
    renames = read_names(entry.renames, function(name, to) return is_name(name) and is_name(to) and name, to end),
    content = entry.content == "text" and "text" or nil, system = entry.system == "user" and "user" or nil,
    told = entry.told == true or nil, stream = stream, tools = entry.tools == "text" and "text" or nil,
    pictures = pictures and pictures >= 0 and pictures <= 1000 and pictures or nil, at = entry.at,
  }
end

-- All entries that hold now.
local function load(path, now)
  local words = files.read(path, most_bytes)
  local data = words and json.decode(words, { bytes = most_bytes, values = 20000, depth = 8 })
  local list = {}
  if type(data) ~= "table" or data.version ~= version or type(data.servers) ~= "table" then return list end
  for key, value in pairs(data.servers) do
    local entry = type(key) == "string" and read_entry(value)
    if entry and entry.at <= now and now - entry.at < lifetime then list[key] = entry end
  end
  return list
end

local function key_of(endpoint, model)
  return ("%s %s"):format(endpoint, model)
end

--- Adds what the file remembers of a model at a server.
---@param known deskpilot.model.quirks
---@param path string
---@param endpoint string
---@param model string
function quirks.recall(known, path, endpoint, model)
  local entry = load(path, os.time())[key_of(endpoint, model)]
  if not entry then return end
  for name in pairs(entry.refuses) do known.refuses[name] = true end
  for name, to in pairs(entry.renames) do known.renames[name] = to end
  for _, name in ipairs { "content", "system", "stream", "pictures", "tools", "told" } do
    if entry[name] ~= nil then known[name] = entry[name] end
  end
end

local function drop_oldest(list)
  local keys = text.keys(list)
  table.sort(keys, function(a, b) return list[a].at > list[b].at end)
  for i = most_entries + 1, #keys do list[keys[i]] = nil end
end

local function written(known, now)
  local copy = { at = now, refuses = json.list(), renames = next(known.renames) and known.renames or nil }
  for _, name in ipairs(text.keys(known.refuses)) do table.insert(copy.refuses, name) end
  for _, name in ipairs { "content", "system", "stream", "pictures", "tools", "told" } do copy[name] = known[name] end
  return copy
end

--- Remembers what is known of a model at a server. Two programs that learn in the same moment may cost one of them what
--- it has written, which it learns again.
---@param known deskpilot.model.quirks
---@param path string
---@param endpoint string
---@param model string
---@return boolean? ok, deskpilot.error? err
function quirks.remember(known, path, endpoint, model)
  local now = os.time()
  local list = load(path, now)
  for key, entry in pairs(list) do list[key] = written(entry, entry.at) end
  list[key_of(endpoint, model)] = written(known, now)
  drop_oldest(list)
  local ok, err = files.make_folder((files.split(path)), { private = true })
  if not ok then return nil, err end
  return files.write(path, json.encode { version = version, servers = list } .. "\n", { private = true, sync = false })
end

return quirks
