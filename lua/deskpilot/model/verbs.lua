--- What the verbs of models' vocabularies mean. Each maker has trained its own names and arguments; a verb reads them
--- into an act in one form (deskpilot.model.act), of which vocabulary.lua makes a call of our tools.
local json = require "deskpilot.base.json"
local points = require "deskpilot.model.points"
local text = require "deskpilot.base.text"

local verbs = {}

--- What is to be done, however a model has said it. Positions are in the model's space.
---@class deskpilot.model.act
---@field act "click"|"drag"|"drag_to"|"down"|"up"|"scroll"|"type"|"key"|"wait"|"app"|"url"|"page"|"look"|"finish"|
---  "fail"|"ask"|"remember"|"none"|"tool"
---@field at number[]? the place; where the pointer is, if not given
---@field element integer? a number in ELEMENTS, in place of `at`
---@field to number[]? where a drag ends, or a finger that scrolls
---@field clicks integer? 0 only moves the pointer
---@field button string?
---@field keys string? that are pressed, or held
---@field dx number? notches of the wheel to the right
---@field dy number? and down
---@field words string? what is typed, claimed, asked ...
---@field clear boolean? what a field holds goes first
---@field seconds number?
---@field milliseconds integer? that a finger takes
---@field label string? what is acted on
---@field why string? of none: what to do in place of it
---@field finger deskpilot.model.act? of none: what it means where the tools are those of a touch screen
---@field tool string? of tool: its name

---@alias deskpilot.model.verb fun(args: table): deskpilot.model.act|deskpilot.model.act[]

local PIXELS, most_notches = 100, 100 -- pixels, or thousandths of a screen, that are a notch of the wheel

local function given(value)
  if value ~= json.null and value ~= "" then return value end
end

-- The first of these arguments that is there; those without a name are counted.
local function pick(args, ...)
  for _, name in ipairs { ... } do
    local value = given(args[name])
    if value == nil and type(name) == "number" and type(args.positional) == "table" then
      value = given(args.positional[name])
    end
    if value ~= nil then return value end
  end
end
verbs.pick = pick

local function words_of(value)
  if type(value) == "table" then value = value.text or value[1] end
  if type(value) == "number" then value = ("%.14g"):format(value) end
  return type(value) == "string" and value or nil
end

local function flag(value)
  return value == true or type(value) == "string" and value:lower() == "true"
end

local function number(value)
  value = tonumber(value)
  if value and value == value and math.abs(value) < 1e9 then return value end
end

local places = { "coordinate", "coordinates", "position", "point", "start_box", "start_point", "start", "box", "bbox",
  "bbox_2d", "point_2d", "center", "location", "pos" }

-- The place that a call points at, or an element's number.
local function place(args)
  local element = given(args.element)
  if math.type(tonumber(element)) == "integer" then return { element = tonumber(element) } end
  if args.x ~= nil and args.y ~= nil then return { at = points.read { args.x, args.y } } end
  local value = pick(args, table.unpack(places))
  if value == nil and type(element) == "table" then value = element end
  if value == nil and type(args.positional) == "table" then
    local first, second = args.positional[1], args.positional[2]
    if type(first) == "table" then value = first
    elseif number(first) and number(second) then value = { first, second } end
  end
  return { at = value ~= nil and points.read(value) or nil }
end

local function label_of(args)
  for _, name in ipairs { "label", "element_info", "element_description", "target", "description", "element" } do
    local words = given(args[name])
    if type(words) == "string" then return text.cut(text.one_line(words), 190) end
  end
end

local function act_at(kind, args)
  local act = place(args)
  act.act, act.label = kind, label_of(args)
  return act
end

local modifiers = { ctrl = true, control = true, alt = true, shift = true, cmd = true, command = true, win = true,
  super = true, meta = true, option = true, opt = true }

local literal_keys = { [" "] = "space", ["\n"] = "enter", ["\r"] = "enter", ["\t"] = "tab", ["+"] = "plus",
  ["-"] = "minus" }

-- Key names as one combination, "ctrl+c": models part them by +, by spaces or by -, or send a list. A name itself may
-- have a space in it ("page down"), so others part names only behind a modifier.
local function combination(words)
  if literal_keys[words] then return literal_keys[words] end
  words = text.one_line(words)
  local first, mark = words:match("^(%a+)([ -])")
  if first and modifiers[first:lower()] and not words:find("+", 1, true) then
    words = mark == "-" and words:gsub("-", "+") or words:gsub(" ", "+")
  end
  return words:gsub(" ?%+ ?", "+"):lower()
end

-- The combinations of a list of keys: all together where one of them is a modifier, or else one after the other.
local function combinations(list)
  local names, held = {}, false
  for i, name in ipairs(list) do
    if type(name) ~= "string" or i > 20 then return {} end
    names[i] = combination(name)
    held = held or modifiers[names[i]] or false
  end
  return held and { table.concat(names, "+") } or names
end

local function held_keys(args)
  local value = pick(args, "keys", "modifiers", "modifier", "text")
  if type(value) == "table" then value = table.concat(combinations(value), "+") end
  return type(value) == "string" and #value <= 60 and value:find("%S") and combination(value) or nil
end

local function none(why) return { act = "none", why = why } end

--- Clicks.
---@param clicks integer 0 only moves the pointer
---@param button string?
---@return deskpilot.model.verb
function verbs.click(clicks, button)
  return function(args)
    local act = act_at("click", args)
    local count = number(args.clicks or args.num_clicks or args.click_count)
    act.clicks = count and clicks == 1 and math.tointeger(math.min(3, math.max(1, count // 1))) or clicks
    act.button = button or words_of(given(args.button)) or words_of(given(args.mouse_button)) or "left"
    if act.button == "wheel" then act.button = "middle" end
    act.keys = held_keys(args)
    return act
  end
end

--- Moves the pointer.
verbs.move = function(args)
  local act = act_at("click", args)
  act.clicks, act.button = 0, "left"
  return act
end

--- Presses the button and leaves it down, or lets it go.
---@param kind "down"|"up"
---@return deskpilot.model.verb
function verbs.hold(kind)
  return function(args) return act_at(kind, args) end
end

--- A drag from one place to another; one that is only told where to begins where the pointer is.
---@param options { from_here: boolean? }? from_here: the only place is the end
---@return deskpilot.model.verb
function verbs.drag(options)
  return function(args)
    local path = given(args.path)
    if type(path) == "table" and #path >= 2 then
      return { act = "drag", at = points.read(path[1]), to = points.read(path[#path]), label = label_of(args) }
    end
    local act = act_at("drag", args)
    local from = pick(args, "start_coordinate", "start_coordinates", "start_box", "start_point", "start", "from",
      "startCoordinate")
    local to = pick(args, "end_box", "end_point", "end", "to", "end_coordinate", "end_coordinates", "coordinate2",
      "destination", "endCoordinate")
    if to == nil and args.destination_x ~= nil then to = { args.destination_x, args.destination_y } end
    if to == nil and from ~= nil then to = pick(args, "coordinate", "coordinates", "position", "point") end
    if from ~= nil then act.at = points.read(from) end
    if to ~= nil then act.to = points.read(to)
    elseif options and options.from_here and act.at then
      act.act, act.at, act.to = "drag_to", nil, act.at
    end
    return act
  end
end

local ways = { up = { 0, -1 }, down = { 0, 1 }, left = { -1, 0 }, right = { 1, 0 } }

local function notches(amount, unit)
  return math.tointeger(math.min(most_notches, math.max(1, math.abs(amount) // unit)))
end

local function signed(amount, unit, up_is_positive)
  if amount == 0 then return nil end
  return notches(amount, unit) * ((amount > 0) == up_is_positive and -1 or 1)
end

--- Turns the wheel. Models differ in what they count and in the sign: see each vocabulary.
---@param options { unit: "pixels"|"notches", up: boolean, sideways: boolean? } how a number is meant that has no
---  direction beside it; up: positive is up; sideways: it is about the other axis, where positive is right
---@return deskpilot.model.verb
function verbs.scroll(options)
  local unit = options.unit == "pixels" and PIXELS or 1
  return function(args)
    local act = act_at("scroll", args)
    local direction = words_of(pick(args, "direction", "scroll_direction"))
    local way = direction and ways[direction:lower()]
    if way then
      local screens = number(args.magnitude)
      local amount = screens and math.abs(screens) // PIXELS
        or number(pick(args, "scroll_amount", "amount", "step", "steps", "notches", "clicks"))
        or number(args.pixels) and number(args.pixels) // PIXELS
      local count = amount and notches(amount, 1)
      act.dx, act.dy = way[1] * (count or 1), way[2] * (count or 1)
      act.usual = not count or nil
      return act
    end
    if args.scroll_x ~= nil or args.scroll_y ~= nil then -- positive is right and down
      act.dx, act.dy = signed(number(args.scroll_x) or 0, PIXELS, false), signed(number(args.scroll_y) or 0, PIXELS,
        false)
    else
      local amount = number(pick(args, "pixels", "clicks", "amount", "scroll_amount", "step", 1)) or 0
      if options.sideways then act.dx = signed(amount, unit, false) else act.dy = signed(amount, unit, options.up) end
    end
    if not (act.dx or act.dy) then return none "say how far and in which direction: up, down, left or right" end
    return act
  end
end

--- Draws a finger across a touch screen: what is shown goes along with it, so the wheel turns the other way.
verbs.swipe = function(args)
  local act = verbs.drag()(args)
  if not (act.at and act.to and act.at[2] and act.to[2]) then return none "say where it begins and where it ends" end
  local dx, dy = act.at[1] - act.to[1], act.at[2] - act.to[2]
  local along = math.abs(dx) > math.abs(dy)
  local milliseconds = number(args.duration)
  return { act = "scroll", at = act.at, to = act.to, milliseconds = milliseconds and milliseconds // 1,
    dx = along and signed(dx, PIXELS, false) or nil, dy = not along and signed(dy, PIXELS, false) or nil }
end

--- Types a text, at a place where one is given.
verbs.type = function(args)
  local act = act_at("type", args)
  local words = words_of(pick(args, "text", "content", "message", "value", "input", "typed_text", 1))
  if not words then return none "say the text" end
  if flag(args.press_enter) or flag(args.press_enter_after) or flag(args.submit) or flag(args.enter) then
    words = words:gsub("\n$", "") .. "\n"
  end
  act.words, act.clear = words, flag(args.clear_before_typing) or flag(args.delete_existing_text) or flag(args.clear)
    or flag(args.replace) or nil
  return act
end

--- The same where a field is cleared unless the call says otherwise.
verbs.type_over = function(args)
  local act = verbs.type(args)
  if args.clear_before_typing == nil and act.act == "type" then act.clear = true end
  return act
end

--- Presses keys.
---@param options { sequence: boolean? }? sequence: spaces part combinations that are pressed one after the other
---@return deskpilot.model.verb
function verbs.key(options)
  return function(args)
    local value = pick(args, "keys", "key", "key_comb", "text", "hotkey", "combination", "key_combination", "value")
    if value == nil and type(args.positional) == "table" then value = args.positional end
    local list
    if type(value) == "table" then list = combinations(value)
    elseif type(value) == "number" then list = { ("%.14g"):format(value) }
    elseif type(value) == "string" and options and options.sequence and value:find("%S%s+%S") then
      list = {}
      for word in value:gmatch("%S+") do list[#list + 1] = combination(word) end
    elseif type(value) == "string" then list = { combination(value) } end
    local times = number(pick(args, "presses", "repeat", "times")) or 1
    local acts = {}
    for _ = 1, math.min(20, math.max(1, times // 1)) do
      for _, keys in ipairs(list or {}) do acts[#acts + 1] = { act = "key", keys = keys } end
    end
    if #acts == 0 or #acts > 20 then return none "say the key, such as ctrl+s" end
    return acts
  end
end

--- Waits; so long where the call does not say it.
---@param seconds number
---@param unit number? seconds that its number counts
---@return deskpilot.model.verb
function verbs.wait(seconds, unit)
  return function(args)
    local value = number(pick(args, "seconds", "time", "duration", "timeout", "secs", 1))
      or number((words_of(args.duration) or ""):match("^%d+"))
    if number(args.ms) then value = number(args.ms) / 1000 end
    return { act = "wait", seconds = math.min(60, math.max(0.1, value and value * (unit or 1) or seconds)) }
  end
end

--- An act whose only argument is words, under one of several names.
---@param kind string
---@param ... string|integer
---@return deskpilot.model.verb
function verbs.with_words(kind, ...)
  local names = { ... }
  return function(args) return { act = kind, words = words_of(pick(args, table.unpack(names))) } end
end

--- Says that the work is done, or that it cannot be.
verbs.finish = function(args)
  local status = words_of(pick(args, "status", "goal_status")) or "success"
  local failed = status:lower():find("fail", 1, true) or status:lower():find("infeasible", 1, true)
    or status:lower():find("impossible", 1, true)
  return { act = failed and "fail" or "finish", words = words_of(pick(args, "evidence", "content", "message", "text",
    "answer", "result", "summary", "reason", "response", 1)) }
end

--- Says that it cannot be done.
verbs.fail = verbs.with_words("fail", "reason", "content", "message", "text", 1)

--- Looks, at a part in full detail where one is given.
verbs.look = function(args)
  local region = pick(args, "region", "bbox", "box", "bbox_2d", "coordinate")
  return { act = "look", at = region ~= nil and points.read(region) or nil }
end

--- Goes through a browser's history.
---@param where "back"|"forward"|"reload"
---@return deskpilot.model.verb
function verbs.page(where)
  return function() return { act = "page", words = where } end
end

--- A verb for which there is no tool here.
---@param why string what to do in place of it
---@param finger deskpilot.model.verb? what it means where the tools are those of a touch screen
---@return deskpilot.model.verb
function verbs.none(why, finger)
  return function(args)
    local act = none(why)
    act.finger = finger and finger(args)
    return act
  end
end

--- A tool without arguments.
---@param name string
---@return deskpilot.model.verb
function verbs.tool(name)
  return function() return { act = "tool", tool = name } end
end

local system_buttons = { back = verbs.page "back", home = verbs.tool "home", menu = verbs.tool "recent",
  recent = verbs.tool "recent", enter = function() return { act = "key", keys = "enter" } end }

--- The buttons of a telephone.
verbs.system_button = function(args)
  local name = words_of(pick(args, "button", "name", "key", 1)) or ""
  local verb = system_buttons[name:lower()]
  return verb and verb(args) or none "say which button: back, home, menu or enter"
end

return verbs
