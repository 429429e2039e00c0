/*
 * native.http: HTTP requests for Lua, over runtime/net. A request's strings (its body's pieces are
 * the large ones) are not copied: a table in the registry keeps them, and the callbacks, until the
 * request is done. Callbacks run on the loop, on the main Lua thread.
 */
#include "lib.h"
#include "lib_fields.h"
#include "lib_kept.h"
#include "net/net_http.h"

#include <luv/luv.h>
#include <stdlib.h>

#define CLIENT_TYPE "native.HttpClient"
#define WHO "http"

/* What a request of Lua's holds while it runs. A userdata, which `kept` keeps. */
typedef struct {
    lib_kept kept;
    net_request *request; /* NULL once done or cancelled */
    bool cancelling;
} http_call;

/* The places of the table that is kept. */
enum { KEEP_OPTIONS = 1, KEEP_DONE, KEEP_DATA, KEEP_CALL, KEEP_STRINGS };

/* --- reading the options ------------------------------------------------------------------------
 */

/* What curl's and C's integers hold on every platform. */
static const double MOST_SECONDS = 1e6, MOST_BYTES = 1e12;

static void read_timeouts(lua_State *L, net_options *options)
{
    int type = lua_getfield(L, 1, "timeout");
    if (type == LUA_TTABLE) {
        options->connect_timeout = lib_number_field(L, -1, WHO, "connect", MOST_SECONDS, 0);
        options->total_timeout = lib_number_field(L, -1, WHO, "total", MOST_SECONDS, 0);
        options->stall_timeout = lib_number_field(L, -1, WHO, "stall", MOST_SECONDS, 0);
    } else if (type != LUA_TNIL) {
        luaL_error(L, "http: 'timeout' must be a table of connect, total and stall, in seconds");
    }
    lua_pop(L, 1);
}

/* Memory that lives as long as the request: a userdata in the table at the top of the stack. */
static void *scratch(lua_State *L, lua_Integer place, size_t size)
{
    void *memory = lua_newuserdatauv(L, size ? size : 1, 0);
    lua_rawseti(L, -2, place);
    return memory;
}

/* Stack: the keeping table at the top, before and after. */
static void read_headers(lua_State *L, net_options *options)
{
    options->headers = lib_header_field(L, 1, WHO, &options->header_count);
    lua_rawseti(L, -2, KEEP_STRINGS);
}

/* The list of the body's strings is copied, so that a change of the caller's cannot free one. */
static void read_body(lua_State *L, net_options *options)
{
    int type = lua_getfield(L, 1, "body");
    if (type == LUA_TSTRING) {
        lua_createtable(L, 1, 0);
        lua_insert(L, -2);
        lua_rawseti(L, -2, 1);
    } else if (type != LUA_TTABLE && type != LUA_TNIL) {
        luaL_error(L, "http: 'body' must be a string or a list of strings");
    }
    lua_Integer count = type == LUA_TNIL ? 0 : luaL_len(L, -1);
    lua_insert(L, -2);
    net_piece *pieces = scratch(L, KEEP_STRINGS + 1, (size_t) count * sizeof *pieces);
    for (lua_Integer i = 0; i < count; i++) {
        if (lua_rawgeti(L, -2, i + 1) != LUA_TSTRING) {
            luaL_error(L, "http: 'body' must be a string or a list of strings");
        }
        pieces[i].data = lua_tolstring(L, -1, &pieces[i].size);
        lua_rawseti(L, -2, KEEP_STRINGS + 2 + i);
    }
    options->pieces = pieces;
    options->piece_count = (size_t) count;
    lua_remove(L, -2);
}

/* --- answering ----------------------------------------------------------------------------------
 */

static void push_lower(lua_State *L, const char *name)
{
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    for (; *name; name++) {
        luaL_addchar(&buffer, *name >= 'A' && *name <= 'Z' ? *name + 32 : *name);
    }
    luaL_pushresult(&buffer);
}

/* A header that comes twice is joined by ", ", which is what HTTP says it means. */
static void push_headers(lua_State *L, const net_result *result)
{
    lua_createtable(L, 0, (int) result->header_count);
    for (size_t i = 0; i < result->header_count; i++) {
        push_lower(L, result->headers[i].name);
        lua_pushvalue(L, -1);
        if (lua_rawget(L, -3) == LUA_TSTRING) {
            lua_pushfstring(L, "%s, %s", lua_tostring(L, -1), result->headers[i].value);
        } else {
            lua_pushstring(L, result->headers[i].value);
        }
        lua_remove(L, -2);
        lua_rawset(L, -3);
    }
}

static int push_result(lua_State *L, const net_result *result)
{
    lua_createtable(L, 0, 4);
    lua_pushinteger(L, result->status);
    lua_setfield(L, -2, "status");
    push_headers(L, result);
    lua_setfield(L, -2, "headers");
    lua_pushlstring(L, result->body, result->body_size);
    lua_setfield(L, -2, "body");
    lua_pushnumber(L, result->seconds);
    lua_setfield(L, -2, "seconds");
    return 1;
}

static int push_failure(lua_State *L, const net_result *result)
{
    static const char *const timeouts[] = {NULL, "connect", "total", "stall"};
    lib_fail(L, &result->error);
    if (timeouts[result->timeout]) {
        lua_pushstring(L, timeouts[result->timeout]);
        lua_setfield(L, -2, "timeout");
    }
    return 2;
}

static void on_data(void *user, int status, const char *data, size_t size)
{
    http_call *call = user;
    lib_kept_push(&call->kept, KEEP_DATA);
    lua_pushlstring(call->kept.L, data, size);
    lua_pushinteger(call->kept.L, status);
    lib_kept_call(&call->kept, 2);
}

static void on_done(void *user, const net_result *result)
{
    http_call *call = user;
    lib_kept kept = call->kept;
    call->request = NULL;
    if (!call->cancelling) {
        lib_kept_push(&kept, KEEP_DONE);
        bool ok = result->error.code == BASE_OK;
        lib_kept_call(&kept, ok ? push_result(kept.L, result) : push_failure(kept.L, result));
    }
    lib_kept_let_go(&kept);
}

/* --- the module ---------------------------------------------------------------------------------
 */

static int client_gc(lua_State *L)
{
    net_http **client = lua_touserdata(L, 1);
    net_http_close(*client);
    *client = NULL;
    return 0;
}

/* The client, opened at the first request; NULL with the reason in `err`. */
static net_http *client_open(lua_State *L, base_error *err)
{
    net_http **client = lua_touserdata(L, lua_upvalueindex(1));
    if (!*client) {
        *client = net_http_open(luv_loop(L), err);
    }
    return *client;
}

static int call_cancel(lua_State *L)
{
    http_call *call = lua_touserdata(L, lua_upvalueindex(1));
    if (!call->request) {
        return 0;
    }
    if (lua_toboolean(L, 1)) {
        net_http_end(call->request);
        return 0;
    }
    call->cancelling = true;
    net_http_cancel(call->request);
    return 0;
}

static void read_options(lua_State *L, net_options *options)
{
    options->method = lib_string_field(L, 1, WHO, "method", "GET");
    options->url = lib_string_field(L, 1, WHO, "url", NULL);
    options->ca_file = lib_string_field(L, 1, WHO, "ca_file", "");
    if (!*options->ca_file) {
        options->ca_file = NULL;
    }
    read_timeouts(L, options);
    options->max_response_bytes = (size_t) lib_number_field(L, 1, WHO, "max_bytes", MOST_BYTES, 0);
    lua_getfield(L, 1, "follow_redirects");
    options->follow_redirects = lua_toboolean(L, -1);
    lua_pop(L, 1);
}

/* Begins a request. `done(result)` or `done(nil, err)` comes later, from the loop, never before
 * this returns; not after the returned function was called. Options: method ("GET"), url, headers
 * ({ ["Name"] = "value" }), body (a string or a list of strings, sent one after the other), timeout
 * ({ connect = 30, total =, stall = } seconds), max_bytes (64 MB), ca_file (PEM), follow_redirects
 * (false), on_data (function(bytes, status): gets the body as it comes, and result.body is empty;
 * it may not wait). cancel(true) ends the request well: done gets the result of what has come.
 * ---@param options { method: string?, url: string, headers: table<string, string>?,
 * body: string|string[]|nil, timeout: { connect: number?, total: number?, stall: number? }?,
 * max_bytes: integer?, ca_file: string?, follow_redirects: boolean?, on_data: fun(bytes: string,
 * status: integer)? }
 * ---@param done fun(result: { status: integer, headers: table<string, string>, body: string,
 * seconds: number }?, err: deskpilot.error?)
 * ---@return (fun(enough: boolean?))? cancel, deskpilot.error? err without libcurl or memory;
 * err.timeout says which limit was met ("connect", "total", "stall") when err.code is "timed_out"
 */
static int http_request(lua_State *L)
{
    net_options options = {0};
    base_error err;
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    net_http *client = client_open(L, &err);
    if (!client) {
        return lib_fail(L, &err);
    }
    read_options(L, &options);

    lua_createtable(L, 8, 0); /* what the request keeps, at index 3 */
    lua_pushvalue(L, 1);
    lua_rawseti(L, 3, KEEP_OPTIONS);
    lua_pushvalue(L, 2);
    lua_rawseti(L, 3, KEEP_DONE);
    int data = lua_getfield(L, 1, "on_data");
    luaL_argcheck(L, data == LUA_TNIL || data == LUA_TFUNCTION, 1, "on_data must be a function");
    lua_rawseti(L, 3, KEEP_DATA);
    read_headers(L, &options);
    read_body(L, &options);
    http_call *call = lua_newuserdatauv(L, sizeof *call, 0);
    *call = (http_call){0};
    lua_pushvalue(L, -1);
    lua_rawseti(L, 3, KEEP_CALL);
    lua_pushcclosure(L, call_cancel, 1);
    lua_pushvalue(L, 3);
    lib_kept_hold(L, &call->kept);

    net_callbacks callbacks = {data == LUA_TFUNCTION ? on_data : NULL, on_done, call};
    call->request = net_http_start(client, &options, &callbacks, &err);
    if (call->request) {
        return 1;
    }
    lib_kept_let_go(&call->kept);
    return lib_kept_fail(L, WHO, &err);
}

int lib_open_http(lua_State *L)
{
    static const luaL_Reg functions[] = {{"request", http_request}, {NULL, NULL}};
    static const luaL_Reg no_methods[] = {{NULL, NULL}};
    lib_new_type(L, CLIENT_TYPE, no_methods, client_gc);
    luaL_newlibtable(L, functions);
    net_http **client = lua_newuserdatauv(L, sizeof(net_http *), 0);
    *client = NULL;
    luaL_setmetatable(L, CLIENT_TYPE);
    luaL_setfuncs(L, functions, 1);
    return 1;
}
