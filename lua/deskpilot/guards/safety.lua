--- Refuses what is never to be pressed or typed in a run, whoever asks for it: the forbidden key combinations and
--- texts, and of an agent a text longer than anyone types. It does so where keys and texts go to the applications
--- (desk.input), from the start of the run to its end, so that it makes no difference by which tool, by which argument,
--- or by which script they come.
---
--- Keys that go down one after the other count together. So do texts that are typed one after the other, up to a click
--- or a key that is no character; longer than allowed is only what is typed at once. It is a net for mistakes: whoever
--- wants to get around it finds a way.
local keys = require "native.desk"
local text = require "deskpilot.base.text"

---@type deskpilot.guard
local safety = {
  api = 1,
  options = {
    forbidden_keys = { type = "list", default = { "win+l", "ctrl+alt+delete", "alt+f4" },
      about = "key combinations that are never pressed" },
    forbidden_texts = { type = "list", default = {},
      about = "texts that are never typed, entered or pasted, also as a part of others and whatever their case" },
    max_text = { type = "integer", default = 1000, min = 1,
      about = "longest text that an agent may type at once, in characters" },
  },
}

-- The keys of combinations, by their texts: each press is compared with all of them.
local keys_of = setmetatable({}, { __index = function(known, combo)
  local names = keys.combo(keys.canonical(combo) or "") or false
  known[combo] = names
  return names
end })

-- Whether all keys of a combination are down, left and right alike. More keys make no forbidden combination harmless.
local function holds(down, combo)
  local names = keys_of[combo]
  for _, name in ipairs(names or {}) do
    if not down[name] then return false end
  end
  return names ~= false
end

local function forbidden_keys(run, down)
  for _, combo in ipairs(run.config:get "safety.forbidden_keys") do
    if holds(down, combo) then return combo .. " is forbidden here (safety.forbidden_keys)" end
  end
end

-- Found where it ends in the new words, so that nothing is refused for what was typed before.
local function forbidden_text(run, words, before)
  local all = (before .. words):lower()
  for _, entry in ipairs(run.config:get "safety.forbidden_texts") do
    if entry ~= "" and all:find(entry:lower(), math.max(1, #before - #entry + 2), true) then
      return ("a text with %q is forbidden here (safety.forbidden_texts); it was not typed"):format(entry)
    end
  end
end

local function too_long(run, words)
  local length, limit = utf8.len(words) or #words, run.config:get "safety.max_text"
  if not run.acting or length <= limit then return nil end
  return ("the text has %d characters; at most %d may be typed at once (safety.max_text; it begins %q)"):format(length,
    limit, text.cut(text.one_line(words), 30))
end

local function tell(run, why)
  if why then run:emit("guard", { name = "safety", message = why }) end
  return why
end

function safety.run_start(run)
  local filter = run.desk.input.add_filter {
    keys = function(down) return tell(run, forbidden_keys(run, down)) end,
    text = function(words, before) return tell(run, forbidden_text(run, words, before) or too_long(run, words)) end,
    paste = function(read)
      if #run.config:get "safety.forbidden_texts" == 0 then return nil end -- the clipboard is its owner's to hand over
      local words = read()
      return words and tell(run, forbidden_text(run, words, "")) or nil
    end,
  }
  run:on_close(function() filter.remove() end)
end

return safety
