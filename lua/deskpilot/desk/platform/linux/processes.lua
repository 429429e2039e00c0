--- The processes of this machine, from /proc.
local uv = require "luv"
local files = require "deskpilot.base.files"
local text = require "deskpilot.base.text"

local processes = {}

local function read_file(path)
  local fd = uv.fs_open(path, "r", 0)
  if not fd then return nil end
  local data = uv.fs_read(fd, 4096, 0)
  uv.fs_close(fd)
  return data
end

--- The parent and the state letter of a process; nil if there is none.
---@param pid integer
---@return integer? parent, string? state
function processes.parent(pid)
  local stat = read_file("/proc/" .. pid .. "/stat")
  -- The name in brackets may contain any characters, brackets too, so the last bracket counts (proc(5)).
  local state, parent = (stat or ""):match("^.*%) (%a) (%d+)")
  return math.tointeger(tonumber(parent)), state
end

--- The descendants of the process `root`, without itself.
---@param root integer
---@return { pid: integer, zombie: boolean, parent: integer }[]
function processes.descendants(root)
  local children = {}
  for _, name in ipairs(files.list "/proc") do
    local pid = math.tointeger(tonumber(name))
    local parent, state
    if pid then parent, state = processes.parent(pid) end
    if parent then
      children[parent] = children[parent] or {}
      table.insert(children[parent], { pid = pid, zombie = state == "Z", parent = parent })
    end
  end
  local found, next_index = {}, 1
  local above = root
  while above do
    for _, child in ipairs(children[above] or {}) do found[#found + 1] = child end
    above = found[next_index] and found[next_index].pid
    next_index = next_index + 1
  end
  return found
end

--- The processes that were started with a variable, as far as we may read their environments.
---@param entry string NAME=value
---@return integer[] pids
function processes.with_environment(entry)
  local found = {}
  for _, name in ipairs(files.list "/proc") do
    local pid = math.tointeger(tonumber(name))
    local variables = pid and files.read("/proc/" .. pid .. "/environ") or ""
    if ("\0" .. variables):find("\0" .. entry .. "\0", 1, true) then found[#found + 1] = pid end
  end
  return found
end

--- The processes of a program, by the name that the kernel keeps (of which it knows 15 bytes) or by that of its file.
---@param name string
---@return integer[] pids those that have ended and were not waited for are left out
function processes.named(name)
  local found = {}
  for _, entry in ipairs(files.list "/proc") do
    local pid = math.tointeger(tonumber(entry))
    local kept = pid and (read_file("/proc/" .. pid .. "/comm") or ""):match "^[^\n]*"
    local file = pid and text.after_last(uv.fs_readlink("/proc/" .. pid .. "/exe") or "", "/")
    if pid and (kept == name:sub(1, 15) or file == name) and select(2, processes.parent(pid)) ~= "Z" then
      found[#found + 1] = pid
    end
  end
  table.sort(found)
  return found
end

return processes
