--- Missions that use a server of the Model Context Protocol: what a file says, read by the official file server, ends
--- in a form of a real application; and nothing of a server outlives the run, however that ends.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local packages = require "mcp_packages"
local play = require "three_body_play"
local spawn = require "spawn"
local uv = require "luv"

local tests = {}

local because = "The form is in front and asks for the town, which the file of the order has told, so this is next."

-- A command as a list of Lua's.
local function quoted(words)
  local list = {}
  for i, word in ipairs(words) do list[i] = ("%q"):format(word) end
  return "{ " .. table.concat(list, ", ") .. " }"
end

local function configured(name, command, more)
  return ("mcp = { %s = { command = %s, %s } }"):format(name, quoted(command), more or "")
end

-- What the file server has answered in this turn.
local function read_text(request)
  for _, message in ipairs(request.messages) do
    local words = message.role == "tool" and message.content
    if type(words) == "string" and words:find "Town:" then return words:match "Town: ([^\n]+)" end
  end
end

tests.what_a_file_says_is_typed_into_a_form = spawn.in_folder(function(folder)
  local order, record = files.join(folder, "order.txt"), files.join(folder, "record")
  assert(files.write(order, "Name: Ada\nTown: Köln am Rhein\n"))
  local town, typed, clicked
  local played = play.play { turns = 20,
    mission = ([[task = "The order is in %s. Fill its town into the form.", files = { %q },
      desktop = { kind = "private", size = { 1024, 768 }, apps = { { "sh", "-c",
        "zenity --forms --title Form '--add-entry=Town' > %s" } } },
      verify = function() return require("deskpilot.base.files").read(%q) == "Köln am Rhein\n" end, %s]]):format(
      order, folder, record, record, configured("files", packages.command(packages.filesystem, "/"))),
    strategist = function() return play.doctrine { "The form is closed." } end,
    tactician = function()
      return play.orders("EXECUTION", { "files__read_text_file", "click_element", "type_text" })
    end,
    executor = function(request)
      local _, words = play.words(request)
      local function press(role, name)
        local x, y = words:match(("%%] %s %s %%[(%%d+),(%%d+)%%]"):format(role, name))
        return x and play.calls { "click_element", { label = role, position = { tonumber(x), tonumber(y) },
          justification = because } }
      end
      town = town or read_text(request)
      if not town then return play.calls { "files__read_text_file", { path = order } } end
      if not clicked then
        clicked = press("text", '"[^"]*"')
        return clicked or play.calls { "wait", { seconds = 1 } }
      elseif not typed then
        typed = true
        return play.calls { "type_text", { text = town, justification = because } }
      end
      return press("push button", '"OK"')
        or play.claim(("The form is gone, and nothing is left on the screen to be filled in; "):rep(2))
    end }
  t.eq({ files.read(record), town }, { "Köln am Rhein\n", "Köln am Rhein" })
  t.eq(played.result.status, "succeeded", played.result.reason)
  local looked
  for _, event in ipairs(played.events) do
    if event.event == "lookup" then looked = event end
  end
  t.eq({ looked.tool, looked.ok, looked.args.path }, { "files__read_text_file", true, order })
  t.ok(play.tool(played:asked("executor")[1], "files__read_text_file"), "it is offered with its own schema")
end)

-- --- how a run ends -------------------------------------------------------------------------------------------

-- The process of the server that a process has started.
local function server_of(pid)
  local scan = uv.fs_scandir "/proc"
  for name in function() return uv.fs_scandir_next(scan) end do
    local stat = name:find "^%d+$" and files.read("/proc/" .. name .. "/stat") or ""
    if tonumber(stat:match "%) %u (%d+)") == pid
      and (files.read("/proc/" .. name .. "/cmdline") or ""):find("server-everything", 1, true) then
      return tonumber(name)
    end
  end
end

-- Runs a script that calls a tool which takes so many seconds; fn(child, folder, server) when the server works on it.
local function in_mid_call(seconds, fn)
  return spawn.in_folder(function(folder)
    assert(files.write(files.join(folder, "m.lua"), ([[return { desktop = { kind = "private", size = { 320, 240 } }, %s,
      run = function(m)
        local first = m:act { tool = "other__trigger-long-running-operation", args = { duration = %d, steps = 40 } }
        m:note("first: " .. tostring(first.ok) .. " " .. first.text)
        local second = m:act { tool = "other__echo", args = { message = "still here" } }
        m:note("second: " .. second.text)
      end }]]):format(configured("other", packages.command(packages.everything), 'consent = "always", '
        .. 'approved = { "*" }'), seconds)))
    local child = spawn.start({ files.absolute(spawn.program), "run", "m.lua", "--runs", "runs", "--json" },
      { cwd = folder })
    local server
    t.wait_until("the server works", function()
      server = server or server_of(child.pid)
      if child.status then error(child.stdout .. child.stderr) end
      local runs = files.list(files.join(folder, "runs"))
      local words = server and runs and runs[1] and files.read(files.join(folder, "runs", runs[1], "journal.jsonl"))
      return words and words:find('"event":"action"', 1, true)
    end)
    fn(child, folder, server)
  end)
end

local function notes_of(folder)
  local runs, list = files.join(folder, "runs"), {}
  for _, event in ipairs(assert(journal.read(files.join(runs, files.list(runs)[1])))) do
    if event.event == "note" then list[#list + 1] = event.message end
  end
  return table.concat(list, "\n")
end

tests.a_server_that_is_killed_in_mid_call_is_started_again = in_mid_call(5, function(child, folder, server)
  uv.kill(server, "sigkill")
  child:wait()
  t.eq(child.status, 0, child.stdout .. child.stderr)
  local notes = notes_of(folder)
  t.has(notes, "first: true Long running operation completed", "it says that this only reads: so it was asked again")
  t.has(notes, "second: Echo: still here")
  t.ok(uv.kill(server, 0) ~= 0, "it was another process")
  t.eq(child:left(), {}, "processes left behind")
end)

for signal, status in pairs { sigterm = 130, sigkill = 0 } do
  tests["nothing_is_left_after_" .. signal] = in_mid_call(60, function(child, folder, server)
    child:kill(signal)
    child:wait()
    if status > 0 then t.eq(child.status, status, child.stderr) end
    t.wait_until("everything has gone", function() return #child:left() == 0 and uv.kill(server, 0) ~= 0 end)
    t.ok(journal.read(files.join(folder, "runs", files.list(files.join(folder, "runs"))[1])), "the journal is readable")
  end)
end

return tests
