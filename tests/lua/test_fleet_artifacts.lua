-- What of a run is brought to a place of artifacts, how it gets there, and what is said of what does not. Real folders,
-- and a server that takes PUT.
local artifact_files = require "deskpilot.fleet.artifact_files"
local artifact_server = require "artifact_server"
local delivery = require "deskpilot.fleet.artifact_delivery"
local files = require "deskpilot.base.files"
local kept_runs = require "deskpilot.fleet.kept_runs"
local ports = require "ports"
local spawn = require "spawn"
local system = require "native.system"
local t = require "harness"
local task = require "deskpilot.base.task"
local uv = require "luv"

local tests = {}

local TOKEN = "open-sesame-123"

-- A folder with a run's files.
local function run_in(folder)
  local run = folder .. "/20260101T000000Z-order"
  for _, name in ipairs { "screenshots", "downloads", "requests" } do assert(files.make_folder(run .. "/" .. name)) end
  for path, bytes in pairs { ["journal.jsonl"] = '{"event":"run_start"}\n', ["result.json"] = "{}",
    ["report.html"] = "<p>", ["mission.lua"] = "return {}", ["requests/0001.request.json"] = "{}",
    ["screenshots/step_0001.png"] = "\137PNG\0\r\n\255", ["downloads/Größe & Co.pdf"] = "%PDF" } do
    assert(files.write(run .. "/" .. path, bytes))
  end
  return run
end

local WHOLE = { "downloads/Größe & Co.pdf", "journal.jsonl", "report.html", "result.json",
  "screenshots/step_0001.png" }

local function with_server(fn)
  return spawn.in_folder(function(folder)
    local server <close> = artifact_server.start("Bearer " .. TOKEN)
    assert(files.write(folder .. "/token", TOKEN .. "\n"))
    fn(server, run_in(folder), folder)
  end)
end

local function send(server, run, folder, options)
  local place = assert(delivery.place(server.url .. "/bucket", folder .. "/token"))
  options = options or {}
  options.name = options.name or "id/1"
  return delivery.send(place, run, options)
end

tests.a_server_gets_each_file_once_with_the_token = with_server(function(server, run, folder)
  local account = send(server, run, folder)
  t.eq(account, { place = server.url .. "/bucket/id/1", files = 5, bytes = account.bytes, missing = 0 })
  t.eq(server:paths "/bucket/id/1/", WHOLE)
  for _, name in ipairs(WHOLE) do t.eq(server.files["/bucket/id/1/" .. name], files.read(run .. "/" .. name)) end
  t.eq(#server.requests, 5)
  for _, request in ipairs(server.requests) do
    t.eq(request.method, "PUT")
    t.eq(request.headers["content-type"], artifact_files.type_of(request.path))
  end
  t.eq(server.requests[1].path, "/bucket/id/1/result.json", "what tells most comes first")
end)

tests.what_fails_for_a_while_arrives = with_server(function(server, run, folder)
  server.fail = function(_, number)
    if number == 1 then return { status = 503, headers = { ["Retry-After"] = "1" } } end
    if number == 2 then return { status = 200, stream = function() error "the connection breaks" end } end
    if number == 4 then return { status = 500 } end
  end
  local began = task.now()
  local account = send(server, run, folder)
  t.eq({ account.files, account.missing, account.why }, { 5, 0 })
  t.ok(task.now() - began >= 1, "it is left alone as long as it says")
  t.eq(server:paths "/bucket/id/1/", WHOLE)
end)

tests.what_fails_for_ever_is_given_up = with_server(function(server, run, folder)
  server.fail = function(request)
    if request.path:find "report" then return { status = 507 } end
  end
  local account = send(server, run, folder, { patience = 1 })
  t.eq({ account.files, account.missing }, { 2, 3 })
  t.has(account.why, "/bucket answered 507: there is no room")
  local refusing = ("http://127.0.0.1:%d/x"):format(ports.refusing())
  local began = task.now()
  account = delivery.send(assert(delivery.place(refusing)), run, { name = "id/1", patience = 0.8 })
  t.eq({ account.files, account.missing }, { 0, 5 })
  t.ok(task.now() - began < 10)
  t.has(account.why, "127.0.0.1")
end)

tests.what_is_of_no_use_is_not_tried_again = with_server(function(server, run, folder)
  local function refused(status, missing, words)
    server.requests = {}
    server.fail = function(request)
      if status ~= 413 or request.path:find "journal" then return { status = status, body = "<Code>So\nit is" } end
    end
    local account = send(server, run, folder, { patience = 60 })
    t.eq(account.missing, missing)
    t.eq(#server.requests, status == 413 and 5 or 1)
    t.has(account.why, words)
  end
  refused(403, 5, "answered 403: what gives access (--token, --artifacts-token) is refused (<Code>So it is)")
  refused(404, 5, "there is no such place")
  refused(405, 5, "takes no PUT")
  refused(413, 1, "the file is too large for it")
end)

-- A server that signs an address for each file, as object storage does.
tests.an_address_that_was_signed_for_a_file_gets_it_without_the_token = with_server(function(server, run, folder)
  local storage <close> = artifact_server.start()
  local old = true
  storage.fail = function(request)
    if request.query ~= "X-Amz-Signature=new" then return { status = 403, body = "Request has expired" } end
  end
  server.fail = function(request)
    local signature = old and "old" or "new"
    old = false
    return { status = 307, headers = { Location = ("%s/signed/%s?X-Amz-Signature=%s"):format(storage.url,
      request.path:match "[^/]*$":gsub("[^%w.]", "_"), signature) } }
  end
  local account = send(server, run, folder)
  t.eq({ account.files, account.missing }, { 5, 0 })
  t.eq(#storage:paths "/signed/", 5)
  for _, request in ipairs(storage.requests) do t.eq(request.headers.authorization, nil) end
  for _, request in ipairs(server.requests) do t.eq(request.headers.authorization, "Bearer " .. TOKEN) end
  server.fail = function() return { status = 307, headers = { Location = "file:///tmp/x" } } end
  account = send(server, run, folder, { patience = 0 })
  t.has(account.why, "without an address of https to go on to")
end)

tests.headers_and_a_query_give_access = with_server(function(server, run, folder)
  server.authorization = nil
  assert(files.write(folder .. "/token", "?sv=2024-11-04&sig=s3cr3t%2Fsignature\nx-ms-blob-type: BlockBlob\n\n"))
  t.eq(send(server, run, folder).missing, 0)
  for _, request in ipairs(server.requests) do
    t.eq(request.query, "sv=2024-11-04&sig=s3cr3t%2Fsignature")
    t.eq(request.headers["x-ms-blob-type"], "BlockBlob")
    t.eq(request.headers.authorization, nil)
  end
  server.fail = function(request) return { status = 403, body = "no: " .. request.query } end
  local why = send(server, run, folder).why
  t.eq(why:find("s3cr3t", 1, true), nil, why)
end)

tests.what_is_no_place_is_refused = spawn.in_folder(function(folder)
  local function refused(words, ...) t.fails("invalid", words, delivery.place(...)) end
  assert(files.write(folder .. "/token", TOKEN))
  assert(files.write(folder .. "/empty", "\n"))
  assert(files.write(folder .. "/two words", "two words\n"))
  refused("there is no folder " .. folder .. "/none for artifacts: make it, or mount it", folder .. "/none")
  refused("a folder takes no token", folder, folder .. "/token")
  refused("it is a folder, or an address of http or https", "s3://bucket/x")
  refused("an address is https://host/path", "https://")
  refused("others can see an address on a command line", "https://user:word@host/x")
  refused("others can see an address on a command line", "https://host/x?sig=1")
  refused("would go to example.org unencrypted: use https", "http://example.org/x", folder .. "/token")
  refused("is empty", "https://host/x", folder .. "/empty")
  refused("has a line that is no token", "https://host/x", folder .. "/two words")
  t.fails("not_found", "cannot read", delivery.place("https://host/x", folder .. "/nothing"))
  t.ok(delivery.place("https://host/x", folder .. "/token"))
end)

tests.a_folder_gets_them = spawn.in_folder(function(folder)
  local run, shared = run_in(folder), folder .. "/shared"
  assert(files.make_folder(shared))
  local place = assert(delivery.place(shared))
  local account = delivery.send(place, run, { name = "id/2" })
  t.eq({ account.place, account.files, account.missing }, { files.absolute(shared) .. "/id/2", 5, 0 })
  for _, name in ipairs(WHOLE) do t.eq(files.read(shared .. "/id/2/" .. name), files.read(run .. "/" .. name)) end
  files.remove(shared)
  account = delivery.send(place, run, { name = "id/3", patience = 0 })
  t.eq({ account.files, account.missing }, { 0, 5 })
  t.has(account.why, "is gone: mount it again")
  t.ok(not files.exists(shared), "an empty place of a share is not filled")
end)

tests.a_file_too_many_is_told = with_server(function(server, run, folder)
  assert(files.write(run .. "/downloads/large", ("x"):rep(3 << 20)))
  local account = send(server, run, folder, { most = 2 << 20 })
  t.eq({ account.files, account.missing }, { 5, 1 })
  t.has(account.why, "a run may have 2 MB there (--max-mb, --artifacts-mb)")
  t.eq(server:paths "/bucket/id/1/", WHOLE)
end)

if system.platform == "linux" then
  tests.no_link_leads_out_of_the_run = with_server(function(server, run, folder)
    assert(files.write(folder .. "/secret", "secret"))
    assert(files.make_folder(folder .. "/outside"))
    assert(files.write(folder .. "/outside/x.png", "secret"))
    assert(uv.fs_symlink(folder .. "/secret", run .. "/screenshots/link.png"))
    assert(uv.fs_symlink(folder .. "/outside", run .. "/screenshots/more"))
    t.eq(spawn.run({ "mkfifo", run .. "/downloads/pipe" }).status, 0)
    local account = send(server, run, folder)
    t.eq({ account.files, account.missing }, { 5, 3 })
    t.has(account.why, "has links")
    t.eq(server:paths "/bucket/id/1/", WHOLE)
    -- What was a folder when it was listed is a link when it is read.
    files.remove(run .. "/screenshots")
    assert(uv.fs_symlink(folder .. "/outside", run .. "/screenshots"))
    t.fails("refused", "leads out of the run's folder", artifact_files.read(run, "screenshots/x.png", 1000))
    t.fails("refused", "is no file any more", artifact_files.read(run, "downloads/pipe", 1000))
  end)

  tests.nothing_is_written_through_a_link_of_the_place = spawn.in_folder(function(folder)
    local run = run_in(folder)
    for _, name in ipairs { "shared", "elsewhere" } do assert(files.make_folder(folder .. "/" .. name)) end
    assert(uv.fs_symlink(folder .. "/elsewhere", folder .. "/shared/id"))
    local account = delivery.send(assert(delivery.place(folder .. "/shared")), run, { name = "id/1", patience = 0 })
    t.eq({ account.files, account.missing }, { 0, 5 })
    t.has(account.why, "a link in")
    t.eq(files.list(folder .. "/elsewhere"), {})
  end)
end

local function id(digit) return digit:rep(32) end

tests.only_what_workers_have_made_is_cleared = spawn.in_folder(function(folder)
  local run = run_in(folder)
  local runs, shared, mark = folder .. "/runs", folder .. "/shared", kept_runs.marks.runs
  assert(files.make_folder(shared))
  assert(kept_runs.mark(runs .. "/" .. id "a"))
  assert(files.make_folder(runs .. "/" .. id "b")) -- somebody else's
  assert(kept_runs.mark(runs .. "/20260101T000000Z-order"))
  assert(kept_runs.mark(runs .. "/" .. id "c"))
  assert(files.make_folder(runs .. "/" .. id "c" .. "/20260101T000000Z-x"))
  local journal = runs .. "/" .. id "c" .. "/20260101T000000Z-x/journal.jsonl"
  local fd = assert(files.create(journal))
  assert(system.lock_file(fd)) -- as of a run that goes on
  local later = os.time() + 3 * 24 * 3600
  t.eq(kept_runs.clear(runs, mark, 4, later), 0)
  t.eq(kept_runs.clear(runs, mark, 2, later), 1)
  t.eq(files.list(runs), { "20260101T000000Z-order", id "b", id "c" })
  uv.fs_close(fd)
  t.eq(kept_runs.clear(runs, mark, 2, later), 1)
  local place = assert(delivery.place(shared))
  t.eq(delivery.send(place, run, { name = id "d" .. "/1" }).missing, 0)
  assert(files.make_folder(shared .. "/" .. id "e"))
  t.eq(kept_runs.clear(shared, kept_runs.marks.artifacts, 2, later), 1)
  t.eq(files.list(shared), { id "e" })
end)

return tests
