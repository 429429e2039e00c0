--- Runs a mission that is a script, by the real program with a real private desktop, and gives back what it left.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local journal = require "deskpilot.agent.journal"
local spawn = require "spawn"

local script_play = {}

-- What the scripts share: `number` finds what an element was called in the latest look, `act` does one action.
local prelude = [[
local function number(m, wanted, nth)
  nth = nth or 1
  for _, element in ipairs(m.observation.elements) do
    local fits = true
    for key, value in pairs(wanted) do fits = fits and element[key] == value end
    if fits then nth = nth - 1 end
    if fits and nth == 0 then return element.number, element end
  end
  local names = {}
  for i, element in ipairs(m.observation.elements) do names[i] = element.role .. " '" .. element.name .. "'" end
  error("it was not seen among " .. table.concat(names, ", "))
end
local function act(m, tool, args)
  args.justification = "The test wants it, and this is the next thing to do."
  if tool:find("element", 1, true) then args.label = args.label or "a thing" end
  return m:act { tool = tool, args = args }
end
]]

---@class script_played
---@field result table result.json
---@field events table[]
---@field folder string the mission's, with what `before` has written; the caller removes it by close()
---@field stderr string
local Played = {}
Played.__index = Played

function Played:close()
  files.remove(self.folder)
end

--- The results of the actions, in order.
function Played:actions()
  local list = {}
  for _, event in ipairs(self.events) do
    if event.event == "action_result" then list[#list + 1] = event end
  end
  return list
end

--- What the guard of that name has said.
function Played:said(guard)
  local list = {}
  for _, event in ipairs(self.events) do
    if event.event == "guard" and event.name == guard then list[#list + 1] = event.message end
  end
  return list
end

--- Plays the fields of a mission's table, as Lua source in which FOLDER is its folder; `run` is to be there.
---@param fields string
---@param before (fun(folder: string))? what is to be done before it
---@param flags string[]?
---@return script_played
function script_play.play(fields, before, flags)
  local folder = files.absolute(spawn.folder())
  if before then before(folder) end
  -- Not strict: what is refused is looked at, and not raised.
  assert(files.write(folder .. "/m.lua", ("local FOLDER = %q\n"):format(folder) .. prelude
    .. "return { strict = false,\n" .. fields .. "\n}\n"))
  local argv = { spawn.program, "run", "m.lua", "--json", "--model", "literal", "--runs", folder .. "/runs" }
  argv[1] = files.absolute(argv[1])
  table.move(flags or {}, 1, #(flags or {}), #argv + 1, argv)
  local child = spawn.run(argv, { cwd = folder })
  local result = json.decode(child.stdout) or {}
  t.ok(result.status, child.stderr)
  return setmetatable({ folder = folder, result = result, stderr = child.stderr,
    events = journal.read(result.run_dir or "") or {} }, Played)
end

--- Runs a mission of that source without --json, as people run it, and gives fn what it left.
---@param source string
---@param fn fun(child: table, result: table, events: table[], run_dir: string)
---@param ... string flags
function script_play.with_run(source, fn, ...)
  local folder = spawn.folder()
  assert(files.write(files.join(folder, "m.lua"), source))
  local child = spawn.run({ spawn.program, "run", "m.lua", "--runs", folder .. "/runs", ... }, { cwd = folder })
  local name = t.ok((files.list(folder .. "/runs") or {})[1], "a run: " .. child.stderr)
  local run_dir = files.join(folder, "runs", name or "")
  local result = json.decode(files.read(files.join(run_dir, "result.json")) or "") or {}
  fn(child, result, journal.read(run_dir) or {}, run_dir)
  files.remove(folder)
end

--- Plays one that is to succeed.
function script_play.succeeds(...)
  local played = script_play.play(...)
  t.eq(played.result.status, "succeeded", played.result.reason)
  return played
end

return script_play
