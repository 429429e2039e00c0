--- What a model has mended in a replayed mission, as a diff beside it, for a person to look at: the mission itself
--- stays as it is.
local files = require "deskpilot.base.files"
local lua_source = require "deskpilot.agent.lua_source"
local text = require "deskpilot.base.text"

local replay_diff = {}

local order = { "app", "window", "title", "page", "role", "name", "nth", "focus", "picture", "spot", "at" }

local function lines_of(words)
  local lines, from = {}, 1
  while from <= #words do
    local to = words:find("\n", from, true) or #words + 1
    lines[#lines + 1], from = words:sub(from, to - 1), to + 1
  end
  return lines
end

-- The line of a step's field: the first one before the next step.
local function find_field(lines, from, field)
  for i = from, #lines do
    if lines[i]:find("^%s*" .. field .. " = ") then return i end
    if i > from and lines[i]:find "^%s*step%s*[{(]" then return nil end
  end
end

-- Lines that are replaced, those near each other together.
local function groups(changes)
  local numbers, found = {}, {}
  for number in pairs(changes) do numbers[#numbers + 1] = number end
  table.sort(numbers)
  for _, number in ipairs(numbers) do
    local last = found[#found]
    if last and number - last.to <= 2 then last.to = number else found[#found + 1] = { from = number, to = number } end
  end
  return found
end

-- One hunk, with a line around it.
local function hunk(lines, changes, from, to)
  local first, last = math.max(1, from - 1), math.min(#lines, to + 1)
  local parts = { ("@@ -%d,%d +%d,%d @@"):format(first, last - first + 1, first, last - first + 1) }
  for i = first, last do
    parts[#parts + 1] = (changes[i] and "-" or " ") .. lines[i]
    if changes[i] then parts[#parts + 1] = "+" .. changes[i] end
  end
  return table.concat(parts, "\n") .. "\n"
end

local function write(self, lines)
  local name, run = select(2, files.split(self.file)), select(2, files.split(self.m.dir.path))
  local parts = { ("--- %s\n+++ %s\n"):format(name, name) }
  for _, group in ipairs(groups(self.changes)) do
    parts[#parts + 1] = hunk(lines, self.changes, group.from, group.to)
  end
  local words, private = table.concat(parts), { private = true }
  local path = ("%s.%s.diff"):format(self.file, run)
  if files.write(path, words, private) then return path end
  path = files.join(self.m.dir.path, name .. ".diff") -- where nothing can be written beside the mission
  local ok, err = files.write(path, words, private)
  return ok and path, not ok and tostring(err) or nil
end

--- Adds what a step points at now to the run's diff.
---@param self deskpilot.replay.player
---@param line integer of the step, in the mission's file
---@param targets table<"on"|"to", deskpilot.replay.target>
---@return string? path of the diff
---@return string? note what could not be put into it, or why it could not be written
function replay_diff.add(self, line, targets)
  local source = files.read(self.file)
  local lines, left_out = source and lines_of(source) or {}, {}
  self.changes = self.changes or {}
  for _, field in ipairs { "on", "to" } do
    local words = targets[field] and ("%s = %s"):format(field, lua_source.written(targets[field], order))
    local at = words and find_field(lines, line, field)
    if at then
      self.changes[at] = lines[at]:match "^%s*" .. words .. (lines[at]:find ",%s*$" and "," or " }")
    elseif words then
      left_out[#left_out + 1] = words
    end
  end
  if #left_out > 0 then return nil, "the line to change was not found: " .. text.join(left_out) end
  return write(self, lines)
end

return replay_diff
