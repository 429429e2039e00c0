--- Which files of this machine an agent may hand to a page, or open: those that the mission names (`files`: files and
--- folders), those of safety.files, and what the run itself has downloaded. Never hidden files, keys, other runs and
--- configuration, wherever they lie. A file is judged as it really is: links, `..`, short names and the case of letters
--- are resolved before. What the project's deskpilot.lua says of safety.files limits the others and gives nothing.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local glob = require "deskpilot.base.glob"
local lists = require "deskpilot.agent.safety_lists"
local system = require "native.system"
local text = require "deskpilot.base.text"

local allowed = {}

local is_windows = system.platform == "windows"

local keys = { "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "identity", "*.pem", "*.key", "*.ppk", "*.p8", "*.p12",
  "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.kdb", "*.asc", "*.gpg", "*.pgp", "*.ovpn", "*.agilekeychain",
  "*_rsa", "*_ed25519", "credentials", "credentials.*", "secrets.*", "known_hosts", "authorized_keys", "wallet.dat",
  "login data*", "cookies", "cookies.*", "key?.db", "logins.json" }
local secret_folders = { ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".mozilla",
  "keyrings" }

-- Names that Windows takes for devices, whatever their extension.
local devices = {}
for name in ("con prn aux nul conin$ conout$ clock$"):gmatch "%S+" do devices[name] = true end
for i = 0, 9 do devices["com" .. i], devices["lpt" .. i] = true, true end

local function folded(path)
  return is_windows and path:lower() or path
end

local function is_below(path, place)
  path, place = folded(path), folded(place)
  if path == place then return true end
  return text.starts(path, text.ends(place, "/") and place or place .. "/")
end

-- What no file's path holds, before the system is asked about it: asking may already reach another machine.
local function is_odd(path)
  if path:find "%c" or path == "" then return true end
  if not is_windows then return false end
  if path:find "^[/\\][/\\]" then return true end -- another machine's, a device's
  local rest = path:gsub("^%a:", "")
  if rest:find ":" or rest:find "[*?\"<>|]" then return true end -- another stream of a file
  for part in rest:gmatch "[^/\\]+" do
    local stem = text.without_end(part:lower():match("^[^.]*"), " ")
    if devices[stem] or part:find "[ .]$" and not part:find "^%.+$" then return true end
  end
  return false
end

local function real_path(path)
  local real = uv.fs_realpath(path)
  return real and files.absolute(real) or nil
end

-- "~/Pictures"
local function at_home(path)
  local home = path:match "^~[/\\]" and uv.os_homedir()
  return home and files.join(home, path:sub(3)) or path
end

-- A place of a list as it really is; what does not exist is none. With a `*` it is a pattern for whole paths.
local function place_of(path, base)
  path = at_home(path)
  if not path:find("*", 1, true) then
    local real = real_path(files.join(base, path))
    return real and { path = real, is_folder = files.is_folder(real) }
  end
  local folder, rest = path:match "^([^*]*[/\\])(.*)$"
  local real = real_path(files.join(base, folder or "."))
  return real and { pattern = (text.ends(real, "/") and real or real .. "/") .. (rest or path), path = real }
end

local function places_of(list, base)
  local places = {}
  for _, path in ipairs(list) do places[#places + 1] = place_of(path, base) end
  return places
end

local function downloads_of(run)
  return run.dir and place_of(files.join(run.dir.path, "downloads"), uv.cwd())
end

-- The places in question, and what limits them.
local function places(run)
  local given, limit = lists.given(run.config, "safety.files")
  local all = places_of(given, uv.cwd())
  for _, place in ipairs(places_of(run.mission.files or {}, run.folder or uv.cwd())) do all[#all + 1] = place end
  return all, limit and places_of(limit, uv.cwd())
end

local function place_with(list, path)
  for _, place in ipairs(list) do
    if place.pattern then
      if glob.matches(place.pattern, path) then return place end
    elseif is_below(path, place.path) then
      return place
    end
  end
end

-- --- what is never given ----------------------------------------------------------------------------------------

local function is_hidden(path, place)
  for part in path:sub(#place.path + 1):gmatch "[^/]+" do
    if part:sub(1, 1) == "." then return true end
  end
  local _, name = files.split(path)
  return name:sub(1, 1) == "."
end

local function is_key(run, path)
  local _, name = files.split(path)
  if glob.first(keys, { name }) then return true end
  for part in path:gmatch "[^/]+" do
    for _, folder in ipairs(secret_folders) do
      if part:lower() == folder then return true end
    end
  end
  for key, value in pairs(run.config.values) do
    local option = run.config.keys:find(key)
    if option and option.type == "secret_file" and value ~= "" then
      local secret = real_path(files.join(uv.cwd(), value))
      if secret and folded(secret) == folded(path) then return true end
    end
  end
  return false
end

local function is_of_a_run(path)
  local folder = files.split(path)
  while folder and folder ~= "" do
    if files.exists(files.join(folder, "journal.jsonl")) then return true end
    local above = files.split(folder)
    if above == folder then break end
    folder = above
  end
  return false
end

local function is_configuration(path)
  local _, name = files.split(path)
  local user = real_path(files.user_config_folder())
  return name:lower() == "deskpilot.lua" or user ~= nil and is_below(path, user)
end

local function never(run, path, place)
  if is_key(run, path) then return "it is a key, or lies among keys" end
  if is_hidden(path, place) then return "hidden files are never given" end
  if is_configuration(path) then return "it is configuration" end
  if is_of_a_run(path) then return "it belongs to a run" end
end

-- --- the question -----------------------------------------------------------------------------------------------

-- The same words whether it is there or not: what lies elsewhere is no business of a model's.
local function unnamed(path)
  return errors.fail("forbidden", "%s is none of the files that this mission names (`files`, safety.files)",
    text.cut(text.one_line(path), 200))
end

--- The file as it really is, if an agent may have it.
---@param run deskpilot.run
---@param path string relative ones are taken from the mission's folder
---@param folder boolean? whether a folder will do
---@return string? path absolute
---@return deskpilot.error? err code "forbidden", or "invalid" for a folder
function allowed.resolve(run, path, folder)
  if is_odd(path) then return unnamed(path) end
  local real = real_path(files.join(run.folder or uv.cwd(), path))
  if not real then return unnamed(path) end
  local own = downloads_of(run)
  local place = own and is_below(real, own.path) and own
  if not place then
    local list, limit = places(run)
    place = place_with(list, real)
    if not place or limit and not place_with(limit, real) then return unnamed(path) end
    local why = never(run, real, place)
    if why then return errors.fail("forbidden", "%s: %s", text.cut(text.one_line(path), 200), why) end
  end
  if not folder and files.is_folder(real) then
    return errors.fail("invalid", "%s is a folder, and a file is wanted", path)
  end
  return real
end

--- The folders of which an agent may have what is in them, as far as they can be told by a folder.
---@param run deskpilot.run
---@return string[] absolute
function allowed.folders(run)
  local list, limit = places(run)
  local found = {}
  for _, place in ipairs(list) do
    if place.is_folder and (not limit or place_with(limit, place.path)) then found[#found + 1] = place.path end
  end
  return found
end

-- The path in the address of a file of this machine.
local function path_of(url)
  local host, path = url:match "^%s*%a+:[/\\][/\\]([^/\\?#]*)([/\\][^?#]*)"
  if not host then path = url:match "^%s*%a+:([/\\][^?#]*)" end
  if not path or host and host ~= "" and host:lower() ~= "localhost" then return nil end
  path = path:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
  return (path:gsub("^[/\\](%a:)", "%1"))
end

--- The address of a file or folder.
---@param path string absolute
---@return string
function allowed.url(path)
  local encoded = path:gsub("[^%w/._~:-]", function(c) return ("%%%02X"):format(c:byte()) end)
  return "file://" .. (encoded:sub(1, 1) == "/" and "" or "/") .. encoded
end

--- The address as it may be opened by an agent: one of a file leads to the file as it really is. Other addresses are
--- not judged here.
---@param run deskpilot.run
---@param url string or, with `or_path`, a path
---@param or_path boolean?
---@return string? url, deskpilot.error? err code "forbidden"
function allowed.address(run, url, or_path)
  local scheme = url:match "^%s*(%a[%w+.-]+):"
  if scheme and scheme:lower() ~= "file" then return url end
  if not scheme and not or_path then return url end
  local path = scheme and path_of(url) or not scheme and url
  if not path then return unnamed(url) end
  local file, err = allowed.resolve(run, path, or_path)
  if not file then return nil, err end
  return scheme and allowed.url(file) or url
end

return allowed
