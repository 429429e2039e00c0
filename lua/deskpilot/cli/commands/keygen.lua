--- deskpilot keygen: makes a pair of keys that a fleet's missions are signed with.
local files = require "deskpilot.base.files"
local terminal = require "deskpilot.cli.terminal"
local uv = require "luv"

local command = {
  summary = "Make a pair of keys that a fleet's missions are signed with.",
  order = 92,
  usage = "keygen NAME",
  options = {},
  details = [[
  deskpilot keygen orders                    makes orders.key and orders.pub
  deskpilot submit order.lua --sign orders.key
  deskpilot worker --trust orders.pub

They are files of minisign's without a password (minisign -G -W): keep orders.key to yourself.

Exit status 0: they are made; 1: they could not be written; 2: the command line is wrong, or a file is there already.]],
}

-- Never in the place of another file: a secret key cannot be had again.
local function write_new(path, words, private)
  local fd, err = files.create(path, { private = private })
  if not fd then return nil, err end
  local ok, why = files.write_all(fd, words)
  if ok then ok, why = files.sync(fd) end
  uv.fs_close(fd)
  if ok then return true end
  files.remove(path)
  return nil, ("cannot write %s: %s"):format(path, tostring(why))
end

--- Makes the two files.
---@param _ table
---@param positional string[]
---@return integer status
function command.run(_, positional)
  local name = positional[1]
  if #positional ~= 1 or name == "" then
    terminal.complain "keygen takes the name of the files: deskpilot keygen orders"
    return 2
  end
  local secret_path, public_path = name .. ".key", name .. ".pub"
  for _, path in ipairs { secret_path, public_path } do
    if uv.fs_lstat(path) then
      terminal.complain(path .. " is there already: give another name, or remove it")
      return 2
    end
  end
  local public, secret, id = require("deskpilot.fleet.minisign").new_keys()
  local ok, err = write_new(secret_path, secret, true)
  if ok then ok, err = write_new(public_path, public, false) end
  if not ok then
    terminal.complain(tostring(err))
    return 1
  end
  terminal.note(("key %s: %s signs missions (deskpilot submit --sign), %s is for workers (deskpilot worker --trust)\n")
    :format(id, secret_path, public_path))
  return 0
end

return command
