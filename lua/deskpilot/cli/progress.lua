--- What a person sees of a run while it goes on: a listener that writes to standard error. On a
--- terminal one live line, above which each finished turn leaves a line; plain lines elsewhere.
local uv = require "luv"
local json = require "deskpilot.base.json"
local rundir = require "deskpilot.agent.rundir"
local own_files = require "deskpilot.base.own_files"
local secrets = require "deskpilot.model.secrets"
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"
local time_share = require "deskpilot.agent.time_share"

local progress = {}

local spinner = { "⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏" }
local tick_ms = 120

---@class deskpilot.progress
local Progress = {}
Progress.__index = Progress

local clean = terminal.line

local function brief(words, limit)
  return text.cut(clean(words), limit)
end

-- What says most about a call comes first; the justification is for the report.
local telling = { "label", "text", "key", "index", "element", "option", "url", "name", "title", "path", "after",
  "position", "start", "end", "direction", "action", "accept", "seconds" }

--- "click_element(OK, [500,300])"
local function call_words(tool, args)
  local parts = {}
  for _, key in ipairs(type(args) == "table" and telling or {}) do
    local value = args[key]
    if value ~= nil and type(value) ~= "string" then
      local ok, written = pcall(json.encode, value)
      value = ok and written or type(value)
    end
    parts[#parts + 1] = value
  end
  return brief(("%s(%s)"):format(tool or "?", table.concat(parts, ", ")), 120)
end

local function clock(seconds)
  seconds = math.floor(seconds or 0)
  if seconds < 3600 then return ("%d:%02d"):format(seconds // 60, seconds % 60) end
  return ("%d:%02d:%02d"):format(seconds // 3600, seconds // 60 % 60, seconds % 60)
end

function Progress:erase()
  if self.live_shown then self.write("\r\27[K") end
  self.live_shown = false
end

-- While a person is asked, nothing is written where the answer is typed.
function Progress:line(words)
  if self.asking then
    table.insert(self.asking, words)
    return
  end
  self:erase()
  self.write(("  "):rep(#self.goals) .. terminal.lines(words) .. "\n")
  self:draw()
end

function Progress:elapsed()
  return self.at + (self.at_seen and (uv.hrtime() - self.at_seen) / 1e9 or 0)
end

local longest_heard = 50 -- characters of an answer that still comes

-- What a model has said last, while its answer comes; nil where nothing has come yet.
function Progress:answering()
  local so_far = self.run and self.run.answering
  local call = so_far and so_far.calls[#so_far.calls]
  local parts, verb = so_far and so_far.content or {}, "says"
  if call then parts, verb = { call.name, "(", table.concat(call.arguments) }, "calls"
  elseif so_far and #parts == 0 then parts, verb = so_far.thinking, "thinks" end
  if #parts == 0 then return nil end
  -- Masked before it is cut: a key that is cut in half would not be recognised.
  local words = clean(secrets.mask(table.concat(parts, "", math.max(1, #parts - 500))))
  local from = utf8.len(words) and utf8.len(words) > longest_heard and utf8.offset(words, -longest_heard)
  return ("%s %s: %s"):format(self.asked, verb, from and "..." .. words:sub(from) or words)
end

-- The live line: where the run is now. Cut to the terminal's width, or it could not be erased.
function Progress:draw()
  if not self.tty or self.level == "quiet" or self.ended or self.asking then return end
  local words = { spinner[self.frame % #spinner + 1] }
  words[#words + 1] = self.turn > 0 and "turn " .. self.turn .. (self.most and " of " .. self.most or "")
    or self.script and "script" or "starting"
  local goal = self.goals[#self.goals]
  if goal then words[#words + 1] = "goal " .. goal.path end
  if self.phase then words[#words + 1] = "[" .. self.phase .. "]" end
  words[#words + 1] = self:answering() or self.doing -- a call is done while the answer still comes
  words[#words + 1] = clock(self:elapsed()) .. (self.left and (" (%s more at the most)"):format(clock(self.left)) or "")
  if self.last then words[#words + 1] = "· " .. self.last end
  self.write("\r\27[K" .. text.cut(table.concat(words, " "), math.max(20, self.columns() - 4)))
  self.live_shown = true
end

function Progress:start_spinner()
  if not self.tty or self.level == "quiet" or self.timer then return end
  self.timer = uv.new_timer()
  self.timer:start(tick_ms, tick_ms, function()
    self.frame = self.frame + 1
    self:draw()
  end)
  self.timer:unref() -- a display never keeps a program alive
end

function Progress:stop_asking()
  local lines = self.asking or {}
  self.asking = nil
  for _, words in ipairs(lines) do self:line(words) end
end

--- Stops the live line; run_end does so too.
function Progress:close()
  self:stop_asking()
  self:erase()
  self.ended = true
  if self.timer and not self.timer:is_closing() then self.timer:close() end
  self.timer = nil
end

-- A failure is told once. It is held back until the next event shows whether it ends the run: then the last line has
-- it, else a line of its own.
function Progress:hold(lead, words)
  words = clean(words)
  if self.held and self.held.words == words or self.told == words then return end
  self:release()
  self.held = { lead = lead, words = words }
end

function Progress:release()
  local held = self.held
  self.held = nil
  if not held then return end
  self.told = held.words
  self:line("  " .. held.lead .. text.cut(held.words, 600))
end

-- Words in which the failure that was told last is not told again.
function Progress:without_told(words)
  words = clean(words)
  local from, to = 1, nil
  if self.told and self.told ~= "" then from, to = words:find(self.told, 1, true) end
  return to and words:sub(1, from - 1) .. "(as above)" .. words:sub(to + 1) or words
end

-- Events in which a failure that was held back may still turn out to be the end.
local undecided = { error = true, turn_end = true, run_end = true, model_reply = true }

local function many(count, word)
  return ("%d %s%s"):format(count, word, count == 1 and "" or "s")
end

local handlers = {}

function handlers.run_start(self, _, event)
  self:start_spinner()
  if event.task then self:line("mission: " .. brief(event.task, 200)) end
  self.script = event.script
  if event.script then self:line("script: " .. brief(event.mission or "?", 200)) end
  local own = own_files.words_with_places(event.own_files)
  if own ~= "" then self:line("your own files: " .. brief(own, 400)) end
  if self.level == "verbose" and event.policy then
    self:line(brief(("policy %s, model %s at %s"):format(event.policy or "?", event.model or "?",
      event.endpoint or "?"), 200))
  end
end

-- A script's call on the desktop. Those that only look leave a line where they fail, or where all is to be told.
function handlers.desk_call(self, _, event)
  self.calls = self.calls + (tonumber(event.times) or 1)
  local words = brief(("%s(%s)"):format(event.call or "?", event.target or ""), 120)
  self.last = words
  if event.ok ~= false and event.acts == false and self.level ~= "verbose" then return end
  local times = event.times and (" %d times"):format(event.times) or ""
  -- What was raised is told by the run's end, unless the script knows better.
  local text_ = event.text and not event.raised and " — " .. brief(event.text, 160) or ""
  self:line(("%s  %s %s%s%s"):format(clock(event.at), event.ok == false and "✗" or "✓", words, times, text_))
end

function handlers.turn_start(self, _, event)
  self.turn = event.turn or self.turn + 1
  self.actions_this_turn = {}
  self.doing = "looking"
end

-- What is done for a goal within the run stands below its own line, further in.
function handlers.goal_start(self, _, event)
  self:line(("goal %s (%s): %s"):format(clean(event.goal or "?"), clean(event.policy or "?"),
    brief(event.task or "", 200)))
  if self.level == "verbose" then
    self:line("  " .. brief(("model %s at %s"):format(event.model or "?", event.endpoint or "?"), 200))
  end
  table.insert(self.goals, { path = clean(event.goal or "?"), turn = self.turn, phase = self.phase,
    actions = self.actions_this_turn })
  self.phase, self.actions_this_turn = nil, {}
end

function handlers.goal_end(self, _, event)
  local goal = table.remove(self.goals)
  if goal then self.turn, self.phase, self.actions_this_turn = goal.turn, goal.phase, goal.actions end
  self.doing = nil
  local words = ("goal %s %s"):format(clean(event.goal or "?"), clean(event.status or "ended"))
  -- What ends the whole run is told at its end.
  self:line(self.traceback and words or words .. ": " .. brief(event.reason or "", 300))
end

function handlers.observed(self)
  self.doing = nil
end

function handlers.model_request(self, run, event)
  self.run, self.asked = run, event.persona and clean(event.persona) or "the model"
  self.doing = self.asked .. " thinks"
end

function handlers.model_reply(self, _, event)
  self.doing = nil
  local err = event.error
  if err then
    self:hold("model: ", type(err) == "table" and err.message or err)
    return
  end
  self.told = nil
  if self.level == "verbose" then
    local words = event.content or event.text
    if type(words) == "string" and words:find("%S") then
      self:line(("  %s: %s"):format(brief(event.persona or "model", 40), brief(words, 600)))
    end
  end
end

-- Why a commander has changed the phase, in one line; what a policy does by itself is for who wants to know it all.
function handlers.phase_change(self, _, event)
  self.phase = event.to and clean(event.to) or self.phase
  if not event.goal then self.final_phase = self.phase end
  local verbose = self.level == "verbose"
  local why, tools = event.rationale or verbose and event.why or nil, event.tools_rationale
  if not (why or tools or verbose) then return end
  local limit = verbose and 400 or 150
  self:line(("  phase: %s -> %s%s%s"):format(brief(event.from or "-", 60), brief(event.to or "?", 60),
    why and " — " .. brief(why, limit) or "", tools and tools ~= why and "; tools: " .. brief(tools, limit) or ""))
end

function handlers.action(self, _, event)
  self.actions = self.actions + 1
  self.last = call_words(event.tool, event.args)
  self.doing = "acting"
end

function handlers.action_result(self, _, event)
  self.doing = nil
  local call = call_words(event.tool, event.args)
  local result = event.text and text.cut(self:without_told(event.text), 160) or ""
  table.insert(self.actions_this_turn, { phase = self.phase, words = ("%s %s%s"):format(event.ok == false and "✗"
    or "✓", call, result ~= "" and " — " .. result or "") })
  self.last = call
  if self.turn == 0 then self:flush_turn(event) end -- a script without turns
end

function handlers.lookup(self, _, event)
  if self.level ~= "verbose" then return end
  self:line(("  looked: %s — %s"):format(call_words(event.tool, event.args), brief(event.text or "", 300)))
end

-- What an agent that works in iterations thinks, for who wants to know it all.
function handlers.iteration(self, _, event)
  if self.level ~= "verbose" then return end
  local function list(items)
    local names = {}
    for i, item in ipairs(items) do
      names[i] = clean(item.tool or "?") .. (item.redundant and " (in vain)" or item.tokens
        and (" (pictures: %s tokens)"):format(item.tokens) or "")
    end
    return #items, table.concat(names, ", ")
  end
  local function line(words, ...) self:line("  " .. brief(words:format(...), 400)) end
  line("iteration %s of %s: %s%s", event.iteration or "?", event.of or "?", event.status or "?", event.status_why
    and " — " .. event.status_why or "")
  if event.reasoning then line("  reasoning: %s", event.reasoning) end
  if event.tools then line("  asked %d: %s", list(event.tools)) end
  if event.commands then
    local count, names = list(event.commands)
    line("  %s: %s%s", many(count, "command"), names, event.commands_why and " — " .. event.commands_why or "")
  end
  for _, sentence in ipairs(event.learned or {}) do line("  learned: %s", sentence) end
  local notes = event.reflection or {}
  for _, name in ipairs(text.keys(notes)) do line("  %s: %s", name, tostring(notes[name])) end
  if event.failed then line("  failed: %s", event.failed) end
  if event.system_note then line("  system note: %s", event.system_note) end
  local sizes = event.sizes
  if sizes then line("  about %s tokens of context", sizes.all or "?") end
end

function handlers.settled() end -- its time counts

function handlers.retry(self, _, event)
  self:line("  " .. brief(("%s failed (attempt %s of %s)%s: %s"):format(event.tool or "?", tostring(event.attempt),
    tostring(event.of), event.again and ", again" or "", event.why or event.text or ""), 300))
end

function handlers.suspected(self, _, event)
  self:line("  " .. brief(event.message or "", 300))
end

function handlers.screen_changed(self, _, event)
  if event.matters then self:line("  " .. brief("changed meanwhile: " .. tostring(event.text), 300)) end
end

function handlers.desktop_lost(self, _, event)
  self.doing = "waiting for the desktop"
  self:line("  " .. brief(("lost: %s; waiting for up to %g s"):format(event.text or "", event.seconds or 0), 300))
end

function handlers.desktop_back(self, _, event)
  self.doing = nil
  self:line(("  it is back after %.1f s"):format(event.seconds or 0))
end

function Progress:flush_turn(event)
  local lead = self.turn > 0 and ("turn %d"):format(self.turn) or clock(event.at)
  local took = self.turn > 0 and event.seconds and (" %.1fs"):format(event.seconds) or ""
  local function line(phase, words)
    self:line(("%s%s%s  %s"):format(lead, phase and " [" .. phase .. "]" or "", took, words))
  end
  if #self.actions_this_turn == 0 then line(self.phase, "(no action)") end
  for _, action in ipairs(self.actions_this_turn) do line(action.phase, action.words) end
  self.actions_this_turn = {}
end

function handlers.turn_end(self, _, event)
  self:flush_turn(event)
  self.most, self.left = tonumber(event.of), tonumber(event.seconds_left)
end

function handlers.guard(self, _, event)
  self:line("  " .. brief(("guard %s: %s"):format(event.name or "?", event.message or event.reason or ""), 300))
end

function handlers.note(self, _, event)
  self:line("  " .. brief(event.message or event.text or "", 300))
end

function handlers.question(self, _, event)
  if event.answer or event.veto then return end
  self:erase()
  self.asking = {}
end

function handlers.answer(self, _, event)
  self:stop_asking()
  self:line(("  asked: %s — %s"):format(brief(event.text or "", 200), event.answer
    and ("%s (%s)"):format(brief(event.answer, 200), brief(event.by or "?", 100))
    or "no answer: " .. brief(event.why or "", 200)))
end

function handlers.error(self, _, event)
  if event.ends then -- the end tells what happened; what led there stands below it
    self.traceback = event.traceback
    return
  end
  local words = tostring(event.message or event.text or ""):gsub("\nstack traceback:.*$", "") -- the report has it
  self:hold(("error in %s: "):format(clean(event.name or "?")), words)
end

function handlers.run_end(self, run, event)
  self:close()
  local reason = event.reason and self:without_told(event.reason)
  if self.held and not (reason and reason:find(self.held.words, 1, true)) then self:release() end
  local whole = event.seconds or event.at or 0
  local status = clean(event.status or "ended")
  self.write(("%s%s\n"):format(status, reason and ": " .. text.cut(reason, 800) or ""))
  if status == "claimed" and run.config and not run.config:get "accept_claims" then
    self.write("    nothing has checked that: give the mission a verify, or take its word with --accept-claims\n")
  end
  for frame in tostring(self.traceback or ""):gmatch("[^\n]+") do self.write("    " .. brief(frame, 200) .. "\n") end
  if self.level == "quiet" then return end
  local turns, actions = event.turns or self.turn, event.actions or self.actions
  if self.script then self.write(("script: %s in %s\n"):format(many(self.calls, "desk call"), clock(whole))) end
  if not self.script or turns > 0 or actions > 0 then
    self.write(("%s, %s in %s (%s)\n"):format(many(turns, "turn"), many(actions, "action"), clock(whole),
      time_share.words(time_share.finish(self.time, whole), whole)))
  end
  if self.final_phase then self.write("final phase: " .. brief(self.final_phase, 60) .. "\n") end
  local dir = type(run) == "table" and run.dir
  if type(dir) == "table" then dir = dir.path end
  if type(dir) == "string" then
    self.write(("run: %s (%.1f MB)\n"):format(clean(dir), rundir.size(dir) / 2 ^ 20))
  end
end

local quiet_events = { run_end = true, error = true }

local function default_write(words)
  io.stderr:write(words)
  io.stderr:flush()
end

---@class deskpilot.progress_options
---@field level "quiet"|"normal"|"verbose"|nil
---@field write fun(words: string)? standard error unless given
---@field tty boolean? whether to draw a live line; asked of standard error unless given
---@field columns (fun(): integer)?

--- A listener for one run. Its close() stops the display early.
---@param options deskpilot.progress_options?
---@return table listener
function progress.new(options)
  options = options or {}
  local self = setmetatable({
    level = options.level or "normal", write = options.write or default_write, tty = options.tty,
    columns = options.columns or terminal.size, turn = 0, actions = 0, calls = 0, frame = 0, at = 0,
    actions_this_turn = {}, goals = {}, time = time_share.new(),
  }, Progress)
  if self.tty == nil then self.tty = terminal.can_redraw() end
  local listener = { close = function() self:close() end }
  for name, handler in pairs(handlers) do
    local wanted = self.level ~= "quiet" or quiet_events[name]
    listener[name] = function(run, event)
      self.at, self.at_seen = event.at or self.at, uv.hrtime()
      if not undecided[name] and not event.own_files then self:release() end
      time_share.add(self.time, event, name)
      if wanted then handler(self, run, event) end
      if wanted and name ~= "run_end" then self:draw() end
    end
  end
  return listener
end

return progress
