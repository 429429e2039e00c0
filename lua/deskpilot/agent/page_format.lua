--- Formats an observed web page for a request to a model: its address, its dialog or popup, its elements with the
--- indices that the browser tools take, and its text. The content comes from the page and is untrusted: it is
--- quoted or marked, so that no part of it can pass for a line that deskpilot wrote.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local page_format = {}

local function quoted(words, limit)
  return json.encode(text.cut(text.one_line(tostring(words or "")), limit))
end

--- `[3] button "Send"`
---@param element deskpilot.page_element
---@return string
function page_format.element_name(element)
  return ("[%d] %s %s"):format(element.index, text.one_line(tostring(element.role)), quoted(element.name, 80))
end

--- `"Title" https://...`
---@param title string?
---@param url string?
---@return string
function page_format.title_and_url(title, url)
  return quoted(title, 200) .. " " .. text.cut(text.one_line(tostring(url or "")), 500)
end

-- In the order in which they are printed.
local states = { "focused", "checked", "selected", "expanded", "disabled", "required", "editable", "autocomplete",
  "blocked" }

--- One line: `[3] combobox "City" focused autocomplete = "Ber"`.
---@param element deskpilot.page_element
---@return string
function page_format.element(element)
  local parts = { page_format.element_name(element) }
  local on = element.states or {}
  for _, state in ipairs(states) do
    if on[state] then parts[#parts + 1] = state end
  end
  if element.in_view == false then parts[#parts + 1] = "(not in view)" end
  if element.value and element.value ~= "" then parts[#parts + 1] = "= " .. quoted(element.value, 200) end
  if element.options and #element.options > 0 then
    local names = {}
    for i, option in ipairs(element.options) do
      names[i] = quoted(type(option) == "table" and (option.label or option.name or option.value) or option, 40)
      if i == 20 then break end
    end
    local more = #element.options > #names and ", ..." or ""
    parts[#parts + 1] = "options: " .. table.concat(names, ", ") .. more
  end
  return table.concat(parts, " ")
end

--- The whole page.
---@param page deskpilot.page
---@return string
function page_format.page(page)
  local place = page_format.title_and_url(page.title, page.url)
  local lines = { ("BROWSER: %s (%s)"):format(place, text.one_line(tostring(page.ready))) }
  if page.dialog then
    local dialog = page.dialog
    lines[#lines + 1] = ("DIALOG: %s %s"):format(text.one_line(tostring(dialog.type)), quoted(dialog.message, 300))
  end
  local popup = page.popup
  if popup then
    lines[#lines + 1] = ("POPUP: %s %s"):format(text.one_line(tostring(popup.role)), quoted(popup.name, 200))
  end
  local elements = page.elements or {}
  if #elements > 0 then lines[#lines + 1] = "PAGE ELEMENTS (index, role, name, states, value):" end
  for _, element in ipairs(elements) do lines[#lines + 1] = page_format.element(element) end
  local more = (page.total or #elements) - #elements
  if more > 0 then lines[#lines + 1] = ("(%d more elements are not listed)"):format(more) end
  if page.text and page.text:find("%S") then
    -- Each line begins with a mark, so that the page's text cannot imitate a heading of the request.
    lines[#lines + 1] = "PAGE TEXT:"
    for line in page.text:gmatch("[^\n]+") do lines[#lines + 1] = "| " .. line:gsub("%c", " ") end
    if page.text_cut then lines[#lines + 1] = "(the rest of the text is left out)" end
  end
  return table.concat(lines, "\n")
end

return page_format
