--- What a step takes: the tool and its arguments, with the target found by its name in what the request lists. A
--- target on a browser's page is meant before one elsewhere on the desktop.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"
local course = require "deskpilot.model.literal.course"
local screen = require "deskpilot.model.literal.screen"

local deeds = {}

local quote = json.encode

---@class deskpilot.literal.deed
---@field tool string
---@field args table
---@field because string what its target is
---@field why string from whose beginning the next request tells how far it is
---@field number integer the step that it does; typing into a field does the one before it as well
---@field ends boolean whether what was listed may no longer hold after it
---@field anchor table what is then expected to be there, as far as the step says

local desktop_tools = {
  click = "click_element", double_click = "double_click_element", right_click = "right_click_element",
  type = "type_text", press = "press_key", scroll_down = "scroll_down", scroll_up = "scroll_up",
  drag = "drag_element", pause = "wait", wait_for = "wait", expect = "wait", open = "open_app",
  switch = "focus_window",
}
local page_tools = {
  click = "browser_click", type = "browser_type", scroll_down = "browser_scroll", scroll_up = "browser_scroll",
  select = "browser_select", upload = "browser_upload", download = "browser_download", read = "browser_read",
  go_to = "browser_open", back = "browser_back", forward = "browser_forward", reload = "browser_reload",
  close_popup = "browser_click", dialog = "browser_dialog",
}

--- The tools that a step may take.
---@param step deskpilot.literal.step
---@return string[]
function deeds.tools(step)
  local tools = {}
  if desktop_tools[step.kind] then tools[1] = desktop_tools[step.kind] end
  if page_tools[step.kind] then tools[#tools + 1] = page_tools[step.kind] end
  return tools
end

-- After these keys and clicks everything is where it was.
local still_keys = { tab = true, home = true, ["end"] = true, up = true, down = true, left = true, right = true,
  backspace = true, delete = true, ["shift+tab"] = true, ["ctrl+a"] = true, ["shift+end"] = true }
local still_roles = { "text", "entry", "search", "check", "radio", "switch", "spin", "slider" }

local function still(element)
  for _, part in ipairs(still_roles) do
    if element.role:find(part, 1, true) then return true end
  end
  return false
end

local function deed(tool, args, because)
  return { tool = tool, args = args, because = because, ends = false, anchor = {} }
end

local function ending(made, anchor)
  made.ends, made.anchor = true, anchor or {}
  return made
end

local function place(element)
  return json.list { element.x, element.y }
end

-- What to call it to the tool, which wants a name even for what has none.
local function label_of(element, name)
  return element.name ~= "" and element.name or name
end

local function described(element)
  local where = element.x and ("at [%d, %d]"):format(element.x, element.y) or ("[%d] of the page"):format(element.index)
  return ("The target is %s %s %s."):format(element.role, quote(text.cut(element.name, 60)), where)
end

local function missing(state, name)
  local popup = state.view.page and state.view.page.popup
  return nil, ("nothing named %s is listed%s; %s"):format(quote(name),
    popup and " (" .. popup .. " covers the page)" or " on screen", course.listed(state.view, name))
end

-- On the page, where the step may be done there; else on the desktop, which a popup of the page hides no less.
local function find(state, step, name)
  local element = state.offered(page_tools[step.kind] or "") and screen.find_on_page(state.view, name, step.role)
  if element then return element, true end
  if state.view.page and state.view.page.popup then return nil end
  return screen.find(state.view, name, step.role), false
end

local makers = {}

function makers.click(state, step)
  local element, on_page = find(state, step, step.target)
  if not element then return missing(state, step.target) end
  local made
  if on_page then
    made = deed(page_tools.click, { index = element.index }, described(element))
  else
    made = deed(desktop_tools[step.kind], { label = label_of(element, step.target), position = place(element) },
      described(element))
  end
  return still(element) and made or ending(made)
end
makers.double_click, makers.right_click = makers.click, makers.click

function makers.drag(state, step)
  local from, to = screen.find(state.view, step.target), screen.find(state.view, step.to)
  if not from or not to then return missing(state, from and step.to or step.target) end
  return ending(deed(desktop_tools.drag, { label = label_of(from, step.target), start = place(from),
    ["end"] = place(to) }, described(from) .. " It goes to " .. quote(to.name) .. "."))
end

-- The last text that was read, as far back as the recent actions go.
local function what_was_read(view)
  for i = #view.actions, 1, -1 do
    local action = view.actions[i]
    if action.tool == page_tools.read and not action.failed then
      return action.result:match("the page says: (.*)$") or action.result
    end
  end
end

-- Into a field of the page by its name, else where the keyboard focus is.
function makers.type(state, step)
  local words = step.text or what_was_read(state.view)
  if not words then return nil, "the recent actions hold no text that was read" end
  if step.into then
    local element, on_page = find(state, step, step.into)
    if on_page and element then
      local made = deed(page_tools.type, { index = element.index, text = words, replace = true },
        described(element))
      return element.states.autocomplete and ending(made) or made -- what it suggests comes into the list
    end
  end
  return deed(desktop_tools.type, { text = words }, "The text goes to what has the keyboard focus.")
end

function makers.press(_, step)
  local made = deed(desktop_tools.press, { key = step.key }, "The key goes to what has the keyboard focus.")
  return still_keys[step.key:lower()] and made or ending(made)
end

local function scroll(state, step)
  local because = "The view is scrolled by one notch of the tool."
  if state.view.page and state.offered(page_tools[step.kind]) then
    return ending(deed(page_tools[step.kind], { direction = step.kind:match("_(%a+)$") }, because))
  end
  return ending(deed(desktop_tools[step.kind], {}, because))
end
makers.scroll_down, makers.scroll_up = scroll, scroll

function makers.pause(_, step)
  return ending(deed(desktop_tools.pause, { seconds = step.seconds }, "The task asks for this pause."))
end

-- "open" was a click before there were applications to open, and is one where none can be.
function makers.open(state, step)
  if not state.offered(desktop_tools.open) then
    local as_click = setmetatable({ kind = "click" }, { __index = step })
    return makers.click(state, as_click)
  end
  return ending(deed(desktop_tools.open, { name = step.target }, "The task asks for this application."),
    { application = step.target })
end

function makers.switch(_, step)
  return ending(deed(desktop_tools.switch, { title = step.target }, "The task asks for this window."),
    { title = step.target })
end

--- On a page ----------------------------------------------------------------------------------------

local function on_page(make)
  return function(state, step)
    local element = screen.find_on_page(state.view, step.target, step.role)
    if not element then
      if not state.view.page then return nil, "the active window is no browser whose page is listed" end
      return missing(state, step.target)
    end
    return make(step, element)
  end
end

makers.select = on_page(function(step, element)
  return deed(page_tools.select, { index = element.index, option = step.option }, described(element))
end)

makers.upload = on_page(function(step, element)
  return deed(page_tools.upload, { index = element.index, path = step.path }, described(element))
end)

makers.download = on_page(function(_, element)
  return ending(deed(page_tools.download, { index = element.index }, described(element)))
end)

function makers.read(state, step)
  if not state.view.page then return nil, "the active window is no browser whose page is listed" end
  if not state.view.page.text:find(step.target, 1, true) then
    return nil, ("the page's text does not have %s"):format(quote(step.target))
  end
  return deed(page_tools.read, { after = step.target }, "The page's text has these words.")
end

function makers.go_to(_, step)
  return ending(deed(page_tools.go_to, { url = step.url }, "The task asks for this address."), { url = step.url })
end

local function travel(_, step)
  return ending(deed(page_tools[step.kind], {}, "The task asks for this."))
end
makers.back, makers.forward, makers.reload = travel, travel, travel

function makers.dialog(state, step)
  local dialog = state.view.page and state.view.page.dialog
  if not dialog then return nil, "the page has no dialog open" end
  return ending(deed(page_tools.dialog, { accept = step.accept }, "The page waits for the answer."))
end

local closers = { "close", "close popup", "close dialog", "no, thanks", "no thanks", "no", "not now", "maybe later",
  "later", "skip", "dismiss", "reject all", "reject", "decline", "cancel", "×", "✕", "x", "got it", "ok" }

--- The element that closes the popup which covers the page.
---@param view deskpilot.literal.view
---@return deskpilot.literal.element? element, string? why
function deeds.closer(view)
  if not view.page or not view.page.popup then return nil, "no popup covers the page" end
  local names = {}
  for _, name in ipairs(closers) do
    for _, element in ipairs(view.page.elements) do
      if not element.states.blocked and element.name:lower() == name then return element end
    end
  end
  for _, element in ipairs(view.page.elements) do
    if not element.states.blocked and #names < 5 then names[#names + 1] = quote(text.cut(element.name, 40)) end
  end
  return nil, ("%s has no button that is known to close it (%s); what it has is %s"):format(view.page.popup,
    table.concat(closers, ", "), #names > 0 and text.join(names) or "nothing")
end

function makers.close_popup(state)
  local element, why = deeds.closer(state.view)
  if not element then return nil, why end
  return ending(deed(page_tools.close_popup, { index = element.index }, described(element)))
end

--- What the step of that number takes now; nil and why not while what it needs is not listed.
---@param state deskpilot.literal.course
---@param number integer
---@return deskpilot.literal.deed? deed, string? why
function deeds.of(state, number)
  local step = state.plan[number]
  -- A field of a page is focused by typing into it.
  if step.before_typing and state.offered(page_tools.type)
    and screen.find_on_page(state.view, step.target, step.role) then
    number = number + 1
    step = state.plan[number]
  end
  local made, why = makers[step.kind](state, step)
  if not made then return nil, why end
  made.number = number
  made.why = course.justify(state, number, made.because)
  return made
end

return deeds
