-- deskpilot mcp on Windows: standard input and output are pipes, and nothing but messages passes by them. Judged by
-- what the test application has received.
local testapp = dofile "tests/windows/testapp.lua"
local files = require "deskpilot.base.files"
local harness = require "harness"
local http = require "deskpilot.net.http"
local json = require "deskpilot.base.json"
local mcp_talk = require "mcp_talk"
local native = require "native.image"
local spawn = require "spawn"

local tests = {}

local function served(stateless)
  return function()
    testapp.with({ title = "Served" }, function(_, app)
      local talk <close> = mcp_talk.start({}, { stateless = stateless })
      if not stateless then harness.eq(talk:initialize().serverInfo.name, "deskpilot") end
      harness.eq(#talk:request("tools/list").result.tools, 12)
      harness.ok(not select(2, talk:call("window", { action = "focus", title = "Served" })))
      local words, failed, result = talk:call("look", { width = 400 })
      harness.ok(not failed, words)
      harness.has(words, '"Served"')
      local picture = native.load(native.from_base64(result.content[2].data))
      harness.eq((picture:size()), 400)
      local field = words:match "%[(%d+)%] entry[^\n]*" or words:match "%[(%d+)%] text[^\n]*"
      local said
      said, failed = talk:call("click", { element = math.tointeger(tonumber(field)) })
      harness.ok(not failed, said)
      said, failed = talk:call("type", { text = "über MCP 😀" })
      harness.ok(not failed, said)
      app:wait_for { event = "text", text = "über MCP 😀" }
      local answers = talk.lines
      for _, line in ipairs(answers) do
        local message = json.decode(line)
        harness.ok(type(message) == "table" and message.jsonrpc == "2.0", "a line that is no message: " .. line)
      end
      harness.eq(talk:leave(), 0)
    end)
  end
end

tests.a_client_with_sessions = served(false)
tests.a_client_without_sessions = served(true)

-- A private desktop takes no input there, and says so before anything is served.
function tests.a_private_desktop_is_refused()
  local talk <close> = mcp_talk.start { "--desktop", "private" }
  talk.child:close_input()
  harness.eq(talk.child:wait(60), 2)
  harness.has(talk.child.stderr:contents(), "private desktop")
  harness.eq(talk.lines, {})
end

-- By HTTP only to who knows the token, which the program has made.
function tests.it_serves_by_http()
  testapp.with_folder(function(folder)
    local child = spawn.start { spawn.program, "mcp", "--http", "0", "--token", folder .. "/token", "--runs",
      folder .. "/runs" }
    local stopping <close> = testapp.finally(function()
      if not child.status then child:kill "sigkill" end
      child:wait()
    end)
    harness.ok(stopping)
    child:wait_for_word "serving MCP at "
    local url = child.stderr:match "serving MCP at ([^;%s]+)"
    local function status(token)
      return assert(http.request { url = url, method = "POST", headers = { ["Content-Type"] = "application/json",
        Accept = "application/json, text/event-stream", Authorization = "Bearer " .. token },
        body = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}' }).status
    end
    harness.eq(status "wrong", 401)
    harness.eq(status(files.read(folder .. "/token"):match "%S+"), 200)
  end)
end

return tests
