-- Which servers a configuration names: what is wrong with it, who gets which secrets, and what a project may say.
local configured = require "configured"
local files = require "deskpilot.base.files"
local mcp_options = require "deskpilot.agent.mcp_options"
local secrets = require "deskpilot.model.secrets"
local spawn = require "spawn"
local t = require "harness"

local tests = {}

local function of(layers)
  return mcp_options.of(t.ok(configured.resolve(layers)))
end

function tests.what_is_wrong_is_told()
  for part, entry in pairs {
    ["needs either `command`, a program, or `url`"] = { timeout = 3 },
    ["mcp.x needs either"] = { command = { "a" }, url = "https://x/" },
    ["names no program"] = { command = {} },
    ["but must be an address such as https://example.org/mcp"] = { url = "ftp://x" },
    ["mcp.x.url is file:///etc"] = { url = "file:///etc" },
    ["https://x/#y, but"] = { url = "https://x/#y" },
  } do
    t.fails("invalid", part, of { user = { mcp = { x = entry } } })
  end
  for _, name in ipairs { "a.b", "a b", ("x"):rep(25), "pointing", "mcp", "resources" } do
    local config = configured.resolve { user = { mcp = { [name] = { command = { "a" } } } } }
    if config then t.ok(not mcp_options.of(config), name) end
  end
  t.eq(#t.ok(of {}), 0)
end

function tests.defaults_and_what_is_said()
  local list = t.ok(of { user = { mcp = { b = { command = { "prog", "arg" }, timeout = 7, tools = { "read_*" },
    approved = { "write_*" } }, a = { url = "https://example.org/mcp" } }, tools = { mcp_timeout = 9 } } })
  local a, b = list[1], list[2]
  t.eq({ a.name, a.timeout, a.connect_timeout, a.consent, a.asks }, { "a", 9, 20, "writes", nil })
  t.eq({ a.wanted "x", a.approved "x" }, { true, false })
  t.eq({ b.connection.command, b.timeout, b.connection.env }, { { "prog", "arg" }, 7, {} })
  t.eq({ b.wanted "read_file", b.wanted "write_file", b.approved "write_file", b.approved "x" },
    { true, false, true, false })
end

tests.headers_and_variables_are_secrets = spawn.in_folder(function(folder)
  local headers, env = files.join(folder, "headers"), files.join(folder, "env")
  assert(files.write(headers, "Authorization: Bearer tok-123456789\r\n\nX-Team:  blue-secret \n"))
  assert(files.write(env, "API=val=ue-98765\nOTHER=two\n"))
  local list = t.ok(of { user = { mcp = { a = { url = "https://example.org/mcp", headers_from = headers },
    b = { command = { "p" }, env_from = env } } } })
  t.eq(list[1].connection.headers, { Authorization = "Bearer tok-123456789", ["X-Team"] = "blue-secret" })
  t.eq(list[2].connection.env, { API = "val=ue-98765", OTHER = "two" })
  for _, secret in ipairs { "tok-123456789", "blue-secret", "val=ue-98765" } do
    t.ok(not secrets.mask("it says " .. secret):find(secret, 1, true), secret)
  end
  assert(files.write(headers, "no header\n"))
  t.fails("invalid", "line 1 of its file must be NAME:VALUE", of { user = { mcp = { a = {
    url = "https://example.org/mcp", headers_from = headers } } } })
end)

tests.headers_never_go_unencrypted = spawn.in_folder(function(folder)
  local headers = files.join(folder, "headers")
  assert(files.write(headers, "Authorization: Bearer tok-123456789\n"))
  t.fails("invalid", "headers_from would go to http://example.org/mcp unencrypted: use https", of { user = { mcp = {
    a = { url = "http://example.org/mcp", headers_from = headers } } } })
  for _, url in ipairs { "http://127.0.0.1:80/mcp", "http://localhost/mcp", "https://example.org/" } do
    t.ok(of { user = { mcp = { a = { url = url, headers_from = headers } } } })
  end
end)

-- Whoever wrote the project's file may name an address or a program, and gets nothing of the user's by it.
tests.a_project_gets_no_secret_of_the_users_and_needs_a_yes = spawn.in_folder(function(folder)
  local own, theirs = files.join(folder, "own"), files.join(folder, "theirs")
  assert(files.write(own, "Authorization: Bearer user-secret-1\n"))
  assert(files.write(theirs, "Authorization: Bearer project-token\n"))
  local function list(user, project)
    return t.ok(of { user = { mcp = { a = user } }, project = { mcp = { a = project } }, project_folder = folder })[1]
  end
  local user = { url = "https://example.org/mcp", headers_from = own }
  t.eq(list(user, nil).connection.headers, { Authorization = "Bearer user-secret-1" })
  local turned = list(user, { url = "https://evil.example/mcp" })
  t.eq({ turned.connection.url, turned.connection.headers }, { "https://evil.example/mcp", {} })
  t.has(turned.asks, "use the server https://evil.example/mcp")
  t.eq(list(user, { url = "https://example.org/mcp" }).asks, nil, "the user has named it too")
  local its_own = list(nil, { url = "https://evil.example/mcp", headers_from = "theirs" })
  t.eq(its_own.connection.headers, { Authorization = "Bearer project-token" })
  assert(files.write(own, "KEY=user-secret-2\n"))
  local program = list({ command = { "good" }, env_from = own }, { command = { "evil", "x" } })
  t.eq({ program.connection.command, program.connection.env }, { { "evil", "x" }, {} })
  t.has(program.asks, "start the program evil x")
  local elsewhere = list({ command = { "good" }, env_from = own }, { cwd = folder })
  t.eq(elsewhere.connection.env, {})
  t.has(elsewhere.asks, "start the program good")
  t.eq(list({ command = { "good" }, env_from = own }, nil).connection.env, { KEY = "user-secret-2" })
end)

function tests.a_project_only_limits_what_needs_no_yes()
  local function approved(user, project)
    local layers = { user = { mcp = { a = { command = { "p" }, approved = user } } } }
    if project then layers.project = { mcp = { a = { approved = project } } } end
    local one = t.ok(of(layers))[1]
    return { one.approved "read", one.approved "write" }
  end
  t.eq(approved({ "*" }, nil), { true, true })
  t.eq(approved({ "*" }, { "read" }), { true, false })
  t.eq(approved({ "read" }, { "*" }), { true, false })
  t.eq(approved(nil, { "*" }), { false, false })
  local one = t.ok(of { user = { mcp = { a = { command = { "p" }, tools = { "read*" }, consent = "always" } } },
    project = { mcp = { a = { tools = { "*" }, consent = "writes" } } } })[1]
  t.eq({ one.wanted "read", one.wanted "write", one.consent }, { true, false, "always" })
end

return tests
