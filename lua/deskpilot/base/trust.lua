--- Whose files are used. A file that decides what runs here (a mission, a configuration, a policy, a tool, a prompt) is
--- read only if nobody else could have written it or put it there: it and every folder above it, and what links on the
--- way lead to, belong to this user or to those who run the machine (root; SYSTEM, Administrators), and nobody else may
--- write them. A folder to which others may only add (as /tmp, with the sticky bit) is no harm, since what they add is
--- theirs. The user may say of folders that all who write there are trusted (`trusted_folders`).
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local system = require "native.system"
local text = require "deskpilot.base.text"
local uv = require "luv"

local trust = {}

local trusted = {} ---@type string[] absolute, without links
local own_configuration = "" -- the file in which the user says so, for the sentence
local most_links = 40

local function real(path)
  local found = uv.fs_realpath(path)
  return found and files.absolute(found)
end

local function is_below(path, folder)
  local prefix = text.without_end(folder, "/") .. "/"
  return path == folder or path:sub(1, #prefix) == prefix
end

--- Sets the folders in which everybody's files are used.
---@param folders string[] absolute paths; one that does not exist is passed over
---@param where string? the user's own configuration file, in which they can be named
---@return boolean? ok, deskpilot.error? err code "invalid" for a relative path
function trust.allow(folders, where)
  local list = {}
  for _, folder in ipairs(folders) do
    if not folder:find("^[/\\]") and not folder:find("^%a:[/\\]") then
      return errors.fail("invalid", "trusted_folders holds '%s', but must hold absolute paths", folder)
    end
    list[#list + 1] = real(folder)
  end
  trusted, own_configuration = list, where or own_configuration
  return true
end

-- The path and all folders above it, the outermost first. What a link on the way leads to is looked at by itself.
local function steps(path)
  local root = path:match("^//[^/]+/[^/]+") or path:match("^%a:/") or "/"
  local list, at = { root }, #root
  for stop in path:sub(at + 1):gmatch("[^/]+()") do
    local step = path:sub(1, at + stop - 1)
    if step ~= root then list[#list + 1] = step end
  end
  return list
end

-- What is wrong with one of the steps: a sentence's beginning, and the step; nil where nothing is.
local function problem(path, links)
  for _, step in ipairs(steps(path)) do
    local access, err = system.access(step)
    if not access then return tostring(err), step end
    local target = access.link and uv.fs_readlink(step)
    if not access.ours then
      return ("%s belongs to %s"):format(step, access.owner), step
    elseif access.writer then
      return ("%s may be written by %s"):format(step, access.writer), step
    elseif target then
      if links >= most_links then return ("%s leads to too many links"):format(step), step end
      local why, at = problem(files.join((files.split(step)), target), links + 1)
      if why then return why, at end
    end
  end
end

--- Whether a file may be used.
---@param path string
---@param folder string? what to trust if it is not: the project's or the mission's folder; the file's own unless given
---@return boolean? ok, deskpilot.error? err code "refused": the file, whose it is, and how to allow it
function trust.check(path, folder)
  local absolute = files.join(uv.cwd(), path)
  local there = real(absolute)
  if not there then return errors.fail("not_found", "there is no file %s", path) end
  for _, one in ipairs(trusted) do
    if is_below(there, one) then return true end
  end
  local why = problem(absolute, 0)
  if not why then return true end
  folder = folder or (files.split(there))
  why = why:sub(1, #absolute + 1) == absolute .. " " and "it" .. why:sub(#absolute + 1) or why
  return errors.fail("refused", "%s is not used: %s, so others could decide what is done in your name; if you trust "
    .. "all who may write there, say so: trusted_folders = { %q } in %s, or the variable DESKPILOT_TRUSTED_FOLDERS=%s",
    path, why, folder, own_configuration, folder)
end

return trust
