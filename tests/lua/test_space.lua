-- The spaces of models' positions: there and back, in what is sent and in what is answered.
local t = require "harness"
local json = require "deskpilot.base.json"
local picture_size = require "deskpilot.model.picture_size"
local profile = require "deskpilot.model.profile"
local space = require "deskpilot.model.space"
local targets = require "deskpilot.agent.targets"

local tests = {}

local function of(kind, width, height, more)
  local wanted = { space = { kind = kind }, order = "xy", box_order = "xyxy" }
  for key, value in pairs(more or {}) do
    if wanted[key] then wanted[key] = value else wanted.space[key] = value end
  end
  return space.of(wanted, width or 1000, height or 500)
end

-- Sizes that were worked out by hand from the rule as it is published for Qwen2.5-VL.
function tests.the_resize_rule_is_the_published_one()
  local qwen = { factor = 28, min_pixels = 3136, max_pixels = 12845056 }
  local function resized(width, height, rule) return { picture_size.resized(width, height, rule or qwen) } end
  t.eq(resized(1920, 1080), { 1932, 1092 })
  t.eq(resized(1536, 864), { 1540, 868 })
  t.eq(resized(1092, 1092), { 1092, 1092 })
  t.eq(resized(20, 20), { 56, 56 }, "an area below the least one is enlarged")
  t.eq(resized(14, 2800), { 28, 2800 }, "half of the factor is rounded to the even multiple, but never to nothing")
  t.eq(resized(42, 2800), { 56, 2800 })
  t.eq(resized(70, 2800), { 56, 2800 }, "2.5 is rounded to 2")
  t.eq(resized(1920, 1080, { factor = 28, min_pixels = 3136, max_pixels = 1003520 }), { 1316, 728 })
  t.eq(resized(3840, 2160, { factor = 32, min_pixels = 65536, max_pixels = 16777216 }), { 3840, 2176 })
end

-- What the pictures of a model are made smaller to, so that its server does not do so.
function tests.pictures_have_the_size_that_is_wanted()
  local function of_screen(name, width, height, most)
    local wanted = t.ok(profile.load(name)).picture
    return { picture_size.of(wanted, most or { width = wanted.width or 1536, height = wanted.height or 864 }, width,
      height) }
  end
  t.eq(of_screen("default", 1920, 1080), { 1536, 864 })
  t.eq(of_screen("default", 800, 600), { 800, 600 }, "nothing is enlarged")
  t.eq(of_screen("qwen2_5_vl", 1920, 1080), { 1540, 868 })
  t.eq(of_screen("qwen2_5_vl", 1920, 1080, { width = 1536, height = 864, is_hard = true }), { 1512, 840 })
  t.eq(of_screen("qwen3_vl", 1280, 800), { 1280, 800 })
  -- The sizes that are published for these pictures.
  t.eq(of_screen("claude", 1920, 1080), { 1456, 819 })
  t.eq(of_screen("claude", 1075, 1520), { 924, 1307 })
  t.eq(of_screen("claude", 800, 600), { 800, 600 })
  t.eq(of_screen("claude_5", 1920, 1080), { 1288, 725 })
end

function tests.points_are_read_in_each_space()
  local pixels, thousand = of("pixels"), of("scaled", nil, nil, { max = 1000 })
  t.eq(thousand:read { 512, 300 }, { 512, 300 })
  t.eq(thousand:read { 512.5, 300 }, { 512.5, 300 })
  t.eq(pixels:read { 512, 300 }, { 512, 600 })
  t.eq(pixels:read { 1, 1 }, { 1, 2 })
  t.eq(of("scaled", nil, nil, { max = 999 }):read { 999, 333 }, { 1000, 333.333 })
  t.eq(of("scaled", nil, nil, { max = 1 }):read { 0.25, 0.333 }, { 250, 333 })
  t.eq(of("resized", 1000, 500, { factor = 28, min_pixels = 3136, max_pixels = 12845056 }):read { 504, 252 },
    { 500, 500 }, "1008 x 504")
  t.eq(of("display", 1000, 500, { width = 2000, height = 1000 }):read { 1000, 250 }, { 500, 250 })
  t.eq(of("display"):read { 500, 250 }, { 500, 500 }, "the picture's size is declared where none is said")
  local kimi = of("pixels", nil, nil, { fractions = true })
  t.eq({ kimi:read { 0.5, 0.25 }, kimi:read { 500, 125 }, kimi:read { 0, 1 } },
    { { 500, 250 }, { 500, 250 }, { 0, 1000 } })
end

function tests.whatever_stands_for_a_point_is_one()
  local s = of "pixels"
  local point = { 500, 500 }
  for _, written in ipairs { { 500, 250 }, { { 500, 250 } }, { { { 500, 250 } } }, { 400, 200, 600, 300 },
    { { 400, 200, 600, 300 } }, { { 400, 200 }, { 600, 300 } }, { 400, 200, 600, 200, 600, 300, 400, 300 },
    { 500, 250, 3 }, { 400, 200, 600, 300, 0 }, { x = 500, y = 250 }, { { x = 500, y = 250 } }, "500, 250",
    "(500,250)", "<point>500 250</point>", "[500, 250]", "(400,200),(600,300)", { "500", "250" },
    { bad = 1, 500, 250 } } do
    t.eq(s:read(written), point)
  end
  for _, written in ipairs { {}, { 1 }, "", "nowhere", true, 5, { 0 / 0, 1 }, { math.huge, 1 }, json.null,
    { {}, {} }, ("9 "):rep(1000), { ("9 "):rep(12) } } do
    t.eq({ s:read(written) }, {}, "no place, and nothing is said: the schema says it")
  end
end

function tests.y_may_come_first()
  local gemini = of("scaled", 1000, 500, { max = 1000, box_order = "yxyx" })
  t.eq(gemini:read { 100, 900 }, { 100, 900 }, "only boxes have y first")
  t.eq(gemini:read { 100, 200, 300, 400 }, { 300, 200 })
  t.eq(gemini:read_box { 100, 200, 300, 400 }, { 200, 100, 400, 300 })
  local both = of("pixels", 1000, 500, { order = "yx", box_order = "yxyx" })
  t.eq(both:read { 100, 900 }, { 900, 200 })
  t.eq(both:read { x = 100, y = 400 }, { 100, 800 }, "names say which is which")
  t.eq(both:show { 900, 200 }, "[100, 900]")
  t.eq(both:show { 200, 100, 400, 300 }, "[50, 200, 150, 400]")
end

-- A server may pad a picture at its right and lower edge. What a model sees there is not on the screen.
function tests.what_is_outside_is_not_the_screen()
  local s = of "pixels"
  t.eq({ s:read { 1000, 500 } }, { { 1000, 1000 } }, "the edge is the last pixel")
  t.eq({ s:read { 1001, 500 } }, { { 1000, 1000 } })
  local none, why = s:read { 1002, 500 }
  t.eq(none, nil)
  t.has(why, "x is 1002, but must be between 0 and 1000")
  t.has(select(2, s:read { 5, -1 }), "y is -1")
  local calls = { { name = "click_element", args = { label = "x", position = { 1020, 80 } } } }
  s:calls(calls, function() return { properties = { position = targets.position("position", "It") } } end)
  t.eq(calls[1].args, nil)
  t.eq(calls[1].error, "click_element: position: x is 1020, but must be between 0 and 1000 (positions are in pixels of "
    .. "the screenshot, 0 to 999 from the left and 0 to 499 from the top)")
end

-- Every whole place of a screen is found again to the nearest step of the space.
function tests.what_is_shown_leads_back()
  for name, s in pairs { pixels = of("pixels", 1536, 864), thousand = of("scaled", 1, 1, { max = 1000 }),
    nines = of("scaled", 1, 1, { max = 999 }), one = of("scaled", 1, 1, { max = 1 }),
    swapped = of("pixels", 1000, 700, { order = "yx" }) } do
    for x = 0, 1000, 7 do
      local shown = s:show { x, 1000 - x }
      local back = t.ok(s:read(json.decode(shown)))
      local step = math.max(500 / math.min(s.across, s.down), s.across == 1 and 0.1 or 0)
      -- The last pixel of a picture is one step before its edge.
      t.ok(math.abs(back[1] - x) <= step * (x == 1000 and 2 or 1) + 1e-3, ("%s: %s for %d"):format(name, shown, x))
      t.ok(math.abs(back[2] - 1000 + x) <= step * (x == 0 and 2 or 1) + 1e-3, ("%s: %s for %d"):format(name, shown, x))
    end
  end
end

function tests.schemas_tell_of_the_space()
  local definition = { type = "object", format = "call", properties = { position = targets.position("position", "Here"),
    part = targets.box("part", "The part"), mine = { type = "array", format = "position", description = "Mine." },
    when = { type = "string", format = "date" } } }
  local sent = space.canonical:schema(definition)
  t.eq(sent.properties.position.description, "Here as [x, y], 0 to 1000 from the left and from the top of the "
    .. "screenshot.")
  t.eq(sent.properties.position.items.maximum, 1000)
  t.eq({ sent.format, sent.properties.position.format, sent.properties.when.format }, { nil, nil, "date" })
  t.eq(definition.properties.position.format, "position", "the definition stays as it is")
  sent = of("pixels", 1000, 500, { order = "yx" }):schema(definition)
  t.eq(sent.properties.position.description, "Here as [y, x], in pixels of the screenshot, 0 to 499 from the top and "
    .. "0 to 999 from the left.")
  t.eq(sent.properties.position.items.maximum, 1000)
  t.eq(sent.properties.mine.description, "Mine. As [y, x], in pixels of the screenshot, 0 to 499 from the top and 0 to "
    .. "999 from the left.")
  t.has(sent.properties.part.description, "[left, top, right, bottom], in pixels of the screenshot")
end

function tests.calls_inside_of_calls_are_converted()
  local click = { properties = { position = targets.position("position", "It"), label = { type = "string" } } }
  local action = { format = "call", properties = { tool = { type = "string" }, args = { type = "object" } } }
  local known = { click = click, plan = { properties = { actions = { items = action } } }, correct = action,
    drag = { properties = { start = targets.position("start", "A"), ["end"] = targets.position("end", "B") } } }
  local args = { actions = { { tool = "click", args = { position = { 500, 250 } } },
    { tool = "drag", args = { start = { 0, 0 }, ["end"] = { 400, 200, 600, 300 } } },
    { tool = "other", args = { 1 } } } }
  local calls = { { name = "plan", args = args }, { name = "correct", args = { tool = "click",
    args = { position = { 100, 100 }, label = "x" } } }, { name = "unknown", args = { position = { 1, 1 } } },
    { name = "click", error = "cannot be read" } }
  of("pixels"):calls(calls, function(name) return known[name] end)
  t.eq(calls[1].args, { actions = { { tool = "click", args = { position = { 500, 500 } } },
    { tool = "drag", args = { start = { 0, 0 }, ["end"] = { 500, 500 } } }, { tool = "other", args = { 1 } } } })
  t.eq(calls[1].said, args)
  t.eq(args.actions[1].args.position, { 500, 250 }, "what the model said stays as it was")
  t.eq(calls[2].args, { tool = "click", args = { position = { 100, 200 }, label = "x" } })
  t.eq(calls[3].args, { position = { 1, 1 } })
  calls = { { name = "plan", args = { actions = { { tool = "click", args = { position = { 2000, 10 } } } } } } }
  of("pixels"):calls(calls, function(name) return known[name] end)
  t.has(calls[1].error, "plan: actions: 1: args: position: x is 2000")
end

-- What a run has recorded is read in the space that it had then; an old run has none.
function tests.a_recorded_space_is_the_same()
  local s = of("pixels", 1540, 868, { order = "yx" })
  local again = space.recorded(json.decode(json.encode(s:record())))
  t.eq(again:key(), s:key())
  t.eq(again:read { 434, 770 }, { 500, 500 })
  for _, record in ipairs { false, {}, { across = "x", down = 1 }, { across = 0, down = 0 } } do
    t.eq(space.recorded(record):is_canonical(), true)
  end
end

function tests.prompts_are_filled()
  t.eq(space.canonical:fill "{{positions}} {{space}} {{other}}",
    "[x, y]. x goes from 0 (left edge of the screenshot) to 1000 (right edge), y from 0 (top) to 1000 (bottom). "
    .. "0..1000 {{other}}")
  t.eq(of("pixels", 1512, 840):fill "{{point}} in {{space}}", "[x, y] in pixels of the 1512x840 screenshot")
  t.has(of("pixels", 1512, 840):fill "{{positions}}", "to 1511 (right edge), y from 0 (top) to 839 (bottom), in its "
    .. "pixels.")
end

return tests
