--- Acting on the first calls of an answer while the rest of it still comes (request.on_call). They go the way of all
--- calls, through the same guards. What only the whole answer can decide waits for its end: where look-ups are
--- offered, since an answer with one is asked for again; calls that are dangerous, cannot be undone or end the work;
--- what a person has to allow; pointer acts that may belong to the next ones; all of them where somebody's own hook or
--- guard hears the answer, or where it may use up what models may spend.
local decode = require "deskpilot.model.decode"
local goal_limits = require "deskpilot.agent.goal_limits"
local listeners = require "deskpilot.agent.listeners"
local spending = require "deskpilot.agent.spending"
local task = require "deskpilot.base.task"
local toolbox = require "deskpilot.agent.toolbox"
local viewpoint = require "deskpilot.agent.viewpoint"
local vocabulary = require "deskpilot.model.vocabulary"

local early = {}

---@class deskpilot.early
---@field calls deskpilot.model.call[] that were taken
---@field seconds number that acting on them took
---@field actions integer that they have brought
local Early = {}
Early.__index = Early

local most_tokens = 65536 -- of an answer without a limit of its own: what is larger is not read

-- What an answer costs at the most: by our own estimate of its request, which may be wrong by half.
local function most_spent(run, request, model, counted)
  local input = 2 * (counted().input + 1000)
  local output = request.max_tokens and math.ceil(request.max_tokens * 1.25) + 64 or most_tokens
  local seconds = (model.timeout or 240) * ((model.retries or 0) + 1)
  local most = spending.of_call({ input_tokens = input, output_tokens = output }, seconds, spending.prices_of(model))
  for name, value in pairs(most) do most[name] = value + (run.spending[name] or 0) end
  return most
end

-- Whether what models may spend is limited at all.
local function has_limits(run)
  for _, name in ipairs(goal_limits.of_models) do
    if run.goal.bounds[name] then return true end
  end
  return false
end

local function looks_something_up(request, box)
  for _, name in ipairs(request.tools or {}) do
    local tool = box:get(name)
    if tool and tool.looks and not tool.dangerous then return true end
  end
  return false
end

--- What acts on the first calls of a request's answer; nil where all of them wait for its end.
---@param run deskpilot.run
---@param request table as for run:ask
---@param box deskpilot.toolbox that its tools are of
---@param model deskpilot.model.client
---@param counted fun(): table the request's tokens (token_count.of_request)
---@param read fun(reply: deskpilot.model.reply): table? reads a reply's calls into it; what had to be guessed
---@return deskpilot.early?
function early.begin(run, request, box, model, counted, read)
  if not request.on_call or request.read or looks_something_up(request, box) then return nil end
  if listeners.own_file_hears(run, "model_reply") then return nil end
  if has_limits(run) and goal_limits.reached({ spending = most_spent(run, request, model, counted) }, run.goal.bounds,
    true) then
    return nil
  end
  return setmetatable({ run = run, request = request, box = box, read = read, calls = {}, seconds = 0, actions = 0 },
    Early)
end

-- Whether a call can be acted on before it is known what comes after it.
local function is_independent(self, call)
  local tool = call.args and not call.error and not call.checks and self.box:get(call.name)
  if not tool or tool.looks or toolbox.ends(tool) or toolbox.lasts(tool, call.args) then return false end
  for _, offered in ipairs(self.request.tools or {}) do
    if offered == call.name then return true end
  end
  return false
end

-- The call of our tools in it; nil where it has to wait.
local function call_of(self, reply)
  local profile, offered = viewpoint.profile(self.run, self.request.persona), {}
  for _, name in ipairs(self.request.tools or {}) do offered[name] = self.box:parameters(name, self.run) end
  if not vocabulary.stand_alone(decode.calls(reply, profile), profile, offered) then return nil end
  if self.read(reply) or #reply.calls ~= 1 then return nil end
  return is_independent(self, reply.calls[1]) and reply.calls[1] or nil
end

--- Takes a call of the answer that still comes (deskpilot.model.request).
---@param reply deskpilot.model.reply of that call
---@return deskpilot.model.handed
function Early:take(reply)
  local run = self.run
  local call = call_of(self, reply)
  if not call then return "left" end
  local began, actions, answering = task.now(), run.actions, run.answering
  run.answering = nil
  local became = self.request.on_call(call, reply)
  run.answering = answering
  if became == "left" then return "left" end
  self.calls[#self.calls + 1] = call
  self.seconds, self.actions = self.seconds + task.now() - began, self.actions + run.actions - actions
  return run.outcome and "over" or became
end

return early
