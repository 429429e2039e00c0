--- Finds the debugging endpoint of a browser that its user has started with a port on this machine: by that port, by
--- its profile's folder (the browser writes its port there), or by its process's command line. Any program may answer
--- on a port, so of its answer only a path on the same port is used.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local http = require "deskpilot.net.http"
local json = require "deskpilot.base.json"
local platform = require "deskpilot.desk.platform"
local text = require "deskpilot.base.text"

-- What few runs need is loaded by those that do.
local function websocket() return require "deskpilot.net.websocket" end

local endpoint = {}

--- Advice for messages about a browser that cannot be attached to.
endpoint.advice = "close it and start it with --remote-debugging-port=0 and a --user-data-dir of its own, "
  .. "or have desk.browser.start start one"

--- Timeout for connecting, in seconds.
endpoint.connect_timeout = 10

---@class deskpilot.browser_endpoint
---@field port integer
---@field open fun(listener: deskpilot.cdp_listener): deskpilot.cdp_transport?, deskpilot.error? for cdp.connect

local PATH = "(/devtools/browser/[%w%-]+)"

--- What opens a browser's WebSocket, as a transport for cdp.connect.
---@param url string ws://127.0.0.1:PORT/devtools/browser/...
---@return fun(listener: deskpilot.cdp_listener): deskpilot.cdp_transport?, deskpilot.error?
function endpoint.opener(url)
  return function(listener)
    return websocket().open(url, { timeout = endpoint.connect_timeout, max_message = listener.max_message,
      on_message = listener.on_message, on_close = listener.on_close })
  end
end

local function new(port, path)
  return { port = port, open = endpoint.opener(("ws://127.0.0.1:%d%s"):format(port, path)) }
end

local function check_port(port)
  if math.type(port) ~= "integer" or port < 1 or port > 65535 then
    errors.mistake("a port is a whole number from 1 to 65535, not %s", tostring(port))
  end
end

--- The browser that listens on a port of this machine.
---@param port integer
---@return deskpilot.browser_endpoint? endpoint, deskpilot.error? err
function endpoint.of_port(port)
  check_port(port)
  local answer, err = http.request { url = ("http://127.0.0.1:%d/json/version"):format(port),
    timeout = { connect = 3, total = 6 }, max_bytes = 65536, follow_redirects = false }
  if not answer then
    return errors.fail(err.code, "no browser answers on port %d of this machine (%s); %s", port, tostring(err),
      endpoint.advice)
  end
  local version = answer.status == 200 and json.decode(answer.body)
  local url = type(version) == "table" and version.webSocketDebuggerUrl
  local path = type(url) == "string" and url:match("^wss?://[^/]+" .. PATH .. "$")
  if path then return new(port, path) end
  return errors.fail("protocol", "what listens on port %d of this machine is not a browser that can be attached to",
    port)
end

--- The browser that runs with a profile's folder, by the file DevToolsActivePort that it writes there.
---@param folder string
---@return deskpilot.browser_endpoint? endpoint, deskpilot.error? err code "not_found": the file does not exist
function endpoint.of_profile(folder)
  local path = files.join(folder, "DevToolsActivePort")
  local content, err = files.read(path, 4096)
  if not content then
    if err.code ~= "not_found" then return nil, err end
    return errors.fail("not_found", "no browser with a debugging port runs with the profile %s; %s", folder,
      endpoint.advice)
  end
  local port, place = content:match("^(%d+)\r?\n" .. PATH .. "%s*$")
  port = math.tointeger(tonumber(port))
  if port and port >= 1 and port <= 65535 then return new(port, place) end
  return errors.fail("protocol", "%s does not hold a browser's port", path)
end

-- The value of a flag, written as --name=value or as --name value.
local function value_of(argv, name)
  for i, argument in ipairs(argv) do
    if argument == name then return argv[i + 1] or "" end
    if text.starts(argument, name .. "=") then return argument:sub(#name + 2) end
  end
end

--- How to reach the browser that a window belongs to: by its port, or by its profile's folder.
---@param window deskpilot.window
---@return { port: integer?, profile: string? }? where
---@return deskpilot.error? err code "not_found": it is not a browser with a debugging port
function endpoint.of_window(window)
  local argv = window.pid ~= 0 and platform.command_line(window.pid)
  local port = argv and value_of(argv, "--remote-debugging-port")
  if not port then
    return errors.fail("not_found", "%s", ("the window '%s' does not belong to a browser with a debugging port; if it "
      .. "is a browser: %s"):format(text.cut(text.one_line(window.title), 80), endpoint.advice))
  end
  port = math.tointeger(tonumber(port:match("^%d+")))
  if port and port >= 1 and port <= 65535 then return { port = port } end
  local folder = value_of(argv, "--user-data-dir") or platform.browser_profile(window.pid, window.executable)
  -- The command line may be a single string, whose further arguments are then at the end of the path: cut them off.
  while folder and folder ~= "" and not files.is_folder(folder) do folder = folder:match("^(.*) [^ ]*$") end
  if folder and folder ~= "" then return { profile = folder } end
  return errors.fail("not_found", "the profile folder of the browser that shows the window '%s' is unknown; attach by "
    .. "`profile` or `port`", text.cut(text.one_line(window.title), 80))
end

return endpoint
