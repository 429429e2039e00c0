--- Judges a page that was made of untrusted words: nothing of them became markup.
local markup = {}

local tags = { "section", "div", "figure", "pre", "dl", "dt", "dd", "b", "span", "header", "h1", "h2", "p", "style",
  "title" }

--- What is wrong with a page of `deskpilot report`; nil where nothing is.
---@param page string
---@return string?
function markup.problem(page)
  if not utf8.len(page) then return "the page is not UTF-8" end
  local _, scripts = page:gsub("<script", "")
  if scripts > 1 then return ("the page has %d scripts"):format(scripts) end -- it has one of its own
  for _, part in ipairs { "<script>alert", "\27", "\0", "\u{9b}", "\u{202e}", "onerror='" } do
    if page:find(part, 1, true) then return ("the page has %q in it"):format(part) end
  end
  for _, tag in ipairs(tags) do
    local _, opened = page:gsub("<" .. tag .. "[ >]", "")
    local _, closed = page:gsub("</" .. tag .. ">", "")
    if opened ~= closed then return ("<%s> is opened %d times, and closed %d times"):format(tag, opened, closed) end
  end
end

return markup
