--- Runs of the real program that take small steps, each a line in the file `steps` and a key, and that stop in the
--- middle of one of them until a test has broken something. What was done can be read from that file, whatever becomes
--- of the run.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local process_tree = require "deskpilot.desk.platform.process_tree"
local spawn = require "spawn"

local steps_play = {}

-- With `asks` its model is asked at each step. In the step `pause_at` the file `ready` says that it is there, and it
-- goes on when there is a file `broken`.
local policy = [[
local files = require "deskpilot.base.files"
local persona = require "deskpilot.agent.persona"
local task = require "deskpilot.base.task"

local function option(run, name) return run.config:get("steady." .. name) end

return {
  options = {
    steps = { type = "integer", default = 6, about = "how many" },
    pause_at = { type = "integer", default = 3, about = "the step in which it waits" },
    breaks_at = { type = "integer", default = 0, about = "the step in which it fails by a mistake" },
    asks = { type = "boolean", default = false, about = "whether it asks its model" },
  },
  turn = function(run)
    local s = run.state
    if option(run, "asks") then
      local reply = persona.ask(run, "agent", { system = "Press a key.", text = "The next one.", image = false,
        tools = { "press_key" }, acts = true })
      if run.outcome or not reply then return end
    end
    s.steps = (s.steps or 0) + 1
    run.write_step(s.steps)
    if s.steps == option(run, "pause_at") and not files.exists "broken" then
      assert(files.write("ready", ""))
      while not files.exists "broken" do task.sleep(0.02) end
    end
    if s.steps == option(run, "breaks_at") then s.nothing.there = true end
    run:act { tool = "press_key", args = { key = "shift" }, why = "the next step" }
    if s.steps >= option(run, "steps") then run:claim "all steps are written" end
  end }]]

local mission = [[
local function lines(word)
  local file = assert(io.open("steps", "a+"))
  if word then file:write(word, "\n") end
  file:seek "set"
  local text = file:read "a"
  file:close()
  return text
end
return { task = "Write the steps.", policy = "steady", timing = { verify = 0, settle_quiet = 0.01 },
  desktop = { kind = %q, %s }, limits = { turns = %d }, loop = { threshold = 100 }, %s
  run_start = function(run) run.write_step = lines end,
  verify = function(m)
    local text = lines()
    return text:find(m.config:get "steady.steps" .. "\n", 1, true) ~= nil, "so far: " .. text:gsub("\n", " ")
  end }]]

--- A new folder with the mission and its policy.
---@param how { kind: "current"|"private", desktop: string?, turns: integer?, more: string? } desktop and more: fields
---  of the mission's `desktop` and of the mission, as Lua source
---@return string folder
function steps_play.place(how)
  local folder = spawn.folder()
  assert(files.make_folder(folder .. "/deskpilot/policies"))
  assert(files.write(folder .. "/deskpilot/policies/steady.lua", policy))
  assert(files.write(folder .. "/m.lua", mission:format(how.kind, how.desktop or "", how.turns or 100,
    how.more or "")))
  return folder
end

--- Starts the run.
---@param folder string
---@param env table<string, string>?
---@param ... string of its command line
function steps_play.start(folder, env, ...)
  return spawn.start({ files.absolute(spawn.program), "run", "m.lua", "--json", "--runs", "runs", "--model", "literal",
    ... }, { cwd = folder, env = env })
end

--- Waits until the run stands in the middle of its step.
function steps_play.wait_for_pause(folder, child)
  t.wait_until("the step", function() return child.status or files.exists(folder .. "/ready") end, 90)
  t.eq(child.status, nil, child.stderr)
end

--- Lets it go on.
function steps_play.go_on(folder)
  assert(files.write(folder .. "/broken", ""))
end

--- Goes on from a run by `deskpilot resume`.
---@return table child, table result
function steps_play.resume(folder, run_dir, env, ...)
  local child = spawn.run({ files.absolute(spawn.program), "resume", run_dir, "--json", ... },
    { cwd = folder, env = env })
  return child, json.decode(child.stdout) or {}
end

--- The folder of the run that was begun last.
---@return string
function steps_play.run_dir(folder)
  local names = files.list(folder .. "/runs")
  return files.join(folder, "runs", names[#names])
end

--- The steps that were done: "1 2 3".
---@return string
function steps_play.done(folder)
  return ((files.read(folder .. "/steps") or ""):gsub("\n", " "):gsub(" $", ""))
end

--- The events of that name of the run that was begun last.
---@return table[]
function steps_play.events(folder, name)
  local found = {}
  for _, event in ipairs((assert(journal.read(steps_play.run_dir(folder))))) do
    if event.event == name then found[#found + 1] = event end
  end
  return found
end

--- The processes of that name that a child and its children have started.
---@return integer[] pids
function steps_play.processes(child, name)
  local found = {}
  for _, entry in ipairs(files.list "/proc") do
    local pid = math.tointeger(tonumber(entry))
    local is_it = pid and (files.read("/proc/" .. entry .. "/comm") or ""):find(name, 1, true)
    if is_it and process_tree.descends(pid, child.pid) then found[#found + 1] = pid end
  end
  return found
end

return steps_play
