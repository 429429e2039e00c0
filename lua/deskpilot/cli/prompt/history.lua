--- What was entered at the prompt before, kept in a file of the user's.
local files = require "deskpilot.base.files"
local secrets = require "deskpilot.model.secrets"
local uv = require "luv"

local history = {}

local most = 1000
local private = { private = true }
local unescapes = { n = "\n", ["\\"] = "\\" }

local function path_of()
  return files.join(files.user_state_folder(), "repl_history")
end

--- The latest entries, oldest first.
---@return string[]
function history.read()
  local entries = {}
  local words = files.read(path_of(), 4 * 1024 * 1024) or ""
  for line in words:gmatch("[^\n]+") do
    if utf8.len(line) then entries[#entries + 1] = line:gsub("\\(.)", unescapes) end
  end
  return table.move(entries, math.max(1, #entries - most + 1), #entries, 1, {})
end

--- Adds an entry. The file is its owner's alone: entries may hold passwords typed into the desktop. A history that
--- cannot be kept is no reason to bother anyone.
---@param entry string
function history.save(entry)
  local path = path_of()
  if not files.make_folder((files.split(path)), private) then return end
  local fd = files.append(path, private)
  if not fd then return end
  files.write_all(fd, secrets.mask(entry):gsub("[\\\n]", { ["\\"] = "\\\\", ["\n"] = "\\n" }) .. "\n")
  uv.fs_close(fd)
end

return history
