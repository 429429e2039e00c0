--- A run's folder as a long run leaves it: hundreds of turns, each with a picture of a real desktop, with phases,
--- personas, guards, questions, repairs and errors.
local files = require "deskpilot.base.files"
local journals = require "journals"
local json = require "deskpilot.base.json"

local long_run = {}

local personas = { "strategist", "executor", "vision" }
local phases = { "INIT", "EXECUTION", "VERIFICATION" }

-- What happens in one turn beside a request and an act.
local function extras(add, turn)
  if turn % 40 == 1 then
    add("phase_change", turn, 0, { from = phases[(turn // 40 + 2) % 3 + 1], to = phases[turn // 40 % 3 + 1],
      why = "The form is open." })
  end
  if turn % 57 == 5 then add("guard", turn, 0, { name = "loop_detection", message = "three times the same click" }) end
  if turn % 90 == 7 then
    add("question", turn, 0, { text = "Which folder is meant?", options = { "Pictures", "Music" }, seconds = 120 })
    add("answer", turn, 3, { text = "Which folder is meant?", answer = "Music", by = "a person", seconds = 3 })
  end
  if turn % 101 == 9 then add("error", turn, 0, { name = "observe", message = "the page did not answer" }) end
end

local function act_of(turn)
  local x, y = 100 + turn * 37 % 800, 100 + turn * 53 % 800
  if turn % 12 == 3 then
    return "drag_element", { start = { x, y }, ["end"] = { 900 - x // 2, y }, justification = "The slider." }, nil
  end
  return "click_element", { position = { x, y }, justification = ("It is the button number %d."):format(turn) },
    { x, y }
end

--- The events of such a run.
---@param turns integer
---@param picture fun(turn: integer): string the name of the picture of a turn, in the run's folder
---@return table[]
function long_run.events(turns, picture)
  local list, at = {}, 0
  local function add(name, turn, seconds, fields)
    at = at + seconds
    fields.event, fields.at, fields.turn = name, at, turn
    list[#list + 1] = fields
  end
  add("run_start", nil, 0, { mission = "long", task = "Fill in the forms of the archive, one after the other.",
    policy = "three_body", model = "a-model", endpoint = "http://127.0.0.1:1/v1", version = "1", desktop = "private",
    config = { policy = "three_body" } })
  for turn = 1, turns do
    local persona = personas[turn % 3 + 1]
    add("turn_start", turn, 0.01, {})
    add("observed", turn, 0.05, { screenshot = picture(turn), elements = 20 + turn % 7, seconds = 0.05,
      screen = { x = 0, y = 0, width = 1280, height = 800 }, image = { width = 1280, height = 800 },
      window = { title = "Form " .. turn // 3, class = "form", pid = 1 } })
    extras(add, turn)
    local tool, args, point = act_of(turn)
    add("model_reply", turn, 1.5, { persona = persona, request = ("requests/%04d-%s"):format(turn, persona),
      seconds = 1.5, content = ("I see the form. "):rep(10), usage = { input_tokens = 4000 + turn * 3 % 900,
        output_tokens = 60 + turn % 50, cached_tokens = 2500 },
      tool_calls = { { id = "1", name = tool, arguments = json.encode(args) } },
      tokens = { input = 4000, new = 1500, system = 900, text = 1100, tools = 1000, pictures = 1000 },
      repairs = turn % 75 == 11 and { score = 2, kinds = { quotes = 1 } } or nil })
    add("action_result", turn, 0.2, { tool = tool, args = args, point = point, seconds = 0.2, ok = turn % 29 ~= 0,
      text = turn % 29 ~= 0 and "done" or "there is nothing at this place that can be clicked" })
    add("settled", turn, 0.3, { seconds = 0.3, reason = "quiet" })
    add("turn_end", turn, 0.01, { seconds = 2.07 })
  end
  add("picture", 0, 0.1, { screenshot = picture(turns + 1), screen = { x = 0, y = 0, width = 1280, height = 800 },
    image = { width = 1280, height = 800 } })
  add("run_end", nil, 0, { status = "succeeded", reason = "all forms are filled in", turns = turns, actions = turns,
    seconds = at })
  return list
end

--- Writes its folder; the pictures are the desktop's, which changes from each to the next.
---@param folder string
---@param turns integer
---@param desk deskpilot.desk
function long_run.write(folder, turns, desk)
  journals.made_up[files.join(folder, "journal.jsonl")] = true
  assert(files.make_folder(files.join(folder, "screenshots")))
  assert(files.make_folder(files.join(folder, "requests")))
  local lines = { '{"event":"journal","at":0,"version":1,"program":"1"}' }
  for _, event in ipairs(long_run.events(turns, function(turn)
    return ("screenshots/step_%04d.png"):format(turn)
  end)) do lines[#lines + 1] = json.encode(event) end
  assert(files.write(files.join(folder, "journal.jsonl"), table.concat(lines, "\n") .. "\n"))
  for turn = 1, turns + 1 do
    desk.mouse.move(100 + turn * 37 % 1000, 100 + turn * 53 % 600)
    local path = files.join(folder, ("screenshots/step_%04d.png"):format(turn))
    assert(assert(desk.screen.shot { cursor = true }):save(path))
  end
  for turn = 1, turns do
    assert(files.write(files.join(folder, ("requests/%04d-%s.request.json"):format(turn, personas[turn % 3 + 1])),
      ("x"):rep(3000)))
  end
end

return long_run
