--- A run's control by the terminal: a letter and Enter. The terminal stays as it is, so that Ctrl+C stays what it was,
--- also for a program that computes and reads nothing.
local platform = require "deskpilot.desk.platform"
local terminal = require "deskpilot.cli.terminal"
local uv = require "luv"

local keys = {}

local orders = { p = "pause", s = "step", g = "go", t = "take", q = "stop" }

---@class deskpilot.live_keys
---@field control deskpilot.control
---@field tty userdata?
local Keys = {}
Keys.__index = Keys

--- Reads what is typed from now on, where a person sits at the terminal.
---@param control deskpilot.control
---@return deskpilot.live_keys
function keys.start(control)
  local self = setmetatable({ control = control }, Keys)
  if uv.guess_handle(0) == "tty" and uv.guess_handle(2) == "tty" and platform.in_foreground() then
    terminal.note("keys, each with Enter: p pause, s one step, g go on or give back, t take over, q stop\n")
    self.wanted = true
    self:read()
  end
  return self
end

function Keys:read()
  if not self.wanted or self.tty then return end
  local tty = uv.new_tty(0, true)
  if not tty then return end
  self.tty = tty
  tty:unref() -- a listener at the terminal keeps no program alive
  tty:read_start(function(err, bytes)
    if err or not bytes then return self:close() end
    for line in bytes:gmatch "[^\r\n]+" do
      local order = orders[line:match "^%s*(%a)%s*$"]
      if order then self.control:order(order, "the terminal") end
    end
  end)
end

--- Reads nothing more: somebody else does, or the run is over.
function Keys:close()
  local tty = self.tty
  self.tty = nil
  if not tty then return end
  tty:read_stop()
  if not tty:is_closing() then tty:close() end
end

--- Somebody who asks at the same terminal: meanwhile what is typed is theirs.
---@param other deskpilot.answerer
---@return deskpilot.answerer
function Keys:beside(other)
  return { name = other.name, ask = function(run, question)
    self:close()
    local again <close> = setmetatable({}, { __close = function()
      if not run.outcome then self:read() end
    end })
    assert(again)
    return other.ask(run, question)
  end }
end

return keys
