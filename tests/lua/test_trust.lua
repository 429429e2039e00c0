--- Whose files are used: by their owners, modes and links; and as two real users, one of whom plants files where the
--- other works.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local lookup = require "deskpilot.base.lookup"
local spawn = require "spawn"
local system = require "native.system"
local trust = require "deskpilot.base.trust"
local uv = require "luv"

local tests = {}

local function octal(digits) return tonumber(digits, 8) end

local function write(path, words, mode)
  assert(files.make_folder((files.split(path))))
  assert(files.write(path, words or "{}"))
  if mode then assert(uv.fs_chmod(path, octal(mode))) end
  return path
end

local function with_folder(fn)
  return function()
    local folder = spawn.folder()
    local ok, err = xpcall(fn, debug.traceback, folder)
    trust.allow {}
    lookup.set_roots {}
    files.remove(folder)
    if not ok then error(err, 0) end
  end
end

tests.files_of_ones_own = with_folder(function(folder)
  t.eq(trust.check(write(folder .. "/a/b/deskpilot.lua")), true)
  t.eq(trust.check(folder), true)
  t.fails("not_found", "there is no file", trust.check(folder .. "/none"))
  t.fails("not_found", "cannot look at", system.access(folder .. "/none"))
  local access = assert(system.access(folder))
  t.eq(access, { link = false, ours = true })
end)

tests.folders_that_are_trusted = with_folder(function(folder)
  t.fails("invalid", "trusted_folders holds 'shared', but must hold absolute paths", trust.allow { "shared" })
  t.fails("invalid", "absolute", trust.allow { folder, "" })
  t.eq(trust.allow { folder .. "/is_not_there", folder }, true)
end)

tests.a_part_of_the_program_has_no_other_in_its_place = with_folder(function(folder)
  write(folder .. "/m.lua", "return { task = 'x' }")
  local path = write(folder .. "/deskpilot/agent/loop.lua", "io.stderr:write 'RAN'")
  for _, words in ipairs { { "run", "m.lua" }, { "eval", "1" }, { "repl" } } do
    local child = spawn.run({ files.absolute(spawn.program), table.unpack(words) }, { cwd = folder,
      env = { DISPLAY = false }, input = "1\n" })
    t.eq(child.status, 2, words[1])
    t.eq(child.stderr, ("deskpilot: %s is not used: it has the place of a part of deskpilot itself, and what may be "
      .. "replaced are policies, tools, guards, prompts, apps and model/profiles; move it away\n"):format(path))
  end
end)

if system.platform == "linux" then
  tests.what_others_may_write = with_folder(function(folder)
    local path = write(folder .. "/p/deskpilot.lua")
    for mode, writer in pairs { ["666"] = "everybody", ["646"] = "everybody", ["602"] = "everybody" } do
      assert(uv.fs_chmod(path, octal(mode)))
      t.fails("refused", ("%s is not used: it may be written by %s"):format(path, writer), trust.check(path))
    end
    for _, mode in ipairs { "644", "600", "444", "755" } do
      assert(uv.fs_chmod(path, octal(mode)))
      t.eq(trust.check(path), true, mode)
    end
    assert(uv.fs_chmod(folder .. "/p", octal "777"))
    t.fails("refused", ("%s is not used: %s/p may be written by everybody"):format(path, folder), trust.check(path))
    assert(uv.fs_chmod(folder .. "/p", octal "1777"))
    t.eq(trust.check(path), true, "others may add to such a folder, and change nothing in it")
    assert(uv.fs_chmod(path, octal "666"))
    local _, err = trust.check(path, folder .. "/p")
    t.has(tostring(err), ("trusted_folders = { %q } in "):format(folder .. "/p"))
    t.has(tostring(err), "DESKPILOT_TRUSTED_FOLDERS=" .. folder .. "/p")
    assert(trust.allow { folder .. "/pp", folder .. "/p" })
    t.eq(trust.check(path), true)
    assert(trust.allow { folder .. "/p/" })
    t.eq(trust.check(path), true)
    assert(trust.allow { path .. "x", folder .. "/p/deskpilot" })
    t.eq(trust.check(path), nil, "the beginning of a name is no folder")
    assert(trust.allow { "/" })
    t.eq(trust.check(path), true)
  end)

  tests.links_are_followed_to_their_ends = with_folder(function(folder)
    local open = write(folder .. "/open/evil.lua")
    assert(uv.fs_chmod(folder .. "/open", octal "777"))
    assert(files.make_folder(folder .. "/p"))
    local function link(target, name)
      assert(uv.fs_symlink(target, folder .. "/p/" .. name))
      return folder .. "/p/" .. name
    end
    local path = link(open, "m.lua")
    t.fails("refused", ("%s is not used: %s/open may be written by everybody"):format(path, folder), trust.check(path))
    link("../open", "tools")
    t.fails("refused", "open may be written by everybody", trust.check(folder .. "/p/tools/evil.lua"))
    link("tools", "again")
    t.fails("refused", "open may be written by everybody", trust.check(folder .. "/p/again/evil.lua"))
    t.fails("refused", "open may be written by everybody", trust.check(folder .. "/p/again/../open/evil.lua"))
    t.fails("not_found", "there is no file", trust.check(link("circle", "circle")))
    write(folder .. "/good/mine.lua")
    t.eq(trust.check(link("../good/mine.lua", "mine.lua")), true)
    assert(trust.allow { folder .. "/p" })
    t.eq(trust.check(path), nil, "what a trusted folder's link leads to is not in it")
    assert(trust.allow { folder .. "/open" })
    t.eq(trust.check(path), true)
  end)
end

if system.platform == "windows" then
  -- Access control lists: tests/windows/c/test_win32_access.c. Wine shows /tmp as a folder of everybody's.
  local shared = system.access "Z:/tmp"
  if shared and shared.writer then
    function tests.what_others_may_write()
      local folder = files.absolute(assert(uv.fs_mkdtemp "Z:/tmp/deskpilot-test-XXXXXX"))
      local path = write(folder .. "/deskpilot.lua")
      local ok, err = trust.check(path)
      t.ok(not ok)
      t.has(tostring(err), "/deskpilot.lua is not used: Z:/tmp may be written by Everyone")
      t.has(tostring(err), ("trusted_folders = { %q } in "):format(folder))
      assert(trust.allow { folder })
      t.eq(trust.check(path), true)
      assert(trust.allow { "Z:\\" })
      t.eq(trust.check(path), true)
      trust.allow {}
      files.remove(folder)
    end
  end
  return tests
end

-- --- two users -----------------------------------------------------------------------------------------------------

local function can_be_others()
  if uv.getuid() ~= 0 then return false end
  return spawn.run({ "setpriv", "--reuid", "4001", "--regid", "4001", "--clear-groups", "true" }).status == 0
end

if not can_be_others() then
  io.stdout:write "      SKIPPED: what another user plants: only root can be two users (setpriv)\n"
  return tests
end

local alice, bob = 4002, 4001

-- Runs a shell's words as that user.
local function as(user, words, options)
  options = options or {}
  local child = spawn.run({ "setpriv", "--reuid", tostring(user), "--regid", tostring(options.group or user),
    "--clear-groups", "sh", "-c", words }, { cwd = options.cwd, env = options.env })
  return child
end

local function plant(words)
  local child = as(bob, words)
  assert(child.status == 0, child.stderr)
end

-- A folder as /tmp is, with the program, and in it a home and a project of Alice's.
local function with_users(fn)
  return with_folder(function(base)
    assert(uv.fs_chmod((files.split(base)), octal "711")) -- the tests' own, where only we may go
    assert(uv.fs_chmod(base, octal "1777"))
    assert(uv.fs_copyfile(spawn.program, base .. "/program"))
    assert(uv.fs_chmod(base .. "/program", octal "755"))
    local made = as(alice, ("mkdir -p %s/alice/work %s/alice/home"):format(base, base))
    assert(made.status == 0, made.stderr)
    local mission = "return { run = function() print 'the mission ran' end }"
    made = as(alice, ("echo \"%s\" > %s/alice/work/m.lua"):format(mission, base))
    assert(made.status == 0, made.stderr)
    local function deskpilot(words, env)
      env = env or {}
      env.HOME, env.XDG_CONFIG_HOME, env.DISPLAY = base .. "/alice/home", false, false
      env.ASAN_OPTIONS = "detect_leaks=0" -- which cannot look into a process of another user
      return as(env.USER_IS or alice, base .. "/program " .. words, { cwd = base .. "/alice/work", env = env })
    end
    fn(base, deskpilot)
  end)
end

local code = 'io.stderr:write("BOB RUNS AS ", require("luv").getuid(), string.char(10)) return { api = 1 }'

local function refused(child, base, part)
  t.eq(child.status, 2, child.stdout .. child.stderr)
  t.has(child.stderr, part)
  t.ok(not child.stderr:find("BOB RUNS", 1, true), child.stderr)
  t.eq(select(2, child.stderr:gsub("\n", "")), 1, "one line: " .. child.stderr)
  t.has(child.stderr, "/alice/home/.config/deskpilot/config.lua, or the variable DESKPILOT_TRUSTED_FOLDERS=" .. base)
end

tests.a_configuration_above_the_working_folder = with_users(function(base, deskpilot)
  plant(("echo '{ runs = { dir = \"%s/of-bob\" } }' > %s/deskpilot.lua"):format(base, base))
  plant(("mkdir -p %s/deskpilot/guards && echo '%s' > %s/deskpilot/guards/zz.lua"):format(base, code, base))
  local part = base .. "/deskpilot.lua is not used: it belongs to the user 4001"
  refused(deskpilot "run m.lua", base, part)
  refused(deskpilot "eval 1", base, part)
  refused(deskpilot "repl", base, part)
  local doctor = deskpilot "doctor"
  t.has(doctor.stdout, part)
  t.ok(not doctor.stderr:find("BOB RUNS", 1, true), doctor.stderr)
  -- A nearer file of one's own ends the search.
  as(alice, ("echo '{}' > %s/alice/work/deskpilot.lua"):format(base))
  local child = deskpilot "eval '1 + 1'"
  t.eq({ child.status, child.stdout }, { 0, "2\n" }, child.stderr)
end)

tests.a_plugin_beside_files_of_ones_own = with_users(function(base, deskpilot)
  as(alice, ("mkdir -p %s/alice/work/deskpilot/guards && chmod 1777 %s/alice/work/deskpilot/guards"):format(base, base))
  plant(("echo '%s' > %s/alice/work/deskpilot/guards/zz.lua"):format(code, base))
  local child = deskpilot "run m.lua"
  refused(child, base, "/deskpilot/guards/zz.lua is not used: it belongs to the user 4001")
  -- All who may write there are trusted: by a flag, a variable, the user's own file, and by no other.
  local allowed = { deskpilot("run m.lua --set trusted_folders=" .. base .. "/alice/work"),
    deskpilot("run m.lua", { DESKPILOT_TRUSTED_FOLDERS = "/nowhere," .. base .. "/alice/work" }) }
  as(alice, ("mkdir -p %s/alice/home/.config/deskpilot && echo 'return { trusted_folders = { \"%s/alice\" } }' "
    .. "> %s/alice/home/.config/deskpilot/config.lua"):format(base, base, base))
  allowed[3] = deskpilot "run m.lua"
  for i, one in ipairs(allowed) do t.has(one.stderr, "BOB RUNS AS 4002\n", i) end
  -- What is said in a stronger place stands in the place of the weaker.
  refused(deskpilot("run m.lua", { DESKPILOT_TRUSTED_FOLDERS = "/nowhere" }), base, "zz.lua is not used")
  as(alice, ("rm %s/alice/home/.config/deskpilot/config.lua"):format(base))
  as(alice, ("echo '{ trusted_folders = { \"%s\" } }' > %s/alice/work/deskpilot.lua"):format(base, base))
  refused(deskpilot "run m.lua", base, "zz.lua is not used")
  as(alice, ("rm %s/alice/work/deskpilot/guards/zz.lua"):format(base)) -- sticky, but the folder is hers
  child = deskpilot "run m.lua"
  t.eq(child.status, 2)
  t.has(child.stderr, "trusted_folders is yours alone to say: by a flag, by the environment or in your own "
    .. "configuration (from " .. base .. "/alice/work/deskpilot.lua)")
  as(alice, ("rm %s/alice/work/deskpilot.lua"):format(base))
  as(alice, ("echo 'return { task = \"x\", trusted_folders = { \"/\" } }' > %s/alice/work/t.lua"):format(base))
  t.has(deskpilot "run t.lua".stderr, "trusted_folders is yours alone to say")
end)

tests.missions_and_runs_of_others = with_users(function(base, deskpilot)
  plant(("mkdir -p %s/bob && echo 'return { run = function() %s end }' > %s/bob/m.lua"):format(base, code:gsub(
    " return.*", ""), base))
  refused(deskpilot("run ../../bob/m.lua"), base, "m.lua is not used: " .. base .. "/")
  -- A link of Bob's to what is Alice's own makes it his choice.
  plant(("ln -s %s/alice/work/m.lua %s/link.lua"):format(base, base))
  refused(deskpilot("run ../../link.lua"), base, "link.lua is not used: ")
  -- A run of Bob's: a copy of his mission, and flags that would name an address.
  plant(("mkdir -p %s/bob/run && cp %s/bob/m.lua %s/bob/run/mission.lua"):format(base, base, base))
  local lines = json.encode { event = "journal", version = 1, program = "x", n = 1, at = 0 } .. "\n"
    .. json.encode { event = "run_start", mission = "m", desktop = "current", version = "x",
      config = { policy = "odev" }, script = true, n = 2, at = 0,
      file = { path = "m.lua", folder = base .. "/bob", sha256 = "x" } } .. "\n"
  local path = base .. "/lines"
  assert(files.write(path, lines))
  assert(uv.fs_chmod(path, octal "644"))
  plant(("cp %s %s/bob/run/journal.jsonl"):format(path, base))
  refused(deskpilot("resume -q ../../bob/run"), base, "mission.lua is not used: ")
  refused(deskpilot("resume -q ../../bob/run --mission-file m.lua"), base, "journal.jsonl is not used: ")
end)

-- Runs the program with other lists of users and groups.
local function with_lists(base, passwd, group, words)
  assert(files.write(base .. "/passwd", passwd))
  assert(files.write(base .. "/group", group))
  return spawn.run({ "unshare", "--mount", "sh", "-c", ("mount --bind %s/passwd /etc/passwd && mount --bind %s/group "
    .. "/etc/group && cd %s/alice/work && exec setpriv --reuid 4002 --regid 4002 --clear-groups %s/program %s"):format(
    base, base, base, base, words) }, { env = { HOME = base .. "/alice/home", XDG_CONFIG_HOME = false, DISPLAY = false,
    ASAN_OPTIONS = "detect_leaks=0" } })
end

tests.a_group_of_ones_own = with_users(function(base)
  if spawn.run({ "unshare", "--mount", "sh", "-c", "mount --bind /etc/group /etc/group" }).status ~= 0 then
    io.stdout:write "      SKIPPED: private groups: this machine lets nobody mount (unshare --mount)\n"
    return
  end
  assert(uv.fs_chmod(base .. "/alice/work/m.lua", octal "664"))
  assert(uv.fs_chmod(base .. "/alice/work", octal "775"))
  local users = "root:x:0:0::/root:/bin/sh\nalice:x:4002:4002::/:/bin/sh\nbob:x:4001:4001::/:/bin/sh\n"
  local function judged(passwd, group, refusal)
    local child = with_lists(base, passwd, "root:x:0:\n" .. group, "run m.lua")
    t.has(child.stderr, refusal and "m.lua is not used: " .. base .. "/alice/work may be written by the group "
      .. refusal or "There is no desktop")
  end
  judged(users, "alice:x:4002:\n")
  judged(users, "alice:x:4002:alice\n")
  judged(users, "alice:x:4002:alice,bob\n", "alice")
  judged(users, "staff:x:4002:\n", "staff")
  judged(users, "", "4002")
  judged(users .. "eve:x:4003:4002::/:/bin/sh\n", "alice:x:4002:\n", "alice")
end)

tests.what_a_group_may_write = with_users(function(base, deskpilot)
  local work = base .. "/alice/work"
  assert(uv.fs_chmod(work .. "/m.lua", octal "664"))
  refused(deskpilot "run m.lua", base, "m.lua is not used: it may be written by the group 4002")
  assert(uv.fs_chown(work .. "/m.lua", alice, 0))
  local child = deskpilot "run m.lua"
  t.has(child.stderr, "There is no desktop", "root's own group is root")
  assert(uv.fs_chown(work .. "/m.lua", 0, 0))
  t.has(deskpilot "run m.lua".stderr, "There is no desktop", "what root has made is used")
  assert(uv.fs_chown(work .. "/m.lua", alice, alice))
  assert(uv.fs_chmod(work .. "/m.lua", octal "644"))
  assert(uv.fs_chown(work, bob, bob))
  refused(deskpilot "run m.lua", base, "m.lua is not used: " .. work .. " belongs to the user 4001")
end)

return tests
