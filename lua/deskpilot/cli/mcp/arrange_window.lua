--- What the tool `window` does. All but the list is an act of the run's toolbox, so that guards, consent and the
--- journal see it.
local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local arrange_window = {}

arrange_window.actions = { "list", "focus", "close", "minimize", "maximize", "restore", "move" }

local acts = {}

function acts.close(desk, window) return desk.windows.close(window, { wait = true }) end
function acts.minimize(desk, window) return desk.windows.minimize(window) end
function acts.maximize(desk, window) return desk.windows.maximize(window) end
function acts.restore(desk, window) return desk.windows.restore(window) end

function acts.move(desk, window, box)
  return desk.windows.place(window, { x = box[1], y = box[2], width = box[3], height = box[4] })
end

local done = { close = "closed", minimize = "minimized", maximize = "maximized", restore = "restored", move = "moved" }

--- The tool of the run's toolbox, which is added to it.
---@type deskpilot.tool
arrange_window.tool = {
  api = 1,
  name = "arrange_window",
  group = "mcp",
  description = "Close, minimize, maximize, restore or move a window.",
  parameters = fields.object {
    { name = "action", type = "string", enum = { "close", "minimize", "maximize", "restore", "move" } },
    { name = "title", type = "string", minLength = 1, maxLength = 200 },
    { name = "box", type = "array", items = { type = "integer" }, minItems = 4, maxItems = 4, optional = true },
  },
  anywhere = true,
  repeatable = false,
  lasting = function(args) return args.action == "close" end,
  touches = function(ctx, args) return { window = (ctx.desk.windows.find { title = args.title }) } end,
  run = function(ctx, args)
    if args.action == "move" and not args.box then
      return errors.fail("invalid", "move needs a box: [x, y, width, height] in pixels of the screen")
    end
    local window, err = ctx.desk.windows.find { title = args.title }
    if not window then return nil, err end
    -- Of these the desk asks nobody by itself; to whom a window is denied, its place is no business either.
    local permitted, forbidden = ctx.desk.input.may_act { act = "focus", window = window }
    if not permitted then return nil, forbidden end
    local ok, failure = acts[args.action](ctx.desk, window, args.box)
    if not ok then return nil, failure end
    return ("%s the window %q"):format(done[args.action], window.title)
  end,
}

local function line_of(window)
  local states = {}
  for _, state in ipairs { "active", "minimized", "maximized" } do
    if window[state] then states[#states + 1] = state end
  end
  return ("%s (%s) %d,%d %dx%d %s"):format(json.encode(text.cut(text.one_line(window.title), 100)),
    text.one_line(window.class), window.x, window.y, window.width, window.height, table.concat(states, " "))
end

--- Does what a client has asked for.
---@param desktop deskpilot.mcp_desktop
---@param args table
---@return deskpilot.mcp_tool_result|string|nil result, deskpilot.error? err
function arrange_window.run(desktop, args)
  if args.action == "list" then
    local windows, err = desktop.run.desk.windows.list()
    if not windows then return nil, err end
    local lines = {}
    for i, window in ipairs(windows) do lines[i] = text.trim(line_of(window)) end
    return #lines > 0 and table.concat(lines, "\n") or "there are no windows"
  end
  if not args.title then return errors.fail("invalid", "window %s needs a title", args.action) end
  if args.action == "focus" then return desktop:act("focus_window", { title = args.title }) end
  return desktop:act("arrange_window", { action = args.action, title = args.title, box = args.box })
end

return arrange_window
