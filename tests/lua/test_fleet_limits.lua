-- Limits of a model server that all workers share, on a real nats-server: how many calls go in a minute, in which
-- order, and what is done while the server is away.
local http = require "deskpilot.net.http"
local json = require "deskpilot.base.json"
local limit_service = require "deskpilot.fleet.limit_service"
local nats_server = require "nats_server"
local server_clock = require "deskpilot.fleet.server_clock"
local shared_limits = require "deskpilot.fleet.shared_limits"
local spent_minute = require "deskpilot.fleet.spent_minute"
local store = require "deskpilot.fleet.store"
local t = require "harness"
local task = require "deskpilot.base.task"

local tests = {}

-- The most that any minute has had of times in their order.
local function most_in_a_minute(times)
  local most, first = 0, 1
  for i, at in ipairs(times) do
    while times[first] <= at - 60 do first = first + 1 end
    most = math.max(most, i - first + 1)
  end
  return most
end

function tests.no_minute_has_more_calls_than_the_limit()
  local spent, now, times, limits = spent_minute.new(), 1000, {}, { calls = 20, tokens = 0 }
  for _ = 1, 3000 do
    now = now + math.random() / 4
    local fits, pause = spent:admits(now, 0, limits)
    if fits then
      spent:add(math.floor(now), 1, 0)
      times[#times + 1] = now
    else
      t.ok(pause > 0 and pause <= 64, "it says how long to wait")
      local later = spent_minute.read(spent:text())
      t.ok(not later:admits(now + pause - 0.01, 0, limits), "not earlier")
      t.ok(later:admits(now + pause + 0.01, 0, limits), "but then")
    end
  end
  t.eq(most_in_a_minute(times), 20)
  t.ok(#times > 20 * math.floor((now - 1000) / 65), "and not many fewer: " .. #times)
end

-- A busy machine: the first message is long on its way, and so is the answer to the second.
function tests.a_clock_is_compared_until_the_way_is_short()
  local to_there, to_here, stored, messages = { 0.5, 0, 0 }, { 0, 0.3, 0 }, nil, 0
  local clock = server_clock.new({ put = function()
    messages = messages + 1
    task.sleep(to_there[messages])
    stored = task.now() + 1000
    task.sleep(to_here[messages])
    return 1
  end, get = function() return { stored = stored } end }, "clock.a")
  t.ok(clock:compare())
  local off = clock:now() - task.now() - 1000
  t.ok(math.abs(off) < 0.1, ("off by %.3f s"):format(off))
  t.eq(messages, 3)
end

function tests.tokens_are_reckoned_and_corrected()
  local spent, limits = spent_minute.new(), { calls = 0, tokens = 1000 }
  t.ok(spent:admits(5, 5000, limits), "one that is larger than the limit goes alone")
  spent:add(5, 1, 600)
  t.ok(spent:admits(6, 400, limits))
  t.ok(not spent:admits(6, 401, limits))
  spent:add(5, 0, -500)
  t.ok(spent:admits(6, 900, limits))
  spent:learn(100)
  spent:learn(200)
  t.eq(spent.mean, 110)
  local again = spent_minute.read(spent:text())
  t.eq(again, spent)
  for _, wrong in ipairs { "", "{", "[]", '{"spent":7}', '{"spent":[[1]],"mean":"x"}', '{"spent":[["a",1,2]]}',
    '{"spent":[[1,1e300,0]]}' } do
    t.eq(spent_minute.read(wrong), spent_minute.new(), wrong)
  end
end

function tests.a_clock_that_was_wrong_does_not_stop_calls_for_ever()
  local spent, limits = spent_minute.new(), { calls = 1, tokens = 0 }
  spent:add(100000, 1, 0)
  t.ok(spent:admits(1000, 0, limits), "what is far in the future is forgotten")
end

-- Calls fn(server, a, b) with the shared limits of two workers.
local function with_two(fn)
  nats_server.with("", function(server)
    local one <close> = assert(store.open { servers = server.url })
    local other <close> = assert(store.open { servers = server.url })
    assert(one.workers:put("a", json.encode { version = 1, slots = 1, running = {} }))
    assert(one.workers:put("b", json.encode { version = 1, slots = 1, running = {} }))
    local said = {}
    local function say(line) said[#said + 1] = line end
    fn(server, assert(shared_limits.open(one, "a", say)), assert(shared_limits.open(other, "b", say)), said)
  end)
end

-- How many of 12 permits two workers get together for a server, six asking at once at each.
local function permits_of(a, b, server, limits, seconds)
  local asking, given = {}, { a = 0, b = 0 }
  for i = 1, 12 do
    local name, shared = i % 2 == 0 and "a" or "b", i % 2 == 0 and a or b
    asking[i] = task.start(function()
      if shared:take(server, { limits = limits }, seconds) then given[name] = given[name] + 1 end
    end)
  end
  for _, one in ipairs(asking) do assert(one:wait()) end
  return given.a + given.b, given
end

function tests.two_workers_share_a_limit()
  with_two(function(_, a, b)
    t.eq(permits_of(a, b, "http://one", { calls = 7, tokens = 0 }, 6), 7)
    t.eq(permits_of(a, b, "http://two", { calls = 0, tokens = 9000 }, 6), 4, "2000 tokens each are reckoned")
    local permit = a:take("http://three", { limits = { calls = 0, tokens = 5000 }, tokens = 5000 }, 20)
    t.eq(permit.tokens, 5000)
    t.eq(b:take("http://three", { limits = { calls = 0, tokens = 5000 } }, 1), nil)
    a:settle("http://three", permit, 10)
    t.wait_until("the correction to be known", function()
      return b:take("http://three", { limits = { calls = 0, tokens = 5000 }, tokens = 4990 }, 6)
    end, 30)
  end)
end

function tests.who_has_waited_longest_goes_first()
  with_two(function(_, a)
    local order = {}
    assert(a:take("s", { limits = { calls = 1, tokens = 0 } }, 20))
    for _, waited in ipairs { 5, 30, 10 } do
      task.start(function()
        if a:take("s", { limits = { calls = 4, tokens = 0 }, waited = waited }, 20) then
          order[#order + 1] = waited
        end
      end)
    end
    t.wait_until("all", function() return #order == 3 end, 20)
    t.eq(order, { 30, 10, 5 })
  end)
end

function tests.each_keeps_to_its_part_while_the_server_is_away()
  with_two(function(server, a, b, said)
    t.ok(a:take("s", { limits = { calls = 8, tokens = 0 } }, 20))
    t.ok(b:take("s", { limits = { calls = 8, tokens = 0 } }, 20))
    server:kill()
    local _, given = permits_of(a, b, "s", { calls = 8, tokens = 0 }, 20)
    t.eq(given, { a = 3, b = 3 }, "half of what was left, which each of them knew")
    t.eq(#said, 2)
    t.has(said[1], "cannot be shared just now, each worker keeps to its part")
    server:start()
    t.wait_until("it to be shared again", function()
      a:take("s", { limits = { calls = 8, tokens = 0 } }, 2)
      return #said > 2
    end, 60)
    t.has(said[3], "are shared again")
    t.eq(b:take("s", { limits = { calls = 8, tokens = 0 } }, 2), nil, "what was let through meanwhile counts")
  end)
end

function tests.runs_ask_with_a_word_of_their_own()
  nats_server.with("", function(server)
    local opened <close> = assert(store.open { servers = server.url })
    local service <close> = assert(limit_service.begin { store = opened, name = "a", options = { slots = 2 },
      say = print })
    local address = service.environment.DESKPILOT_FLEET_LIMITS
    local function post(url, body)
      return assert(http.request { method = "POST", url = url, body = json.encode(body) })
    end
    local question = { server = "s", calls = 1, tokens = 0 }
    t.ok(json.decode(post(address .. "/take", question).body).permit.second > 1e9)
    t.eq(post(address:gsub("%x%x$", "") .. "00/take", question).status, 404)
    t.eq(post(address .. "/else", question).status, 404)
    t.eq(http.request { url = address .. "/take" }.status, 404)
    for _, wrong in ipairs { { server = 7, calls = 1, tokens = 0 }, { server = "s", calls = -1, tokens = 0 },
      { server = "s", calls = 1 }, {} } do
      t.eq(post(address .. "/take", wrong).status, 400)
    end
    t.eq(post(address .. "/settle", { server = "s", permit = {} }).status, 400)
    t.eq(post(address .. "/settle", { server = "s", permit = { second = 1, tokens = 2 }, took = 3 }).status, 200)
  end)
end

return tests
