-- A script: gives the pictures of a folder names that say more, in a file manager, as a person does it: pick
-- a file, F2, the new name, Enter. Whether it is done is read from the folder.
local files = require "deskpilot.base.files"

local folder = files.join(files.temporary_folder(), "deskpilot-rename")
local names = { ["IMG_0001.jpg"] = "harbour.jpg", ["IMG_0002.jpg"] = "old town.jpg", ["IMG_0003.jpg"] = "Brücke.jpg" }

local function sorted(list)
  table.sort(list)
  return list
end

local function old_names()
  local list = {}
  for name in pairs(names) do list[#list + 1] = name end
  return sorted(list)
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
    files.remove(folder)
    assert(files.make_folder(folder))
    for _, name in ipairs(old_names()) do assert(files.write(files.join(folder, name), name)) end
    desk.apps.open_app("pcmanfm", { arguments = { "--no-desktop", folder } })
    for _, old in ipairs(old_names()) do rename(desk, old, names[old]) end
  end,
  verify = function()
    for old, new in pairs(names) do
      local content = files.read(files.join(folder, new))
      if content ~= old then return false, ("%s is not the file that was %s"):format(new, old) end
    end
    return #files.list(folder) == 3, "there are other files as well"
  end,
}
