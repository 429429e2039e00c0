-- native.desk: the binding, on the desk that is not there.
local t = require "harness"
local native = require "native.desk"

local tests = {}

local function null_desk(options)
  options = options or { width = 640, height = 480 }
  options.backend = "null"
  return assert(native.open(options))
end

function tests.calls_arrive_in_order()
  local d = null_desk()
  t.eq(d:backend(), "null")
  t.eq(d:fd(), -1)
  assert(d:move(10, 20))
  assert(d:button("right", true))
  assert(d:button(3, false))
  assert(d:wheel(0, -2))
  assert(d:key("Control", true))
  assert(d:tap { "ctrl", "s" })
  local consumed, remapped = d:text_step("xhé", 1)
  t.eq(consumed, 3)
  t.eq(remapped, false)
  assert(d:text_end())
  t.eq(table.concat(d:log(), "\n"), "move 10 20\nbutton 3 down\nbutton 3 up\nwheel 0 -2\n"
    .. "key ctrl down\nkey ctrl down\nkey s down\nkey s up\nkey ctrl up\ntext hé\ntext_end")
  local x, y = d:pointer()
  t.eq(x, 10)
  t.eq(y, 20)
  d:close()
end

function tests.failures_of_the_world_are_values()
  local d = null_desk()
  for _, frame in ipairs { { x = 1, y = 1, width = 9, height = 9 }, false } do
    local shown, why = d:highlight(frame or nil)
    t.eq({ shown, why.code, tostring(why) }, { nil, "unsupported", "This desktop (null) cannot draw a frame on its "
      .. "screen." })
  end
  t.raises("table expected", d.highlight, d, 5)
  local ok, err = d:move(640, 0)
  t.eq(ok, nil)
  t.eq(err.code, "invalid")
  t.ok(tostring(err):find("640,0", 1, true))
  ok, err = d:key("entr", true)
  t.eq(ok, nil)
  t.ok(tostring(err):find('"enter"', 1, true))
  ok, err = d:tap { "ctrl", "entr" }
  t.eq(ok, nil)
  t.ok(tostring(err):find('"enter"', 1, true))
  ok, err = d:capture { x = 600, width = 41, y = 0, height = 1 }
  t.eq(ok, nil)
  t.eq(err.code, "invalid")
  ok, err = d:capture { x = -(1 << 31), y = 0, width = 1, height = 1 }
  t.eq(ok, nil)
  t.eq(err.code, "invalid")
  ok, err = d:focus(77)
  t.eq(ok, nil)
  t.eq(err.code, "not_found")
  ok, err = native.open { backend = "nonsense" }
  t.eq(ok, nil)
  t.eq(err.code, "unsupported")
  d:close()
end

function tests.mistakes_raise()
  local d = null_desk()
  t.raises("leftish", function() d:button("leftish", true) end)
  t.raises("boolean", function() d:button(1) end)
  t.raises("button", function() d:button(9, true) end)
  t.raises("integer", function() d:move(1.5, 2) end)
  t.raises("range", function() d:move(2 ^ 40, 2) end)
  t.raises("'x'", function() d:capture { x = "left", y = 0, width = 1, height = 1 } end)
  t.raises("needs x, y, width and height", function() d:capture { x = 630, y = 470 } end)
  t.raises("outside", function() d:text_step("abc", 4) end)
  t.raises("zero byte", function() d:key("a\0b", true) end)
  t.raises("1 to 8", function() d:tap {} end)
  t.raises("1 to 8", function() d:tap { "a", "b", "c", "d", "e", "f", "g", "h", "i" } end)
  d:close()
  d:close()
  t.raises("closed", function() d:screen() end)
end

function tests.pictures()
  local d = null_desk()
  local whole = assert(d:capture())
  t.eq((whole:size()), 640)
  t.eq(select(2, whole:size()), 480)
  local part = assert(d:capture { x = 630, y = 470, width = 10, height = 10 })
  t.eq((part:size()), 10)
  local again = assert(d:capture { into = part, cursor = true })
  t.ok(rawequal(again, part))
  t.eq((part:size()), 640)
  t.eq((whole:size()), 640)
  d:close()
  t.eq((whole:size()), 640)
end

function tests.windows()
  local d = null_desk()
  local list = assert(d:windows())
  t.eq(#list, 1)
  t.eq(list[1].title, "Nowhere")
  t.eq(list[1].class, "Null")
  t.eq(list[1].x, 160)
  assert(d:watch_start())
  t.eq(d:last_change(), 0)
  assert(d:close_window(list[1].id))
  t.ok(d:last_change() > 0)
  t.eq(#d:windows(), 0)
  t.eq(d:ping(), 0)
  t.eq(d:ping_answered(0), false)
  d:close()
end

function tests.window_states()
  local d = null_desk()
  local window = assert(d:windows())[1]
  t.eq({ window.executable, window.minimized, window.maximized }, { "/nowhere/nothing", false, false })
  assert(d:place_window(window.id, 1, 2, 30, 40))
  assert(d:window_state(window.id, "maximized"))
  t.eq(d:windows()[1].maximized, true)
  assert(d:window_state(window.id, "minimized"))
  t.eq(d:windows()[1].minimized, true)
  assert(d:window_state(window.id, "normal"))
  t.eq(d:windows()[1].width, 30)
  t.raises("invalid option", function() d:window_state(window.id, "fullscreen") end)
  t.raises("integer", function() d:place_window(window.id, 1.5, 2, 3, 4) end)
  local ok, err = d:place_window(window.id, 1, 2, 0, 4)
  t.eq(ok, nil)
  t.eq(err.code, "invalid")
  d:close()
end

function tests.clipboard()
  local d = null_desk()
  t.eq(d:poll_every(), 0)
  t.eq(d:clipboard_get(), "")
  t.eq(d:clipboard_set("zero \0 é\n"), true)
  t.eq(d:clipboard_get(), "zero \0 é\n")
  local ok, err = d:clipboard_set("\xff")
  t.eq(ok, nil)
  t.eq(err.code, "invalid")
  t.eq(d:log()[2], "clipboard_set zero \\0 é\\n")
  d:close()
end

function tests.names_of_keys()
  t.eq(native.canonical("Shift+Control+S"), "ctrl+shift+s")
  local ok, err = native.canonical("hyperr+s")
  t.eq(ok, nil)
  t.eq(err.code, "invalid")
  t.eq(table.concat(native.combo("ctrl++"), " "), "ctrl +")
  local known = {}
  for _, name in ipairs(native.keys()) do known[name] = true end
  t.ok(known.f24 and known.volume_mute and known.numpad_9 and known.space)
end

return tests
