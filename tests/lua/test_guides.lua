--- The guides' examples in Lua: `deskpilot check` finds nothing wrong with any of them, as files where they are files,
--- else as fields of a mission or as what its script does. (The tutorial is played as a whole by e2e.test_tutorial, the
--- hooks' examples by lua.test_hooks.)
local t = require "harness"
local files = require "deskpilot.base.files"
local spawn = require "spawn"

local tests = {}

-- What an example stands in, where it is no file of its own.
local around = {
  { "return { run = function() end,\n", "}\n" },
  { "return { run = function(m, ...) local desk = m.desk\n", "\nend }\n" },
}

-- The example as a file: its source, and its path where its first line names one ("-- deskpilot/apps/mousepad.lua").
local function as_file(block)
  if load(block) and ("\n" .. block):find "\nreturn " then return block, block:match "^%-%- (deskpilot[%w_/]*%.lua)" end
  for _, words in ipairs(around) do
    local source = words[1] .. block .. words[2]
    if load(source) then return source end
  end
  return nil
end

local function check(page)
  local folder, count = spawn.folder(), 0
  assert(files.write(folder .. "/form.lua", files.read "missions/form.lua")) -- which an example repeats
  for block in ("\n" .. files.read("docs/" .. page)):gmatch "\n```lua\n(.-)```" do
    count = count + 1
    local source, path = as_file(block)
    if t.ok(source, page .. ": neither a file nor a part of one:\n" .. block) then
      path = path or ("example_%d.lua"):format(count)
      assert(files.make_folder((files.split(files.join(folder, path)))))
      assert(files.write(files.join(folder, path), source))
      local child = spawn.run({ files.absolute(spawn.program), "check", path }, { cwd = folder })
      t.eq({ child.status, child.stdout, child.stderr }, { 0, "", "" }, ("%s: %s"):format(page, source))
    end
  end
  files.remove(folder)
  return count
end

for page, least in pairs { ["missions.md"] = 18, ["replay.md"] = 1, ["configuration.md"] = 1, ["SKILL.md"] = 2,
  ["mcp.md"] = 1, ["models.md"] = 3, ["CONTRIBUTING.md"] = 1 } do
  tests[page:gsub("%.md$", ""):lower()] = function()
    local count = check(page)
    t.ok(count >= least, ("%s has %d examples, and not %d"):format(page, count, least))
  end
end

return tests
