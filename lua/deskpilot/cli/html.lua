--- What pages that are made for people share.
local invisible = require "deskpilot.base.invisible"

local html = {}

local entities = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["'"] = "&#39;" }

--- Text as HTML shows it: escaped, and without what nobody sees (base/invisible.lua).
---@param words any
---@return string
function html.escape(words)
  return (invisible.remove(tostring(words == nil and "" or words)):gsub("[&<>\"']", entities))
end

return html
