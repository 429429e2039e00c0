--- Tags: what a machine has (linux, chromium, a licence). A worker offers some, a mission asks for some, and runs only
--- where all of them are offered.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local tags = {}

local MOST, LONGEST, ALL = 16, 32, 180 -- the last: letters of all, for the server's names

--- Reads what follows --tags: "linux,chromium".
---@param words string?
---@return string[]? list sorted, each once
---@return deskpilot.error? err invalid
function tags.read(words)
  local list, seen = json.list(), {}
  for word in (words or ""):gmatch "[^,]+" do
    local tag = text.trim(word)
    if tag ~= "" and not seen[tag] then
      if not tag:find "^[a-z0-9-]+$" or #tag > LONGEST then
        return errors.fail("invalid", "a tag has a to z, 0 to 9 and '-', at most %d of them, not %q: --tags "
          .. "linux,chromium", LONGEST, tag)
      end
      seen[tag], list[#list + 1] = true, tag
    end
  end
  table.sort(list)
  if #list > MOST or #tags.name(list) > ALL then
    return errors.fail("invalid", "--tags takes at most %d tags and %d letters", MOST, ALL)
  end
  return list
end

--- The name of a set of tags, which the server's names of its queue are made of.
---@param list string[] as tags.read returns them
---@return string name "" where there are none
function tags.name(list) return table.concat(list, "_") end

--- The tags of a name; nil where it is no name of a set.
---@param name string untrusted
---@return string[]?
function tags.of_name(name)
  local list = tags.read((name:gsub("_", ",")))
  return list and tags.name(list) == name and list or nil
end

--- Whether all that are asked for are offered.
---@param offered string[]
---@param asked string[]
---@return boolean
function tags.include(offered, asked)
  local has = {}
  for _, tag in ipairs(offered) do has[tag] = true end
  for _, tag in ipairs(asked) do
    if not has[tag] then return false end
  end
  return true
end

return tags
