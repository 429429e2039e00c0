--- HTTP/2, where a server offers it (ALPN): libcurl does it by itself, and all requests share one connection. The
--- server is node's.
local t = require "harness"
local uv = require "luv"
local client = require "deskpilot.model.client"
local files = require "deskpilot.base.files"
local packages = require "mcp_packages"
local ports = require "ports"
local spawn = require "spawn"

local tests = {}

local script = [[
const http2 = require('http2'), fs = require('fs');
let sessions = 0;
const server = http2.createSecureServer({ key: fs.readFileSync(process.argv[2]), cert: fs.readFileSync(process.argv[3]),
  allowHTTP1: true });
server.on('session', () => { sessions++; });
server.on('request', (request, response) => {
  request.on('data', () => {});
  request.on('end', () => {
    const event = value => 'data: ' + JSON.stringify(value) + '\n\n';
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event({ choices: [{ index: 0, delta: { content: request.httpVersion + ' ' + sessions } }] }));
    response.write(event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
    response.end('data: [DONE]\n\n');
  });
});
server.listen(0, '127.0.0.1');
]]

local function close(server, folder)
  if server then
    server:kill "sigkill"
    server:close()
  end
  files.remove(folder)
end

function tests.all_requests_share_one_connection()
  local folder, server = spawn.folder(), nil
  local closing <close> = setmetatable({}, { __close = function() close(server, folder) end })
  assert(closing)
  local key, certificate, file = folder .. "/key.pem", folder .. "/cert.pem", folder .. "/server.cjs"
  assert(files.write(file, script))
  local made = spawn.run { "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out",
    certificate, "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost" }
  t.eq(made.status, 0, made.stderr)
  local pid
  server, pid = uv.spawn(packages.node(), { args = { file, key, certificate } }, function() end)
  local port = t.wait_until("node", function() return ports.of(pid) end, 30)
  local asked = assert(client.new { endpoint = ("https://localhost:%d/v1"):format(port), model = "m", stream = "on",
    retries = 0, timeout = 20, ca_file = certificate })
  for _ = 1, 3 do
    local reply = t.ok(asked:chat { messages = { { role = "user", content = "Hello?" } }, max_tokens = 50 }) or {}
    t.eq(reply.content, "2.0 1", "the version of HTTP, and how many connections there were")
  end
end

return tests
