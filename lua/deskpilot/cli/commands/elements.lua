--- `deskpilot elements`: what applications say is on screen, as their accessibility interface has it.
local desktop = require "deskpilot.cli.desktop"
local terminal = require "deskpilot.cli.terminal"

local elements = {
  summary = "List what applications say is on screen: buttons, fields, texts, with their states.",
  order = 60,
  usage = "elements [--window W] [--app A] [--all] [--json] [--desktop current|private[:WxH]]",
  options = {
    { name = "window", short = "w", value = "W", help = "of one window: its id, part of its title, or active" },
    { name = "app", short = "a", value = "A", repeated = true,
      help = "of one application, by its name; with --desktop private: the command that starts it there" },
    desktop.options[1],
    { name = "all", help = "also what is not showing (closed menus, hidden pages)" },
    { name = "json", help = "print a JSON array of all that is known" },
  },
}

local function complain(err)
  terminal.complain(tostring(err))
  if err.code == "invalid" then return 2 end
  return (err.code == "not_found" or type(err) == "string") and 1 or 3
end

-- What to look in, from the options.
local function scope_of(desk, where, options)
  local scope = { app = not where.session and options.app and options.app[1] or nil, all = options.all }
  if not options.window then return scope end
  local list, err = desk.windows.list()
  if not list then return nil, err end
  local window, why = require("deskpilot.cli.commands.windows").find(list, options.window)
  if not window then return nil, why end
  scope.window = window
  return scope
end

local function silent(list)
  for _, app in ipairs(list.apps or {}) do
    if app.note then
      local name = app.name ~= "" and terminal.line(app.name) or "process " .. app.pid
      terminal.complain(("%s %s"):format(name, app.note))
    end
  end
end

local function print_json(desk, scope)
  local json = require "deskpilot.base.json"
  local list, err = desk.elements.list(scope)
  if not list then return complain(err) end
  silent(list)
  terminal.put_json(json.list(list))
  return 0
end

local function print_outline(desk, scope)
  scope.max = math.maxinteger
  local words, list = desk.elements.outline(scope)
  if not words then return complain(list) end
  silent(list)
  if #list == 0 then
    terminal.complain("no application tells of its elements; `deskpilot doctor` says what is missing")
    return 1
  end
  terminal.put(words, "\n")
  return 0
end

function elements.run(options, positional)
  if positional[1] then
    terminal.complain("elements takes options only, such as --app ", positional[1])
    return 2
  end
  local on_private = options.desktop and options.desktop:find("^private")
  if options.app and #options.app > 1 and not on_private then
    terminal.complain("elements lists one application or all: --app once, please")
    return 2
  end
  local where <close>, err = desktop.open { desktop = options.desktop, app = on_private and options.app or nil }
  if not where then return complain(err) end
  local desk
  desk, err = require("deskpilot.desk").open(where.desk)
  if not desk then return complain(err) end
  local _ <close> = setmetatable({}, { __close = function() desk:close() end })
  local scope, why = scope_of(desk, where, options)
  if not scope then return complain(why) end
  if where.session and options.app then -- a window comes before its elements can be read
    desk.wait_until(function() return #(desk.elements.list(scope) or {}) > 0 end, { timeout = 5 })
  end
  return (options.json and print_json or print_outline)(desk, scope)
end

return elements
