-- Whose missions a worker of a fleet runs, and which: signed ones, and those whose tags it offers.
local files = require "deskpilot.base.files"
local fleets = require "fleets"
local json = require "deskpilot.base.json"
local nats_accounts = require "nats_accounts"
local spawn = require "spawn"
local t = require "harness"

local tests = {}

local function make_key(path)
  local made = spawn.run { spawn.program, "keygen", path }
  t.eq(made.status, 0, made.stderr)
end

local function waited(submitted, status, words)
  submitted:wait()
  t.eq(submitted.status, status, submitted.stderr)
  t.has(submitted.stderr, words)
end

function tests.only_what_a_trusted_key_has_signed_is_run()
  fleets.with("", function(fleet)
    local key, other = fleet.folder .. "/ours", fleet.folder .. "/other"
    make_key(key)
    make_key(other)
    local made = spawn.run { "minisign", "-G", "-W", "-p", fleet.folder .. "/m.pub", "-s", fleet.folder .. "/m.key" }
    t.eq(made.status, 0, made.stderr)
    local worker = fleet:worker("--trust", key .. ".pub", "--trust", fleet.folder .. "/m.pub", "--slots", "1")
    waited(fleet:submit("a", "--wait"), 1, "the mission is not signed, and this worker runs only what")
    waited(fleet:submit("a", "--wait", "--sign", other .. ".key"), 1, "which is not trusted here")
    t.ok(not fleet:ran "a")
    for _, record in pairs(fleet:all_records()) do
      t.eq(record.status, "done")
      t.eq(record.outcome.status, 2)
    end
    -- What was refused runs when it is submitted again, signed.
    waited(fleet:submit("a", "--wait", "--sign", key .. ".key"), 0, "1 missions, 1 of them new")
    t.ok(fleet:ran "a")
    waited(fleet:submit("a", "--wait", "--sign", key .. ".key"), 0, "1 missions, 0 of them new")
    waited(fleet:submit("b", "--wait", "--sign", fleet.folder .. "/m.key"), 0, "1 succeeded")
    t.ok(not worker.stderr:find("tried again", 1, true), worker.stderr)
  end)
end

-- Somebody who may write to the server changes what was signed, before a worker has it.
function tests.what_was_changed_on_the_server_is_not_run()
  fleets.with("", function(fleet)
    local key = fleet.folder .. "/ours"
    make_key(key)
    t.eq(fleet:submit("a", "--sign", key .. ".key"):wait().status, 0)
    local records = fleet:records()
    local id = assert(records:keys())[1]
    local record = json.decode(records:get(id).value)
    record.args[2] = "b"
    assert(records:put(id, json.encode(record)))
    fleet:worker("--trust", key .. ".pub", "--slots", "1")
    local outcome = t.wait_until("its end", function() return fleet:all_records()[id].outcome end, 60)
    t.has(outcome.words, "it is not what the key")
    t.ok(not fleet:ran "a" and not fleet:ran "b")
  end)
end

function tests.a_mission_waits_for_a_worker_with_its_tags()
  fleets.with("", function(fleet)
    fleet:worker("--trust-server", "--slots", "1", "--tags", "linux")
    local tagged = fleet:submit("tagged", "--wait", "--tags", "linux,chromium")
    tagged:wait_for_word "no worker offers the tags chromium,linux: the missions wait"
    waited(fleet:submit("plain", "--wait"), 0, "1 succeeded")
    waited(fleet:submit("linux", "--wait", "--tags", "linux"), 0, "1 succeeded")
    t.ok(not fleet:ran "tagged")
    local second = fleet:worker("--trust-server", "--slots", "1", "--tags", "chromium,linux,more")
    waited(tagged, 0, "1 succeeded")
    local name = second.stderr:match "(w%-%S+) takes missions"
    for _, record in pairs(fleet:all_records()) do
      if #(record.tags or {}) == 2 then t.eq(record.worker, name) end
    end
  end)
end

-- The queue says which tags a mission asks for, and its record says it too.
function tests.a_mission_in_the_wrong_queue_is_refused()
  fleets.with("", function(fleet)
    t.eq(fleet:submit("a"):wait().status, 0)
    local records = fleet:records()
    local id = assert(records:keys())[1]
    local record = json.decode(records:get(id).value)
    record.tags = { "windows" }
    assert(records:put(id, json.encode(record)))
    fleet:worker("--trust-server", "--slots", "1")
    local outcome = t.wait_until("its end", function() return fleet:all_records()[id].outcome end, 60)
    t.has(outcome.words, "asks for tags that are not those of its queue")
    t.ok(not fleet:ran "a")
  end)
end

-- As NATS's own tools make them: a server with an operator and an account, and users by their files.
function tests.credentials_files_are_checked_by_the_server()
  local accounts, others = nats_accounts.new(), nats_accounts.new()
  fleets.with(accounts.config, function(fleet)
    local ours, theirs = fleet.folder .. "/ours.creds", fleet.folder .. "/theirs.creds"
    assert(files.write(ours, accounts.credentials(), { private = true }))
    assert(files.write(theirs, others.credentials(), { private = true }))
    local wrong = fleet:start_worker("--trust-server", "--credentials", theirs):wait()
    t.eq(wrong.status, 3, wrong.stderr)
    t.has(wrong.stderr, "refused the credentials of " .. theirs)
    local none = fleet:start_worker("--trust-server"):wait()
    t.eq(none.status, 3, none.stderr)
    t.has(none.stderr, "wants credentials, and none are given")
    waited(fleet:submit("a", "--wait", "--credentials", theirs), 3, "refused the credentials of " .. theirs)
    fleet:worker("--trust-server", "--slots", "1", "--credentials", ours)
    waited(fleet:submit("a", "--wait", "--credentials", ours), 0, "1 succeeded")
    for _, one in ipairs(fleet.started) do t.ok(not one.stderr:find("SUA", 1, true), "no seed is shown") end
  end)
end

function tests.users_and_passwords_are_checked_by_the_server()
  fleets.with('authorization { user: "ann", password: "secret-word" }', function(fleet)
    local address = fleet.server.url
    fleet.server.url = address:gsub("//", "//ann:wrong-word@")
    local wrong = fleet:start_worker("--trust-server"):wait()
    t.eq(wrong.status, 3, wrong.stderr)
    t.has(wrong.stderr, "refused the user and password in its address")
    fleet.server.url = address:gsub("//", "//ann:secret-word@")
    fleet:worker("--trust-server", "--slots", "1")
    waited(fleet:submit("a", "--wait"), 0, "1 succeeded")
    for _, one in ipairs(fleet.started) do t.ok(not one.stderr:find("-word", 1, true), one.stderr) end
  end)
end

local function refused(words, ...)
  local ended = spawn.run { spawn.program, ... }
  t.eq(ended.status, 2, ended.stderr)
  t.has(ended.stderr, words)
end

tests.what_cannot_be_is_said_first = spawn.in_folder(function(folder)
  make_key(folder .. "/k")
  assert(files.write(folder .. "/a.lua", "return {}"))
  refused("is there already", "keygen", folder .. "/k")
  refused("keygen takes the name of the files", "keygen")
  t.eq(spawn.run({ spawn.program, "keygen", folder .. "/no/such" }).status, 1)
  refused("one of the two", "worker")
  refused("one of the two", "worker", "--trust-server", "--trust", folder .. "/k.pub")
  refused("it is the secret one", "worker", "--trust", folder .. "/k.key")
  refused("cannot read " .. folder .. "/nothing", "worker", "--trust", folder .. "/nothing")
  refused("a tag has a to z", "worker", "--trust-server", "--tags", "Linux")
  refused("it is the public one", "submit", folder .. "/a.lua", "--sign", folder .. "/k.pub")
  refused("a tag has a to z", "submit", folder .. "/a.lua", "--tags", "a b")
end)

return tests
