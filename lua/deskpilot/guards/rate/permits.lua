--- Permits to call a model, for a run that a fleet's worker has started: from the worker, which shares the limits with
--- all others (fleet/limit_service.lua).
local http = require "deskpilot.net.http"
local json = require "deskpilot.base.json"
local secrets = require "deskpilot.model.secrets"
local task = require "deskpilot.base.task"
local uv = require "luv"

local permits = {}

local ANSWER = { bytes = 10000, values = 50, depth = 3 }
local LONGEST = 30 -- seconds for an answer; the worker says after a while that there is no permit yet

---@class deskpilot.permits
---@field address string
local Permits = {}
Permits.__index = Permits

--- The worker that has started this process; nil where it is none.
---@return deskpilot.permits?
function permits.of_worker()
  local address = uv.os_getenv "DESKPILOT_FLEET_LIMITS"
  local word = address and address:match "^http://127%.0%.0%.1:%d+/(%x+)$"
  if not word then return nil end
  secrets.register(word)
  return setmetatable({ address = address }, Permits)
end

--- The name by which a model server is known to all workers. One of this machine is another one on each.
---@param model deskpilot.model.client
---@return string
function permits.server(model)
  return model.is_local and ("%s at %s"):format(model.endpoint, uv.os_gethostname()) or model.endpoint
end

local function ask(self, what, question)
  local result, err = http.request { method = "POST", url = ("%s/%s"):format(self.address, what),
    headers = { ["Content-Type"] = "application/json" }, body = json.encode(question),
    timeout = { connect = LONGEST, total = LONGEST }, max_bytes = ANSWER.bytes }
  if not result then return nil, secrets.mask(tostring(err)) end
  local answer = json.decode(result.body, ANSWER)
  if result.status ~= 200 or type(answer) ~= "table" then
    return nil, ("it answered with status %d"):format(result.status)
  end
  return answer
end

--- Waits for a permit for one call, for as long as it takes.
---@param server string
---@param limits { calls: number, tokens: number, reckoned: number? } reckoned: the tokens that it may take, where that
---  is known
---@param held fun(seconds: number) is called before each wait of at most that long, and with less than 0 for what was
---  left of it
---@return table? permit nil: the worker does not answer
---@return number|string seconds that it took; or why not
function Permits:take(server, limits, held)
  local began = task.now()
  while true do
    local since = task.now()
    held(LONGEST)
    local answer, why = ask(self, "take", { server = server, calls = limits.calls, tokens = limits.tokens,
      reckoned = limits.reckoned, waited = since - began })
    held(task.now() - since - LONGEST)
    if not answer then return nil, why end
    if type(answer.permit) == "table" then return answer.permit, task.now() - began end
  end
end

--- Tells what the call has taken. Does not wait.
---@param server string
---@param permit table
---@param tokens number? nil: it has failed
function Permits:settle(server, permit, tokens)
  task.start(ask, self, "settle", { server = server, permit = permit, took = tokens })
end

return permits
