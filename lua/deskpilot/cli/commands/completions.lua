--- `deskpilot completions`: what a shell completes of deskpilot's command line, in that shell's language.
local shell_completions = require "deskpilot.cli.shell_completions"
local terminal = require "deskpilot.cli.terminal"

local completions = {
  summary = "Print what your shell needs to complete commands, options and missions.",
  order = 210,
  usage = "completions bash|zsh|fish|powershell",
  options = {},
  details = "  bash         deskpilot completions bash > ~/.local/share/bash-completion/completions/deskpilot\n"
    .. "  zsh          deskpilot completions zsh > FOLDER/_deskpilot, a folder of $fpath\n"
    .. "  fish         deskpilot completions fish > ~/.config/fish/completions/deskpilot.fish\n"
    .. "  PowerShell   deskpilot completions powershell >> $PROFILE",
}

function completions.run(_, positional)
  local written = positional[1] and not positional[2] and shell_completions.of(positional[1])
  if not written then
    terminal.complain(("which shell? deskpilot completions %s"):format(table.concat(shell_completions.shells(), "|")))
    return 2
  end
  terminal.put(written)
  return 0
end

return completions
