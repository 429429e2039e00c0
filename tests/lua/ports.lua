--- Ports of this machine that no other test can come to have.
local uv = require "luv"

local ports = {}

local held = {} -- sockets, as long as the test runs

--- A port at which nothing answers: it is taken, so that nobody else gets it, but nobody listens.
---@return integer
function ports.refusing()
  local socket = uv.new_tcp()
  assert(socket:bind("127.0.0.1", 0))
  held[#held + 1] = socket
  return socket:getsockname().port
end

--- The port on which that process listens; nil while it does not (Linux).
---@param pid integer
---@return integer?
function ports.of(pid)
  local own = {}
  local folder = ("/proc/%d/fd"):format(pid)
  local scan = uv.fs_scandir(folder)
  for name in function() return scan and uv.fs_scandir_next(scan) end do
    own[(uv.fs_readlink(folder .. "/" .. name) or ""):match "^socket:%[(%d+)%]$" or ""] = true
  end
  for _, list in ipairs { "/proc/net/tcp", "/proc/net/tcp6" } do
    for line in io.lines(list) do -- 0A: listens
      local port, inode = line:match "^ *%d+: %x+:(%x+) %S+ 0A %S+ %S+ %S+ +%d+ +%d+ (%d+)"
      if own[inode] then return tonumber(port, 16) end
    end
  end
end

return ports
