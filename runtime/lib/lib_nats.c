/*
 * native.nats: connections to NATS servers for Lua, over runtime/net. A table in the registry keeps
 * a connection and its callbacks until its end; callbacks run on the loop, on the main Lua thread.
 */
#include "lib.h"
#include "lib_fields.h"
#include "lib_kept.h"
#include "net/net_nats.h"

#include <luv/luv.h>

/* A connection to NATS, from its beginning on. */
#define CONNECTION_TYPE "native.Nats"
#define WHO "nats"

typedef struct {
    lib_kept kept;
    net_nats *nats; /* NULL once ended */
} lua_nats;

/* The places of the table that is kept. */
enum { KEEP_CONNECTION = 1, KEEP_OPEN, KEEP_MESSAGE, KEEP_CHANGE, KEEP_END, KEEP_PLACES };

static const char *const callback_names[KEEP_PLACES] = {
    [KEEP_OPEN] = "on_open",
    [KEEP_MESSAGE] = "on_message",
    [KEEP_CHANGE] = "on_change",
    [KEEP_END] = "on_end",
};

static const double MOST_SECONDS = 600;

/* --- calling back -------------------------------------------------------------------------------
 */

static void on_open(void *user, size_t max_payload)
{
    lua_nats *n = user;
    lib_kept_push(&n->kept, KEEP_OPEN);
    lua_pushinteger(n->kept.L, (lua_Integer) max_payload);
    lib_kept_call(&n->kept, 1);
}

/* Called protected: (id, net_nats_message) -> a table; memory may be short. */
static int make_message(lua_State *L)
{
    const net_nats_message *message = lua_touserdata(L, 1);
    lua_createtable(L, 0, 4);
    lua_pushstring(L, message->subject);
    lua_setfield(L, -2, "subject");
    lua_pushstring(L, message->reply); /* NULL is nil */
    lua_setfield(L, -2, "reply");
    lua_pushlstring(L, message->data, message->size);
    lua_setfield(L, -2, "data");
    lua_createtable(L, 0, (int) message->header_count);
    for (size_t i = 0; i < message->header_count; i++) {
        lua_pushstring(L, message->headers[i].value);
        lua_setfield(L, -2, message->headers[i].name);
    }
    lua_setfield(L, -2, "headers");
    return 1;
}

static void on_message(void *user, unsigned id, const net_nats_message *message)
{
    lua_nats *n = user;
    lua_State *L = n->kept.L;
    lib_kept_push(&n->kept, KEEP_MESSAGE);
    lua_pushinteger(L, (lua_Integer) id);
    lua_pushcfunction(L, make_message);
    lua_pushlightuserdata(L, (void *) message);
    if (lua_pcall(L, 1, 1, 0) != LUA_OK) {
        lua_pop(L, 3); /* lost, as on the network */
        return;
    }
    lib_kept_call(&n->kept, 2);
}

static void on_change(void *user, net_nats_change change, const char *words)
{
    static const char *const names[] = {"lost", "back", "trouble"};
    lua_nats *n = user;
    lib_kept_push(&n->kept, KEEP_CHANGE);
    lua_pushstring(n->kept.L, names[change]);
    lua_pushstring(n->kept.L, words);
    lib_kept_call(&n->kept, 2);
}

static void on_end(void *user, const base_error *err)
{
    lua_nats *n = user;
    lib_kept kept = n->kept;
    n->nats = NULL;
    lib_kept_push(&kept, KEEP_END);
    lib_push_error(kept.L, base_code_name(err->code), err->message);
    lib_kept_let_go(&kept);
    lib_kept_call(&kept, 1);
}

/* --- methods ------------------------------------------------------------------------------------
 */

static lua_nats *check_connection(lua_State *L)
{
    return luaL_checkudata(L, 1, CONNECTION_TYPE);
}

/* A caller's mistake raises, a failure of the world is returned. */
static int answer(lua_State *L, bool ok, const base_error *err)
{
    if (ok) {
        lua_pushboolean(L, true);
        return 1;
    }
    return lib_kept_fail(L, WHO, err);
}

static int push_closed(lua_State *L)
{
    base_error err;
    base_fail(&err, BASE_CANCELLED, "the connection to NATS is closed");
    return lib_fail(L, &err);
}

/* Queues a message.
 * ---@param message { subject: string, reply: string?, data: string?,
 * headers: table<string, string>? }
 * ---@return true? ok, deskpilot.error? err unavailable: too much is waiting */
static int nats_publish(lua_State *L)
{
    lua_nats *n = check_connection(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    if (!n->nats) {
        return push_closed(L);
    }
    net_nats_message message = {.subject = lib_string_field(L, 2, WHO, "subject", NULL)};
    message.reply = lib_string_field(L, 2, WHO, "reply", "");
    if (!*message.reply) {
        message.reply = NULL;
    }
    message.headers = lib_header_field(L, 2, WHO, &message.header_count);
    int type = lua_getfield(L, 2, "data");
    if (type != LUA_TSTRING && type != LUA_TNIL) {
        return luaL_error(L, WHO ": 'data' must be a string");
    }
    message.data = lua_tolstring(L, -1, &message.size);
    base_error err;
    return answer(L, net_nats_publish(n->nats, &message, &err), &err);
}

static unsigned check_id(lua_State *L)
{
    lua_Integer id = luaL_checkinteger(L, 2);
    luaL_argcheck(L, id > 0 && id <= 0x7fffffff, 2, "an id is a number of 1 to 2^31 - 1");
    return (unsigned) id;
}

/* Begins a subscription: its messages come to on_message with that id.
 * ---@param id integer
 * ---@param subject string with wildcards
 * ---@return true? ok, deskpilot.error? err */
static int nats_subscribe(lua_State *L)
{
    lua_nats *n = check_connection(L);
    unsigned id = check_id(L);
    luaL_checktype(L, 3, LUA_TSTRING);
    const char *subject = lib_text(L, 3, WHO, "a subject");
    base_error err;
    return n->nats ? answer(L, net_nats_subscribe(n->nats, id, subject, &err), &err)
                   : push_closed(L);
}

/* Ends a subscription.
 * ---@param id integer
 * ---@return true? ok, deskpilot.error? err */
static int nats_unsubscribe(lua_State *L)
{
    lua_nats *n = check_connection(L);
    unsigned id = check_id(L);
    base_error err;
    return n->nats ? answer(L, net_nats_unsubscribe(n->nats, id, &err), &err) : push_closed(L);
}

/* Sends what is queued, then ends; on_end is called. */
static int nats_close(lua_State *L)
{
    lua_nats *n = check_connection(L);
    if (n->nats) {
        net_nats_close(n->nats);
    }
    return 0;
}

static int nats_gc(lua_State *L)
{
    lua_nats *n = lua_touserdata(L, 1);
    if (n->nats) {
        net_nats_drop(n->nats);
    }
    n->nats = NULL;
    return 0;
}

/* --- the module ---------------------------------------------------------------------------------
 */

/* Pushes one value, which keeps the list. */
static void read_servers(lua_State *L, net_nats_options *options)
{
    if (lua_getfield(L, 1, "servers") != LUA_TTABLE) {
        luaL_error(L, WHO ": 'servers' must be a list of strings");
    }
    lua_Integer count = luaL_len(L, -1);
    if (count < 1 || count > NET_NATS_MOST_SERVERS) {
        luaL_error(L, WHO ": 'servers' must have 1 to %d addresses", NET_NATS_MOST_SERVERS);
    }
    const char **list = lua_newuserdatauv(L, (size_t) count * sizeof *list, 0);
    for (lua_Integer i = 0; i < count; i++) {
        lua_rawgeti(L, -2, i + 1);
        list[i] = lib_text(L, -1, WHO, "a server");
        lua_pop(L, 1); /* the list of the caller's keeps it */
    }
    lua_remove(L, -2);
    options->servers = list;
    options->server_count = (int) count;
}

static const char *optional(lua_State *L, const char *name)
{
    const char *text = lib_string_field(L, 1, WHO, name, "");
    return *text ? text : NULL;
}

static void read_options(lua_State *L, net_nats_options *options)
{
    options->name = lib_string_field(L, 1, WHO, "name", "deskpilot");
    options->timeout = lib_number_field(L, 1, WHO, "timeout", MOST_SECONDS, 2);
    lua_getfield(L, 1, "tls");
    options->tls = lua_toboolean(L, -1);
    lua_pop(L, 1);
    options->user = optional(L, "user");
    options->password = options->user ? lib_string_field(L, 1, WHO, "password", "") : NULL;
    options->token = optional(L, "token");
    options->credentials_file = optional(L, "credentials_file");
    options->ca_file = optional(L, "ca_file");
    options->cert_file = optional(L, "cert_file");
    options->key_file = optional(L, "key_file");
    options->tls_name = optional(L, "tls_name");
    read_servers(L, options);
}

/* Begins to connect. Options: servers (nats://host:port, tls://host:port), name, timeout (2
 * seconds, for each server), user and password, token, credentials_file, tls, ca_file (PEM; TLS is
 * wanted then), cert_file and key_file, tls_name; and functions, all called from the loop, which
 * may not wait: on_open(max_payload), on_message(id, message), on_change("lost" | "back" |
 * "trouble", words), on_end(err) exactly once at the end, open or not. Once open, it connects again
 * for as long as it takes.
 * ---@param options { servers: string[], name: string?, timeout: number?, user: string?,
 * password: string?, token: string?, credentials_file: string?, tls: boolean?,
 * ca_file: string?, cert_file: string?, key_file: string?, tls_name: string?, on_open:
 * fun(max_payload: integer), on_message: fun(id: integer, message: { subject: string, reply:
 * string?, data: string, headers: table<string, string> }), on_change: fun(change:
 * "lost"|"back"|"trouble", words: string), on_end: fun(err: deskpilot.error) }
 * ---@return native.Nats? connection, deskpilot.error? err unavailable (no libnats), invalid (a
 * file that cannot be used) */
static int nats_connect(lua_State *L)
{
    net_nats_options options = {0};
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    read_options(L, &options);
    lua_createtable(L, KEEP_PLACES, 0);
    lib_kept_functions(L, WHO, callback_names, KEEP_OPEN, KEEP_PLACES);
    lua_nats *n = lua_newuserdatauv(L, sizeof *n, 0);
    *n = (lua_nats){0};
    luaL_setmetatable(L, CONNECTION_TYPE);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, KEEP_CONNECTION);
    lua_pushvalue(L, -2);
    lib_kept_hold(L, &n->kept);
    net_nats_events events = {on_open, on_message, on_change, on_end, n};
    base_error err;
    n->nats = net_nats_open(luv_loop(L), &options, &events, &err);
    if (n->nats) {
        return 1;
    }
    lib_kept_let_go(&n->kept);
    return lib_fail(L, &err);
}

int lib_open_nats(lua_State *L)
{
    static const luaL_Reg functions[] = {{"connect", nats_connect}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"publish", nats_publish},
                                       {"subscribe", nats_subscribe},
                                       {"unsubscribe", nats_unsubscribe},
                                       {"close", nats_close},
                                       {NULL, NULL}};
    lib_new_type(L, CONNECTION_TYPE, methods, nats_gc);
    luaL_newlib(L, functions);
    return 1;
}
