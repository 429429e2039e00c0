--- Calls of an answer that still comes: each is handed over as soon as its server has marked its end, in their order,
--- and read as it will be read in the whole answer. What is not marked waits for the end of the answer: calls that are
--- written in its text, and everything behind a call that cannot be read as it is.
local secrets = require "deskpilot.model.secrets"

local early = {}

-- Bytes of an answer behind which its calls wait: what is said is read anew with each call, and so in a bounded time.
local most_said = 32 * 1024

--- What became of a call that was handed over: "taken": it was acted on, and the next may come; "last": it was too, and
--- the others wait for the answer's end; "over": it was too, and no more of the answer is wanted; "left": it waits for
--- the answer's end, as all after it do.
---@alias deskpilot.model.handed "taken"|"last"|"over"|"left"

---@class deskpilot.model.early
---@field taken integer how many calls were taken, as the events count them
---@field names string[] of the same as the reply has them: one may be several there
---@field over boolean whether no more of the answer is wanted
local Early = {}
Early.__index = Early

--- Watches an answer that is about to come.
---@param events deskpilot.model.wire.events
---@param wire deskpilot.model.wire
---@param given string[] secrets that the server was given, which are no part of an answer
---@param hand (fun(reply: deskpilot.model.reply): deskpilot.model.handed)? is given each call in a reply of that call
---  and what was said before it; it may wait. Nil: nothing is handed over
---@return deskpilot.model.early
function early.new(events, wire, given, hand)
  return setmetatable({ events = events, wire = wire, given = given, hand = hand, taken = 0, names = {}, over = false,
    ended = hand == nil }, Early)
end

-- The next call, as a reply of its own. Where the same is called twice it may be called for ever, which shows later.
local function read_next(self)
  local reply = self.wire.read(self.events:part(self.taken + 1))
  if not reply or reply.excess or reply.refusal or #reply.tool_calls == 0 then return nil end
  reply = secrets.strip(reply, self.given)
  local words = {}
  for i, call in ipairs(reply.tool_calls) do words[i] = call.name .. " " .. call.arguments end
  local said = table.concat(words, "\n")
  if said == self.before then return nil end
  self.before = said
  return reply
end

--- Whether a reply begins with the calls that were taken.
---@param reply deskpilot.model.reply
---@return boolean
function Early:fits(reply)
  for i, name in ipairs(self.names) do
    if not reply.tool_calls[i] or reply.tool_calls[i].name ~= name then return false end
  end
  return true
end

--- Hands over what is whole by now. To be called after each event of the answer.
function Early:look()
  while not self.ended do
    local whole = self.events:complete(self.taken + 1)
    if whole == nil then return end
    local reply = whole and self.events:view().size <= most_said and read_next(self)
    local became = reply and self.hand(reply) or "left"
    self.ended = became ~= "taken"
    if became ~= "left" then
      self.taken, self.over = self.taken + 1, became == "over"
      for _, call in ipairs(reply.tool_calls) do self.names[#self.names + 1] = call.name end
    end
  end
end

return early
