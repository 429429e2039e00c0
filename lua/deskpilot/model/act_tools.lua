--- Which of our tools does an act of a model's vocabulary (verbs.lua): one that was offered, or a sentence that says
--- what there is in place of it.
local text = require "deskpilot.base.text"

local act_tools = {}

-- The first of the tools that was offered.
local function choose(offered, ...)
  for _, name in ipairs { ... } do
    if offered[name] then return name end
  end
end

local function has(offered, name, argument)
  return offered[name] ~= nil and offered[name].properties[argument] ~= nil
end

local makers = {}

local function where_missing(act)
  if act.at or act.element then return nil end
  return "say where: no place was given, and the pointer is never used from where it is"
end

-- Where a finger is offered in place of a mouse.
local function tap(act, args)
  if act.clicks == 0 then return nil, "a finger has no pointer to move" end
  args.clicks, args.button = act.clicks ~= 1 and act.clicks or nil, act.button ~= "left" and act.button or nil
  return "tap", args
end

function makers.click(act, offered)
  local lost = where_missing(act)
  if lost then return nil, lost end
  local args = { position = act.at, element = act.element, label = act.label }
  if offered.tap and not offered.click_element then return tap(act, args) end
  if act.button == "right" and act.clicks == 1 and offered.right_click_element and not act.keys then
    return "right_click_element", args
  end
  if act.clicks == 2 and act.button == "left" and offered.double_click_element and not act.keys then
    return "double_click_element", args
  end
  if act.button ~= "left" then args.button = act.button end
  if act.clicks ~= 1 then args.clicks = act.clicks end
  args.keys = act.keys
  return "click_element", args
end

function makers.drag(act, offered)
  if not ((act.at or act.element) and act.to) then return nil, "say where the drag begins and where it ends" end
  if offered.swipe and not offered.drag_element then
    if not act.at then return nil, "say the place where the drag begins" end
    return "swipe", { start = act.at, ["end"] = act.to, drag = true }
  end
  return "drag_element", { start = act.at, start_element = act.element, ["end"] = act.to, label = act.label }
end

makers.drag_to = function() return nil, "say also where the drag begins: the pointer is never used from where it is" end
makers.down = function() return nil, "the mouse button cannot be left down: drag from one place to another" end
makers.up = makers.down

function makers.scroll(act, offered)
  if act.to and offered.swipe then
    return "swipe", { start = act.at, ["end"] = act.to, duration = act.milliseconds }
  end
  local sideways = (act.dx or 0) ~= 0 and (act.dy or 0) == 0
  local amount = sideways and act.dx or act.dy or 0
  if amount == 0 then return nil, "say in which direction to scroll" end
  local name = amount > 0 and "scroll_down" or "scroll_up"
  local args = { position = act.at, element = act.element }
  if not act.usual and has(offered, name, "notches") then args.notches = math.abs(amount) end
  if sideways then
    if offered[name] and not has(offered, name, "sideways") then
      return nil, ("%s does not scroll sideways"):format(name)
    end
    args.sideways = true
  end
  return name, args
end

function makers.type(act, offered)
  if act.words == "" then return nil, "the text is empty" end
  local args = { text = act.words, position = act.at, element = act.element, replace = act.clear }
  if act.at and offered.type_text and not has(offered, "type_text", "position") then
    return nil, "type_text types where the caret is: click the field first"
  end
  return choose(offered, "type_text", "type") or "type_text", args
end

function makers.key(act) return "press_key", { key = act.keys } end

function makers.wait(act) return "wait", { seconds = act.seconds } end

-- Tools with one argument, which is the act's words.
local function with_words(tool, argument, missing)
  return function(act)
    if not act.words or not act.words:find("%S") then return nil, missing end
    return tool, { [argument] = act.words }
  end
end

makers.app = with_words("open_app", "name", "say the application's name")
makers.ask = with_words("ask_user", "question", "say the whole question")
makers.remember = with_words("remember", "experience", "say what is to be remembered")

function makers.url(act)
  if not act.words then return nil, "say the address" end
  local url = act.words:find("^%a[%w+.-]*:") and act.words or "https://" .. act.words
  return "browser_open", { url = url }
end

local pages = { back = "browser_back", forward = "browser_forward", reload = "browser_reload" }

function makers.page(act, offered)
  if act.words == "back" then return choose(offered, "browser_back", "back") or "browser_back", {} end
  return pages[act.words], {}
end

-- A look at the whole screen is a moment's wait, after which there is a new screenshot.
function makers.look(act, offered)
  if act.at then return "look_closely", { region = act.at } end
  local name = choose(offered, "wait")
  if name then return name, { seconds = 0.5 } end
  return nil, "a new screenshot comes with every request: choose the next action"
end

function makers.finish(act, offered)
  local words = act.words or "The model says that the work is done."
  if offered.finish and not offered.report_completion then return "finish", { reason = words } end
  local wanted = offered.report_completion and offered.report_completion.properties.evidence
  return "report_completion", { evidence = wanted and wanted.type == "array" and { words } or words }
end

function makers.fail(act) return "give_up", { reason = act.words or "The model says that it cannot be done." } end

function makers.tool(act) return act.tool, {} end

function makers.none(act, offered)
  if act.finger and offered.tap then return makers[act.finger.act](act.finger, offered) end
  return nil, act.why
end

--- The tool for an act, and its arguments.
---@param act deskpilot.model.act
---@param offered table<string, table> schemas by the tools' names
---@return string? tool also where it was not offered
---@return table|string args or a sentence for the model
function act_tools.of(act, offered)
  local name, args = makers[act.act](act, offered)
  if not name then
    return nil, ("%s cannot be done so: %s."):format(text.cut(text.one_line(tostring(act.verb)), 60), args)
  end
  if offered[name] then return name, args end
  local known = text.keys(offered)
  return name, ("%s means %s here, which is not among the tools offered now: %s."):format(
    text.cut(text.one_line(tostring(act.verb)), 60), name, #known > 0 and text.join(known) or "there are none")
end

return act_tools
