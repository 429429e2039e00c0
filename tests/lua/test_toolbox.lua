--- Tools as models are offered them, and what becomes of the arguments that models send.
local t = require "harness"
local client = require "deskpilot.model.client"
local configured = require "configured"
local desk_module = require "deskpilot.desk"
local fields = require "deskpilot.agent.fields"
local files = require "deskpilot.base.files"
local lookup = require "deskpilot.base.lookup"
local model_server = require "model_server"
local plugins = require "deskpilot.agent.plugins"
local run_module = require "deskpilot.agent.run"
local schema = require "deskpilot.base.schema"
local spawn = require "spawn"
local toolbox = require "deskpilot.agent.toolbox"

local tests = {}

local function box_with(flags)
  local config = t.ok(configured.resolve { flags = flags })
  local _, tools = configured.settings()
  return t.ok(toolbox.new(tools, config)), config
end

-- A toolbox with one tool more, as a user has written it.
local function box_of(tool, flags)
  local config = t.ok(configured.resolve { flags = flags })
  tool.description, tool.run = tool.description or "d", tool.run or print
  return toolbox.new({ { name = tool.name, plugin = tool } }, config)
end

-- The bytes that a server gets for all tools.
local function sent(box)
  local server = model_server.start { model_server.reply_text "ok" }
  local asked = assert(client.new { endpoint = server.endpoint })
  t.ok(asked:chat { messages = { { role = "user", content = "go" } }, tools = box:definitions(box:names()) })
  t.eq(server:problems(), "")
  server:stop()
  return server.requests[1].body
end

function tests.a_server_gets_the_declared_order()
  local box = box_with()
  local body = sent(box)
  for _, name in ipairs(box:names()) do
    local begins = ('{"type":"function","function":{"name":"%s","description":"'):format(name)
    local at = t.ok(body:find(begins, 1, true), name)
    local properties = body:find('"parameters":{"type":"object","properties":{', at, true)
    local first = body:match('"parameters":{"type":"object","properties":{"(%w+)"', properties)
    t.eq(first, ({ report_completion = "evidence", give_up = "reason" })[name] or "justification", name)
  end
  local function in_order(tool, ...)
    local at = t.ok(body:find(('"name":"%s"'):format(tool), 1, true), tool)
    for _, name in ipairs { ... } do
      local place = body:find(('[{,]"%s":{"type"'):format(name), at)
      t.ok(place, tool .. ": " .. name .. " comes after the one before")
      at = place or at
    end
    t.ok(at < (body:find('"type":"function"', at, true) or #body), "all of one tool")
  end
  in_order("click_element", "justification", "label", "position")
  in_order("drag_element", "justification", "label", "start", "end")
  in_order("browser_type", "justification", "index", "text", "replace")
  in_order("browser_wait", "justification", "text", "url", "seconds")
  in_order("browser_scroll", "justification", "direction", "index")
  t.eq(sent(box_with()), body, "the same bytes for the same tools, though everything was loaded anew")
  t.eq(sent(box), body, "and each time")
end

function tests.what_a_policy_adds_is_in_order_too()
  local box = box_with():with { { name = "zeta", description = "d", parameters = { type = "object",
    required = { "z", "a" }, properties = { a = { type = "string" }, b = { type = "string" }, z = {} } } } }
  t.eq(schema.names(box:get("zeta").parameters), { "z", "a", "b" })
  t.eq(box:validate("zeta", { z = 1, a = "x" }), { z = 1, a = "x" })
end

-- --- justification ---------------------------------------------------------------------------------------------

function tests.every_tool_that_acts_has_to_be_justified()
  local box = box_with()
  for _, name in ipairs(box:names()) do
    local tool = box:get(name)
    if tool.acts ~= false then
      t.eq(tool.parameters.required[1], "justification", name)
      t.fails("invalid", name .. ": justification is missing, which must be a string", box:validate(name, {}))
    end
  end
  t.eq(box:get("browser_read").parameters.required, { "after" }, "it only looks")
  local own = t.ok(box_of { name = "mine", parameters = { properties = { at = { type = "integer" } } } })
  t.eq(schema.names(own:get("mine").parameters), { "justification", "at" })
  t.eq(own:get("mine").parameters.properties.justification.description, fields.justification.description)
  t.fails("invalid", "justification is missing", own:validate("mine", { at = 1 }))
  own = t.ok(box_of { name = "mine", parameters = { properties = { at = {}, justification = { type = "string",
    description = "Own words." } }, required = { "at" } } })
  t.eq(own:get("mine").parameters.required, { "justification", "at" })
  t.eq(own:get("mine").parameters.properties.justification.description, "Own words.")
  own = t.ok(box_of { name = "mine", parameters = {}, acts = false })
  t.eq(own:validate("mine", {}), {})
  t.eq(own:get("mine").parameters.type, "object", "servers want one")
end

function tests.a_justification_may_have_to_be_long()
  local box = box_with { ["tools.min_justification"] = "20" }
  local definition = box:get("press_key").parameters.properties.justification
  t.eq(definition.minLength, 20)
  t.has(definition.description, "At least 20 characters.")
  t.fails("invalid", "press_key: the justification has 7 characters and needs at least 20: say what on the screen "
    .. "shows", box:validate("press_key", { key = "a", justification = "because" .. (" "):rep(40) }))
  t.ok(box:validate("press_key", { key = "a", justification = ("é"):rep(20) }))
  t.ok(box_with():validate("press_key", { key = "a", justification = "because" }))
end

-- --- checked when they are loaded ----------------------------------------------------------------------------------

function tests.a_schema_that_is_wrong_is_told_with_its_file_and_key()
  local folder = spawn.folder()
  lookup.set_roots { project_folder = folder }
  local path = files.join(folder, "deskpilot", "tools", "mine.lua")
  assert(files.make_folder((files.split(path))))
  local function wrong(parameters, part)
    assert(files.write(path, ('return { name = "mine", description = "d", run = print, parameters = %s }')
      :format(parameters)))
    local tool, err = plugins.load("tools", "mine")
    if tool then
      tool, err = toolbox.new({ { name = "mine", plugin = tool } }, t.ok(configured.resolve {}))
    end
    t.fails("invalid", part, tool, err)
    t.has(tostring(err), ("the tool 'mine' (%s) "):format(files.absolute(path)))
  end
  wrong("{ properties = { title = { type = 'string', minLenght = 1 } } }",
    "has parameters that cannot be used: parameters.title: the keyword minLenght is not known; did you mean minLength?")
  wrong("{ properties = { { name = 'title', typ = 'string' } } }", "parameters.title: the keyword typ is not known")
  wrong("{ properties = { { type = 'string' } } }", "parameters: properties[1] has no name")
  wrong("{ required = { 'title' } }", "parameters: title is required but not among the properties")
  wrong("{ type = 'array' }", "has parameters of the type array, but a tool's arguments are an object")
  wrong("5", "has no parameters (a JSON Schema)")
  wrong("function() return { properties = { at = { minimum = 'x' } } } end",
    'parameters.at: minimum is "x", but must be a number')
  wrong("function() return 5 end", "has parameters(config), but that returns no table")
  assert(files.write(path, [[local fields = require "deskpilot.agent.fields"
    return { name = "mine", description = "d", run = print,
      parameters = fields.object { { name = "a", type = "string" }, { type = "number" } } }]]))
  local none, err = plugins.load("tools", "mine")
  t.fails("invalid", "mine.lua:3: properties[2] has no name", none, err)
  lookup.set_roots {}
  files.remove(folder)
end

-- --- arguments that nobody asked for ---------------------------------------------------------------------------------

local click = { justification = "because", label = "OK", position = { 500, 500 } }

local function click_with(more)
  local args = {}
  for key, value in pairs(click) do args[key] = value end
  for key, value in pairs(more) do args[key] = value ~= "none" and value or nil end
  return args
end

function tests.an_argument_too_many_refuses_nothing()
  local box = box_with()
  local args, ignored = box:validate("click_element", click_with { confidence = 0.95, ["think\n"] = "hm" })
  t.eq({ args, ignored }, { click, { "confidence", "think" } })
  t.eq({ box:validate("click_element", click) }, { click, {} })
end

function tests.a_misspelt_name_is_still_told()
  local box = box_with()
  local function refused(part, more)
    local none, err = box:validate("click_element", click_with(more))
    t.fails("invalid", part, none, err)
  end
  refused("click_element: lable is not known (did you mean label?); label is missing, which must be a string",
    { label = "none", lable = "OK" })
  refused("positon is not known (did you mean position?); label is missing, which must be a string",
    { label = "none", position = "none", positon = { 1, 2 } })
  refused("label is missing, which must be a string (not known here: caption)", { label = "none", caption = "OK" })
  t.fails("invalid", "replce is not known (did you mean replace?)", box:validate("browser_type",
    { justification = "j", index = 1, text = "x", replce = false }))
end

-- A run on a desktop that is only imagined; what it has told.
local function run_on(box, config)
  local told = {}
  local function tell(_, event) told[#told + 1] = event end
  local run = run_module.new { mission = {}, config = config, toolbox = box, dir = { path = "/nowhere" },
    desk = assert(desk_module.open { backend = "null", width = 1000, height = 1000 }),
    listeners = { { name = "test", listener = { action_result = tell, note = tell } } } }
  run.observation = { shot = assert(run.desk.screen.shot()) }
  return run, told
end

function tests.the_click_is_done_and_the_rest_recorded()
  local run, told = run_on(box_with())
  local asked = {}
  run.desk.mouse = setmetatable({ click = function(point)
    asked[#asked + 1] = point
    return true
  end }, { __index = run.desk.mouse })
  for _ = 1, 2 do
    local result = run:act { tool = "click_element", args = click_with { confidence = 0.95 } }
    t.eq(result.ok, true, result.text)
  end
  t.eq(#asked, 2)
  local seen = {}
  for i, event in ipairs(told) do seen[i] = { event.event, event.message or event.ignored } end
  t.eq(seen, { { "note", "click_element: left out what the tool does not know: confidence" },
    { "action_result", { "confidence" } }, { "action_result", { "confidence" } } }, "the note comes once")
  t.eq(told[2].args, click)
  local result = run:act { tool = "click_element", args = click_with { lable = "x", label = "none" } }
  t.eq({ result.ok, result.code, #asked }, { false, "invalid", 2 })
  result = run:act { tool = "click_element", why = "the caller says so", args = click_with { justification = "none" } }
  t.eq({ result.ok, told[#told].args.justification }, { true, "the caller says so" })
  t.eq(run:check { tool = "browser_read", args = { after = "x" }, why = "y" }, { after = "x", justification = "y" })
  t.eq(run:check { tool = "report_completion", args = { evidence = "x" }, why = "y" }, { evidence = "x" })
  run.desk:close()
end

return tests
