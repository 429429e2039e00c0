--- `deskpilot windows`: what is on screen, frontmost first as the window manager says.
local desktop = require "deskpilot.cli.desktop"
local terminal = require "deskpilot.cli.terminal"

local windows = {
  summary = "List the windows on screen: id, place, process, class and title.",
  only_options = true,
  order = 50,
  usage = "windows [--json] [--desktop current|private[:WxH]] [--app COMMAND]...",
  options = { { name = "json", help = "print a JSON array" }, table.unpack(desktop.options) },
}

--- The windows that `word` names: an id (decimal or 0x...), or a part of a title or class, whatever
--- its letter case. An exact title goes before parts of others; "active" is the one with the focus.
---@param list table[] as native.desk's windows() gives them
---@param word string
---@return table? window, string? why
function windows.find(list, word)
  local id = math.tointeger(tonumber(word))
  local wanted, part = word:lower(), nil
  for _, window in ipairs(list) do
    if window.id == id or window.title == word or (word == "active" and window.active) then return window end
    local words = ((window.title or "") .. "\n" .. (window.class or "")):lower()
    if not part and wanted ~= "" and words:find(wanted, 1, true) then part = window end
  end
  if part then return part end
  local titles = {}
  for i, window in ipairs(list) do titles[i] = "'" .. terminal.line(window.title or "") .. "'" end
  local there = #titles > 0 and "; there are " .. require("deskpilot.base.text").join(titles)
    or "; there are no windows"
  return nil, ("no window is named '%s'%s"):format(word, there)
end

local function place(window)
  return ("%dx%d+%d+%d"):format(window.width, window.height, window.x, window.y)
end

local function print_list(list)
  for _, window in ipairs(list) do
    terminal.put(("0x%08x  %-18s %7s  %-20s %s%s\n"):format(window.id, place(window),
      window.pid and window.pid > 0 and window.pid or "-", terminal.line(window.class or ""),
      terminal.line(window.title or ""), window.active and "  (active)" or ""))
  end
end

function windows.run(options)
  local where <close>, err = desktop.open(options)
  if not where then
    terminal.complain(tostring(err))
    return desktop.status(err)
  end
  local desk, list
  desk, err = require("native.desk").open(where.native)
  if desk then list, err = desk:windows() end
  if not list then
    terminal.complain(tostring(err))
    return 3
  end
  if options.json then
    local json = require "deskpilot.base.json"
    terminal.put_json(json.list(list))
  else
    print_list(list)
  end
  desk:close()
  return 0
end

return windows
