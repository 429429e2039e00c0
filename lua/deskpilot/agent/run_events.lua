--- The events that the run itself announces (agent/loop.lua, agent/run.lua, agent/listeners.lua), in the order of a
--- turn, and those that every policy, guard and tool may announce.
local events = require "deskpilot.agent.events"
local goal_limits = require "deskpilot.agent.goal_limits"
local text = require "deskpilot.base.text"

local strings = { type = "array", items = { type = "string" } }

-- An object with these properties, each with its type, that are all there; there may be more.
local function object(properties)
  local made = { type = "object", properties = {}, required = text.keys(properties) }
  for name, kind in pairs(properties) do made.properties[name] = { type = kind } end
  return made
end

local box = object { x = "integer", y = "integer", width = "integer", height = "integer" }
local statuses = { enum = { "succeeded", "claimed", "failed", "incomplete", "interrupted", "error" } }

events.declare_all("deskpilot.agent.journal", {
  { name = "journal", about = "The first line of a journal.", of_file = true, fields = {
    { "version", "integer", "of the format of the lines; a reader refuses a version it does not know" },
    { "program", "string", "the version of deskpilot that wrote it" },
  } },
})

events.declare_all("deskpilot.agent.loop", {
  { name = "run_start", about = "The run begins; before_run hears it.", fields = {
    { "mission", "string", "its name" },
    { "parent?", object { run = "string", turn = "integer", kind = "string", seconds = "number", actions = "integer",
      tokens = "integer" },
      "the run that it comes from: its folder, after which turn, `resume`, `fork` or `rerun`, and what was spent; "
      .. "`spending` is that on models, in all and by `personas`" },
    { "flags?", "object", "what the command line said of the configuration" },
    { "args?", strings, "what stood after -- on the command line, for the mission" },
    { "file?", "object", "the mission's file: path, sha256, folder; its copy is mission.lua in the run's folder" },
    { "own_files?", "array", "files of the user's that are in force: kind, name, folder (whose), root (its path), path "
      .. "below it, sha256, replaces (what ships), edited" },
    { "task?", "string", "what is to be done; missing for a script" },
    { "script?", "boolean", "true: the mission is a script, and goal_start tells of the agents that it asks" },
    { "policy?", "string", "how the agent thinks; policy, model and endpoint are missing for a script" },
    { "model?", "string", "the model's name" },
    { "endpoint?", "string", "its server, without a password" },
    { "personas?", "object", "by name, the model and endpoint of personas that have one of their own" },
    { "desktop", { enum = { "current", "private" } }, "where the run works" },
    { "began?", "number", "when that was, in seconds since 1970-01-01 UTC" },
    { "version", "string", "of deskpilot" },
    { "config", "object", "the whole configuration, by dotted names" },
  } },
  { name = "turn_start", about = "A turn begins.", fields = {} },
  { name = "observed", about = "The desktop was looked at; a turn may look more than once.", fields = {
    { "screenshot", "string", "the picture's file, in the run's folder" },
    { "seen?", "string", "the file with the elements, the window and the page as data; an earlier one where nothing of "
      .. "them has changed" },
    { "screen", box, "the part of the desktop that it shows, in pixels" },
    { "image", object { width = "integer", height = "integer" }, "the picture's own size" },
    { "window?", "object", "the active window: title, class, pid" },
    { "page?", "object", "the page in it: title, url, and how many elements it has" },
    { "elements", "integer", "how many elements on the screen were told of" },
    { "tree?", "integer", "how many elements the applications reported" },
    { "missing?", strings, "what could not be had, one sentence each" },
    { "seconds", "number", "that looking took" },
    { "parts?", object { capture = "number", encode = "number", elements = "number", page = "number" },
      "seconds of it: capture (the picture), encode, elements (windows too), page; the rest went to files" },
  } },
  { name = "turn_end", about = "A turn is over.", fields = {
    { "seconds", "number", "that it took" },
    { "of?", "integer", "the number at which the turns are used up" },
    { "actions?", "integer", "how many there were in the run by now" },
    { "last?", { type = "object", required = { "ok", "tool" }, properties = { tool = { type = "string" },
      target = {}, ok = { type = "boolean" }, why = { type = "string" } } },
      "the latest action: its tool, what it was about, whether it was done, and what the agent thought" },
    { "seconds_left?", "number", "how long the turns that are left may take at the pace so far; less where the time is "
      .. "used up before" },
    { "task_result?", "object", "the policy's own account of its work so far" },
  } },
  { name = "run_end", about = "The run is over; after_run hears it.", fields = {
    { "status", statuses, "how it ended" },
    { "reason", "string", "why, in a sentence" },
    { "turns", "integer", "how many there were" },
    { "actions", "integer", "how many there were" },
    { "seconds", "number", "that the run took" },
    { "verdict?", "object", "what its verify said last: answer, evidence" },
    { "task_result?", "object", "the policy's own account of its work" },
  } },
})

local spent = { type = "object", properties = {} }
for _, name in ipairs { "turns", "seconds", table.unpack(goal_limits.of_models) } do
  spent.properties[name] = { type = "number" }
end

events.declare_all("deskpilot.agent.goals", {
  { name = "goal_start", about = "A goal within the run begins (achieve); its path is `goal`.", fields = {
    { "task", "string", "what is to be done" },
    { "policy", "string", "how the agent thinks" },
    { "model", "string", "the model's name" },
    { "endpoint?", "string", "its server, without a password" },
    { "tools?", strings, "the names of those that it is limited to" },
    { "limits?", spent, "what it may spend, of what is limited at all" },
  } },
  { name = "goal_end", about = "A goal within the run has ended, however that was.", fields = {
    { "task", "string", "as in goal_start" },
    { "policy", "string", "as in goal_start" },
    { "status", statuses, "how it ended" },
    { "reason", "string", "why, in a sentence" },
    { "turns", "integer", "its own and those of goals within it" },
    { "seconds", "number", "that it took" },
    { "verdict?", "object", "what its verify said last: answer, evidence" },
    { "task_result?", "object", "its policy's own account of its work" },
  } },
})

events.declare_all("deskpilot.agent.lookups", {
  { name = "lookup", about = "A tool that only looks has answered within the turn.", fields = {
    { "tool", "string", "its name" },
    { "args?", {}, "its arguments" },
    { "persona?", "string", "who wanted it" },
    { "ok", "boolean", "whether it could be answered" },
    { "text", "string", "the answer in words, or what went wrong" },
    { "data?", {}, "the answer as data" },
    { "pictures?", strings, "files of the pictures that it has given" },
    { "seconds", "number", "that it took" },
  } },
})
events.declare_all("deskpilot.agent.toolbox", {
  { name = "tools_changed", about = "Tools were added to the run or removed from it.", fields = {
    { "added?", strings, "their names" },
    { "removed?", strings, "their names" },
  } },
})

events.declare_all("deskpilot.agent.questions", {
  { name = "question", about = "A person is to be asked; may be answered or vetoed.", returns = { "veto", "answer" },
    fields = {
    { "text", "string", "what is asked" },
    { "options?", strings, "what may be answered; without them any text" },
    { "default?", "string", "the answer where there is no other" },
    { "seconds", "number", "that a person has" },
    { "consent?", "boolean", "true: only people may answer" },
    { "answer?", "string", "of a hook" },
    { "answered_by?", "string", "which listener answered" },
    { "veto?", "string", "why nobody is asked" },
  } },
  { name = "answer", about = "What came of a question.", fields = {
    { "text", "string", "what was asked" },
    { "answer?", "string", "missing where there is none" },
    { "by?", "string", "who gave it" },
    { "why?", "string", "why nobody did" },
    { "code?", "string", "of that error" },
    { "seconds", "number", "that it took" },
    { "consent?", "boolean", "as in question" },
  } },
})

events.declare_all("deskpilot.agent.run_memory", {
  { name = "memory", about = "The memory has changed.", fields = {
    { "op", { enum = { "set", "forget", "learn" } }, "how" },
    { "name?", "string", "of the value" },
    { "value?", "string", "as it is kept" },
    { "experience?", "string", "what was learned" },
    { "kept?", "boolean", "true: also for later runs" },
  } },
})

events.declare_all("deskpilot.agent.script", {
  { name = "picture", about = "The desktop as the run has left it.", fields = {
    { "screenshot", "string", "the picture's file, in the run's folder" },
    { "screen", box, "the part of the desktop that it shows, in pixels" },
    { "image", object { width = "integer", height = "integer" }, "the picture's own size" },
    { "window?", "object", "the active window: title, class, pid" },
  } },
})

events.declare_all("deskpilot.agent.control", {
  { name = "control", about = "A person holds the run, lets it go on, or works on its desktop (`--live`).", fields = {
    { "what", { enum = { "paused", "one step", "goes on", "taken", "taken over", "given back" } }, "taken: a pause "
      .. "has become a take-over" },
    { "by?", "string", "by which means: the live page, or the terminal" },
    { "seconds?", "number", "that the pause or the take-over took, at its end" },
    { "text?", "string", "which windows came and went while a person worked" },
  } },
})

events.declare_all("deskpilot.agent.desk_journal", {
  { name = "desk_call", about = "A script has called its desktop; or several calls of one function in a second.",
    fields = {
      { "call", "string", "such as mouse.click, tab:type" },
      { "target?", "string", "what it was given, in words; typed texts are kept as their length" },
      { "ok", "boolean", "whether it succeeded" },
      { "text?", "string", "what came of it, in words, or the error's sentence" },
      { "code?", "string", "of the error (docs/errors.md)" },
      { "raised?", "boolean", "whether the error was raised, and not returned" },
      { "seconds", "number", "that it took; of several calls together" },
      { "where?", "string", "the mission's line" },
      { "acts", "boolean", "false if it only looked" },
      { "times?", "integer", "how many calls it stands for, of which the last is told" },
      { "failed?", "integer", "how many of them failed" },
    } },
})

events.declare_all("deskpilot.agent.retrying", {
  { name = "retry", about = "An action has failed and may be done again (`retry.actions`); the desktop was looked at "
    .. "anew.", fields = {
    { "tool", "string", "its name" },
    { "attempt", "integer", "which attempt has failed, from 1" },
    { "of", "integer", "how many there may be" },
    { "text", "string", "what went wrong" },
    { "code?", "string", "of the error (docs/errors.md)" },
    { "seconds", "number", "the pause before the look" },
    { "again", "boolean", "whether it is done again" },
    { "why?", "string", "why it is not" },
  } },
})

events.declare_all("deskpilot.guards.screen_change", {
  { name = "suspected", about = "An action that was done has changed nothing on the screen "
    .. "(`observe.validate_screen_change`).", fields = {
    { "tool", "string", "its name" },
    { "action_number", "integer", "which action of the run it was, from 1" },
    { "message", "string", "as the model is told" },
  } },
})

events.declare_all("deskpilot.agent.changed_screen", {
  { name = "screen_changed", about = "The screen has changed since the picture that an action was decided by, while "
    .. "the model thought.", fields = {
    { "tool", "string", "of the action" },
    { "seconds", "number", "from the picture to the latest change" },
    { "matters", "boolean", "whether the action is refused as stale for it" },
    { "text?", "string", "what has changed that matters" },
  } },
})

events.declare_all("deskpilot.replay.recorder", {
  { name = "recorded", about = "The acts of this run are a person's (`deskpilot record`).", of_file = true,
    fields = {
    { "desktop", { type = "object", properties = { kind = { type = "string" },
      size = { type = "array", items = { type = "integer" } },
      apps = { type = "array", items = { type = "array", items = { type = "string" } } } } },
      "where they work: kind, and of a private one size and apps, each a program with its arguments" },
  } },
})

local lost = { enum = { "display", "window" } }

events.declare_all("deskpilot.agent.lost", {
  { name = "desktop_lost", about = "The desktop that is worked on, or the window of `desktop.window`, is not there any "
    .. "more.", fields = {
    { "what", lost, "which of them" },
    { "text", "string", "what was found" },
    { "seconds", "number", "that it is waited for at the most" },
  } },
  { name = "desktop_back", about = "It is there again.", fields = {
    { "what", lost, "as in desktop_lost" },
    { "seconds", "number", "that it was waited for" },
  } },
})

local counts = {}
for name in ("input new tools all_tools system text pictures"):gmatch "%a[%a_]*" do
  counts[name] = { type = "integer" }
end

events.declare_all("deskpilot.agent.run", {
  { name = "model_request", about = "A persona is about to be asked; may be vetoed and amended.",
    returns = { "veto", "amend" }, amends = {
    { "system", "string", "what it is told of its part" },
    { "text", "string", "what it is told of the work and the screen" },
    { "tools", strings, "the names of those that it is offered" },
    { "temperature", "number", "" },
    { "max_tokens", "integer", "the longest answer" },
    { "warning", "string", "is put below the text" },
  }, fields = {
    { "persona", "string", "who is asked" },
    { "request", "string", "its file is requests/....request.json, the answer's requests/....reply.json" },
    { "model", "string", "the model's name" },
    { "tools?", strings, "the names of those that are offered" },
    { "temperature?", "number", "" },
    { "max_tokens?", "integer", "the longest answer" },
    { "warning?", "string", "is put below the text" },
    { "acts?", "boolean", "whether the answer is to be an action" },
    { "image?", "boolean", "false: without the screenshot" },
    { "pictures?", strings, "files of the pictures, where they are not just the latest screenshot" },
    { "lookups?", "integer", "rounds of look-ups that the request answers" },
    { "correction?", "string", "what was wrong with the answer before, which could not be used and goes back" },
    { "earlier?", "integer", "earlier requests that it goes on from: it tells what has changed since the latest" },
    { "veto?", "string", "why it is not asked" },
  } },
  { name = "model_reply", about = "The model has answered, or failed to.", fields = {
    { "persona", "string", "who was asked" },
    { "request", "string", "as in model_request" },
    { "seconds", "number", "that it took, with retries; without what was done of it meanwhile" },
    { "early?", "integer", "how many of its actions were done while it still came: their events stand before this "
      .. "one" },
    { "content?", "string", "the words of the answer, without thinking" },
    { "thinking?", "string", "what the model thought, where it tells: the beginning of it" },
    { "tool_calls?", { type = "array", items = object { id = "string", name = "string", arguments = "string" } },
      "as received: id, name, arguments (text)" },
    { "usage?", { type = "object", properties = { input_tokens = { type = "integer" },
      output_tokens = { type = "integer" }, cached_tokens = { type = "integer" },
      written_tokens = { type = "integer" }, estimated = { type = "boolean" } } }, "input_tokens, output_tokens; where "
      .. "the server says so also cached_tokens, of these what it had from a request before, and written_tokens, what "
      .. "it keeps for the next; estimated: the server has not told them" },
    { "cost?", "number", "US dollars, where the model's prices are known" },
    { "attempts?", "integer", "how often the server was asked" },
    { "model?", "string", "the model's name" },
    { "repairs?", { type = "object", properties = { score = { type = "integer" }, kinds = { type = "object" } } },
      "what had to be guessed to read it: score (how far that is from what was written), kinds (how often each)" },
    { "tokens?", { type = "object", properties = counts }, "the request's, estimated: all (input), those in no "
      .. "beginning that an earlier request had too (new), and by parts; all_tools: what the tools would be if all "
      .. "were always offered" },
    { "error?", object { code = "string", message = "string" }, "in place of an answer: code and message" },
  } },
  { name = "action", about = "An action is about to be done; may be vetoed and amended.",
    returns = { "veto", "amend" }, amends = {
    { "tool", "string", "its name" },
    { "args", "object", "all its arguments" },
    { "why", "string", "what for" },
  }, live = {
    { "point?", object { x = "integer", y = "integer" }, "the pixel of the screen that it points at; keys have none" },
    { "element?", object { role = "string", name = "string", states = "object" }, "what is there, or has the "
      .. "keyboard's focus: role, name, states, x, y, width, height, number (the model's), page (true in a web page)" },
    { "window?", object { title = "string", class = "string", executable = "string", pid = "integer" },
      "the window that is there, or the active one, as desk.windows gives it" },
    { "application?", "string", "the window's program without folder; what open_app opens" },
    { "site?", "string", "the origin of the page that is acted on, or that is opened: `https://example.org`" },
    { "ignored?", strings, "once it was checked: arguments that the tool does not know and that were left out" },
    { "drop?", "object", "of a drag: point, element, window, application and site of its end" },
  }, fields = {
    { "tool", "string", "its name; `(none)` where the answer had no call" },
    { "args", {}, "its arguments; an object but where a model or a hook has them wrong" },
    { "persona?", "string", "who wants it" },
    { "why?", "string", "what for, where the arguments do not say so" },
    { "rejected?", "boolean", "the answer could not become an action: nothing is done" },
    { "postponed?", "boolean", "vetoed for now: no failure of the agent's" },
    { "veto?", "string", "why it is not done" },
  } },
  { name = "action_result", about = "What came of an action.", live = {
    { "action", "object", "the event `action` that it was; what it tells of the screen is how it was before" },
  }, fields = {
    { "tool", "string", "as in action" },
    { "args", {}, "as they were used" },
    { "ok", "boolean", "whether it was done" },
    { "text", "string", "what was done, or why it was not, as the model reads it" },
    { "code?", "string", "of the error (docs/errors.md)" },
    { "seconds?", "number", "that it took, with its retries" },
    { "attempts?", "integer", "how often it was tried, where that was more than once" },
    { "point?", "array", "where it acted, in 0..1000 of the picture, whatever the model counts in" },
    { "element?", "object", "what it acted on" },
    { "hit?", "object", "what is needed to find that again in another run: `element` (role, name, app, page, nth of "
      .. "those alike, path of ancestors, value and states before, secret), `window` (title, class, app, its place), "
      .. "`at` (pixel of the screen), `place` of the element, `page` (title, url), `crop` (file of the picture of the "
      .. "place), `crop_at` (the pixel of it that is `at`), `screenshot` (the picture it was decided by), `drop` (of a "
      .. "drag: its end, with its window), `withheld` (of a person's text that was not kept: `secret` or "
      .. "`unknown`), `waited` (seconds after the act before, when a person's target was first there)" },
    { "ignored?", strings, "arguments that the tool does not know and that were left out" },
    { "data?", {}, "what the tool has given beside the text" },
    { "pictures?", strings, "files of the pictures that it has given" },
  } },
  { name = "settled", about = "The screen has come to rest after an action.", fields = {
    { "seconds", "number", "that this took" },
    { "reason", "string", "`idle`: nothing of the action is on its way any more; `animation`: nothing but an animation "
      .. "of the page without an end, or what moved by itself before the action; `quiet`: there was no change for the "
      .. "quiet time; "
      .. "`cap`: it still changes; `input`: a person went on before that; or why it was not waited for" },
    { "unknown?", "string", "why only the quiet time could tell: `programs` (not a private desktop), `processes` (the "
      .. "system does not tell), `network` (a program has a connection), `page` (it has set a timer, is another one, "
      .. "or cannot be asked)" },
    { "after?", "object", "what has become of what the action has hit: `value` and `states` of the element, and the "
      .. "active `window` (title, class)" },
  } },
  { name = "note", about = "Something worth reading later.", fields = {
    { "message", "string", "" },
    { "own_files?", "array", "as in run_start: files that came into force later" },
  } },
})

local objects = { type = "array", items = { type = "object" } }

events.declare_all("deskpilot.policies.orchestrator", {
  { name = "iteration", about = "An agent that works in iterations has decided, and done its commands.",
    fields = {
    { "iteration", "integer", "its number within the goal" },
    { "of", "integer", "the most that the goal may have" },
    { "reasoning?", "string", "what the agent sees and why it goes on so; missing where its answer could not be used" },
    { "tools?", objects, "those that were asked for information: tool, why, ok; redundant: why it was not answered; "
      .. "cached, pictures, tokens (of the pictures)" },
    { "commands?", objects, "tool, why, done; text: what went wrong" },
    { "commands_why?", "string", "why these go together" },
    { "learned?", strings, "what the agent wants to remember" },
    { "reflection?", "object", "its notes to itself: focus, avoid, hypothesis, guidance_for_next, detecting_loop, "
      .. "loop_reasoning" },
    { "status", { enum = { "continue", "complete", "stuck", "infeasible", "invalid", "unanswered" } }, "how the goal "
      .. "stands, as the agent says; invalid: its answer could not be used; unanswered: there was none" },
    { "status_why?", "string", "why, as the agent says, or what was wrong with the answer" },
    { "failed?", "string", "why the iteration counts as failed" },
    { "system_note?", "string", "what the agent is told because of it" },
    { "sizes?", { type = "object" }, "tokens of the request, estimated, by its parts; all: together" },
  } }
})

require "deskpilot.agent.state" -- announces `state` after each turn

events.declare_all("everybody", {
  { name = "phase_change", about = "The policy begins another phase.", fields = {
    { "from", "string", "the phase before" },
    { "to", "string", "the phase now" },
    { "why?", "string", "in a sentence" },
    { "tools?", strings, "of the phase" },
    { "prompt?", "string", "the orders of the phase" },
    { "rationale?", "string", "why, as a persona said" },
    { "tools_rationale?", "string", "why these tools, as a persona said" },
  } },
  { name = "plan", about = "The policy has planned its work.", fields = {
    { "reason", "string", "why this is the plan" },
    { "subtasks", "array", "all that there are: id, title, intent, role, completion, needs, gives, status" },
    { "kept", strings, "ids of those that had succeeded before" },
    { "dropped", strings, "ids of those that are not wanted any more" },
    { "reassigned", strings, "ids of those that another role does now" },
  } },
  { name = "evaluation", about = "A persona has looked whether something is done.", fields = {
    { "subtask?", "string", "the subtask's id; missing for the task as a whole" },
    { "because", "string", "why it was asked" },
    { "answer", { enum = { "yes", "no", "unknown" } }, "whether it is done" },
    { "decision", "string", "what follows from it" },
    { "evidence", "string", "what was seen" },
    { "missing?", "string", "what is still missing" },
  } },
  { name = "guard", about = "A guard has something to say.", fields = {
    { "name", "string", "which guard" },
    { "message", "string", "" },
    { "verdict?", "object", "of the guard `verify`: answer, evidence" },
    { "seconds?", "number", "that it makes the run wait, or has made it wait" },
  } },
  { name = "error", about = "Something failed; the run goes on unless it says otherwise.", fields = {
    { "name", "string", "what failed" },
    { "message", "string", "" },
    { "code?", "string", "of the error (docs/errors.md)" },
    { "traceback?", "string", "where it was called from, a frame a line" },
    { "ends?", "boolean", "true: the run ends because of it" },
    { "during?", "string", "the event that it was listening to" },
  } },
})

return events
