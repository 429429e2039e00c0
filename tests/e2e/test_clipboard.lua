-- The clipboard and windows' places with real applications on a private desktop: judged by the file that
-- the application saves and by what another connection to the display sees.
local desktop = require "desktop"
local uv = require "luv"
local files = require "deskpilot.base.files"
local harness = require "harness"
local image = require "native.image"
local native = require "native.desk"
local spawn = require "spawn"
local task = require "deskpilot.base.task"

local tests = {}

-- Runs fn(desk, session, path) on a private desktop with an editor that shows the file at `path`.
local function with_editor(content, fn)
  local path
  desktop.with({ timing = { focus = 10, window = 10, clipboard = 10, elements = 10 }, apps = function(folder)
    path = files.join(folder, "note.txt")
    assert(files.write(path, content))
    return { { "mousepad", "--disable-server", path } }
  end }, function(desk, session)
    harness.ok(desk.windows.focus { class = "mousepad" })
    fn(desk, session, path)
  end)
end

local function saved(desk, path, wanted)
  harness.ok(desk.keyboard.press "ctrl+s")
  desk.wait_until(function() return files.read(path) == wanted end, { timeout = 20 })
  local found = files.read(path) or ""
  harness.ok(found == wanted, ("%d bytes wanted, %d are in the file: %q"):format(#wanted, #found, found:sub(1, 200)))
end

-- Pastes, and waits until the editor has as many characters: it asks for them and goes on with the next key meanwhile.
local function paste(desk, text)
  local area = harness.ok(desk.elements.find { app = "mousepad", role = "text", timeout = 20 })
  harness.ok(desk.keyboard.press "ctrl+a")
  harness.ok(desk.keyboard.press "ctrl+v")
  harness.wait_until("the text in the editor", function()
    local now = desk.elements.refresh(area)
    return now and now.characters == utf8.len(text)
  end, 20)
end

local large = ("A line of 日本 text.\n"):rep(20000)

function tests.copied_and_pasted_text()
  with_editor("Grüße\n日本 😀\n", function(desk, _, path)
    harness.ok(desk.keyboard.press "ctrl+a")
    harness.ok(desk.keyboard.press "ctrl+c")
    desk.wait_until(function() return desk.clipboard.get() == "Grüße\n日本 😀\n" end, { timeout = 20 })
    harness.eq(desk.clipboard.get(), "Grüße\n日本 😀\n")
    harness.ok(desk.clipboard.set("naïve\ncafé 😀\n"))
    harness.eq(desk.clipboard.get(), "naïve\ncafé 😀\n")
    paste(desk, "naïve\ncafé 😀\n")
    saved(desk, path, "naïve\ncafé 😀\n")
    harness.ok(desk.clipboard.set(large)) -- more than goes at once, both ways
    paste(desk, large)
    saved(desk, path, large)
    harness.ok(desk.keyboard.press "ctrl+a")
    harness.ok(desk.keyboard.press "ctrl+c")
    desk.wait_until(function() return desk.native:poll_every() == 0 or not desk.native:pump() end, { timeout = 20 })
    local text = desk.clipboard.get { timeout = 20 }
    harness.ok(text == large, "what the editor copied, " .. #(text or ""))
  end)
end

-- Nobody waits on the desk: the text is handed over all the same, and its changes wake who waits.
function tests.pasted_while_the_script_is_elsewhere()
  with_editor("", function(desk, session)
    harness.ok(desk.clipboard.set("from afar"))
    local other = assert(native.open { display = session.display, cookie = session.cookie })
    local function ask()
      assert(other:pump())
      return other:clipboard_get()
    end
    for _ = 1, 5 do
      harness.eq(ask(), false)
      desk.native:windows() -- may read the question while it waits for its own answers
      local answer
      harness.wait_until("the text", function() -- our desk is served by the loop meanwhile
        answer = ask()
        return answer
      end)
      harness.eq(answer, "from afar")
    end
    local began = task.now()
    local change = task.start(desk.wait_for_change, { timeout = 60 })
    harness.ok(desk.keyboard.type "x")
    harness.eq({ change:wait() }, { true, true })
    harness.ok(task.now() - began < 30)
    -- Somebody else has it now: nothing to serve.
    harness.eq(other:clipboard_set("theirs"), true)
    desk.wait_until(function() return not desk.event_pump.serving end, { timeout = 20 })
    harness.eq(desk.event_pump.serving, nil)
    other:close()
    harness.eq(desk.clipboard.get(), "")
  end)
end

function tests.a_program_that_hangs_is_named()
  with_editor("text", function(desk, session)
    harness.ok(desk.keyboard.press "ctrl+a")
    harness.ok(desk.keyboard.press "ctrl+c")
    harness.ok(desk.wait_until(function() return desk.clipboard.get() == "text" end, { timeout = 20 }))
    uv.kill(session.apps[1].pid, "sigstop")
    local text, err = desk.clipboard.get { timeout = 0.3 }
    harness.eq(text, nil)
    harness.eq(err.code, "timed_out")
    uv.kill(session.apps[1].pid, "sigcont")
    harness.eq(desk.clipboard.get { timeout = 20 }, "text")
  end)
end

-- --- pictures: xclip is the other program ------------------------------------------------------------

-- Runs fn(desk, folder, xclip) on a private desktop; xclip(words) is a shell's line of it.
local function with_xclip(fn)
  desktop.with({ timing = { clipboard = 10 } }, function(desk, session, folder)
    local env = desktop.env(session)
    fn(desk, folder, function(words)
      local child = spawn.run({ "sh", "-c", "exec xclip -selection clipboard " .. words }, { env = env, cwd = folder })
      harness.eq(child.status, 0, words .. ": " .. child.stderr)
      return child.stdout
    end)
  end)
end

-- A picture of many colours: with a side of 500 its file is larger than what goes at once.
local function noise(side)
  local picture, seed = assert(image.new(side, side)), 1
  for y = 0, side - 1 do
    for x = 0, side - 1 do
      seed = (seed * 1103515245 + 12345) % 0x80000000
      picture:fill(x, y, 1, 1, seed >> 8 & 255, seed >> 16 & 255, seed >> 23)
    end
  end
  return picture
end

function tests.our_picture_is_pasted()
  with_xclip(function(desk, folder, xclip)
    local path = folder .. "/noise.png"
    local big = noise(500)
    files.write(path, big:png())
    harness.ok(#files.read(path) > 600000, "goes in parts")
    harness.eq(desk.clipboard.set_image(path), true)
    harness.ok(xclip "-o -t image/png" == files.read(path), "the file itself")
    local targets = xclip "-o -t TARGETS"
    harness.has(targets, "image/png")
    harness.eq(targets:find("STRING", 1, true), nil, "no text")
    harness.ok(desk.clipboard.get_image().native:equal(big), "our own")
    harness.eq(desk.clipboard.get(), "")
    local shot = harness.ok(desk.screen.shot { region = { 0, 0, 300, 200 } })
    harness.eq(desk.clipboard.set_image(shot), true)
    local pasted = image.load(xclip "-o -t image/png")
    harness.ok(pasted and pasted:equal(shot.native))
    harness.eq(desk.clipboard.set "text again", true)
    harness.eq(xclip "-o", "text again")
    local none, err = desk.clipboard.get_image()
    harness.eq(none, nil)
    harness.eq(err.code, "not_found")
    files.write(path, big:jpeg { quality = 60 })
    harness.eq(desk.clipboard.set_image(path), true)
    pasted = image.load(xclip "-o -t image/png") -- converted
    harness.ok(pasted and pasted:equal(image.load(files.read(path))))
    harness.eq(desk.clipboard.set "text again", true)
    files.write(path, "no picture")
    none, err = desk.clipboard.set_image(path)
    harness.eq(none, nil)
    harness.eq(err.code, "invalid")
    none, err = desk.clipboard.set_image(folder .. "/nothing.png")
    harness.eq(none, nil)
    harness.eq(err.code, "not_found")
    harness.raises("a screenshot or a path", desk.clipboard.set_image, 5)
    harness.eq(xclip "-o", "text again", "as it was")
  end)
end

function tests.a_copied_picture_is_ours()
  with_xclip(function(desk, folder, xclip)
    local function copy() -- xclip may have gone into the background before it is the owner
      harness.ok(desk.clipboard.wait_for_change { timeout = 20,
        action = function() xclip "-i -t image/png copied.png >/dev/null 2>&1" end })
    end
    for _, side in ipairs { 20, 500 } do
      local picture = noise(side)
      files.write(folder .. "/copied.png", picture:png())
      copy()
      local got = harness.ok(desk.clipboard.get_image { timeout = 20 })
      harness.ok(got.native:equal(picture), side)
      harness.eq({ got.width, got.height, got.frame }, { side, side, nil })
    end
    files.write(folder .. "/copied.png", "not a picture at all")
    copy()
    local none, err = desk.clipboard.get_image { timeout = 20 }
    harness.eq(none, nil)
    harness.eq(err.code, "protocol", tostring(err))
    -- Both kinds are asked for at once: neither waits for the other.
    files.write(folder .. "/copied.png", noise(500):png())
    copy()
    local text = task.start(desk.clipboard.get, { timeout = 20 })
    local other = task.start(desk.clipboard.get_image, { timeout = 20 })
    harness.eq(type(select(2, text:wait())), "string") -- xclip gives the same whatever it is asked for
    harness.eq(select(2, other:wait()).width, 500)
  end)
end

function tests.what_is_put_there_is_told()
  with_xclip(function(desk, _, xclip)
    local none, err = desk.clipboard.wait_for_change { timeout = 0.1 }
    harness.eq(none, nil)
    harness.eq(err.code, "timed_out")
    local function copy(text) xclip("-i >/dev/null 2>&1 <<'END'\n" .. text .. "\nEND") end
    harness.eq(desk.clipboard.wait_for_change { timeout = 20, action = function() copy "one" end }, true)
    harness.eq(desk.clipboard.get(), "one\n")
    for _ = 1, 2 do -- the same text again is a change too
      local change = task.start(desk.clipboard.wait_for_change, { timeout = 20 })
      copy "two"
      harness.eq({ change:wait() }, { true, true })
    end
    harness.eq(desk.clipboard.wait_for_change { timeout = 20, action = function() desk.clipboard.set "ours" end }, true)
    none, err = desk.clipboard.wait_for_change { timeout = 0.1 }
    harness.eq(none, nil)
    harness.eq(err.code, "timed_out")
  end)
end

-- Does not keep the program running.
function tests.an_offer_does_not_hold_the_program()
  local script = os.tmpname()
  files.write(script, [[
    local desk_module = require "deskpilot.desk"
    local private = require "deskpilot.desk.private.session"
    return { offers = function()
      local session = assert(private.start {})
      local desk = assert(desk_module.open { display = session.display, session = session })
      require("harness").ok(desk.clipboard.set("offered"))
      session:stop()
    end }
  ]])
  local runner = assert(uv.exepath())
  local child = spawn.run { runner, script }
  harness.eq(child.status, 0, child.stdout .. child.stderr)
  os.remove(script)
end

function tests.places_and_states_of_windows()
  with_editor("", function(desk, session)
    local other = assert(native.open { display = session.display, cookie = session.cookie })
    local id = desk.windows.active().id
    local function seen()
      for _, window in ipairs(other:windows()) do
        if window.id == id then return window end
      end
    end
    local placed = harness.ok(desk.windows.place({ executable = "mousepad" },
      { x = 100, y = 90, width = 600, height = 400 }))
    harness.eq({ placed.x, placed.y, placed.width, placed.height }, { 100, 90, 600, 400 })
    harness.eq(seen(), placed)
    harness.eq(desk.windows.place(placed, { y = 90 }), placed, "nothing moves")
    harness.ok(desk.windows.maximize(placed))
    harness.ok(seen().maximized and seen().width > 1200, seen())
    harness.ok(desk.windows.minimize(placed))
    harness.ok(seen().minimized and not seen().visible, seen())
    harness.eq(desk.windows.place(placed, { width = 500 }).x, 100, "its place of before")
    harness.eq(seen().width, 500)
    harness.ok(seen().visible and not seen().maximized, seen())
    local began = task.now()
    local small = harness.ok(desk.windows.place(placed, { width = 1, height = 1 }))
    harness.ok(small.width > 50, "as small as it gets")
    harness.ok(task.now() - began < 5, "taken when it stands still, not after all of timing.window")
    harness.ok(desk.windows.minimize(placed))
    harness.ok(desk.windows.restore(placed))
    harness.eq(seen().x, 100)
    other:close()
  end)
end

return tests
