--- A run: one mission under way. Missions know it as `m`, policies, guards and tools as `run`. It
--- holds what is true now; what has happened is in the journal.
local native = require "native.image"
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local checks = require "deskpilot.agent.checks"
local decode = require "deskpilot.model.decode"
local events = require "deskpilot.agent.run_events"
local goal_limits = require "deskpilot.agent.goal_limits"
local goal_options = require "deskpilot.agent.goal_options"
local goals = require "deskpilot.agent.goals"
local history = require "deskpilot.agent.history"
local mistake = require "deskpilot.agent.mistake"
local listeners = require "deskpilot.agent.listeners"
local looking = require "deskpilot.agent.looking"
local lookups = require "deskpilot.agent.lookups"
local messages = require "deskpilot.agent.messages"
local observation = require "deskpilot.agent.observation"
local pace = require "deskpilot.agent.pace"
local run_memory = require "deskpilot.agent.run_memory"
local persona = require "deskpilot.agent.persona"
local pictures = require "deskpilot.agent.pictures"
local questions = require "deskpilot.agent.questions"
local script = require "deskpilot.agent.script"
local state = require "deskpilot.agent.state"
local verdict = require "deskpilot.agent.verdict"

local run = {}

local statuses = { succeeded = true, claimed = true, failed = true, incomplete = true, interrupted = true,
  error = true }

--- An action as a policy asks for it.
---@class deskpilot.call
---@field tool string
---@field args table
---@field persona string? who wants it
---@field why string? what it is for, where the arguments have no justification
---@field toolbox deskpilot.toolbox? the only tools that it may be of (toolbox:scope), the run's if not given
---@field observation deskpilot.observation? what the model was shown when it chose the arguments, the latest if not
---  given: positions are points of its picture

---@class deskpilot.run
---@field mission deskpilot.mission the mission's table
---@field name string the mission's
---@field args string[] what stands after `--` on the command line
---@field checks deskpilot.checks ready-made checks, each of which answers with a verdict
---@field goal deskpilot.goal what is worked on now; `task`, `state`, `history`, `observation`, `outcome`, `result`,
---  `personas`, `toolbox`, `model` and `models` are its own
---@field goals_begun integer how many goals were begun within the run
---@field tokens integer those of all requests and answers so far, as the servers count them
---@field open_model (fun(own: { model: string?, endpoint: string? }): deskpilot.model.client?, deskpilot.error?)? a
---  client for a goal or persona with a model of its own
---@field task string? what is to be done now
---@field config deskpilot.config
---@field desk deskpilot.desk the desktop
---@field desktop "current"|"private"
---@field turn integer 0 before the first
---@field actions integer how many there were
---@field state table the policy's own state
---@field phase string? that the policy has announced last
---@field history deskpilot.history what the personas are told of the past
---@field observation deskpilot.observation? the latest
---@field outcome deskpilot.outcome? once it is over
---@field acted number? when the last action had settled
---@field result table? what the policy has to say of its work, in plain data: `task_result` of result.json
---@field personas table<string, table>? what the policy lets its personas spend (agent/persona.lua)
---@field memory deskpilot.memory what it keeps in mind
---@field toolbox deskpilot.toolbox
---@field listeners { name: string, listener: deskpilot.listener, final: boolean?, essential: boolean? }[]
---@field dir deskpilot.rundir
---@field model deskpilot.model.client
---@field encoder native.PngEncoder
---@field started number
---@field body deskpilot.task? the task that it is
---@field closers function[]
---@field noted table<string, true> what has been told of left out arguments
---@field looked { turn: integer, times: integer }?
---@field [string] any what guards keep of the whole run; what they keep of a goal is in `goal.guards`
---@field models table<string, deskpilot.model.client>? the clients of personas that ask a model of their own
---@field past deskpilot.past? the run that this one goes on from (`deskpilot resume`, `fork`)
---@field spent number seconds that those before it have spent of its time
---@field recording deskpilot.recording? what is seen in place of a desktop (`deskpilot rerun`)
---@field parent table? what run_start says of the run that this one comes from
---@field notices string[]? what the next observation tells beside the screen
---@field m deskpilot.mission_run the run as its mission's functions see it
---@field proxy deskpilot.desk_proxy that of m.desk
---@field mistaken boolean? one of the mission's functions has failed
---@field folder string? the mission's own folder; a mission that ships with the program has none
---@field file { path: string, sha256: string }? the mission's file
---@field answerers deskpilot.answerer[]? who may answer questions, beside the mission's hook `ask`
local Run = {}

--- A new run. The parts are opened by the caller, who also closes them.
---@param parts table { mission, config, desk, dir, model, toolbox, listeners }
---@return deskpilot.run
function run.new(parts)
  local self, mission = setmetatable({}, goals.metatable(Run)), parts.mission
  rawset(self, "goal", goals.first { task = mission.task, verify = mission.verify, indicators = mission.indicators })
  for key, value in pairs(parts) do self[key] = value end
  self.history = self:new_history()
  self.turn, self.actions, self.tokens, self.goals_begun = 0, 0, 0, 0
  self.args, self.checks = self.args or {}, checks.new(self)
  self.spent = self.past and self.past.seconds or 0
  self.encoder = native.encoder()
  self.closers, self.noted = {}, {}
  if self.toolbox then self.toolbox.changed = function(change) self:emit("tools_changed", change) end end
  self.memory = run_memory.of(self)
  self.m, self.proxy = script.view(self)
  self.desk:watch() -- from now on, so that no change between an action and its settle is missed
  self.started = task.now()
  self:enter(nil)
  return self
end

--- An empty history, of the configured length.
---@return deskpilot.history
function Run:new_history()
  return history.new(self.config:get("history.kept"), self.config:get("history.sent"))
end

--- Announces an event to every listener and returns it as they left it.
---@param name string of an event that is declared (agent/events.lua)
---@param fields table?
---@return table event
function Run:emit(name, fields)
  events.expect(name)
  local event = fields or {}
  event.event, event.at = name, task.now() - self.started
  if event.turn == nil then event.turn = self.goal.turn end
  if self.goal.parent then event.goal = self.goal.path end
  listeners.tell(self, event)
  if name == "phase_change" then self:enter(event.to) end
  return event
end

--- Enters a phase, whose times hold from now on. The policy announces it by the event phase_change.
---@param phase string? nil for none
function Run:enter(phase)
  self.phase = phase
  pace.apply(self)
end

--- Writes a line into the journal that everyone may read later.
---@param message any what tostring makes of it
function Run:note(message)
  self:emit("note", { message = tostring(message) })
end

--- Tells the personas something with the next observation.
---@param sentence string
function Run:inform(sentence)
  self.notices = self.notices or {}
  table.insert(self.notices, sentence)
end

--- Writes what has changed of `state` into the journal, for a run that goes on from this one. The loop does so after
--- each turn; a script does it itself.
function Run:keep_state()
  state.keep(self)
end

--- Ends what is worked on, the run or a goal within it, after the current step. The first end given is the one that
--- counts.
---@param status "succeeded"|"claimed"|"failed"|"incomplete"|"interrupted"|"error"
---@param reason string
---@param final boolean? the end of the whole run, also within a goal that was handed to an agent
function Run:stop(status, reason, final)
  if self.outcome then return end
  if not statuses[status] then
    status, reason = "error", ("somebody ended the run with the status %q, which does not exist"):format(
      tostring(status))
  end
  goals.finish(self, { status = status, reason = tostring(reason or "no reason was given"), final = final })
end

--- Ends the run at once, in the middle of whatever it waits for.
---@param status string as for stop
---@param reason string
function Run:abort(status, reason)
  self:stop(status, reason, true)
  if self.body then self.body:cancel(reason) end
end

--- Calls fn when the run is over, however it ends.
---@param fn fun()
function Run:on_close(fn)
  table.insert(self.closers, fn)
end

--- What an observation's picture shows.
---@class deskpilot.look_options
---@field reuse boolean? the latest observation is good enough, where there is one
---@field window boolean|deskpilot.window|deskpilot.window_criteria|string|nil that window's own picture, true: of the
---  active one; elements outside it are not told of
---@field region deskpilot.region? of the screen, in pixels, or of that window
---@field marks boolean? with the numbers of the elements drawn into it

--- What a picture beside it shows: the screen, unless it says something else.
---@class deskpilot.picture_options
---@field window boolean|deskpilot.window|deskpilot.window_criteria|string|nil true: the active one
---@field region deskpilot.region?
---@field marks boolean? with the numbers of the latest observation's elements drawn into it
---@field page boolean? the whole page in front, also what is scrolled out of view
---@field before boolean? the picture of the observation before the latest
---@field caption string? what the model is told of it

--- Looks at the desktop: saves the screenshot and announces it. The loop does so at the start of each turn, unless the
--- policy's `observe` says otherwise.
---@param options deskpilot.look_options?
---@return boolean? ok, deskpilot.error? err
function Run:observe(options)
  return looking.observe(self, options or {})
end

--- A picture for a request's `images`, in the size of screenshots, kept in the run's folder.
---@param options deskpilot.picture_options
---@return deskpilot.picture? picture, deskpilot.error? err
function Run:picture(options)
  return looking.picture(self, options)
end

-- What `literal` acts on in place of the words and the picture; no server is sent it.
local function facts(self)
  local seen = self.observation or { elements = {} }
  return { task = self.task, phase = self.state.phase, actions = self.history.actions, window = seen.window,
    elements = seen.elements, page = seen.page }
end

-- Counted for the limits: those of an answer, and of what was asked.
local function count_tokens(self, usage)
  self.tokens = self.tokens + (tonumber(usage and usage.input_tokens) or 0)
    + (tonumber(usage and usage.output_tokens) or 0)
  self:check_limits "tokens"
end

-- What a persona was asked and said, for people to read later; the run does not hang on it.
local function keep(self, name, value)
  local ok, err = self.dir:save_json(name, value)
  if not ok then self:emit("error", { name = "requests", message = tostring(err) }) end
end

-- The pictures of a request: those that it names; or those that tools have given since the last one, and the screen.
local function images_of(self, request)
  if request.images then return request.images end
  if request.image == false then return {} end
  local list = request.acts and self.goal.pictures or {}
  if request.acts then self.goal.pictures = nil end
  list[#list + 1] = self.observation
  return list
end

-- What large words have left behind goes before more comes on top of it; Lua by itself would let twice as much stay.
local function tidy_memory(before)
  if collectgarbage "count" - before > 4 * 1024 then collectgarbage() end -- kB
end

-- One request and its reply. Listeners may change the request; the caller's is left as it is.
local function exchange(self, wanted, box, model)
  local request, memory = {}, collectgarbage "count"
  for key, value in pairs(wanted) do request[key] = value end
  request.request = self.dir:next_request(request.persona)
  request.model = model.name
  local event = {}
  for key, value in pairs(request) do event[key] = value end
  event.system, event.text = nil, nil -- the request's own file has them
  event.images, event.results, event.spent = nil, nil, nil
  event.lookups = request.results and #request.results
  local usual = #request.images == 1 and request.images[1] == self.observation
  event.pictures = not usual and pictures.paths(request.images) or nil
  event = self:emit("model_request", event)
  if event.veto then return errors.fail("refused", "%s vetoed the request: %s", event.vetoed_by, event.veto) end
  for key, value in pairs(event) do request[key] = value end

  local chat = { persona = request.persona, turn = self.turn, goal = self.goal.parent and self.goal.path or nil,
    messages = messages.of(request, self.config:get("model.max_images")),
    temperature = request.temperature, max_tokens = request.max_tokens, facts = facts(self),
    tools = request.tools and #request.tools > 0 and box:definitions(request.tools, self) or nil }
  keep(self, request.request .. ".request.json", model:record(chat))
  tidy_memory(memory)
  local began = task.now()
  local reply, err = model:chat(chat)
  local result = { persona = request.persona, request = request.request, seconds = task.now() - began }
  if not reply then
    result.error = { code = err.code, message = err.message }
    self:emit("model_reply", result)
    return nil, err
  end
  keep(self, request.request .. ".reply.json", reply.raw)
  reply.raw = nil -- the file has it
  tidy_memory(memory)
  reply.calls, reply.calls_error = decode.calls(reply)
  if reply.refusal and not reply.refusal:find("%S") then reply.refusal = nil end
  result.content, result.usage, result.attempts = reply.content, reply.usage, reply.attempts
  result.tool_calls = reply.tool_calls and #reply.tool_calls > 0 and reply.tool_calls or nil
  self:emit("model_reply", result)
  if reply.excess then self:note(("%s: nothing was read of an answer that is too large: %s"):format(request.persona,
    reply.excess)) end
  if reply.note then self:note(("%s: %s"):format(request.persona, reply.note)) end
  count_tokens(self, reply.usage)
  tidy_memory(memory)
  return reply
end

--- Asks the persona's model. The latest screenshot goes along unless request.image is false. Calls of tools that only
--- look (`looks`) are answered within it, and the model is asked again, until it does something else.
---@param request { persona: string?, system: string, text: string, tools: string[]?, temperature: number?,
---  max_tokens: integer?, image: boolean?, images: deskpilot.picture[]?, results: deskpilot.lookup_round[]?,
---  acts: boolean?, toolbox: deskpilot.toolbox? } tools: their names; acts: the answer is to be an action; images: in
---  place of the latest screenshot, the last one is what positions are points of (run:picture, run.observation); what
---  it may spend is its persona's, unless the request says so itself
---@return deskpilot.reply? reply, deskpilot.error? err
function Run:ask(request)
  local box = request.toolbox or self.toolbox
  request.toolbox = nil
  request.persona = request.persona or "agent"
  persona.spend(self, request)
  request.images = images_of(self, request)
  local model = self.models and self.models[request.persona] or self.model
  while true do
    local reply, err = exchange(self, request, box, model)
    if not reply then return nil, err end
    -- `literal` reads no messages: what it looks up is an action, of which the history tells it.
    if self.outcome or model.literal or not lookups.answer(self, request, box, reply) then return reply end
  end
end

local function finish_action(self, action, ok, result, extra)
  local event = extra or {}
  event.tool, event.args, event.action = action.tool, action.args, action
  event.ok, event.text = ok, result
  local justification = action.args.justification
  self.history:add_action(self.turn, { tool = action.tool, args = action.args, ok = ok, text = result,
    why = type(justification) == "string" and justification or action.why })
  return self:emit("action_result", event)
end

--- Records an answer that could not become an action, so that the model sees it on its next turn.
---@param tool string the tool that was asked for, or "(none)"
---@param args table what is known of its arguments
---@param why string the sentence for the model
---@return { ok: false, text: string } result
function Run:reject(tool, args, why)
  self.actions = self.actions + 1
  local action = self:emit("action", { tool = tool, args = args, rejected = true })
  finish_action(self, action, false, why)
  return { ok = false, text = why }
end

-- What a tool is given besides its arguments.
local function context(self, call)
  return { desk = self.desk, run = self, config = self.config, observation = call.observation or self.observation }
end

-- Told once in a run: a model that adds something does so each time. Each action has it in its event.
local function note_ignored(self, action, ignored)
  action.ignored = ignored
  local words = ("%s: left out what the tool does not know: %s"):format(action.tool, table.concat(ignored, ", "))
  if not self.noted[words] then self:note(words) end
  self.noted[words] = true
end

local function perform(self, action, call, ctx)
  if type(action.args) ~= "table" then
    return errors.fail("invalid", "%s needs a table of arguments, not %s", tostring(action.tool), type(action.args))
  end
  if action.veto then
    return errors.fail("refused", "%s vetoed this: %s", action.vetoed_by, action.veto)
  end
  local args, ignored = self:check { tool = action.tool, args = action.args, observation = call.observation,
    why = call.why, toolbox = call.toolbox }
  if not args then return nil, ignored end
  action.args = args
  if #ignored > 0 then note_ignored(self, action, ignored) end
  local allowed, refusal = questions.allow_call(self, action.tool, args, call.why)
  if not allowed then return nil, refusal end
  local result, err = (call.toolbox or self.toolbox):run(action.tool, ctx, args)
  if not result then return nil, err end
  return pictures.keep_all(self, result, ("screenshots/action_%04d"):format(self.actions))
end

-- The arguments, with the caller's reason where the tool wants a justification and they have none.
local function justified(self, call)
  local tool, args = self.toolbox:get(call.tool), call.args
  if not (call.why and tool and type(args) == "table") or args.justification ~= nil then return args end
  if not tool.parameters.properties.justification then return args end
  local copy = { justification = call.why }
  for key, value in pairs(args) do copy[key] = value end
  return copy
end

--- Whether a call could be done as things are in the latest observation: its tool, its arguments, and what the
--- tool itself has to say about them. Nothing is done.
---@param call deskpilot.call
---@return table? args as the tool takes them
---@return string[]|deskpilot.error ignored the names of arguments that were left out, because the tool does not know
---  them; or a sentence for the model
function Run:check(call)
  local box = call.toolbox or self.toolbox
  local args, ignored = box:validate(call.tool, justified(self, call), self)
  if not args then return nil, ignored end
  local ok, why = box:check(call.tool, context(self, call), args)
  if not ok then return nil, why end
  return args, ignored
end

-- A page that an action has sent elsewhere is quiet too while its server thinks: whether it was waited for.
local function wait_for_page(self)
  if not self.config:get("observe.page") then return false end
  local tab = observation.tab(self.desk, self.desk.windows.active())
  if not (tab and tab.loading) then return false end
  self.desk.wait_until(function() return not tab.loading or tab:dialog() end,
    { timeout = pace.get(self, "settle_page"), every = 0.02 })
  return true
end

--- Waits until the screen is quiet after an action, for as long as the configuration says, or else as the active
--- application needs; and until a page in front has been loaded.
function Run:settle()
  local how = { quiet = pace.set(self, "settle_quiet"), cap = pace.set(self, "settle_cap"),
    floor = pace.get(self, "settle_floor") }
  local began = task.now()
  local settled, err = self.desk.settle(how)
  if wait_for_page(self) then settled, err = self.desk.settle(how) end
  settled = settled or { reason = "unknown: " .. tostring(err) }
  settled.seconds = task.now() - began
  self:emit("settled", { seconds = settled.seconds, reason = settled.reason })
end

-- What a tool has given to see goes with the next request for an action.
local function show_next(self, list, tool)
  for _, picture in ipairs(list) do
    picture.caption = picture.caption or ("A picture that %s has given:"):format(tool)
    self.goal.pictures = self.goal.pictures or {}
    table.insert(self.goal.pictures, picture)
  end
end

--- Does one action by its tool, then lets the screen settle.
---@param call deskpilot.call
---@return { ok: boolean, text: string, code: string?, vetoed: boolean, data: any, pictures: deskpilot.picture[]? }
---  result vetoed: a listener did not let it happen; data and pictures: what the tool has given beside the text
function Run:act(call)
  self.actions = self.actions + 1
  local began = task.now()
  local action = self:emit("action", { tool = call.tool, args = call.args or {}, persona = call.persona,
    why = call.why })
  local ctx = context(self, call)
  local result, err = perform(self, action, call, ctx)
  local ok, words = result ~= nil, result and result.text or tostring(err)
  result = result or {}
  if type(action.args) ~= "table" then action.args = {} end
  show_next(self, result.pictures or {}, action.tool)
  finish_action(self, action, ok, words, { seconds = task.now() - began, data = result.data,
    pictures = pictures.paths(result.pictures or {}), code = err and err.code, ignored = action.ignored,
    element = ctx.element, point = ctx.point or action.args.position or action.args["end"] })
  local tool = self.toolbox:get(action.tool)
  if not action.veto and tool and tool.acts ~= false then
    self:settle()
    self.acted = task.now()
  end
  return { ok = ok, text = words, code = err and err.code, vetoed = action.veto ~= nil, data = result.data,
    pictures = result.pictures }
end

--- Whether a `verify` decides that the goal is reached: then no claim has to be believed.
---@return boolean
function Run:has_verify()
  return self.goal.verify ~= nil and self.goal.verify ~= false
end

-- What the goal's verify says now. A mistake in it ends the run; what was asserted of the world does not hold yet.
local function ask_verify(self, verify)
  local called, ok, why = xpcall(script.ask, mistake.traceback, self, false, verify, self.m)
  if called then return verdict.of(ok, why) end
  if errors.interrupts(ok) then error(ok, 0) end
  if errors.is(ok) then return verdict.of(nil, ok) end
  local reason = mistake.ends(self, "verify", ok)
  mistake.unwind(self)
  return verdict.unknown(reason)
end

--- Asks the `verify` of the goal, which is the mission's own or was given to `achieve`, whether it is reached; yes
--- where it has none. The application may need a moment, so the question is repeated for that many seconds. The verdict
--- is kept as `run.goal.verdict`.
---@param seconds number?
---@return deskpilot.verdict verdict reached only if its `answer` is "yes"
function Run:verify(seconds)
  local verify = self.goal.verify
  if not verify then return verdict.yes "nothing was asked for" end
  local limit = task.now() + (seconds or self.config:get("timing.verify"))
  while true do
    local said = ask_verify(self, verify)
    self.goal.verdict = said
    if said.answer == "yes" or task.now() >= limit then return said end
    task.sleep(0.1)
  end
end

--- The agent claims that it is done. The world decides; where nothing looks at it, the goal ends as claimed.
---@param evidence string
---@param options { seconds: number?, checked: boolean? }? seconds: how long the world may take, timing.verify unless
---  told; checked: what the mission itself gave to know the end by (its indicators) has been seen
---@return string? text, deskpilot.error? err
function Run:claim(evidence, options)
  options = options or {}
  local said = self:verify(options.seconds)
  if said.answer ~= "yes" then
    local why = verdict.words(said)
    self:emit("guard", { name = "verify", message = "the claim of completion is not true: " .. why, verdict = said })
    return errors.fail("refused", "NOT DONE: the mission's own check of the desktop says: %s", why)
  end
  local looked = self:has_verify() or options.checked
  self:stop(looked and "succeeded" or "claimed", text.one_line(evidence))
  return "the mission is complete"
end

--- Ends the goal if it has used up what it may spend, or what the goals around it had left. The loop asks after each
--- turn, and `ask` after each answer.
---@param only "tokens"|nil of the limits
function Run:check_limits(only)
  local reached = not self.outcome and goal_limits.reached(self, self.goal.bounds, only)
  if reached then self:stop("incomplete", reached) end
end

--- Hands a part of the work to an agent, from a script, a policy, a hook or a tool, and waits until it has ended. That
--- part has a history, a state and limits of its own, and its end is not the end of the run. A run works on one goal at
--- a time. `m:achieve("goal", { ... })` says the same as `m:achieve { goal = "goal", ... }`.
---@param goal string|deskpilot.goal_options
---@param options deskpilot.goal_options?
---@return boolean ok, string reason, table? result what the policy has to say of its work
function Run:achieve(goal, options)
  return require "deskpilot.agent.loop".achieve(self, goal_options.read(goal, options))
end

--- Asks a person and waits for the answer: at the terminal, unless the mission's hook `ask` or the file of `--answers`
--- has one. The policy's rule and `default` stand in where nobody has answered. The personas read of it in their next
--- request.
---@param question deskpilot.question
---@return string? answer nil where there is none; one of the options where there are some
---@return string|deskpilot.error by who gave it; or why nobody did: code "unavailable" where nobody is there,
---  "timed_out", or "refused" by whoever was asked
function Run:question(question)
  return questions.ask(self, question)
end

--- Asks a person whether something dangerous may be done; no answer is no. A tool with `dangerous` asks by itself.
---@param wanted { what: string, why: string?, seconds: number? } what is to be done, and the reason given for it
---@return boolean? allowed, deskpilot.error? err code "refused"
function Run:consent(wanted)
  return questions.consent(self, wanted)
end

return run
