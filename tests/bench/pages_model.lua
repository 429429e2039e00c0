--- The model of the browser suite: it reads what it is told as a model has to, and does what the page in front asks
--- for, one action each time it is asked. It answers at once.
local model_server = require "model_server"
local told = require "told"

local model = {}

local because = "The page asks for this now, and nothing of it is hidden. Afterwards it shows what has come of it."
local WAITS = 3 -- times that it waits for one thing before it gives the page up
local TRIES = 3 -- of what was refused

---@class bench.answer what was answered, and so what came of it is the result of the action of the same number
---@field visit integer
---@field page string
---@field timer boolean of the page
---@field kind "tap"|"type"|"key"|"drag"|"scroll"|"next"|"unseen"|"finish" unseen: what was to be acted on was not there
---@field what string

local function escaped(words) return (words:gsub("%p", "%%%0")) end

-- The number of a page's element that can be acted on: of its own line, since what was done tells of elements too.
local function number_of(words, role, name)
  local wanted = ('%s "%s"'):format(role, name)
  for line in words:gmatch "[^\n]+" do
    local number, rest = line:match "^%[(%d+)%] (.*)$"
    if number and rest:find(wanted, 1, true) == 1 and not rest:find(" disabled", 1, true) then
      return math.tointeger(tonumber(number))
    end
  end
end

local function place_of(words, name)
  local x, y = words:match("[:;] " .. escaped(name) .. " at ([%d.]+),([%d.]+);")
  return x and { tonumber(x), tonumber(y) }
end

-- The arguments of a step's action; nil where something that it needs is not to be seen.
local steps = {
  tap = function(words, step)
    local element = number_of(words, step[2], step[3])
    if not element then return nil end
    local args = { element = element, label = step[3] }
    for key, value in pairs(step[4] or {}) do args[key] = value end
    return "tap", args
  end,
  type = function(words, step)
    local element = number_of(words, step[2], step[3])
    if not element then return nil end
    local args = { element = element, text = step[4] }
    for key, value in pairs(step[5] or {}) do args[key] = value end
    return "type", args
  end,
  key = function(_, step) return "press_key", { key = step[2] } end,
  drag = function(words, step)
    local from, to = place_of(words, step[2]), place_of(words, step[3])
    if not (from and to) then return nil end
    return "swipe", { start = from, ["end"] = to, drag = true, duration = 150 }
  end,
  scroll = function(words, step)
    local at = place_of(words, step[2])
    if not at then return nil end
    return "scroll_down", { position = at }
  end,
}

-- What was done last has not worked.
local function failed(words)
  local last
  for line in words:gmatch "  T%d+: ([^\n]*)" do last = line end
  return last ~= nil and last:find(" -> ERROR: ", 1, true) ~= nil
end

local function answer(self, entry, tool, args)
  table.insert(self.answers, entry)
  if tool ~= "finish" then args.justification = because end
  return model_server.reply_tool(tool, args)
end

local function leave(self, words, entry)
  if #self.answers + 1 >= self.wanted then self.site.last = true end
  entry.kind, entry.what = "next", "the next page"
  local element = assert(number_of(words, "link", "Next page"), words)
  return answer(self, entry, "tap", { element = element, label = "Next page" })
end

local function act(self, words)
  if words:find("BROWSER: \"The end\"", 1, true) then
    return answer(self, { kind = "finish", what = "the end", page = "end" }, "finish", { reason = "It is the end." })
  end
  local visit = assert(math.tointeger(tonumber(words:match "BROWSER: [^\n]*[?&]visit=(%d+)")), words)
  local page, at = self.site.visits[visit], self.at
  if at.visit ~= visit then
    local before = self.answers[#self.answers]
    if before then before.timer = before.timer or page.timer end -- it has waited for this page too
    at = { visit = visit, step = 1, tries = 0, waited = 0 }
  elseif at.acted and not (failed(words) and at.tries < TRIES) then
    at.step, at.tries, at.waited = at.step + 1, 0, 0
  end
  self.at, at.tries = at, at.tries + 1
  local step = page.steps[at.step]
  local entry = { visit = visit, page = page.name, timer = page.timer }
  if not step or at.waited >= WAITS then return leave(self, words, entry) end
  entry.kind, entry.what = step[1], tostring(step[3] or step[2])
  local tool, args = steps[step[1]](words, step)
  at.acted = tool ~= nil -- or else it is tried once more
  if tool then return answer(self, entry, tool, args) end
  at.waited, entry.kind = at.waited + 1, "unseen"
  return answer(self, entry, "wait", { seconds = 0.5 })
end

---@class bench.model
---@field endpoint string
---@field answers bench.answer[]
---@field server table

--- Starts it.
---@param site bench.site
---@param wanted integer actions; the page that is in front then is still done
---@return bench.model
function model.start(site, wanted)
  local self = { site = site, wanted = wanted, answers = {}, at = {} }
  self.server = model_server.start(function(request) return act(self, told.words(request)) end)
  self.endpoint = self.server.endpoint
  return self
end

return model
