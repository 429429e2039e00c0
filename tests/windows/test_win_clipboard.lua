-- The clipboard, judged by what another program pastes and copies.
local testapp = dofile "tests/windows/testapp.lua"
local harness = require "harness"

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
    harness.ok(desk.keyboard.press "ctrl+c")
    harness.ok(desk.wait_until(function() return desk.clipboard.get() == text end))
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
