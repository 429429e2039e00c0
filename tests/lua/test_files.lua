-- Writing files so that nobody reads half of one, follows somebody else's link, or loses what was there.
local t = require "harness"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local failing = require "failing"
local spawn = require "spawn"
local text = require "deskpilot.base.text"
local uv = require "luv"

local tests = {}

local function mode(path)
  return ("%o"):format(assert(uv.fs_lstat(path)).mode & tonumber("777", 8))
end

function tests.a_file_is_replaced_as_a_whole()
  local folder = spawn.folder()
  local path = files.join(folder, "a.txt")
  t.ok(files.write(path, "first"))
  t.ok(files.write(path, ("x"):rep(3000000)))
  t.eq(#assert(files.read(path)), 3000000)
  t.eq(files.list(folder), { "a.txt" }, "nothing else is left there")
  local ok, err = files.write(files.join(folder, "no/such/folder"), "x")
  t.eq(ok, nil)
  t.eq(err.code, "not_found")
  files.remove(folder)
end

function tests.a_file_is_written_in_pieces()
  local folder = spawn.folder()
  local path = files.join(folder, "a.txt")
  t.ok(files.write(path, function(put)
    for i = 1, 1000 do put(("%04d"):format(i)) end
    return true
  end))
  local words = assert(files.read(path))
  t.eq({ #words, words:sub(1, 8), words:sub(-4) }, { 4000, "00010002", "1000" })
  local ok, err = files.write(path, function(put)
    put "half"
    return errors.fail("invalid", "it is not what it should be")
  end)
  t.eq({ ok, err and err.code, tostring(err) }, { nil, "invalid", "it is not what it should be" })
  t.eq({ pcall(files.write, path, function(put)
    put "half"
    error("stopped", 0)
  end) }, { false, "stopped" })
  t.eq({ files.read(path), table.unpack(files.list(folder)) }, { words, "a.txt" }, "it is as it was")
  files.remove(folder)
end

function tests.the_lines_of_a_file()
  local folder = spawn.folder()
  local path = files.join(folder, "a.txt")
  local function lines_of(content, last)
    t.ok(files.write(path, content))
    local list = {}
    t.eq({ files.each_line(path, function(line, ended)
      list[#list + 1] = ended and line or { line }
      return line ~= last
    end) }, { true })
    return list
  end
  t.eq(lines_of "", {})
  t.eq(lines_of "\n\n", {})
  t.eq(lines_of "one", { { "one" } })
  t.eq(lines_of "one\n\ntwo\r\n\nthree", { "one", "two\r", { "three" } })
  t.eq(lines_of("one\ntwo\nthree", "two"), { "one", "two" })
  local long = ("0123456789"):rep(60000) -- more than is read at once
  t.eq(lines_of("a\n" .. long .. "\n" .. long .. "b\n\nc\n") , { "a", long, long .. "b", "c" })
  t.fails("not_found", "cannot read", files.each_line(files.join(folder, "none"), print))
  t.fails("io", "it is larger than 1000 bytes", files.each_line(path, print, 1000))
  t.fails("io", "it is a folder", files.each_line(folder, print))
  local file = assert(io.open(path, "wb"))
  file:seek("set", 65 * 2 ^ 20)
  file:write "x" -- with a hole
  file:close()
  t.fails("io", "a line of it is larger than 67108864 bytes", files.each_line(path, print))
  files.remove(folder)
end

function tests.listing_a_folder_leaves_nothing_in_memory()
  local folder = spawn.folder()
  for _, name in ipairs { "b", "a", "c" } do t.ok(files.write(files.join(folder, name), "")) end
  local function bytes()
    collectgarbage()
    collectgarbage()
    return collectgarbage "count" * 1024
  end
  for _, path in ipairs { folder, files.join(folder, "a"), files.join(folder, "missing") } do
    t.eq(files.list(path), path == folder and { "a", "b", "c" } or {})
    local before = bytes()
    for _ = 1, 500 do files.list(path) end
    t.ok(bytes() - before < 20000, ("%s: %d bytes"):format(path, bytes() - before))
  end
  files.remove(folder)
end

-- Files that are not whole are removed by whoever ends the process (native.files, e2e/test_no_memory.lua).
function tests.a_file_that_was_never_whole_goes()
  local native = require "native.files"
  local folder = spawn.folder()
  local paths = {}
  for i = 1, 40 do -- more than it keeps in mind
    paths[i] = files.join(folder, "part" .. i)
    uv.fs_close(t.ok(native.open(paths[i], "part")))
  end
  t.eq({ native.open(paths[1], "part") }, { nil, "EEXIST: file already exists", "EEXIST" })
  for _, path in ipairs(paths) do native.remove_part(path) end
  native.remove_part(paths[1])
  t.eq(files.list(folder), {})
  files.remove(folder)
end

function tests.making_a_new_folder_says_whether_it_was_there()
  local folder = spawn.folder()
  local path = files.join(folder, "new")
  t.eq(files.make_new_folder(path), true)
  t.eq(files.make_new_folder(path), false)
  local made, err = files.make_new_folder(files.join(folder, "no/new"))
  t.eq(made, nil)
  t.eq(err.code, "not_found")
  files.remove(folder)
end

function tests.a_file_gets_a_name_that_nothing_has()
  local folder = spawn.folder()
  local from = files.join(folder, "from")
  for _, name in ipairs { "a.tar.gz", "a.tar (1).gz", "a.tar (2).gz" } do
    assert(files.write(from, name))
    t.eq(files.place(from, folder, "a.tar.gz"), files.join(folder, name))
    t.eq(files.read(files.join(folder, name)), name)
  end
  t.fails("not_found", "cannot write", files.place(from, folder, "b"))
  assert(files.write(from, ("0123456789"):rep(300000)))
  t.eq(files.copy(from, folder, "copy", { private = true }), files.join(folder, "copy"))
  t.eq(files.copy(from, folder, "copy"), files.join(folder, "copy (1)"))
  t.ok(files.read(files.join(folder, "copy (1)")) == files.read(from))
  t.fails("not_found", "cannot copy", files.copy(files.join(folder, "none"), folder, "c"))
  t.eq(files.list(folder), { "a.tar (1).gz", "a.tar (2).gz", "a.tar.gz", "copy", "copy (1)", "from" })
  files.remove(folder)
end

function tests.a_temporary_folder_has_a_name_of_its_own()
  local folder = spawn.folder()
  local one, two = t.ok(files.make_temporary_folder(folder, "x-")), t.ok(files.make_temporary_folder(folder, "x-"))
  t.ok(one ~= two and files.is_folder(one) and files.is_folder(two))
  t.fails("not_found", "cannot make the folder", files.make_temporary_folder(folder .. "/none", "x-"))
  files.remove(folder)
end

function tests.text_is_trimmed_in_linear_time()
  for given, wanted in pairs { [""] = "", ["  \n"] = "", a = "a", [" a b\t"] = "a b", ["\0 x "] = "\0 x" } do
    t.eq(text.trim(given), wanted)
  end
  local long = "a" .. (" "):rep(1000000) .. "b"
  local began = os.clock() -- of the processor: the machine may be busy with other things
  t.eq(#text.trim(long .. (" "):rep(1000000)), #long)
  t.eq(text.trim((" "):rep(1000000)), "")
  t.ok(os.clock() - began < 2, "a million blanks take no noticeable time")
end

if t.platform ~= "linux" then return tests end

function tests.a_planted_link_is_not_followed()
  local folder = spawn.folder()
  local victim, path = files.join(folder, "victim"), files.join(folder, "shot.png")
  assert(files.write(victim, "precious"))
  assert(uv.fs_symlink(victim, path))
  assert(uv.fs_symlink(victim, path .. ".part"))
  t.ok(files.write(path, "picture"))
  t.eq(files.read(victim), "precious")
  t.eq(files.read(path), "picture")
  t.eq(uv.fs_lstat(path).type, "file")
  files.remove(folder)
end

function tests.a_pipe_is_no_file()
  local folder = spawn.folder()
  local path = files.join(folder, "pipe")
  t.eq(spawn.run({ "mkfifo", path }).status, 0)
  t.fails("refused", path .. ": it is a device or a pipe", files.write(path, "x"))
  t.fails("io", "cannot write " .. path, files.append(path)) -- nobody reads it; nobody waits for that
  t.eq(uv.fs_lstat(path).type, "fifo")
  assert(uv.fs_symlink("/dev/null", files.join(folder, "link")))
  t.fails("refused", "it is a device or a pipe", files.write(files.join(folder, "link"), "x"))
  files.remove(folder)
end

function tests.what_is_appended_to_is_no_link()
  local folder = spawn.folder()
  local victim, path = files.join(folder, "victim"), files.join(folder, "log")
  assert(files.write(victim, "precious"))
  assert(uv.fs_symlink(victim, path))
  t.fails("io", "cannot write " .. path, files.append(path))
  t.fails("io", "cannot make " .. path, files.create(path))
  t.eq(files.read(victim), "precious")
  assert(uv.fs_chmod(victim, tonumber("644", 8)))
  local fd = t.ok(files.append(victim, { private = true }))
  t.ok(files.write_all(fd, "!"))
  uv.fs_close(fd)
  t.eq(files.read(victim), "precious!")
  t.eq(mode(victim), "600", "one that was there is private from then on")
  files.remove(folder)
end

function tests.permissions_are_kept_or_private()
  local folder = spawn.folder()
  local path = files.join(folder, "script")
  assert(files.write(path, "one"))
  assert(uv.fs_chmod(path, tonumber("751", 8)))
  assert(files.write(path, "two"))
  t.eq(mode(path), "751", "a file that was there keeps its permissions")
  assert(files.write(path, "three", { private = true }))
  t.eq(mode(path), "600")
  assert(files.make_folder(files.join(folder, "a/b"), { private = true }))
  t.eq(mode(files.join(folder, "a/b")), "700")
  files.remove(folder)
end

-- A disk that takes no more than a kilobyte of a file: a write is cut short, the next one fails.
local function on_a_full_disk(code)
  return spawn.run({ "/bin/bash", "-c", "ulimit -f 1; exec \"$0\" eval \"$1\"", spawn.program, code })
end

function tests.a_full_disk_costs_nothing_that_was_there()
  local folder = spawn.folder()
  local path = files.join(folder, "a.txt")
  assert(files.write(path, "before"))
  local child = on_a_full_disk(([[
    local ok, err = require("deskpilot.base.files").write(%q, ("x"):rep(5000))
    print(ok, err)]]):format(path))
  t.has(child.stdout, "cannot write")
  t.eq(files.read(path), "before")
  t.eq(files.list(folder), { "a.txt" }, "the part that was written is gone")
  files.remove(folder)
end

-- Whatever fails, the file is as it was, nothing else is left, and it is said.
function tests.a_write_that_fails_somewhere_costs_nothing_that_was_there()
  local folder = spawn.folder()
  local path = files.join(folder, "a.txt")
  local code = ("print(require('deskpilot.base.files').write(%q, ('x'):rep(5000)))"):format(path)
  for _, call in ipairs { "open", "write", "fsync", "rename" } do
    for _, how in ipairs { "EIO", "ENOSPC", "short" } do
      assert(files.write(path, "before"))
      local child, report = failing.run({ "eval", code }, { CALL = call, PATH = "a.txt", AT = 1, HOW = how })
      t.eq(report.failed, 1, call .. " " .. how)
      local written = call == "write" and how == "short" -- the rest follows
      t.has(child.stdout, written and "true" or "nil\tcannot write " .. path, call .. " " .. how)
      t.eq(files.read(path), written and ("x"):rep(5000) or "before", call .. " " .. how)
      t.eq(files.list(folder), { "a.txt" })
    end
  end
  local child = failing.run({ "eval", code }, { CALL = "fsync", PATH = folder, AT = 2 })
  t.has(child.stdout, "nil\tcannot be sure that the disk has " .. path, "the folder's own")
  child = failing.run({ "eval", code }, { CALL = "fsync", PATH = folder, AT = 1, TIMES = "all", HOW = "EINVAL" })
  t.has(child.stdout, "true", "a file system without such a call")
  files.remove(folder)
end

function tests.a_journal_has_no_half_line_when_the_disk_is_full()
  local folder = spawn.folder()
  local child = on_a_full_disk(([[
    local journal = assert(require("deskpilot.agent.journal").open(%q))
    local written, ok, why = 0, true, nil
    for i = 1, 100 do
      ok, why = pcall(journal.every, nil, { event = "note", at = i, message = "line " .. i })
      if not ok then break end
      written = i
    end
    journal.close()
    print(written, why)]]):format(folder))
  local written = tonumber(child.stdout:match("^(%d+)"))
  t.has(child.stdout, "cannot write")
  local lines = assert(files.read(files.join(folder, "journal.jsonl")))
  t.eq(lines:sub(-1), "\n", "the last line is whole")
  t.eq(#assert(require("deskpilot.agent.journal").read(folder)), written, "each line that was written is there")
  files.remove(folder)
end

-- As a signal or a limit of time does: the task ends where it is.
function tests.a_write_that_is_stopped_in_the_middle_leaves_nothing()
  local new_file = require "deskpilot.base.new_file"
  local folder, fill = spawn.folder(), new_file.fill
  new_file.fill = function(fd)
    uv.fs_close(fd)
    error("stopped", 0)
  end
  t.raises("stopped", files.write, files.join(folder, "a"), "words")
  new_file.fill = fill
  t.eq(files.list(folder), {})
  files.remove(folder)
end

function tests.what_comes_behind_the_first_bytes_of_a_file_is_written_anew()
  local folder = spawn.folder()
  local path = files.join(folder, "list")
  local long = ("x"):rep(3 * 2 ^ 20 // 1)
  assert(files.write(path, long .. "old end"))
  t.ok(files.write(path, "new", { behind = #long }))
  t.ok(files.read(path) == long .. "new", "the beginning stays")
  t.fails("io", "shorter", files.write(path, "new", { behind = #long + 100 }))
  t.ok(files.read(path) == long .. "new", "nothing is lost where it cannot be done")
  t.eq(files.list(folder), { "list" }, "nothing is left beside it")
  t.eq(files.write(files.join(folder, "none"), "new", { behind = 1 }), nil)
  files.remove(folder)
end

return tests
