--- Which files of the user's folders are in force: what lookup.lua has taken from there, in the order in which it did,
--- so that a run can be attributed to what was edited.
local system = require "native.system"
local text = require "deskpilot.base.text"

local own_files = {}

---@class deskpilot.own_file
---@field kind string "policy", "tool", "guard", "prompt", "application", "module", "configuration", ...
---@field name string
---@field folder "mission"|"project"|"user" whose folder it lies in
---@field root string that folder
---@field path string below it
---@field sha256 string of its text
---@field replaces boolean whether it stands in the place of a shipped file
---@field edited boolean whether its text is another than the shipped file's

local log = {} ---@type deskpilot.own_file[]
local texts = {} -- kind and name -> the text that was taken last

--- Keeps in mind that a file was taken. The same text again is nothing new.
---@param kind string
---@param name string
---@param place { folder: string, root: string, path: string }
---@param source string its text
---@param shipped string? the text of the shipped file in whose place it stands
function own_files.took(kind, name, place, source, shipped)
  local id = kind .. " " .. name
  if texts[id] == source then return end
  texts[id] = source
  log[#log + 1] = { kind = kind, name = name, folder = place.folder, root = place.root,
    path = place.path, sha256 = system.sha256(source), replaces = shipped ~= nil,
    edited = shipped ~= nil and shipped ~= source }
end

--- The files that were taken after the first `count`, each as it was taken last.
---@param count integer? 0 unless told
---@return deskpilot.own_file[] list, integer count for the next call
function own_files.since(count)
  local list, at = {}, {}
  for i = (count or 0) + 1, #log do
    local id = log[i].kind .. " " .. log[i].name
    at[id] = at[id] or #list + 1
    list[at[id]] = log[i]
  end
  return list, #log
end

--- Forgets all of it.
function own_files.forget()
  log, texts = {}, {}
end

--- The files in a sentence: "policy three_body (edited), prompt vision (as it ships) and tool raise_window".
---@param list any as since() gives it; from a journal it may be anything
---@return string
function own_files.words(list)
  local words = {}
  for _, file in ipairs(type(list) == "table" and list or {}) do
    local how = type(file) == "table" and file.replaces and (file.edited and " (edited)" or " (as it ships)") or ""
    if type(file) == "table" then
      words[#words + 1] = ("%s %s%s"):format(tostring(file.kind), tostring(file.name), how)
    end
  end
  return text.join(words)
end

--- The same with the folders that they are from: "policy three_body (edited) from /work/forms".
---@param list any
---@return string
function own_files.words_with_places(list)
  local by_root, roots = {}, {}
  for _, file in ipairs(type(list) == "table" and list or {}) do
    local root = type(file) == "table" and type(file.root) == "string" and file.root or ""
    if not by_root[root] then roots[#roots + 1], by_root[root] = root, {} end
    table.insert(by_root[root], file)
  end
  local words = {}
  for i, root in ipairs(roots) do
    words[i] = own_files.words(by_root[root]) .. (root ~= "" and " from " .. root or "")
  end
  return table.concat(words, "; ")
end

return own_files
