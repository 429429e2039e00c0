--- Plays a run in a process of its own (worst_run.lua) that is given one answer to each of its requests.
local uv = require "luv"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local spawn = require "spawn"
local t = require "harness"

local worst_child = {}

--- Begins it.
---@param name string
---@param reply string|table a body, or an answer of model_server
---@param policy string
---@param seconds number limits.seconds
function worst_child.begin(name, reply, policy, seconds)
  if type(reply) == "string" then reply = { body = reply } end
  local server = model_server.start(function() return reply end)
  local child = spawn.start({ uv.exepath(), "tests/lua/worst_run.lua" }, { env = { WORST_ENDPOINT = server.endpoint,
    WORST_POLICY = policy, WORST_SECONDS = tostring(seconds), ASAN_OPTIONS = "quarantine_size_mb=0" } })
  return { name = name, size = #(reply.body or ""), server = server, child = child, policy = policy }
end

--- Waits for its end.
---@return { kilobytes: integer, seconds: number, worked: number, queued: number, ended: number, answers: integer,
---  status: string, reason: string }? one kilobytes: by which its memory has grown at most; worked: seconds of the
---  processor; queued: seconds for which it waited for one; ended: when the run had, in its own seconds
function worst_child.finish(one)
  one.child:wait()
  one.server:stop()
  local said = json.decode(one.child.stdout:match("\nWORST ([^\n]*)") or "")
  local what = ("%s, %s: %s%s"):format(one.name, one.policy, one.child.stdout, one.child.stderr)
  t.ok(said and one.child.status == 0, what)
  for key, value in pairs(said or {}) do one[key] = value end
  one.child, one.server = nil, nil
  collectgarbage()
  return said and one
end

return worst_child
