--- The tools that an MCP server offers: few, with short schemas, since every client sends all of them with every
--- request to its model. Each is a way to tools of a run (tools/) and to what the desk looks with; nothing clicks or
--- types here.
local arrange_window = require "deskpilot.cli.mcp.arrange_window"
local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"
local finding = require "deskpilot.cli.mcp.finding"
local missions = require "deskpilot.cli.mcp.missions"
local page = require "deskpilot.cli.mcp.page"
local task = require "deskpilot.base.task"

local tools = {}

local element = { name = "element", type = "integer", minimum = 0, optional = true }
local text_field = { name = "text", type = "string", minLength = 1 }

local function place(name)
  return { name = name, type = "array", items = { type = "number" }, minItems = 2, maxItems = 2, optional = true }
end

-- The arguments `element` and `at` as the tools take them.
local function target(desktop, args)
  local position, err = desktop:read(args.at)
  if err then return nil, err end
  return { element = args.element, position = position, label = desktop:label(args.element, args.at) }
end

local function on_page(desktop, args)
  if not args.element then return false end
  local _, of_page = desktop:numbered(args.element)
  return of_page
end

local list = {}

list[1] = {
  name = "look", read_only = true,
  description = "Screenshot, windows, and numbered elements of screen and page. Use first; numbers and positions in "
    .. "other tools refer to the latest look or find.",
  parameters = fields.object {
    { name = "width", type = "integer", minimum = 64, maximum = 4096, optional = true, description = "of the picture" },
    { name = "picture", type = "boolean", optional = true, description = "false: words only" },
    { name = "region", type = "array", items = { type = "number" }, minItems = 4, maxItems = 4, optional = true,
      description = "[left,top,right,bottom] of the latest picture, to see in detail" },
  },
  run = function(desktop, _, args)
    if args.region then
      if desktop.text_only then return errors.fail("refused", "this server sends no pictures (--text)") end
      local box, err = desktop:read(args.region)
      if not box then return nil, err end
      return desktop:act("look_closely", { region = box })
    end
    local seen, err = desktop:observe { width = args.width }
    if not seen then return nil, err end
    return { text = desktop:describe(seen), pictures = args.picture ~= false and not desktop.text_only
      and { { base64 = seen.base64, mime = seen.mime } } or nil }
  end,
}

list[2] = {
  name = "find", read_only = true,
  description = "Find elements by their words, or text on the screen by OCR.",
  parameters = fields.object { text_field },
  run = function(desktop, _, args) return finding.find(desktop, args.text) end,
}

list[3] = {
  name = "click",
  description = "Click an element (by number) or a position `at` [x,y].",
  parameters = fields.object { element, place "at",
    { name = "button", type = "string", enum = { "left", "right", "middle" }, optional = true },
    { name = "count", type = "integer", minimum = 0, maximum = 3, optional = true,
      description = "2: double; 0: hover" },
    { name = "keys", type = "string", optional = true, description = "held meanwhile: ctrl" },
  },
  run = function(desktop, _, args)
    if on_page(desktop, args) and not (args.button or args.count or args.keys) then
      return desktop:act("browser_click", { index = args.element })
    end
    local wanted, err = target(desktop, args)
    if not wanted then return nil, err end
    wanted.clicks, wanted.button, wanted.keys = args.count, args.button, args.keys
    return desktop:act("click_element", wanted)
  end,
}

list[4] = {
  name = "type",
  description = "Type text into an element, at a position, or where the focus is. \\n is Enter.",
  parameters = fields.object { text_field, element, place "at",
    { name = "replace", type = "boolean", optional = true, description = "what the field holds" } },
  run = function(desktop, _, args)
    if on_page(desktop, args) then
      return desktop:act("browser_type", { index = args.element, text = args.text, replace = args.replace or false })
    end
    local wanted, err = target(desktop, args)
    if not wanted then return nil, err end
    return desktop:act("type_text", { element = wanted.element, position = wanted.position, text = args.text,
      replace = args.replace })
  end,
}

list[5] = {
  name = "press",
  description = "Press a key or combination: enter, ctrl+s, alt+f4.",
  parameters = fields.object { { name = "keys", type = "string", minLength = 1, maxLength = 60 } },
  run = function(desktop, _, args) return desktop:act("press_key", { key = args.keys }) end,
}

list[6] = {
  name = "scroll",
  description = "Turn the wheel at an element, a position, or the middle.",
  parameters = fields.object {
    { name = "direction", type = "string", enum = { "up", "down", "left", "right" } },
    { name = "notches", type = "integer", minimum = 1, maximum = 100, optional = true }, element, place "at" },
  run = function(desktop, _, args)
    if on_page(desktop, args) then return desktop:act("browser_scroll", { index = args.element }) end
    local wanted, err = target(desktop, args)
    if not wanted then return nil, err end
    local back = args.direction == "up" or args.direction == "left"
    local sideways = args.direction == "left" or args.direction == "right" or nil
    return desktop:act(back and "scroll_up" or "scroll_down", { element = wanted.element, position = wanted.position,
      notches = args.notches, sideways = sideways })
  end,
}

list[7] = {
  name = "drag",
  description = "Drag from one place to another.",
  parameters = fields.object {
    { name = "from_element", type = "integer", minimum = 0, optional = true }, place "from",
    { name = "to_element", type = "integer", minimum = 0, optional = true }, place "to" },
  run = function(desktop, _, args)
    local from, why = desktop:read(args.from)
    if why then return nil, why end
    local to, err = desktop:read(args.to)
    if err then return nil, err end
    return desktop:act("drag_element", { start_element = args.from_element, start = from, end_element = args.to_element,
      ["end"] = to, label = desktop:label(args.from_element, args.from) })
  end,
}

list[8] = {
  name = "window",
  description = "List windows, or do something with the one whose title has these words.",
  parameters = fields.object {
    { name = "action", type = "string", enum = arrange_window.actions },
    { name = "title", type = "string", minLength = 1, maxLength = 200, optional = true },
    { name = "box", type = "array", items = { type = "integer" }, minItems = 4, maxItems = 4, optional = true,
      description = "move: [x,y,width,height] of the screen" } },
  run = function(desktop, _, args) return arrange_window.run(desktop, args) end,
}

list[9] = {
  name = "app",
  description = "Open an application by its name, or bring it to the front.",
  parameters = fields.object { { name = "name", type = "string", minLength = 1, maxLength = 100 } },
  run = function(desktop, _, args) return desktop:act("open_app", { name = args.name }) end,
}

list[10] = {
  name = "page",
  description = "The web page in front. read: its text, or what follows `text`; select: option `text` of `element`; "
    .. "accept, dismiss: its dialog.",
  parameters = fields.object {
    { name = "action", type = "string", enum = page.actions },
    { name = "url", type = "string", minLength = 1, optional = true },
    { name = "text", type = "string", optional = true }, element },
  run = function(desktop, _, args) return page.run(desktop, args) end,
}

list[11] = {
  name = "wait", read_only = true,
  description = "Wait until the screen changes, or shows a text.",
  parameters = fields.object {
    { name = "seconds", type = "number", minimum = 0.1, maximum = 600, optional = true },
    { name = "text", type = "string", minLength = 1, optional = true },
    { name = "gone", type = "boolean", optional = true, description = "until it is gone" } },
  run = function(desktop, call, args) return finding.wait(desktop, call, args) end,
}

list[12] = {
  name = "run",
  description = "Run a deskpilot mission by its name, or let deskpilot's own agent do a task. May take minutes.",
  parameters = fields.object {
    { name = "mission", type = "string", minLength = 1, maxLength = 100, optional = true },
    { name = "args", type = "array", items = { type = "string" }, maxItems = 50, optional = true },
    { name = "task", type = "string", minLength = 1, maxLength = 4000, optional = true } },
  seconds = false, -- a mission has limits of its own
  run = function(desktop, call, args) return missions.run(desktop, call, args) end,
}

local SECONDS = 660 -- for a call, whatever hangs

--- The tools, for clients that work on that desktop.
---@param desktop deskpilot.mcp_desktop
---@return deskpilot.mcp_tool[]
function tools.of(desktop)
  local offered = {}
  for i, tool in ipairs(list) do
    offered[i] = { name = tool.name, description = tool.description, parameters = tool.parameters,
      read_only = tool.read_only, run = function(call, args)
        return desktop:turn(call, function()
          if tool.seconds == false then return tool.run(desktop, call, args) end
          local ok, result, err = task.limit(SECONDS, tool.run, desktop, call, args)
          if ok then return result, err end
          if errors.is(result, "timed_out") then
            return errors.fail("timed_out", "%s was stopped after %d s; it may be half done", tool.name, SECONDS)
          end
          error(result, 0)
        end)
      end }
  end
  return offered
end

return tools
