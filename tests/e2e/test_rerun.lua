--- A recorded run once more, without a desktop and without a model server.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local journals = require "journals"
local json = require "deskpilot.base.json"
local list_play = require "list_play"
local spawn = require "spawn"

local tests = {}

local nothing = { DISPLAY = false, WAYLAND_DISPLAY = false, DBUS_SESSION_BUS_ADDRESS = false }

local function rerun(place, folder, ...)
  local child = spawn.run({ spawn.program, "rerun", folder, "--json", ... }, { cwd = place.folder, env = nothing })
  local result = json.decode(child.stdout) or {}
  return result, result.run_dir and journal.read(result.run_dir) or {}, child
end

local function told(events, name)
  local list = {}
  for _, event in ipairs(events) do
    if event.event == name then list[#list + 1] = event end
  end
  return list
end

-- What was done and seen, without times.
local function course(events)
  local list = {}
  for _, event in ipairs(events) do
    if event.event == "action_result" then
      list[#list + 1] = { event.turn, event.tool, event.args, event.ok, event.text }
    elseif event.event == "observed" then
      list[#list + 1] = { event.turn, event.window, event.elements, event.image, event.page }
    end
  end
  return list
end

local function notes(events)
  local list = {}
  for _, event in ipairs(told(events, "note")) do list[#list + 1] = event.message end
  return table.concat(list, "\n")
end

function tests.a_run_is_the_same_again_until_something_is_edited()
  local server = list_play.serve(2)
  local place = list_play.place(2, server)
  local child = spawn.run(place.argv, { cwd = place.folder })
  server:stop()
  local result = json.decode(child.stdout) or {}
  t.eq(result.status, "succeeded", child.stderr)
  local recorded = journal.read(result.run_dir) or {}
  local looks = told(recorded, "observed")
  t.ok(files.exists(files.join(result.run_dir, looks[1].seen)), "what was seen is kept beside the picture")
  t.ok(files.size(files.join(result.run_dir, looks[1].seen)) < 64 * 1024)

  assert(files.write(place.list, ""))
  local path = files.join(result.run_dir, "journal.jsonl")
  journals.made_up[path] = true
  assert(files.write(path, (files.read(path):gsub("\n", "\n{broken\n", 1))))
  local again, events, offline = rerun(place, result.run_dir)
  t.eq({ offline.status, again.status }, { 0, "claimed" }, offline.stderr)
  t.has(offline.stderr, "runs " .. result.run_dir .. " again, without a desktop\n"
    .. "1 line of the journal is no event and is left out\n")
  t.eq(course(events), course(recorded), "the same looks and actions")
  local words = notes(events)
  t.ok(not words:find("is not the recorded", 1, true), words)
  t.ok(not words:find("did not do this", 1, true), words)
  t.eq({ events[1].parent.kind, events[1].parent.run, events[1].model },
    { "rerun", files.absolute(result.run_dir), "replay:" .. result.run_dir })
  t.eq(files.read(place.list), "", "nothing is done in the world")

  local prompts = files.join(place.folder, "deskpilot/prompts")
  assert(files.make_folder(prompts))
  assert(files.write(files.join(prompts, "executor.md"), "You are careful.\n{{orders}}\n"))
  again, events = rerun(place, result.run_dir)
  t.eq(again.status, "claimed")
  t.has(notes(events), "executor: the request is not the recorded 0003-executor:\n- ")
  t.has(notes(events), "+ You are careful.")

  assert(files.make_folder(files.join(place.folder, "deskpilot/policies")))
  assert(files.write(files.join(place.folder, "deskpilot/policies/mine.lua"), [[
    return { turn = function(run)
      if run.turn == 2 then
        run:act { tool = "press_key", args = { key = "f5", justification = "something else" } }
      end
    end }]]))
  again, events = rerun(place, result.run_dir, "--policy", "mine")
  t.eq({ again.status, again.turns }, { "incomplete", #looks + 1 })
  t.has(again.reason, ("the recorded run has no turn %d: what comes after it can only be tried on a desktop"):format(
    #looks + 1))
  t.has(notes(events), 'the recorded run did not do this in turn 2: press_key({"')
  again, events = rerun(place, result.run_dir, "--policy", "odev")
  t.eq(again.status, "error")
  t.has(again.reason, "has no further answer of planner (0 in all)")
  t.ok(#events > 5)
  files.remove(place.folder)
end

function tests.what_cannot_be_run_again_says_so()
  local folder = spawn.folder()
  local function says(part, ...)
    local child = spawn.run({ spawn.program, ... }, { cwd = folder, env = nothing })
    t.eq(child.status, 2, child.stderr)
    t.has(child.stderr, part)
  end
  says("rerun wants one run directory", "rerun")
  says("journal.jsonl", "rerun", "nothing")
  says("there are no recorded requests in", "run", "calculator", "--model", "replay:" .. folder)
  files.remove(folder)
end

return tests
