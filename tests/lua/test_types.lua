--- The types that editors, help() and the prompt's completion read.
local t = require "harness"
local annotations = require "deskpilot.cli.annotations"
local files = require "deskpilot.base.files"
local made = require "deskpilot.cli.made"
local reference = require "deskpilot.cli.reference"
local shipped = require "native.shipped"
local text = require "deskpilot.base.text"
local types = require "deskpilot.cli.types"

local tests = {}

function tests.the_types_in_the_checkout_are_those_of_the_comments()
  for folder, texts in pairs(assert(made.texts("."))) do
    if folder:find("^lua/") then
      t.eq(files.list(folder), text.keys(texts), "the files of " .. folder .. ": run ./dev docs")
      for name, words in pairs(texts) do
        local path = folder .. "/" .. name
        t.ok(files.read(path) == words, path .. " is stale: run ./dev docs")
        t.ok(shipped.read((path:gsub("^lua/", ""))) == words, path .. " does not ship as it is: build again")
      end
    end
  end
end

-- The live modules of C by their names, and the tables of methods by the names of their userdata.
local function live()
  local modules, classes = {}, {}
  for name in pairs(package.preload) do
    if name:find("^native%.") then modules[name] = require(name) end
  end
  for name, metatable in pairs(debug.getregistry()) do
    if type(name) == "string" and name:find("^native%.%u") and next(metatable.__index) then
      classes[name] = metatable.__index
    end
  end
  return modules, classes
end

local function stub_names(pattern)
  local names = {}
  for _, name in ipairs(types.names()) do
    if name:find(pattern) then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

-- What a stub and a live table have not in common, and what is said of no function.
local function compare(name, there, wrong)
  local members = types.class(name).members
  for key, value in pairs(there) do
    local member = members[key]
    if not member then wrong[#wrong + 1] = ("%s.%s has no stub"):format(name, key)
    elseif (member.kind == "field") == (type(value) == "function") then
      wrong[#wrong + 1] = ("%s.%s is a %s, but its stub is a %s"):format(name, key, type(value), member.kind)
    elseif member.kind ~= "field" and member.text == "" then
      wrong[#wrong + 1] = ("%s.%s has no words above it"):format(name, key)
    end
  end
  for key in pairs(members) do
    if there[key] == nil then wrong[#wrong + 1] = ("%s.%s has a stub and is not there"):format(name, key) end
  end
end

function tests.each_live_binding_has_its_stub_and_no_other()
  local modules, classes = live()
  t.eq(stub_names("^native%.%l"), text.keys(modules), "modules")
  t.eq(stub_names("^native%.%u"), text.keys(classes), "userdata")
  local wrong = {}
  for name, module in pairs(modules) do compare(name, module, wrong) end
  for name, methods in pairs(classes) do compare(name, methods, wrong) end
  table.sort(wrong)
  t.eq(table.concat(wrong, "\n"), "")
  t.ok(text.keys(modules)[8], "there are eight modules or more")
end

function tests.a_stub_is_never_required_by_accident()
  for _, name in ipairs { "types.native.desk", "types.native.desk.d", "types/native/desk.d", "native.desk.d" } do
    t.raises("not found", function() require(name) end)
  end
  t.eq(type(require("native.desk").combo), "function")
end

-- From a mission's own table, as an editor goes: to what its functions are given, and on from field to field.
local function class_at(steps)
  local class = types.parameter(types.members("deskpilot.mission").run.type)
  for _, step in ipairs(steps) do
    local member = class and types.members(class)[step]
    class = member and types.named(member.type)
    t.ok(class, "no class is known at " .. step .. " of m." .. table.concat(steps, "."))
  end
  return class
end

function tests.a_mission_leads_to_every_function_of_the_desk()
  t.eq(class_at {}, "deskpilot.mission_run")
  t.eq(class_at { "desk" }, "deskpilot.mission_desk")
  t.eq(class_at { "desk", "try" }, "deskpilot.desk")
  local desk = assert(require("deskpilot.desk").open { backend = "null", width = 640, height = 480 })
  local parts, wrong, internal = 0, {}, reference.internal
  for name, part in pairs(desk) do
    local is_part = type(part) == "table" and type((select(2, next(part)))) == "function" and not internal[name]
    if is_part then
      parts = parts + 1
      local members = types.members(class_at { "desk", name })
      for key, fn in pairs(part) do
        local member = members[key]
        if not member or member.text == "" then
          wrong[#wrong + 1] = ("desk.%s.%s is not described"):format(name, key)
        end
        if member and types.of_function(fn) ~= member then
          wrong[#wrong + 1] = ("desk.%s.%s is described elsewhere"):format(name, key)
        end
      end
      for key in pairs(members) do
        if part[key] == nil then wrong[#wrong + 1] = ("desk.%s.%s is not there"):format(name, key) end
      end
      t.ok(types.members("deskpilot.desk")[name].text ~= "", "m.desk." .. name .. " has no words")
    end
  end
  local members = types.members("deskpilot.desk")
  for key, fn in pairs(desk) do
    if type(fn) == "function" and not (members[key] and members[key].text ~= "") then
      wrong[#wrong + 1] = ("desk.%s is not described"):format(key)
    end
  end
  desk:close()
  t.eq(table.concat(wrong, "\n"), "")
  t.eq(parts, 11, "the parts of a desk")
  local click = types.members(class_at { "desk", "mouse" }).click
  t.eq(click.params, { "target", "how" })
  t.has(click.text, "Clicks at a point")
  t.eq(types.members(types.named(click.doc.params[2].type)).interval.type, "number?")
end

function tests.types_are_read_as_an_editor_reads_them()
  t.eq(types.named("deskpilot.shot?"), "deskpilot.shot")
  t.eq(types.named("deskpilot.error|deskpilot.window|nil"), "deskpilot.window")
  t.eq(types.named("deskpilot.target"), "deskpilot.point")
  for _, kind in ipairs { "string", "table", "deskpilot.window[]", "fun(): deskpilot.shot", "deskpilot.nothing",
    "table<string, deskpilot.window>", "deskpilot.error?" } do
    t.eq(types.named(kind), nil, kind)
  end
  t.eq(types.element("deskpilot.window[]?"), "deskpilot.window")
  t.eq(types.element("deskpilot.window"), nil)
  t.eq(types.members("deskpilot.element_now").name.class, "deskpilot.element")
  t.eq(types.members("deskpilot.element_now").x.type, "integer", "its own field before its parent's")
  t.eq(types.members("deskpilot.mission").limits.type, "deskpilot.config.limits?")
  t.has(types.members("deskpilot.config.limits").turns.text, "turns after which a run ends")
  local tool = types.members("deskpilot.tool")
  t.eq(types.parameter(tool.run.type), "deskpilot.tool_context")
  t.eq(types.parameter(tool.check.type), "deskpilot.tool_context")
  t.eq(types.named(types.members("deskpilot.tool_context").desk.type), "deskpilot.desk")
  t.eq(types.parameter(types.members("deskpilot.policy").turn.type), "deskpilot.run")
  t.eq(types.parameter(types.members("deskpilot.guard").action.type), "deskpilot.run")
end

-- The types that a comment names.
local function types_in(doc)
  local kinds = { doc.type }
  table.move(doc.parents or {}, 1, #(doc.parents or {}), #kinds + 1, kinds)
  for _, list in ipairs { doc.params, doc.returns, doc.fields } do
    for _, entry in ipairs(list) do kinds[#kinds + 1] = entry.type end
  end
  return table.concat(kinds, " ")
end

-- Words end a result: what comes after a comma then is no other one, however it looks.
local function hidden_results(doc)
  for _, result in ipairs(doc.returns) do
    if result.text:find(", string%?? ") or result.text:find(", [%w_.|]*deskpilot%.error") then return true end
  end
end

local function unknown_types(source, path, wrong)
  local comment, number = {}, 0
  for line in (source .. "\n"):gmatch("(.-)\r?\n") do
    number = number + 1
    local words = line:match("^%s*%-%-%-%s?(.*)$")
    if words then
      comment[#comment + 1] = words:gsub("^@type ", "@return ")
    elseif #comment > 0 then
      local doc = annotations.parse(comment)
      if hidden_results(doc) then wrong[#wrong + 1] = ("%s:%d: a result stands behind words"):format(path, number) end
      for name in types_in(doc):gmatch("[%a_][%w_]*%.[%w_.]+") do
        if not types.class(name) and not types.alias(name) then
          wrong[#wrong + 1] = ("%s:%d: there is no type %s"):format(path, number, name)
        end
      end
      comment = {}
    end
  end
end

function tests.every_type_that_is_named_is_there()
  local wrong = {}
  for _, path in ipairs(shipped.list("")) do
    if path:find("%.lua$") then unknown_types(shipped.read(path), path, wrong) end
  end
  t.eq(table.concat(wrong, "\n"), "")
  unknown_types("---@param a deskpilot.nonsense?\nlocal x", "here", wrong)
  unknown_types("---@return string? path absolute, deskpilot.error? err\nlocal x", "here", wrong)
  t.eq(wrong, { "here:2: there is no type deskpilot.nonsense", "here:2: a result stands behind words" })
end

return tests
