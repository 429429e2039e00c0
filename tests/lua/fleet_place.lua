--- A fleet for tests: a real nats-server, and workers and submissions of a mission that types into an application.
local files = require "deskpilot.base.files"
local nats_server = require "nats_server"
local spawn = require "spawn"

local fleet_place = {}

-- The name is typed into an entry, whose program writes it into the file when it is sent off. A file "hold" beside it
-- keeps a mission from ending.
local MISSION = [[
local files = require "deskpilot.base.files"
local task = require "deskpilot.base.task"
return {
  name = "entry",
  desktop = { kind = "private" },
  run = function(m)
    local given = {}
    for _, argument in ipairs(m.args) do
      local name, value = argument:match("^([^=]+)=(.*)$")
      given[name] = value
    end
    files.remove(given.folder .. "/sent-" .. given.name)
    assert(files.write(given.folder .. "/begun-" .. given.name, ""))
    while files.exists(given.folder .. "/hold") do task.sleep(0.05) end
    m.desk.apps.start { "sh", "-c", "zenity --entry --text Name >> " .. given.folder .. "/names; touch "
      .. given.folder .. "/sent-" .. given.name, wait = 60 }
    m.desk.keyboard.type(given.name)
    m.desk.keyboard.press "enter"
    m.desk.wait_until(function() return files.exists(given.folder .. "/sent-" .. given.name) end, { timeout = 60 })
  end,
}
]]

-- The rows of those names, as CSV.
local function rows_of(names, folder)
  local rows = { "name,folder" }
  for _, name in ipairs(names) do rows[#rows + 1] = name .. "," .. folder end
  return table.concat(rows, "\n") .. "\n"
end

--- Contacts for the shipped mission that fills in a form.
---@param count integer
---@param batch string a part of their names
---@return string rows as CSV
---@return string[] records what the form's own file is to hold of each, sorted
function fleet_place.contacts(count, batch)
  local rows, records = { "Name,Mail,Town" }, {}
  for i = 1, count do
    local name, mail = ("Person %02d of %s"):format(i, batch), ("p%d.%s@example.org"):format(i, batch)
    rows[#rows + 1] = ("%s,%s,Saint-Étienne"):format(name, mail)
    records[i] = ("%s\n%s\nSaint-Étienne\n"):format(name, mail)
  end
  table.sort(records)
  return table.concat(rows, "\n") .. "\n", records
end

--- What the form's own file holds, record by record.
---@param path string
---@return string[] sorted
function fleet_place.records(path)
  local list = {}
  for record in (files.read(path) or ""):gmatch "[^\n]*\n[^\n]*\n[^\n]*\n" do list[#list + 1] = record end
  table.sort(list)
  return list
end

--- Calls fn(fleet) with a server, and a folder that has the mission and the rows of those names.
---@param names string[]|string or rows as CSV
---@param fn fun(fleet: table)
---@param mission string? its text, in place of the one above
function fleet_place.with(names, fn, mission)
  nats_server.with("", function(server)
    local folder = spawn.folder()
    local workers = {}
    local guard <close> = spawn.guard(workers, function() files.remove(folder) end)
    assert(guard)
    assert(files.make_folder(folder .. "/mission"))
    assert(files.write(folder .. "/mission/entry.lua", mission or MISSION))
    assert(files.make_folder(folder .. "/tmp"))
    assert(files.write(folder .. "/rows.csv", type(names) == "string" and names or rows_of(names, folder)))
    local fleet = { server = server, folder = folder, workers = workers, env = { TMPDIR = folder .. "/tmp" } }
    -- The workers are machines of their own: what each has of runs is its own.
    function fleet.worker(...)
      local runs = ("%s/runs-%d"):format(folder, #workers + 1)
      local one = spawn.start({ spawn.program, "worker", "--trust-server", "--server", server.url, "--runs", runs,
        "--slots", "1", ... }, { env = fleet.env })
      workers[#workers + 1], one.runs = one, runs
      one:wait_for_word("takes missions", 60)
      return one
    end
    -- The folders of the runs that a worker has of its first mission.
    function fleet.runs_of(worker)
      local id, list = files.list(worker.runs)[1], {}
      for _, name in ipairs(id and files.list(worker.runs .. "/" .. id) or {}) do
        local path = ("%s/%s/%s"):format(worker.runs, id, name)
        if files.is_folder(path) then list[#list + 1] = path end
      end
      return list, id
    end
    function fleet.submission(...)
      return { spawn.program, "submit", folder .. "/mission/entry.lua", "--server", server.url, "--data",
        folder .. "/rows.csv", ... }
    end
    function fleet.submit(...) return spawn.start(fleet.submission(...)) end
    function fleet.ask(...)
      local argv = { spawn.program, "fleet", ... }
      return spawn.run(table.move({ "--server", server.url }, 1, 2, #argv + 1, argv))
    end
    function fleet.begun(name) return files.exists(folder .. "/begun-" .. name) end
    -- What workers have unpacked and not removed.
    function fleet.unpacked()
      local base = folder .. "/tmp"
      local own = files.list(base)[1]
      return own and files.list(base .. "/" .. own) or {}
    end
    function fleet.names()
      local list = {}
      for line in (files.read(folder .. "/names") or ""):gmatch "[^\n]+" do list[#list + 1] = line end
      table.sort(list)
      return list
    end
    fn(fleet)
  end)
end

return fleet_place
