--- help() at the prompt: what the comments above a function say (LuaLS annotations), read from the
--- file that it came from.
local files = require "deskpilot.base.files"
local system = require "native.system"
local text = require "deskpilot.base.text"

local help = {}

local function source_of(info)
  local path = info.source:match("^@(.*)$")
  if not path then return nil end
  return system.shipped(path) or (files.read(path))
end

local function lines_of(source)
  local lines = {}
  for line in (source .. "\n"):gmatch("(.-)\r?\n") do lines[#lines + 1] = line end
  return lines
end

-- The "---" lines directly above line `at`, without the dashes.
local function comment_above(lines, at)
  local first = at
  while first > 1 and lines[first - 1]:find("^%s*%-%-%-") do first = first - 1 end
  local comment = {}
  for i = first, at - 1 do comment[#comment + 1] = (lines[i]:gsub("^%s*%-%-%-%s?", "")) end
  return comment
end

--- What is written of a function: its head and its comment.
---@param fn function
---@return string? head, string[] comment
function help.of_function(fn)
  local info = debug.getinfo(fn, "S")
  local source = source_of(info)
  if not source then return nil, {} end
  local lines = lines_of(source)
  local head = lines[info.linedefined]
  if not head then return nil, {} end
  return head:match("^%s*(.-)%s*$"), comment_above(lines, info.linedefined)
end

local annotations = { param = "  ", ["return"] = "  returns " }

local function tidy(comment)
  local out = {}
  for _, line in ipairs(comment) do
    local tag, rest = line:match("^@(%a+)%s*(.*)$")
    if not tag then out[#out + 1] = line
    elseif annotations[tag] then out[#out + 1] = annotations[tag] .. rest end
  end
  return table.concat(out, "\n")
end

local function about_function(fn, name)
  local head, comment = help.of_function(fn)
  if not head then return (name or "it") .. " is a built-in function; nothing is written about it here" end
  if #comment == 0 then return head .. "\n(no words about it)" end
  return head .. "\n" .. tidy(comment)
end

local function first_sentence(fn)
  local _, comment = help.of_function(fn)
  for _, line in ipairs(comment) do
    if not line:find("^@") then return line end
  end
  return ""
end

local function about_table(t)
  local parts = {}
  for key, value in pairs(t) do
    if type(key) == "string" and not key:find("^_") then
      local what = type(value) == "function" and first_sentence(value)
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
  desk.wait_for_window { title = "Save" }, desk.wait_for_element { name = "OK" }, desk.wait_for_change {},
  desk.wait_for_text "Done", desk.wait_for_image "button.png", desk.wait_until(fn, { timeout = seconds }),
  desk.settle()
require(name)            a module: of this project, of your configuration folder, or shipped
reload(name)             the same, read anew
help(thing)              what is written about a function, or what a table holds
Ctrl+C stops what runs, or clears the line; Ctrl+D leaves. Times are seconds.]]

--- The words about a thing; about the prompt itself without one.
---@return string
function help.about(...)
  if select("#", ...) == 0 then return introduction end
  local thing = ...
  if type(thing) == "function" then return about_function(thing) end
  if type(thing) == "table" then return about_table(thing) end
  return ("a %s: %s"):format(type(thing), tostring(thing))
end

return help
