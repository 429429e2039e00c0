--- What the agent writes down for itself from one iteration to the next. Notes that lead in circles are taken away: a
--- focus that has failed too often is told as such, and another approach is demanded.
local similar = require "deskpilot.agent.similar"
local text = require "deskpilot.base.text"

local reflection = {}

local most_failures = 2 -- with one focus

local fields = { { "focus", "focus" }, { "avoid", "avoid" }, { "hypothesis", "hypothesis" },
  { "guidance_for_next", "guidance" } }

--- The notes as the next request tells them; nil where there are none.
---@param run deskpilot.run
---@return string?
function reflection.words(run)
  local notes, lines = run.state.reflection or {}, {}
  for _, field in ipairs(fields) do
    local words = notes[field[1]]
    if words and words:find "%S" then lines[#lines + 1] = ("- %s: %s"):format(field[2], text.one_line(words)) end
  end
  return #lines > 0 and table.concat(lines, "\n") or nil
end

-- A short history of one focus: nearly the same words are the same focus.
local function follow(s, focus)
  local known = s.focus
  if known and focus and similar.same(known.words, focus) then return end
  s.focus = focus and { words = focus, failures = 0 } or known
end

--- Takes the notes of a decision, and what was learned.
---@param run deskpilot.run
---@param decided deskpilot.orchestrator.decision
function reflection.take(run, decided)
  local s, notes = run.state, decided.reflection
  s.reflection = notes
  follow(s, notes and notes.focus)
  for _, sentence in ipairs(decided.learned or {}) do
    local new, why = run.memory:learn(sentence)
    if new == nil then run:note("an experience was not kept: " .. tostring(why)) end
  end
  if not (notes and notes.detecting_loop) then return end
  s.system_note = ("You say that you repeat yourself%s. Do something that you have not tried yet."):format(
    notes.loop_reasoning and ": " .. text.cut(text.one_line(notes.loop_reasoning), 200) or "")
end

--- Looks at what came of an iteration: a focus that has failed too often is given up.
---@param run deskpilot.run
---@param step table of the iteration
function reflection.judge(run, step)
  local s = run.state
  local focus = s.focus
  if not (focus and step.failed) then return end
  focus.failures = focus.failures + 1
  if focus.failures <= most_failures then return end
  s.system_note = ("OVERRIDDEN: %d iterations with the focus %q have failed. Your notes are taken away. Go about it in "
    .. "an entirely different way."):format(focus.failures, text.cut(text.one_line(focus.words), 120))
  step.system_note = s.system_note
  s.reflection, s.focus = nil, nil
  run:note(s.system_note)
end

return reflection
