--- What is wrong with a file: every mistake that was found in it, not only the first, each with the path of the key
--- that it is about, so that its line can be told (cli/source_lines.lua). An error made of a list has all of its
--- sentences, and the list itself in `problems`.
local errors = require "deskpilot.base.errors"

local problems = {}

---@class deskpilot.problem
---@field words string a sentence, or the rest of one
---@field path string? dotted names of the keys that lead to it: "limits.turns"
---@field line integer? where the file's own text says so
---@field where string? the file, where the list is about several

---@class deskpilot.problems
---@field [integer] deskpilot.problem
local Problems = {}
Problems.__index = Problems

--- An empty list.
---@return deskpilot.problems
function problems.new()
  return setmetatable({}, Problems)
end

--- Adds one.
---@param path string?
---@param words string the sentence; where more arguments follow, a format string for them
---@param ... any
function Problems:add(path, words, ...)
  if select("#", ...) > 0 then words = words:format(...) end
  self[#self + 1] = { words = words, path = path }
end

--- Adds the sentence that a check gave, where it gave one.
---@param path string?
---@param words string?
---@return boolean added
function Problems:note(path, words)
  if words then self:add(path, "%s", words) end
  return words ~= nil
end

--- The first one's words; nil where there are none.
---@return string?
function Problems:first()
  return self[1] and self[1].words
end

--- The list as an error.
---@param before string? stands before the words of each, as "mission.lua: "
---@return nil, deskpilot.error err code "invalid": a line for each problem; it has them in `problems`
function Problems:fail(before)
  local lines = {}
  for i, one in ipairs(self) do lines[i] = (before or "") .. one.words end
  local err = errors.new("invalid", "%s", table.concat(lines, "\n"))
  err.problems = self
  return nil, err
end

return problems
