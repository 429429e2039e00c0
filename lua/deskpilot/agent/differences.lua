--- Two looks at the desktop, the later told as what is different in it. Who was told the earlier one needs no more.
local observation = require "deskpilot.agent.observation"
local page_format = require "deskpilot.agent.page_format"
local spaces = require "deskpilot.model.space"

local differences = {}

-- What the lines of an element say of it, and what is said where it is gone.
local function words_of(element)
  return ("%s %s"):format(element.role, observation.element_words(element))
end

local function line_of(self, element, known, how)
  if how.words then return words_of(element) end
  return observation.element(self, element, how.space, known)
end

-- The states of an element but the focus: there is one focus, and who has it now is told of.
local function without_focus(element)
  local states = {}
  for name, on in pairs(element.states) do states[name] = on end
  states.focused = nil
  return setmetatable({ states = states }, { __index = element })
end

local function compare_elements(before, now, how)
  local had, has, lines = {}, {}, {}
  for _, element in ipairs(before.elements) do had[element.number] = element end
  for _, element in ipairs(now.elements) do
    local known = had[element.number]
    has[element.number] = true
    if not known then
      lines[#lines + 1] = "new: " .. line_of(now, element, nil, how)
    else
      local last = element.states.focused and known or without_focus(known)
      if line_of(now, element, nil, how) ~= line_of(before, last, nil, how) then
        lines[#lines + 1] = "now: " .. line_of(now, element, known, how)
      end
    end
  end
  for _, element in ipairs(before.elements) do
    if not has[element.number] then
      lines[#lines + 1] = "gone: " .. (how.words and "" or ("[%d] "):format(element.number)) .. words_of(element)
    end
  end
  return lines
end

-- A page: its head, its elements by their indices, and its text, whose lines are the same where they say the same.
local function page_items(page)
  local items, times = {}, {}
  for line in page_format.page(page):gmatch("[^\n]+") do
    local index = line:match("^%[(%d+)%]")
    local key = index and "element " .. index or not line:find("^| ") and line:match("^[^:(]+") or line
    times[key] = (times[key] or 0) + 1
    items[#items + 1] = { key = key .. " " .. times[key], line = line }
  end
  return items
end

local function compare_pages(before, now)
  local had, has, lines = {}, {}, {}
  for _, item in ipairs(before) do had[item.key] = item.line end
  for _, item in ipairs(now) do
    has[item.key] = true
    local old = had[item.key]
    if old == nil then lines[#lines + 1] = "new: " .. item.line
    elseif old ~= item.line then lines[#lines + 1] = "now: " .. item.line end
  end
  for _, item in ipairs(before) do
    if not has[item.key] then lines[#lines + 1] = "gone: " .. item.line end
  end
  return lines
end

local function add_all(lines, more)
  table.move(more, 1, #more, #lines + 1, lines)
end

--- What is different on the screen, for who was told an earlier look.
---@param before deskpilot.observation
---@param now deskpilot.observation
---@param how true|"words"|nil as for observation.describe
---@param space deskpilot.model.space? as for observation.describe
---@return string words
function differences.describe(before, now, how, space)
  if before == now then return "SCREEN: still the same look" end
  local lines, head, old_head = {}, observation.head(now), observation.head(before)
  for i = 1, math.max(#head, #old_head) do
    if head[i] ~= old_head[i] then lines[#lines + 1] = head[i] or "no dialog is on top any more" end
  end
  add_all(lines, compare_elements(before, now, { words = how == "words", space = space or spaces.canonical }))
  if before.page and now.page then add_all(lines, compare_pages(page_items(before.page), page_items(now.page)))
  elseif now.page then lines[#lines + 1] = page_format.page(now.page)
  elseif before.page then lines[#lines + 1] = "no page is in front any more" end
  for i, sentence in ipairs(now.missing) do
    if sentence ~= before.missing[i] then lines[#lines + 1] = "NOT AVAILABLE: " .. sentence end
  end
  if #lines == 0 then return "SCREEN: nothing that is told in words has changed" end
  return "SCREEN, what is different (all else looks as before):\n" .. table.concat(lines, "\n")
end

return differences
