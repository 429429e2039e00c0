--- What shells complete of deskpilot's command line: commands, their options, the values that are known, missions and
--- files. All of it is what the commands say of themselves, written in each shell's own language.
local args = require "deskpilot.cli.args"
local command_list = require "deskpilot.cli.command_list"
local lookup = require "deskpilot.base.lookup"
local provider = require "deskpilot.model.provider"
local text = require "deskpilot.base.text"
local wire = require "deskpilot.model.wire"

local shell_completions = {}

---@class deskpilot.completed
---@field name string of the command
---@field about string
---@field options { name: string, short: string?, about: string, value: string?, words: string[]?, files: boolean? }[]
---@field words string[] that it takes beside options
---@field files boolean whether it takes files

local file_values = { FILE = true, DIR = true, FOLDER = true, RUN = true, MISSION = true }

local function providers()
  local names = {}
  for i, one in ipairs(provider.all() or {}) do names[i] = one.name end
  return names
end

-- The values of options, by their names, which mean the same in each command.
local function known_values()
  return {
    policy = lookup.list "policies", provider = providers(), model = { "literal" }, desktop = { "current", "private" },
    wire = wire.list,
  }
end

-- What a command takes beside options, by what its usage says.
local function takes(name, module)
  local usage = (module.usage or ""):match "^%l+%s*(.*)$" or ""
  local kinds = usage:match "^([%l|]+)" -- "mission|policy NAME"
  if kinds and kinds:find("|", 1, true) then
    local words = {}
    for word in kinds:gmatch "%l+" do words[#words + 1] = word end
    return words, false
  end
  if name == "run" or name == "compare" then return lookup.list "missions", true end
  return {}, not module.only_options
end

---@return deskpilot.completed[]
local function commands()
  local list, known = {}, known_values()
  for i, command in ipairs(command_list.all()) do
    local module, options = command.module, {}
    for k, one in ipairs(args.options(module.options)) do
      options[k] = { name = one.name, short = one.short, value = one.value, about = text.one_line(one.help),
        words = one.value and known[one.name] or nil, files = file_values[one.value] or nil }
    end
    local words, any_file = takes(command.name, module)
    list[i] = { name = command.name, about = text.one_line(module.summary), options = options, words = words,
      files = any_file }
  end
  return list
end

local function spelled(command)
  local words = {}
  for _, one in ipairs(command.options) do
    if one.short then words[#words + 1] = "-" .. one.short end
    words[#words + 1] = "--" .. one.name
  end
  return words
end

local function either(one)
  return one.short and ("--%s|-%s"):format(one.name, one.short) or "--" .. one.name
end

-- --- bash -----------------------------------------------------------------------------------------------------------

local bash_head = [[
# bash completion for deskpilot, made by `deskpilot completions bash`
_deskpilot() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local options= words= files=
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "%s" -- "$current")
        return
    fi
    case ${COMP_WORDS[1]} in
]]

local bash_tail = [=[
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        return
    fi
    [[ -z $files ]] || compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; [[ -z $files ]] || compgen -f -- "$current")
}
complete -F _deskpilot deskpilot
]=]

local makers = {}

function makers.bash()
  local all, names = commands(), {}
  for i, command in ipairs(all) do names[i] = command.name end
  local lines = { (bash_head:format(table.concat(names, " "))) }
  for _, command in ipairs(all) do
    lines[#lines + 1] = ("    %s)\n        options=\"%s\"\n        case $previous in\n"):format(command.name,
      table.concat(spelled(command), " "))
    for _, one in ipairs(command.options) do
      if one.value then
        lines[#lines + 1] = ("        %s) words=\"%s\" files=%s ;;\n"):format(either(one),
          table.concat(one.words or {}, " "), one.files and "1" or "")
      end
    end
    lines[#lines + 1] = ("        *) words=\"%s\" files=%s ;;\n        esac ;;\n"):format(
      table.concat(command.words, " "), command.files and "1" or "")
  end
  lines[#lines + 1] = bash_tail
  return table.concat(lines)
end

-- --- zsh ------------------------------------------------------------------------------------------------------------

local function zsh_quoted(words)
  return "'" .. words:gsub("'", "'\\''") .. "'"
end

-- In a description of _arguments and _describe these signs mean something.
local function zsh_words(words)
  return (words:gsub("[%[%]:\\]", "\\%0"))
end

local function zsh_option(one)
  local names = one.short and ("'*'{-%s,--%s}"):format(one.short, one.name) or zsh_quoted("*--" .. one.name)
  local about = "[" .. zsh_words(one.about) .. "]"
  if one.value then
    local action = one.words and "(" .. table.concat(one.words, " ") .. ")" or one.files and "_files" or " "
    about = about .. ":" .. zsh_words(one.value) .. ":" .. action
  end
  return names .. zsh_quoted(about)
end

local function zsh_words_and_files(command)
  local words = #command.words > 0 and zsh_quoted("words:word:(" .. table.concat(command.words, " ") .. ")")
  local any = command.files and "'files:file:_files'"
  if not words and not any then return nil end
  return zsh_quoted("*: :_alternative " .. (words or "") .. (words and any and " " or "") .. (any or ""))
end

function makers.zsh()
  local all = commands()
  local lines = { "#compdef deskpilot", "# made by `deskpilot completions zsh`", "_deskpilot() {",
    "  local -a commands", "  if (( CURRENT == 2 )); then", "    commands=(" }
  for _, command in ipairs(all) do
    lines[#lines + 1] = "      " .. zsh_quoted(command.name .. ":" .. zsh_words(command.about))
  end
  lines[#lines + 1] = "    )\n    _describe command commands\n    return\n  fi\n  local command=$words[2]\n"
    .. "  shift words\n  (( CURRENT-- ))\n  case $command in"
  for _, command in ipairs(all) do
    local specs = {}
    for i, one in ipairs(command.options) do specs[i] = zsh_option(one) end
    specs[#specs + 1] = zsh_words_and_files(command)
    lines[#lines + 1] = ("    %s) _arguments \\\n      %s ;;"):format(command.name, table.concat(specs, " \\\n      "))
  end
  lines[#lines + 1] = '  esac\n}\nif [[ $funcstack[1] == _deskpilot ]]; then _deskpilot "$@"\n'
    .. "else compdef _deskpilot deskpilot\nfi"
  return table.concat(lines, "\n") .. "\n"
end

-- --- fish -----------------------------------------------------------------------------------------------------------

local function fish_quoted(words)
  return "'" .. words:gsub("[\\']", "\\%0") .. "'"
end

function makers.fish()
  local lines = { "# made by `deskpilot completions fish`", "complete -c deskpilot -f" }
  local function add(condition, ...)
    lines[#lines + 1] = table.concat({ "complete -c deskpilot -n", fish_quoted(condition), ... }, " ")
  end
  for _, command in ipairs(commands()) do
    add("__fish_use_subcommand", "-a", command.name, "-d", fish_quoted(command.about))
    local inside = "__fish_seen_subcommand_from " .. command.name
    for _, one in ipairs(command.options) do
      local value = not one.value and "" or one.files and "-r -F"
        or "-x" .. (one.words and " -a " .. fish_quoted(table.concat(one.words, " ")) or "")
      add(inside, "-l", one.name, one.short and "-s " .. one.short or "", value, "-d", fish_quoted(one.about))
    end
    if #command.words > 0 then add(inside, "-a", fish_quoted(table.concat(command.words, " "))) end
    if command.files then add(inside, "-F") end
  end
  return table.concat(lines, "\n") .. "\n"
end

-- --- PowerShell -----------------------------------------------------------------------------------------------------

local function power_quoted(words)
  return "'" .. words:gsub("'", "''") .. "'"
end

local function power_list(words)
  local list = {}
  for i, word in ipairs(words or {}) do list[i] = power_quoted(word) end
  return "@(" .. table.concat(list, ", ") .. ")"
end

local power_tail = [=[
    }
    $words = @($ast.CommandElements | ForEach-Object { $_.ToString() })
    $before = if ($word) { $words[0..($words.Count - 2)] } else { $words }
    $found = if ($before.Count -lt 2) { $commands.Keys } else {
        $command = $commands[$before[1]]
        $values = if ($command) { $command.values[$before[-1]] }
        if ($word.StartsWith('-') -and $command) { $command.options }
        elseif ($values) { $values }
        elseif ($command) { $command.words }
    }
    $found | Where-Object { $_ -like "$word*" } | ForEach-Object {
        $about = if ($commands.Contains($_) -and $before.Count -lt 2) { $commands[$_].about } else { $_ }
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $about)
    }
}
]=]

function makers.powershell()
  local lines = { "# made by `deskpilot completions powershell`",
    "Register-ArgumentCompleter -Native -CommandName deskpilot, deskpilot.exe -ScriptBlock {",
    "    param($word, $ast, $position)", "    $commands = [ordered]@{" }
  for _, command in ipairs(commands()) do
    local values = {}
    for _, one in ipairs(command.options) do
      local name = power_quoted("--" .. one.name)
      if one.words then values[#values + 1] = ("%s = %s"):format(name, power_list(one.words)) end
    end
    lines[#lines + 1] = ("        %s = @{ about = %s\n            options = %s\n            values = @{ %s }\n"
      .. "            words = %s }"):format(power_quoted(command.name), power_quoted(command.about),
      power_list(spelled(command)), table.concat(values, "; "), power_list(command.words))
  end
  return table.concat(lines, "\n") .. "\n" .. power_tail
end

--- The shells that are known.
---@return string[]
function shell_completions.shells() return text.keys(makers) end

--- What a shell is to read.
---@param shell string one of shells()
---@return string? source nil for another shell
function shell_completions.of(shell)
  local make = makers[shell]
  return make and make()
end

return shell_completions
