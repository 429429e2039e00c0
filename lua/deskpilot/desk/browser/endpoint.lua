--- Where a running browser listens for us: by its port, by its profile's folder (it writes the port there), or by the
--- words that a process was started with. Only on this machine. What answers on a port may be anything, so
--- nothing that it says but a name of a place on that same port is believed.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local http = require "deskpilot.net.http"
local json = require "deskpilot.base.json"
local platform = require "deskpilot.desk.platform"
local text = require "deskpilot.base.text"

local endpoint = {}

--- What to do about a browser that cannot be attached to.
endpoint.advice = "close it and start it with --remote-debugging-port=0 and a --user-data-dir of its own, "
  .. "or have desk.browser.start start one"

---@class deskpilot.browser_endpoint
---@field port integer
---@field url string of the browser's own WebSocket

local PATH = "(/devtools/browser/[%w%-]+)"

local function new(port, path)
  return { port = port, url = ("ws://127.0.0.1:%d%s"):format(port, path) }
end

local function check_port(port)
  if math.type(port) ~= "integer" or port < 1 or port > 65535 then
    error("a port is a whole number from 1 to 65535, not " .. tostring(port), 4)
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
  local told = answer.status == 200 and json.decode(answer.body)
  local url = type(told) == "table" and told.webSocketDebuggerUrl
  local path = type(url) == "string" and url:match("^wss?://[^/]+" .. PATH .. "$")
  if path then return new(port, path) end
  return errors.fail("protocol", "what listens on port %d of this machine is no browser that can be attached to", port)
end

--- The browser that runs with that profile's folder, by the file that it has written there.
---@param folder string
---@return deskpilot.browser_endpoint? endpoint, deskpilot.error? err code "not_found": there is no such file
function endpoint.of_profile(folder)
  local path = files.join(folder, "DevToolsActivePort")
  local words, err = files.read(path, 4096)
  if not words then
    if err.code ~= "not_found" then return nil, err end
    return errors.fail("not_found", "no browser with a debugging port runs with the profile %s; %s", folder,
      endpoint.advice)
  end
  local port, place = words:match("^(%d+)\r?\n" .. PATH .. "%s*$")
  port = math.tointeger(tonumber(port))
  if port and port >= 1 and port <= 65535 then return new(port, place) end
  return errors.fail("protocol", "%s does not say where a browser listens", path)
end

-- The value of --name=value, or of --name value.
local function value_of(argv, name)
  for i, word in ipairs(argv) do
    if word == name then return argv[i + 1] or "" end
    if text.starts(word, name .. "=") then return word:sub(#name + 2) end
  end
end

--- How the process that shows a window may be reached: its port, or its profile's folder.
---@param window deskpilot.window
---@return { port: integer?, profile: string? }? where
---@return deskpilot.error? err code "not_found": it is no browser with a debugging port
function endpoint.of_window(window)
  local argv = window.pid ~= 0 and platform.command_line(window.pid)
  local port = argv and value_of(argv, "--remote-debugging-port")
  if not port then
    return errors.fail("not_found", "%s", ("the window '%s' is of no browser with a debugging port; if it is a "
      .. "browser: %s"):format(text.cut(text.one_line(window.title), 80), endpoint.advice))
  end
  port = math.tointeger(tonumber(port:match("^%d+")))
  if port and port >= 1 and port <= 65535 then return { port = port } end
  local folder = value_of(argv, "--user-data-dir") or platform.browser_profile(window.pid, window.executable)
  -- Other words may have been left at its end.
  while folder and folder ~= "" and not files.is_folder(folder) do folder = folder:match("^(.*) [^ ]*$") end
  if folder and folder ~= "" then return { profile = folder } end
  return errors.fail("not_found", "it is not known with which profile the browser of the window '%s' runs",
    text.cut(text.one_line(window.title), 80))
end

return endpoint
