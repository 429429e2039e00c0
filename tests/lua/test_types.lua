--- The types that editors, help() and the prompt's completion read.
local t = require "harness"
local files = require "deskpilot.base.files"
local reference = require "deskpilot.cli.reference"
local shipped = require "native.shipped"
local text = require "deskpilot.base.text"
local types = require "deskpilot.cli.types"

local tests = {}

function tests.the_types_in_the_checkout_are_those_of_the_comments()
  local made = assert(reference.made("."))
  for folder, texts in pairs(made) do
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

return tests
