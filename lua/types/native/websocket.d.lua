---@meta native.websocket
-- Made by `./dev docs` from the comments above the C functions: change those.

--- native.websocket: WebSockets for Lua, over runtime/net. A table in the registry keeps a socket
--- and its callbacks until its end; callbacks run on the loop, on the main Lua thread.
---@class native.websocket
local module = {}

--- Begins to open a WebSocket. Options: url (ws or wss), headers ({ ["Name"] = "value" }), protocols
--- (a list), timeout (10 seconds, until it is open), max_message (64 MB), low_water (1 MB), ca_file
--- (PEM); and functions, all called from the loop, which may not wait: on_open(), on_message(bytes,
--- "text" | "binary"), on_drain() when what waits to be sent has come down to low_water, on_end(err)
--- exactly once at the end, open or not: err.close_code and err.reason when it was open, err.status
--- when the server answered with that HTTP status instead.
---@param options { url: string, headers: table<string, string>?, protocols: string[]?, timeout: number?, max_message: integer?, low_water: integer?, ca_file: string?, on_open: fun(), on_message: fun(bytes: string, kind: "text"|"binary"), on_drain: fun(), on_end: fun(err: deskpilot.error) }
---@return native.WebSocket? socket, deskpilot.error? err
function module.open(options) end

--- A WebSocket, from its beginning on.
---@class native.WebSocket
local WebSocket = {}

--- Queues a message and sends what can be sent at once.
---@param bytes string
---@param binary boolean?
---@return true? ok, deskpilot.error? err
function WebSocket:send(bytes, binary) end

--- How many bytes wait to be sent.
---@return integer bytes
function WebSocket:pending() end

--- Begins the closing.
---@param code integer
---@param reason string
---@return nil nothing, deskpilot.error? err where it could not be begun
function WebSocket:close(code, reason) end

--- Stops or begins reading again.
---@param pause boolean
function WebSocket:pause(pause) end

--- The protocol that the server chose.
---@return string protocol "" for none
function WebSocket:protocol() end

return module
