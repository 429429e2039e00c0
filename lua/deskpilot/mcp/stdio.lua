--- A server that is a program: it is started without a shell, reads messages from its standard input and writes them to
--- its standard output, one in each line. It ends with deskpilot, whatever happens to that.
local environment = require "deskpilot.desk.platform.environment"
local errors = require "deskpilot.base.errors"
local process = require "deskpilot.desk.app.process"
local protocol = require "deskpilot.mcp.protocol"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local stdio = {}

local most_strays = 100 -- lines that are no messages: some programs write words of theirs there
local at_once = 500     -- messages that are read before others have their turn
local most_unread = 200 -- answers of ours that the program has not read yet

---@class deskpilot.mcp.stdio
---@field child deskpilot.process
local Transport = {}
Transport.__index = Transport

-- Some programs write their log to where only messages belong. A line that could not be read whole is the end: what
-- follows it cannot be told apart.
local function stray(self, line, why)
  self.strays = self.strays + 1
  if self.strays <= most_strays then return true end
  return errors.fail("protocol", "%s", ("it has written %d lines that are no messages; the last (%s) %s"):format(
    self.strays, text.cut(text.one_line(line), 100), why))
end

local function take(self, line)
  if not line:find "%S" then return true end
  local message, why = protocol.read(line)
  if not message then return stray(self, line, why) end
  self.on_message(message)
  return true
end

local function read(self)
  local count = 0
  while true do
    local line, err = self.child:line(3600)
    local ok, problem = line ~= nil, err
    if line then ok, problem = take(self, line) end
    if not ok and not errors.is(problem, "timed_out") then return problem end
    count = count + 1
    if count % at_once == 0 then task.sleep(0) end
  end
end

--- Starts the program.
---@param options { command: string[], cwd: string?, env: table<string, string>? } env: beside the harmless variables
---  that every child gets
---@param on_message fun(message: deskpilot.mcp.message)
---@param on_end fun(err: deskpilot.error) is called once, when no more messages will come, unless it was closed
---@return deskpilot.mcp.stdio? transport, deskpilot.error? err
function stdio.open(options, on_message, on_end)
  local child, err = process.start { argv = options.command, cwd = options.cwd,
    env = environment.of("child", options.env), max_output = protocol.limits.bytes }
  if not child then return nil, err end
  local self = setmetatable({ child = child, on_message = on_message, strays = 0,
    unread = 0 }, Transport)
  self.reader = task.start_for(nil, function()
    task.sleep(0) -- from here on a task of its own
    local problem = read(self)
    if self.closed then return end
    self.closed = true
    child:kill()
    on_end(problem)
  end)
  return self
end

--- Sends a message, and waits until the program has taken it or the system has room for it.
---@param line string
---@return boolean? ok, deskpilot.error? err
function Transport:send(line)
  if self.closed then return errors.fail("io", "it has ended") end
  return self.child:write(line .. "\n")
end

Transport.tell = Transport.send

--- Sends a message that nobody waits for.
---@param line string
---@return boolean? ok, deskpilot.error? err where the program only writes and does not read
function Transport:post(line)
  if self.unread >= most_unread then
    return errors.fail("protocol", "it asks without reading the answers")
  end
  self.unread = self.unread + 1
  task.start_for(nil, function()
    local over <close> = setmetatable({}, { __close = function() self.unread = self.unread - 1 end })
    assert(over)
    return self:send(line)
  end)
  return true
end

--- The words that it has written to its standard error last, "" for none.
---@return string
function Transport:last_words() return self.child:last_words() end

--- Ends the program: by the end of its input, then by force. Waits where that is possible.
function Transport:close()
  if self.closed then return end
  self.closed = true
  self.reader:cancel "the server is closed"
  if task.may_wait() then self.child:stop() else self.child:kill() end
end

return stdio
