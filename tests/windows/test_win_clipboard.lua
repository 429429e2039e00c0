-- The clipboard, judged by what another program pastes and copies.
local testapp = dofile "tests/windows/testapp.lua"
local files = require "deskpilot.base.files"
local harness = require "harness"
local image = require "native.image"

local text = "héllo — 日本 😀 𝄞\n\tzweite Zeile"
local on_windows = text:gsub("\n", "\r\n")

local tests = {}

function tests.what_we_set_is_pasted()
  testapp.with(nil, function(desk, app)
    app:focus(desk, "notes")
    harness.ok(desk.clipboard.set(text))
    harness.eq(desk.clipboard.get(), text)
    harness.ok(desk.keyboard.press "ctrl+v")
    app:wait_for { event = "text", target = "notes", text = on_windows }
  end)
end

function tests.what_is_copied_we_get()
  testapp.with(nil, function(desk, app)
    harness.ok(desk.clipboard.set "before")
    app:focus(desk, "notes")
    harness.ok(desk.keyboard.type(text))
    app:wait_for { event = "text", target = "notes", text = on_windows }
    harness.ok(desk.keyboard.press "ctrl+home")
    harness.ok(desk.keyboard.press "ctrl+shift+end")
    -- Not by reading it again and again: who has it open keeps the edit box from copying.
    harness.eq(desk.clipboard.wait_for_change { timeout = 20,
      action = function() harness.ok(desk.keyboard.press "ctrl+c") end }, true)
    harness.eq(desk.clipboard.get(), text)
  end)
end

function tests.it_outlives_us()
  testapp.with(nil, function(desk, app)
    local other = assert(require("deskpilot.desk").open())
    harness.ok(other.clipboard.set "left behind")
    other:close()
    app:focus(desk, "name")
    harness.ok(desk.keyboard.press "ctrl+v")
    app:wait_for { event = "text", target = "name", text = "left behind" }
  end)
end

-- The system's own conversions and another program's are in c/test_win32_clipboard.c.
function tests.pictures()
  testapp.with(nil, function(desk, app)
    local shot = harness.ok(desk.screen.shot { region = { 10, 10, 301, 203 } })
    harness.eq(desk.clipboard.set_image(shot), true)
    local got = harness.ok(desk.clipboard.get_image())
    harness.ok(got.native:equal(shot.native))
    harness.eq(desk.clipboard.get(), "", "no text")
    local path = files.join(app.folder, "picture.png")
    local picture = assert(image.new(33, 7))
    picture:fill(3, 2, 5, 4, 255, 128, 7)
    files.write(path, picture:png())
    harness.eq(desk.clipboard.set_image(path), true)
    harness.ok(desk.clipboard.get_image().native:equal(picture))
    harness.eq(desk.clipboard.set "text", true)
    local none, err = desk.clipboard.get_image()
    harness.eq(none, nil)
    harness.eq(err.code, "not_found")
    files.write(path, picture:jpeg())
    harness.eq(desk.clipboard.set_image(path), true)
    harness.ok(desk.clipboard.get_image().native:equal(image.load(picture:jpeg())), "converted")
    files.write(path, "no picture")
    none, err = desk.clipboard.set_image(path)
    harness.eq(none, nil)
    harness.eq(err.code, "invalid")
  end)
end

function tests.what_is_put_there_is_told()
  testapp.with(nil, function(desk, app)
    local none, err = desk.clipboard.wait_for_change { timeout = 0.1 }
    harness.eq(none, nil)
    harness.eq(err.code, "timed_out")
    app:focus(desk, "notes")
    harness.ok(desk.keyboard.type "copied")
    app:wait_for { event = "text", target = "notes", text = "copied" }
    harness.ok(desk.keyboard.press "ctrl+home")
    harness.ok(desk.keyboard.press "ctrl+shift+end")
    harness.eq(desk.clipboard.wait_for_change { timeout = 20,
      action = function() harness.ok(desk.keyboard.press "ctrl+c") end }, true)
    harness.eq(desk.clipboard.get(), "copied")
  end)
end

function tests.large_empty_and_wrong()
  testapp.with(nil, function(desk)
    local large = ("0123456789 日本 😀\n"):rep(20000)
    harness.ok(desk.clipboard.set(large))
    harness.ok(desk.clipboard.get() == large, "all of a large text")
    harness.ok(desk.clipboard.set "")
    harness.eq(desk.clipboard.get(), "")
    harness.raises("wants a text", desk.clipboard.set, 5)
    local ok, err = desk.clipboard.set "\xff\xfe"
    harness.eq(ok, nil)
    harness.eq(err.code, "invalid")
  end)
end

return tests
