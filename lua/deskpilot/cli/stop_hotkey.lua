--- The emergency-stop hotkey: keys by which a person stops the program from any window, whatever it is at. They are
--- watched at the user's own desktop and at the one worked on; keys that we press ourselves do not count.
local uv = require "luv"
local config_layer = require "deskpilot.base.config_layer"
local errors = require "deskpilot.base.errors"
local keys = require "native.desk"
local task = require "deskpilot.base.task"

local stop_hotkey = {}

--- What is wrong with a combination, nil where nothing is; "" is none.
---@param combo string
---@param what string? what it was given as, where that is not the configuration's key
---@return deskpilot.error?
function stop_hotkey.problem(combo, what)
  if combo == "" then return nil end
  what = what or "safety.stop_hotkey"
  local names, why = keys.combo(combo)
  if not names then return errors.new("invalid", "%s: %s", what, tostring(why)) end
  if #names < 2 then
    return errors.new("invalid", "%s is %s, but must be two keys or more, such as ctrl+alt+escape", what, combo)
  end
end

---@class deskpilot.stop_hotkey
---@field failure deskpilot.error? why it is watched nowhere; nil where it is, or need not be
local Hotkey = {}
Hotkey.__index = Hotkey

--- A combination, "" for none; nothing is watched yet.
---@param combo string
---@return deskpilot.stop_hotkey
function stop_hotkey.new(combo)
  task.signal_names.stop_hotkey = "the emergency-stop hotkey " .. combo
  return setmetatable({ combo = combo, handles = {} }, Hotkey)
end

--- Watches for it on a desktop from now on, until close.
---@param where { display: string?, cookie: string? }? as for native.activity.open; nil for the user's own
function Hotkey:watch(where)
  if self.combo == "" then return end
  local handle, err = require "native.activity".open(where or {}, function() end)
  local number
  if handle then number, err = handle:add(self.combo, "kill") end
  if number then
    self.handles[#self.handles + 1] = handle
  elseif handle then
    handle:close()
  end
  self.failure = #self.handles == 0 and err or nil
end

-- Watches for that combination on the user's own desktop.
local function watched(combo)
  local problem = stop_hotkey.problem(combo)
  if problem then return nil, problem end
  local hotkey = stop_hotkey.new(combo)
  hotkey:watch()
  return hotkey
end

--- The combination that the configuration files have, watched on the user's own desktop from now on.
---@param found deskpilot.config_files
---@return deskpilot.stop_hotkey? hotkey, deskpilot.error? err what is wrong with the files
function stop_hotkey.start(found)
  local variable = uv.os_getenv(config_layer.variable_of "safety.stop_hotkey")
  if not next(found.project) and not next(found.user) and not variable then -- most often: nothing to be put together
    return watched(require "deskpilot.cli.config_keys"[1].options.stop_hotkey.default)
  end
  local settings_module = require "deskpilot.cli.settings"
  local settings, sources = settings_module.new(), { layers = settings_module.file_layers(found) }
  local hotkey, problem = watched(settings:peek(sources, "safety.stop_hotkey"))
  if not hotkey then return nil, problem end
  -- After the hotkey: whoever has options that the files set is a program too.
  local resolved, err = settings:resolve(sources)
  if resolved then return hotkey end
  hotkey:close()
  return nil, err
end

--- The same for a private desktop, if it has a keyboard (on Windows it has none).
---@param session deskpilot.private_session?
function Hotkey:watch_private(session)
  if session and session.cookie then self:watch { display = session.display, cookie = session.cookie } end
end

--- The same on the user's own desktop, whose display was lost and is there again.
function Hotkey:watch_again()
  self:close()
  self:watch()
end

function Hotkey:close()
  for _, handle in ipairs(self.handles) do handle:close() end
  self.handles = {}
end

return stop_hotkey
