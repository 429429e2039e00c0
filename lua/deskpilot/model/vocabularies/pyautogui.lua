--- pyautogui: `scroll` counts notches and is positive upwards, `hscroll` to the right; `press` of several keys presses
--- them one after the other, `hotkey` together; dragTo begins where the pointer is.
local verbs = require "deskpilot.model.verbs"

local hold = "this desktop cannot be left with a key held down: use hotkey"

local relative = "say where to on the screen: moveTo and dragTo"

-- hotkey("ctrl", "c"): all together, whatever they are.
local function hotkey(args)
  local list = type(args.positional) == "table" and args.positional or verbs.pick(args, "keys")
  if type(list) == "table" and type(list[1]) == "table" then list = list[1] end
  if type(list) ~= "table" or #list == 0 or #list > 5 then return verbs.key()(args) end
  local names = {}
  for i, name in ipairs(list) do names[i] = tostring(name):lower() end
  return { act = "key", keys = table.concat(names, "+") }
end

local function press(args)
  local first = type(args.positional) == "table" and args.positional[1]
  if first then args = { keys = first, presses = args.presses or args.positional[2] } end
  return verbs.key()(args)
end

local function typed(args)
  local list = verbs.pick(args, "message", "text", 1)
  if type(list) == "table" then return press { keys = list } end
  return verbs.type(args)
end

---@type deskpilot.model.vocabulary
return {
  name = "pyautogui",
  verbs = {
    click = verbs.click(1), leftclick = verbs.click(1), moveto = verbs.move, doubleclick = verbs.click(2),
    tripleclick = verbs.click(3), dragto = verbs.drag { from_here = true }, mousedown = verbs.hold "down",
    mouseup = verbs.hold "up", scroll = verbs.scroll { unit = "notches", up = true },
    hscroll = verbs.scroll { unit = "notches", up = true, sideways = true },
    write = typed, typewrite = typed, press = press, hotkey = hotkey, keydown = verbs.none(hold),
    keyup = verbs.none(hold),
    drag = verbs.none(relative), dragrel = verbs.none(relative),
    move = verbs.none(relative), moverel = verbs.none(relative), sleep = verbs.wait(1),
    terminate = verbs.finish, wait = verbs.wait(2),
  },
  words = { click_element = "pyautogui.click", double_click_element = "pyautogui.doubleClick",
    right_click_element = "pyautogui.rightClick", type_text = "pyautogui.write" },
  arguments = { ["pyautogui.write"] = { text = "message" } },
}
