--- How models of each family answer: what their server makes of the picture, what their numbers count, how they write
--- an act. A server that plays one of them is told by the test where the target is, in pixels of the screen, and
--- answers as that model would. All of it is written from what the makers publish, and nothing of it is the program's
--- own: the resizing, the numbers and the grammars are worked out here once more.
local http_server = require "deskpilot.net.http_server"
local json = require "deskpilot.base.json"
local native = require "native.image"
local vendor_server = require "vendor_server"

local conventions = {}

-- --- the picture as the model sees it ----------------------------------------------------------------

local function big_endian(bytes, at)
  local a, b, c, d = bytes:byte(at, at + 3)
  return ((a * 256 + b) * 256 + c) * 256 + d
end

-- Width and height as they stand in a PNG.
local function png_size(base64)
  local bytes = native.from_base64(base64:sub(1, 64))
  assert(bytes and bytes:sub(2, 4) == "PNG", "the picture is no PNG")
  return big_endian(bytes, 17), big_endian(bytes, 21)
end

-- The last picture of a request, wherever its protocol has pictures.
local function last_picture(value)
  if type(value) == "string" then return value:match("^data:image/%w+;base64,(.+)$") end
  if type(value) ~= "table" then return nil end
  if type(value.data) == "string" and (value.media_type or value.mimeType) then return value.data end
  local found
  if #value > 0 then
    for _, item in ipairs(value) do found = last_picture(item) or found end
  else
    for _, key in ipairs { "messages", "input", "contents", "content", "parts", "source", "inlineData", "image_url",
      "url", "output" } do
      if value[key] ~= nil then found = last_picture(value[key]) or found end
    end
  end
  return found
end

-- Python's round: halves to the even number.
local function round(value)
  local whole = math.floor(value)
  if value - whole > 0.5 or (value - whole == 0.5 and whole % 2 == 1) then return whole + 1 end
  return whole
end

-- The image processor of Qwen2-VL and its heirs.
local function smart_resize(factor, least, most)
  return function(width, height)
    local h, w = math.max(factor, round(height / factor) * factor), math.max(factor, round(width / factor) * factor)
    if h * w > most then
      local beta = (height * width / most) ^ 0.5
      h = math.max(factor, math.floor(height / beta / factor) * factor)
      w = math.max(factor, math.floor(width / beta / factor) * factor)
    elseif h * w < least then
      local beta = (least / (height * width)) ^ 0.5
      h, w = math.ceil(height * beta / factor) * factor, math.ceil(width * beta / factor) * factor
    end
    return w, h
  end
end

-- What Anthropic's server does to a picture that has too many patches of 28 pixels, or too long a side.
local function patches(longest, most)
  local function fits(width, height)
    local across, down = math.ceil(width / 28), math.ceil(height / 28)
    return across * 28 <= longest and down * 28 <= longest and across * down <= most
  end
  return function(width, height)
    if fits(width, height) then return width, height end
    local long, short = math.max(width, height), math.min(width, height)
    local best = 1
    for side = long, 1, -1 do
      local other = math.max(1, round(side * short / long))
      if fits(side, other) then best = side break end
    end
    local other = math.max(1, round(best * short / long))
    if width >= height then return best, other end
    return other, best
  end
end

local function as_sent(width, height) return width, height end

local function thousand() return 1000, 1000 end
local function nines() return 999, 999 end
local function fractions() return 1, 1 end

-- The size that the request declares.
local function declared(_, _, body)
  for _, tool in ipairs(body.tools) do
    if tool.display_width then return tool.display_width, tool.display_height end
  end
  error "no display was declared"
end

-- --- how acts are written ----------------------------------------------------------------------------

local function call(name, args) return { native = { { name, args } } } end

local because = "I see the target, so this is the next step."

-- The tools as they are offered, called by the protocol's own means.
local ours = {
  click = function(p) return call("click_element", { justification = because, label = "x",
    position = { p.x, p.y } }) end,
  drag = function(p) return call("drag_element", { justification = because, label = "x", start = { p.x, p.y },
    ["end"] = { p.x2, p.y2 } }) end,
  scroll = function(p) return call("scroll_" .. p.way, { justification = because, position = { p.x, p.y } }) end,
  keys = function() return call("press_key", { justification = because, key = "ctrl+s" }) end,
}

local function over(base, more)
  return setmetatable(more, { __index = base })
end

-- A box around a point, as far as it has room.
local function box(p, far_x, far_y)
  local dx, dy = math.min(4, p.x, far_x - p.x), math.min(3, p.y, far_y - p.y)
  return p.x - dx, p.y - dy, p.x + dx, p.y + dy
end

-- Doubao answers with a point, a box, or four corners, as it likes.
local doubao = over(ours, { click = function(p)
  local left, top, right, bottom = box(p, 1000, 1000)
  local shapes = { { p.x, p.y }, { left, top, right, bottom }, { left, top, right, top, right, bottom, left, bottom },
    { { left, top, right, bottom } }, { p.x, p.y, 0 } }
  return call("click_element", { justification = because, label = "x", position = shapes[p.number % #shapes + 1] })
end })

-- Kimi answers with fractions or with pixels, as it likes.
local kimi = over(ours, { click = function(p)
  local position = { p.x, p.y }
  if p.number % 2 == 1 then
    position = { ("%.4f"):format(p.share_x), ("%.4f"):format(p.share_y) }
    position = { tonumber(position[1]), tonumber(position[2]) }
  end
  return call("click_element", { justification = because, label = "x", position = position })
end })

local function tagged(name, args)
  return ("<tool_call>\n%s\n</tool_call>"):format(json.encode { name = name, arguments = args })
end

-- computer_use: `pixels` of a scroll are positive upwards, a drag begins where the pointer is.
local function computer_use(name)
  return {
    click = function(p) return tagged(name, { action = "left_click", coordinate = { p.x, p.y } }) end,
    drag = function(p) return tagged(name, { action = "mouse_move", coordinate = { p.x, p.y } }) .. "\n"
      .. tagged(name, { action = "left_click_drag", coordinate = { p.x2, p.y2 } }) end,
    scroll = function(p) return tagged(name, { action = "scroll", coordinate = { p.x, p.y },
      pixels = p.way == "up" and 300 or -300 }) end,
    keys = function() return tagged(name, { action = "key", keys = { "ctrl", "s" } }) end,
  }
end

-- Small models of Qwen write the same as XML.
local qwen_xml = over(computer_use "computer_use", { click = function(p)
  if p.number % 2 == 0 then return tagged("computer_use", { action = "left_click", coordinate = { p.x, p.y } }) end
  return ("<tool_call>\n<function=computer_use>\n<parameter=action>\nleft_click\n</parameter>\n<parameter=coordinate>\n"
    .. "[%d, %d]\n</parameter>\n</function>\n</tool_call>"):format(p.x, p.y)
end })

local function tars(point)
  local function said(form, ...) return ("Thought: %s\nAction: " .. form):format(because, ...) end
  return {
    click = function(p) return said("click(%s)", point("start", p.x, p.y)) end,
    drag = function(p) return said("drag(%s, %s)", point("start", p.x, p.y), point("end", p.x2, p.y2)) end,
    scroll = function(p) return said("scroll(%s, direction='%s')", point("start", p.x, p.y), p.way) end,
    keys = function() return said "hotkey(key='ctrl s')" end,
  }
end

local boxes = tars(function(end_, x, y) return ("%s_box='(%d,%d)'"):format(end_, x, y) end)
local marked = tars(function(end_, x, y)
  return ("%s_box='<|box_start|>(%d,%d)<|box_end|>'"):format(end_, x, y)
end)

local function seed(name, ...)
  local parts = { "<gui_think>", because, "</gui_think>\n<seed:tool_call><function=", name, ">" }
  for _, one in ipairs { ... } do
    parts[#parts + 1] = ("<parameter=%s>%s</parameter>"):format(one[1], one[2])
  end
  parts[#parts + 1] = "</function></seed:tool_call>"
  return table.concat(parts)
end
local function point_tag(x, y) return ("<point>%d %d</point>"):format(x, y) end
local tars_2 = {
  click = function(p) return seed("click", { "point", point_tag(p.x, p.y) }) end,
  drag = function(p) return seed("drag", { "start_point", point_tag(p.x, p.y) },
    { "end_point", point_tag(p.x2, p.y2) }) end,
  scroll = function(p) return seed("scroll", { "point", point_tag(p.x, p.y) }, { "direction", p.way }) end,
  keys = function() return seed("hotkey", { "key", "ctrl s" }) end,
}

local function boxed(form, ...)
  return ("%s\n<|begin_of_box|>%s<|end_of_box|>\nMemory: []"):format(because, form:format(...))
end
local brackets = { "'[%d,%d]'", "[%d,%d]", "'(%d,%d)'", "'[[%d,%d]]'", "'<%d,%d>'" }
local glm = {
  click = function(p)
    return boxed("left_click(start_box=" .. brackets[p.number % #brackets + 1] .. ", element_info='x')", p.x, p.y)
  end,
  drag = function(p) return boxed("left_drag(start_box='[%d,%d]', end_box='[%d,%d]')", p.x, p.y, p.x2, p.y2) end,
  scroll = function(p) return boxed("scroll(start_box='[%d,%d]', direction='%s', step=5)", p.x, p.y, p.way) end,
  keys = function() return boxed "key(keys='ctrl+s')" end,
}

local function do_(form, ...)
  return ("<think>%s</think><answer>%s</answer>"):format(because, form:format(...))
end
local autoglm = { -- for telephones: it swipes and has no keys
  click = function(p) return do_('do(action="Tap", element=[%d,%d])', p.x, p.y) end,
  scroll = function(p)
    local to = p.way == "down" and p.y - 200 or p.y + 200
    return do_('do(action="Swipe", start=[%d,%d], end=[%d,%d])', p.x, p.y, p.x, to)
  end,
}

local function acts(...) return { computer = { ... } } end

local gemini = {
  click = function(p)
    if p.number % 2 == 0 then return acts { "click_at", { x = p.x, y = p.y } } end
    local left, top, right, bottom = box(p, 999, 999) -- boxes have y first
    return call("click_element", { justification = because, label = "x", position = { top, left, bottom, right } })
  end,
  drag = function(p) return acts { "drag_and_drop", { x = p.x, y = p.y, destination_x = p.x2,
    destination_y = p.y2 } } end,
  scroll = function(p) return acts { "scroll_at", { x = p.x, y = p.y, direction = p.way, magnitude = 400 } } end,
  keys = function() return acts { "key_combination", { keys = "ctrl+s" } } end,
}
local gemini_3_5 = over(gemini, {
  click = function(p) return acts { "click", { x = p.x, y = p.y } } end,
  scroll = function(p) return acts { "scroll", { x = p.x, y = p.y, direction = p.way } } end,
  keys = function() return acts { "hotkey", { keys = { "ctrl", "s" } } } end,
})

local openai = {
  click = function(p) return acts { "click", { button = "left", x = p.x, y = p.y } } end,
  drag = function(p) return acts { "drag", { path = { { x = p.x, y = p.y }, { x = p.x2, y = p.y2 } } } } end,
  scroll = function(p) return acts { "scroll", { x = p.x, y = p.y, scroll_x = 0,
    scroll_y = p.way == "down" and 300 or -300 } } end,
  keys = function() return acts { "keypress", { keys = { "CTRL", "S" } } } end,
}

local claude = {
  click = function(p) return acts { "left_click", { coordinate = { p.x, p.y } } } end,
  drag = function(p) return acts { "left_click_drag", { start_coordinate = { p.x, p.y },
    coordinate = { p.x2, p.y2 } } } end,
  scroll = function(p) return acts { "scroll", { coordinate = { p.x, p.y }, scroll_direction = p.way,
    scroll_amount = 3 } } end,
  keys = function() return acts { "key", { text = "ctrl+s" } } end,
}

local opencua = {
  click = function(p) return ("pyautogui.click(x=%d, y=%d)"):format(p.x, p.y) end,
  drag = function(p) return ("pyautogui.moveTo(x=%d, y=%d)\npyautogui.dragTo(x=%d, y=%d, button='left')"):format(p.x,
    p.y, p.x2, p.y2) end,
  scroll = function(p) return ("pyautogui.scroll(%d, x=%d, y=%d)"):format(p.way == "up" and 5 or -5, p.x, p.y) end,
  keys = function() return "pyautogui.hotkey('ctrl', 's')" end,
}

-- Models that say where something is, and do nothing else.
local function place(write) return { click = write } end

local fara = over(computer_use "computer_use", { drag = false })

local function grounding(p)
  if p.number % 2 == 0 then
    return "<thinking>" .. because .. "</thinking>\n" .. tagged("mobile_use", { action = "click",
      coordinate = { p.x, p.y } })
  end
  return tagged("grounding", { action = "click", coordinate = { p.x, p.y } })
end

local yutori = {
  click = function(p) return call("left_click", { coordinates = { p.x, p.y } }) end,
  drag = function(p) return call("drag", { start_coordinates = { p.x, p.y }, coordinates = { p.x2, p.y2 } }) end,
  scroll = function(p) return call("scroll", { coordinates = { p.x, p.y }, direction = p.way, amount = 3 }) end,
  keys = function() return call("key_press", { key_comb = "ctrl+s" }) end,
}

local qwen_pixels = smart_resize(28, 3136, 12845056)

--- For each profile: a model of it; `sees`: what stands for the right and the lower edge, from the size of the
--- picture that came; `says`: how it writes an act; the maker's server that it answers through, where that is not Chat
--- Completions.
---@type table<string, { model: string, sees: function, says: table, wire: string?, digits: integer?, last: integer? }>
conventions.all = {
  default = { model = "llava:13b", sees = as_sent, says = ours },
  qwen2_5_vl = { model = "qwen2.5-vl-7b-instruct", sees = qwen_pixels, says = computer_use "computer_use" },
  qwen3_vl = { model = "qwen3-vl-2b-instruct", sees = thousand, says = qwen_xml },
  ui_tars = { model = "UI-TARS-7B-DPO", sees = thousand, says = boxes },
  ui_tars_1_5 = { model = "UI-TARS-1.5-7B", sees = smart_resize(28, 100 * 28 * 28, 16384 * 28 * 28), says = marked },
  ui_tars_2 = { model = "ui-tars-2", sees = thousand, says = tars_2 },
  doubao_seed = { model = "doubao-seed-1-6-vision-250815", sees = thousand, says = doubao },
  glm_v = { model = "glm-4.5v", sees = nines, says = glm },
  autoglm = { model = "autoglm-phone-9b", sees = thousand, last = 999, says = autoglm },
  gemini = { model = "gemini-2.5-computer-use", sees = thousand, last = 999, says = gemini, wire = "gemini" },
  gemini_2 = { model = "gemini-2.5-flash", sees = thousand, last = 999, says = ours, wire = "gemini" },
  gemini_3_5 = { model = "gemini-3.5-flash", sees = thousand, last = 999, says = gemini_3_5, wire = "gemini" },
  openai = { model = "gpt-4o", sees = as_sent, says = ours },
  gpt_5_4 = { model = "gpt-5.4", sees = as_sent, says = openai, wire = "responses" },
  computer_use_preview = { model = "computer-use-preview", sees = declared, says = openai, wire = "responses" },
  claude = { model = "claude-sonnet-4-5", sees = patches(1568, 1568), says = claude, wire = "anthropic" },
  claude_5 = { model = "claude-opus-5-5", sees = patches(2576, 4784), says = claude, wire = "anthropic" },
  holo1_5 = { model = "holo1.5-7b", sees = qwen_pixels, says = place(function(p)
    return json.encode { action = "click_absolute", x = p.x, y = p.y }
  end) },
  holo2 = { model = "holo2-8b", sees = thousand, says = place(function(p)
    return json.encode { x = p.x, y = p.y }
  end) },
  opencua = { model = "opencua-7b", sees = qwen_pixels, says = opencua },
  gta1 = { model = "gta1-7b", sees = qwen_pixels, says = place(function(p) return ("(%d,%d)"):format(p.x, p.y) end) },
  ui_ins = { model = "ui-ins-7b", sees = qwen_pixels, says = place(function(p)
    return ("(%d,%d)"):format(p.x, p.y)
  end) },
  gelato = { model = "gelato-30b-a3b", sees = qwen_pixels, says = place(function(p)
    return ("[%d, %d]"):format(p.x, p.y)
  end) },
  evocua = { model = "evocua-32b", sees = thousand, says = computer_use "computer_use" },
  gui_owl = { model = "gui-owl-1.5-8b", sees = thousand, says = computer_use "computer_use" },
  mai_ui = { model = "mai-ui-8b", sees = nines, says = place(grounding) },
  fara = { model = "fara-7b", sees = smart_resize(28, 3136, 12845056), says = fara },
  internvl = { model = "internvl3_5-8b", sees = thousand, says = place(function(p)
    local left, top, right, bottom = box(p, 1000, 1000)
    if p.number % 2 == 0 then return ("[[%d, %d]]"):format(p.x, p.y) end
    return ("<ref>x</ref>[[%d, %d, %d, %d]]"):format(left, top, right, bottom)
  end) },
  moondream = { model = "moondream3-preview", sees = fractions, digits = 4, says = place(function(p)
    if p.number % 2 == 0 then return ('{"x": %.4f, "y": %.4f}'):format(p.x, p.y) end
    local dx, dy = math.min(0.01, p.x, 1 - p.x), math.min(0.01, p.y, 1 - p.y)
    return ('{"x_min": %.6f, "y_min": %.6f, "x_max": %.6f, "y_max": %.6f}'):format(p.x - dx, p.y - dy, p.x + dx,
      p.y + dy)
  end) },
  kimi = { model = "kimi-k2.6", sees = as_sent, says = kimi },
  yutori = { model = "yutori-n1", sees = thousand, says = yutori },
}

-- --- the server --------------------------------------------------------------------------------------

-- A place of the screen as the model says it: the nearest number of its space, which has no more than the last one.
local function in_space(value, size, far, last, digits)
  local power = 10 ^ (digits or 0)
  local number = math.floor(value * far / size * power + 0.5) / power
  number = math.min(number, last or far)
  return digits and number or math.floor(number)
end

-- The words of an act with its places in the model's space.
local function said(self, body)
  local how, wanted = self.how, self.wanted
  if type(wanted) == "function" then wanted = wanted(body) end
  if type(wanted) == "string" then return wanted end
  local base64 = assert(last_picture(body), "there is no picture in the request")
  local width, height = png_size(base64)
  local screen = self.screen or { width = width, height = height }
  local far_x, far_y = how.sees(width, height, body)
  local last_x, last_y = how.last or far_x, how.last or far_y
  if how.sees ~= thousand and how.sees ~= nines and how.sees ~= fractions then last_x, last_y = far_x - 1, far_y - 1 end
  self.last = { last_x, last_y }
  self.far = { far_x, far_y }
  local function x(value) return in_space(value, screen.width, far_x, last_x, how.digits) end
  local function y(value) return in_space(value, screen.height, far_y, last_y, how.digits) end
  local p = { number = wanted.number or 0, way = wanted.way, x = x(wanted.x or 0), y = y(wanted.y or 0),
    share_x = (wanted.x or 0) / screen.width, share_y = (wanted.y or 0) / screen.height,
    x2 = wanted.x2 and x(wanted.x2), y2 = wanted.y2 and y(wanted.y2) }
  return how.says[wanted.act](p)
end

-- An answer of a server that speaks Chat Completions.
local function completion(what, number)
  local message = { role = "assistant", content = type(what) == "string" and what or "" }
  for i, one in ipairs(type(what) == "table" and what.native or {}) do
    message.tool_calls = message.tool_calls or json.list()
    message.tool_calls[i] = { id = "call_" .. i, type = "function",
      ["function"] = { name = one[1], arguments = json.encode(one[2]) } }
  end
  return { id = "chatcmpl-" .. number, object = "chat.completion", created = 1, model = "played",
    choices = { { index = 0, message = message, finish_reason = message.tool_calls and "tool_calls" or "stop" } },
    usage = { prompt_tokens = 100, completion_tokens = 10, total_tokens = 110 } }
end

local function chat_server(self)
  local number = 0
  local server = assert(http_server.start(function(request)
    number = number + 1
    local body = assert(json.decode(request.body))
    self.last = body
    return { status = 200, headers = { ["Content-Type"] = "application/json" },
      body = json.encode(completion(said(self, body), number)) }
  end, { max_body = 64 * 1024 * 1024 }))
  self.endpoint, self.failures = server.url .. "/v1", server.failures
  return server
end

local function makers_server(self)
  local server = vendor_server.start(self.how.wire, function(_, _, body)
    self.last = body
    local what = said(self, body)
    if type(what) == "string" then return { text = what } end
    return { computer = what.computer, calls = what.native }
  end)
  self.endpoint, self.key, self.failures = server.endpoint, server.key, server.problems
  return server
end

--- Starts a server that answers as the models of a profile do.
---@param name string the profile's
---@param screen { width: integer, height: integer }? the size of the screen that it is shown; the picture is all of it
---  unless told
---@return table server `wanted` is what it is to do next: { act = "click"|"drag"|"scroll"|"keys", x =, y =, x2 =, y2 =,
---  way = "up"|"down", number = } in pixels of the screen, or the words of its answer, or a function that gives one of
---  these for a request's body; `far` is what stood for the right and the lower edge in its
---  last answer, and `last` the largest numbers that it may say
function conventions.start(name, screen)
  local self = { how = assert(conventions.all[name], name), screen = screen }
  self.model = self.how.model
  local server = self.how.wire and makers_server(self) or chat_server(self)
  self.stop = function() server:stop() end
  return self
end

--- The last picture of a request and its size.
---@param body table
---@return string? base64, integer? width, integer? height
function conventions.picture(body)
  local base64 = last_picture(body)
  if base64 then return base64, png_size(base64) end
end

return conventions
