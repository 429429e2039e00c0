--- `deskpilot check`: planted mistakes are found with their lines, all of a file at once, and nothing else is.
--- A line of a planted file that ends in `--! words` has a mistake whose message has these words; of several, one after
--- the other, each with its own mark.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local source_lines = require "deskpilot.cli.source_lines"
local spawn = require "spawn"

local tests = {}

local planted = {}

planted["missions/keys.lua"] = [[
return {
  taks = "Press OK", --! did you mean "task"?
  task = "Press OK",
  befor_action = function() end, --! did you mean "before_action"?
  polcy = "odev", --! did you mean "policy"?
  limits = { turns = 10, secnds = 5 }, --! did you mean 'limits.seconds'?
  timing = { settle_quiet = "soon" }, --! timing.settle_quiet
  safety = { tools = { alow = {} } }, --! did you mean 'safety.tools.allow'?
  tools = { offer = { "pointin" } }, --! there is no tool "pointin"
  screeen = { image_format = "png" }, --! did you mean 'screen'?
  personas = { tacticain = { temperature = 0.1 } }, --! did you mean "tactician"?
  desktop = { apps = { "mousepad" } }, --! each of desktop.apps is a list
  verify = "it is done", --! verify must be a function
  goals = { "one", { gaol = "two" } }, --! achieve knows no "gaol"
  indicators = { 7 }, --! indicators must be a list of texts
}
]]

planted["missions/goals.lua"] = [[
return {
  task = "Press OK",
  policy = "three_bdy", --! did you mean 'three_body'?
  goals = {
    { goal = "one", tools = { "clik_element" } }, --! did you mean "click_element"?
  },
  strict = "no", --! strict must be a boolean
}
]]

planted["missions/both.lua"] = [[
return {
  task = "Press OK",
  run = function() end, --! task` or `run`, not both
}
]]

planted["missions/neither.lua"] = [[
return { name = "x" } --! a mission needs `task`
]]

planted["missions/syntax.lua"] = [[
return {
  task = "Press OK"
  limits = {}, --! '}' expected
}
]]

planted["missions/raises.lua"] = [[
local desk = require "desk"
local size = desk.screen.size()
local words = nil .. "x" --! attempt to concatenate
return { task = words .. size }
]]

planted["deskpilot/policies/mine.lua"] = [[
local policy = {
  personas = {
    thinker = { temperature = 7 }, --! personas.thinker.temperature
    doer = { temprature = 1 }, --! says personas.doer.temprature
  },
  tools = { "pointing", "clicking" }, --! there is no tool "clicking"
  options = {
    depth = { type = "integr" }, --! types are
    width = { type = "integer", default = "x" }, --! has the default
    height = { type = "integer", mni = 2 }, --! did you mean 'min'?
  },
  transient = { 1 }, --! transient
}
return policy --! must return a table with a function `turn(run)`
]]

planted["deskpilot/policies/old.lua"] = [[
return {
  api = 0, --! is written for api 0 of policies
  turn = function() end,
}
]]

planted["deskpilot/tools/poke.lua"] = [[
return {
  api = "1", --! has api =
  name = "poke",
}
]]

planted["deskpilot/tools/prod.lua"] = [[
return {
  name = "prodd", --! is named "prodd" inside
  description = 5, --! has no description
  group = "a b", --! has group
  timeout = -1, --! has timeout
  touches = true, --! has `touches`
  parameters = { type = "object", properties = {
    x = { type = "intger" }, --! there is no type intger
    y = { type = "string", minLenght = 2 }, --! the keyword minLenght is not known
  }, required = { "z" } }, --! z is required but not among the properties
  run = "no", --! has no run function
}
]]

planted["deskpilot/guards/watch.lua"] = [[
local guard = {}
function guard.run_strat() end --! did you mean 'run_start'?
function guard.actoin() end --! did you mean 'action'?
return guard
]]

planted["deskpilot/guards/nothing.lua"] = [[
error "not yet" --! not yet
]]

planted["deskpilot/apps/thing.lua"] = [[
return {
  name = "", --! name is
  about = "a thing",
  shortcuts = { save = "ctrl+nokey" }, --! shortcuts is
  ready = { roel = "text" }, --! did you mean 'ready.role'?
  timing = { settle_quiet = "x" }, --! timing.settle_quiet is
}
]]

planted["deskpilot/model/profiles/small.lua"] = [[
return {
  about = "a model", models = { "*small*" },
  space = { kind = "scaledd", max = 1000 }, --! space.kind is
  order = "zz", --! order is
  picutre = { width = 100 }, --! did you mean 'picture'?
}
]]

planted["deskpilot/model/profiles/code.lua"] = [[
return {
  about = "a model",
  models = os.getenv "X", --! this file is data
}
]]

planted["deskpilot.lua"] = [[
return {
  policy = "odevv", --! did you mean 'odev'?
  limts = { turns = 5 }, --! did you mean 'limits'?
  limits = { turns = -5 }, --! limits.turns
  model = { endpont = "http://x" }, --! did you mean 'model.endpoint'?
}
]]

planted["deskpilot/prompts/strategist.md"] = "You plan.\n{{tools}}\n{{tolos}} --! did you mean {{tools}}?\n"
  .. "Positions are {{range}}.\n{{orders}} --! nothing fills {{orders}}\n"

local function each_line(source)
  local line, lines = 0, {}
  for words in (source):gmatch "([^\n]*)\n" do
    line = line + 1
    lines[line] = words
  end
  return lines
end

local function checked(list, cwd)
  local child = spawn.run({ spawn.program, "check", "--json", table.unpack(list) }, { cwd = cwd })
  local found = {}
  for line in child.stdout:gmatch "[^\n]+" do
    local one = json.decode(line)
    found[one.file] = found[one.file] or {}
    table.insert(found[one.file], one)
  end
  return found, child
end

function tests.every_planted_mistake_is_found_where_it_is_and_nothing_else()
  local folder, names, count = spawn.folder(), {}, 0
  for name, source in pairs(planted) do
    local path = files.join(folder, name)
    t.ok(files.make_folder((files.split(path))))
    -- Configuration that is wrong would be told of with every other file: its own place is a project of its own.
    if name == "deskpilot.lua" then
      path = files.join(folder, "other", name)
      t.ok(files.make_folder((files.split(path))))
    end
    t.ok(files.write(path, source))
    names[#names + 1] = path
  end
  local found, child = checked(names, folder)
  t.eq(child.status, 1, child.stderr)
  for name, source in pairs(planted) do
    local path = files.join(folder, name == "deskpilot.lua" and "other/deskpilot.lua" or name)
    local told = found[path] or {}
    for line, words in ipairs(each_line(source)) do
      local mark = words:match "%-%-! (.*)$"
      if mark then
        count = count + 1
        local one = table.remove(told, 1) or {}
        t.eq(one.line, line, ("%s:%d should say %s, but says %s"):format(name, line, mark, tostring(one.message)))
        t.has(one.message or "nothing", mark)
      end
    end
    t.eq(#told, 0, name .. " has no more mistakes, but is said to have: " .. tostring((told[1] or {}).message))
  end
  t.ok(count >= 30, "there are at least 30 mistakes, not " .. count)
end

-- What ships is sound, and so is what `new` writes.
function tests.nothing_is_wrong_with_what_is_right()
  local folder, list = spawn.folder(), {}
  for kind, where in pairs { mission = "missions", policy = "deskpilot/policies", tool = "deskpilot/tools",
    guard = "deskpilot/guards", app = "deskpilot/apps", profile = "deskpilot/model/profiles" } do
    local made = spawn.run({ spawn.program, "new", kind, "my_" .. kind }, { cwd = folder })
    t.eq(made.status, 0, made.stderr)
    list[#list + 1] = files.join(folder, where, "my_" .. kind .. ".lua")
  end
  for _, name in ipairs { "missions/calculator.lua", "missions/copy.lua", "prompts/strategist.md", "prompts/planner.md",
    "lua/deskpilot/policies/odev.lua", "lua/deskpilot/policies/manager.lua", "lua/deskpilot/tools/type_text.lua",
    "lua/deskpilot/guards/permissions.lua", "lua/deskpilot/apps/mousepad.lua",
    "lua/deskpilot/model/profiles/claude.lua" } do
    list[#list + 1] = files.absolute(name)
  end
  local _, child = checked(list, folder)
  t.eq(child.stdout, "")
  t.eq(child.status, 0, child.stderr)
end

function tests.lines_of_keys()
  local source = "local p = { a = 1 }\np.options = {\n  a = {},\n  [\"b\"] = 2,\n}\nfunction p.turn() end\n"
    .. "p.list = { { name = \"x\" } }\nreturn p\n"
  t.eq(source_lines.of(source, "a"), 1)
  t.eq(source_lines.of(source, "options.a"), 3)
  t.eq(source_lines.of(source, "options.b"), 4)
  t.eq(source_lines.of(source, "options.c"), 2, "the nearest that is there")
  t.eq(source_lines.of(source, "turn"), 6)
  t.eq(source_lines.of(source, "list.x"), 7)
  t.eq(source_lines.of(source, "nothing"), 8)
end

return tests
