-- A script: fills in a form of a GTK application once for each line of a CSV file. Whether it is done is what
-- the application says it was given. A table of one's own: deskpilot run form -- people.csv. Where a policy is named
-- (--policy task_executor --model literal), an agent of it fills in the forms. In a fleet each line is a mission, and
-- the application writes into a file, in which a mission looks first whether its line is there (docs/fleet.md):
-- deskpilot submit form.lua --data people.csv -- Records=/shared/contacts
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

-- Arguments of the form NAME=VALUE, as deskpilot submit gives them.
local function given(m)
  local values = {}
  for _, argument in ipairs(m.args) do
    local name, value = argument:match "^(%a+)=(.*)$"
    if name then values[name] = value end
  end
  return values
end

local function people(m)
  local row = given(m)
  if row.Name then return { row } end
  local path = m.args[1] or files.join(assert(files.own_temporary_folder()), "deskpilot-people.csv")
  if not m.args[1] then assert(files.write(path, sample)) end
  return assert(csv.records(assert(files.read(path))))
end

-- What the application says of a contact.
local function record_of(person) return ("%s\n%s\n%s\n"):format(person.Name, person.Mail, person.Town) end

-- Whether the application's file has a contact.
local function is_recorded(path, person)
  return ("\n" .. (files.read(path) or "")):find("\n" .. record_of(person), 1, true) ~= nil
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

local function by_script(desk, person)
  for _, name in ipairs(names) do
    local place = desk.wait_until(function() return field(desk, name) end)
    desk.elements.set_text(place, person[name])
  end
  desk.elements.press { app = "zenity", role = "push button", name = "OK" }
end

-- The first field has the keyboard, so that an agent needs no places but that of the button.
local function by_agent(m, person, form)
  local typed = {}
  for i, name in ipairs(names) do typed[i] = ('Type "%s"'):format(person[name]:gsub('[\\"]', "\\%0")) end
  local ok, why = m:achieve {
    goal = ('Fill in the form for a new contact:\n%s\nClick "OK"'):format(table.concat(typed, "\nPress tab\n")),
    verify = function() return form.sent ~= nil, "the form was not sent off" end,
  }
  if not ok then error(why, 0) end
end

-- What zenity says in several pieces is written as one, so that forms of several desktops may share a file.
local APPLICATION = [[said=$(zenity "$@"; echo .); printf %s "${said%.}" | tee -a "$0"]]

-- Opens the form, has it filled in and sent off; what the application then says.
local function fill_in(m, person)
  local desk = m.desk
  local form = {}
  local under_way = task.start(function()
    form.sent = desk.apps.run { "sh", "-c", APPLICATION, given(m).Records or "/dev/null", "--forms", "--title",
      "New contact", "--separator", "\n", "--add-entry", names[1], "--add-entry", names[2], "--add-entry", names[3],
      timeout = 60 }
  end)
  desk.wait_for_element { app = "zenity", role = "push button", name = "OK", timeout = 15 }
  if m.config.sources.policy == "default" then by_script(desk, person) else by_agent(m, person, form) end
  local ok, why = under_way:wait()
  if not ok then error(why, 0) end
  return form.sent.stdout
end

local said = {} -- by the application

---@type deskpilot.mission
return {
  resumable = true,
  desktop = { kind = "private", size = { 800, 600 } },
  limits = { seconds = 120 },
  run = function(m)
    local records = given(m).Records
    for i, person in ipairs(people(m)) do
      if not (records and is_recorded(records, person)) then
        said[i] = fill_in(m, person)
        m:note("a contact for " .. person.Name)
      end
    end
  end,
  verify = function(m)
    local records = given(m).Records
    for i, person in ipairs(people(m)) do
      local wanted = record_of(person)
      if records and not is_recorded(records, person) then return false, records .. " has no " .. wanted end
      if not records and said[i] ~= wanted then
        return false, ("form %d was given %q, not %q"):format(i, said[i] or "nothing", wanted)
      end
    end
    return true
  end,
}
