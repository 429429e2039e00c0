--- What must hold before an action that was chosen together with others. These rules are enforced whether or not the
--- model follows its prompt: a dialog or a popup is dealt with before the page or the windows below it, and after
--- typing into a field that offers suggestions the screen is observed before the next action.
local text = require "deskpilot.base.text"
local rects = require "deskpilot.desk.picture.rect"
local desktop_dialog = require "deskpilot.agent.desktop_dialog"
local page_format = require "deskpilot.agent.page_format"

local preconditions = {}

-- What may be done while a dialog blocks the page: answer it, or wait.
local with_dialog = { browser_dialog = true, press_key = true, wait = true }

-- The position on the screen that a call points at, if any.
local function place_of(args)
  return args.position or args.start
end

local function element_at(page, index)
  for _, element in ipairs(page.elements) do
    if element.index == index then return element end
  end
end

-- Lists what can be done with the popup, for the sentence that refuses an action.
local function describe_popup_elements(page)
  local lines = {}
  for _, index in ipairs(page.popup.elements) do
    local element = element_at(page, index)
    if element and #lines < 6 then lines[#lines + 1] = page_format.element_name(element) end
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

-- The places that a call points at, as 0..1000 of the picture: positions, and the centres of elements by their numbers.
local function places_of(seen, args)
  local places = { args.position or args.start, args["end"] }
  for _, name in ipairs { "element", "start_element", "end_element" } do
    for _, element in ipairs(args[name] ~= nil and seen.elements or {}) do
      if element.number == args[name] then places[#places + 1] = element.norm end
    end
  end
  return places
end

-- On the desktop: a window that a modal dialog of its application blocks.
local function beneath_dialog(seen, args)
  if not seen.dialog then return false end
  for _, place in pairs(places_of(seen, args)) do
    local x, y = seen.shot:locate_norm(place[1], place[2])
    if x and desktop_dialog.blocks(seen.dialog, x, y) then return true end
  end
  return false
end

--- The precondition that an action does not meet in the latest observation, as a sentence for the model; or nil.
---@param run deskpilot.run
---@param call { tool: string, args: table, observation: deskpilot.observation? } as for run:act
---@return string? sentence
function preconditions.unmet(run, call)
  local seen = call.observation or run.observation
  if beneath_dialog(seen, call.args) then
    return ("%s is on top of that window: deal with it first"):format(desktop_dialog.describe(seen.dialog))
  end
  local page = run.observation.page
  if not page then return nil end
  if page.dialog and not with_dialog[call.tool] then
    return ("a dialog (%s %q) blocks the page: answer it first with browser_dialog"):format(
      text.one_line(tostring(page.dialog.type)), text.cut(text.one_line(tostring(page.dialog.message)), 100))
  end
  if page.popup and beneath_popup(run, call) then
    return ("%s %q covers the page: deal with it first%s"):format(text.one_line(tostring(page.popup.role)),
      text.cut(text.one_line(tostring(page.popup.name)), 100), describe_popup_elements(page))
  end
end

-- Whether the field offers suggestions: it says so (autocomplete), or it is editable and has opened a list.
local function suggests(element)
  local states = element and element.states or {}
  return states.autocomplete or (states.editable and states.expanded) or false
end

--- Whether an action types into a field that offers suggestions in the latest observation.
---@param run deskpilot.run
---@param call { tool: string, args: table }
---@return boolean
function preconditions.types_into_suggestions(run, call)
  local page = run.observation.page
  if call.tool ~= "browser_type" or not page then return false end
  return suggests(element_at(page, call.args.index))
end

--- Whether the field that an action has typed into now offers suggestions.
---@param call { tool: string }
---@param page deskpilot.page? observed after the action
---@return boolean
function preconditions.suggestions_came(call, page)
  if call.tool ~= "browser_type" and call.tool ~= "type_text" or not page then return false end
  return page.focus ~= nil and suggests(element_at(page, page.focus))
end

return preconditions
