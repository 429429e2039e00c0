--- The shipped scripts (missions with `run`), end to end: the real program, a private desktop, real
--- applications. Each checks itself by what its application or file holds; and what goes wrong is told in a
--- sentence that says what was looked for and what was there.
local t = require "harness"
local spawn = require "spawn"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"

local function run(mission, ...)
  local folder = spawn.folder()
  -- What missions write is in the temporary folder: one of its own, as others may run the same mission.
  local child = spawn.run({ spawn.program, "run", mission, "--json", "--runs", folder, "--", ... },
    { env = { TMPDIR = folder } })
  local result = json.decode(child.stdout) or {}
  files.remove(folder)
  return child, result
end

local tests = {}

for _, name in ipairs { "form", "rename", "star", "watch", "collect", "notes" } do
  tests[name] = function()
    local child, result = run("missions/" .. name .. ".lua")
    t.eq(child.status, 0, child.stderr)
    t.eq(result.status, "succeeded", result.reason)
    t.eq(result.model and result.model.calls, 0, "no model")
  end
end

function tests.a_form_from_a_table_of_ones_own()
  local folder = spawn.folder()
  local path = files.join(folder, "people.csv")
  assert(files.write(path, 'Town,Mail,Name\r\n"Saint-Étienne",a@example.org,"Zoé ""Zo"" O\'Neil"\r\n'))
  local child, result = run("missions/form.lua", path)
  t.eq(result.status, "succeeded", child.stderr)
  assert(files.write(path, "Town,Mail\nX,Y,Z\n"))
  child, result = run("missions/form.lua", path)
  t.eq(child.status, 1)
  t.has(result.reason, "row 2 has 3 fields")
  files.remove(folder)
end

function tests.the_pictures_of_ones_own_folder()
  local folder = spawn.folder()
  local own = files.join(folder, "old town")
  assert(files.make_folder(own))
  for _, name in ipairs { "b.PNG", "a.jpeg", "notes.txt", "old town 2.png" } do
    assert(files.write(files.join(own, name), "I was " .. name))
  end
  local child, result = run("missions/rename.lua", own)
  t.eq(result.status, "succeeded", child.stderr)
  t.eq(files.list(own), { "notes.txt", "old town 1.jpeg", "old town 2.png", "old town 3.png" })
  t.eq(files.read(files.join(own, "old town 3.png")), "I was b.PNG")
  files.remove(folder)
end

function tests.a_file_of_ones_own()
  local folder = spawn.folder()
  local path = files.join(folder, "my notes.txt")
  local child, result = run("missions/notes.lua", path)
  t.eq(result.status, "succeeded", child.stderr)
  t.has(files.read(path) or "", "Notes of ")
  files.remove(folder)
end

-- A script's reason for having failed.
local function reason(body)
  local folder = spawn.folder()
  local path = files.join(folder, "broken.lua")
  assert(files.write(path, ([[
return {
  desktop = { kind = "private", apps = { { "galculator" } } },
  run = function(m) local desk = m.desk %s end,
}]]):format(body)))
  local child, result = run(path)
  t.eq(child.status, 1, child.stderr)
  files.remove(folder)
  return result.reason
end

function tests.a_wrong_window_is_told_with_those_there_are()
  local said = reason [[assert(desk.windows.focus { title = "Untitled 1" })]]
  t.has(said, "Untitled 1")
  t.has(said, "galculator")
end

function tests.a_missing_element_is_told_with_the_nearest()
  local said = reason [[assert(desk.wait_for_element { role = "push button", name = "sqrd", timeout = 0.5 })]]
  t.has(said, "sqrd")
  t.has(said, "sqrt")
end

function tests.an_application_that_has_gone_is_told()
  local said = reason [[
    local button = assert(desk.wait_for_element { app = "galculator", role = "toggle button", name = "7" })
    assert(desk.windows.close({ title = "galculator" }, { wait = true }))
    assert(desk.elements.press(button))]]
  t.has(said, "toggle button '7'")
  t.has(said, "has ended")
end

function tests.a_picture_that_is_not_there_is_not_clicked()
  local said = reason [[
    local shot
    assert(desk.wait_until(function() -- it is painted: what is empty makes a small file, and is found anywhere
      shot = desk.screen.shot { window = { title = "galculator" } }
      return shot and #assert(shot:encode()) > 3000
    end))
    assert(desk.windows.close({ title = "galculator" }, { wait = true }))
    desk.mouse.click(desk.screen.find_image(shot))]]
  t.has(said, "score")
end

function tests.a_program_that_is_not_there_is_told()
  t.has(reason [[assert(desk.apps.start { "no-such-editor", wait = 5 })]], "no-such-editor")
end

return tests
