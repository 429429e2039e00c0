--- An example of a hook for each event, for docs/hooks.md. The tests call all of them with what real runs announce.
return {
  run_start = [[
before_run = function(m)
  assert(m.desk.clipboard.set "")             -- what fails in a hook ends the run
end,]],
  turn_start = [[
turn_start = function(m, event)
  if event.turn > 100 then return { stop = { "failed", "it goes round in circles" } } end
end,]],
  observed = [[
observed = function(m, event)
  if event.elements == 0 and not event.page then m:note("nothing can be named in " .. event.screenshot) end
end,]],
  turn_end = [[
turn_end = function(m, event)
  m.slow = math.max(m.slow or 0, event.seconds) -- what a hook keeps goes into m
end,]],
  run_end = [[
after_run = function(m, outcome)
  m:note(("%s after %d turns: %s"):format(outcome.status, outcome.turns, outcome.reason))
end,]],
  goal_start = [[
goal_start = function(m, event)
  m:note(("%s begins: %s"):format(event.goal, event.task))
end,]],
  goal_end = [[
goal_end = function(m, event)
  if event.status ~= "succeeded" then return { stop = { "failed", event.task .. ": " .. event.reason } } end
end,]],
  lookup = [[
lookup = function(m, event)
  if not event.ok then m:note(event.tool .. " found nothing: " .. event.text) end
end,]],
  iteration = [[
iteration = function(m, event)
  if event.failed then m:note(("iteration %d: %s"):format(event.iteration, event.failed)) end
end,]],
  tools_changed = [[
tools_changed = function(m, event)
  for _, name in ipairs(event.added or {}) do m:note("a new tool: " .. name) end
end,]],
  question = [[
ask = function(m, question)
  if question.consent then return false, "nobody is here who may allow it" end
  if question.text:find "[Oo]verwrite" then return "yes" end
end,]],
  answer = [[
answer = function(m, event)
  m:note(("%s -> %s"):format(event.text, event.answer or event.why or "no answer"))
end,]],
  memory = [[
memory = function(m, event)
  if event.op == "forget" then m:note("forgotten: " .. (event.name or "")) end
end,]],
  picture = [[
picture = function(m, event)
  m:note("as the script has left it: " .. event.screenshot)
end,]],
  control = [[
control = function(m, event)
  if event.what == "given back" then m:note("a person worked here for " .. event.seconds .. " s") end
end,]],
  desk_call = [[
desk_call = function(m, event)
  m.failures = (m.failures or 0) + (event.ok and 0 or 1)
end,]],
  model_request = [[
model_request = function(m, request)
  if request.acts then return { amend = { temperature = 0 } } end
end,]],
  model_reply = [[
model_reply = function(m, event)
  if event.error and event.error.code == "timed_out" then m:note(event.persona .. " is slow") end
end,]],
  action = [[
before_action = function(m, action)
  local there = action.element                -- what is under action.point, or has the keyboard's focus
  if there and there.name:lower():find "delete" then return false, "nothing is to be deleted" end
  if action.site and action.site ~= "https://example.org" then return false, "only example.org is to be used" end
end,]],
  action_result = [[
after_action = function(m, action, result)
  local where = action.window and action.window.title or "no window"
  if not result.ok then m:note(("%s in %q: %s"):format(action.tool, where, result.text)) end
end,]],
  retry = [[
retry = function(m, event)
  if event.again then m:note(("%s again, after %s"):format(event.tool, event.text)) end
end,]],
  desktop_lost = [[
desktop_lost = function(m, event)
  m:note(("%s is waited for for %g s: %s"):format(event.what, event.seconds, event.text))
end,]],
  desktop_back = [[
desktop_back = function(m, event)
  if event.what == "display" then return { stop = { "failed", "what was open has gone with the desktop" } } end
end,]],
  suspected = [[
suspected = function(m, event)
  m.in_vain = (m.in_vain or 0) + 1
  if m.in_vain > 5 then return { stop = { "failed", "nothing comes of it: " .. event.message } } end
end,]],
  screen_changed = [[
screen_changed = function(m, event)
  if event.matters then m:note(("%s came too late: %s"):format(event.tool, event.text)) end
end,]],
  settled = [[
settled = function(m, event)
  if event.reason == "cap" then m:note(("still moving after %.1f s"):format(event.seconds)) end
end,]],
  plan = [[
plan = function(m, event)
  if #event.subtasks > 8 then return { stop = { "failed", "a small task is taken for a large one" } } end
end,]],
  evaluation = [[
evaluation = function(m, event)
  if event.answer ~= "yes" then m:note(("%s is not done: %s"):format(event.subtask or "the task", event.evidence)) end
end,]],
  note = [[
note = function(m, event)
  m.said = event.message
end,]],
  state = [[
state = function(m, event)
  m.entries = (m.entries or 0) + #(event.history or {})
end,]],
  phase_change = [[
phase_change = function(m, event)
  m:note(("%s, after %s: %s"):format(event.to, event.from, event.why or "no reason given"))
end,]],
  guard = [[
guard = function(m, event)
  if event.name == "loop_detection" then return { stop = { "failed", event.message } } end
end,]],
  error = [[
error = function(m, event)
  m.errors = (m.errors or 0) + 1
end,]],
}
