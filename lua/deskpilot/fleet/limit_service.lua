--- What the runs of a worker ask for permits to call a model (guards/rate/permits.lua): an HTTP server of the worker's
--- on 127.0.0.1, which wants a word that only its runs have, from their environment. So the credentials of the NATS
--- server stay in the worker, and so does its connection.
local http_server = require "deskpilot.net.http_server"
local json = require "deskpilot.base.json"
local shared_limits = require "deskpilot.fleet.shared_limits"
local text = require "deskpilot.base.text"
local uv = require "luv"

local limit_service = {}

local QUESTION = { bytes = 10000, values = 50, depth = 3 }
local HOLD = 10 -- seconds for a permit, after which the run asks again
local MOST = 1e9

---@class deskpilot.fleet.limit_service
---@field environment table<string, string> by which runs find it
local Service = {}
Service.__index = Service

local function number(value)
  return type(value) == "number" and value >= 0 and value <= MOST and value or nil
end

local acts = {}

-- {"server", "calls", "tokens", "reckoned"?, "waited"?} -> {"permit"?}
function acts.take(shared, question)
  local calls, tokens = number(question.calls), number(question.tokens)
  if not calls or not tokens then return nil end
  return { permit = shared:take(question.server, { limits = { calls = calls, tokens = tokens },
    tokens = number(question.reckoned), waited = number(question.waited) }, HOLD) }
end

-- {"server", "permit", "took"?} -> {}
function acts.settle(shared, question)
  local permit = type(question.permit) == "table" and question.permit or {}
  local second, tokens = math.tointeger(permit.second), number(permit.tokens)
  if not second or not tokens then return nil end
  shared:settle(question.server, { second = second, tokens = tokens }, number(question.took))
  return {}
end

local function answer(shared, word, request)
  local act = request.method == "POST" and acts[request.path:match("^/" .. word .. "/(%l+)$") or ""]
  if not act then return nil end
  local question = json.decode(request.body, QUESTION)
  local reply = type(question) == "table" and type(question.server) == "string" and act(shared, question)
  if not reply then return { status = 400, body = "The question is not what deskpilot asks.\n" } end
  return { headers = { ["Content-Type"] = "application/json" }, body = json.encode(reply) }
end

--- Begins; it belongs to the task that calls this.
---@param worker deskpilot.fleet.worker
---@return deskpilot.fleet.limit_service? service, deskpilot.error? err
function limit_service.begin(worker)
  local shared, err = shared_limits.open(worker.store, worker.name, worker.say)
  if not shared then return nil, err end
  local word = text.hex(uv.random(16))
  local server, why = http_server.start(function(request) return answer(shared, word, request) end,
    { max_body = QUESTION.bytes, max_connections = 16 + 4 * worker.options.slots })
  if not server then return nil, why end
  return setmetatable({ server = server,
    environment = { DESKPILOT_FLEET_LIMITS = ("%s/%s"):format(server.url, word) } }, Service)
end

--- Ends it.
function Service:close() self.server:stop() end

Service.__close = Service.close

return limit_service
