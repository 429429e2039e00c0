--- The policy odev on desktop windows: each state and arrow of its loop, against a scripted planner and vision model
--- over HTTP and real applications, judged by the journal's order of states and by what the applications wrote.
local t = require "harness"
local files = require "deskpilot.base.files"
local play = require "odev_play"

local tests = {}

-- An editor whose window is there, on a desktop of its own, with a file that can be saved by ctrl+s.
local editor = [[
task = "Write hello into the note and save it.",
desktop = { kind = "private", size = { 900, 600 }, apps = { { "mousepad", "--disable-server", FOLDER .. "/note.txt" } } },
verify = function()
  local file = io.open(FOLDER .. "/note.txt", "rb")
  local words = file and file:read("a") or ""
  if file then file:close() end
  return words:find("hello", 1, true) ~= nil, "the note says " .. words
end,
]]

local function empty_note(folder)
  assert(files.write(folder .. "/note.txt", "first\n"))
end

local anchor = { application = "mousepad", title = "note.txt" }

function tests.a_step_is_planned_done_verified_and_the_goal_is_reached_without_vision()
  local played = play.play { mission = editor, before = empty_note, planner = function()
    return play.plan { anchor = anchor, indicators = { "hello" }, completes_goal = true, actions = {
      { tool = "type_text", args = { text = "hello " } }, { tool = "press_key", args = { key = "ctrl+s" } } } }
  end }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq(played:states(), "OBSERVE DECIDE EXECUTE VERIFY DONE")
  t.eq(files.read(played.folder .. "/note.txt"), "hello first\n")
  local result = played.result.task_result
  t.eq({ result.steps, result.verified, result.unverified, result.retries }, { 1, 1, 0, 0 })
  t.eq(result.escalations, { browser = 0, vision = 0 })
  for _, kind in ipairs { "observe", "decide", "execute", "verify" } do
    t.ok(result.seconds[kind] > 0, kind .. " took time")
  end
  t.eq(result.seconds.escalate, 0)
  t.eq(#played.requests, 1)
  t.ok(not play.has_picture(played.requests[1]), "the planner gets words only")
  t.has(play.words(played.requests[1]), "Mousepad")
  t.has(played.requests[1].messages[1].content, "- type_text(text: string)")
  played:close()
end

return tests
