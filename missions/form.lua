-- A script: fills in a form of a GTK application once for each line of a CSV file. Whether it is done is what
-- the application says it was given. A table of one's own: deskpilot run form -- people.csv
local csv = require "deskpilot.base.csv"
local files = require "deskpilot.base.files"
local task = require "deskpilot.base.task"

local names = { "Name", "Mail", "Town" }
local sample = [[
Name,Mail,Town
Ada Lovelace,ada@example.org,London
"Müller, Jörg",joerg@example.org,Köln
山田 花子,hanako@example.org,京都
]]

local function people(m)
  local path = m.args[1] or files.join(assert(files.own_temporary_folder()), "deskpilot-people.csv")
  if not m.args[1] then assert(files.write(path, sample)) end
  return assert(csv.records(assert(files.read(path))))
end

-- The field that stands on the same line as its label, of one look: the window may still be on its way.
local function field(desk, name)
  local list, why = desk.elements.list { app = "zenity" }
  if not list then return nil, why end
  local label
  for _, element in ipairs(list) do
    if element.role == "label" and element.name == name then label = element end
  end
  local found, count = nil, 0
  for _, element in ipairs(list) do
    if label and element.role == "text" and element.y == label.y then found, count = element, count + 1 end
  end
  if count == 1 then return found end
  return nil, "there is no field beside " .. name
end

-- Opens the form, fills it in and sends it off; what the application then says.
local function fill_in(desk, person)
  local form = task.start(desk.apps.run, { "zenity", "--forms", "--title", "New contact", "--separator", "\n",
    "--add-entry", names[1], "--add-entry", names[2], "--add-entry", names[3], timeout = 60 })
  desk.wait_for_element { app = "zenity", role = "push button", name = "OK", timeout = 15 }
  for _, name in ipairs(names) do
    local place = desk.wait_until(function() return field(desk, name) end)
    desk.elements.set_text(place, person[name])
  end
  desk.elements.press { app = "zenity", role = "push button", name = "OK" }
  local ok, result = form:wait()
  if not ok then error(result, 0) end
  return result.stdout
end

local said = {} -- by the application

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 800, 600 } },
  limits = { seconds = 120 },
  run = function(m)
    for i, person in ipairs(people(m)) do
      said[i] = fill_in(m.desk, person)
      m:note("a contact for " .. person.Name)
    end
  end,
  verify = function(m)
    for i, person in ipairs(people(m)) do
      local wanted = ("%s\n%s\n%s\n"):format(person.Name, person.Mail, person.Town)
      if said[i] ~= wanted then
        return false, ("form %d was given %q, not %q"):format(i, said[i] or "nothing", wanted)
      end
    end
    return true
  end,
}
