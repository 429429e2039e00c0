--- `deskpilot man`: the manual page deskpilot(1).
local man_page = require "deskpilot.cli.man_page"
local terminal = require "deskpilot.cli.terminal"

local man = {
  summary = "Print the manual page: deskpilot man | man -l -",
  only_options = true,
  order = 220,
  usage = "man",
  options = {},
}

function man.run()
  terminal.put(man_page.make())
  return 0
end

return man
