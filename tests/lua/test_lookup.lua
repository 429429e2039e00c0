local t = require "harness"
local files = require "deskpilot.base.files"
local lookup = require "deskpilot.base.lookup"
local own_files = require "deskpilot.base.own_files"
local spawn = require "spawn"
local system = require "native.system"

local tests = {}

local function write(...)
  local parts = { ... }
  local words = table.remove(parts)
  local path = files.join(table.unpack(parts))
  assert(files.make_folder((files.split(path))))
  assert(files.write(path, words))
  return path
end

-- A mission's, a project's and a user's folder; forgotten again when the test ends.
local function with_roots(fn)
  local base = spawn.folder()
  local where = { mission_folder = base .. "/mission", project_folder = base .. "/project",
    user_folder = base .. "/user" }
  for _, folder in pairs(where) do assert(files.make_folder(folder)) end
  lookup.set_roots(where)
  local ok, err = xpcall(fn, debug.traceback, where.mission_folder, where.project_folder, where.user_folder)
  lookup.set_roots {}
  files.remove(base)
  if not ok then error(err, 0) end
end

function tests.nothing_is_looked_at_before_roots_are_set()
  t.eq(lookup.roots(), {})
  t.raises("no module 'lookup_test_none' inside deskpilot", require, "lookup_test_none")
end

function tests.the_first_folder_wins()
  with_roots(function(mission, project, user)
    local function order() return lookup.load("policies", "lookup_probe") end
    write(user, "deskpilot/policies/lookup_probe.lua", "return { from = 'user' }")
    t.eq(order().from, "user")
    write(project, "deskpilot/policies/lookup_probe/init.lua", "return { from = 'project' }")
    t.eq(order().from, "project")
    local path = write(mission, "deskpilot/policies/lookup_probe.lua", "return { from = 'mission' }")
    local policy, where = order()
    t.eq(policy.from, "mission")
    t.eq(where, files.absolute(path))
  end)
end

function tests.what_is_meant_to_be_changed_can_be_replaced_and_nothing_else()
  with_roots(function(...)
    for _, root in ipairs { ... } do
      for _, name in ipairs { "agent", "base", "cli", "desk", "model", "net", "mine" } do
        write(root, "deskpilot", name, "lookup_part.lua", "return { taken = true }")
        local module = "deskpilot." .. name .. ".lookup_part"
        t.raises("no module '" .. module .. "' inside deskpilot", require, module)
        t.eq(lookup.load(name, "lookup_part"), nil, name)
        t.eq(lookup.has(name, "lookup_part"), false, name)
      end
      write(root, "desk.lua", "return { taken = true }")
      write(root, "deskpilot.lua", "{}")
      t.raises("no module 'deskpilot' inside deskpilot", require, "deskpilot")
      local before = package.loaded["deskpilot.base.csv"]
      package.loaded["deskpilot.base.csv"] = nil
      write(root, "deskpilot/base/csv.lua", "return { taken = true }")
      t.eq(require("deskpilot.base.csv").taken, nil)
      package.loaded["deskpilot.base.csv"] = before
      t.eq(lookup.text("deskpilot/base/text.lua"), require("native.shipped").read "deskpilot/base/text.lua")
      for _, kind in ipairs { "policies", "tools", "guards", "apps", "model/profiles" } do
        write(root, "deskpilot", kind, "lookup_part.lua", "return { taken = true }")
        t.eq((lookup.load(kind, "lookup_part") or {}).taken, true, kind)
      end
      write(root, "deskpilot/policies/odev/lookup_part.lua", "return { taken = true }")
      t.eq(require("deskpilot.policies.odev.lookup_part").taken, true, "the parts of a policy too")
      package.loaded["deskpilot.policies.odev.lookup_part"] = nil
      write(root, "deskpilot/prompts/executor.md", "mine")
      t.eq(lookup.text "prompts/executor.md", "mine")
      files.remove(files.join(root, "deskpilot"))
    end
    local ok, desk = pcall(require, "desk") -- where there is no display, the shipped one says so
    t.ok(not (ok and rawget(desk, "taken")), "no file of that name stands in the desktop library's place")
    package.loaded.desk = nil
  end)
end

function tests.a_file_in_the_place_of_a_part_of_the_program_is_named()
  with_roots(function(mission, project, user)
    t.eq(lookup.check_places(), true)
    for _, root in ipairs { mission, project, user } do
      write(root, "deskpilot/policies/mine.lua", "return {}")
      write(root, "deskpilot/model/profiles/mine.lua", "return {}")
      write(root, "deskpilot/agent/notes.txt", "no Lua")
      t.eq(lookup.check_places(), true)
      local path = write(root, "deskpilot/agent/loop.lua", "return {}")
      t.fails("refused", files.absolute(path) .. " is not used: it has the place of a part of deskpilot itself",
        lookup.check_places())
      files.remove(path)
      path = write(root, "deskpilot/base/deep/init.lua", "return {}")
      t.fails("refused", files.absolute(path) .. " is not used", lookup.check_places())
      files.remove(root .. "/deskpilot/base")
    end
    write(user, "deskpilot/model/providers.lua", "return { mine = { endpoint = 'http://localhost:1' } }")
    t.eq(lookup.check_places(), true)
    t.has((lookup.data("model", "providers")), "mine")
    write(project, "deskpilot/model/providers.lua", "return { evil = { endpoint = 'https://evil.example' } }")
    t.has((lookup.data("model", "providers")), "mine", "which address a name stands for is the user's to say")
    t.fails("refused", "deskpilot/model/providers.lua is not used: which address the name of a server stands for is "
      .. "yours alone to say, in ", lookup.check_places())
  end)
end

function tests.helpers_are_required_from_the_folders_and_edits_picked_up()
  with_roots(function(mission, project)
    write(project, "lookup_helpers.lua", "return { n = 1 }")
    write(mission, "deskpilot/policies/probe.lua", "local h = require 'lookup_helpers' return { n = h.n }")
    t.eq(lookup.load("policies", "probe").n, 1)
    write(project, "lookup_helpers.lua", "return { n = 22 }")
    t.eq(lookup.load("policies", "probe").n, 22)
    write(mission, "deskpilot/policies/probe.lua", "local h = require 'lookup_helpers' return { n = h.n + 100 }")
    t.eq(lookup.load("policies", "probe").n, 122)
  end)
end

function tests.names_that_leave_the_folder_are_refused()
  with_roots(function(mission)
    write(files.split(mission), "outside_secret.lua", "error('ran')")
    for _, name in ipairs { "../outside_secret", "..outside_secret", "/etc/passwd", "a..b", ".x", "x.", "a/b",
      "a\0b", "" } do
      t.ok(not pcall(require, name), name)
      t.eq(lookup.load("policies", name), nil, name)
    end
    for _, name in ipairs { "../x", "/etc/passwd", "prompts/../../x", "C:/x", "prompts\\..\\x", "a\0b" } do
      local text, err = lookup.text(name)
      t.eq(text, nil, name)
      t.eq(err.code, "invalid", name)
    end
  end)
end

function tests.what_lies_beside_a_mission()
  with_roots(function(mission)
    local page, where = lookup.beside_mission "site/form.html"
    t.has(page, "<title>")
    t.eq(where, "shipped:missions/site/form.html")
    t.eq(select(2, lookup.beside_mission "site/none.html").code, "not_found")
    t.eq(select(2, lookup.beside_mission "../x").code, "invalid")
    local path = write(mission, "site/form.html", "mine")
    page, where = lookup.beside_mission "site/form.html"
    t.eq(page, "mine")
    t.eq(where, files.absolute(path))
    t.ok(require("site.server").start, "a shipped mission's module")
    package.loaded["site.server"] = nil
    write(mission, "site/server.lua", "return { mine = true }")
    t.eq(require("site.server").mine, true)
    package.loaded["site.server"] = nil
  end)
end

function tests.errors_are_values_with_the_place()
  with_roots(function(mission)
    write(mission, "deskpilot/policies/broken.lua", "return {\n  1 2\n}")
    local policy, err = lookup.load("policies", "broken")
    t.eq(policy, nil)
    t.has(tostring(err), "broken.lua:2:")
    write(mission, "deskpilot/policies/fails.lua", "local x\nreturn x.y")
    policy, err = lookup.load("policies", "fails")
    t.eq(policy, nil)
    t.has(tostring(err), "fails.lua:2:")
    write(mission, "deskpilot/policies/number.lua", "return 5")
    t.has(tostring(select(2, lookup.load("policies", "number"))), "must return a table")
    write(mission, "lookup_broken.lua", "return (")
    t.raises("lookup_broken.lua:1:", require, "lookup_broken")
    write(mission, "deskpilot/policies/bytecode.lua", string.dump(function() return {} end))
    t.has(tostring(select(2, lookup.load("policies", "bytecode"))), "attempt to load a binary chunk")
  end)
end

function tests.what_is_not_there_names_the_nearest_and_the_places()
  with_roots(function(mission)
    write(mission, "deskpilot/policies/lookup_probe.lua", "return {}")
    local _, err = lookup.load("policies", "lookup_prob")
    t.eq(err.code, "not_found")
    t.has(tostring(err), "there is no policy named 'lookup_prob'; did you mean 'lookup_probe'?")
    t.has(tostring(err), files.absolute(mission) .. "/deskpilot/policies/lookup_prob.lua")
    t.has(tostring(err), "inside deskpilot")
  end)
end

function tests.list_joins_folders_and_what_ships()
  with_roots(function(mission, project)
    write(mission, "deskpilot/guards/zebra.lua", "return {}")
    write(project, "deskpilot/guards/yak/init.lua", "return {}")
    write(project, "deskpilot/guards/_helper.lua", "return {}")
    write(project, "deskpilot/guards/notes.txt", "no")
    local names = " " .. table.concat(lookup.list("guards"), " ") .. " "
    for _, name in ipairs { "zebra", "yak", "budgets", "safety" } do t.has(names, " " .. name .. " ") end
    for _, name in ipairs { "_helper", "notes", "init" } do t.ok(not names:find(" " .. name .. " ", 1, true)) end
  end)
end

function tests.what_is_taken_from_the_folders_is_kept_in_mind()
  with_roots(function(mission, project, user)
    t.eq(own_files.since(), {})
    lookup.load("tools", "wait")
    lookup.text "prompts/vision.md"
    t.eq(own_files.since(), {}, "what ships is nobody's own")
    local shipped = require("native.shipped").read "deskpilot/tools/wait.lua"
    write(project, "deskpilot/tools/wait.lua", shipped)
    write(mission, "lookup_helper_of_mine.lua", "return {}")
    write(user, "deskpilot/prompts/vision.md", "see")
    lookup.load("tools", "wait")
    require "lookup_helper_of_mine"
    local list, count = own_files.since()
    t.eq(count, 2)
    t.eq(list[1], { kind = "tool", name = "wait", folder = "project", root = files.absolute(project),
      path = "deskpilot/tools/wait.lua", sha256 = system.sha256(shipped), replaces = true, edited = false })
    t.eq(list[2], { kind = "module", name = "lookup_helper_of_mine", folder = "mission",
      root = files.absolute(mission),
      path = "lookup_helper_of_mine.lua", sha256 = system.sha256 "return {}", replaces = false, edited = false })
    lookup.load("tools", "wait")
    t.eq(own_files.since(count), {}, "the same again is nothing new")
    lookup.text "prompts/vision.md"
    write(project, "deskpilot/tools/wait.lua", shipped .. "-- mine")
    lookup.load("tools", "wait")
    list, count = own_files.since(count)
    t.eq(own_files.words(list), "prompt vision (edited) and tool wait (edited)")
    t.eq(own_files.words_with_places(list), ("prompt vision (edited) from %s; tool wait (edited) from %s"):format(
      files.absolute(user), files.absolute(project)))
    t.eq({ list[1].folder, list[1].path, count }, { "user", "deskpilot/prompts/vision.md", 4 })
    t.eq(#own_files.since(), 3, "each as it was taken last")
    package.loaded.lookup_helper_of_mine = nil
  end)
  t.eq(own_files.since(), {}, "other folders, other files")
end

function tests.what_ships_can_be_read_again()
  local shipped = require "native.shipped"
  local before = {}
  for _, name in ipairs(shipped.list "") do before[name] = shipped.read(name) end
  for _ = 1, 2 do
    shipped.give_back()
    for name, words in pairs(before) do t.ok(shipped.read(name) == words, name) end
  end
end

function tests.texts()
  with_roots(function(_, project)
    local text, where = lookup.text("deskpilot/base/text.lua")
    t.ok(text and #text > 0)
    t.eq(where, "shipped:deskpilot/base/text.lua")
    local path = write(project, "deskpilot/prompts/lookup_probe.md", "mine")
    text, where = lookup.text("prompts/lookup_probe.md")
    t.eq(text, "mine")
    t.eq(where, files.absolute(path))
    local none, err = lookup.text("prompts/none.md")
    t.eq(none, nil)
    t.eq(err.code, "not_found")
  end)
end

function tests.a_mission_is_found_but_nothing_activated()
  local base = spawn.folder()
  local path = write(base, "work/mine.lua", "error('ran')")
  write(base, "project/missions/named.lua", "return { task = 'n' }")
  local source, where, folder = lookup.mission(path)
  t.eq(source, "error('ran')")
  t.eq(where, path)
  t.eq(folder, files.absolute(base .. "/work"))
  t.ok(lookup.mission(path:gsub("%.lua$", "")))
  t.eq(lookup.mission("named", { project_folder = base .. "/project" }), "return { task = 'n' }")
  local none, err = lookup.mission(base .. "/none.lua")
  t.eq(none, nil)
  t.eq(err.code, "not_found")
  t.eq(lookup.roots(), {})
  files.remove(base)
end

function tests.the_project_is_the_nearest_folder_with_its_file()
  local base = files.absolute(spawn.folder())
  write(base, "deskpilot.lua", "return {}")
  assert(files.make_folder(base .. "/a/b"))
  t.eq(lookup.project_folder(base .. "/a/b"), base)
  write(base, "a/deskpilot.lua", "return {}")
  t.eq(lookup.project_folder(base .. "/a/b"), base .. "/a")
  files.remove(base .. "/deskpilot.lua")
  files.remove(base .. "/a/deskpilot.lua")
  t.eq(lookup.project_folder(base .. "/a/b"), base .. "/a/b")
  files.remove(base)
end

return tests
