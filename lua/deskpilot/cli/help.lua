--- help() at the prompt: what the comments above a function say (cli/annotations.lua), and what a thing has by its
--- class (cli/types.lua).
local annotations = require "deskpilot.cli.annotations"
local text = require "deskpilot.base.text"
local types = require "deskpilot.cli.types"

local help = {}

local function line(what, words)
  return words == "" and what or what .. " " .. words
end

-- What is written of a function, also of one in C, and its first line.
local function described(fn)
  local doc, head = annotations.of_function(fn)
  if doc then return doc, head end
  local member = types.of_function(fn)
  if not member then return nil end
  return member.doc, ("function %s%s%s(%s)"):format(member.class, member.kind == "method" and ":" or ".", member.name,
    table.concat(member.params, ", "))
end

local function about_function(fn)
  local doc, head = described(fn)
  if not doc then return "it is a built-in function; nothing is written about it here" end
  local lines = { head }
  if doc.text ~= "" then lines[2] = doc.text end
  for _, param in ipairs(doc.params) do
    lines[#lines + 1] = line(("  %s %s"):format(param.name, param.type), param.text)
  end
  for _, result in ipairs(doc.returns) do
    lines[#lines + 1] = line(("  returns %s %s"):format(result.type, result.name or ""):gsub("%s$", ""), result.text)
  end
  if #lines == 1 then lines[2] = "(no words about it)" end
  return table.concat(lines, "\n")
end

local function first_line(words)
  return words:match("^[^\n]*")
end

local function words_of(value, member)
  local doc = type(value) == "function" and described(value)
  if doc and doc.text ~= "" then return first_line(doc.text) end
  if member and member.text ~= "" then return first_line(member.text) end
  return type(value) == "table" and "a table: help() of it tells more" or member and member.type or type(value)
end

-- What a table or a userdata has: what is in it, and what its class says of it.
local function about_fields(thing)
  local class = types.of_value(thing)
  local members = class and types.members(class) or {}
  local names = {}
  for key, member in pairs(members) do names[key] = member end
  for key in next, type(thing) == "table" and thing or {} do
    if type(key) == "string" then names[key] = members[key] or true end
  end
  local parts = {}
  for _, name in ipairs(text.keys(names)) do
    local member = members[name]
    local value = type(thing) == "table" and rawget(thing, name)
    if not name:find("^_") then
      local shown = member and member.kind == "method" and ":" .. name or name
      parts[#parts + 1] = ("  %-18s %s"):format(shown, text.cut(words_of(value, member), 80))
    end
  end
  local head = class and { class } or {}
  return #parts > 0 and table.concat(table.move(parts, 1, #parts, #head + 1, head), "\n") or "an empty table"
end

local introduction = [[
desk                     the desktop; opened when first used
  desk.screen, desk.mouse, desk.keyboard, desk.windows, desk.elements, desk.clipboard, desk.apps,
  desk.browser, desk.activity, desk.hotkeys, desk.input,
  desk.wait_for_window { title = "Save" }, desk.wait_for_element { name = "OK" }, desk.wait_for_change {},
  desk.wait_for_text "Done", desk.wait_for_image "button.png", desk.wait_until(fn, { timeout = seconds }),
  desk.settle()
require(name)            a module: of this project, of your configuration folder, or shipped
reload(name)             the same, read anew
help(thing)              what is written about a function, or what a table holds; help "click" searches
keep("file.lua")         what succeeded here as a mission; _ is the last value, more() the whole of a long one
show(shot)               draws a picture in the terminal: a shot, a file's, or the screen; show(shot, "kitty"),
                         "sixel" or "blocks" where it is not known what the terminal can do
.ask "task"              lets an agent do it on this desktop; .step "task" lets you decide about each of its acts;
                         .policy NAME says how it thinks. An edited policy, tool or guard counts from its next turn.
Ctrl+R searches what was typed before; exit leaves.
Tab completes names, window titles and element names; twice, it lists them.
Ctrl+C stops what runs, or clears the line; Ctrl+D leaves. Times are seconds.]]

-- --- search ---------------------------------------------------------------------------------------------------------

local most_found = 25

-- How the parts of a desk are called at the prompt: { ["deskpilot.desk.mouse"] = "desk.mouse" }.
local function called()
  local names = { ["deskpilot.desk"] = "desk" }
  for name, member in pairs(types.members "deskpilot.desk") do
    local class = member.kind == "field" and not name:find "^_" and types.named(member.type)
    if class and not names[class] and not class:find "^native%." then names[class] = "desk." .. name end
  end
  return names
end

-- What is found first: a name that is the word, one that begins with it, one that has it, words that have it.
local function rank(name, words, wanted)
  name = name:lower():gsub("_", " ")
  if name == wanted then return 1 end
  local at = name:find(wanted, 1, true)
  return at == 1 and 2 or at and 3 or words:lower():find(wanted, 1, true) and 4 or nil
end

local function is_function(member)
  return member.kind ~= "field" or (member.type or ""):find "^fun%(" ~= nil
end

local function matches(wanted)
  local found, short, seen = {}, called(), {}
  local function add(class, far)
    for name, member in pairs(types.members(class)) do
      local about = first_line(member.doc and member.doc.text or member.text or "")
      local order = not seen[member] and not name:find "^_" and is_function(member) and rank(name, about, wanted)
      seen[member] = true
      if order then
        found[#found + 1] = { order = order + far, about = about, head = ("%s%s%s(%s)"):format(short[class] or class,
          member.kind == "method" and ":" or ".", name, table.concat(member.params or {}, ", ")) }
      end
    end
  end
  -- What a script begins with comes first, and is where a function is listed that others have of it.
  add("deskpilot.desk", 0)
  for class in pairs(short) do add(class, 0.1) end
  for _, class in ipairs(types.names()) do add(class, class:find "^native%." and 0.8 or 0.5) end
  table.sort(found, function(a, b)
    if a.order ~= b.order then return a.order < b.order end
    return a.head < b.head
  end)
  return found
end

-- The functions whose names or first lines have a word.
local function search(word)
  local wanted = text.trim(word):lower():gsub("_", " ")
  if wanted == "" then return introduction end
  local found, lines = matches(wanted), {}
  for i = 1, math.min(#found, most_found) do
    lines[i] = found[i].about == "" and found[i].head or found[i].head .. "\n    " .. text.cut(found[i].about, 100)
  end
  if #found == 0 then return ("nothing that ships has %q in its name or first line"):format(text.cut(word, 60)) end
  if #found > most_found then lines[#lines + 1] = ("... and %d more"):format(#found - most_found) end
  return table.concat(lines, "\n")
end

--- The words about a thing; about the prompt itself without one. Of a text: the functions that have it in their names
--- or first lines.
---@param ... any
---@return string
function help.about(...)
  if select("#", ...) == 0 then return introduction end
  local thing = ...
  if type(thing) == "string" then return search(thing) end
  if type(thing) == "function" then return about_function(thing) end
  if type(thing) == "table" or types.of_value(thing) then return about_fields(thing) end
  return ("a %s: %s"):format(type(thing), tostring(thing))
end

return help
