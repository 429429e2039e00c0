--- A mission's folder as one text, which a worker unpacks: a line of JSON that lists the files, then their bytes. The
--- text's SHA-256 is its name. Nothing outside the folder gets in, and nothing gets out of the one it is unpacked into.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local system = require "native.system"
local without_end = require("deskpilot.base.text").without_end

local bundle = {}

--- What one may have at most.
bundle.limits = { bytes = 32 << 20, files = 1000, depth = 16 }

local HEAD = { bytes = 1 << 20, values = 10000, depth = 4 } -- of the line of JSON

-- What runs leave behind, and what version control keeps, is no part of a mission.
local function left_out(name) return name == "runs" or name:sub(1, 1) == "." end

local function too_much(folder, what)
  return errors.fail("invalid", "%s has more than %s: a fleet's mission lies in a folder of its own, with nothing "
    .. "beside it but what it needs", folder, what)
end

local add_folder

local function add(list, root, path, name, depth)
  local relative = path == "" and name or path .. "/" .. name
  local at = files.join(root, relative)
  local stat, why = uv.fs_lstat(at)
  if not stat then return errors.fail("io", "cannot read %s: %s", at, tostring(why)) end
  if stat.type == "directory" then return add_folder(list, root, relative, depth + 1) end
  if stat.type ~= "file" then
    return errors.fail("invalid", "%s is a %s; a bundle has files and folders only: put a copy in its place", at,
      stat.type)
  end
  if #list.files >= bundle.limits.files then return too_much(root, bundle.limits.files .. " files") end
  if list.bytes + stat.size > bundle.limits.bytes then return too_much(root, (bundle.limits.bytes >> 20) .. " MB") end
  local text, err = files.read(at, bundle.limits.bytes - list.bytes)
  if not text then return nil, err end
  list.files[#list.files + 1] = { path = relative, size = #text }
  list.texts[#list.texts + 1] = text
  list.bytes = list.bytes + #text
  return true
end

function add_folder(list, root, path, depth)
  if depth > bundle.limits.depth then return too_much(root, bundle.limits.depth .. " folders in each other") end
  for _, name in ipairs(files.list(files.join(root, path))) do
    if not left_out(name) then
      local ok, err = add(list, root, path, name, depth)
      if not ok then return nil, err end
    end
  end
  return true
end

--- Makes the bundle of a folder. Equal contents are equal texts.
---@param folder string
---@return string? text, string|deskpilot.error hash_or_err invalid: too large, or with links
function bundle.make(folder)
  local list = { files = json.list(), texts = {}, bytes = 0 }
  local ok, err = add_folder(list, files.absolute(folder), "", 0)
  if not ok then return nil, err end
  local text = json.encode { version = 1, files = list.files } .. "\n" .. table.concat(list.texts)
  return text, system.sha256(text)
end

-- What Windows takes for devices in every folder, with whatever ending; COM1 to COM9 as COM0.
local DEVICES = { CON = true, PRN = true, AUX = true, NUL = true, ["CONIN$"] = true, ["CONOUT$"] = true, COM0 = true,
  LPT0 = true }

-- Whether it stays inside of the folder on every system.
local function is_inside(path)
  if type(path) ~= "string" or path == "" or #path > 1000 or path:find("[%c\\:]") then return false end
  local framed = "/" .. path .. "/"
  if framed:find("//", 1, true) or framed:find "/[. ]+/" then return false end -- to Windows ".. " may be ".."
  for name in (system.platform == "windows" and path or ""):gmatch "[^/]+" do
    local stem = without_end(name:match("^[^.]*"):upper(), " "):gsub("%d$", "0")
    if DEVICES[stem] then return false end
  end
  return select(2, path:gsub("/", "")) <= bundle.limits.depth
end

local function wrong(why) return errors.fail("protocol", "the mission's bundle %s", why) end

-- The list of files; every size and path in it is checked.
local function read_head(text, hash)
  if #text > bundle.limits.bytes + HEAD.bytes then return wrong "is too large" end
  if system.sha256(text) ~= hash then return wrong "is not the one that was sent: its SHA-256 is another" end
  local stop = text:find("\n", 1, true)
  local head, why = nil, "no line of JSON"
  if stop then head, why = json.decode(text:sub(1, stop - 1), HEAD) end
  if type(head) ~= "table" or head.version ~= 1 or type(head.files) ~= "table" then
    return wrong("cannot be read: " .. tostring(why or "it is of another version"))
  end
  local at = stop + 1
  for _, file in ipairs(head.files) do
    local size = type(file) == "table" and math.tointeger(file.size)
    if not size or size < 0 or at + size - 1 > #text then return wrong "has a file of a wrong size" end
    if not is_inside(file.path) then return wrong(("has a file outside of it: %q"):format(tostring(file.path))) end
    at = at + size
  end
  if at ~= #text + 1 or #head.files > bundle.limits.files then return wrong "has more than its list says" end
  return head.files, stop + 1
end

--- Unpacks a bundle. Nothing is written unless all of it is right.
---@param text string untrusted
---@param hash string of the wanted one
---@param folder string an empty one
---@return true? ok, deskpilot.error? err protocol: it is another one, or reaches outside of its folder; io
function bundle.unpack(text, hash, folder)
  local list, at = read_head(text, hash)
  if not list then return nil, at end
  for _, file in ipairs(list) do
    local path = files.join(folder, file.path)
    local ok, err = files.make_folder((files.split(path)), { private = true })
    if ok then ok, err = files.write(path, text:sub(at, at + file.size - 1), { private = true, sync = false }) end
    if not ok then return nil, err end
    at = at + file.size
  end
  return true
end

return bundle
