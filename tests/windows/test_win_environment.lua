-- What the programs that deskpilot starts on Windows know of its environment, judged by what they print themselves.
local testapp = dofile "tests/windows/testapp.lua"
local uv = require "luv"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local private = require "deskpilot.desk.private.session"
local spawn = require "spawn"

local tests = {}

-- Names have no case on Windows.
local secrets = { OPENAI_API_KEY = "s3cret-1", DESKPILOT_API_KEY = "s3cret-2", DATABASE_URL = "postgres://s3cret-3@h/d",
  SSH_AUTH_SOCK = "s3cret-4", Http_Proxy = "http://me:s3cret-5@proxy:3128", SOME_THING = "s3cret-6" }
local harmless = { LC_TEST = "de_DE", HTTPS_PROXY = "http://plain-proxy:3128", programfiles = [[C:\Program Files]] }

local PRINT = "for name, value in pairs(require('luv').os_environ()) do io.write(name:upper(), '=', value, '\\n') end"

local function check(words, what)
  local env = {}
  for line in words:gmatch "[^\r\n]+" do
    local name, value = line:match "^([^=]+)=(.*)$"
    if name then env[name] = value end
  end
  for _, name in ipairs { "PATH", "SYSTEMROOT", "APPDATA", "USERPROFILE" } do
    harness.ok(env[name], name .. ", " .. what)
  end
  for name, value in pairs(harmless) do harness.eq(env[name:upper()], value, what) end
  for name in pairs(secrets) do harness.eq(env[name:upper()], nil, ("%s: %s"):format(what, name)) end
  harness.ok(not words:find("s3cret", 1, true), what .. ": " .. words)
  harness.eq(env.GIVEN, "given \u{e4}", what)
end

local function check_desk(desk, what)
  local folder = testapp.folder()
  local given = { given = "given \u{e4}" }
  local run = harness.ok(desk.apps.run { spawn.program, "eval", PRINT, env = given })
  check(run.stdout, what .. ", apps.run")
  local path = files.join(folder, "env")
  local pid, err = desk.apps.start { spawn.program, "eval", ("io.output([[%s]]) "):format(path) .. PRINT, env = given }
  harness.ok(pid, tostring(err))
  harness.eq(desk.apps.wait(pid, { timeout = 60 }), 0)
  check(files.read(path) or "", what .. ", apps.start")
  files.remove(folder)
end

for _, list in ipairs { secrets, harmless } do
  for name, value in pairs(list) do uv.os_setenv(name, value) end
end

function tests.on_the_current_desktop()
  local desk = assert(desk_module.open())
  check_desk(desk, "current")
  desk:close()
end

function tests.on_a_private_desktop()
  local session = assert(private.start {})
  local stopping <close> = testapp.finally(function() session:stop() end)
  assert(stopping)
  local desk = assert(desk_module.open { display = session.display, session = session })
  check_desk(desk, "private")
  desk:close()
end

return tests
