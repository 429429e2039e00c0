--- Which shell commands an agent may run (safety.shell): none, each with a person's consent, or those of a list without
--- asking. What a project's deskpilot.lua says can only make that stricter: entering a folder is no decision of the
--- user's.
local glob = require "deskpilot.base.glob"
local invisible = require "deskpilot.base.invisible"
local json = require "deskpilot.base.json"
local lists = require "deskpilot.agent.safety_lists"
local text = require "deskpilot.base.text"

local shell = {}

--- The values of safety.shell, the strictest first.
shell.modes = { "off", "ask", "allow-list" }

--- The longest command, in characters.
shell.longest = 1000

local longest_shown = 1500 -- bytes of a command as it is put to a person, who allows only what is shown whole

-- What makes several commands of one, or something else of a word, in a shell of either system.
local special = "[;|&<>$`(){}\n\r%%!^]"

local function rank(mode)
  for i, known in ipairs(shell.modes) do
    if known == mode then return i end
  end
end

--- What holds: the strictest of what the project and everybody else say.
---@param config deskpilot.config
---@return "off"|"ask"|"allow-list"
function shell.mode(config)
  local name = "safety.shell"
  local mode, limit = config.keys:find(name).default, nil
  for _, said in ipairs(config:said(name)) do
    if said.by == "project" then limit = said.value else mode = said.value end
  end
  return limit and rank(limit) < rank(mode) and limit or mode
end

-- Whether a pattern is about a command. One with a star fits no command with a sign of the shell's, since "ls *" would
-- fit "ls; rm x" too.
local function fits(patterns, command)
  for _, pattern in ipairs(patterns) do
    if pattern == command then return true end
    if not command:find(special) and glob.matches(pattern, command) then return true end
  end
  return false
end

--- Whether a command may be run without asking anybody.
---@param config deskpilot.config
---@param command string
---@return boolean
function shell.is_listed(config, command)
  if shell.mode(config) ~= "allow-list" then return false end
  local given, limit = lists.given(config, "safety.shell_allow")
  command = text.trim(command)
  return fits(given, command) and (not limit or fits(limit, command))
end

--- What is wrong with a command, whoever allows it: nil where nothing is. What a person cannot see cannot be allowed.
---@param config deskpilot.config
---@param command string
---@return string?
function shell.problem(config, command)
  if shell.mode(config) == "off" then return "no commands may be run here (safety.shell = off)" end
  if #json.encode(command) > longest_shown then
    return "it is too long for a person to be shown all of it; do it in smaller parts"
  end
  local plain = command:gsub("[\n\t]", " ")
  if invisible.remove(plain) ~= plain then return "it has characters that nobody sees" end
  for _, forbidden in ipairs(config:get "safety.forbidden_texts") do
    if forbidden ~= "" and command:lower():find(forbidden:lower(), 1, true) then
      return ("%q is forbidden here (safety.forbidden_texts)"):format(forbidden)
    end
  end
end

--- The address of the command service, as everybody but the project says it; nil where there is none.
---@param config deskpilot.config
---@return string?
function shell.service(config)
  local address
  for _, said in ipairs(config:said "run_command.service") do
    if said.by ~= "project" then address = said.value end
  end
  return address ~= "" and address or nil
end

return shell
