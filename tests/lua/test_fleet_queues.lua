-- The queues of a fleet on a real nats-server: who is given what, that none starves, and that nothing waits for its
-- lease.
local nats_server = require "nats_server"
local offers = require "deskpilot.fleet.offers"
local queues = require "deskpilot.fleet.queues"
local json = require "deskpilot.base.json"
local store = require "deskpilot.fleet.store"
local t = require "harness"
local tags = require "deskpilot.fleet.tags"
local task = require "deskpilot.base.task"

local tests = {}

function tests.tags_are_read_strictly()
  t.eq(tags.read(nil), {})
  t.eq(tags.read "linux, chromium,linux,", { "chromium", "linux" })
  t.eq(tags.name(tags.read "b,a"), "a_b")
  t.eq(tags.of_name "a_b", { "a", "b" })
  for _, wrong in ipairs { "b_a", "a__b", "A", "a.b", "_" } do t.eq(tags.of_name(wrong), nil, wrong) end
  for _, wrong in ipairs { "Linux", "a b", "a_b", "a.b", "a*", ("a"):rep(33), "ä" } do
    t.has(tostring(select(2, tags.read(wrong))), "a tag has a to z", wrong)
  end
  local many = {}
  for i = 1, 17 do many[i] = "t" .. i end
  t.has(tostring(select(2, tags.read(table.concat(many, ",")))), "at most 16 tags")
  t.ok(tags.include({ "a", "b" }, { "a" }))
  t.ok(not tags.include({ "a" }, { "a", "b" }))
  t.ok(tags.include({}, {}))
end

-- Calls fn(of) beside a server; of() is a store of its own.
local function with_stores(fn)
  nats_server.with("", function(server)
    local opened = {}
    local guard <close> = setmetatable({}, { __close = function()
      for _, one in ipairs(opened) do one:close() end
    end })
    assert(guard)
    fn(function()
      opened[#opened + 1] = assert(store.open { servers = server.url })
      return opened[#opened]
    end)
  end)
end

local function put(into, set, ...)
  assert(into:keep_queue(set))
  for _, id in ipairs { ... } do assert(into:enqueue(id, set)) end
end

-- Takes so many, each within seconds, and returns their ids in order.
local function taken(from, count, seconds)
  local ids = {}
  for i = 1, count do
    local message, err = from:take(seconds or 5)
    assert(message, err or "nothing came")
    ids[i] = json.decode(message.data).id
    assert(message:ack())
  end
  return ids
end

function tests.only_who_offers_all_tags_is_given_a_mission()
  with_stores(function(of)
    local submitter = of()
    local plain <close> = queues.open(of(), {})
    local linux <close> = queues.open(of(), { "linux" })
    local both <close> = queues.open(of(), { "chromium", "linux" })
    put(submitter, "chromium_linux", "a")
    put(submitter, "windows", "b")
    t.eq(plain:take(1), nil)
    t.eq(linux:take(1), nil)
    t.eq(taken(both, 1), { "a" })
    put(submitter, "", "c")
    t.eq(taken(plain, 1), { "c" }, "what nobody can run is in nobody's way")
    t.eq(both:take(1), nil, "what others have it does not get")
  end)
end

-- A set of tags that is new reaches a worker that waits, not only its next attempt.
function tests.a_new_set_of_tags_is_known_at_once()
  with_stores(function(of)
    local submitter = of()
    local worker <close> = queues.open(of(), { "linux" })
    local began, message = task.now(), nil
    local taking = task.start(function() message = worker:take(60) end)
    task.sleep(0.5)
    put(submitter, "linux", "a")
    taking:wait()
    t.eq(json.decode(message.data).id, "a")
    t.ok(task.now() - began < 20, task.now() - began)
    message:ack()
  end)
end

function tests.queues_have_their_turns_and_nothing_waits_for_its_lease()
  with_stores(function(of)
    local submitter = of()
    local names, all = { "", "a", "b" }, {}
    for _, set in ipairs(names) do
      for i = 1, 6 do
        all[#all + 1] = set .. "x" .. i
        put(submitter, set, all[#all])
      end
    end
    local worker <close> = queues.open(of(), { "a", "b" })
    t.wait_until("its sets of tags", function() return #worker.list == 3 end, 10)
    local began = task.now()
    local ids = taken(worker, 18)
    t.ok(task.now() - began < 15, "a lease is 30 s")
    for _, set in ipairs(names) do
      local early = 0
      for i = 1, 9 do
        if ids[i]:find("^" .. set .. "x") then early = early + 1 end
      end
      t.ok(early >= 2, ("%d of %q in %s"):format(early, set, table.concat(ids, " ")))
    end
    table.sort(ids)
    table.sort(all)
    t.eq(ids, all)
  end)
end

function tests.what_comes_when_no_more_is_wanted_goes_back()
  with_stores(function(of)
    local submitter = of()
    local first <close> = queues.open(of(), { "a" })
    put(submitter, "a", "x")
    t.eq(taken(first, 1), { "x" })
    put(submitter, "", "y") -- the other queue has been asked for it, too
    put(submitter, "a", "z")
    local second <close> = queues.open(of(), { "a" })
    local ids = taken(second, 2, 10)
    table.sort(ids)
    t.eq(ids, { "y", "z" })
  end)
end

function tests.who_waits_is_told_that_nobody_offers()
  with_stores(function(of)
    local one, said = of(), {}
    t.eq(offers.any(one, {}), false)
    assert(one.workers:put("w-1", json.encode { version = 1, tags = json.list { "linux" } }))
    assert(one.workers:put("w-2", json.encode { version = 1, tags = json.list { "windows" }, draining = true }))
    assert(one.workers:put("w-3", "nonsense"))
    t.eq(offers.any(one, {}), true)
    t.eq(offers.any(one, { "linux" }), true)
    t.eq(offers.any(one, { "windows" }), false)
    t.eq(offers.any(one, { "linux", "x" }), false)
    local looking = task.start(offers.watch, one, { "windows" }, function(line) said[#said + 1] = line end)
    t.wait_until("its word", function() return said[1] end, 10)
    t.has(said[1], "no worker offers the tags windows: the missions wait until one does "
      .. "(deskpilot worker --tags windows)")
    assert(one.workers:put("w-4", json.encode { version = 1, tags = json.list { "windows" } }))
    t.ok(looking:wait())
    t.eq(#said, 1)
  end)
end

return tests
