-- What shells complete, typed into real ones; and the manual page, as the formatter of manual pages reads it.
local command_list = require "deskpilot.cli.command_list"
local args = require "deskpilot.cli.args"
local files = require "deskpilot.base.files"
local spawn = require "spawn"
local t = require "harness"
local terminal = require "terminal"

local tests = {}

local program = files.absolute(spawn.program)

-- How each shell starts without anybody's settings; what reads the file and replaces deskpilot by what tells its words.
local shells = {
  bash = { argv = { "bash", "--norc", "-i" }, read = 'source FILE; deskpilot() { echo "GOT:$*."; }; PS1="> "' },
  zsh = { argv = { "zsh", "-f", "-i" }, read = "autoload -U compinit; compinit -u -D; source FILE; "
    .. 'deskpilot() { echo "GOT:$*." }; PS1="> "' },
  fish = { argv = { "fish", "--no-config" }, read = 'source FILE; function deskpilot; echo "GOT:$argv."; end; '
    .. 'function fish_prompt; echo "> "; end' },
}

local function with_shell(name, fn)
  local folder = spawn.folder()
  local made = spawn.run { program, "completions", name }
  t.eq(made.status, 0, made.stderr)
  t.ok(files.write(folder .. "/completions", made.stdout))
  t.ok(files.write(folder .. "/mine.lua", "return {}"))
  local term = terminal.start(shells[name].argv, { cwd = folder, columns = 160, env = { HOME = folder,
    XDG_CONFIG_HOME = folder, XDG_DATA_HOME = folder, TERM = "xterm" } })
  term:line((shells[name].read:gsub("FILE", folder .. "/completions")) .. "; clear; echo READY")
  term:wait_for "\n>"
  fn(term)
  term:stop()
end

-- Types a line in pieces, with a Tab after each, and waits until each is completed; then what deskpilot is given.
local function completes(term, pieces, given)
  local line = ""
  for _, piece in ipairs(pieces) do
    term:type(piece[1])
    line = line .. piece[1]
    term:wait_for(line)
    term:press "Tab"
    line = line:sub(1, -#piece[1] - 1) .. piece[2]
    term:wait_for((line:gsub("%s$", ""))) -- that the blank is there shows in what follows it
  end
  term:press "Enter"
  term:wait_for("GOT:" .. given .. ".")
end

for name in pairs(shells) do
  tests[name .. "_completes_commands_options_values_missions_and_files"] = function()
    with_shell(name, function(term)
      completes(term, { { "deskpilot calib", "deskpilot calibrate " }, { "--dry", "--dry-run" } },
        "calibrate --dry-run")
      completes(term, { { "deskpilot run --pol", "deskpilot run --policy " }, { "orch", "orchestrator " },
        { "calcu", "calculator" } }, "run --policy orchestrator calculator")
      completes(term, { { "deskpilot run min", "deskpilot run mine.lua" } }, "run mine.lua")
      completes(term, { { "deskpilot new gua", "deskpilot new guard" } }, "new guard")
    end)
  end
end

function tests.a_shell_that_is_not_known()
  for _, words in ipairs { {}, { "tcsh" }, { "bash", "zsh" } } do
    local child = spawn.run { program, "completions", table.unpack(words) }
    t.eq({ child.status, child.stdout }, { 2, "" })
    t.has(child.stderr, "deskpilot completions bash|fish|powershell|zsh")
  end
end

-- No PowerShell is at hand: what it would read names all there is, and its quotes are closed.
function tests.what_powershell_reads()
  local script = spawn.run({ program, "completions", "powershell" }).stdout
  for _, command in ipairs(command_list.all()) do
    t.has(script, ("'%s' = @{ about ="):format(command.name))
    for _, option in ipairs(args.options(command.module.options)) do t.has(script, ("'--%s'"):format(option.name)) end
  end
  for line in script:gmatch "[^\n]+" do
    local _, quotes = line:gsub("'", "")
    t.eq(quotes % 2, 0, line)
  end
end

function tests.the_manual_page_names_everything_and_is_read_without_a_warning()
  local page = spawn.run { program, "man" }
  t.eq(page.status, 0, page.stderr)
  local shown = spawn.run({ "groff", "-man", "-Tutf8", "-ww", "-rLL=200n", "-P-cbou" }, { input = page.stdout })
  t.eq({ shown.status, shown.stderr }, { 0, "" })
  for _, command in ipairs(command_list.all()) do
    t.has(shown.stdout, "deskpilot " .. command.name)
    for _, option in ipairs(args.options(command.module.options)) do t.has(shown.stdout, "--" .. option.name) end
  end
end

return tests
