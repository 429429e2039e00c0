--- Reading a mission file: a Lua file that returns a table. Everything that can be wrong with it is
--- found here, before anything is touched.
local errors = require "deskpilot.base.errors"
local hooks = require "deskpilot.agent.hooks"

local mission = {}

--- What a mission's file returns. Every group of the configuration may stand beside these: limits, timing, ...
---@class deskpilot.mission: deskpilot.config_groups, deskpilot.listener
---@field task string? what an agent is to do, in words; or else `run`
---@field run (fun(m: deskpilot.run): boolean?, any)? a script; false and why if it did not succeed
---@field policy string? how the agent thinks: "three_body", "odev"
---@field desktop deskpilot.mission.desktop? where
---@field verify (fun(m: deskpilot.run): boolean?, any)? whether the goal is reached, and why not
---@field name string?
---@field indicators string[]? texts that are all on the screen when the goal is reached
---@field files string[]? files and folders that an agent may upload, or open in a browser
---@field before_run (fun(m: deskpilot.run): deskpilot.decision?)?
---@field after_run (fun(m: deskpilot.run, outcome: deskpilot.run_end))?
---@field before_action (fun(m: deskpilot.run, action: deskpilot.action): deskpilot.decision|false|nil, string?)? false
---  and why: it is not done
---@field after_action (fun(m: deskpilot.run, action: deskpilot.action, result: deskpilot.action_result):
---  deskpilot.decision?)?

---@class deskpilot.mission.desktop: deskpilot.config.desktop
---@field size { [1]: integer, [2]: integer }? of a private desktop: { width, height }
---@field apps string[][]? programs that are started, each { "program", "argument", ... }
---@field env table<string, string>? of these programs

-- Keys with their types; the groups of the configuration (limits, timing, ...) may stand beside them.
local keys = { task = "string", run = "function", policy = "string", desktop = "table",
  verify = "function", name = "string", indicators = "table", files = "table" }
local groups = { "limits", "timing", "model", "screen", "observe", "history", "loop", "safety",
  "three_body", "odev", "personas", "browser", "runs" } -- `desktop` is one too, with `apps` beside its keys

local function is_hook(key)
  for _, name in ipairs(hooks.names()) do if name == key then return true end end
end

local function is_group(key)
  for _, name in ipairs(groups) do if name == key then return true end end
end

local function all_keys()
  local all = { table.unpack(groups) }
  for key in pairs(keys) do all[#all + 1] = key end
  return all
end

local function wrong(table_, where)
  for key, value in pairs(table_) do
    local want = keys[key] or (is_hook(key) and "function") or (is_group(key) and "table")
    if not want then
      return ("%s: there is no mission key %q; did you mean %q?"):format(where, tostring(key),
        hooks.nearest(tostring(key), all_keys()))
    end
    if type(value) ~= want then
      return ("%s: %s must be a %s, not a %s"):format(where, key, want, type(value))
    end
  end
  if not table_.task and not table_.run then
    return where .. ": a mission needs `task` (what to do, in words) or `run` (a function: a script)"
  end
  if table_.task and table_.run then
    return where .. ": a mission has `task` or `run`, not both; a script calls m:achieve(\"...\") for an agent"
  end
end

local function wrong_list(key, list, where)
  for _, item in ipairs(list or {}) do
    if type(item) ~= "string" or item == "" then
      return ("%s: %s must be a list of texts"):format(where, key)
    end
  end
end

local function wrong_apps(desktop, where)
  if not desktop or desktop.apps == nil then return end
  if type(desktop.apps) ~= "table" then
    return where .. ": desktop.apps must be a list of { \"program\", \"argument\", ... }"
  end
  for _, app in ipairs(desktop.apps) do
    if type(app) ~= "table" or type(app[1]) ~= "string" then
      return where .. ": each of desktop.apps is a list { \"program\", \"argument\", ... }"
    end
  end
end

--- Reads and checks a mission's source. Its top level runs: it is the user's own code.
---@param source string
---@param where string the file's name, for messages
---@return deskpilot.mission? mission, deskpilot.error? err
function mission.read(source, where)
  local chunk, why = load(source, "@" .. where, "t")
  if not chunk then return errors.fail("invalid", "%s", why) end
  local ok, result = pcall(chunk)
  if not ok then
    if errors.is(result, "cancelled") then error(result, 0) end
    return errors.fail("invalid", "%s", tostring(result))
  end
  if type(result) ~= "table" then
    return errors.fail("invalid", "%s must return a table (see docs/missions.md), not a %s", where, type(result))
  end
  local sentence = wrong(result, where) or wrong_list("indicators", result.indicators, where)
    or wrong_list("files", result.files, where) or wrong_apps(result.desktop, where)
  if sentence then return errors.fail("invalid", "%s", sentence) end
  return result
end

return mission
