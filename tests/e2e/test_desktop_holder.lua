--- One run at a time on a live desktop: real processes on one display.
local t = require "harness"
local desktop = require "desktop"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local spawn = require "spawn"

local tests = {}

-- Runs fn(place) on a display with a terminal; place.start(program words...) starts one of ours there.
local function with_display(fn)
  desktop.with({ size = { 800, 600 }, apps = { { "xterm", "-e", "cat" } } }, function(_, session, folder)
    local place = { folder = folder, runs = folder .. "/runs" }
    function place.start(...)
      return spawn.start({ files.absolute(spawn.program), ... }, { cwd = folder, env = desktop.env(session) })
    end
    function place.mission(name, words)
      assert(files.write(files.join(folder, name), 'return { desktop = { kind = "current" }, run = function(m) '
        .. words .. " end }"))
      return name
    end
    fn(place)
  end)
end

local HOLDS = [[io.stderr:write("holds\n") m.desk.wait_until(function() return io.open "go" end, { timeout = 100 })]]

local function holder(place)
  local child = place.start("run", place.mission("first.lua", HOLDS), "--runs", place.runs)
  child:wait_for_word "holds\n"
  return child
end

local function let_go(place, child)
  assert(files.write(place.folder .. "/go", ""))
  child:wait()
  t.eq(child.status, 0, child.stderr)
  files.remove(place.folder .. "/go")
end

-- What is refused says who is at work there, in a sentence.
local function refused(child, first, status)
  child:wait()
  t.eq(child.status, status, child.stderr)
  t.has(child.stderr, ('this desktop is in use by the run "first" (process %d on '):format(first.pid))
  t.has(child.stderr, "--shared")
end

function tests.a_second_run_is_told_who_the_first_is()
  with_display(function(place)
    local mission = place.mission("second.lua", 'm.desk.keyboard.type "x"')
    local first = holder(place)
    local second = place.start("run", mission, "--runs", place.runs, "--json")
    refused(second, first, 3)
    t.eq((json.decode(second.stdout) or {}).status, "error")
    t.eq(#files.list(place.runs), 1, "no run was begun")
    let_go(place, first)
    local third = place.start("run", mission, "--runs", place.runs)
    third:wait()
    t.eq(third.status, 0, third.stderr)
  end)
end

function tests.it_goes_on_beside_it_where_it_is_told_to()
  with_display(function(place)
    local first = holder(place)
    local mission = place.mission("second.lua", 'm.desk.keyboard.press "shift"')
    local function shares(...)
      local child = place.start("run", mission, "--json", "--runs", place.folder .. "/more", ...)
      child:wait()
      t.eq(child.status, 0, child.stderr)
      local notes = {}
      for _, event in ipairs(journal.read((json.decode(child.stdout) or {}).run_dir or "")) do
        if event.event == "note" then notes[#notes + 1] = event.message end
      end
      t.has(table.concat(notes, "\n"), 'this desktop is shared: it is also in use by the run "first" (process')
    end
    shares "--shared"
    shares("--set", "desktop.shared=true")
    refused(place.start("run", mission, "--runs", place.runs), first, 3) -- sharing has not taken it over
    let_go(place, first)
  end)
end

function tests.a_killed_run_leaves_nothing()
  with_display(function(place)
    local first = holder(place)
    first:kill "sigkill"
    first:wait()
    local second = holder(place)
    let_go(place, second)
  end)
end

function tests.of_many_at_once_one_works()
  with_display(function(place)
    local mission, children = place.mission("many.lua", HOLDS), {}
    for i = 1, 4 do children[i] = place.start("run", mission, "--runs", place.runs) end
    local function ended()
      local count = 0
      for _, child in ipairs(children) do count = count + (child.status and 1 or 0) end
      return count
    end
    t.wait_until("all but one to be refused", function() return ended() == 3 end, 60)
    assert(files.write(place.folder .. "/go", ""))
    local worked = 0
    for _, child in ipairs(children) do
      child:wait()
      worked = worked + (child.status == 0 and 1 or 0)
      if child.status ~= 0 then t.has(child.stderr, 'in use by the run "many" (process ') end
    end
    t.eq(worked, 1)
  end)
end

function tests.who_only_looks_need_not_ask()
  with_display(function(place)
    local first = holder(place)
    for _, words in ipairs { { "shot", "-o", "x.png" }, { "windows" }, { "eval", "#desk.windows.list() > 0" },
      { "eval", "desk.screen.shot() ~= nil" } } do
      local child = place.start(table.unpack(words))
      child:wait()
      t.eq(child.status, 0, words[1] .. ": " .. child.stderr)
    end
    refused(place.start("eval", 'desk.keyboard.press "shift"'), first, 1)
    refused(place.start("eval", "desk.mouse.move { 5, 5 }"), first, 1)
    for _, words in ipairs { { "eval", "--shared", 'desk.keyboard.press "shift"' } } do
      local child = place.start(table.unpack(words))
      child:wait()
      t.eq(child.status, 0, child.stderr)
    end
    let_go(place, first)
  end)
end

function tests.a_prompt_holds_it_from_its_first_act_on()
  with_display(function(place)
    local program = [[desk.windows.list()
      io.stderr:write("looked\n") desk.wait_until(function() return io.open "act" end, { timeout = 60 })
      desk.keyboard.press "shift"
      io.stderr:write("acted\n") desk.wait_until(function() return io.open "go" end, { timeout = 60 })]]
    local eval = place.start("eval", program)
    eval:wait_for_word "looked\n"
    local mission = place.mission("second.lua", 'm.desk.keyboard.press "shift"')
    local free = place.start("run", mission, "--runs", place.runs)
    free:wait()
    t.eq(free.status, 0, free.stderr)
    assert(files.write(place.folder .. "/act", ""))
    eval:wait_for_word "acted\n"
    local second = place.start("run", mission, "--runs", place.runs)
    second:wait()
    t.eq(second.status, 3, second.stderr)
    t.has(second.stderr, ("this desktop is in use by deskpilot eval (process %d on "):format(eval.pid))
    let_go(place, eval)
  end)
end

-- What stands in the property is another program's word.
function tests.the_holder_s_name_is_only_words()
  with_display(function(place)
    local first = place.start("eval", [[desk.native:hold("\27[2Jevil\nline") io.stderr:write("holds\n")
      desk.wait_until(function() return io.open "go" end, { timeout = 60 })]])
    first:wait_for_word "holds\n"
    local second = place.start("run", place.mission("second.lua", ""), "--runs", place.runs)
    second:wait()
    t.eq(second.status, 3)
    t.has(second.stderr, "in use by  [2Jevil line: wait")
    let_go(place, first)
  end)
end

return tests
