-- `deskpilot calibrate`: servers that point as the families of models do, each by arithmetic of its own, are found out
-- without being told which they are; and servers that lack something are named for it.
local t = require "harness"
local calibration = require "deskpilot.model.calibration"
local conventions = require "conventions"
local client = require "deskpilot.model.client"
local data = require "deskpilot.base.data"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local pictures = require "deskpilot.model.calibration.pictures"
local profiles = require "deskpilot.model.profile"
local spaces = require "deskpilot.model.space"
local spawn = require "spawn"

local tests = {}

-- --- servers that point ---------------------------------------------------------------------------------------

-- What was drawn, by the size of the picture: a server knows where everything is, and the program asks.
local drawn = {}
local draw = pictures.draw
pictures.draw = function(...)
  local picture = draw(...)
  table.insert(drawn, 1, picture)
  return picture
end

-- The size of a PNG file is in its header.
local function png_size(base64)
  local bytes = require "native.image".from_base64(base64)
  return string.unpack(">I4I4", bytes, 17)
end

local function parts_of(request)
  local words, image = "", nil
  for _, part in ipairs(request.messages[2].content) do
    if part.type == "text" then words = words .. part.text end
    if part.type == "image_url" then image = part.image_url.url:match "base64,(.*)" end
  end
  return words, image
end

local function colour_of(base64)
  local image = assert(require "native.image".load((require "native.image".from_base64(base64))))
  local red, green, blue = image:pixel(10, 10)
  if red > green and red > blue then return "red" end
  return green > blue and "green" or "blue"
end

local function target_of(words, width, height)
  for _, picture in ipairs(drawn) do
    for _, target in ipairs(picture.width == width and picture.height == height and picture.targets or {}) do
      if words:find(target.name, 1, true) then return target end
    end
  end
end

-- Rounds as Python does, which the published rule is written in.
local function round(value)
  local down = math.floor(value)
  if value - down == 0.5 then return down % 2 == 0 and down or down + 1 end
  return math.floor(value + 0.5)
end

local function smart(width, height, factor, least, most)
  local w, h = math.max(factor, round(width / factor) * factor), math.max(factor, round(height / factor) * factor)
  if w * h > most then
    local beta = math.sqrt(width * height / most)
    w, h = math.floor(width / beta / factor) * factor, math.floor(height / beta / factor) * factor
  elseif w * h < least then
    local beta = math.sqrt(least / (width * height))
    w, h = math.ceil(width * beta / factor) * factor, math.ceil(height * beta / factor) * factor
  end
  return w, h
end

local function scaled(most)
  return function(x, y, width, height) return round(x / width * most), round(y / height * most) end
end

local function resized(factor, least, most)
  return function(x, y, width, height)
    local w, h = smart(width, height, factor, least, most)
    return round(x / width * w), round(y / height * h)
  end
end

local function click(args)
  return model_server.reply_tool("click", args)
end

-- A server that points by `convention`, and says what it points at by `say`.
local function server_of(convention, say, more)
  more = more or {}
  return model_server.start(function(request)
    local words, image = parts_of(request)
    if words:find("the word: yes", 1, true) then return model_server.reply_text "Yes." end
    if words:find("Greet me", 1, true) then
      return request.tool_choice == "required" and click { word = "Hi" } or model_server.reply_text "Hi"
    end
    if words:find("Which colour", 1, true) then
      return model_server.reply_text(more.blind and "red" or colour_of(image))
    end
    local width, height = png_size(image)
    local target = target_of(words, width, height)
    local x, y = convention(target.x, target.y, width, height)
    return say(x, y)
  end)
end

local function ask(server, options)
  local asking = assert(client.new { endpoint = server.endpoint, model = "nobody-knows-it", retries = 0 })
  options = options or {}
  options.open = function(changes)
    return client.new { endpoint = server.endpoint, model = "nobody-knows-it", retries = 0, stream = changes.stream }
  end
  return calibration.ask(asking, options)
end

local function in_call(x, y) return click { position = { x, y } } end
local function y_first(x, y) return click { position = { y, x } } end
local function box_in_text(x, y)
  return model_server.reply_text(json.encode { { bbox_2d = { x - 8, y - 6, x + 8, y + 6 }, label = "it" } })
end
local function yx_box(x, y) return click { position = { y - 5, x - 9, y + 5, x + 9 } } end
local function parenthesised(x, y) return model_server.reply_text(("(%g,%g)"):format(x, y)) end

local pixels = function(x, y) return round(x), round(y) end
local thousand = { kind = "scaled", max = 1000 }

local cases = {
  thousandths = { scaled(1000), in_call, thousand },
  thousandths_to_999 = { scaled(999), in_call, { kind = "scaled", max = 999 } },
  fractions = { function(x, y, w, h) return round(x / w * 1e4) / 1e4, round(y / h * 1e4) / 1e4 end, in_call,
    { kind = "scaled", max = 1 } },
  pixels = { pixels, in_call, { kind = "pixels" } },
  pixels_in_words = { pixels, parenthesised, { kind = "pixels" } },
  y_first = { scaled(1000), y_first, thousand, "yx" },
  boxes_with_y_first = { scaled(999), yx_box, { kind = "scaled", max = 999 }, "xy", "yxyx" },
  boxes_of_a_resized_picture = { resized(28, 3136, 12845056), box_in_text,
    { kind = "resized", factor = 28, min_pixels = 3136, max_pixels = 12845056 } },
  resized_with_a_least_area = { resized(28, 78400, 12845056), in_call,
    { kind = "resized", factor = 28, min_pixels = 78400, max_pixels = 12845056 } },
}

local function check(name, case)
  local server = server_of(case[1], case[2])
  local found = t.ok(ask(server, { seed = #name }))
  server:stop()
  local result = t.ok(found.fit, name .. ": it was given places")
  t.eq({ result.space.kind, result.space.max, result.space.factor, result.space.min_pixels, result.space.max_pixels },
    { case[3].kind, case[3].max, case[3].factor, case[3].min_pixels, case[3].max_pixels }, name)
  t.eq({ result.order, result.box_order }, { case[4] or "xy", case[5] or "xyxy" }, name)
  t.ok(result.residual < 2 and calibration.precision(found) == "exactly", ("%s: %g"):format(name, result.residual))
  t.eq({ found.pictures, found.missed }, { true, 0 }, name)
end

for name, case in pairs(cases) do
  tests["finds_" .. name] = function() check(name, case) end
end

-- Every rule of resizing that ships is told from the others, where pictures of a usual size can tell them.
function tests.finds_every_rule_of_resizing_that_ships()
  for _, one in ipairs(assert(profiles.all())) do
    local rule = one.space
    if rule.kind == "resized" then
      check(one.name, { resized(rule.factor, rule.min_pixels, rule.max_pixels), in_call, rule })
    end
  end
end

-- --- every profile that ships, withheld ------------------------------------------------------------------------

-- All words of a request, in whatever protocol.
local function words_of(body)
  local words = {}
  local function collect(value, depth)
    if depth > 8 then return end
    for key, item in pairs(value) do
      if type(item) == "string" and (key == "text" or key == "content") then words[#words + 1] = item end
      if type(item) == "table" and key ~= "tools" then collect(item, depth + 1) end
    end
  end
  collect(body, 1)
  return table.concat(words, "\n")
end

local function answers()
  local number = 0
  return function(body)
    local words = words_of(body)
    if words:find("the word: yes", 1, true) then return "yes" end
    if words:find("Greet me", 1, true) then return "Hello" end
    local base64, width, height = conventions.picture(body)
    if words:find("Which colour", 1, true) then return colour_of(base64) end
    number = number + 1
    local target = target_of(words, width, height)
    return { act = "click", x = target.x, y = target.y, number = number }
  end
end

-- Of a maker's own computer tool nothing is known where the profile is withheld: the function is called.
local function by_function(how)
  if not how.wire or how.model:find "gemini%-2" then return how end
  local function called(p) return { native = { { "click", { position = { p.x, p.y } } } } } end
  return setmetatable({ says = { click = called } }, { __index = how })
end

local function of_convention(name)
  local server = conventions.start(name)
  server.how, server.wanted = by_function(server.how), answers()
  local asking = assert(client.new { endpoint = server.endpoint, model = "nobody-knows-it", retries = 0,
    api_key = server.key, wire = server.how.wire })
  local found, err = calibration.ask(asking, { seed = #name })
  server.stop()
  t.eq(server.failures, {}, name)
  return t.ok(found, name .. ": " .. tostring(err))
end

function tests.every_profile_is_found_where_it_is_withheld()
  for name, how in pairs(conventions.all) do
    if name ~= "computer_use_preview" then -- it counts pixels of whatever display it is told
      local found = of_convention(name)
      local result = t.ok(found.fit, name .. ": it was given places")
      t.ok(calibration.precision(found) == "exactly", ("%s: %g, %g"):format(name, result.residual, result.wide))
      local one = assert(profiles.load(name))
      t.eq(result.order, one.order, name)
      for _, size in ipairs { { 1000, 600 }, { 650, 940 }, { 300, 200 } } do
        local want = { how.sees(size[1], size[2]) }
        local got = spaces.of({ space = result.space, order = "xy", box_order = "xyxy" }, size[1], size[2])
        t.eq({ got.across, got.down }, want, ("%s, a picture of %dx%d"):format(name, size[1], size[2]))
      end
    end
  end
end

-- --- servers that lack something -------------------------------------------------------------------------------

function tests.a_server_that_drops_pictures_is_found_out()
  local server = server_of(pixels, in_call, { blind = true })
  local found = t.ok(ask(server))
  server:stop()
  t.eq({ found.pictures, found.asked, found.fit }, { false, 0, nil })
  t.eq(calibration.rows(found)[1], { "pictures", "do not reach this model" })
  t.has(calibration.verdict(found), "Pictures do not reach this model")
end

function tests.without_tool_calls_text_is_used()
  local server = server_of(pixels, function(x, y)
    return model_server.reply_text(("It is at [%d, %d]."):format(x, y))
  end)
  local found = t.ok(ask(server))
  server:stop()
  t.eq({ found.tools, found.fit.space.kind }, { "none", "pixels" })
  local rows = {}
  for _, row in ipairs(calibration.rows(found)) do rows[row[1]] = row[2] end
  t.eq(rows.tools, "no tool calls; using text")
end

function tests.a_server_that_refuses_tools_is_asked_without_them()
  local server
  server = model_server.start(function(request)
    if request.tools then
      return { status = 400, body = { error = { message = "this model does not support tools" } } }
    end
    local words, image = parts_of(request)
    if words:find("the word: yes", 1, true) then return model_server.reply_text "yes" end
    if words:find("Which colour", 1, true) then return model_server.reply_text(colour_of(image)) end
    local width, height = png_size(image)
    local target = target_of(words, width, height)
    return model_server.reply_text(json.encode { position = { round(target.x), round(target.y) } })
  end)
  local found = t.ok(ask(server))
  server:stop()
  t.eq({ found.tools, found.fit.space.kind, found.missed }, { "none", "pixels", 0 })
end

function tests.how_far_it_points_beside_things_is_told()
  local turn = 0
  local server = server_of(function(x, y)
    turn = turn + 1
    local angle = turn * 2.4
    return round(x + 60 * math.cos(angle)), round(y + 60 * math.sin(angle))
  end, in_call)
  local found = t.ok(ask(server))
  server:stop()
  t.eq(calibration.precision(found), "badly")
  t.ok(found.fit.pixels > 50 and found.fit.pixels < 70, "60 pixels were taken for " .. found.fit.pixels)
  t.has(calibration.verdict(found), "points badly: let it use elements by their numbers and look_closely")
end

function tests.an_offset_is_told()
  local server = server_of(function(x, y) return round(x + 12), round(y - 7) end, in_call)
  local found = t.ok(ask(server))
  server:stop()
  t.ok(math.abs(found.fit.offset[1] - 12) <= 1 and math.abs(found.fit.offset[2] + 7) <= 1,
    json.encode(found.fit.offset))
end

function tests.no_server_is_an_error_that_says_what_to_do()
  local asking = assert(client.new { endpoint = "http://127.0.0.1:9/v1", model = "m", retries = 0 })
  local found, err = calibration.ask(asking)
  t.eq(found, nil)
  t.has(tostring(err), "no model server answers at http://127.0.0.1:9/v1")
end

-- --- the command -----------------------------------------------------------------------------------------------

function tests.the_command_keeps_the_profile()
  local folder = spawn.folder()
  for i, size in ipairs(calibration.sizes) do pictures.draw(size[1], size[2], size[3], i) end -- as the program will
  pictures.draw(900, 700, 2, 5)
  local server = server_of(scaled(1000), in_call)
  local child = spawn.run({ spawn.program, "calibrate", "--endpoint", server.endpoint,
    "--model", "nobody/knows-it:2b" }, { cwd = folder,
    env = { HOME = folder, XDG_CONFIG_HOME = folder .. "/config", APPDATA = folder } })
  server:stop()
  t.eq(child.status, 0, child.stderr)
  t.has(child.stdout, "space          0 to 1000 across and down")
  t.has(child.stdout, "This model points exactly.")
  local path = t.ok(child.stderr:match "kept as ([^\n]+)", child.stderr)
  local kept = assert(data.read(path))
  t.eq({ kept.models, kept.space, kept.order, kept.tools }, { { "nobody/knows-it:2b" }, thousand, "xy", "native" })
  t.ok(profiles.read("it", assert(files.read(path)), path))
  files.remove(folder)
end

function tests.a_profile_is_written_as_it_is_read()
  local value = { about = 'a "b"\nc', models = { "x*" }, space = { kind = "scaled", max = 999 }, order = "xy",
    tool_choice = false, ["end"] = 1, list = {} }
  t.eq(assert(data.parse(data.write(value))), value)
end

return tests
