--- Lines of Python that are nothing but calls of pyautogui and its like. They are data: a name and literal values. What
--- is more than that (a loop, a variable, a sum) is not read.
local text = require "deskpilot.base.text"
local values = require "deskpilot.model.values"

local code = {}

--- The words behind a fence's opening that may announce such lines.
code.languages = { [""] = true, python = true, py = true, Python = true, tool_code = true }

local libraries = { pyautogui = true, computer = true, time = true, pyperclip = true, agent = true, mobile = true }

local function is_ignored(line)
  return line == "" or line == "pass" or line:find("^#") ~= nil or line:find("^import%s") ~= nil
    or line:find("^from%s+[%w_.]+%s+import%s") ~= nil
end

-- Whether a text looks like such lines: the first that is not ignored is a call of one of the libraries.
local function is_code(source)
  for line in text.lines(source) do
    line = text.trim(line)
    if not is_ignored(line) then
      local library = line:match("^([%a_]+)%.[%a_]+%(")
      return library ~= nil and libraries[library] == true
    end
  end
  return false
end

-- The byte behind comments, imports and blanks.
local function skip(source, at)
  while true do
    at = source:find("[^%s;]", at)
    if not at then return #source + 1 end
    local stop = source:find("\n", at, true) or #source + 1
    if not is_ignored(text.trim(source:sub(at, math.min(stop - 1, at + 500)))) then return at end
    at = stop
  end
end

--- Adds the calls of a text that is code.
---@param source string
---@param found deskpilot.model.found
---@return boolean any whether it is such code; what cannot be read of it is an error then
function code.take(source, found)
  if not is_code(source) then return false end
  local at = skip(source, 1)
  while at <= #source and not found:full() do
    local call, after, name = values.call(source, at, found.repairs)
    if not call then
      found:broken(source:sub(at, at + 2000), after or "only calls with plain values are read, and this is something "
        .. "else: " .. source:sub(at, at + 60), name or "python")
      return true
    end
    found:add(call.name, call.args)
    at = skip(source, after)
  end
  return true
end

return code
