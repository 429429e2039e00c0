--- What a run keeps in mind: named values ("${total}") and short experiences, which are sentences without near
--- duplicates. Both are limited in number and length. What is kept across runs as well is in a store
--- (memory_store.lua), which is off unless `memory.keep` says otherwise.
local errors = require "deskpilot.base.errors"
local similar = require "deskpilot.agent.similar"
local text = require "deskpilot.base.text"

local memory = {}

--- The version of what snapshot() gives.
memory.version = 1

--- The event, as its declaration has it.
memory.events = {
  { name = "memory", about = "The run's memory has changed.", fields = {
    { "op", { enum = { "set", "forget", "learn" } }, "what was done" },
    { "name?", "string", "of a value" },
    { "value?", "string", "the new one" },
    { "experience?", "string", "what was learned" },
    { "kept?", "boolean", "also for later runs" },
  } },
}

---@class deskpilot.memory_limits
---@field values integer most named values
---@field value_chars integer longest value
---@field experiences integer most experiences; the oldest go first
---@field experience_chars integer longest experience

---@class deskpilot.memory
---@field limits deskpilot.memory_limits
---@field changed fun(change: table)? told of each change, with the fields of the event
---@field store (fun(): deskpilot.memory_store?)? what is kept across runs, as things are now
local Memory = {}
Memory.__index = Memory

local default_limits = { values = 50, value_chars = 4000, experiences = 20, experience_chars = 300 }

--- An empty memory.
---@param options { limits: deskpilot.memory_limits?, changed: fun(change: table)?, store: function? }?
---@return deskpilot.memory
function memory.new(options)
  options = options or {}
  return setmetatable({ values = {}, learned = {}, limits = options.limits or default_limits,
    changed = options.changed, store = options.store }, Memory)
end

local function tell(self, change)
  if self.changed then self.changed(change) end
end

local function store_of(self)
  return self.store and self.store() or nil
end

local function count(values)
  return #text.keys(values)
end

-- Text as it is kept: a number or a boolean as it is written; no control characters but ends of lines and tabs.
local function written(value, limit, what)
  local kind = type(value)
  if kind ~= "string" and kind ~= "number" and kind ~= "boolean" then
    return errors.fail("invalid", "%s must be a text, a number or true or false, not a %s", what, kind)
  end
  local words = tostring(value)
  if not utf8.len(words) then return errors.fail("invalid", "%s is not UTF-8", what) end
  words = words:gsub("\r\n?", "\n"):gsub("[\0-\8\11-\31\127]", " "):gsub("\194[\128-\159]", " ")
  if utf8.len(words) > limit then
    return errors.fail("invalid", "%s has %d characters, and at most %d are kept", what, utf8.len(words), limit)
  end
  return words
end

local function is_name(name)
  return type(name) == "string" and #name <= 64 and name:find "^[%a_][%w_.-]*$" ~= nil
end

--- Keeps a value under a name, in place of the one before.
---@param name string letters, digits, "_", "." and "-", at most 64; begins with a letter or "_"
---@param value string|number|boolean kept as text
---@param options { keep: boolean? }? keep: also for later runs, where memory.keep is on
---@return boolean? ok, deskpilot.error? err code "invalid": what is wrong with it, or that there are too many
function Memory:set(name, value, options)
  if not is_name(name) then
    return errors.fail("invalid", "a name in the memory is of letters, digits, _, . and -, at most 64, not %q",
      text.cut(tostring(name), 80))
  end
  local words, err = written(value, self.limits.value_chars, name)
  if not words then return nil, err end
  if not self.values[name] and count(self.values) >= self.limits.values then
    return errors.fail("invalid", "the memory has %d values already (memory.values): forget one first",
      self.limits.values)
  end
  self.values[name] = words
  local store = options and options.keep and store_of(self)
  tell(self, { op = "set", name = name, value = words, kept = store and true or nil })
  if store then return store:set(name, words) end
  return true
end

--- The value of a name: of this run, else of those before.
---@param name string
---@return string? value
function Memory:get(name)
  local store = self.values[name] == nil and store_of(self) or nil
  return self.values[name] or store and store:read().values[name] or nil
end

--- Forgets a value of this run.
---@param name string
---@return boolean was_there
function Memory:forget(name)
  local was_there = self.values[name] ~= nil
  self.values[name] = nil
  if was_there then tell(self, { op = "forget", name = name }) end
  return was_there
end

--- All names, sorted.
---@return string[]
function Memory:names()
  local all = {}
  local store = store_of(self)
  for name in pairs(store and store:read().values or {}) do all[name] = true end
  for name in pairs(self.values) do all[name] = true end
  return text.keys(all)
end

--- Keeps an experience, unless it is known in nearly the same words. Beyond the limit the oldest goes.
---@param sentence string
---@return boolean? new false where it was known; nil where it cannot be kept
---@return string|deskpilot.error|nil known the sentence that says the same; or what is wrong
function Memory:learn(sentence)
  local words, err = written(sentence, self.limits.experience_chars, "an experience")
  if not words then return nil, err end
  words = text.one_line(words)
  if words == "" then return errors.fail("invalid", "an experience must say something") end
  local known = similar.find(words, self:experiences())
  if known then return false, known end
  table.insert(self.learned, words)
  while #self.learned > self.limits.experiences do table.remove(self.learned, 1) end
  local store = store_of(self)
  tell(self, { op = "learn", experience = words, kept = store and true or nil })
  if store then
    local ok, why = store:learn(words, self.limits.experiences)
    if not ok then return nil, why end
  end
  return true
end

--- All experiences, the oldest first; those of earlier runs before those of this one.
---@return string[]
function Memory:experiences()
  local store, list, seen = store_of(self), {}, {}
  for _, known in ipairs { store and store:read().experiences or {}, self.learned } do
    for _, sentence in ipairs(known) do
      if not seen[sentence] then list[#list + 1], seen[sentence] = sentence, true end
    end
  end
  return list
end

local function expand_text(self, words, unknown)
  return (words:gsub("%${([%a_][%w_.-]*)}", function(name)
    local value = self:get(name)
    if not value then unknown[name] = true end
    return value -- nil: it stays as it is
  end))
end

local function expand(self, value, unknown, depth)
  if type(value) == "string" then return expand_text(self, value, unknown) end
  if type(value) ~= "table" or depth > 32 then return value end
  local copy = setmetatable({}, getmetatable(value))
  for key, item in pairs(value) do copy[key] = expand(self, item, unknown, depth + 1) end
  return copy
end

--- A text, or a copy of a table with texts in it, in which each ${name} has become that value. What was put in is not
--- looked through again.
---@param value any
---@return any expanded, string[] unknown the names that there is no value for, which stand as they were
function Memory:expand(value)
  local unknown = {}
  local expanded = expand(self, value, unknown, 0)
  return expanded, text.keys(unknown)
end

--- What a persona is told of it; nil where there is nothing.
---@param most { experiences: integer?, chars: integer? }? the latest experiences, and the characters of each line; all,
---  and 200 of a value, unless told
---@return string?
function Memory:render(most)
  most = most or {}
  local lines, experiences = {}, self:experiences()
  for _, name in ipairs(self:names()) do
    lines[#lines + 1] = ("  ${%s} = %s"):format(name, text.cut(text.one_line(self:get(name)), most.chars or 200))
  end
  if #experiences > 0 then lines[#lines + 1] = "Learned:" end
  for i = math.max(1, #experiences - (most.experiences or #experiences) + 1), #experiences do
    lines[#lines + 1] = "  - " .. (most.chars and text.cut(experiences[i], most.chars) or experiences[i])
  end
  if #lines > 0 then return table.concat(lines, "\n") end
end

--- This run's own part as plain data, for a run that goes on with it.
---@return { version: integer, values: table<string, string>, experiences: string[] }
function Memory:snapshot()
  local values = {}
  for name, value in pairs(self.values) do values[name] = value end
  return { version = memory.version, values = values, experiences = table.move(self.learned, 1, #self.learned, 1, {}) }
end

--- A memory as snapshot() gave it. The data may come from a file: what does not fit is an error.
---@param data any
---@param options table? as for new
---@return deskpilot.memory? memory, deskpilot.error? err
function memory.restore(data, options)
  if type(data) ~= "table" or type(data.values) ~= "table" or type(data.experiences) ~= "table" then
    return errors.fail("invalid", "this is no memory of a run")
  end
  if data.version ~= memory.version then
    return errors.fail("unsupported", "the memory is of version %s, and this deskpilot knows version %d",
      tostring(data.version), memory.version)
  end
  local self = memory.new(options)
  local changed, store = self.changed, self.store
  self.changed, self.store = nil, nil
  for _, name in ipairs(text.keys(data.values)) do
    local ok, err = self:set(name, data.values[name])
    if not ok then return nil, err end
  end
  for _, sentence in ipairs(data.experiences) do
    local new, err = self:learn(sentence)
    if new == nil then return nil, err end
  end
  self.changed, self.store = changed, store
  return self
end

return memory
