--- What a client sends to an MCP server, each line a message: whatever comes, what is written are messages, each
--- request has at most one answer, nothing fails inside, and all work ends with the client.
local json = require "deskpilot.base.json"
local run_files = require "deskpilot.cli.mcp.run_files"
local schema = require "deskpilot.base.schema"
local server_module = require "deskpilot.cli.mcp.server"
local stdio = require "deskpilot.cli.mcp.stdio"
local task = require "deskpilot.base.task"
local uv = require "luv"
local values = require "fuzz_values"

local parameters = schema.declare { type = "object", required = { "n" }, additionalProperties = false, properties = {
  n = { type = "integer", minimum = 1 }, words = { type = "string" }, list = { type = "array",
    items = { type = "number" }, maxItems = 2 } } }
local nothing = schema.declare { type = "object", properties = {} }

local tools = {
  { name = "echo", description = "d", parameters = parameters, run = function(call, args)
    call:progress(1, 2, args.words)
    call:log("info", tostring(args.words))
    return { text = tostring(args.n) .. (args.words or ""), structured = args }
  end },
  { name = "asks", description = "d", parameters = nothing, run = function(call)
    local answers, err = call:ask { it = { method = "elicitation/create", params = { message = "m" } } }
    return answers and json.encode(answers), err
  end },
  { name = "waits", description = "d", parameters = nothing, run = function() task.sleep(3600) return "never" end },
}
local prompts = { { name = "p", get = function(_, args) return { { role = "user", content = { type = "text",
  text = tostring(args.a) } } } end } }

-- What was written: a message, and no failure of ours.
local function check_line(line, answered)
  assert(not line:find "[\r\n]", "a line that is two")
  local message = assert(json.decode(line), "a line that is no JSON")
  assert(message.jsonrpc == "2.0", "no message")
  if message.error then
    assert(message.error.code ~= -32603 or message.error.message:find "^too many", message.error.message)
    values.sentence(message.error.message, 5000)
  end
  if message.id ~= nil and not message.method then
    local key = math.type(message.id) or type(message.id)
    key = key .. " " .. tostring(message.id)
    answered[key] = (answered[key] or 0) + 1
  end
end

-- How often each id is asked with, as far as a line can be read. What is no UTF-8 in an id is answered as it was read.
local function asked_in(bytes)
  local asked = {}
  for line in bytes:gmatch "[^\n]+" do
    local message = json.decode(json.utf8(line))
    local id = type(message) == "table" and message.id
    if id then
      local key = (math.type(id) or type(id)) .. " " .. tostring(id)
      asked[key] = (asked[key] or 0) + 1
    end
  end
  return asked
end

return function(bytes)
  local feed
  local answered = {}
  local owner = task.start(function()
    local server = server_module.new { tools = tools, resources = { run_files.of "/nowhere" }, prompts = prompts,
      instructions = "i" }
    feed = stdio.feeder(server, task.current(), function(line)
      check_line(line, answered)
      return true
    end)
    task.await(function() end)
  end)
  feed(bytes)
  feed "\n"
  for _ = 1, 8 do uv.run "nowait" end
  local asked = asked_in(bytes)
  for key, count in pairs(answered) do
    assert(count <= (asked[key] or 0), "more answers than requests: " .. key)
  end
  owner:cancel "the input is over"
  uv.run "nowait"
  for child in pairs(owner.children) do assert(child:ended(), "work that outlasts its client") end
end
