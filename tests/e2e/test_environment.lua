-- What the programs that deskpilot starts know of its environment. Judged by what they print themselves, or by what the
-- kernel says of those that print nothing.
local uv = require "luv"
local browsing = require "browsing"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local program = require "deskpilot.desk.app.program"
local spawn = require "spawn"

local tests = {}

local function finally(fn) return setmetatable({}, { __close = fn }) end

local secrets = { OPENAI_API_KEY = "s3cret-1", DESKPILOT_API_KEY = "s3cret-2",
  DATABASE_URL = "postgres://u:s3cret-3@h/d",
  SSH_AUTH_SOCK = "/tmp/s3cret-4/agent", http_proxy = "http://me:s3cret-5@proxy:3128", SOME_THING = "s3cret-6",
  AWS_PROFILE = "s3cret-7" }
local harmless = { LC_TEST = "de_DE.UTF-8", TZ = "Europe/Berlin", https_proxy = "http://plain-proxy:3128",
  GTK_THEME = "Adwaita:dark", XDG_DATA_DIRS = "/usr/local/share:/usr/share" }

-- Runs fn() while these variables are set, beside what the test itself was given.
local function with_variables(fn)
  local before = {}
  for _, list in ipairs { secrets, harmless } do
    for name, value in pairs(list) do
      before[name] = uv.os_getenv(name) or false
      uv.os_setenv(name, value)
    end
  end
  local restore <close> = finally(function()
    for name, value in pairs(before) do
      if value then uv.os_setenv(name, value) else uv.os_unsetenv(name) end
    end
  end)
  assert(restore)
  fn()
end

local function read_list(words, separator)
  local env = {}
  for line in words:gmatch("[^" .. separator .. "]+") do
    local name, value = line:match "^([^=]+)=(.*)$"
    if name then env[name] = value end
  end
  return env
end

local function check(env, what)
  harness.ok(env.PATH, what .. " finds programs")
  for name in pairs(secrets) do harness.eq(env[name], nil, what .. ": " .. name) end
  for name, value in pairs(env) do
    harness.ok(not value:find("s3cret", 1, true), ("%s: %s=%s"):format(what, name, value))
  end
  for name, value in pairs(harmless) do harness.eq(env[name], value, what .. ": " .. name) end
end

local function started(desk, folder, options)
  local path = folder .. "/env"
  files.remove(path)
  local pid, err = desk.apps.start { "sh", "-c", 'env >"$0.part"; mv "$0.part" "$0"', path, env = options }
  harness.ok(pid, tostring(err))
  harness.wait_until("its list", function() return files.exists(path) end)
  return read_list(files.read(path), "\n")
end

local function of_process(pid)
  return read_list(files.read(("/proc/%d/environ"):format(pid)), "%z")
end

local function check_desk(desk, what)
  local folder = files.absolute(spawn.folder())
  local env = started(desk, folder, { GIVEN = "given", DATABASE_URL = "given too" })
  harness.eq({ env.GIVEN, env.DATABASE_URL }, { "given", "given too" }, what)
  harness.ok(env.DISPLAY and env.HOME, what)
  env.DATABASE_URL = nil
  check(env, what .. ", apps.start")
  local result = harness.ok(desk.apps.run { "env" })
  check(read_list(result.stdout, "\n"), what .. ", apps.run")
  files.remove(folder)
end

function tests.on_a_private_desktop()
  with_variables(function()
    browsing.on_desktop(function(desk, session)
      check_desk(desk, "private")
      local env = read_list(harness.ok(desk.apps.run { "env" }).stdout, "\n")
      harness.eq(env.HOME, session.folder .. "/home")
      check(of_process(session.pids.server), "Xvfb")
      check(of_process(session.pids.manager), "openbox")
      -- Chromium writes its title over its environment, so this asks what starts it.
      local starter, list = session.folder .. "/starter", session.folder .. "/list"
      files.write(starter, ('#!/bin/sh\nenv >%s\nexec chromium "$@"\n'):format(list))
      uv.fs_chmod(starter, tonumber("755", 8))
      harness.ok(desk.browser.start { binary = starter })
      check(read_list(files.read(list), "\n"), "the browser")
    end)
  end)
end

function tests.on_the_current_desktop()
  browsing.on_desktop(function(_, session)
    with_variables(function()
      local desk = assert(desk_module.open { display = session.display, bus = session.bus_address,
        session = { cookie = session.cookie }, env = { ALLOWED = "by its user" } })
      desk.session = nil
      check_desk(desk, "current")
      local env = read_list(harness.ok(desk.apps.run { "env" }).stdout, "\n")
      harness.eq({ env.HOME, env.ALLOWED, env.DISPLAY }, { os.getenv "HOME", "by its user", session.display })
      desk:close()
    end)
  end)
end

function tests.of_children()
  with_variables(function()
    local result = harness.ok(program.run { argv = { "env" }, timeout = 30 })
    local env = read_list(result.stdout, "\n")
    env.GTK_THEME = harmless.GTK_THEME -- it has no windows
    check(env, "a child")
    harness.eq(env.HOME, os.getenv "HOME")
  end)
end

-- A mission's user names more.
function tests.what_is_allowed_by_name()
  local folder = files.absolute(spawn.folder())
  local path = folder .. "/m.lua"
  files.write(path, [[return {
    desktop = { kind = "private", env = { FROM_MISSION = "mission" } },
    run = function(m) io.stderr:write("LIST\n", m.desk.apps.run { "env" }.stdout) end,
  }]])
  local function run(allowed)
    local env = { DESKPILOT_API_KEY = "s3cret", SSH_AUTH_SOCK = "/run/agent", JAVA_HOME = "/java", OTHER = "s3cret" }
    local ran = spawn.run({ spawn.program, "run", path, "--runs", folder .. "/runs", "--set",
      "desktop.pass_env=" .. allowed }, { cwd = folder, env = env })
    return ran.status, ran.stderr
  end
  local status, words = run "SSH_AUTH_SOCK,JAVA_HOME,NOT_SET"
  harness.eq(status, 0, words)
  local env = read_list(words:match "LIST\n(.*)" or "", "\n")
  harness.eq({ env.SSH_AUTH_SOCK, env.JAVA_HOME, env.FROM_MISSION }, { "/run/agent", "/java", "mission" })
  harness.ok(not words:find("s3cret", 1, true), words)
  for _, name in ipairs { "OPENAI_API_KEY", "DESKPILOT_API_KEY", "deskpilot_runs_dir" } do
    status, words = run(name)
    harness.eq(status, 2, words)
    harness.has(words, "desktop.pass_env: " .. name .. " is not given to programs")
  end
  files.remove(folder)
end

return tests
