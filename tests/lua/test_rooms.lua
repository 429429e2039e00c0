-- The house plan of docs/architecture.md, kept: an arrow (an #include, a require) points from a room to one on a
-- lower floor, never up and never to a neighbour. A room is a folder; what lies in its linux/ and windows/ belongs to
-- it.
local files = require "deskpilot.base.files"
local t = require "harness"

local tests = {}

-- From the top down. Rooms on one floor do not see each other.
local runtime_floors = {
  { "host" },
  { "lib" },
  { "desk/linux", "desk/windows" }, -- which backends there are
  { "desk/win32/elements" },
  { "desk/x11", "desk/win32", "desk/atspi", "desk/null" },
  { "desk", "ocr" },
  { "image/codec" },
  { "image/png", "image/jpeg", "image/find" },
  { "image" },
  { "net", "system" },
  { "base" },
}

local lua_floors = {
  { "cli/commands" },
  { "cli" },
  { "policies" },
  { "tools", "guards" },
  { "apps" },
  { "replay", "fleet" },
  { "agent" },
  { "model" },
  { "desk", "mcp" },
  { "desk/private", "desk/browser" },
  { "desk/app", "desk/input", "desk/window", "desk/elements" },
  { "desk/wait", "desk/ocr" },
  { "desk/picture", "desk/platform" },
  { "net" },
  { "base" },
}

-- Arrows that point up, each with its reason.
local exceptions = {
  ["lua: cli > cli/commands"] = "the program's face finds a command by the name that was typed",
}

-- Every file below a folder with one of those endings.
local function each_file(folder, endings, found)
  found = found or {}
  for _, name in ipairs(assert(files.list(folder))) do
    local path = folder .. "/" .. name
    if files.is_folder(path) then each_file(path, endings, found)
    elseif endings[name:match("%.(%w+)$")] then found[#found + 1] = path end
  end
  return found
end

-- floor_of["desk/x11"] = 4, ...
local function numbered(floors)
  local floor_of = {}
  for number, rooms in ipairs(floors) do
    for _, room in ipairs(rooms) do floor_of[room] = number end
  end
  return floor_of
end

-- The room that a path below the root of the plan lies in: the longest folder that is one.
local function room_of(path, floor_of)
  local folder = path:match("^(.*)/[^/]*$")
  while folder and not floor_of[folder] do folder = folder:match("^(.*)/[^/]*$") end
  return folder
end

-- The arrows of some files: { from =, to =, where = } by the texts that `targets(text, path)` finds.
local function arrows(root, endings, floor_of, targets)
  local list = {}
  for _, path in ipairs(each_file(root, endings)) do
    local below = path:sub(#root + 2)
    local from = room_of(below, floor_of)
    t.ok(from, path .. " lies in no room of the plan")
    for _, target in ipairs(targets(assert(files.read(path)))) do
      local to = room_of(target, floor_of)
      t.ok(to, ("%s uses %s, which lies in no room of the plan"):format(path, target))
      local where = path .. " -> " .. target
      if from and to and from ~= to then list[#list + 1] = { from = from, to = to, where = where } end
    end
  end
  return list
end

local function check_downward(kind, list, floor_of)
  local used = {}
  for _, arrow in ipairs(list) do
    local name = ("%s: %s > %s"):format(kind, arrow.from, arrow.to)
    used[name] = true
    local down = floor_of[arrow.to] > floor_of[arrow.from]
    t.ok(down or exceptions[name], "an arrow that does not point down: " .. arrow.where)
  end
  for name in pairs(exceptions) do
    if name:find("^" .. kind) then t.ok(used[name], "an exception that nothing needs: " .. name) end
  end
end

local function check_no_empty_room(root, floors)
  for _, rooms in ipairs(floors) do
    for _, room in ipairs(rooms) do
      local folder = root .. "/" .. room
      t.ok(files.is_folder(folder), folder .. " is not there")
    end
  end
end

-- Whoever uses a desktop sees the front (desk.h, activity.h, elements.h and what those are made of) and no backend.
function tests.the_front_hides_the_backends()
  local seen, endings = 0, { c = true, h = true }
  for _, path in ipairs(each_file("runtime/lib", endings, each_file("runtime/host", endings))) do
    for name in assert(files.read(path)):gmatch('#include "desk/([^"\n]+)"') do
      seen = seen + 1
      local private = name:find("/") or name:find("_internal%.h$") or name == "backend.h"
      t.ok(not private, ("%s includes desk/%s, which is for backends"):format(path, name))
    end
  end
  t.ok(seen > 3, seen .. " includes are too few to be all")
end

function tests.the_runtime_points_down()
  local floor_of = numbered(runtime_floors)
  check_no_empty_room("runtime", runtime_floors)
  local list = arrows("runtime", { c = true, h = true }, floor_of, function(text)
    local found = {}
    for name in text:gmatch('#include "([^"\n]+/[^"\n]+)"') do found[#found + 1] = name end -- others are the room's own
    return found
  end)
  t.ok(#list > 100, #list .. " arrows between rooms are too few to be all")
  check_downward("runtime", list, floor_of)
end

-- Where a module lies: "desk/wait/waits" of "deskpilot.desk.wait.waits", "desk/init" of "deskpilot.desk". A name that
-- is put together ("deskpilot.cli.commands." .. name) stands for what is in that folder.
local function module_path(name)
  local path = name:gsub("^deskpilot%.", ""):gsub("%.", "/")
  return files.is_folder("lua/deskpilot/" .. path) and path:gsub("/$", "") .. "/init" or path
end

function tests.lua_points_down()
  local floor_of = numbered(lua_floors)
  check_no_empty_room("lua/deskpilot", lua_floors)
  local list = arrows("lua/deskpilot", { lua = true }, floor_of, function(text)
    local found = {}
    for name in text:gmatch('require%s*%(?%s*"(deskpilot%.[%w_.]+)"') do found[#found + 1] = module_path(name) end
    for name in text:gmatch('"(deskpilot%.[%w_.]+%.)"') do found[#found + 1] = module_path(name) end
    return found
  end)
  t.ok(#list > 100, #list .. " arrows between rooms are too few to be all")
  check_downward("lua", list, floor_of)
end

-- What differs between systems is a whole file in a folder of the system's.
function tests.no_shared_file_asks_for_its_system()
  local macros = { "_WIN32", "_WIN64", "__MINGW32__", "__linux__", "__unix__" }
  for _, path in ipairs(each_file("runtime", { c = true, h = true })) do
    for line in assert(files.read(path)):gmatch("[^\n]*#%s*if[^\n]*") do
      for _, macro in ipairs(macros) do
        t.ok(not line:find("%f[%w_]" .. macro .. "%f[^%w_]"), path .. ": " .. line)
      end
    end
  end
end

-- The floors that are above a model and its words are in Lua.
function tests.the_runtime_knows_no_agent()
  local words = { "persona", "strategist", "tactician", "openai", "deskpilot%.agent", "deskpilot%.policies" }
  for _, path in ipairs(each_file("runtime", { c = true, h = true })) do
    local text = assert(files.read(path)):lower()
    for _, word in ipairs(words) do t.ok(not text:find("%f[%w]" .. word), path .. " speaks of " .. word) end
  end
end

-- What is promised of files (base/files.lua) holds for all of them only if nobody else makes any.
local writers = {
  lua = { allowed = { ["lua/deskpilot/base/files.lua"] = true, ["lua/deskpilot/base/new_file.lua"] = true,
    ["lua/deskpilot/desk/platform/windows/platform.lua"] = true }, -- of which the last opens a pipe
    "io%.open%s*%([^)]*[\"'][^\"']*[wa+][^\"']*[\"']%s*%)", "io%.output%s*%(%s*[^i%s)]", "io%.tmpfile", "os%.tmpname",
    "os%.rename", "native%.files", "fs_mkdir", "fs_mkdtemp", "fs_mkstemp", "fs_rename", "fs_copyfile", "fs_sendfile",
    "fs_link", "fs_symlink", "fs_f?l?chmod", "fs_f?l?chown", "fs_open" },
  c = { allowed = { ["runtime/system/linux/files.c"] = true, ["runtime/system/windows/files.c"] = true,
    ["runtime/system/windows/access.c"] = true }, -- which only asks who may write
    "%f[%w_]fopen%s*%([^)]*,%s*\"[^r]", "%f[%w_]fopen%s*%([^)]*,%s*\"r[^\"]*%+", "%f[%w_]_?w?freopen%s*%(",
    "%f[%w_]_wfopen%s*%(", "O_CREAT", "%f[%w_]creat%s*%(", "%f[%w_]mkd?o?s?temp%s*%(",
    "%f[%w_]mkdir%s*%(", "%f[%w_]rename%s*%(", "%f[%w_]symlink%s*%(", "%f[%w_]tmpfile%s*%(", "%f[%w_]tmpnam%s*%(",
    "GENERIC_WRITE", "FILE_WRITE_DATA", "FILE_APPEND_DATA", "CREATE_NEW", "CREATE_ALWAYS", "OPEN_ALWAYS",
    "TRUNCATE_EXISTING", "_fs_open%s*%(", "CreateDirectory", "MoveFile", "CopyFile", "ReplaceFile",
    "%f[%w_]open%s*%(", "%f[%w_]_w?open%s*%(" },
}

-- The first of the patterns that a line of a text has; comments do not count.
local function found_writer(source, patterns)
  for line in source:gmatch "[^\n]+" do
    for _, pattern in ipairs(patterns) do
      local code = line:gsub("^%s*/?%*.*", ""):gsub("%-%-.*", ""):gsub('fs_open(%b())', function(arguments)
        return arguments:find ', "r",' and "reads" or nil
      end):gsub("%f[%w_]open(%b())", function(arguments) return arguments:find ", O_RDONLY" and "reads" or nil end)
      if code:find(pattern) then return line, pattern end
    end
  end
end

function tests.one_place_opens_files_for_writing()
  local seen = {}
  local lua = each_file("missions", { lua = true }, each_file("lua/deskpilot", { lua = true }))
  for kind, paths in pairs { lua = lua, c = each_file("runtime", { c = true, h = true }) } do
    t.ok(#paths > 20)
    for _, path in ipairs(paths) do
      local line, pattern = found_writer(assert(files.read(path)), writers[kind])
      if writers[kind].allowed[path] then seen[path] = line ~= nil
      else t.ok(not line, ("%s makes files itself (%s): %s"):format(path, tostring(pattern), tostring(line))) end
    end
  end
  for path in pairs(writers.lua.allowed) do t.ok(seen[path], path .. " makes no files any more") end
  for path in pairs(writers.c.allowed) do t.ok(seen[path], path .. " makes no files any more") end
end

function tests.a_writer_is_found()
  for _, line in ipairs { 'io.open(path, "wb")', "io.open(p, 'a')", 'io.open(p, "r+b")', 'io.output("x")',
    'uv.fs_open(path, "a", 384)', 'uv.fs_open(journal_of(x), "r+", 0)', "uv.fs_open(path, flags, 0)",
    'uv.fs_rename(a, b)', 'uv.fs_mkdtemp(x)', 'uv.fs_copyfile(a, b)' } do
    t.ok(found_writer(line, writers.lua), line)
  end
  for _, line in ipairs { 'io.open("/proc/x", "rb")', 'uv.fs_open(path, "r", 0)', "io.output(io.stderr)",
    'uv.fs_open(files.join(a, b), "r", 0)', "-- io.open(path, 'w')" } do
    t.eq(found_writer(line, writers.lua), nil, line)
  end
  for _, line in ipairs { 'FILE *f = fopen(path, "wb");', 'fopen(p, "a")', 'fopen(p, "r+")', "open(p, O_RDWR)",
    "CreateFileW(path, GENERIC_WRITE, 0,", "MoveFileExW(a, b, 0)", "mkstemp(name)", "    if (rename(a, b) != 0)" } do
    t.ok(found_writer(line, writers.c), line)
  end
  for _, line in ipairs { 'fopen(path, "re")', 'fopen(path, "rb")', "x11_rename(a)", " * rename(2)" } do
    t.eq(found_writer(line, writers.c), nil, line)
  end
end

return tests
