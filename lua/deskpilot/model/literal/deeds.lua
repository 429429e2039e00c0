--- What a step takes: the tool and its arguments, with the target found by its name among what the run has seen. A
--- target on a browser's page is meant before one elsewhere on the desktop.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"
local screen = require "deskpilot.model.literal.screen"

local deeds = {}

local quote = json.encode

---@class deskpilot.literal.deed
---@field tool string
---@field args table
---@field why string begins with the number of the step, from which `course` tells how far the task is
---@field number integer? the step that it does; typing into a field does the one before it as well
---@field ends boolean whether what was seen may no longer hold after it
---@field anchor table what is then expected to be there, as far as the step says

-- Each verb's tool where it needs no target or has it on the desktop, and where it has it on a page. After one that is
-- `still` everything is where it was; `anchor` names the argument that will be true of the screen.
local verbs = {
  click = { tool = "click_element", on_page = "browser_click" },
  double_click = { tool = "double_click_element" },
  right_click = { tool = "right_click_element" },
  drag = { tool = "drag_element" },
  type = { tool = "type_text", on_page = "browser_type", still = true },
  press = { tool = "press_key" },
  scroll_down = { tool = "scroll_down" },
  scroll_up = { tool = "scroll_up" },
  wait_for = { tool = "wait" },
  expect = { tool = "wait" },
  pause = { tool = "wait" },
  open = { tool = "open_app", anchor = { application = "name" } },
  switch = { tool = "focus_window", anchor = { title = "title" } },
  go_to = { tool = "browser_open", anchor = { url = "url" } },
  back = { tool = "browser_back" },
  forward = { tool = "browser_forward" },
  reload = { tool = "browser_reload" },
  select = { on_page = "browser_select", still = true },
  upload = { on_page = "browser_upload", still = true },
  download = { on_page = "browser_download" },
  read = { tool = "browser_read", still = true },
  keep = { tool = "extract_data", still = true },
  close_popup = { on_page = "browser_click" },
  accept = { tool = "browser_dialog" },
  dismiss = { tool = "browser_dialog" },
}

--- The tools that a step may take.
---@param step deskpilot.literal.step
---@return string[]
function deeds.tools(step)
  local verb = verbs[step.kind]
  return { verb.tool or verb.on_page, verb.on_page }
end

local function missing(facts, name)
  return ("nothing named %s is listed (%s); %s"):format(quote(name), screen.popup(facts) or "on the whole screen",
    screen.nearest(facts, name))
end

-- On the page, if the verb can be done there; else on the desktop, which a popup of the page hides no less. Typing is
-- for a field of the page, or for what has the keyboard.
local function find(facts, step)
  local verb, name = verbs[step.kind], step.target
  local element = verb.on_page and screen.find(facts, name, step.role, true)
  local hidden = not verb.tool or screen.popup(facts)
  if element or step.kind == "type" then return element end
  element = not hidden and screen.find(facts, name, step.role)
  return element, not element and missing(facts, name) or nil
end

local function described(element)
  local where = element.norm and ("at [%d, %d]"):format(element.norm[1], element.norm[2])
    or ("[%d] of the page"):format(element.index)
  return ("The target is %s %s %s."):format(element.role, quote(text.cut(element.name, 60)), where)
end

-- What some verbs need besides: each fills in arguments, or says why it cannot be done yet.
local needs = {}

function needs.drag(facts, step, args)
  local to = screen.find(facts, step.to)
  if not to then return missing(facts, step.to) end
  args.start, args["end"], args.position = args.position, { to.norm[1], to.norm[2] }, nil
end

function needs.type(facts, _, args)
  args.replace = args.index and true
  if args.text then return nil end
  for _, action in ipairs(facts.actions) do
    if action.ok and action.tool == verbs.read.tool then args.text = action.text:match(" the page says: (.*)$") end
  end
  return not args.text and "nothing has been read from a page" or nil
end

function needs.read(facts, step)
  if facts.page and facts.page.text:find(step.args.after, 1, true) then return nil end
  return ("no page in front has the text %s"):format(quote(step.args.after))
end

function needs.accept(facts, step, args)
  args.accept = step.kind == "accept"
  return not (facts.page and facts.page.dialog) and "the page has no dialog open" or nil
end
needs.dismiss = needs.accept

function needs.expect(facts, step)
  return ("%s is seen in no element's name or value, in no page's text, nor in the window's title; %s"):format(
    quote(step.args.text), screen.nearest(facts, step.args.text))
end
needs.wait_for = needs.expect

local closers = { "close", "close popup", "close dialog", "no, thanks", "no thanks", "no", "not now", "maybe later",
  "later", "skip", "dismiss", "reject all", "reject", "decline", "cancel", "×", "✕", "x", "got it", "ok" }

function needs.close_popup(facts, _, args)
  if not screen.popup(facts) then return "no popup covers the page" end
  for _, name in ipairs(closers) do
    for _, element in ipairs(screen.uncovered(facts)) do
      if element.name:lower() == name then args.index = args.index or element.index end
    end
  end
  return not args.index and ("%s, and it has no button that is known to close it (%s); %s"):format(screen.popup(facts),
    table.concat(closers, ", "), screen.nearest(facts, "close")) or nil
end

local still_keys = { tab = true, home = true, ["end"] = true, ["shift+end"] = true, ["ctrl+a"] = true }
local still_roles = { "text", "entry", "check", "radio" }

-- Whether everything is where it was once the step is done. What a field suggests is new.
local function is_still(step, element)
  if element and element.states.autocomplete then return false end
  for _, part in ipairs(step.kind == "click" and still_roles or {}) do
    if element.role:find(part, 1, true) then return true end
  end
  return verbs[step.kind].still or step.kind == "press" and still_keys[step.args.key:lower()]
end

local function arguments(facts, step, element)
  local args = {}
  for name, value in pairs(step.args) do args[name] = value end
  if element and element.norm then
    -- The tools want a name even for what has none.
    args.label = text.cut(element.name ~= "" and element.name or step.target, 80)
    args.position = { element.norm[1], element.norm[2] }
  elseif element then
    args.index = element.index
  end
  return args, needs[step.kind] and needs[step.kind](facts, step, args)
end

--- What the step of that number takes now; nil and why not while what it needs is not there.
---@param facts deskpilot.literal.facts
---@param plan deskpilot.literal.step[]
---@param number integer
---@return deskpilot.literal.deed? deed, string? why
function deeds.of(facts, plan, number)
  local step = plan[number]
  if step.focuses and screen.find(facts, step.target, step.role, true) then -- a field of a page is typed into at once
    number, step = number + 1, plan[number + 1]
  end
  local verb, element, args, why = verbs[step.kind], nil, nil, nil
  if step.target then element, why = find(facts, step) end
  if not why then args, why = arguments(facts, step, element) end
  if why then return nil, why end
  local deed = { number = number, tool = args.index and verb.on_page or verb.tool, args = args, anchor = {},
    ends = not is_still(step, element) }
  for part, name in pairs(verb.anchor or {}) do deed.anchor[part] = args[name] end
  deed.why = ("Step %d of %d: %s. %s"):format(number, #plan, text.cut(step.says, 80), element and described(element)
    or "It is the next one that the task asks for.")
  return deed
end

return deeds
