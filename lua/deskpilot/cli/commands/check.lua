--- `deskpilot check FILE...`: everything that is wrong with a file, before anything is run.
local checking = require "deskpilot.cli.checking"
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"

local command = {
  summary = "Tell everything that is wrong with missions, policies, tools, prompts and other files.",
  order = 89,
  usage = "check [--as KIND] [--json] FILE...",
  options = {
    { name = "as", value = "KIND", help = "what the files are: " .. text.join(checking.kinds())
      .. " (default: what their folder says)" },
    { name = "json", help = "print a JSON object a line for each mistake" },
  },
  details = [[
A line for each mistake, FILE:LINE: what it is. A mission, policy, tool or guard is loaded as a run loads it, so its top
level runs, with a desktop that is only imagined; nothing is clicked or asked. Files of data are only read.

Exit status 0: nothing is wrong; 1: something is.]],
}

-- A file that asks for the desktop at its top level gets one on which nothing happens.
local function with_null_desktop(fn)
  local desk = assert(require "deskpilot.desk".open { backend = "null" })
  local was = package.loaded.desk
  package.loaded.desk = desk
  local closing <close> = setmetatable({}, { __close = function()
    package.loaded.desk = was
    desk:close()
  end })
  assert(closing)
  return fn()
end

--- Checks them.
---@param options table
---@param positional string[]
---@return integer status
function command.run(options, positional)
  if not positional[1] then
    terminal.complain "check wants a file: deskpilot check missions/mine.lua"
    return 2
  end
  local known = checking.kinds()
  local kind = options.as
  if kind and not (" " .. table.concat(known, " ") .. " "):find(" " .. kind .. " ", 1, true) then
    terminal.complain(("there is no kind '%s'%s"):format(kind, text.did_you_mean(kind, known)))
    return 2
  end
  local count = 0
  with_null_desktop(function()
    for _, path in ipairs(positional) do
      for _, one in ipairs(checking.file(path, kind)) do
        count = count + 1
        if options.json then terminal.put_json(one)
        else terminal.put(("%s:%d: %s\n"):format(one.file, one.line, terminal.line(one.message))) end
      end
    end
  end)
  return count == 0 and 0 or 1
end

return command
