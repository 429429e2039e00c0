--- Scripts that are run in a page, put together from the files in page/, and those of them that stay there.
local shipped_files = require "native.shipped"

local page_script = {}

--- A function's call whose body is these files and `code`.
---@param parts string[] names of files in page/, without ".js", in the order in which they need each other
---@param code string? may return what the call's value is to be
---@return string expression
function page_script.of(parts, code)
  local list = { '(() => {\n"use strict";\n' }
  for _, name in ipairs(parts) do
    list[#list + 1] = assert(shipped_files.read(("deskpilot/desk/browser/page/%s.js"):format(name)), name)
  end
  list[#list + 1] = code
  list[#list + 1] = "})()"
  return table.concat(list, "\n")
end

--- A script that stays in the own world of each document in which it was called: reading it again would take a page
--- longer than most answers.
---@class deskpilot.kept_script
---@field parts string[]
---@field code string?
---@field name string of the function that it defines
---@field known string JavaScript: whether a document has it
---@field source string?
---@field holders table<deskpilot.tab, integer> the world that was given it last
local KeptScript = {}
KeptScript.__index = KeptScript

--- Such a script. See page_script.of for `parts` and `code`.
---@param parts string[]
---@param code string?
---@param name string of the function that it defines: "object.name" or "name"
---@return deskpilot.kept_script
function page_script.kept(parts, code, name)
  local object = name:match "^(.*)%."
  local known = ("%stypeof %s === 'function'"):format(object and ("typeof %s === 'object' && "):format(object) or "",
    name)
  return setmetatable({ parts = parts, code = code, name = name, known = known,
    holders = setmetatable({}, { __mode = "k" }) }, KeptScript)
end

--- Calls its function in the document that has it.
---@param tab deskpilot.tab
---@param arguments string JavaScript
---@param seconds number timeout
---@return any value, deskpilot.error? err as of tab:evaluate; nil without an error: the document does not have it
function KeptScript:call_again(tab, arguments, seconds)
  return tab:evaluate(("%s ? %s(%s) : null"):format(self.known, self.name, arguments), { world = "own",
    timeout = seconds })
end

--- Puts its function into the document where it is missing, for who calls it next: one that a page has just been
--- loaded for is given it while something else is waited for.
---@param tab deskpilot.tab
---@param seconds number timeout
function KeptScript:prepare(tab, seconds)
  if tab.world and tab.world == self.holders[tab] then return end
  self.source = self.source or page_script.of(self.parts, self.code)
  local _, err = tab:evaluate(("%s || %s, true"):format(self.known, self.source), { world = "own", timeout = seconds })
  if not err then self.holders[tab] = tab.world end
end

--- Calls its function, and puts it into the document first where it is missing.
---@param tab deskpilot.tab
---@param arguments string JavaScript
---@param seconds number timeout
---@return any value, deskpilot.error? err as of tab:evaluate
function KeptScript:call(tab, arguments, seconds)
  if tab.world and tab.world == self.holders[tab] then
    local value, err = self:call_again(tab, arguments, seconds)
    if value ~= nil or err then return value, err end
  end
  self.source = self.source or page_script.of(self.parts, self.code)
  local value, err = tab:evaluate(("%s || %s, %s(%s)"):format(self.known, self.source, self.name, arguments), {
    world = "own", timeout = seconds })
  self.holders[tab] = tab.world
  return value, err
end

return page_script
