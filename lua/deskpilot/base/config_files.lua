--- The configuration files: the user's, and that of the project whose folder this is. Nobody else's are read
--- (trust.lua).
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local lookup = require "deskpilot.base.lookup"
local option = require "deskpilot.base.config_option"
local own_files = require "deskpilot.base.own_files"
local trust = require "deskpilot.base.trust"

local config_files = {}

--- What was found, where nothing is wrong with it.
---@class deskpilot.config_files
---@field project_folder string
---@field user_folder string
---@field project table what deskpilot.lua holds
---@field user table what the user's config.lua holds
---@field sources { folder: "project"|"user", root: string, path: string, text: string }[] the files that were read

-- The file of that name in the project's or the user's folder; an empty table where there is none.
local function read(found, whose, name)
  local root = found[whose .. "_folder"]
  local path = files.join(root, name)
  local _, _, code = uv.fs_lstat(path)
  if code == "ENOENT" or code == "ENOTDIR" then return {} end
  local ok, err = trust.check(path)
  if not ok then return nil, err end
  local data = require "deskpilot.base.data"
  local text, failure = files.read(path, data.max_bytes)
  if not text then return nil, failure end
  table.insert(found.sources, { folder = whose, root = root, path = name, text = text })
  return data.parse(text, path)
end

-- Only the user says whom to trust: by the command line, else the environment, else the configuration of their own.
local function allow(value, where)
  local folders, why = option.convert({ type = "list" }, "trusted_folders", value or {})
  if not folders then return errors.fail("invalid", "%s", why) end
  return trust.allow(folders, where)
end

--- Finds the folders and reads the files in them, those that there are.
---@param flags deskpilot.config_layer? of the command line
---@param folders { project_folder: string?, user_folder: string? }? in place of those where they usually are
---@return deskpilot.config_files found with empty tables for what could not be read
---@return deskpilot.error? err
function config_files.read(flags, folders)
  folders = folders or {}
  local found = { user_folder = folders.user_folder or files.user_config_folder(), project = {}, user = {},
    sources = {} }
  local path = files.join(found.user_folder, "config.lua")
  local said = flags and flags.values.trusted_folders or uv.os_getenv "DESKPILOT_TRUSTED_FOLDERS"
  local _
  local ok, err = allow(said, path)
  local user
  if ok then user, err = read(found, "user", "config.lua") end
  if user then _, err = allow(said or user.trusted_folders, path) end
  found.user = user or found.user
  found.project_folder = folders.project_folder or lookup.project_folder()
  if err then return found, err end
  local project
  project, err = read(found, "project", "deskpilot.lua")
  found.project = project or found.project
  return found, err
end

--- Lets everything else be looked for in the mission's folder and those that read() has found. The files that were
--- read already count among the user's own.
---@param found deskpilot.config_files
---@param mission_folder string?
---@return boolean? ok, deskpilot.error? err a file in a place where none may be
function config_files.search(found, mission_folder)
  lookup.set_roots { mission_folder = mission_folder, project_folder = found.project_folder,
    user_folder = found.user_folder }
  for _, file in ipairs(found.sources) do own_files.took("configuration", file.path, file, file.text) end
  return lookup.check_places()
end

return config_files
