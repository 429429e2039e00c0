--- One request to a model and its reply: what is sent, what is kept of it, what is counted, and who is told.
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local decode = require "deskpilot.model.decode"
local dialogue = require "deskpilot.agent.dialogue"
local early = require "deskpilot.agent.early"
local messages = require "deskpilot.agent.messages"
local persona = require "deskpilot.agent.persona"
local pictures = require "deskpilot.agent.pictures"
local recourse = require "deskpilot.agent.recourse"
local secrets = require "deskpilot.model.secrets"
local spaces = require "deskpilot.model.space"
local spending = require "deskpilot.agent.spending"
local token_count = require "deskpilot.agent.token_count"
local tool_text = require "deskpilot.model.tool_text"
local viewpoint = require "deskpilot.agent.viewpoint"
local vocabulary = require "deskpilot.model.vocabulary"

local exchange = {}

local longest_thought = 4000 -- characters of a model's thinking that the journal keeps

-- What `literal` acts on in place of the words and the picture; no server is sent it.
local function facts(run)
  local seen = run.observation or { elements = {} }
  return { task = run.task, phase = run.state.phase, actions = run.history.actions, window = seen.window,
    elements = seen.elements, page = seen.page }
end

-- Counted for the limits.
local function count(run, persona_name, model, usage, seconds)
  local prices = spending.prices_of(model)
  local spent = spending.of_call(usage or {}, seconds, prices)
  spending.add(run.spending, persona_name, spent)
  return prices and spent.cost or nil
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

-- The pictures as the persona's model wants them, and the space of its positions: points of the last picture.
local function view(run, request)
  local list = {}
  for i, picture in ipairs(request.images) do
    local shown, err = picture, nil
    if picture.elements and picture.shot then shown, err = viewpoint.picture(run, request.persona, picture) end
    if not shown then return nil, err end
    list[i] = shown
  end
  -- What a request adds to the one before it may end with a picture of a part: positions are points of the screenshot.
  local last = not request.dialogue and list[#list] or nil
  return list, viewpoint.space(run, request.persona, last)
end

-- What large words have left behind goes before more comes on top of it; Lua by itself would let twice as much stay.
local function tidy_memory(before)
  if collectgarbage "count" - before > 2 * 1024 then collectgarbage() end -- kB
end

-- The tools of a request: as its `tools`, or as words for a model that has none.
local function offer(run, request, box, space)
  if not request.tools or #request.tools == 0 then return nil end
  local list, profile = box:definitions(request.tools, run, space), viewpoint.profile(run, request.persona)
  if not profile or not viewpoint.tells_tools(run, request.persona) then return list end
  return nil, tool_text.of(list, profile)
end

-- What the decoder does not know of the calls: which are of the maker's own tool, and what it wants allowed.
local function tell_apart(reply)
  local by_id = {}
  for _, call in ipairs(reply.tool_calls or {}) do by_id[call.id] = call end
  for _, call in ipairs(reply.calls) do
    local written = by_id[call.id] or {}
    call.computer, call.checks = written.computer, written.checks
  end
end

-- The calls of a reply, as calls of our tools, with positions in 0..1000; what of it cannot be read is `unreadable`.
local function read_calls(run, request, box, reply, space)
  local offered, profile = {}, viewpoint.profile(run, request.persona)
  for _, name in ipairs(request.tools or {}) do offered[name] = box:parameters(name, run) end
  local calls, why, answer = decode.calls(reply, profile)
  reply.calls, reply.calls_error = vocabulary.translate(calls, profile, offered, answer), why
  local first = reply.calls[1]
  reply.unreadable = not first and why or first and first.error or nil
  tell_apart(reply)
  reply.told_in = space
  space:calls(reply.calls, function(name) return box:parameters(name, run) or run.toolbox:parameters(name, run) end)
  return answer and answer.repairs
end

-- The calls of a reply of which some were acted on while it came: those, and the others.
local function read_rest(run, request, box, reply, space, done)
  local all, rest = reply.tool_calls, {}
  table.move(all, (reply.taken or 0) + 1, #all, 1, rest)
  reply.tool_calls = rest
  local repairs = read_calls(run, request, box, reply, space)
  reply.tool_calls = all
  if #rest == 0 then reply.calls, reply.calls_error = {}, nil end -- nor what its text might be read as
  table.move(reply.calls, 1, #reply.calls, #done.calls + 1, reply.calls)
  table.move(done.calls, 1, #done.calls, 1, reply.calls)
  reply.unreadable = nil
  return repairs
end

-- How many rounds of look-ups there were.
local function count_lookups(request)
  local rounds = 0
  for _, round in ipairs(request.results or {}) do
    if not round.correction then rounds = rounds + 1 end
  end
  return rounds > 0 and rounds or nil
end

-- What is odd about an answer or its server, in the journal.
local function tell_of_server(run, name, reply)
  for _, sentence in ipairs(reply.learned or {}) do run:note(sentence) end
  if reply.cut_off then run:note(("%s: the answer was cut off: %s"):format(name, reply.cut_off)) end
  if reply.usage and reply.usage.estimated and not run.estimates_tokens then
    run.estimates_tokens = true
    run:note("the model server does not say how many tokens it has used: they are estimated")
  end
end

-- Does what no request needs while its model thinks: when the loop runs next, and so once the request is on its way; or
-- when it is asked for, if that is sooner.
local function while_waiting(fn)
  local value, done
  local function get()
    if not done then value, done, fn = fn(), true, nil end -- the task below may begin much later
    return value
  end
  task.start(function()
    task.sleep(0)
    get()
  end)
  return get
end

--- One request and its reply. Listeners may change the request; the caller's is left as it is.
---@param run deskpilot.run
---@param wanted table as for run:ask, with its pictures
---@param box deskpilot.toolbox that its tools are of
---@param model deskpilot.model.client
---@return deskpilot.reply? reply, deskpilot.error? err
function exchange.once(run, wanted, box, model)
  local refused = persona.spent(run, wanted.persona, model)
  if refused then return nil, refused end
  local request, memory = {}, collectgarbage "count"
  for key, value in pairs(wanted) do request[key] = value end
  request.request = run.dir:next_request(request.persona)
  request.model = model.name
  local event = {}
  for key, value in pairs(request) do event[key] = value end
  event.system, event.text = nil, nil -- the request's own file has them
  event.short, event.changed, event.brief, event.dialogue, event.could = nil, nil, nil, nil, nil
  event.images, event.results, event.spent, event.read, event.corrected = nil, nil, nil, nil, nil
  event.look_up, event.free, event.on_call = nil, nil, nil
  event.earlier = request.earlier and #request.earlier > 0 and #request.earlier or nil
  event.lookups, event.correction = count_lookups(request), request.corrected
  local usual = #request.images == 1 and request.images[1] == run.observation
  event.pictures = not usual and pictures.paths(request.images) or nil
  event = run:emit("model_request", event)
  if event.veto then return errors.fail("refused", "%s vetoed the request: %s", event.vetoed_by, event.veto) end
  event.earlier = request.earlier
  for key, value in pairs(event) do request[key] = value end

  local images, space = view(run, request)
  if not images then return nil, space end
  request.images, request.system = images, space:fill(request.system)
  request.detail = viewpoint.detail(run, request.persona)
  if type(request.text) == "function" then request.text = request.text(request.short or 0) end
  local tools, described = offer(run, request, box, space)
  request.described = described
  local chat = { persona = request.persona, turn = run.turn, goal = run.goal.parent and run.goal.path or nil,
    messages = messages.of(request, viewpoint.most_pictures(run, request.persona), run.marks), mark = run.marks.word,
    space = not space:is_canonical() and space:record() or nil,
    temperature = request.temperature, max_tokens = request.max_tokens, facts = facts(run),
    tools = tools }
  local record = model:record(chat, true)
  chat.on_text = function(so_far) run.answering = so_far end
  tidy_memory(memory)
  local counted = while_waiting(function()
    keep(run, request.request .. ".request.json", record)
    return token_count.of_request(run, chat, model, request.could and box:definitions(request.could, run, space))
  end)
  local doing = early.begin(run, request, box, model, counted, function(part)
    return read_calls(run, request, box, part, space)
  end)
  if doing then chat.on_call = function(part) return doing:take(part) end end
  local began = task.now()
  local reply, err = model:chat(chat)
  run.answering = nil
  local result = { persona = request.persona, request = request.request, tokens = counted(),
    seconds = task.now() - began - (doing and doing.seconds or 0),
    early = doing and doing.actions > 0 and doing.actions or nil }
  result.cost = count(run, request.persona, model, reply and reply.usage, result.seconds)
  if reply and request.dialogue then dialogue.keep(run, wanted, request) end
  if not reply then
    result.error = { code = err.code, message = err.message }
    run:emit("model_reply", result)
    return nil, err
  end
  keep(run, request.request .. ".reply.json", reply.raw)
  reply.raw = nil -- the file has it
  tidy_memory(memory)
  if model.replay then space = spaces.recorded(reply.space) end
  result.model = model.name
  if reply.taken then result.repairs = read_rest(run, request, box, reply, space, doing)
  else result.repairs = read_calls(run, request, box, reply, space) end
  if reply.refusal and not reply.refusal:find("%S") then reply.refusal = nil end
  result.content, result.usage, result.attempts = reply.content, reply.usage, reply.attempts
  -- Masked before it is cut: a key that is cut in half would not be recognised.
  result.thinking = reply.thinking and text.cut(secrets.mask(reply.thinking), longest_thought)
  result.tool_calls = reply.tool_calls and #reply.tool_calls > 0 and reply.tool_calls or nil
  run:emit("model_reply", result)
  if reply.excess then run:note(("%s: nothing was read of an answer that is too large: %s"):format(request.persona,
    reply.excess)) end
  if reply.note then run:note(("%s: %s"):format(request.persona, reply.note)) end
  tell_of_server(run, request.persona, reply)
  run:check_limits(true)
  tidy_memory(memory)
  return reply
end

--- A request and its reply. One that the model cannot take is changed, and where nobody answers another model is asked.
---@param run deskpilot.run
---@param request table as for run:ask, with its pictures
---@param box deskpilot.toolbox that its tools are of
---@return deskpilot.reply? reply, deskpilot.error? err
function exchange.ask(run, request, box)
  while true do
    local model = viewpoint.model(run, request.persona)
    if request.brief then dialogue.begin(run, request, model) end
    local reply, err = exchange.once(run, request, box, model)
    if reply or not recourse.find(run, request, model, err) then return reply, err end
  end
end

return exchange
