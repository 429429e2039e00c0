--- help() at the prompt: what the comments above a function say (cli/annotations.lua).
local annotations = require "deskpilot.cli.annotations"
local text = require "deskpilot.base.text"

local help = {}

local function line(what, words)
  return words == "" and what or what .. " " .. words
end

local function about_function(fn, name)
  local doc, head = annotations.of_function(fn)
  if not doc then return (name or "it") .. " is a built-in function; nothing is written about it here" end
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

local function first_line(fn)
  local doc = annotations.of_function(fn)
  return doc and doc.text:match("^[^\n]*") or ""
end

local function about_table(t)
  local parts = {}
  for key, value in pairs(t) do
    if type(key) == "string" and not key:find("^_") then
      local what = type(value) == "function" and first_line(value)
        or type(value) == "table" and "a table: help() of it tells more" or type(value)
      parts[#parts + 1] = ("  %-18s %s"):format(key, text.cut(what, 80))
    end
  end
  table.sort(parts)
  return #parts > 0 and table.concat(parts, "\n") or "an empty table"
end

local introduction = [[
desk                     the desktop; opened when first used
  desk.screen, desk.mouse, desk.keyboard, desk.windows, desk.elements, desk.clipboard, desk.apps,
  desk.human, desk.hotkeys,
  desk.wait_for_window { title = "Save" }, desk.wait_for_element { name = "OK" }, desk.wait_for_change {},
  desk.wait_for_text "Done", desk.wait_for_image "button.png", desk.wait_until(fn, { timeout = seconds }),
  desk.settle()
require(name)            a module: of this project, of your configuration folder, or shipped
reload(name)             the same, read anew
help(thing)              what is written about a function, or what a table holds
Ctrl+C stops what runs, or clears the line; Ctrl+D leaves. Times are seconds.]]

--- The words about a thing; about the prompt itself without one.
---@param ... any
---@return string
function help.about(...)
  if select("#", ...) == 0 then return introduction end
  local thing = ...
  if type(thing) == "function" then return about_function(thing) end
  if type(thing) == "table" then return about_table(thing) end
  return ("a %s: %s"):format(type(thing), tostring(thing))
end

return help
