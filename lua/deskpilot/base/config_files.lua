--- The configuration files: the project's and the user's.
local uv = require "luv"
local files = require "deskpilot.base.files"

local config_files = {}

--- Reads the project's and the user's files, where there are any.
---@param project_folder string
---@param user_folder string
---@return table? project, table? user; or nil, nil and an error
function config_files.read(project_folder, user_folder)
  local function read(path)
    local _, _, code = uv.fs_stat(path)
    if code == "ENOENT" then return {} end
    return require "deskpilot.base.data".read(path)
  end
  local project, err = read(files.join(project_folder, "deskpilot.lua"))
  if not project then return nil, nil, err end
  local user
  user, err = read(files.join(user_folder, "config.lua"))
  if not user then return nil, nil, err end
  return project, user
end

return config_files
