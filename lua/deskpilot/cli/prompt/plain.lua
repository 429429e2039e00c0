--- The prompt without a terminal: entries from a file or a pipe, one or more lines each.
local chunk = require "deskpilot.cli.chunk"
local task = require "deskpilot.base.task"
local uv = require "luv"

local plain = {}

---@class deskpilot.plain_prompt
local Plain = {}
Plain.__index = Plain

--- Reads standard input.
---@return deskpilot.plain_prompt
function plain.open()
  local self = setmetatable({ buffer = "" }, Plain)
  if uv.guess_handle(0) == "pipe" then
    self.pipe = uv.new_pipe(false)
    self.pipe:open(0)
  end
  return self
end

function Plain:close()
  if self.pipe and not self.pipe:is_closing() then self.pipe:close() end
end

local function more(self)
  if not self.pipe then return io.read("L") end
  return task.await(function(done)
    self.pipe:read_start(function(err, bytes)
      self.pipe:read_stop()
      done(not err and bytes or nil)
    end)
    return function() self.pipe:read_stop() end
  end)
end

local function line(self)
  while not self.buffer:find("\n", 1, true) do
    local bytes = more(self)
    if not bytes then
      local last = self.buffer
      self.buffer = ""
      return last ~= "" and last or nil
    end
    self.buffer = self.buffer .. bytes
  end
  local first, rest = self.buffer:match("^(.-)\r?\n(.*)$")
  self.buffer = rest
  return first
end

--- The next entry, or nil at the end.
---@return string?
function Plain:entry()
  local entry = line(self)
  while entry and entry:find("%S") and not chunk.is_complete(entry) do
    local next_line = line(self)
    if not next_line then break end
    entry = entry .. "\n" .. next_line
  end
  return entry
end

--- Nothing is typed here that an interruption could take back.
function Plain:interrupt() end

return plain
