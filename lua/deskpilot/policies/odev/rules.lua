--- What the policy enforces, whatever a model was asked to heed: what is on top comes first, and what a field
--- with suggestions brings is looked at before anything else is done.
local text = require "deskpilot.base.text"
local rects = require "deskpilot.desk.picture.rect"
local page_words = require "deskpilot.agent.page_words"

local rules = {}

-- What may be done while a page's dialog holds it up: answer it, or give it time.
local with_dialog = { browser_dialog = true, press_key = true, wait = true }

-- Tools that point at a place of the screen.
local function place_of(args)
  return args.position or args.start
end

local function element_at(page, index)
  for _, element in ipairs(page.elements) do
    if element.index == index then return element end
  end
end

-- What can be acted on of the popup, for the sentence.
local function choices(page)
  local lines = {}
  for _, index in ipairs(page.popup.elements) do
    local element = element_at(page, index)
    if element and #lines < 6 then lines[#lines + 1] = page_words.name(element) end
  end
  return #lines > 0 and "; in it are " .. text.join(lines) or "; press_key escape may close it"
end

local function beneath_popup(run, call)
  local page = run.observation.page
  local args = call.args
  if args.index ~= nil then
    local element = element_at(page, args.index)
    return element ~= nil and element.states.blocked == true
  end
  local place, view = place_of(args), page.viewport
  if not (place and page.popup.box and view) then return false end
  local x, y = (call.observation or run.observation).shot:locate_norm(place[1], place[2])
  return x ~= nil and rects.contains(view, x, y) and not rects.contains(page.popup.box, x, y)
end

--- Why an action may not be done as things are in the latest observation, or nil.
---@param run deskpilot.run
---@param call { tool: string, args: table, observation: deskpilot.observation? } as for run:act
---@return string? sentence
function rules.refuses(run, call)
  local page = run.observation.page
  if not page then return nil end
  if page.dialog and not with_dialog[call.tool] then
    return ("a dialog (%s %q) holds the page up: answer it first with browser_dialog"):format(
      text.one_line(tostring(page.dialog.type)), text.cut(text.one_line(tostring(page.dialog.message)), 100))
  end
  if page.popup and beneath_popup(run, call) then
    return ("%s %q covers the page: deal with it first%s"):format(text.one_line(tostring(page.popup.role)),
      text.cut(text.one_line(tostring(page.popup.name)), 100), choices(page))
  end
end

-- A field that offers suggestions: told by itself, or shown by what it opened.
local function suggests(element)
  local states = element and element.states or {}
  return states.autocomplete or (states.editable and states.expanded) or false
end

--- Whether an action types into a field that, as it was last seen, offers suggestions.
---@param run deskpilot.run
---@param call { tool: string, args: table }
---@return boolean
function rules.types_into_suggestions(run, call)
  local page = run.observation.page
  if call.tool ~= "browser_type" or not page then return false end
  return suggests(element_at(page, call.args.index))
end

--- Whether the field that was typed into turned out to offer suggestions.
---@param call { tool: string }
---@param page deskpilot.page? as it is now
---@return boolean
function rules.suggestions_came(call, page)
  if call.tool ~= "browser_type" and call.tool ~= "type_text" or not page then return false end
  return page.focus ~= nil and suggests(element_at(page, page.focus))
end

return rules
