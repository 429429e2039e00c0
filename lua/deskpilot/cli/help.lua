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
help(thing)              what is written about a function, or what a table holds
Tab completes names; twice, it lists them. Ctrl+C stops what runs, or clears the line; Ctrl+D leaves. Times are
seconds.]]

--- The words about a thing; about the prompt itself without one.
---@param ... any
---@return string
function help.about(...)
  if select("#", ...) == 0 then return introduction end
  local thing = ...
  if type(thing) == "function" then return about_function(thing) end
  if type(thing) == "table" or types.of_value(thing) then return about_fields(thing) end
  return ("a %s: %s"):format(type(thing), tostring(thing))
end

return help
