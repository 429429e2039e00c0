-- Text typed into real applications on a private desktop, and judged by what they hold: editors of three toolkits by
-- the file that they save, a browser by what its page sends to a server of the test, a terminal by the file that
-- the program in it writes. DESKPILOT_TYPING_ROUNDS says how often.
local desktop = require "desktop"
local uv = require "luv"
local files = require "deskpilot.base.files"
local harness = require "harness"
local platform = require "deskpilot.desk.platform"
local task = require "deskpilot.base.task"

local tests = {}

local rounds = tonumber(os.getenv "DESKPILOT_TYPING_ROUNDS") or 3

-- 164 characters, most of them once: what no keyboard has, and what every keyboard has.
local sample = "Pack my Box: ~!@#$%^&*()_+{}|\"<>?`-=[]\\;',./ 0123456789\n"
  .. "Füße, żółć ĝűñõ åþđ œuvre, Ærø, złoty €19, ¿qué? Ελλάς Привет שלום مرحبا\n"
  .. "漢字かな交じり日本語中文输入法한국어 😀🚀🎉👍🏽✓→∞“”—…½§©\n"
assert(utf8.len(sample) == 164, utf8.len(sample))

local function folder()
  return assert(uv.fs_mkdtemp(files.join(files.temporary_folder(), "deskpilot-test-XXXXXX")))
end

local function with_desktop(apps, fn)
  desktop.with({ apps = apps, timing = { focus = 10, elements = 10, type_answer = 20, type_verify = 20 } }, fn)
end

-- How many characters it takes to turn one text into the other.
local function errors_between(a, b)
  local from, to = { utf8.codepoint(a, 1, -1) }, { utf8.codepoint(b, 1, -1) }
  local row = {}
  for j = 0, #to do row[j] = j end
  for i = 1, #from do
    local diagonal
    diagonal, row[0] = row[0], i
    for j = 1, #to do
      local change = diagonal + (from[i] == to[j] and 0 or 1)
      diagonal, row[j] = row[j], math.min(change, row[j] + 1, row[j - 1] + 1)
    end
  end
  return row[#to]
end

-- Types the sample again and again. `read(wanted)` gives what the application holds by then.
local function type_rounds(name, wanted, round)
  local wrong, characters, seconds = 0, 0, 0
  for i = 1, rounds do
    local began = task.now()
    local got, took = round(i)
    seconds = seconds + (took or task.now() - began)
    local errors = utf8.len(got) and errors_between(wanted, got) or #wanted
    harness.eq(errors, 0, ("%s, round %d: wrong characters in %q"):format(name, i, errors > 0 and got or ""))
    if errors > 0 then wrong = wrong + 1 end
    characters = characters + utf8.len(wanted)
  end
  io.stdout:write(("      %s: %d of %d without an error, %.0f characters/s\n"):format(name, rounds - wrong, rounds,
    characters / seconds))
end

-- Waits until read() gives what is wanted; what it gives then, or at last.
local function holds(wanted, read, seconds)
  local limit, got = task.now() + (seconds or 20), read()
  while got ~= wanted and task.now() < limit do
    task.sleep(0.02)
    got = read()
  end
  return got or ""
end

local function timed_type(desk, text, how)
  local began = task.now()
  harness.ok(desk.keyboard.type(text, how))
  return task.now() - began
end

function tests.an_editor()
  local here = folder()
  local path = here .. "/note.txt"
  assert(files.write(path, "before"))
  with_desktop({ { "mousepad", "--disable-server", path } }, function(desk)
    local area = harness.ok(desk.elements.find { app = "mousepad", role = "text", timeout = 30 })
    harness.ok(desk.windows.focus { class = "mousepad" })
    type_rounds("mousepad", sample, function(i)
      harness.ok(desk.keyboard.press "ctrl+a")
      harness.ok(desk.keyboard.press "backspace")
      local took = timed_type(desk, sample, { into = area, verify = i == 1 })
      harness.ok(desk.keyboard.press "ctrl+s")
      return holds(sample, function() return files.read(path) end), took
    end)
  end)
  files.remove(here)
end

-- An editor that the elements do not lead to: it saves what is in its window. `ends`: what it adds when it saves.
local function type_into_editor(program, start, ends)
  if not platform.on_path(program) then
    io.stdout:write(("      skipped: %s is not installed\n"):format(program))
    return harness.ok(true)
  end
  local here = folder()
  local path = here .. "/note.txt"
  assert(files.write(path, "before"))
  with_desktop({}, function(desk)
    harness.ok(desk.apps.start(start(path)))
    harness.ok(desk.wait_for_window { title = "note.txt", timeout = 60 })
    harness.ok(desk.windows.focus { title = "note.txt" })
    local wanted = sample .. ends
    harness.wait_until(program .. " to take keys", function() -- a window may be there before its field
      harness.ok(desk.keyboard.press "ctrl+a")
      harness.ok(desk.keyboard.type "taken\n") -- some end the last line when they save
      harness.ok(desk.keyboard.press "ctrl+s")
      return holds("taken\n" .. ends, function() return files.read(path) end, 2) == "taken\n" .. ends
    end, 60)
    type_rounds(program, wanted, function()
      harness.ok(desk.keyboard.press "ctrl+a")
      harness.ok(desk.keyboard.press "backspace")
      local took = timed_type(desk, sample)
      harness.ok(desk.keyboard.press "ctrl+s")
      return holds(wanted, function() return files.read(path) end), took
    end)
  end)
  files.remove(here)
end

function tests.an_editor_of_qt()
  type_into_editor("featherpad", function(path) return { "featherpad", "--standalone", path, wait = 60 } end, "")
end

function tests.an_editor_of_gtk_4()
  type_into_editor("gnome-text-editor", function(path)
    return { "sh", "-c", "GSK_RENDERER=cairo exec gnome-text-editor --standalone " .. path, wait = 60 }
  end, "\n")
end

function tests.a_terminal()
  local here = folder()
  local path = here .. "/typed.txt"
  local command = "stty -echo; touch " .. path .. "; exec cat >>" .. path
  with_desktop({ { "xterm", "-u8", "-e", "sh", "-c", command } }, function(desk)
    harness.wait_until("the terminal's program", function() return files.exists(path) end, 30)
    type_rounds("xterm", sample, function(i)
      local took = timed_type(desk, sample, { window = { class = "xterm" } })
      local whole = holds(sample:rep(i), function() return files.read(path) end)
      return whole:sub(#sample * (i - 1) + 1), took
    end)
  end)
  files.remove(here)
end

local page = [[<!doctype html><meta charset="utf-8"><title>Typing</title>
<textarea id="t" style="width:95vw;height:80vh" autocomplete="off" spellcheck="false"></textarea><script>
const t = document.getElementById('t');
let sending = false, again = false;
function send() {
  if (sending) { again = true; return; }
  sending = true;
  fetch('/text', { method: 'POST', body: t.value }).finally(() => {
    sending = false;
    if (again) { again = false; send(); }
  });
}
t.addEventListener('input', send);
t.addEventListener('keydown', e => { if (e.key == 'Tab') { e.preventDefault(); t.setRangeText('\t', t.selectionStart,
  t.selectionEnd, 'end'); send(); } });
t.focus(); fetch('/ready', { method: 'POST', body: '' });
</script>]]

-- Serves the page, and keeps what it sends: server.text, server.ready.
local function serve()
  local server = { listener = uv.new_tcp() }
  local function answer(socket, head, body)
    local path = head:match "^%u+ (%S+)"
    if path == "/text" then server.text = body end
    if path == "/ready" then server.ready = true end
    local words = path == "/" and page or ""
    socket:write(("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s"):format(
      #words, words))
  end
  server.listener:bind("127.0.0.1", 0)
  server.listener:listen(16, function()
    local socket, data = uv.new_tcp(), ""
    server.listener:accept(socket)
    socket:read_start(function(_, more)
      if not more then
        if not socket:is_closing() then socket:close() end
        return
      end
      data = data .. more
      while true do
        local _, stop = data:find("\r\n\r\n", 1, true)
        local length = stop and tonumber(data:sub(1, stop):lower():match "content%-length: *(%d+)" or 0)
        if not stop or #data - stop < length then return end
        answer(socket, data:sub(1, stop), data:sub(stop + 1, stop + length))
        data = data:sub(stop + length + 1)
      end
    end)
  end)
  server.url = ("http://127.0.0.1:%d/"):format(server.listener:getsockname().port)
  return server
end

function tests.a_browser()
  if not platform.on_path "chromium" then
    io.stdout:write "      skipped: chromium is not installed\n"
    return harness.ok(true)
  end
  local server, profile = serve(), folder()
  with_desktop({}, function(desk)
    harness.ok(desk.apps.start { "chromium", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
      "--disable-sync", "--password-store=basic", "--force-renderer-accessibility", "--user-data-dir=" .. profile,
      server.url, wait = 60 })
    harness.wait_until("the page", function() return server.ready end, 60)
    harness.ok(desk.mouse.click { x = 500, y = 500, frame = "norm" })
    desk.settle { quiet = 0.5 } -- the browser moves its focus about while it starts
    harness.wait_until("the page to take keys", function() -- a new page drops them
      harness.ok(desk.keyboard.press "x")
      return server.text
    end, 60)
    local wanted = sample:gsub("Pack my", "Pack\tmy")
    type_rounds("chromium", wanted, function()
      server.text = nil
      harness.ok(desk.keyboard.press "ctrl+a")
      local took = timed_type(desk, wanted)
      return holds(wanted, function() return server.text end), took
    end)
    harness.ok(desk.keyboard.press "ctrl+a")
    harness.ok(desk.keyboard.type(sample, { into = { role = "entry", states = "focused" }, verify = true }))
  end)
  server.listener:close()
  files.remove(profile)
end

-- The rest of a text does not go to a window that comes up meanwhile.
function tests.typing_stops_when_another_window_comes_up()
  local here = folder()
  local path = here .. "/note.txt"
  assert(files.write(path, ""))
  with_desktop({ { "mousepad", "--disable-server", path } }, function(desk)
    local area = harness.ok(desk.elements.find { app = "mousepad", role = "text", timeout = 30 })
    local words = ("The rain in Spain stays mainly in the plain.\n"):rep(2000)
    local ok, err
    local typing = task.start(function() ok, err = desk.keyboard.type(words) end)
    harness.wait_until("the first words", function() return (desk.elements.text(area) or "") ~= "" end)
    local typed = here .. "/typed.txt"
    harness.ok(desk.apps.start { "xterm", "-title", "In between", "-e", "sh", "-c",
      "stty -echo -icanon; exec cat >" .. typed })
    typing:wait()
    harness.eq({ ok, err and err.code }, { nil, "refused" })
    harness.has(tostring(err), "'In between' came up instead of")
    local count = tonumber(tostring(err):match "after (%d+) of")
    harness.ok(count and count > 0 and count < #words, tostring(err))
    harness.ok(desk.windows.focus { class = "mousepad" })
    harness.ok(desk.keyboard.press "ctrl+s")
    harness.eq(holds(words:sub(1, count), function() return files.read(path) end), words:sub(1, count))
    harness.eq(files.read(typed) or "", "", "nothing went to the new window")
  end)
  files.remove(here)
end

-- A field that takes something else than what was typed is found out.
function tests.reading_back_tells_what_is_wrong()
  with_desktop({ { "galculator" } }, function(desk)
    local display = harness.ok(desk.elements.find { app = "galculator", role = "text", timeout = 30 })
    harness.ok(desk.keyboard.press "escape")
    desk.wait_until(function() return desk.elements.find { app = "galculator", role = "text", states = "focused" } end)
    desk.timing.type_verify = 2 -- it will not come to be right
    local ok, err = desk.keyboard.type("12x4", { window = { class = "galculator" }, verify = true })
    harness.eq({ ok, err and err.code }, { nil, "refused" }, tostring(err))
    harness.has(tostring(err), "does not hold what was typed: character")
    harness.ok(display)
  end)
end

return tests
