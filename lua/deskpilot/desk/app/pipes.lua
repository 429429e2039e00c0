--- Two pipes to a program: what is written to `input` is read by it from its file descriptor 3, and what it writes to
--- its file descriptor 4 comes from `output`. Nobody else can reach them. Where this process starts the program, they
--- are made with it (streams). Where another process of ours does, the host of a private desktop, that one connects to
--- an address that is offered for this once (offer, join): the bytes do not go through it.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local platform = require "deskpilot.desk.platform"
local signal = require "deskpilot.base.signal"
local text = require "deskpilot.base.text"

local pipes = {}

--- The longest first line of a connection, in bytes: the word that was offered, and the number of the descriptor.
local FIRST_LINE_MAX = 80

---@class deskpilot.pipes
---@field input table? luv's stream, once they are connected
---@field output table? luv's stream, once they are connected
---@field rest string what came from `output` before it was read
local Pipes = {}
Pipes.__index = Pipes

---@class deskpilot.pipes_offer
---@field path string where the process connects to
---@field word string its first word, a random one: whoever does not know it is sent away

local function close(handle)
  if handle and not handle:is_closing() then handle:close() end
end

--- Pipes that are not connected yet.
---@return deskpilot.pipes
function pipes.new()
  return setmetatable({ rest = "", changed = signal.new(), strangers = {} }, Pipes)
end

--- The streams that luv's spawn makes the descriptors 3 and 4 of a program.
---@return table input, table output
function Pipes:streams()
  self.input, self.output = uv.new_pipe(), uv.new_pipe()
  return self.input, self.output
end

local function stop_listening(self)
  close(self.listener)
  for stranger in pairs(self.strangers) do close(stranger) end
  self.strangers = {}
end

-- Takes a connection whose first line is right, and closes any other.
local function identify(self, connection)
  local got = ""
  self.strangers[connection] = true
  connection:read_start(function(_, data)
    got = got .. (data or "")
    local line, rest = got:match "^([^\n]*)\n(.*)$"
    if data and not line and #got <= FIRST_LINE_MAX then return end
    connection:read_stop()
    local field = line == self.word .. " 3" and "input" or line == self.word .. " 4" and "output"
    if not field or self[field] then return close(connection) end
    self.strangers[connection], self[field] = nil, connection
    if field == "output" then self.rest = rest end
    if self.input and self.output then stop_listening(self) end
    self.changed:notify()
  end)
end

--- Offers the pipes to another process of ours, which joins them.
---@param folder string one that only we may enter
---@return deskpilot.pipes_offer? offer, deskpilot.error? err
function Pipes:offer(folder)
  self.word = text.hex(uv.random(16))
  local path = platform.pipe_path(folder, text.hex(uv.random(8)))
  self.listener = uv.new_pipe()
  local ok, why = self.listener:bind(path)
  if ok then
    ok, why = self.listener:listen(4, function(err)
      local connection = not err and uv.new_pipe()
      if not connection then return end
      if self.listener:accept(connection) then identify(self, connection) else close(connection) end
    end)
  end
  if ok then return { path = path, word = self.word } end
  self:close()
  return errors.fail("io", "cannot make a pipe to a program at %s: %s", path, tostring(why))
end

--- Waits until pipes that were offered are connected.
---@param seconds number
---@return boolean connected
function Pipes:wait(seconds)
  return self.changed:wait_until(seconds, function() return self.input and self.output end) ~= nil
end

--- Closes them. A second call does nothing.
function Pipes:close()
  stop_listening(self)
  close(self.input)
  close(self.output)
end

--- In the process that starts the program: the two descriptors of pipes that another process has offered.
---@param offer deskpilot.pipes_offer
---@return integer[]? descriptors for luv's spawn
---@return fun()|deskpilot.error release closes them here, when the program has been started; or the error
function pipes.join(offer)
  local descriptors, closers = {}, {}
  local function release()
    for _, close_one in ipairs(closers) do close_one() end
  end
  for i = 1, 2 do
    local descriptor, closer = platform.open_pipe(offer.path)
    closers[#closers + 1] = descriptor and closer or nil
    local ok, why = descriptor, closer
    if ok then ok, why = uv.fs_write(descriptor, ("%s %d\n"):format(offer.word, i + 2)) end
    if not ok then
      release()
      return errors.fail("io", "cannot connect a program to the pipe %s: %s", offer.path, tostring(why))
    end
    descriptors[i] = descriptor
  end
  return descriptors, release
end

return pipes
