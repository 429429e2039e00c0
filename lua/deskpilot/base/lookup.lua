--- Finds policies, tools, guards, prompts and modules: in the mission's folder, then the project's, then the user's
--- configuration folder, then among the files inside the program. The first three are searched only after set_roots,
--- which only `run`, `repl` and `eval` call: no other command ever runs a file because of the folder it is started in.
--- A file of these folders is used only if nobody else can have put it there (trust.lua), and it can take the place of
--- a policy, tool, guard, prompt or profile, but never that of a part of the program itself.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local own_files = require "deskpilot.base.own_files"
local shipped_files = require "native.shipped"
local text = require "deskpilot.base.text"
local trust = require "deskpilot.base.trust"
local uv = require "luv"

local lookup = {}

local roots = {} -- absolute folders; earlier ones have precedence
local owners = {} -- whose each of them is: "mission", "project", "user"
local searching = false -- whether our searcher is installed
local pinned = {} -- words of texts that stand in for their files
local loaded = {} -- module name -> { path, stamp } for modules that `require` has read from a root

local singular = {
  policies = "policy", tools = "tool", guards = "guard", prompts = "prompt", missions = "mission",
  profiles = "profile", apps = "application",
}

-- What the user's folders may have below deskpilot/, in place of what ships or beside it.
local replaceable = { "policies/", "tools/", "guards/", "prompts/", "apps/", "model/profiles/" }

-- Which address a server's name stands for decides where keys are sent: nobody says that but the user.
local users_own = "model/providers.lua"

local function may_replace(relative, owner)
  for _, kind in ipairs(replaceable) do
    if relative:sub(1, #kind) == kind then return true end
  end
  return relative == users_own and owner == "user"
end

-- Whether a path below one of the folders is looked at there: nothing is that has the name of a part of the program.
local function is_searched(relative, owner)
  local rest = relative:match("^deskpilot/(.*)") or relative:find("^deskpilot%.lua$") and ""
  if rest then return may_replace(rest, owner) end
  return not shipped_files.read(relative)
end

--- The singular of a kind: "policies" -> "policy".
---@return string
function lookup.singular(kind)
  local last = text.after_last(kind, "/")
  return singular[last] or last
end

-- A module's path below a root; nil unless the name consists of letters, digits, "_" and single dots.
local function module_path(name)
  if not name:find("^[%w_][%w_.]*$") or name:find("..", 1, true) or name:sub(-1) == "." then return nil end
  return (name:gsub("%.", "/"))
end

-- A string of the file's size, time and inode: cheap to get, and different after an edit.
local function stamp(path)
  local stat = uv.fs_stat(path)
  if not stat or stat.type ~= "file" then return nil end
  return ("%d %d.%09d %d"):format(stat.size, stat.mtime.sec, stat.mtime.nsec, stat.ino)
end

-- The first of these files that is in one of the folders, all that were looked for, and the folder.
local function in_folders(folders, ...)
  local tried = {}
  for _, folder in ipairs(folders) do
    for _, relative in ipairs { ... } do
      if is_searched(relative, owners[folder] or "user") then
        local path = files.join(folder, relative)
        tried[#tried + 1] = path
        if stamp(path) then return path, tried, folder end
      end
    end
  end
  return nil, tried
end

local function in_roots(...)
  return in_folders(roots, ...)
end

-- A file of the user's has been taken; `shipped` is the one in whose place it stands, where there is one.
local function took(kind, name, path, root, source, shipped)
  if not owners[root] then return end
  local place = { folder = owners[root], root = root, path = path:sub(#root + 1):gsub("^/", "") }
  own_files.took(lookup.singular(kind), name, place, source, shipped_files.read(shipped))
end

local function read_own(path, root)
  local ok, err = trust.check(path, root)
  if not ok then return nil, err end
  return files.read(path)
end

local function compile(name, path, root)
  local source, err = read_own(path, root)
  if not source then return nil, tostring(err) end
  took("module", name, path, root, source, module_path(name) .. ".lua")
  return load(source, "@" .. path, "t")
end

-- A shipped file beside the shipped missions: one of their modules or pages.
local function shipped_beside(relative)
  local name = "missions/" .. relative
  local bytes = shipped_files.read(name)
  return bytes, name
end

local function search(name)
  local relative = module_path(name)
  if not relative then return ("module names are letters, digits, '_' and '.', not '%s'"):format(name) end
  local path, tried, root = in_roots(relative .. ".lua", relative .. "/init.lua")
  if not path then
    local source, where = shipped_beside(relative .. ".lua")
    if source then return assert(load(source, "@" .. where, "t")), "shipped:" .. where end
    return #tried > 0 and "no file '" .. table.concat(tried, "'\n\tno file '") .. "'" or nil
  end
  local chunk, why = compile(name, path, root)
  if not chunk then error(why, 0) end
  loaded[name] = { path = path, stamp = stamp(path) }
  return chunk, path
end

--- Makes require and every lookup search the user's folders, in the order of the fields below. Relative paths are
--- relative to the working folder. To be called before anything else is required; a second call replaces the folders.
---@param where { mission_folder: string?, project_folder: string?, user_folder: string? }
function lookup.set_roots(where)
  roots, owners = {}, {}
  own_files.forget()
  pinned = {}
  local seen = {}
  for _, field in ipairs { "mission_folder", "project_folder", "user_folder" } do
    local folder = where[field] and files.absolute(where[field])
    if folder then
      if not seen[folder] then roots[#roots + 1] = folder end
      seen[folder], owners[folder] = true, field:match("^%a+") -- one folder may be several's: the last one's
    end
  end
  if searching then return end
  searching = true
  table.insert(package.searchers, 2, search) -- after package.preload, so that no file can replace native.*
end

-- The first Lua file in a folder and those below it.
local function first_lua(folder)
  for _, name in ipairs(files.list(folder)) do
    local path = files.join(folder, name)
    local found = name:find("%.lua$") and path or files.is_folder(path) and first_lua(path)
    if found then return found end
  end
end

-- A file below deskpilot/ that is meant for a part of the program itself.
local function misplaced_in(root, owner)
  for _, floor in ipairs { "agent", "base", "cli", "desk", "model", "net" } do
    local folder = files.join(root, "deskpilot", floor)
    for _, name in ipairs(files.list(folder)) do
      local relative, path = floor .. "/" .. name, files.join(folder, name)
      if not may_replace(relative .. "/", owner) and not may_replace(relative, owner) then
        local found = name:find("%.lua$") and path or files.is_folder(path) and first_lua(path)
        if found then return found end
      end
    end
  end
end

--- Whether a folder that is searched has a file in the place of a part of the program itself, which is never used: who
--- has put it there should know.
---@return boolean? ok, deskpilot.error? err code "refused", names the file
function lookup.check_places()
  for _, root in ipairs(roots) do
    local path = misplaced_in(root, owners[root])
    if path and path:sub(-#users_own) == users_own then
      return errors.fail("refused", "%s is not used: which address the name of a server stands for is yours alone to "
        .. "say, in %s; move the file there, or away", path,
        files.join(files.user_config_folder(), "deskpilot", users_own))
    elseif path then
      return errors.fail("refused", "%s is not used: it has the place of a part of deskpilot itself, and what may be "
        .. "replaced are policies, tools, guards, prompts, apps and model/profiles; move it away", path)
    end
  end
  return true
end

--- The folders that are searched.
---@return string[]
function lookup.roots()
  return { table.unpack(roots) }
end

--- Unloads modules of the user's folders whose files have changed since `require` read them: the next require reads
--- them again.
---@return boolean changed whether there were any
function lookup.refresh()
  local changed = false
  for name, was in pairs(loaded) do
    if stamp(was.path) ~= was.stamp then
      package.loaded[name] = nil
      loaded[name] = nil
      changed = true
    end
  end
  return changed
end

--- What tells two versions of a file of the user's apart, without reading it.
---@param kind string the folder below deskpilot/
---@param name string
---@return string? version nil where the user has none of that name
function lookup.version(kind, name)
  local relative = "deskpilot/" .. kind .. "/" .. name
  local path = in_roots(relative .. (kind == "prompts" and ".md" or ".lua"), relative .. "/init.lua")
  return path and path .. " " .. (stamp(path) or "")
end

local function is_text_name(name)
  return not name:find("^[/\\]") and not name:find("^%a:") and not name:find("..", 1, true)
    and not name:find("[\0\\]")
end

--- From now on lookup.text gives these words in place of what the file says.
---@param name string as for lookup.text
---@param words string? nil: the file counts again
function lookup.pin(name, words)
  pinned[name] = words
end

--- A text file such as "prompts/NAME.md": ROOT/deskpilot/NAME, else what ships.
---@param name string
---@return string? text, string|deskpilot.error where its path or "shipped:NAME", or the error
function lookup.text(name)
  if not is_text_name(name) then
    return errors.fail("invalid", "'%s' is not the name of a shipped text", name)
  end
  if pinned[name] then return pinned[name], "pinned:" .. name end
  local path, tried, root = in_roots("deskpilot/" .. name)
  if path then
    local bytes, err = read_own(path, root)
    if not bytes then return nil, err end
    local stem = text.after_last(name, "/"):match("^(.*)%.%w+$")
    took(name:match("^(.*)/") or "text", stem or name, path, root, bytes, name)
    return bytes, path
  end
  local bytes = shipped_files.read(name)
  if bytes then return bytes, "shipped:" .. name end
  local message = ("there is no %s"):format(name)
  message = message .. text.did_you_mean(name, shipped_files.list(name:match("^(.*/)") or ""), "%s")
  if #tried > 0 then message = message .. " (looked at " .. text.join(tried) .. ", and inside deskpilot)" end
  return errors.fail("not_found", "%s", message)
end

--- A file that belongs to a mission, such as a page that it serves: ROOT/NAME, else the shipped file missions/NAME.
---@param name string a path relative to the mission's folder
---@return string? bytes, string|deskpilot.error where its path or "shipped:NAME", or the error
function lookup.beside_mission(name)
  if not is_text_name(name) then
    return errors.fail("invalid", "'%s' is not a path below the mission's folder", name)
  end
  local path, tried, root = in_roots(name)
  if path then
    local bytes, err = read_own(path, root)
    return bytes, bytes and path or err
  end
  local bytes, where = shipped_beside(name)
  if bytes then return bytes, "shipped:" .. where end
  return errors.fail("not_found", "there is no file %s beside the mission (looked at %s, and inside deskpilot)", name,
    text.join(tried))
end

local function add_names(found, kind, list, extension)
  for _, file in ipairs(list) do
    local name = file:match("^(.*)%." .. extension .. "$")
    if name and not name:find("/", 1, true) and not name:find("^[_.]") then found[name] = true end
  end
  if extension == "md" or kind == "missions" then return end
  for _, file in ipairs(list) do
    local folder = file:match("^([%w_]+)/init%.lua$")
    if folder then found[folder] = true end
  end
end

-- The folder of a kind's shipped files. Prompts and missions have top-level folders of their own.
local function shipped_folder(kind)
  if kind == "prompts" or kind == "missions" then return kind .. "/" end
  return "deskpilot/" .. kind .. "/"
end

local function folder_listing(folder)
  local list = files.list(folder)
  for i = 1, #list do
    if files.exists(files.join(folder, list[i], "init.lua")) then list[#list + 1] = list[i] .. "/init.lua" end
  end
  return list
end

--- The names of everything of a kind ("tools", "policies", "guards", "prompts", "missions", "apps", "model/profiles"),
--- in the user's folders and shipped, sorted. Files whose name begins with "_" are helpers and not listed.
---@param kind string
---@return string[] names, table<string, boolean> own those that one of the user's folders has
function lookup.list(kind)
  local found, own = {}, {}
  local extension = kind == "prompts" and "md" or "lua"
  local prefix = shipped_folder(kind)
  local shipped = {}
  for _, file in ipairs(shipped_files.list(prefix)) do shipped[#shipped + 1] = file:sub(#prefix + 1) end
  add_names(found, kind, shipped, extension)
  for _, root in ipairs(roots) do
    if may_replace(kind .. "/", owners[root]) then
      add_names(own, kind, folder_listing(files.join(root, "deskpilot", kind)), extension)
    end
  end
  for name in pairs(own) do found[name] = true end
  found.init = nil
  return text.keys(found), own
end

local function not_found(kind, name, tried)
  local message = ("there is no %s named '%s'"):format(lookup.singular(kind), name)
  local known = lookup.list(kind)
  message = message .. text.did_you_mean(name, known)
  tried[#tried + 1] = "inside deskpilot"
  return errors.fail("not_found", "%s (looked at %s)", message, text.join(tried))
end

--- Whether there is one of that kind and name.
---@param kind string the folder below deskpilot/
---@param name string
---@return boolean
function lookup.has(kind, name)
  if not name:find("^[%w_]+$") then return false end
  local relative = "deskpilot/" .. kind .. "/" .. name
  local file, folder = relative .. ".lua", relative .. "/init.lua"
  return (in_roots(file, folder) or shipped_files.read(file) or shipped_files.read(folder)) ~= nil
end

-- The text of deskpilot/KIND/NAME, where it is from, and what errors in it call it. `ships`: it is none of the user's.
local function find_source(kind, name, ships, folders)
  if type(name) ~= "string" or not name:find("^[%w_]+$") then
    return errors.fail("invalid", "'%s' cannot be the name of a %s: letters, digits and '_' only",
      tostring(name), lookup.singular(kind))
  end
  local relative = "deskpilot/" .. kind .. "/" .. name
  local path, tried, root = nil, {}, nil
  if not ships then path, tried, root = in_folders(folders or roots, relative .. ".lua", relative .. "/init.lua") end
  if path then
    local source, err = read_own(path, root)
    if not source then return nil, err end
    took(kind, name, path, root, source, relative .. ".lua")
    return source, path, path
  end
  for _, file in ipairs { relative .. ".lua", relative .. "/init.lua" } do
    local source = shipped_files.read(file)
    if source then return source, "shipped:" .. file, file end
  end
  return not_found(kind, name, tried)
end

--- Loads a policy, tool, guard or profile. The file is run again on each call, so that an edit takes effect, also one
--- of a helper module in the user's folders that it requires.
---@param kind string the folder below deskpilot/: "policies", "tools", "guards", "model/profiles"
---@param name string
---@param ships boolean? whether it is known that the user's folders have none of that name, as list() tells
---@return table? module, string|deskpilot.error where it is from, or the error
function lookup.load(kind, name, ships)
  lookup.refresh()
  local source, where, called = find_source(kind, name, ships)
  if not source then return nil, where end
  return lookup.execute(kind, name, source, where, called)
end

--- Runs the text of a policy, tool or guard.
---@param kind string as for load
---@param name string
---@param source string
---@param where string where it is from, as load gives it
---@param called string what errors in it call the file
---@return table? module, string|deskpilot.error where, or the error
function lookup.execute(kind, name, source, where, called)
  local chunk, why = load(source, "@" .. called, "t")
  if not chunk then return errors.fail("invalid", "%s", why) end
  local ok, module = xpcall(chunk, errors.traceback, "deskpilot." .. kind:gsub("/", ".") .. "." .. name, where)
  if not ok then
    if errors.no_memory(module) then error(module, 0) end -- it is no mistake of the file's
    return errors.fail("invalid", "the %s '%s' failed to load: %s", lookup.singular(kind), name,
      tostring(module))
  end
  if type(module) ~= "table" then
    return errors.fail("invalid", "the %s '%s' (%s) must return a table, but returned %s",
      lookup.singular(kind), name, where, type(module))
  end
  return module, where
end

--- The text of a file whose kind ("apps") is data: it is never run.
---@param kind string the folder below deskpilot/
---@param name string
---@param ships boolean? as for load
---@param folders string[]? looked in first, in place of the lookup's own
---@return string? text, string|deskpilot.error where it is from, or the error
function lookup.data(kind, name, ships, folders)
  local source, where = find_source(kind, name, ships, folders)
  return source, where
end

--- Finds a mission by its path, with or without ".lua"; or by its name, in missions/ of the project's folder, of the
--- user's folder, and among the shipped ones. Nothing is run, and no folder becomes a root.
---@param name string
---@param folders { project_folder: string?, user_folder: string? }?
---@return string? text, string|deskpilot.error where, string? folder nil for a shipped mission
function lookup.mission(name, folders)
  folders = folders or {}
  local candidates = { name, name .. ".lua" }
  if not name:find("[/\\]") then
    for _, root in ipairs { folders.project_folder or false, folders.user_folder or false } do
      if root then
        candidates[#candidates + 1] = files.join(root, "missions", name .. ".lua")
        candidates[#candidates + 1] = files.join(root, "missions", name)
      end
    end
  end
  for _, path in ipairs(candidates) do
    if stamp(path) then
      local source, err = read_own(path)
      if not source then return nil, err end
      return source, path, (files.split(files.absolute(path)))
    end
  end
  for _, file in ipairs { name, name .. ".lua", "missions/" .. name .. ".lua" } do
    local source = file:find("^missions/[^/]*%.lua$") and shipped_files.read(file)
    if source then return source, "shipped:" .. file end
  end
  local known = lookup.list("missions")
  local nearest = text.nearest((text.after_last(name, "/\\"):gsub("%.lua$", "")), known)
  local hint = nearest and ("did you mean %s, which ships?"):format(nearest)
    or "the shipped missions are " .. text.join(known)
  return errors.fail("not_found", "there is no mission file %s; %s", name, hint)
end

--- The nearest folder at or above `from` that has a deskpilot.lua; `from` itself where none has.
---@param from string? the working folder if not given
---@return string
function lookup.project_folder(from)
  local start = files.absolute(from or uv.cwd())
  local folder = start
  while true do
    if stamp(files.join(folder, "deskpilot.lua")) then return folder end
    local above = files.split(folder)
    if above == folder or above == "." then return start end
    folder = above
  end
end

return lookup
