--- A run: one mission under way. Missions know it as `m`, policies, guards and tools as `run`. It
--- holds what is true now; what has happened is in the journal.
local native = require "native.image"
local task = require "deskpilot.base.task"
local acting = require "deskpilot.agent.acting"
local checks = require "deskpilot.agent.checks"
local claims = require "deskpilot.agent.claims"
local correction = require "deskpilot.agent.correction"
local events = require "deskpilot.agent.run_events"
local exchange = require "deskpilot.agent.exchange"
local goal_limits = require "deskpilot.agent.goal_limits"
local goal_options = require "deskpilot.agent.goal_options"
local goals = require "deskpilot.agent.goals"
local history = require "deskpilot.agent.history"
local listeners = require "deskpilot.agent.listeners"
local looking = require "deskpilot.agent.looking"
local maker_checks = require "deskpilot.agent.maker_checks"
local lookups = require "deskpilot.agent.lookups"
local lost = require "deskpilot.agent.lost"
local pace = require "deskpilot.agent.pace"
local run_memory = require "deskpilot.agent.run_memory"
local persona = require "deskpilot.agent.persona"
local questions = require "deskpilot.agent.questions"
local script = require "deskpilot.agent.script"
local spending = require "deskpilot.agent.spending"
local state = require "deskpilot.agent.state"
local untrusted = require "deskpilot.agent.untrusted"
local viewpoint = require "deskpilot.agent.viewpoint"

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
---@field compared boolean? what it assumes of the screen has been compared already (assumptions.lua)

---@class deskpilot.run
---@field mission deskpilot.mission the mission's table
---@field name string the mission's
---@field args string[] what stands after `--` on the command line
---@field checks deskpilot.checks ready-made checks, each of which answers with a verdict
---@field goal deskpilot.goal what is worked on now; `task`, `state`, `history`, `observation`, `outcome`, `result`,
---  `personas`, `toolbox`, `model` and `models` are its own
---@field goals_begun integer how many goals were begun within the run
---@field spending deskpilot.spending what its models have cost so far
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
---@field seen_at number? when the latest observation was made
---@field result table? what the policy has to say of its work, in plain data: `task_result` of result.json
---@field personas table<string, table>? what the policy lets its personas spend (agent/persona.lua)
---@field memory deskpilot.memory what it keeps in mind
---@field toolbox deskpilot.toolbox
---@field listeners { name: string, listener: deskpilot.listener, final: boolean?, essential: boolean? }[]
---@field dir deskpilot.rundir
---@field mcp deskpilot.run_mcp? the servers of the Model Context Protocol that it uses
---@field marks deskpilot.untrusted between which text from outside stands in requests
---@field journal { secure: fun() }? the one on the disk
---@field model deskpilot.model.client
---@field encoder native.PngEncoder
---@field started number
---@field reloading deskpilot.reloading? takes files that are edited while it goes on (`deskpilot run --reload`)
---@field body deskpilot.task? the task that it is
---@field closers function[]
---@field noted table<string, true> what has been told of left out arguments
---@field looked { turn: integer, times: integer }?
---@field answering deskpilot.model.wire.view? what has come so far of the answer that is waited for
---@field [string] any what guards keep of the whole run; what they keep of a goal is in `goal.guards`
---@field models table<string, deskpilot.model.client>? the clients of personas that ask a model of their own
---@field past deskpilot.past? the run that this one goes on from (`deskpilot resume`, `fork`)
---@field spent number seconds that those before it have spent of its time
---@field recording deskpilot.recording? what is seen in place of a desktop (`deskpilot rerun`)
---@field parent table? what run_start says of the run that this one comes from
---@field notices string[]? what the next observation tells beside the screen
---@field m deskpilot.mission_run the run as its mission's functions see it
---@field proxy deskpilot.desk_proxy that of m.desk
---@field acting boolean? whether a tool runs that an agent has called
---@field permissions deskpilot.permissions what the guard of that name keeps
---@field mistaken boolean? one of the mission's functions has failed
---@field folder string? the mission's own folder; a mission that ships with the program has none
---@field file { path: string, sha256: string }? the mission's file
---@field time_changed fun()? is called when the limits of time were moved (goal_limits.extend)
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
  self.turn, self.actions, self.goals_begun, self.spending = 0, 0, 0, spending.new()
  self.args, self.checks = self.args or {}, checks.new(self)
  self.spent = self.past and self.past.seconds or 0
  self.encoder = native.encoder()
  self.marks = untrusted.new()
  self.closers, self.noted = {}, {}
  if self.toolbox then
    self.toolbox.changed = function(change) self:emit("tools_changed", change) end
    self.toolbox.phase = function() return self.phase end
  end
  self.memory = run_memory.of(self)
  self.m, self.proxy = script.view(self)
  self.desk:watch() -- from now on, so that no change between an action and its settle is missed
  if self.config:get "timing.settle_by_cause" then self.desk.pending_work:notice() end
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
---@field size (fun(width: integer, height: integer): integer, integer)? the picture's size, from that of what it shows
---@field format "png"|"jpeg"|nil of a picture with `size`, where none is configured

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
  return lost.look(self, options or {})
end

--- A picture for a request's `images`, in the size of screenshots, kept in the run's folder.
---@param options deskpilot.picture_options
---@return deskpilot.picture? picture, deskpilot.error? err
function Run:picture(options)
  return looking.picture(self, options)
end

--- Asks the persona's model. The latest screenshot goes along unless request.image is false. Calls of tools that only
--- look (`looks`) are answered within it, and the model is asked again, until it does something else. An answer that
--- cannot be read goes back once, with what is wrong with it.
---@param request { persona: string?, system: string, text: string|(fun(short: integer): string)|nil,
---  brief: deskpilot.briefing?, tools: string[]?, could: string[]?, temperature: number?, max_tokens: integer?,
---  image: boolean?, images: deskpilot.picture[]?, results: deskpilot.lookup_round[]?, acts: boolean?,
---  toolbox: deskpilot.toolbox?, on_call: (fun(call: deskpilot.model.call, reply: deskpilot.reply):
---  deskpilot.model.handed)?, read: (fun(reply: deskpilot.reply): any, string?)?, look_up: (fun(name: string,
---  args: table, find: fun(): deskpilot.tool_result?, deskpilot.error?): deskpilot.tool_result?,
---  deskpilot.error?)?, free: (fun(name: string): boolean)? } text: what it is told; a function
---  (briefing.later) is asked again, for less, where the model cannot take as much; brief: in place of it the parts
---  that it is to be told, whole at first and later what has changed (agent/dialogue.lua); tools: their names; could:
---  the names of all that this persona may be given, to be counted against these; acts: the answer is to be an action;
---  images: in place of the latest screenshot, the last one is what positions are points of (run:picture,
---  run.observation); read: what an answer is good for; nil and a sentence where it is to go back, in place of what
---  cannot be read; on_call: acts on the first calls of an answer while the rest still comes, where nothing that comes
---  could change them (agent/early.lua), and says what became of each; they are the first of the reply's, and are not
---  to be done again; look_up: answers a look-up in place of the tool, which `find` asks; free: whether the pictures
---  that a tool gives count as no look-ups; what it may spend is its persona's, unless the request says so itself
---@return deskpilot.reply? reply, deskpilot.error? err
function Run:ask(request)
  local box = request.toolbox or self.toolbox
  request.toolbox = nil
  request.persona = request.persona or "agent"
  persona.spend(self, request)
  if not request.brief then request.images = exchange.images(self, request) end
  while true do
    local reply, err = exchange.ask(self, request, box)
    if not reply then return nil, err end
    maker_checks.settle(self, reply)
    -- `literal` reads no messages: what it looks up is an action, of which the history tells it.
    if self.outcome or viewpoint.model(self, request.persona).literal then return reply end
    if not lookups.answer(self, request, box, reply) and not correction.ask(request, reply) then return reply end
  end
end

--- Records an answer that could not become an action, so that the model sees it on its next turn.
---@param tool string the tool that was asked for, or "(none)"
---@param args table what is known of its arguments
---@param why string the sentence for the model
---@return { ok: false, text: string } result
function Run:reject(tool, args, why)
  return acting.reject(self, tool, args, why)
end

--- A call's arguments as its tool takes them, without asking the tool itself.
---@param call deskpilot.call
---@return table? args
---@return string[]|deskpilot.error ignored as for check
function Run:validate(call)
  return acting.validate(self, call)
end

--- Whether a call could be done as things are in the latest observation: its tool, its arguments, and what the
--- tool itself has to say about them. Nothing is done.
---@param call deskpilot.call
---@return table? args as the tool takes them
---@return string[]|deskpilot.error ignored the names of arguments that were left out, because the tool does not know
---  them; or a sentence for the model
function Run:check(call)
  return acting.check(self, call)
end

--- Waits until the screen is quiet after an action, for as long as the configuration says, or else as the active
--- application needs; and until a page in front has been loaded.
function Run:settle()
  acting.settle(self)
end

--- Does one action by its tool, then lets the screen settle.
---@param call deskpilot.call
---@return { ok: boolean, text: string, code: string?, vetoed: boolean, tried: boolean, data: any,
---  pictures: deskpilot.picture[]?, hit: table? } result vetoed: a listener did not let it happen; tried: the tool was
---  run, whatever came of it; data and pictures: what the tool has given beside the text; hit: what it hit, as the
---  journal tells it
function Run:act(call)
  return acting.act(self, call)
end

--- Whether a `verify` decides that the goal is reached: then no claim has to be believed.
---@return boolean
function Run:has_verify()
  return self.goal.verify ~= nil and self.goal.verify ~= false
end

--- Asks the `verify` of the goal, which is the mission's own or was given to `achieve`, whether it is reached; yes
--- where it has none. The application may need a moment, so the question is repeated for that many seconds. The verdict
--- is kept as `run.goal.verdict`.
---@param seconds number?
---@return deskpilot.verdict verdict reached only if its `answer` is "yes"
function Run:verify(seconds)
  return claims.verify(self, seconds)
end

--- The agent claims that it is done. The world decides; where nothing looks at it, the goal ends as claimed.
---@param evidence string
---@param options { seconds: number?, checked: boolean? }? seconds: how long the world may take, timing.verify unless
---  told; checked: what the mission itself gave to know the end by (its indicators) has been seen
---@return string? text, deskpilot.error? err
function Run:claim(evidence, options)
  return claims.claim(self, evidence, options)
end

--- Ends the goal if it has used up what it may spend, or what the goals around it had left. The loop asks after each
--- turn, and `ask` after each answer.
---@param of_models boolean? only the limits of what is spent on models
function Run:check_limits(of_models)
  if self.outcome then return end
  local reached, name = goal_limits.reached(self, self.goal.bounds, of_models)
  if reached then
    if name == "turns" then
      self:emit("guard", { name = "budgets", message = reached .. ": it may have gone in circles; look at its last "
        .. "actions before it is given more" })
    end
    return self:stop("incomplete", reached)
  end
  for _, words in ipairs(goal_limits.warnings(self, self.goal.bounds)) do
    self:emit("guard", { name = "budgets", message = words })
  end
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
