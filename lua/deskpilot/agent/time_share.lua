--- What the time of a run went to, from its events: the model's answers, looking at the desktop, doing actions, waiting
--- for the screen to settle, asking people, waiting for limits of calls a minute; and the rest, which is the policy's
--- (with guards, hooks and files).
local time_share = {}

---@class deskpilot.time_share seconds
---@field model number
---@field capture number looking: picture, elements, page; look-ups too
---@field input number what tools took
---@field settle number
---@field people number what questions to a person took
---@field rate number waiting until the model might be called (model.calls_per_minute, model.fleet_calls_per_minute)
---@field policy number the rest

local parts = { model_reply = "model", observed = "capture", lookup = "capture", action_result = "input",
  settled = "settle", answer = "people", guard = "rate" }

--- Nothing so far.
---@return deskpilot.time_share
function time_share.new()
  return { model = 0, capture = 0, input = 0, settle = 0, people = 0, rate = 0, policy = 0 }
end

--- Takes an event's time into the sums.
---@param self deskpilot.time_share
---@param event table
---@param name string the event's
function time_share.add(self, event, name)
  local part, seconds = parts[name], tonumber(event.seconds)
  if part and seconds and seconds >= 0 and seconds < math.huge then self[part] = self[part] + seconds end
end

--- Gives the rest of the whole time to the policy. A tool that has asked people or models took their time too.
---@param self deskpilot.time_share
---@param whole any seconds that the run took
---@return deskpilot.time_share self
function time_share.finish(self, whole)
  local known = self.model + self.capture + self.input + self.settle + self.people + self.rate
  self.policy = math.max(0, (tonumber(whole) or 0) - known)
  return self
end

-- In the order in which they are told.
local order = { { "model", "model" }, { "capture", "looking" }, { "input", "acting" }, { "settle", "settling" },
  { "people", "people" }, { "rate", "waiting for limits of calls" }, { "policy", "the rest" } }
local only_where_any = { people = true, rate = true }

--- "model 4%, looking 10%, acting 12%, settling 60%, the rest 14%"
---@param self deskpilot.time_share finished
---@param whole any the same seconds
---@return string
function time_share.words(self, whole)
  local words = {}
  whole = tonumber(whole) or 0
  for _, part in ipairs(order) do
    local seconds = self[part[1]]
    if seconds > 0 or not only_where_any[part[1]] then
      words[#words + 1] = ("%s %s"):format(part[2], whole > 0 and ("%.0f%%"):format(100 * seconds / whole) or "-")
    end
  end
  return table.concat(words, ", ")
end

return time_share
