/*
 * native.websocket: WebSockets for Lua, over runtime/net. A table in the registry keeps a socket
 * and its callbacks until its end; callbacks run on the loop, on the main Lua thread.
 */
#include "lib.h"
#include "lib_fields.h"
#include "lib_kept.h"
#include "net/net_websocket.h"

#include <luv/luv.h>
#include <string.h>

/* A WebSocket, from its beginning on. */
#define SOCKET_TYPE "native.WebSocket"
#define WHO "websocket"

typedef struct {
    lib_kept kept;
    net_websocket *socket; /* NULL once ended */
} lua_socket;

/* The places of the table that is kept. */
enum { KEEP_SOCKET = 1, KEEP_OPEN, KEEP_MESSAGE, KEEP_DRAIN, KEEP_END, KEEP_PLACES };

static const char *const callback_names[KEEP_PLACES] = {
    [KEEP_OPEN] = "on_open",
    [KEEP_MESSAGE] = "on_message",
    [KEEP_DRAIN] = "on_drain",
    [KEEP_END] = "on_end",
};

/* What C's integers hold on every platform. */
static const double MOST_SECONDS = 1e6, MOST_BYTES = 1e9;

/* --- calling back -------------------------------------------------------------------------------
 */

static void on_open(void *user)
{
    lua_socket *s = user;
    lib_kept_push(&s->kept, KEEP_OPEN);
    lib_kept_call(&s->kept, 0);
}

static void on_message(void *user, const char *data, size_t size, bool binary)
{
    lua_socket *s = user;
    lib_kept_push(&s->kept, KEEP_MESSAGE);
    lua_pushlstring(s->kept.L, data, size);
    lua_pushstring(s->kept.L, binary ? "binary" : "text");
    lib_kept_call(&s->kept, 2);
}

static void on_drain(void *user)
{
    lua_socket *s = user;
    lib_kept_push(&s->kept, KEEP_DRAIN);
    lib_kept_call(&s->kept, 0);
}

static void push_end(lua_State *L, const net_ws_end *end)
{
    lib_push_error(L, base_code_name(end->error.code), end->error.message);
    if (end->close_code) {
        lua_pushinteger(L, end->close_code);
        lua_setfield(L, -2, "close_code");
        lua_pushlstring(L, end->reason, end->reason_size);
        lua_setfield(L, -2, "reason");
    }
    if (end->http_status) {
        lua_pushinteger(L, end->http_status);
        lua_setfield(L, -2, "status");
    }
}

static void on_end(void *user, const net_ws_end *end)
{
    lua_socket *s = user;
    lib_kept kept = s->kept;
    s->socket = NULL;
    lib_kept_push(&kept, KEEP_END);
    push_end(kept.L, end);
    lib_kept_let_go(&kept);
    lib_kept_call(&kept, 1);
}

/* --- methods ------------------------------------------------------------------------------------
 */

static lua_socket *check_socket(lua_State *L)
{
    return luaL_checkudata(L, 1, SOCKET_TYPE);
}

static int push_closed(lua_State *L)
{
    base_error err;
    base_fail(&err, BASE_CANCELLED, "the WebSocket is closed");
    return lib_fail(L, &err);
}

/* Queues a message and sends what can be sent at once.
 * ---@param bytes string
 * ---@param binary boolean?
 * ---@return true? ok, deskpilot.error? err */
static int socket_send(lua_State *L)
{
    lua_socket *s = check_socket(L);
    size_t size;
    luaL_checktype(L, 2, LUA_TSTRING);
    const char *data = lua_tolstring(L, 2, &size);
    base_error err;
    if (!s->socket) {
        return push_closed(L);
    }
    if (!net_websocket_send(s->socket, data, size, lua_toboolean(L, 3), &err)) {
        return lib_kept_fail(L, WHO, &err);
    }
    lua_pushboolean(L, true);
    return 1;
}

/* How many bytes wait to be sent.
 * ---@return integer bytes */
static int socket_pending(lua_State *L)
{
    lua_socket *s = check_socket(L);
    lua_pushinteger(L, s->socket ? (lua_Integer) net_websocket_pending(s->socket) : 0);
    return 1;
}

/* Begins the closing.
 * ---@param code integer
 * ---@param reason string
 * ---@return nil nothing, deskpilot.error? err where it could not be begun */
static int socket_close(lua_State *L)
{
    lua_socket *s = check_socket(L);
    lua_Integer code = luaL_checkinteger(L, 2);
    size_t size;
    luaL_checktype(L, 3, LUA_TSTRING);
    const char *reason = lua_tolstring(L, 3, &size);
    base_error err;
    code = code < 0 || code > 0xffff ? 0 : code; /* neither may be sent */
    if (s->socket && !net_websocket_close(s->socket, (int) code, reason, size, &err)) {
        return lib_kept_fail(L, WHO, &err);
    }
    return 0;
}

/* Stops or begins reading again.
 * ---@param pause boolean */
static int socket_pause(lua_State *L)
{
    lua_socket *s = check_socket(L);
    if (s->socket) {
        net_websocket_pause(s->socket, lua_toboolean(L, 2));
    }
    return 0;
}

/* The protocol that the server chose.
 * ---@return string protocol "" for none */
static int socket_protocol(lua_State *L)
{
    lua_socket *s = check_socket(L);
    lua_pushstring(L, s->socket ? net_websocket_protocol(s->socket) : "");
    return 1;
}

static int socket_gc(lua_State *L)
{
    lua_socket *s = lua_touserdata(L, 1);
    if (s->socket) {
        net_websocket_drop(s->socket);
    }
    s->socket = NULL;
    return 0;
}

/* --- the module ---------------------------------------------------------------------------------
 */

/* Pushes one value, which keeps the list. */
static const char *const *read_protocols(lua_State *L, size_t *count)
{
    int type = lua_getfield(L, 1, "protocols");
    if (type != LUA_TNIL && type != LUA_TTABLE) {
        luaL_error(L, WHO ": 'protocols' must be a list of strings");
    }
    *count = type == LUA_TNIL ? 0 : (size_t) luaL_len(L, -1);
    const char **list = lua_newuserdatauv(L, (*count + 1) * sizeof *list, 0);
    for (size_t i = 0; i < *count; i++) {
        lua_rawgeti(L, -2, (lua_Integer) i + 1);
        list[i] = lib_text(L, -1, WHO, "a protocol");
        lua_pop(L, 1);
    }
    lua_remove(L, -2);
    return list;
}

static void read_options(lua_State *L, net_websocket_options *options)
{
    options->url = lib_string_field(L, 1, WHO, "url", NULL);
    options->ca_file = lib_string_field(L, 1, WHO, "ca_file", "");
    if (!*options->ca_file) {
        options->ca_file = NULL;
    }
    options->timeout = lib_number_field(L, 1, WHO, "timeout", MOST_SECONDS, 10);
    options->max_message =
        (size_t) lib_number_field(L, 1, WHO, "max_message", MOST_BYTES, 64 << 20);
    options->low_water = (size_t) lib_number_field(L, 1, WHO, "low_water", MOST_BYTES, 1 << 20);
    options->headers = lib_header_field(L, 1, WHO, &options->header_count);
    options->protocols = read_protocols(L, &options->protocol_count);
}

/* Begins to open a WebSocket. Options: url (ws or wss), headers ({ ["Name"] = "value" }), protocols
 * (a list), timeout (10 seconds, until it is open), max_message (64 MB), low_water (1 MB), ca_file
 * (PEM); and functions, all called from the loop, which may not wait: on_open(), on_message(bytes,
 * "text" | "binary"), on_drain() when what waits to be sent has come down to low_water, on_end(err)
 * exactly once at the end, open or not: err.close_code and err.reason when it was open, err.status
 * when the server answered with that HTTP status instead.
 * ---@param options { url: string, headers: table<string, string>?, protocols: string[]?,
 * timeout: number?, max_message: integer?, low_water: integer?, ca_file: string?, on_open: fun(),
 * on_message: fun(bytes: string, kind: "text"|"binary"), on_drain: fun(),
 * on_end: fun(err: deskpilot.error) }
 * ---@return native.WebSocket? socket, deskpilot.error? err */
static int websocket_open(lua_State *L)
{
    static const net_websocket_events events = {on_open, on_message, on_drain, on_end, NULL};
    net_websocket_options options = {0};
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    read_options(L, &options);
    lua_createtable(L, KEEP_PLACES, 0);
    lib_kept_functions(L, WHO, callback_names, KEEP_OPEN, KEEP_PLACES);
    lua_socket *s = lua_newuserdatauv(L, sizeof *s, 0);
    *s = (lua_socket){0};
    luaL_setmetatable(L, SOCKET_TYPE);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, KEEP_SOCKET);
    lua_pushvalue(L, -2);
    lib_kept_hold(L, &s->kept);
    net_websocket_events to = events;
    to.user = s;
    base_error err;
    s->socket = net_websocket_open(luv_loop(L), &options, &to, &err);
    if (s->socket) {
        return 1;
    }
    lib_kept_let_go(&s->kept);
    return lib_kept_fail(L, WHO, &err);
}

int lib_open_websocket(lua_State *L)
{
    static const luaL_Reg functions[] = {{"open", websocket_open}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"send", socket_send},         {"pending", socket_pending},
                                       {"close", socket_close},       {"pause", socket_pause},
                                       {"protocol", socket_protocol}, {NULL, NULL}};
    lib_new_type(L, SOCKET_TYPE, methods, socket_gc);
    luaL_newlib(L, functions);
    return 1;
}
