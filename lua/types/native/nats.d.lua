---@meta native.nats
-- Made by `./dev docs` from the comments above the C functions: change those.

--- native.nats: connections to NATS servers for Lua, over runtime/net. A table in the registry keeps
--- a connection and its callbacks until its end; callbacks run on the loop, on the main Lua thread.
---@class native.nats
local module = {}

--- Begins to connect. Options: servers (nats://host:port, tls://host:port), name, timeout (2
--- seconds, for each server), user and password, token, credentials_file, tls, ca_file (PEM; TLS is
--- wanted then), cert_file and key_file, tls_name; and functions, all called from the loop, which
--- may not wait: on_open(max_payload), on_message(id, message), on_change("lost" | "back" |
--- "trouble", words), on_end(err) exactly once at the end, open or not. Once open, it connects again
--- for as long as it takes.
---@param options { servers: string[], name: string?, timeout: number?, user: string?, password: string?, token: string?, credentials_file: string?, tls: boolean?, ca_file: string?, cert_file: string?, key_file: string?, tls_name: string?, on_open: fun(max_payload: integer), on_message: fun(id: integer, message: { subject: string, reply: string?, data: string, headers: table<string, string> }), on_change: fun(change: "lost"|"back"|"trouble", words: string), on_end: fun(err: deskpilot.error) }
---@return native.Nats? connection, deskpilot.error? err unavailable (no libnats), invalid (a file that cannot be used)
function module.connect(options) end

--- A connection to NATS, from its beginning on.
---@class native.Nats
local Nats = {}

--- Queues a message.
---@param message { subject: string, reply: string?, data: string?, headers: table<string, string>? }
---@return true? ok, deskpilot.error? err unavailable: too much is waiting
function Nats:publish(message) end

--- Begins a subscription: its messages come to on_message with that id.
---@param id integer
---@param subject string with wildcards
---@return true? ok, deskpilot.error? err
function Nats:subscribe(id, subject) end

--- Ends a subscription.
---@param id integer
---@return true? ok, deskpilot.error? err
function Nats:unsubscribe(id) end

--- Sends what is queued, then ends; on_end is called.
function Nats:close() end

return module
