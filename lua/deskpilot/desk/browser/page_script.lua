--- Scripts that are run in a page, put together from the files in page/.
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

return page_script
