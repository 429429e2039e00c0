-- A script: gathers what several windows show and writes it down as JSON. Whether it is done is read from the
-- file. Another file: deskpilot run collect -- PATH
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"

local folder = assert(files.own_temporary_folder())
local note = files.join(folder, "deskpilot-shopping.txt")
local shopping = "bread\ncheese\nGrüße an Anna\n"

local function path_of(m)
  return m.args[1] or files.join(folder, "deskpilot-windows.json")
end

-- Every text that the elements of one program show, in the order of its tree, each once.
local function texts(desk, window)
  local list, seen = {}, {}
  for _, element in ipairs(desk.elements.list { pid = window.pid }) do
    local text = element.text
    if text and text ~= "" and not seen[text] then
      seen[text] = true
      list[#list + 1] = text
    end
  end
  return list
end

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 1280, 800 } },
  limits = { seconds = 120 },
  run = function(m)
    local desk, path = m.desk, path_of(m)
    assert(files.write(note, shopping))
    files.remove(path)
    desk.apps.start { "mousepad", "--disable-server", note, wait = 15 }
    desk.apps.start { "galculator", wait = 15 }
    desk.windows.focus { class = "galculator" }
    desk.keyboard.type "7*6="
    desk.wait_for_element { app = "galculator", text = "42" }
    local found = {}
    for _, window in ipairs(desk.windows.list()) do
      found[#found + 1] = { title = window.title, program = select(2, files.split(window.executable)),
        x = window.x, y = window.y, width = window.width, height = window.height, texts = texts(desk, window) }
    end
    assert(files.write(path, json.encode(found) .. "\n"))
    m:note(("%d windows are described in %s"):format(#found, path))
  end,
  verify = function(m)
    local path = path_of(m)
    local found = json.decode(files.read(path) or "")
    if not found then return false, path .. " holds no JSON" end
    local wanted = { mousepad = shopping, galculator = "42" }
    for _, window in ipairs(found) do
      for _, text in ipairs(window.texts) do
        if wanted[window.program] == text then wanted[window.program] = nil end
      end
    end
    local program = next(wanted)
    return program == nil, program and ("%s does not say what %s shows"):format(path, program)
  end,
}
