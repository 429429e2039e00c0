--- One request to a model and its reply: what is sent, what is kept of it, what is counted, and who is told.
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local decode = require "deskpilot.model.decode"
local messages = require "deskpilot.agent.messages"
local pictures = require "deskpilot.agent.pictures"

local exchange = {}

-- What `literal` acts on in place of the words and the picture; no server is sent it.
local function facts(run)
  local seen = run.observation or { elements = {} }
  return { task = run.task, phase = run.state.phase, actions = run.history.actions, window = seen.window,
    elements = seen.elements, page = seen.page }
end

-- Counted for the limits: those of an answer, and of what was asked.
local function count_tokens(run, usage)
  run.tokens = run.tokens + (tonumber(usage and usage.input_tokens) or 0)
    + (tonumber(usage and usage.output_tokens) or 0)
  run:check_limits "tokens"
end

-- What a persona was asked and said, for people to read later; the run does not hang on it.
local function keep(run, name, value)
  local ok, err = run.dir:save_json(name, value)
  if not ok then run:emit("error", { name = "requests", message = tostring(err) }) end
end

--- The pictures of a request: those that it names; or those that tools have given since the last one, and the screen.
---@param run deskpilot.run
---@param request table as for run:ask
---@return deskpilot.picture[]
function exchange.images(run, request)
  if request.images then return request.images end
  if request.image == false then return {} end
  local list = request.acts and run.goal.pictures or {}
  if request.acts then run.goal.pictures = nil end
  list[#list + 1] = run.observation
  return list
end

-- What large words have left behind goes before more comes on top of it; Lua by itself would let twice as much stay.
local function tidy_memory(before)
  if collectgarbage "count" - before > 4 * 1024 then collectgarbage() end -- kB
end

--- One request and its reply. Listeners may change the request; the caller's is left as it is.
---@param run deskpilot.run
---@param wanted table as for run:ask, with its pictures
---@param box deskpilot.toolbox that its tools are of
---@param model deskpilot.model.client
---@return deskpilot.reply? reply, deskpilot.error? err
function exchange.once(run, wanted, box, model)
  local request, memory = {}, collectgarbage "count"
  for key, value in pairs(wanted) do request[key] = value end
  request.request = run.dir:next_request(request.persona)
  request.model = model.name
  local event = {}
  for key, value in pairs(request) do event[key] = value end
  event.system, event.text = nil, nil -- the request's own file has them
  event.images, event.results, event.spent = nil, nil, nil
  event.lookups = request.results and #request.results
  local usual = #request.images == 1 and request.images[1] == run.observation
  event.pictures = not usual and pictures.paths(request.images) or nil
  event = run:emit("model_request", event)
  if event.veto then return errors.fail("refused", "%s vetoed the request: %s", event.vetoed_by, event.veto) end
  for key, value in pairs(event) do request[key] = value end

  local chat = { persona = request.persona, turn = run.turn, goal = run.goal.parent and run.goal.path or nil,
    messages = messages.of(request, run.config:get("model.max_images"), run.marks), mark = run.marks.word,
    temperature = request.temperature, max_tokens = request.max_tokens, facts = facts(run),
    tools = request.tools and #request.tools > 0 and box:definitions(request.tools, run) or nil }
  keep(run, request.request .. ".request.json", model:record(chat))
  tidy_memory(memory)
  local began = task.now()
  local reply, err = model:chat(chat)
  local result = { persona = request.persona, request = request.request, seconds = task.now() - began }
  if not reply then
    result.error = { code = err.code, message = err.message }
    run:emit("model_reply", result)
    return nil, err
  end
  keep(run, request.request .. ".reply.json", reply.raw)
  reply.raw = nil -- the file has it
  tidy_memory(memory)
  reply.calls, reply.calls_error = decode.calls(reply)
  if reply.refusal and not reply.refusal:find("%S") then reply.refusal = nil end
  result.content, result.usage, result.attempts = reply.content, reply.usage, reply.attempts
  result.tool_calls = reply.tool_calls and #reply.tool_calls > 0 and reply.tool_calls or nil
  run:emit("model_reply", result)
  if reply.excess then run:note(("%s: nothing was read of an answer that is too large: %s"):format(request.persona,
    reply.excess)) end
  if reply.note then run:note(("%s: %s"):format(request.persona, reply.note)) end
  count_tokens(run, reply.usage)
  tidy_memory(memory)
  return reply
end

return exchange
