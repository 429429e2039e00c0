--- Refuses what an agent should never do whatever it thinks: the forbidden key combinations, and
--- text longer than anyone types.
local keys = require "native.desk"
local text = require "deskpilot.base.text"

---@type deskpilot.guard
local safety = {
  api = 1,
  options = {
    forbidden_keys = { type = "list", default = { "win+l", "ctrl+alt+delete", "alt+f4" },
      about = "key combinations that are never pressed" },
    max_text = { type = "integer", default = 1000, min = 1,
      about = "longest text of one type action, in characters" },
  },
}

-- The keys of a combination as a set, left and right alike; nil for what is none.
local function key_set(combo)
  local canonical = keys.canonical(combo)
  local names = canonical and keys.combo(canonical)
  if not names then return nil end
  local set = {}
  for _, name in ipairs(names) do set[name] = true end
  return set
end

-- More modifiers make no forbidden combination harmless: all of its keys held are enough.
local function forbidden(run, combo)
  local pressed = key_set(combo)
  if not pressed then return nil end -- not a key at all: the tool says so better
  for _, entry in ipairs(run.config:get("safety.forbidden_keys")) do
    local all = key_set(entry)
    for name in pairs(all or {}) do
      if not pressed[name] then all = nil break end
    end
    if all then return entry end
  end
end

function safety.action(run, action)
  if type(action.args.key) == "string" then
    local entry = forbidden(run, action.args.key)
    if entry then return { veto = entry .. " is forbidden here (safety.forbidden_keys)" } end
  end
  if type(action.args.text) == "string" then
    local length, limit = utf8.len(action.args.text) or #action.args.text, run.config:get("safety.max_text")
    if length > limit then
      return { veto = ("the text has %d characters; at most %d may be typed at once (it begins %q)")
        :format(length, limit, text.cut(text.one_line(action.args.text), 30)) }
    end
  end
end

return safety
