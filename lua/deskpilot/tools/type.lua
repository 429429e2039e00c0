local fields = require "deskpilot.agent.fields"
local targets = require "deskpilot.agent.targets"

local given = targets.given

-- Whether a field can be read afterwards: a line break may send what it holds, and a password shows none of it.
local function readable(element, words)
  if not element or not element.text or element.role:find("password", 1, true) then return false end
  return not words:find(element.states.multi_line and "[%z\1-\8\11-\31]" or "%c")
end

-- The innermost element that has the keyboard.
local function focused(desk)
  local window = desk.windows.active()
  local list = window and desk.elements.list { pid = window.pid ~= 0 and window.pid or nil, states = "focused" }
  for i = #(list or {}), 1, -1 do
    if list[i].text then return list[i] end
  end
end

local function into_page(tab, element, args)
  return tab:type(element, args.text, { replace = args.replace == true })
end

-- Clicked where only its place is known, or where what it holds is to go.
local function enter(ctx, args, field)
  if not field or given(args.element) and not args.replace then return true end
  local ok, err = ctx.desk.mouse.click(field)
  if ok then ok, err = ctx.desk.settle { cap = 1 } end -- a window manager holds a click up, but no key after it
  return ok, err
end

local function into_field(ctx, args, field)
  local ok, err = enter(ctx, args, field)
  if ok and args.replace then ok, err = ctx.desk.keyboard.press "ctrl+a" end
  if not ok then return nil, err end
  local into = field and given(args.element) and not args.replace and field or nil
  local read_back = readable(into or focused(ctx.desk), args.text)
  ok, err = ctx.desk.keyboard.type(args.text, { into = into, verify = read_back })
  if not ok then return nil, err end
  return true, read_back
end

---@type deskpilot.tool
return {
  api = 1,
  name = "type",
  group = "touch",
  description = "Type text where the keyboard's focus is, or into a field. Any Unicode text; a line break is the Enter "
    .. "key, a tab is the Tab key. Where the field tells what it holds, it is read afterwards.",
  parameters = fields.object {
    { name = "text", type = "string", minLength = 1, description = "The text, exactly as it should arrive." },
    targets.element("element", "The field, which is tapped first unless it has the focus"),
    targets.position("position", "Or else its place, which is tapped first"),
    { name = "replace", optional = true, type = "boolean", description = "true: in place of what the field holds." },
  },
  pages = true,
  repeatable = false,
  lasting = function(args) return args.text:find "[\r\n]" ~= nil end, -- Enter may send a form
  check = function(ctx, args)
    return targets.check(ctx, "type", args, { element = "element", position = "position", optional = true,
      pages = true })
  end,
  run = function(ctx, args)
    local field, words, tab = targets.find(ctx, args.element, args.position, true)
    if not field and words then return nil, words end
    local ok, read
    if tab then ok, read = into_page(tab, field, args) else ok, read = into_field(ctx, args, field) end
    if not ok then return nil, read end
    return ("typed %d characters%s%s"):format(utf8.len(args.text) or #args.text, words and " into " .. words or "",
      not tab and read and ", and they are there" or "")
  end,
}
