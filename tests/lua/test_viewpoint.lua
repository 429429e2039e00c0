-- What a model is shown and how it is told of places, by its profile: in runs whose models are functions, which read
-- what they are sent.
local t = require "harness"
local files = require "deskpilot.base.files"
local history = require "deskpilot.agent.history"
local json = require "deskpilot.base.json"
local client = require "deskpilot.model.client"
local null_run = require "null_run"
local profiles = require "deskpilot.model.profile"
local space = require "deskpilot.model.space"
local viewpoint = require "deskpilot.agent.viewpoint"

local tests = {}

-- A model with that profile, which answers with what `answer` gives for a request.
local function model(name, answer)
  local chat = require "deskpilot.model.wires.chat"
  return { name = name, endpoint = "none", profile = t.ok(profiles.load(name)), record = function() return {} end,
    chat = function(_, request) return chat.read(answer(request)) end }
end

local function words(request)
  local all = {}
  for _, message in ipairs(request.messages) do
    local content = message.content
    for _, part in ipairs(type(content) == "table" and content or { { text = content } }) do
      all[#all + 1] = part.text
    end
  end
  return table.concat(all, "\n")
end

local function picture(request)
  local found
  for _, message in ipairs(request.messages) do
    for _, part in ipairs(type(message.content) == "table" and message.content or {}) do
      if part.type == "image" then found = part end
    end
  end
  return found
end

local function button(x, y, name)
  return { role = "button", name = name, x = x, y = y, width = 40, height = 20, states = { enabled = true }, pid = 1,
    depth = 0 }
end

-- Plays one turn on a screen of 1920x1080 with one button at its middle.
local function with_run(options, fn)
  local problem
  local run = null_run.play({ task = "x", limits = { turns = 3 } }, { client = options.model,
    screen = options.screen or { width = 1920, height = 1080 }, flags = options.flags, keep = options.keep,
    turn = function(run)
      run.models = options.models
      run.desk.elements.list = function() return { button(940, 530, "Middle") } end
      assert(run:observe())
      local ok, why = xpcall(fn, debug.traceback, run)
      problem = not ok and why or nil
      run:stop("claimed", "done")
    end })
  t.eq(problem, nil)
  return run
end

local function said(request) return { system = "{{positions}}", text = "x", tools = { "click_element" }, acts = true,
  persona = request } end

local function point_at(x, y)
  return null_run.calls { { "click_element", { justification = "x", label = "x", position = { x, y } } } }
end

-- Two personas with models of their own: each is told and answers in its own numbers, of one and the same screen.
function tests.each_persona_has_its_own_picture_and_numbers()
  local briefing = require "deskpilot.agent.briefing"
  local got = {}
  local function listening(name, x, y)
    return model(name, function(request)
      got[name] = { words = words(request), picture = picture(request),
        schema = request.tools and request.tools[1]["function"].parameters.properties.position }
      return point_at(x, y)
    end)
  end
  with_run({ model = listening("qwen3_vl", 500, 500), models = { sees = listening("claude", 728, 409),
    plans = listening("qwen2_5_vl", 770, 434) } }, function(run)
    for _, persona in ipairs { "executor", "sees", "plans" } do
      local request = said(persona)
      request.text = briefing.compose(run, { persona = persona, screen = true })
      local reply = t.ok(run:ask(request))
      local place = reply.calls[1].args.position
      t.ok(math.abs(place[1] - 500) < 0.5 and math.abs(place[2] - 500) < 0.7, persona)
      local result = run:act { tool = "click_element", args = reply.calls[1].args }
      t.eq(result.ok, true, result.text)
      local x, y = run.desk.mouse.position()
      t.ok(math.abs(x - 960) <= 1 and math.abs(y - 540) <= 1, ("%s: %d, %d"):format(persona, x, y))
    end
    t.has(got.qwen3_vl.words, "to 1000 (right edge)")
    t.has(got.qwen3_vl.words, 'centre in 0..1000, states, value):\n[0] button "Middle" [500,500]')
    t.has(got.qwen3_vl.schema.description, "0 to 1000 from the left")
    t.eq({ got.qwen3_vl.picture.width, got.qwen3_vl.picture.height }, { 1536, 864 })
    t.has(got.claude.words, "to 1455 (right edge), y from 0 (top) to 818 (bottom), in its pixels")
    t.has(got.claude.words, 'pixels of the 1456x819 screenshot, states, value):\n[0] button "Middle" [728,410]')
    t.has(got.claude.schema.description, "in pixels of the screenshot, 0 to 1455 from the left and 0 to 818 from")
    t.eq({ got.claude.picture.width, got.claude.picture.height }, { 1456, 819 })
    t.has(got.qwen2_5_vl.words, '[0] button "Middle" [770,434]')
    t.eq({ got.qwen2_5_vl.picture.width, got.qwen2_5_vl.picture.height }, { 1540, 868 })
    t.eq({ run.observation.shot.width, run.observation.shot.height }, { 1540, 868 }, "the largest was taken")
    for _, name in ipairs { "claude", "qwen3_vl" } do
      local path = got[name].picture.path
      t.ok(files.read(files.join(run.dir.path, path)), "the picture that was sent is in the run's folder")
    end
    t.eq(viewpoint.picture(run, "plans", run.observation), run.observation, "no second one of the same size")
  end)
end

-- What is configured goes before what a profile wants.
function tests.a_configured_size_counts()
  local sent
  local function listening(name)
    return model(name, function(request) sent = picture(request) return point_at(1, 1) end)
  end
  for _, case in ipairs { { "claude", { ["screen.image_width"] = 1000 }, 1000, 563, "image/png" },
    { "qwen2_5_vl", { ["screen.image_width"] = 1000 }, 980, 560, "image/png" },
    { "yutori", {}, 1280, 720, "image/png" },
    { "default", { ["screen.image_format"] = "jpeg" }, 1536, 864, "image/jpeg" } } do
    with_run({ model = listening(case[1]), flags = case[2] }, function(run) t.ok(run:ask(said "executor")) end)
    t.eq({ sent.width, sent.height, sent.mime }, { case[3], case[4], case[5] }, case[1])
  end
end

-- A picture that is made smaller to fit into a number of bytes is what positions are points of, in all that is said.
function tests.a_smaller_picture_has_smaller_numbers()
  local briefing = require "deskpilot.agent.briefing"
  for _, name in ipairs { "default", "qwen2_5_vl" } do
    local sent, all
    with_run({ model = model(name, function(request)
      sent, all = picture(request), words(request)
      return point_at(sent.width / 4, sent.height / 2)
    end), flags = { ["screen.image_max_bytes"] = 6000 } }, function(run)
      local request = said "executor"
      request.text = briefing.compose(run, { persona = "executor", screen = true })
      local place = t.ok(run:ask(request)).calls[1].args.position
      if name == "default" then t.eq(place, { 250, 500 }) end -- the other one is resized once more
      t.ok(sent.width < 1536, "it is smaller")
      local across, down = all:match "pixels of the (%d+)x(%d+) screenshot"
      t.ok(math.abs(across - sent.width) <= 14 and math.abs(down - sent.height) <= 14, ("%s x %s"):format(across, down))
    end)
  end
end

-- Sentences of ours name places as they were given, in 0..1000; a model reads them in its own numbers.
function tests.the_history_is_told_in_the_models_numbers()
  local kept = history.new(10, 10)
  kept:add_action(1, { tool = "click_element", args = { position = { 500, 250 } }, ok = true,
    text = 'clicked "[500, 250]" at [500, 250], not [1, 2]' })
  kept:add_action(2, { tool = "plan", args = { actions = { { tool = "drag_element",
    args = { start = { 100, 100.5 } } } } }, ok = false, text = "what lies at [100, 100.5] is gone" })
  kept:add_action(3, { tool = "look_closely", args = { region = { 0, 0, 500, 500 } }, ok = true,
    text = "the region [0, 0, 500, 500]" })
  local pixels = space.of(t.ok(profiles.load "default"), 1536, 864)
  t.has(kept:render(), 'at [500, 250], not [1, 2]')
  local told = kept:render(pixels)
  t.has(told, "at [768, 216], not [1, 2]")
  t.has(told, "what lies at [154, 87] is gone")
  t.has(told, "the region [0, 0, 768, 432]")
end

-- What a model has looked up is shown to it again as it called it, and the sentence about it in its numbers.
function tests.look_ups_stay_in_the_models_numbers()
  local requests = {}
  with_run({ model = model("default", function(request)
    requests[#requests + 1] = request
    if #requests == 1 then return null_run.calls { { "look_closely", { region = { 0, 0, 768, 432 } } } } end
    return point_at(768, 432)
  end) }, function(run)
    local request = said "executor"
    request.tools = { "click_element", "look_closely" }
    local reply = t.ok(run:ask(request))
    t.eq(reply.calls[1].args.position, { 500, 500 })
  end)
  local round = requests[2].messages
  local call, result
  for _, message in ipairs(round) do
    call = message.tool_calls and message.tool_calls[1] or call
    if message.role == "tool" then result = message.content end
  end
  t.eq(json.decode(call["function"].arguments), { region = { 0, 0, 768, 432 } })
  if type(result) == "table" then result = result[1].text end
  t.has(result, "the region [0, 0, 768, 432] of the screenshot, 960x540 pixels")
end

-- Plans and corrections name tools inside of their own arguments: what these point at is converted too, and what is
-- told of the tools in words is in the model's numbers.
function tests.plans_and_corrections_are_converted()
  local plan = require "deskpilot.policies.odev.plan"
  local asked
  local args = { label = "x", position = { 768, 432 } }
  local answers = { plan = { rationale = "x", actions = { { tool = "click_element", args = args },
    { tool = "drag_element", args = { label = "x", start = { 0, 0 }, ["end"] = { 1536, 864 } } } }, anchor = {},
    success_indicators = {} }, correct = { rationale = "x", tool = "click_element", args = args } }
  with_run({ model = model("default", function(request)
    asked = request
    local name = request.tools[1]["function"].name
    return null_run.calls { { name, answers[name] } }
  end) }, function(run)
    for _, definition in ipairs { plan.definition(run.config), plan.correction } do
      local reply = t.ok(run:ask { system = plan.describe_tools(run), text = "x", tools = { definition.name },
        acts = true, toolbox = run.toolbox:with { definition } })
      local got = reply.calls[1].args
      local first = got.actions and got.actions[1] or got
      t.eq({ first.tool, first.args.position }, { "click_element", { 500, 500 } })
      if got.actions then t.eq(got.actions[2].args, { label = "x", start = { 0, 0 }, ["end"] = { 1000, 1000 } }) end
      t.has(words(asked), "position?: array [x, y] in pixels of the 1536x864 screenshot")
      t.eq(json.encode(asked.tools):find('"format"', 1, true), nil, "formats of ours are not sent")
    end
  end)
end

-- A place outside of the picture is no call, and the sentence about it has the model's numbers.
function tests.a_place_outside_is_told_to_the_model()
  with_run({ model = model("default", function() return point_at(1700, 10) end) }, function(run)
    local reply = t.ok(run:ask(said "executor"))
    t.eq(reply.calls[1].args, nil)
    t.has(reply.calls[1].error, "x is 1700, but must be between 0 and 1536 (positions are in pixels of the screenshot, "
      .. "0 to 1535 from the left and 0 to 863 from the top)")
  end)
end

-- A run's answers are read again in the space that they were given in; those of an old run, which has recorded none, in
-- 0..1000.
function tests.a_replay_knows_the_space()
  local model_server = require "model_server"
  local server = model_server.start { model_server.reply_tool("click_element", { justification = "x", label = "x",
    position = { 770, 434 } }) }
  local asked = t.ok(client.new { endpoint = server.endpoint, model = "qwen2.5-vl-7b", retries = 0 })
  local first = with_run({ model = asked, keep = true }, function(run)
    t.eq(t.ok(run:ask(said "executor")).calls[1].args.position, { 500, 500 })
  end)
  server:stop()
  local folder = first.dir.path
  local function again(wanted)
    local replayed = t.ok(client.new { model = "replay:" .. folder })
    with_run({ model = replayed }, function(run)
      local reply = t.ok(run:ask(said "executor"))
      t.eq(reply.calls[1].args.position, wanted)
    end)
  end
  again { 500, 500 }
  local path = files.join(folder, "requests")
  for _, name in ipairs(files.list(path)) do
    local recorded = json.decode(files.read(files.join(path, name)))
    if recorded.messages then
      t.eq({ recorded.space.kind, recorded.space.across, recorded.space.down }, { "resized", 1540, 868 })
      recorded.space = nil
      assert(files.write(files.join(path, name), json.encode(recorded)))
    end
  end
  again { 770, 434 }
  files.remove((files.split((files.split(folder)))))
end

return tests
