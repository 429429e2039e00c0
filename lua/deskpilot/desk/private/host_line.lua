--- The connection between the host process of a private desktop (linux/host.lua, windows/host.lua) and its parent:
--- commands arrive as JSON lines on standard input, events are written to standard output.
---
--- commands: {"command":"start","width":..,"height":..,"env":{..}}
---           {"command":"app","id":..,"argv":[..],"env":{..},"pipes":{"path":..,"word":..}}   {"command":"stop"}
--- events:   {"event":"folder","folder":..} (on Linux, before it is made)
---           {"event":"ready","display":..,"folder":..,...}
---           {"event":"failed","code":..,"message":..}
---           (and those of host_runs.lua)
---           {"event":"app","id":..,"pid":..}   {"event":"app_failed","id":..,"code":..,"message":..}
---           {"event":"exit","pid":..,"status":..,"signal":..,"words":..}   {"event":"stopped"}
local uv = require "luv"
local json = require "deskpilot.base.json"

local host_line = {}

local Line = {}
Line.__index = Line

--- A function that splits a stream into lines: it is called with each piece, and calls take(line) for each complete
--- line.
---@param take fun(line: string)
---@return fun(data: string)
function host_line.cutter(take)
  local parts = {}
  return function(data)
    local from = 1
    for at in data:gmatch "()\n" do
      parts[#parts + 1] = data:sub(from, at - 1)
      from = at + 1
      local line = table.concat(parts)
      parts = {}
      take(line)
    end
    parts[#parts + 1] = data:sub(from)
  end
end

--- The connection of this process, by its standard input and output.
function host_line.open()
  local self = setmetatable({ input = uv.new_pipe(), output = uv.new_pipe() }, Line)
  self.input:open(0)
  self.output:open(1)
  return self
end

--- Writes an event. Errors are ignored: the end of the parent is noticed at the standard input.
---@param event table
function Line:say(event)
  if not self.output:is_closing() then self.output:write(json.encode(event) .. "\n") end
end

function Line:say_failed(err)
  self:say { event = "failed", code = err.code or "io", message = tostring(err) }
end

--- Answers the command "app".
---@param command { id: integer }
---@param process { pid: integer }? nil, with `err`, if the program did not start
---@param err deskpilot.error?
function Line:say_app(command, process, err)
  if process then self:say { event = "app", id = command.id, pid = process.pid }
  else self:say { event = "app_failed", id = command.id, code = err.code, message = tostring(err) } end
end

--- Calls commands[name](command) for each command that arrives. The end of the input counts as "stop".
---@param commands table<string, fun(command: table)>
function Line:listen(commands)
  local cut = host_line.cutter(function(line)
    local command = json.decode(line)
    local handler = type(command) == "table" and commands[command.command]
    if handler and not self.input:is_closing() then handler(command) end
  end)
  self.input:read_start(function(_, data)
    if data then cut(data) else commands.stop {} end
  end)
end

--- Stops reading commands.
function Line:close()
  if not self.input:is_closing() then self.input:close() end
end

return host_line
