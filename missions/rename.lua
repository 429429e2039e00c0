-- A script: gives the pictures of a folder names that say more, in a file manager, as a person does it: pick
-- a file, F2, the new name, Enter. Whether it is done is read from the folder. It makes a folder of its own; the
-- pictures of yours are called after it, "harbour 1.jpg", "harbour 2.jpg": deskpilot run rename -- harbour
local files = require "deskpilot.base.files"
local uv = require "luv"

local samples = { ["IMG_0001.jpg"] = "harbour.jpg", ["IMG_0002.jpg"] = "old town.jpg", ["IMG_0003.jpg"] = "Brücke.jpg" }

local folder, names, inodes -- names: from the old to the new one; inodes: which file it was, by its new name

local function make_samples()
  folder = files.join(assert(files.own_temporary_folder()), "deskpilot-rename")
  files.remove(folder)
  assert(files.make_folder(folder))
  for name in pairs(samples) do assert(files.write(files.join(folder, name), name)) end
  return samples
end

-- New names for the pictures that have none of that kind yet, in the order of their old ones.
local function number_pictures(path)
  folder = files.absolute(path)
  local list, taken, number = {}, {}, 0
  local _, called = files.split(folder)
  for _, name in ipairs(files.list(folder)) do taken[name] = true end
  for _, name in ipairs(files.list(folder)) do
    local ending = name:lower():match "%.jpe?g$" or name:lower():match "%.png$"
    if ending and name:sub(1, #called + 1) ~= called .. " " then
      repeat
        number = number + 1
        list[name] = ("%s %d%s"):format(called, number, ending)
      until not taken[list[name]]
    end
  end
  return list
end

local function old_names()
  local list = {}
  for name in pairs(names) do list[#list + 1] = name end
  table.sort(list)
  return list
end

-- Typing a name in the file manager looks it up; F2 asks for a new one.
local function rename(desk, old, new)
  desk.keyboard.type(old)
  desk.settle()
  desk.keyboard.press "escape" -- the field that showed what was typed
  desk.settle()
  desk.keyboard.press "f2"
  desk.wait_for_window { title = "Rename File", active = true }
  desk.settle()
  desk.keyboard.press "ctrl+a"
  desk.keyboard.type(new)
  desk.keyboard.press "enter"
  desk.wait_for_window { title = "Rename File", gone = true }
  desk.wait_until(function() return files.exists(files.join(folder, new)), "no file is called " .. new end)
  desk.settle()
end

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 1024, 700 } },
  limits = { seconds = 120 },
  run = function(m)
    local desk = m.desk
    names, inodes = m.args[1] and number_pictures(m.args[1]) or make_samples(), {}
    if not next(names) then return false, "there are no pictures to be renamed in " .. folder end
    for old, new in pairs(names) do inodes[new] = assert(uv.fs_stat(files.join(folder, old))).ino end
    desk.apps.open_app("pcmanfm", { arguments = { "--no-desktop", folder } })
    for _, old in ipairs(old_names()) do rename(desk, old, names[old]) end
  end,
  verify = function(m)
    local said = {}
    for old, new in pairs(names) do
      local stat = uv.fs_stat(files.join(folder, new))
      said[#said + 1] = m.checks.file { path = files.join(folder, old), gone = true }
      said[#said + 1] = m.checks.verdict(stat and stat.ino == inodes[new] and "yes" or "no",
        ("%s %s the file that was %s"):format(new, stat and stat.ino == inodes[new] and "is" or "is not", old))
    end
    return m.checks.all(said)
  end,
}
