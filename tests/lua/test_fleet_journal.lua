-- The journal of a mission's run on the server: sent while it grows, whole wherever the server was meanwhile, and what
-- a further attempt makes of it. On a real nats-server.
local continuation = require "deskpilot.fleet.continuation"
local files = require "deskpilot.base.files"
local hmac = require "deskpilot.base.hmac"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local nats_server = require "nats_server"
local run_journal = require "deskpilot.fleet.run_journal"
local spawn = require "spawn"
local store = require "deskpilot.fleet.store"
local t = require "harness"
local task = require "deskpilot.base.task"

local tests = {}

local RUN = "20260101T120000Z-form"
local ID = ("a1"):rep(16)

-- Calls fn(place) with a server, a store on it, and the folder of a run that has begun to write.
local function with(fn)
  return spawn.in_folder(function(folder)
    nats_server.with("", function(server)
      local opened <close> = assert(store.open { servers = server.url })
      local place = { server = server, store = opened, runs = folder .. "/runs", path = folder .. "/runs/" .. RUN }
      function place.write(text)
        local file = assert(io.open(place.path .. "/journal.jsonl", "ab"))
        file:write(text)
        file:close()
      end
      function place.begin()
        assert(files.make_folder(place.path))
        place.write ""
      end
      function place.fetched(attempt)
        files.remove(folder .. "/fetched")
        local ok, err = run_journal.fetch(opened, ID, attempt, folder .. "/fetched")
        return ok and files.read(folder .. "/fetched/journal.jsonl"), err
      end
      function place.pieces()
        local reader <close>, list = assert(opened:events(ID)), {}
        while not reader.current do list[#list + 1] = assert(reader:next(10)).data end
        return list
      end
      fn(place, folder)
    end)
  end)
end

local function sent(sending, size)
  t.wait_until("the server to have it", function() return sending.sent >= size end, 30)
end

tests.lines_are_sent_as_they_are_written = with(function(place)
  assert(files.make_folder(place.runs .. "/20250101T120000Z-form"))
  assert(files.write(place.runs .. "/20250101T120000Z-form/journal.jsonl", "of another run\n"))
  local sending = run_journal.send(place.store, ID, 1, place.runs)
  place.begin()
  place.write '{"event":"a"}\n{"event":"b"}\n{"ev'
  sent(sending, 28)
  t.eq(sending.name, RUN)
  t.eq(place.pieces(), { '{"event":"a"}\n{"event":"b"}\n' }, "half a line is not sent")
  place.write 'ent":"c"}\n{"event":'
  t.eq(sending:finish(), nil)
  t.eq(place.fetched(1), files.read(place.path .. "/journal.jsonl"), "with the half line that the run's end has left")
  t.eq(run_journal.kept(place.store, ID, 1), { run = RUN, size = 51 })
  t.fails("not_found", "no message", run_journal.kept(place.store, ID, 2))
end)

tests.lines_of_any_length_come_whole = with(function(place)
  local text = ("x"):rep(1300000) .. "\n" .. ("y\n"):rep(300000)
  local sending = run_journal.send(place.store, ID, 1, place.runs)
  place.begin()
  place.write(text)
  t.eq(sending:finish(), nil)
  t.eq(place.fetched(1) == text, true)
  for _, piece in ipairs(place.pieces()) do t.ok(#piece <= place.store:piece_size()) end
end)

tests.a_server_that_was_away_gets_all_of_it = with(function(place)
  local sending = run_journal.send(place.store, ID, 1, place.runs)
  place.begin()
  local lines = {}
  for i = 1, 40 do
    if i == 10 then place.server:kill() end
    if i == 30 then place.server:start() end
    lines[i] = ('{"event":"note","number":%d}\n'):format(i)
    place.write(lines[i])
    task.sleep(0.05)
  end
  t.eq(sending:finish(), nil)
  t.eq(place.fetched(1), table.concat(lines))
end)

tests.what_came_twice_is_read_once_and_what_is_missing_is_noticed = with(function(place)
  local headers = { ["Deskpilot-Run"] = RUN, ["Deskpilot-Offset"] = "0" }
  local function keep(attempt, piece, offset)
    headers["Deskpilot-Offset"] = tostring(offset)
    assert(place.store.jetstream:publish(("deskpilot.events.%s.%d"):format(ID, attempt), piece, { headers = headers }))
  end
  keep(1, "one\n", 0)
  keep(1, "one\ntwo\n", 0)
  keep(1, "three\n", 8)
  keep(1, "two\n", 4)
  t.eq(place.fetched(1), "one\ntwo\nthree\n")
  keep(2, "one\n", 0)
  keep(2, "three\n", 8)
  t.fails("protocol", "is not whole", place.fetched(2))
  headers["Deskpilot-Run"] = "../../x"
  keep(3, "one\n", 0)
  t.fails("protocol", "is not whole", place.fetched(3))
  t.fails("protocol", "is none", run_journal.kept(place.store, ID, 3))
end)

-- The journal of a run that was cut off after a turn, with other fields of its run_start and more events.
local function past(start, ...)
  local all = { { event = "journal", at = 0, version = 1, program = "1" },
    { event = "run_start", at = 0, mission = "form", args = { "name=ann" }, flags = { ["runs.dir"] = "runs" },
      policy = "odev", desktop = "private", version = "1", config = json.list() },
    { event = "turn_start", at = 1, turn = 1 }, { event = "turn_end", at = 2, turn = 1, seconds = 1 },
    { event = "state", at = 2, turn = 1, set = { a = 1 } }, ... }
  for key, value in pairs(start) do all[2][key] = value end
  local lines = {}
  for i, event in ipairs(all) do
    local rest = { number = i - 1 }
    for key, value in pairs(event) do if key ~= "event" then rest[key] = value end end
    lines[i] = ('{"event":"%s",%s\n'):format(event.event, json.encode(rest):sub(2))
  end
  return table.concat(lines)
end

tests.a_further_attempt_knows_what_it_goes_on_from = with(function(place, folder)
  local record = { attempts = 2, args = { "name=ann" } }
  local number = 0
  -- On a machine that has nothing of the run.
  local function of(text, cut_off)
    number = number + 1
    local id = ("%032x"):format(number)
    if text then
      assert(place.store:keep_events(id, 1, text, 0, { ["Deskpilot-Run"] = RUN, ["Deskpilot-Offset"] = "0" }))
    end
    local runs = ("%s/other-%d"):format(folder, number)
    local found, err = continuation.of(place.store, id, record,
      { runs = runs, mission = "return {}", cut_off = cut_off, trusts = true })
    return found, err, runs .. "/" .. RUN
  end
  local found, err = of(nil)
  t.eq({ found, err }, {}, "no attempt has written anything")
  local text = past {}
  local run
  found, err, run = of(text, true)
  t.eq(found, { attempt = 1, run = RUN, folder = run, turn = 1 }, tostring(err))
  t.eq(files.read(run .. "/journal.jsonl"), text)
  t.eq(files.read(run .. "/mission.lua"), "return {}")

  t.has(of(past { flags = { ["model.endpoint"] = "http://127.0.0.1:1" } }).anew, "its journal sets model.endpoint")
  t.eq(of(past { args = { "name=eve" } }).anew, "its journal has other parameters")
  t.has(of("no journal\n").anew, "its journal cannot be gone on with")
  record.args = nil
  t.eq(of(text).anew, "its journal has other parameters")
  record.args = { "name=ann" }

  local function ended(status)
    return past({}, { event = "run_end", at = 3, status = status, reason = "so it is", turns = 1, actions = 0,
      seconds = 3 })
  end
  found, err, run = of(ended "succeeded", true)
  t.eq(found.outcome, { status = 0, result = { status = "succeeded", reason = "so it is", run_dir = run } },
    tostring(err))
  t.eq(of(ended "failed", true).outcome.status, 1)
  t.eq(of(ended "claimed", true).outcome.status, 1)
  t.eq(of(ended "interrupted", true).turn, 1, "somebody else's end is no decision")
  t.eq(of(ended "succeeded", false).turn, 1, "its worker has seen that end, and wants another attempt")
end)

tests.workers_with_a_key_go_on_with_their_own_runs = with(function(place, folder)
  local key, record = ("k"):rep(32), { attempts = 2, args = { "name=ann" } }
  t.eq(hmac.sha256("Jefe", "what do ya want for nothing?"),
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", "RFC 4231, test case 2")
  t.eq(hmac.sha256(("\xaa"):rep(131), "Test Using Larger Than Block-Size Key - Hash Key First"),
    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54", "test case 6")
  local sending = run_journal.send(place.store, ID, 1, place.runs, key)
  place.begin()
  place.write(past {})
  t.eq(sending:finish(), nil)
  local count = 0
  local function of(options)
    count = count + 1
    options.runs, options.mission = ("%s/%d"):format(folder, count), "return {}"
    return assert(continuation.of(place.store, ID, record, options))
  end
  t.eq(of({ key = key }).turn, 1)
  t.eq(of({ trusts = true }).turn, 1, "who trusts the server asks for none")
  t.has(of({ trusts = true, key = ("K"):rep(32) }).anew, "by nobody who has the fleet's journal key")
  t.has(of({}).anew, "does not trust journals of the server")
  local own = assert(continuation.of(place.store, ID, record, { runs = place.runs, mission = "" }))
  t.eq(own.turn, 1, "what is here needs no trust in the server")
  -- A piece of another attempt's, or one that was changed.
  local piece = assert(place.store:last_events(ID, 1))
  local headers = {}
  for name, value in pairs(piece.headers) do headers[name] = name:find "^Deskpilot%-" and value or nil end
  assert(place.store:keep_events(ID, 2, piece.data, 0, headers))
  record.attempts = 3
  t.has(of({ key = key }).anew, "by nobody who has")
  t.eq(of({ trusts = true }).turn, 1)

  assert(files.write(folder .. "/key", key .. "\n"))
  t.eq(run_journal.key(folder .. "/key"), key)
  assert(files.write(folder .. "/key", "short\n"))
  t.fails("invalid", "has 5 characters, and a key for journals at least 32: head", run_journal.key(folder .. "/key"))
  t.fails("not_found", "none", run_journal.key(folder .. "/none"))
end)

tests.a_run_that_still_goes_on_here_is_let_be = with(function(place)
  assert(files.make_folder(place.path))
  local held = assert(journal.open(place.path))
  assert(place.store:keep_events(ID, 1, past {}, 0, { ["Deskpilot-Run"] = RUN, ["Deskpilot-Offset"] = "0" }))
  local options = { runs = place.runs, mission = "return {}", trusts = true }
  t.fails("refused", "still goes on", continuation.of(place.store, ID, { attempts = 2 }, options))
  held.close()
end)

return tests
