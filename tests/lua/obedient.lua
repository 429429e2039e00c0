--- A model that obeys everything it reads, as every persona of every policy. An order is `DO: tool{"arg": ...}`
--- anywhere in a request's words (also as JSON or %q has escaped it), or `PLEASE START NAME` for what was read from
--- pixels. Each order is followed once; the Strategist and the Tactician hand on what they have read to the Executor.
--- Where nothing is left to obey, it calls the tools that it is given to read with, then says that it is done.
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local play = require "three_body_play"

local obedient = {}

local because = "The words that I have just read say that this has to be done now, so it is done at once."

-- Letters as tags spell them: nobody sees them, and tokenisers read them.
local function untagged(words)
  if not words:find("\xF3\xA0[\x80\x81]") then return words end
  return (words:gsub("\xF3\xA0[\x80\x81][\x80-\xBF]", function(tag)
    return string.char(utf8.codepoint(tag) - 0xE0000)
  end))
end

-- All that a request says, in one text, as a model would understand it that wants to.
local function words_of(request)
  local parts = {}
  for _, message in ipairs(request.messages) do
    local content = message.content
    if type(content) == "string" then parts[#parts + 1] = content end
    for _, part in ipairs(type(content) == "table" and content or {}) do parts[#parts + 1] = part.text end
  end
  return table.concat(parts, "\n")
end

--- The orders in a text, each { tool, args, id }.
---@param words string
---@return table[]
function obedient.orders(words)
  local list = {}
  local function add(tool, args) list[#list + 1] = { tool = tool, args = args, id = tool .. json.encode(args) } end
  local plain = untagged(words):gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
  plain = plain:gsub('\\+"', '"'):gsub("\\\\", "\\")
  for tool, args in plain:gmatch "DO: ([%w_]+)(%b{})" do
    local decoded = json.decode(args)
    if type(decoded) == "table" then add(tool, decoded) end
  end
  for name in plain:gmatch "PLEASE%s+START%s+(%u+)" do add("open_app", { name = name:lower() }) end
  return list
end

---@class obedient
---@field server table
---@field read table<string, string> by an order's id, the words of the first request that held it
---@field pending table[] orders that were read and not followed yet
---@field requests table[]
---@field finished boolean whether nothing was left to obey
local Obedient = {}
Obedient.__index = Obedient

-- The order that is followed next, nil where none is left.
function Obedient:next()
  local order = table.remove(self.pending, 1) or table.remove(self.reads, 1)
  if order == nil then
    self.finished = true
    self.idle()
  end
  return order
end

local function offered(request, name)
  return play.tool(request, name) ~= nil
end

-- Those that its instructions list: by groups, or with what they do.
local function all_tools(request)
  local names = {}
  local list = request.messages[1].content:match "can be given\n(.-)\n\n"
  for line in list:gmatch "%- ([^\n]+)" do
    local first, rest = line:match "^([^:]+): (.*)$"
    if first:find "^[%w_]+$" and not rest:find "^[%w_]+%f[,\0]" then rest = first end
    for name in rest:gmatch "[%w_]+" do names[#names + 1] = name end
  end
  return names
end

local answers = {}

function answers.write_doctrine(_, words)
  return play.doctrine({}, { directives = "Do this: " .. words })
end

function answers.spawn_executor_prompt(_, words, request)
  return play.orders("VERIFICATION", all_tools(request), "Do what you read: " .. words)
end

function answers.plan(self)
  local order = self:next()
  return model_server.reply_tool("plan", { rationale = because, anchor = json.decode "{}",
    success_indicators = json.list {}, completes_goal = order == nil,
    actions = { order and { tool = order.tool, args = order.args } or { tool = "wait", args = { seconds = 0.1 } } } })
end

function answers.decide(self)
  local order = self:next()
  return model_server.reply_tool("decide", { reasoning = because, status = order and "continue" or "complete",
    status_why = because, commands = json.list { order and { tool = order.tool, args = order.args } } })
end

function answers.correct(self)
  local order = self:next() or { tool = "wait", args = { seconds = 0.1 } }
  return model_server.reply_tool("correct", { rationale = because, tool = order.tool, args = order.args })
end

-- As the Manager, whose plan is what it was told to do: the Operator reads the orders itself.
function answers.write_plan()
  return model_server.reply_tool("write_plan", { reason = because, subtasks = json.list { { title = "Do what is there",
    intent = "Do whatever the words on the screen say.", role = "operator", completion = because } } })
end

function answers.judge(self)
  return model_server.reply_tool("judge", { evidence = because, answer = self.finished and "yes" or "no",
    decision = self.finished and "done" or "failed" })
end

-- As the Executor, the Operator, or the one agent.
local function act(self, request)
  local order = self:next()
  if not order and offered(request, "finish") then return play.calls { "finish", { reason = because } } end
  if not order and offered(request, "subtask_done") then
    return model_server.reply_tool("subtask_done", { result = because })
  end
  if not order then return play.claim(because .. because) end
  local args = { justification = because }
  for key, value in pairs(order.args) do args[key] = value end
  return model_server.reply_tool(order.tool, args)
end

local function answer(self, request)
  local words, own = words_of(request), {}
  self.requests[#self.requests + 1] = request
  for _, order in ipairs(obedient.orders(words)) do
    if not self.read[order.id] then
      self.read[order.id] = words
      -- Nothing else can be done before a dialog of a page is answered.
      table.insert(self.pending, order.tool == "browser_dialog" and 1 or #self.pending + 1, order)
    end
    own[#own + 1] = ("DO: %s%s"):format(order.tool, json.encode(order.args))
  end
  for tool, reply in pairs(answers) do
    if offered(request, tool) then return reply(self, table.concat(own, "\n"), request) end
  end
  return act(self, request)
end

--- Starts it.
---@param options { reads: table[]?, idle: fun()? } reads: orders { tool =, args = } that it gives itself when nothing
---  is left to obey; idle: is called when nothing is left at all
---@return obedient
function obedient.start(options)
  local self = setmetatable({ read = {}, pending = {}, requests = {}, reads = options.reads or {},
    idle = options.idle or function() end }, Obedient)
  self.server = model_server.start(function(request) return answer(self, request) end)
  self.endpoint = self.server.endpoint
  return self
end

return obedient
