--- `deskpilot new KIND NAME`: a commented file that runs as it is, to begin with. Nothing is ever overwritten.
local editor = require "deskpilot.cli.editor"
local files = require "deskpilot.base.files"
local lookup = require "deskpilot.base.lookup"
local shipped_files = require "native.shipped"
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"

-- What each kind is called where files are looked for, and how one is tried.
local kinds = {
  mission = { all = "missions", try = "deskpilot run %s" },
  policy = { all = "policies", try = "deskpilot run MISSION --policy %s" },
  tool = { all = "tools", try = "deskpilot run MISSION" },
  guard = { all = "guards", try = "deskpilot run MISSION" },
  app = { all = "apps", try = 'deskpilot eval "desk.apps.start \'%s\'"' },
  profile = { all = "model/profiles", try = "deskpilot run MISSION --model NAME" },
}

local command = {
  summary = "Begin a mission, policy, tool, guard, or what is known of an application or a model.",
  order = 88,
  usage = "new mission|policy|tool|guard|app|profile NAME",
  options = {},
  details = "Writes a commented file that runs as it is into this project: missions/NAME.lua,\n"
    .. "deskpilot/policies/NAME.lua and so on. Nothing is overwritten. `deskpilot eject` copies what ships instead.",
}

local function complain(...)
  terminal.complain(...)
  return 2
end

-- The shipped file with another name in it.
local function content(kind, name)
  local words = assert(shipped_files.read(("deskpilot/cli/templates/%s.lua"):format(kind)))
  return (words:gsub("%f[%w]example%f[%W]", (name:gsub("%%", "%%%%"))))
end

local function problem_of(kind, name)
  if not kinds[kind] then
    return ("there is no kind '%s'%s"):format(kind, text.did_you_mean(kind, text.keys(kinds)))
  end
  if not name:find("^%l[%l%d_]*$") or #name > 64 then
    return ("a name is of small letters, digits and _, and begins with a letter, such as my_%s, not '%s'"):format(kind,
      name)
  end
  if lookup.has(kinds[kind].all, name) then
    return ("%s is the name of one that ships; `deskpilot eject %s` gives you that to change"):format(name, name)
  end
end

--- Writes it.
---@param _ table
---@param positional string[]
---@return integer status
function command.run(_, positional)
  if #positional ~= 2 then return complain("new wants a kind and a name: deskpilot new mission my_mission") end
  local kind, name = positional[1], positional[2]
  local problem = problem_of(kind, name)
  if problem then return complain(problem) end
  local all = kinds[kind].all
  local folder = files.join(lookup.project_folder(), all == "missions" and all or "deskpilot/" .. all)
  local path = files.join(folder, name .. ".lua")
  if files.exists(path) then return complain(path, " is there already; nothing was changed") end
  local ok, err = files.make_folder(folder)
  if ok then ok, err = files.write(path, content(kind, name)) end
  if not ok then return complain(tostring(err)) end
  terminal.put(path, "\n")
  terminal.note("try it: ", kinds[kind].try:format(name), "\n")
  local written, advice = editor.write(lookup.project_folder())
  if not written then return complain(tostring(advice)) end
  if advice then terminal.complain(advice) end
  return 0
end

return command
