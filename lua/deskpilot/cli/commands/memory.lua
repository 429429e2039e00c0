--- `deskpilot memory`: what agents have kept for later runs (agent/memory_store.lua), and erasing it.
local memory_store = require "deskpilot.agent.memory_store"
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"

local command = {
  summary = "Show and erase what was remembered across runs.",
  order = 70,
  usage = "memory [NAME] [--erase NAME]... [--erase-all]",
  options = {
    { name = "erase", value = "NAME", repeated = true, help = "forget what one project or application has" },
    { name = "erase-all", help = "forget everything" },
  },
  details = "Without a name the projects and applications are listed that something is remembered of; with one\n"
    .. "all of it is shown. Nothing is remembered across runs unless memory.keep is \"project\" or\n\"application\".",
}

local function counted(number, word)
  return ("%d %s%s"):format(number, word, number == 1 and "" or "s")
end

local function list(all)
  for _, entry in ipairs(all) do
    local data = entry.data
    print(("%s  %s"):format(entry.name, data and ("%s; %s, %s"):format(terminal.line(data.key or "?"),
      counted(#text.keys(data.values), "value"), counted(#data.experiences, "experience"))
      or terminal.line(entry.problem)))
  end
  if #all == 0 then print "nothing is remembered across runs" end
  return 0
end

local function show(entry)
  if not entry.data then
    terminal.complain(entry.problem)
    return 1
  end
  print(("%s: %s"):format(tostring(entry.data.kind), terminal.line(entry.data.key or "?")))
  for _, name in ipairs(text.keys(entry.data.values)) do
    print(("  %s = %s"):format(terminal.line(name), terminal.line(entry.data.values[name])))
  end
  for _, sentence in ipairs(entry.data.experiences) do print("  - " .. terminal.line(sentence)) end
  return 0
end

local function find(all, name)
  local names = {}
  for i, entry in ipairs(all) do
    if entry.name == name then return entry end
    names[i] = entry.name
  end
  terminal.complain(("nothing is remembered under the name %s%s"):format(name,
    #names > 0 and "; there is " .. text.join(names) or ""))
end

local function erase(entries)
  local status = 0
  for _, entry in ipairs(entries) do
    local ok, err = memory_store.erase(entry.path)
    if ok then print("erased " .. entry.name) else
      terminal.complain(tostring(err))
      status = 1
    end
  end
  return status
end

--- Lists, shows or erases.
---@param options table
---@param positional string[]
---@return integer status
function command.run(options, positional)
  local all = memory_store.all()
  if #positional > 1 then
    terminal.complain("memory takes one name")
    return 2
  end
  if options.erase_all then return erase(all) end
  if options.erase then
    local entries = {}
    for i, name in ipairs(options.erase) do
      entries[i] = find(all, name)
      if not entries[i] then return 2 end
    end
    return erase(entries)
  end
  if not positional[1] then return list(all) end
  local entry = find(all, positional[1])
  return entry and show(entry) or 2
end

return command
