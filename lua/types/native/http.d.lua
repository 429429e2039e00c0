---@meta native.http
-- Made by `./dev docs` from the comments above the C functions: change those.

--- native.http: HTTP requests for Lua, over runtime/net. A request's strings (its body's pieces are
--- the large ones) are not copied: a table in the registry keeps them, and the callbacks, until the
--- request is done. Callbacks run on the loop, on the main Lua thread.
---@class native.http
local module = {}

--- Begins a request. `done(result)` or `done(nil, err)` comes later, from the loop, never before
--- this returns; not after the returned function was called. Options: method ("GET"), url, headers
--- ({ ["Name"] = "value" }), body (a string or a list of strings, sent one after the other), timeout
--- ({ connect = 30, total =, stall = } seconds), max_bytes (64 MB), ca_file (PEM), follow_redirects
--- (false), on_data (function(bytes, status): gets the body as it comes, and result.body is empty;
--- it may not wait). cancel(true) ends the request well: done gets the result of what has come.
---@param options { method: string?, url: string, headers: table<string, string>?, body: string|string[]|nil, timeout: { connect: number?, total: number?, stall: number? }?, max_bytes: integer?, ca_file: string?, follow_redirects: boolean?, on_data: fun(bytes: string, status: integer)? }
---@param done fun(result: { status: integer, headers: table<string, string>, body: string, seconds: number }?, err: deskpilot.error?)
---@return (fun(enough: boolean?))? cancel, deskpilot.error? err without libcurl or memory; err.timeout says which limit was met ("connect", "total", "stall") when err.code is "timed_out"
function module.request(options, done) end

return module
