--- Limits that all workers of a fleet share, of calls and tokens a minute to a model server. What was let through is a
--- value for each model server in a bucket (spent_minute.lua), which is changed by compare and set: all calls that wait
--- here and may go are let through by one change, so that workers contend, and not their runs. While the NATS server is
--- away, a worker lets through its share of what it last knew to be left.
local jetstream = require "deskpilot.net.jetstream"
local nats_kv = require "deskpilot.net.nats_kv"
local server_clock = require "deskpilot.fleet.server_clock"
local signal = require "deskpilot.base.signal"
local spent_minute = require "deskpilot.fleet.spent_minute"
local system = require "native.system"
local task = require "deskpilot.base.task"

local shared_limits = {}

local ANSWER = 5    -- seconds for an answer of the NATS server, and until it is asked again when it gave none
local SURVEY = 60   -- seconds after which clocks are compared and workers counted again
local SLOW = 0.5    -- seconds: a change that took longer counts its calls again, since they go later than it says
local LONGEST = 5   -- seconds until the value that is kept is looked at again, whatever was reckoned
local KEPT = 24 * 3600

---@class deskpilot.fleet.shared_limits
local Shared = {}
Shared.__index = Shared

---@class deskpilot.fleet.permit
---@field second integer in which it was given, by the server's clock
---@field tokens number that the call is reckoned to take

--- Begins; it belongs to the task that calls this.
---@param store deskpilot.fleet.store
---@param name string the worker's
---@param say fun(line: string)
---@return deskpilot.fleet.shared_limits? shared, deskpilot.error? err
function shared_limits.open(store, name, say)
  local bucket, err = nats_kv.open(jetstream.of(store.connection, { timeout = ANSWER }), "deskpilot_limits",
    { max_age = KEPT })
  if not bucket then return nil, err end
  return setmetatable({ store = store, bucket = bucket, say = say, servers = {}, workers = 1,
    owner = task.current(), clock = server_clock.new(bucket, "clock." .. name) }, Shared)
end

-- What is known of a model server, and who waits for it.
local function server_of(self, name)
  local one = self.servers[name]
  if not one then
    one = { key = "server." .. system.sha256(name), spent = spent_minute.new(), own = spent_minute.new(),
      waiting = {}, settled = {}, news = signal.new() }
    self.servers[name] = one
  end
  return one
end

-- --- letting calls through ---------------------------------------------------------------------------------------

-- Those of the waiting that may go by what is spent, the longest waiting first; they are added to `spent`.
local function admit(one, spent, now, share)
  local admitted = {}
  for _, demand in ipairs(one.waiting) do
    local tokens = demand.tokens or spent.mean or spent_minute.usual_tokens
    local fits, pause = spent:admits(now, tokens, { calls = demand.limits.calls * share,
      tokens = demand.limits.tokens * share })
    if not fits then return admitted, pause end
    local permit = { second = math.floor(now), tokens = tokens }
    spent:add(permit.second, 1, tokens)
    admitted[#admitted + 1] = { demand = demand, permit = permit }
  end
  return admitted
end

local function release(one, admitted)
  for _, each in ipairs(admitted) do
    if each.demand.gone then -- nobody waits for it any more
      table.insert(one.settled, { second = each.permit.second, calls = -1, tokens = -each.permit.tokens })
    else
      for at, demand in ipairs(one.waiting) do
        if demand == each.demand then table.remove(one.waiting, at) break end
      end
      each.demand.done(each.permit)
    end
  end
end

-- Seconds after which to go on; 0: at once.
local function by_share(self, one)
  local now, share, known = self.clock:now(), 1 / self.workers, spent_minute.new()
  for second, part in pairs(one.spent.seconds) do known:add(second, part.calls * share, part.tokens * share) end
  known:add_all(one.own)
  known.mean = one.spent.mean
  local admitted, pause = admit(one, known, now, share)
  for _, each in ipairs(admitted) do one.own:add(each.permit.second, 1, each.permit.tokens) end
  release(one, admitted)
  return pause or LONGEST
end

local function away(self, err)
  self.again = task.now() + ANSWER
  if not self.is_away and not self.store.connection.closed then
    self.is_away = true
    self.say(("the limits of model servers cannot be shared just now, each worker keeps to its part: %s")
      :format(tostring(err)))
  end
  return 0
end

local function survey(self)
  if self.surveyed and task.now() - self.surveyed < SURVEY then return true end
  local ok, err = self.clock:compare()
  if not ok then return nil, err end
  local list, why = self.store:workers_there()
  if not list then return nil, why end
  self.workers, self.surveyed = math.max(1, #list), task.now()
  return true
end

-- The value that is kept, with what happened here since.
local function latest(self, one)
  if not one.revision then
    local entry, err = self.bucket:get(one.key)
    if not entry and err.code ~= "not_found" then return nil, err end
    one.spent = spent_minute.read(entry and entry.value or "")
    one.revision, one.fetched = entry and entry.revision or 0, task.now()
  end
  local spent = spent_minute.read(one.spent:text())
  spent:add_all(one.own)
  for _, each in ipairs(one.settled) do
    if each.tokens ~= 0 or each.calls then spent:add(each.second, each.calls or 0, each.tokens) end
    if each.took then spent:learn(each.took) end
  end
  return spent
end

local function by_all(self, one)
  local ok, err = survey(self)
  local spent
  if ok then spent, err = latest(self, one) end
  if not spent then return away(self, err) end
  local settled, own, now, began = #one.settled, one.own, self.clock:now(), task.now()
  local admitted, pause = admit(one, spent, now, 1)
  if #admitted == 0 and settled == 0 and not next(own.seconds) then
    if task.now() - one.fetched < LONGEST then return pause or LONGEST end
    one.revision = nil -- others may have told meanwhile that their calls took less than was reckoned
    return 0
  end
  one.own = spent_minute.new()
  local revision, why = self.bucket:update(one.key, spent:text(), one.revision)
  if not revision then
    one.own, one.revision = own, nil
    if why.code ~= "stale" then return away(self, why) end
    return 0.001 + 0.03 * math.random() -- somebody else was faster; not all again in the same moment
  end
  if self.is_away then
    self.is_away = nil
    self.say "the limits of model servers are shared again"
  end
  one.spent, one.revision = spent, revision
  table.move(one.settled, settled + 1, #one.settled + settled, 1)
  if task.now() - began > SLOW then one.own:add(math.floor(self.clock:now()), #admitted, 0) end
  release(one, admitted)
  return pause or LONGEST
end

-- A connection that is closed comes back for nobody.
local function serve(self, one)
  while (one.waiting[1] or one.settled[1]) and not self.store.connection.closed do
    local pause
    one.changed = false
    if self.is_away and task.now() < self.again then pause = by_share(self, one) else pause = by_all(self, one) end
    if not one.changed and (one.waiting[1] or one.settled[1]) then one.news:wait(math.min(pause, LONGEST)) end
  end
  one.serving = false
end

local function tell(self, one)
  one.changed = true
  one.news:notify()
  if one.serving then return end
  one.serving = true
  task.start_for(self.owner, serve, self, one)
end

--- Waits for a permit for one call.
---@param server string which model server
---@param demand { limits: deskpilot.fleet.limits, tokens: number?, waited: number? } tokens: that the call is reckoned
---  to take; waited: seconds that it has waited before, so that it keeps its place
---@param seconds number how long to wait
---@return deskpilot.fleet.permit? permit nil: not yet
function Shared:take(server, demand, seconds)
  local one, since = server_of(self, server), task.now() - (demand.waited or 0)
  local mine = { limits = demand.limits, tokens = demand.tokens, since = since }
  local _, permit = task.limit(seconds, task.await, function(done)
    mine.done = done
    local at = #one.waiting + 1
    while at > 1 and one.waiting[at - 1].since > since do at = at - 1 end
    table.insert(one.waiting, at, mine)
    tell(self, one)
    return function()
      mine.gone = true
      for i, demanded in ipairs(one.waiting) do
        if demanded == mine then table.remove(one.waiting, i) break end
      end
    end
  end)
  return type(permit) == "table" and permit.second and permit or nil
end

--- Tells what a call has taken.
---@param server string
---@param permit deskpilot.fleet.permit
---@param tokens number? nil: it has failed
function Shared:settle(server, permit, tokens)
  local one = server_of(self, server)
  table.insert(one.settled, { second = permit.second, tokens = (tokens or 0) - permit.tokens, took = tokens })
  tell(self, one)
end

return shared_limits
