--- deskpilot pick: what the pointer is on, and the line of Lua that finds it.
local desktop = require "deskpilot.cli.desktop"
local stop_hotkey = require "deskpilot.cli.stop_hotkey"
local terminal = require "deskpilot.cli.terminal"

local command = {
  summary = "Show what the pointer is on, and copy the line of Lua that finds it.",
  order = 62,
  only_options = true,
  usage = "pick [--private APP...] [OPTIONS]\n       deskpilot pick --at X,Y [--json]",
  options = {
    { name = "at", value = "X,Y", help = "tell once of that pixel of the screen, and end" },
    { name = "json", help = "print objects, one per line" },
    { name = "key", value = "KEYS", help = "copy from any window, also from an open menu (default: ctrl+alt+p)" },
    { name = "private", value = "APP", repeated = true,
      help = "pick on a private desktop on which this command was started; may be given again" },
    { name = "size", value = "WxH", help = "of the private desktop, such as 1280x800" },
  },
  details = [[
  deskpilot pick                            move the pointer; Enter in the terminal copies, q ends
  deskpilot pick --private galculator       on a desktop of its own
  deskpilot pick --at 640,400               once, for scripts: the last line of it is the Lua

It shows window, element, point and colour below the pointer, and draws a frame around the element, or around the
window where there is none. The frame takes no clicks. The Lua line is decided as for steps of a recording: by role and
name, else by the place in the window; it was tried before it is shown. Ctrl+Alt+P (--key) copies without leaving the
application; a click would act on it. Where the output is no terminal there is a line for each thing pointed at.

What was copied can be pasted as long as pick runs; on X11 it is gone from the clipboard afterwards, unless a
clipboard manager has taken it over, and stays on the terminal.

Exit status 0; 1: the point is outside the screen; 2: the options are wrong; 3: there is no desktop.]],
}

local state = {}

--- A signal ends it in good order: the terminal is as before, and the frame is gone.
---@return boolean handled
function command.interrupted()
  if not state.session then return false end
  state.session:stop()
  return true
end

local function complain(status, err)
  terminal.complain((tostring(err):gsub("%-%-desktop private", "--private APP"))) -- what it is called here
  return status
end

-- What the options say; or what is wrong with them.
local function choose(given)
  local where, err = desktop.private(given)
  if not where then return nil, tostring(err) end
  local choice = { key = given.key or "ctrl+alt+p", json = given.json, app = given.private, desktop = where }
  if given.at then
    if given.key then return nil, "--key is for picking by hand, and --at tells once: give one of them" end
    local x, y = given.at:match "^%s*(%-?%d%d?%d?%d?%d?%d?)%s*,%s*(%-?%d%d?%d?%d?%d?%d?)%s*$"
    choice.at = x and { x = tonumber(x), y = tonumber(y) }
    if not x then return nil, ("--at wants X,Y in pixels of the screen, not '%s'"):format(given.at) end
  end
  if given.key == "" then return nil, "--key wants keys such as ctrl+alt+p" end
  local problem = stop_hotkey.problem(choice.key, "--key")
  if problem then return nil, tostring(problem) end
  return choice
end

local function tell_once(desk, choice, private)
  local x, y = desk.point(choice.at)
  if not x then return complain(1, y) end
  if private then -- a window comes before its elements can be read
    desk.wait_until(function() return #(desk.elements.list() or {}) > 0 end, { timeout = 5 })
  end
  local now, err = require "deskpilot.replay.picked".at(desk, x, y)
  if not now then return complain(3, err) end
  local words = require "deskpilot.cli.pick.words"
  if choice.json then
    terminal.put_json(words.data(now))
  else
    terminal.put(table.concat(words.block(now), "\n"), "\n")
  end
  return 0
end

local function pick(desk, choice, private)
  if private then terminal.note("deskpilot: ", desktop.where(private), "\n") end
  state.session = require "deskpilot.cli.pick.session".new(desk, require "deskpilot.cli.pick.view".new(choice.json))
  local ok, err = state.session:run(choice.key)
  if not ok then return complain(3, err) end
  if state.session.copied and desk.native:backend() == "x11" then
    terminal.note "deskpilot: what was copied is no longer in the clipboard, unless a clipboard manager has kept it\n"
  end
  return 0
end

--- Picks until it is stopped, or tells of one point.
---@param given table as parsed from command.options
---@return integer status
function command.run(given)
  local choice, why = choose(given)
  if not choice then return complain(2, why) end
  local where <close>, err = desktop.open(choice)
  if not where then return complain(desktop.status(err), err) end
  local desk
  desk, err = require "deskpilot.desk".open(where.desk)
  if not desk then return complain(3, err) end
  local _ <close> = setmetatable({}, { __close = function() desk:close() end })
  return (choice.at and tell_once or pick)(desk, choice, where.session)
end

return command
