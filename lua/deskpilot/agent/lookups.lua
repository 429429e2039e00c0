--- Look-ups: calls of tools with `looks`, which are answered within the turn. The results go back to the model as tool
--- messages, and it is asked again. A look-up is no action: nothing settles, and the history does not tell of it. The
--- journal does (`lookup`).
local json = require "deskpilot.base.json"
local pictures = require "deskpilot.agent.pictures"
local task = require "deskpilot.base.task"

local lookups = {}

local function contains(list, name)
  for _, other in ipairs(list or {}) do
    if other == name then return true end
  end
  return false
end

-- Whether a call is a look-up that the request has offered. What a person has to allow first is an action.
local function is_lookup(call, request, box)
  local tool = box:get(call.name)
  return tool ~= nil and tool.looks == true and not tool.dangerous and contains(request.tools, call.name)
end

-- Of a call of the maker's own tool, whose actions are meant to build on each other; in the words that its models know.
local after_failure = "Not executed: an earlier computer action in this turn failed."

local function spent_sentence(run)
  return ("the look-ups of this turn are spent (limits.lookups = %d): act now, with what you know")
    :format(run.config:get("limits.lookups"))
end

-- How many look-ups of the present turn there were: of those that are limited (number), and of all (all).
local function count(run)
  local counted = run.goal.lookups
  if not counted or counted.turn ~= run.turn then
    counted = { turn = run.turn, number = 0, all = 0 }
    run.goal.lookups = counted
  end
  return counted
end

-- Whether the request does not limit how often a tool is asked for its pictures.
local function is_free(request, call)
  return request.free ~= nil and request.free(call.name) == true
end

local function look(run, request, box, call, number)
  if not call.args then return nil, call.error end
  local args, ignored = box:validate(call.name, call.args, run)
  if not args then return nil, ignored end
  local ctx = { desk = run.desk, run = run, config = run.config, observation = run.observation,
    persona = request.persona }
  local ok, why = box:check(call.name, ctx, args)
  if not ok then return nil, why end
  local function find()
    local result, err = box:run(call.name, ctx, args)
    if not result then return nil, err end
    return pictures.keep_all(run, result, ("screenshots/step_%04d_lookup%d"):format(run.turn, number))
  end
  local result, err
  if request.look_up then result, err = request.look_up(call.name, args, find) else result, err = find() end
  if not result then return nil, err end
  return result, args
end

local function answer(run, request, box, call)
  local counted, free = count(run), is_free(request, call)
  if not free and counted.number >= run.config:get("limits.lookups") then
    return { text = "ERROR: " .. spent_sentence(run), own = true, failed = true }
  end
  counted.all = counted.all + 1
  local began = task.now()
  local result, args = look(run, request, box, call, counted.all)
  if not (free and result and #(result.pictures or {}) > 0) then counted.number = counted.number + 1 end
  run:emit("lookup", { tool = call.name, args = result and args or call.args, persona = request.persona,
    ok = result ~= nil, text = result and result.text or tostring(args), data = result and result.data,
    pictures = result and pictures.paths(result.pictures or {}), seconds = task.now() - began })
  return result or { text = "ERROR: " .. tostring(args), failed = true }
end

-- Of a maker's own tool several actions come at once, and the last is often a look at what they bring: the next turn
-- shows it anyway.
local function drop_last_looks(reply, request, box)
  local first = reply.calls[1]
  if not first or not first.computer or is_lookup(first, request, box) then return end
  local kept = {}
  for _, call in ipairs(reply.calls) do
    if not (call.computer and is_lookup(call, request, box)) then kept[#kept + 1] = call end
  end
  reply.calls = kept
end

local function any_free(request, box, reply)
  for _, call in ipairs(reply.calls) do
    if is_lookup(call, request, box) and is_free(request, call) then return true end
  end
  return false
end

--- Answers the look-ups of a reply. The other calls that came with them are not done: whoever wants to look first
--- wants to know what comes of it.
---@param run deskpilot.run
---@param request table as for run:ask; the round is added to its `results`, and with them it is to be asked again
---@param box deskpilot.toolbox that its tools are in
---@param reply deskpilot.reply a look-up that is one too many is made a call with an error
---@return boolean answered whether the model is to be asked again
function lookups.answer(run, request, box, reply)
  drop_last_looks(reply, request, box)
  local found = false
  for _, call in ipairs(reply.calls) do found = found or is_lookup(call, request, box) end
  if not found then return false end
  if request.spent and not any_free(request, box, reply) then -- it has been told
    for _, call in ipairs(reply.calls) do
      if is_lookup(call, request, box) then call.args, call.error = nil, spent_sentence(run) end
    end
    return false
  end
  local round = { said = reply.content, turn = reply.turn }
  request.spent = count(run).number >= run.config:get("limits.lookups") or nil
  local failed = false
  for i, call in ipairs(reply.calls) do
    local result = { own = true, failed = failed and call.computer, text = failed and call.computer and after_failure
      or "NOT DONE: it came together with a look-up. Read what that has found, then call it again." }
    run.history:note_places(call.args)
    if is_lookup(call, request, box) and not result.failed then result = answer(run, request, box, call) end
    failed = failed or result.failed == true
    -- Ids as models give them may be missing, or the same twice.
    round[i] = { id = ("lookup_%d_%d"):format(#(request.results or {}) + 1, i),
      name = call.name:gsub("[^%w_-]", "_"):sub(1, 64), -- servers refuse others
      arguments = json.encode(call.said or call.args or {}), -- its own numbers
      text = run.history:told(result.text, reply.told_in), data = result.data, pictures = result.pictures,
      own = result.own, from = call.id, failed = result.failed or nil }
    if run.outcome then return false end
  end
  request.results = request.results or {}
  table.insert(request.results, round)
  return true
end

return lookups
