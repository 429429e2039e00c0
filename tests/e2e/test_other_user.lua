-- What another user of the same machine can read, replace or lead astray: everything that a run makes, and the files
-- that its user has asked for. As root it is tried by two real users (setpriv); otherwise only modes are compared.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local spawn = require "spawn"
local uv = require "luv"

local tests = {}

local is_root = uv.getuid() == 0

local function id_of(name)
  return assert(math.tointeger(tonumber(spawn.run({ "id", "-u", name }).stdout)), "there is no user " .. name)
end

-- Both have to have a name: the session bus wants that.
local owner, other = is_root and id_of "nobody" or uv.getuid(), is_root and id_of "daemon" or nil

if not is_root then
  io.stdout:write("NOT CHECKED with another user's eyes, because this is not root: only modes are compared\n")
end

local function as(user, words)
  if not is_root then return words end
  return { "setpriv", "--reuid", tostring(user), "--regid", tostring(user), "--clear-groups", table.unpack(words) }
end

local function own(path, mode)
  if is_root then assert(uv.fs_chown(path, owner, owner)) end
  assert(uv.fs_chmod(path, tonumber(mode, 8)))
  return path
end

-- A folder that everybody may look into, with a home, a folder for temporary files, one that is shared without the
-- sticky bit, and the program, which may lie where the owner cannot get it.
local function with_place(fn)
  local base = assert(uv.fs_mkdtemp "/tmp/dpu-XXXXXX")
  local guard <close> = setmetatable({}, { __close = function() files.remove(base) end })
  assert(guard)
  assert(uv.fs_chmod(base, tonumber("755", 8)))
  local place = { base = base }
  for name, mode in pairs { home = "755", tmp = "1777", shared = "777" } do
    place[name] = files.join(base, name)
    assert(files.make_folder(place[name]))
    assert(uv.fs_chmod(place[name], tonumber(mode, 8)))
  end
  own(place.home, "755")
  place.program = files.join(base, "deskpilot")
  assert(uv.fs_copyfile(spawn.program, place.program))
  assert(uv.fs_chmod(place.program, tonumber("755", 8)))
  place.env = { HOME = place.home, TMPDIR = place.tmp, XDG_STATE_HOME = false, XDG_CONFIG_HOME = false,
    XDG_RUNTIME_DIR = false, DISPLAY = false, ASAN_OPTIONS = "detect_leaks=0" }
  fn(place)
end

-- A program of the owner's, as careless as can be: what it makes may be everybody's.
local function start(place, words, umask)
  return spawn.start(as(owner, { "sh", "-c", ("umask %s; exec \"$@\""):format(umask or "000"), "sh", place.program,
    table.unpack(words) }), { cwd = place.home, env = place.env })
end

local function eval(place, code, umask)
  return start(place, { "eval", code }, umask):wait()
end

-- What is open to others below a folder: nothing is behind a closed one.
local function open_modes(path, found)
  local stat = assert(uv.fs_lstat(path))
  if stat.type == "link" then return found end
  if stat.mode & tonumber("77", 8) ~= 0 then found[#found + 1] = ("%s %o"):format(path, stat.mode & tonumber("777", 8))
  elseif stat.type == "directory" then return found end -- whatever is in there
  if stat.type == "directory" then
    for _, name in ipairs(files.list(path)) do open_modes(files.join(path, name), found) end
  end
  return found
end

-- What the other user reads, writes or can list of what is there, without what the test has made open itself.
local function seen_by_other(place)
  if not is_root then return {} end
  local child = spawn.run(as(other, { "find", place.home, place.tmp, "(", "-readable", "-o", "-writable", ")",
    "-print" }))
  local found = {}
  for path in child.stdout:gmatch "[^\n]+" do
    if path ~= place.home and path ~= place.tmp and not path:find "/m%.lua$" then found[#found + 1] = path end
  end
  return found
end

local function nothing_is_open(place, when)
  t.eq(seen_by_other(place), {}, "seen by another user " .. when)
  for _, folder in ipairs { files.join(place.home, "runs"), files.join(place.home, ".local") } do
    t.eq(open_modes(folder, {}), {}, "open by its mode " .. when)
  end
  for _, name in ipairs(files.list(place.tmp)) do
    t.eq(open_modes(files.join(place.tmp, name), {}), {}, "open by its mode " .. when)
  end
end

local mission = [[
local files = require "deskpilot.base.files"
return { desktop = { kind = "private", size = { 320, 240 } }, limits = { seconds = 90 }, run = function(m)
  m.memory:set("door", "1234", { keep = true })
  m.desk.screen.shot():save(%q .. "/shot.png")
  local own = assert(files.own_temporary_folder())
  assert(files.write(own .. "/draft", "words"))
  local shown = m.desk.apps.run { "sh", "-c", "echo $DISPLAY" }
  assert(files.write(own .. "/ready", shown.stdout))
  m.desk.wait_until(function() return files.exists(own .. "/go") end, { timeout = 60 })
end }]]

local function is_picture(path) return (files.read(path) or ""):sub(2, 4) == "PNG" end

function tests.a_run_is_its_users_alone()
  with_place(function(place)
    local precious = files.join(place.home, "precious")
    assert(files.write(precious, "precious"))
    own(precious, "600")
    for _, name in ipairs { "shot.png", "shot.png.part" } do
      local words = { "ln", "-s", precious, files.join(place.shared, name) }
      t.eq(spawn.run(is_root and as(other, words) or words).status, 0)
    end
    own((function(path) assert(files.write(path, mission:format(place.shared))) return path end)(
      files.join(place.home, "m.lua")), "644")
    local child = start(place, { "run", "m.lua", "--json", "--set", "memory.keep=project" })
    local temporary = files.join(place.tmp, "deskpilot-" .. owner)
    local display = t.wait_until("the mission", function()
      if child.status then error(child.stderr) end
      return files.read(files.join(temporary, "ready"))
    end, 60)
    nothing_is_open(place, "while it runs")
    if is_root then
      local env = { DISPLAY = display:gsub("%s", ""), HOME = place.tmp, XAUTHORITY = false,
        ASAN_OPTIONS = "detect_leaks=0" }
      local look = spawn.run(as(other, { place.program, "shot", "-o", "-" }), { cwd = place.tmp, env = env })
      t.ok(look.status ~= 0 and #look.stdout == 0, "another user sees the private desktop")
      t.has(look.stderr, "cannot be opened", display)
    end
    assert(files.write(files.join(temporary, "go"), ""))
    child:wait()
    t.eq(child.status, 0, child.stderr)
    nothing_is_open(place, "afterwards")
    local result = json.decode(child.stdout) or {}
    local run = files.join(place.home, result.run_dir or "")
    for _, name in ipairs { "journal.jsonl", "result.json", "trajectory.json", "mission.lua", "screenshots/end.png" } do
      local stat = uv.fs_stat(files.join(run, name)) or { mode = 0 }
      t.eq(("%o"):format(stat.mode & tonumber("777", 8)), "600", name)
    end
    t.eq(start(place, { "report", run }):wait().status, 0)
    nothing_is_open(place, "with its report")
    t.eq(files.read(precious), "precious", "a planted link was followed")
    t.ok(is_picture(files.join(place.shared, "shot.png")))
  end)
end

-- A file that was asked for by its name is as any program of the user's makes it.
function tests.named_files_keep_the_umask()
  with_place(function(place)
    for umask, mode in pairs { ["000"] = "666", ["002"] = "664", ["022"] = "644", ["077"] = "600" } do
      local path = files.join(place.shared, "of-" .. umask)
      local child = eval(place, ("assert(require('deskpilot.base.files').write(%q, 'x'))"):format(path), umask)
      t.eq(child.status, 0, child.stderr)
      t.eq(("%o"):format(assert(uv.fs_stat(path)).mode & tonumber("777", 8)), mode, "umask " .. umask)
    end
  end)
end

-- Where the folder of the user's own temporary files would be, there is one of somebody else's, or one that is open.
function tests.somebody_elses_folder_is_not_used()
  with_place(function(place)
    local path = files.join(place.tmp, "deskpilot-" .. owner)
    local code = "print(require('deskpilot.base.files').own_temporary_folder())"
    local function refused(what)
      t.has(eval(place, code).stdout, "nil\t" .. path .. " belongs to somebody else, or others may use it", what)
      files.remove(path)
    end
    assert(files.make_folder(path))
    own(path, "777")
    refused "an open folder"
    assert(uv.fs_symlink(place.home, path))
    refused "a link"
    if is_root then
      assert(files.make_folder(path))
      assert(uv.fs_chown(path, other, other))
      assert(uv.fs_chmod(path, tonumber("700", 8)))
      refused "another user's folder"
    end
    t.has(eval(place, code).stdout, path)
  end)
end

-- In a folder with the sticky bit the other user's link cannot be replaced: the file is not written, and nobody else's.
function tests.a_link_in_a_sticky_folder()
  if not is_root then return io.stdout:write "NOT CHECKED: links of another user in a sticky folder need root\n" end
  with_place(function(place)
    local precious, path = files.join(place.home, "precious"), files.join(place.tmp, "out.csv")
    assert(files.write(precious, "precious"))
    own(precious, "600")
    t.eq(spawn.run(as(other, { "ln", "-s", precious, path })).status, 0)
    local child = eval(place, ("print(require('deskpilot.base.files').write(%q, 'x'))"):format(path))
    t.has(child.stdout, "nil\tcannot write " .. path, child.stderr)
    child = eval(place, ("print(require('deskpilot.base.files').append(%q))"):format(path))
    t.has(child.stdout, "nil\tcannot write " .. path, child.stderr)
    t.eq(files.read(precious), "precious")
    t.eq(files.list(place.tmp), { "out.csv" }, "nothing else is left there")
  end)
end

return tests
