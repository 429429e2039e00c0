--- The parameters of an exported mission: texts that a person may want to change, choices, and what is secret.
local lua_source = require "deskpilot.agent.lua_source"
local step_merge = require "deskpilot.replay.step_merge"
local text = require "deskpilot.base.text"

local step_parameters = {}

local quoted, expression = lua_source.quoted, lua_source.expression

--- A name in Lua for what something is called.
---@param words string
---@return string?
function step_parameters.slug(words)
  local name = words:lower():gsub("[^%w]+", "_"):gsub("^_+", "")
  name = text.without_end(name, "_"):sub(1, 30)
  if name == "" then return nil end
  if name:find "^%d" then name = "n" .. name end
  return lua_source.is_name(name) and name or name .. "_"
end

-- A new name for what a step types.
local function name_for(self, step, argument)
  local on = step.on or {}
  local slug = step_parameters.slug
  local base = on.name and slug(on.name) or slug(tostring(step.with.label or "")) or argument
  local name, count = base, 1
  while self.names[name] do
    count = count + 1
    name = ("%s_%d"):format(base, count)
  end
  self.names[name] = true
  return name
end

-- Where the mission's task has a text that its file has not: made anew for each run, so it is taken from the task then.
local function in_task(self, value)
  local task = self.task
  local from, to = task:find(value, 1, true)
  if not from or #value < 4 or self.source:find(value, 1, true) or self.script then return nil end
  local before = text.after_last(task:sub(1, from - 1), "\n")
  local after = task:sub(to + 1):match "^[^\n]*"
  local first = before ~= "" and task:find(before, 1, true)
  if not first or first ~= from - #before then return nil end
  if after == "" then after = task:sub(to + 1, to + 1) end
  local stop = after ~= "" and task:find(after, from, true)
  if stop ~= to + 1 then return nil end
  return ("original:in_task(%s, %s)"):format(quoted(before), quoted(after))
end

local function add_parameter(self, name, source, note)
  self.given[#self.given + 1] = ("  %s = %s,%s"):format(lua_source.key(name), source, note and " -- " .. note or "")
end

local notes = { unknown = "not kept, since it could not be seen whether it is a password: it is taken from that "
  .. "variable of the environment" }

local function secret_of(self, step, argument)
  local name = name_for(self, step, argument)
  add_parameter(self, name, ("replay.secret %s"):format(quoted("DESKPILOT_" .. name:upper())),
    notes[step.withheld] or "secret: it is nowhere but in that variable of the environment")
  return expression("given." .. name)
end

-- Whether a text is what was typed into a secret field, or has it in it.
local function holds_secret(self, value)
  if type(value) ~= "string" then return false end
  for secret in pairs(self.secrets) do
    if value == secret or #secret >= 4 and value:find(secret, 1, true) then return true end
  end
  return false
end

--- What stands in place of a text that was typed.
---@param self table what lua_export.make works on
---@param step deskpilot.run_step
---@param argument string
---@param values any[] of each run
---@return any
function step_parameters.text(self, step, argument, values)
  local value = values[1]
  if step.withheld then return secret_of(self, step, argument) end
  if step.secret or holds_secret(self, value) then
    self.secret_names[value] = self.secret_names[value] or secret_of(self, step, argument)
    return self.secret_names[value]
  end
  if step.kept then return expression("step:kept " .. quoted(step.kept)) end
  local same = step_merge.is_one(values)
  local from_task = in_task(self, value)
  if self.several and same and not from_task then return value end
  local name = name_for(self, step, argument)
  add_parameter(self, name, from_task or quoted(value), not same and "another one in other runs" or nil)
  return expression("given." .. name)
end

--- The name of what is acted on, where runs have chosen another one of those that were there.
---@param self table what lua_export.make works on
---@param step deskpilot.run_step
---@return table expression
function step_parameters.choice(self, step)
  local name = name_for(self, { with = {}, on = { name = step.on.role } }, "choice")
  add_parameter(self, name, quoted(step.names[1]), "another one in other runs")
  return expression("given." .. name)
end

return step_parameters
