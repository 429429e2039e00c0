--- Reading a mission file: a Lua file that returns a table. Everything that can be wrong with it is
--- found here, before anything is touched.
local errors = require "deskpilot.base.errors"
local goal_options = require "deskpilot.agent.goal_options"
local hooks = require "deskpilot.agent.hooks"
local lookup = require "deskpilot.base.lookup"
local problems = require "deskpilot.base.problems"
local text = require "deskpilot.base.text"

local mission = {}

--- What a mission's file returns. Every section of the configuration may stand beside these: limits, timing, ...
---@class deskpilot.mission: deskpilot.config_groups, deskpilot.listener
---@field task string? what an agent is to do, in words; or else `run`
---@field run (fun(m: deskpilot.mission_run): boolean?, any)? a script; false and why if it did not succeed
---@field strict boolean? false: in a script, what fails on the desktop gives nil and the error instead of raising it
---@field policy string? how the agent thinks: "three_body", "odev", "orchestrator"
---@field accept_claims boolean? the agent's word is enough where there is no verify
---@field desktop deskpilot.mission.desktop? where
---@field verify (fun(m: deskpilot.mission_run): boolean?, any)? whether the goal is reached, and why not
---@field name string?
---@field indicators string[]? texts that are all on the screen when the goal is reached
---@field goals (string|deskpilot.goal_options)[]? the parts of the task in their order, for a policy that works on one
---  after the other ("orchestrator"); each is a text, or what `achieve` takes
---@field files string[]? files and folders that an agent may upload, or open in a browser
---@field resumable boolean? of a script: `deskpilot resume` may start it again from its beginning
---@field before_run (fun(m: deskpilot.mission_run): deskpilot.decision?)?
---@field after_run (fun(m: deskpilot.mission_run, outcome: deskpilot.run_end))?
---@field before_action (fun(m: deskpilot.mission_run, action: deskpilot.action): deskpilot.decision|boolean|nil,
---  any)? false or nil, and why: it is not done
---@field ask (fun(m: deskpilot.run, question: deskpilot.event): string|boolean|nil, any)? answers a question to a
---  person; false and why: nobody is to be asked
---@field after_action (fun(m: deskpilot.mission_run, action: deskpilot.action, result: deskpilot.action_result):
---  deskpilot.decision?)?

---@class deskpilot.mission.desktop: deskpilot.config.desktop
---@field apps string[][]? programs that are started, each { "program", "argument", ... }
---@field env table<string, string>? of these programs

-- A mission's own keys with their types. Everything else in it is a hook, or of the configuration.
local keys = { task = "string", run = "function", verify = "function", name = "string", indicators = "table",
  goals = "table", files = "table", resumable = "boolean", strict = "boolean" }

-- Keys of the configuration that a mission has more to say about than the configuration, or that are no section.
local configured = { policy = "string", desktop = "table", accept_claims = "boolean" }

-- What stands in `desktop` beside the section's keys.
local desktop_fields = { apps = true, env = true }

local hook_names = {}
for _, name in ipairs(hooks.names()) do hook_names[name] = true end

--- Whether a word is a mission's own, so that it cannot be a section of the configuration in it.
---@param word any
---@return boolean
function mission.has_word(word)
  return keys[word] ~= nil or hook_names[word] == true
end

-- Every word that may stand in a mission, as far as it is known before the policies are read.
local function all_words(sections)
  local words = text.keys(keys)
  for _, list in ipairs { sections, lookup.list("policies") } do
    table.move(list, 1, #list, #words + 1, words)
  end
  return words
end

local function is_one_of(word, list)
  for _, other in ipairs(list) do if other == word then return true end end
end

-- Sections are tables: anything else under a name that is no mission's is a mistake.
local function stranger_problem(key, value, sections)
  if type(value) == "table" then return nil end
  local words = all_words(sections or {})
  if is_one_of(key, words) then return ("%s must be a table, not a %s"):format(key, type(value)) end
  for _, name in ipairs(hooks.names()) do words[#words + 1] = name end -- of two that are as near, a key goes first
  local nearest = text.nearest(tostring(key), words)
  return ("there is no mission key %q; %s"):format(tostring(key), nearest
    and ("did you mean %q?"):format(nearest) or "what a mission may hold is in docs/missions.md")
end

local function check_keys(self, sections, wrong)
  for _, key in ipairs(text.keys(self)) do
    local value, want = self[key], keys[key] or configured[key] or (hook_names[key] and "function")
    if not want then wrong:note(tostring(key), stranger_problem(key, value, sections))
    elseif type(value) ~= want then
      wrong:add(key, "%s must be a %s, not a %s", key, want, type(value))
    end
  end
  if not self.task and not self.run then
    wrong:add(nil, "a mission needs `task` (what to do, in words) or `run` (a function: a script)")
  end
  if self.task and self.run then
    wrong:add("run", "a mission has `task` or `run`, not both; a script calls m:achieve(\"...\") for an agent")
  end
end

local function check_texts(key, list, wrong)
  for _, item in ipairs(type(list) == "table" and list or {}) do
    if type(item) ~= "string" or item == "" then return wrong:add(key, "%s must be a list of texts", key) end
  end
end

-- Each is read as `achieve` reads it, so that a slip in the fifth is found before the first is begun.
local function check_goals(list, wrong)
  if type(list) ~= "table" then return end
  for i, goal in ipairs(list) do
    if type(goal) ~= "string" and type(goal) ~= "table" or goal == "" then
      wrong:add("goals", "goals must be a list of texts, or of tables such as { goal = \"...\", verify = function(m) "
        .. "... end }")
    else
      local ok, why = pcall(goal_options.read, goal)
      if not ok then wrong:add("goals." .. i, "goals[%d]: %s", i, (tostring(why):gsub("^achieve: ", ""))) end
    end
  end
  if #list ~= #text.keys(list) then wrong:add("goals", "goals must be a list") end
end

local function check_apps(desktop, wrong)
  if type(desktop) ~= "table" or desktop.apps == nil then return end
  if type(desktop.apps) ~= "table" then
    return wrong:add("desktop.apps", "desktop.apps must be a list of { \"program\", \"argument\", ... }")
  end
  for _, app in ipairs(desktop.apps) do
    if type(app) ~= "table" or type(app[1]) ~= "string" then
      return wrong:add("desktop.apps", "each of desktop.apps is a list { \"program\", \"argument\", ... }")
    end
  end
end

--- Reads and checks a mission's source. Its top level runs: it is the user's own code.
---@param source string
---@param where string the file's name, for messages
---@param sections string[]? the sections of the configuration that are known, for messages
---@return deskpilot.mission? mission, deskpilot.error? err
function mission.read(source, where, sections)
  local chunk, why = load(source, "@" .. where, "t")
  if not chunk then return errors.fail("invalid", "%s", why) end
  local ok, result = pcall(chunk)
  if not ok then
    if errors.is(result, "cancelled") or errors.no_memory(result) then error(result, 0) end
    return errors.fail("invalid", "%s", tostring(result))
  end
  if type(result) ~= "table" then
    return errors.fail("invalid", "%s must return a table, as in return { task = \"...\" }, not %s", where,
      result == nil and "nothing" or "a " .. type(result))
  end
  local wrong = problems.new()
  check_keys(result, sections, wrong)
  check_texts("indicators", result.indicators, wrong)
  check_texts("files", result.files, wrong)
  check_goals(result.goals, wrong)
  check_apps(result.desktop, wrong)
  if #wrong > 0 then
    local _, err = wrong:fail(where .. ": ")
    err.mission = result -- for whoever goes on looking for mistakes
    return nil, err
  end
  return result
end

--- What a mission says of the configuration.
---@param table_ table as read() gives it
---@param where string? its file, for messages
---@return deskpilot.config_layer
function mission.layer(table_, where)
  local values = {}
  for key, value in pairs(table_) do
    if not mission.has_word(key) then values[key] = value end
  end
  if type(values.desktop) == "table" then
    values.desktop = {}
    for key, value in pairs(table_.desktop) do
      if not desktop_fields[key] then values.desktop[key] = value end
    end
  end
  local others = hooks.names()
  for key in pairs(keys) do others[#others + 1] = key end
  return { source = "the mission", by = "mission", where = where, values = values, other_names = others }
end

return mission
