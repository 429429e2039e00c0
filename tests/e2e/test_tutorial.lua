--- The tutorial, as it stands in docs/tutorial.md, from an empty folder: its files are written, its commands run in
--- their order by a shell, and what it shows of their output has to be there, in that order.
---
--- A file is a block of Lua whose name stands in backquotes last before it. Commands begin with "$ "; below each is
--- what it prints, in part, and "exit status N" where that is not 0. Nothing below it: it prints nothing.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local spawn = require "spawn"

local page = "docs/tutorial.md"

-- The page as steps in their order: { file, words } and { command, lines }.
local function steps_of(words)
  local steps, named, block, command = {}, nil, nil, nil
  for line in words:gmatch "([^\n]*)\n" do
    if block then
      if line == "```" then block = nil else block.words = block.words .. line .. "\n" end
    elseif line == "```lua" then
      block = { file = t.ok(named, "a file for the block"), words = "" }
      steps[#steps + 1], named = block, nil
    elseif line:find("    $ ", 1, true) == 1 then
      command = { command = line:sub(7), lines = {} }
      steps[#steps + 1] = command
    elseif command and line:find "^    " then
      table.insert(command.lines, line:sub(5))
    else
      command = nil
      for name in line:gmatch "`([%w_/]+%.lua)`" do named = name end
    end
  end
  return steps
end

local function run_command(folder, step)
  local wanted = 0
  if #step.lines > 0 and step.lines[#step.lines]:find "^exit status" then
    wanted = tonumber(table.remove(step.lines):match "%d+")
  end
  local bin = files.split(files.absolute(spawn.program))
  local child = spawn.run({ "/bin/sh", "-c", step.command .. " 2>&1" }, { cwd = folder,
    env = { PATH = bin .. ":" .. os.getenv "PATH", XDG_CONFIG_HOME = folder .. "/config", DISPLAY = false } })
  local said = child.stdout
  t.eq(child.status, wanted, ("%s: %s"):format(step.command, said))
  if #step.lines == 0 then t.eq(said, "", step.command) end
  local from = 1
  for _, line in ipairs(step.lines) do
    local _, stop = said:find(line, from, true)
    t.ok(stop, ("%s does not print %q there: %s"):format(step.command, line, said))
    from = stop or from
  end
end

local tests = {}

tests.from_nothing_to_a_policy_of_ones_own = spawn.in_folder(function(folder)
  local files_written, commands = 0, 0
  for _, step in ipairs(steps_of(files.read(page))) do
    if step.file then
      local path = files.join(folder, step.file)
      assert(files.make_folder((files.split(path))))
      assert(files.write(path, step.words))
      files_written = files_written + 1
    else
      run_command(folder, step)
      commands = commands + 1
    end
  end
  t.eq({ files_written, commands }, { 8, 17 }, "files and commands")
  t.eq(files.read(folder .. "/notes.txt"), "Bread, cheese\n")
  -- What the last step promises: a policy that asks less.
  local asked = {}
  for _, name in ipairs(files.list(folder .. "/runs")) do
    local result = json.decode(files.read(files.join(folder, "runs", name, "result.json")) or "") or {}
    if name:find "%-agent$" then asked[#asked + 1] = result.model.calls end
  end
  t.eq(asked, { 5, 4, 5, 4 }, "how often the model was asked: by task_executor and by sparing, and in the comparison")
end)

return tests
