--- `deskpilot eject NAME`: the shipped policy, tool, guard, prompt, profile of a model or application, or mission of
--- that name, copied into the project for editing. Nothing is ever overwritten. Beside it goes what an editor needs to
--- understand it (cli/editor.lua).
local editor = require "deskpilot.cli.editor"
local files = require "deskpilot.base.files"
local lookup = require "deskpilot.base.lookup"
local shipped_files = require "native.shipped"
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"

local eject = {
  summary = "Copy a shipped file into this project, where it replaces the shipped one and can be edited.",
  order = 90,
  usage = "eject [--types] [NAME]...",
  options = {
    { name = "types", help = "write .deskpilot/types anew, and .luarc.json if there is none: for editors" },
  },
  details = "NAME is a name such as three_body, or a path such as tools/click_element where several\n"
    .. "files share a name. Without one the names are listed; nothing else can be replaced. The list of\n"
    .. "model servers (providers) goes into the folder of your own configuration, since it decides where\n"
    .. "keys are sent. The types are written with the first Lua\n"
    .. "file too, and again for another version of the program.",
}

-- Shipped folders, and where their files go in a project; or in the user's folder, what is the user's alone to say.
-- What is not here nobody can replace. A project's missions are its own.
local kinds = {
  { kind = "policies", from = "deskpilot/policies/", to = "deskpilot/policies/" },
  { kind = "tools", from = "deskpilot/tools/", to = "deskpilot/tools/" },
  { kind = "guards", from = "deskpilot/guards/", to = "deskpilot/guards/" },
  { kind = "profiles", from = "deskpilot/model/profiles/", to = "deskpilot/model/profiles/" },
  { kind = "model", from = "deskpilot/model/providers.lua", to = "deskpilot/model/providers.lua",
    personal = true },
  { kind = "apps", from = "deskpilot/apps/", to = "deskpilot/apps/" },
  { kind = "prompts", from = "prompts/", to = "deskpilot/prompts/" },
  { kind = "missions", from = "missions/", to = "missions/" },
}

---@class deskpilot.ejectable
---@field kind string
---@field name string without its extension
---@field from string the shipped file
---@field to string where it goes, below the project's folder
---@field personal boolean? whether it goes below the folder of the user's configuration instead

--- Everything that can be ejected.
---@return deskpilot.ejectable[]
function eject.all()
  local all = {}
  for _, entry in ipairs(kinds) do
    for _, file in ipairs(shipped_files.list(entry.from)) do
      local rest = file:sub(#entry.from + 1)
      local name = (rest == "" and text.after_last(file, "/") or rest):gsub("%.%a+$", ""):gsub("/init$", "")
      all[#all + 1] = { kind = entry.kind, name = name, from = file, to = entry.to .. rest,
        personal = entry.personal }
    end
  end
  return all
end

local function matches(entry, word)
  local plain = word:gsub("%.lua$", ""):gsub("%.md$", ""):gsub("^deskpilot/", "")
  return entry.name == plain or entry.kind .. "/" .. entry.name == plain
    or lookup.singular(entry.kind) .. "/" .. entry.name == plain or entry.from == word
end

local function list()
  local by_kind = {}
  for _, entry in ipairs(eject.all()) do
    by_kind[entry.kind] = by_kind[entry.kind] or {}
    table.insert(by_kind[entry.kind], entry.name)
  end
  for _, entry in ipairs(kinds) do
    if by_kind[entry.kind] then
      terminal.put(("%-9s %s\n"):format(entry.kind, table.concat(by_kind[entry.kind], " ")))
    end
  end
end

local function find(word)
  local found, names = {}, {}
  for _, entry in ipairs(eject.all()) do
    if matches(entry, word) then found[#found + 1] = entry end
    names[#names + 1] = entry.name
  end
  if #found == 1 then return found[1] end
  if #found == 0 then
    local nearest = text.nearest(text.after_last(word, "/"), names)
    return nil, ("nothing that ships is named '%s'; %s"):format(word, nearest
      and ("did you mean '%s'?"):format(nearest) or "`deskpilot eject` lists what does")
  end
  local paths = {}
  for i, entry in ipairs(found) do paths[i] = entry.kind .. "/" .. entry.name end
  return nil, ("'%s' may be %s: say which"):format(word, table.concat(paths, " or "))
end

-- A file where a folder has to be, such as this program itself.
local function in_the_way(entry, folder)
  local name = entry.to:match("^[^/]+")
  local path = files.join(folder, name)
  if not files.exists(path) or files.is_folder(path) then return nil end
  local is_program = files.absolute(path) == files.absolute(require("luv").exepath() or "")
  return ("%s is %s, but %s/ has to be a folder there: work in a folder of its own (mkdir my-project, cd my-project), "
    .. "or move that file away or rename it"):format(path, is_program and "this program" or "a file", name)
end

--- Copies one into a project's folder.
---@return string? path, string? why
function eject.copy(entry, folder)
  local path = files.join(folder, entry.to)
  local obstacle = in_the_way(entry, folder)
  if obstacle then return nil, obstacle end
  if files.exists(path) then return nil, path .. " is there already; move it away first" end
  local ok, err = files.make_folder((files.split(path)))
  if ok then ok, err = files.write(path, shipped_files.read(entry.from)) end
  if not ok then return nil, tostring(err) end
  return path
end

-- Told of on standard error where only the files that were asked for belong to standard output.
local function write_types(anew, say)
  local written, advice = editor.write(lookup.project_folder(), anew)
  if not written then
    terminal.complain(tostring(advice))
    return 2
  end
  for _, path in ipairs(written) do say(path, "\n") end
  if advice then terminal.complain(advice) end
  return 0
end

function eject.run(options, positional)
  if #positional == 0 then
    if options.types then return write_types(true, terminal.put) end
    list()
    return 0
  end
  local chosen, has_lua = {}, false
  for i, word in ipairs(positional) do
    local entry, why = find(word)
    if not entry then
      terminal.complain(why)
      return 2
    end
    chosen[i] = entry
  end
  for _, entry in ipairs(chosen) do
    local path, why = eject.copy(entry, entry.personal and files.user_config_folder() or lookup.project_folder())
    if not path then
      terminal.complain(why)
      return 2
    end
    terminal.put(path, "\n")
    has_lua = has_lua or not entry.personal and path:find("%.lua$")
  end
  if not (has_lua or options.types) then return 0 end
  return write_types(options.types, terminal.note)
end

return eject
