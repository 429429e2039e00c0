--- What `$ref` points at. Only references inside the same document are followed: "#", "#/$defs/name", "#anchor".
local keywords = require "deskpilot.base.schema.keywords"

local refs = {}

local most_schemas = 10000 -- looked through for anchors

-- What was found, by the document's table: it is not changed once it is in use.
local found = setmetatable({}, { __mode = "k" })

local function unescaped(part)
  part = part:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
  return (part:gsub("~1", "/"):gsub("~0", "~"))
end

local function by_pointer(root, pointer)
  local at = root
  for part in pointer:gmatch("/([^/]*)") do
    if type(at) ~= "table" then return nil end
    local key = unescaped(part)
    local place = key:find("^%d+$") and math.tointeger(tonumber(key))
    local inner = at[key]
    if inner == nil and place then inner = at[place + 1] end -- JSON counts from 0
    at = inner
  end
  if type(at) == "table" or type(at) == "boolean" then return at end
end

-- The schemas of a document that have an anchor, by its name.
local function anchors_of(root)
  local anchors, waiting, count = {}, { root }, 0
  while #waiting > 0 and count < most_schemas do
    local schema = table.remove(waiting)
    count = count + 1
    if type(schema) == "table" then
      for _, keyword in ipairs { "$anchor", "$dynamicAnchor" } do
        local name = schema[keyword]
        if type(name) == "string" and anchors[name] == nil then anchors[name] = schema end
      end
      keywords.each(schema, nil, function(inner) waiting[#waiting + 1] = inner end)
    end
  end
  return anchors
end

local function in_document(root, known, ref)
  local id = root["$id"]
  if type(id) == "string" and ref:sub(1, #id) == id then ref = "#" .. ref:sub(#id + 1):gsub("^#", "") end
  if ref == "#" then return root end
  if ref:sub(1, 2) == "#/" then return by_pointer(root, ref:sub(2)) end
  if ref:sub(1, 1) ~= "#" then return nil end
  known.anchors = known.anchors or anchors_of(root)
  return known.anchors[unescaped(ref:sub(2))]
end

--- The schema that a reference names.
---@param root table the whole document
---@param ref string
---@return table|boolean|nil schema nil if it is not in this document
function refs.find(root, ref)
  local known = found[root]
  if not known then
    known = { targets = {} }
    found[root] = known
  end
  if not known.targets[ref] then known.targets[ref] = { in_document(root, known, ref) } end
  return known.targets[ref][1]
end

return refs
