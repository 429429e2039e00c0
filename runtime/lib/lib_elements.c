/*
 * native.elements: what applications say about themselves, for scripts. Every call that asks an
 * application runs on libuv's thread pool and tells its callback on the loop, so nothing here
 * waits.
 */
#include "lib_elements.h"
#include "desk/elements.h"
#include "lib.h"
#include "lib_job.h"

#include <stdlib.h>
#include <string.h>

/* A reader of elements, connected to the applications. */
#define SOURCE_TYPE "native.Elements"

typedef struct {
    desk_elements *elements;
    int uses; /* the userdata, while it is open, and each job */
} source;

typedef enum { CALL_READ, CALL_ACT, CALL_CHANGE, CALL_ASK } call_kind;

typedef struct {
    lib_job job;
    call_kind kind;
    source *source;
    desk_elements_query query;
    char *handle, *text; /* text: of a change, or the name of an action */
    int action;
    desk_element_change change;
    desk_element_list result;
    desk_element_details details;
} call;

typedef struct {
    source *source; /* NULL once closed */
    lib_job_list jobs;
} handle;

static void source_release(source *s)
{
    if (--s->uses > 0) {
        return;
    }
    desk_elements_close(s->elements);
    free(s);
}

static int call_push(lua_State *L, lib_job *job)
{
    const call *c = (const call *) job;
    if (c->kind == CALL_READ) {
        lib_push_elements(L, &c->result);
    } else if (c->kind == CALL_ASK) {
        lib_push_element_details(L, &c->details);
    } else {
        lua_pushboolean(L, 1);
    }
    return 1;
}

/* --- calls --------------------------------------------------------------------------------------
 */

static bool call_run(lib_job *job)
{
    call *c = (call *) job;
    desk_elements *e = c->source->elements;
    c->query.deadline = job->deadline;
    c->query.cancel = &job->cancel;
    switch (c->kind) {
    case CALL_READ:
        return desk_elements_read(e, &c->query, &c->result, &job->err);
    case CALL_ACT:
        return desk_elements_act(e, c->handle, c->text, c->action, job->deadline, &job->err);
    case CALL_ASK:
        return desk_elements_ask(e, c->handle, job->deadline, &c->details, &job->err);
    default:
        return desk_elements_change(e, c->handle, &c->change, job->deadline, &job->err);
    }
}

static void call_release(lib_job *job)
{
    call *c = (call *) job;
    desk_element_list_free(&c->result);
    desk_element_list_free(&c->details.list);
    free(c->handle);
    free(c->text);
    if (c->source) {
        source_release(c->source);
    }
}

static const lib_job_ops call_ops = {call_run, call_push, call_release};

static handle *check_open(lua_State *L)
{
    handle *h = luaL_checkudata(L, 1, SOURCE_TYPE);
    luaL_argcheck(L, h->source, 1, "the element reader has been closed");
    return h;
}

static char *copy_string(lua_State *L, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (!copy) {
        luaL_error(L, "not enough memory");
    }
    return memcpy(copy, text, size);
}

/* A new call of the reader at 1; pushes the function that stops it. */
static call *new_call(lua_State *L, call_kind kind, const char *element, const char *text)
{
    handle *h = check_open(L);
    call *c = lib_job_new(L, sizeof *c, &call_ops);
    c->source = h->source;
    c->source->uses++;
    c->kind = kind;
    if (element) {
        c->handle = copy_string(L, element);
    }
    if (text) {
        c->text = copy_string(L, text);
    }
    return c;
}

/* Starts a call of the reader at 1, whose callback is at `callback`. */
static int start(lua_State *L, call *c, int callback, double timeout)
{
    handle *h = lua_touserdata(L, 1);
    lib_job_start(L, &c->job,
                  &(lib_job_start_options){
                      .callback = callback, .timeout = timeout, .owner = 1, .list = &h->jobs});
    return 1;
}

/* --- the reader ---------------------------------------------------------------------------------
 */

static double timeout_field(lua_State *L, int index, double otherwise)
{
    double value = otherwise;
    if (lua_getfield(L, index, "timeout") != LUA_TNIL) {
        int is_number;
        value = lua_tonumberx(L, -1, &is_number);
        luaL_argcheck(L, is_number && value >= 0 && value <= 3600, index,
                      "timeout must be 0 to 3600 seconds");
    }
    lua_pop(L, 1);
    return value;
}

static lua_Integer integer_field(lua_State *L, int index, const char *name, lua_Integer least,
                                 lua_Integer most, lua_Integer otherwise)
{
    lua_Integer value = otherwise;
    if (lua_getfield(L, index, name) != LUA_TNIL) {
        int exact;
        value = lua_tointegerx(L, -1, &exact);
        if (!exact || value < least || value > most) {
            luaL_error(L, "field '%s' must be an integer from %I to %I", name, least, most);
        }
    }
    lua_pop(L, 1);
    return value;
}

static bool flag_field(lua_State *L, int index, const char *name)
{
    lua_getfield(L, index, name);
    bool value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

/* Reads the elements of all applications, or of one process. What is not on the screen is left out
 * unless `all`; `bare` leaves out texts, values and actions. The callback gets a table of elements
 * (parents before children), apps (with a note where one did not answer) and truncated.
 * ---@param options { timeout: number?, max: integer?, pid: integer?, all: boolean?,
 * bare: boolean? }
 * ---@param callback fun(answer: { elements: deskpilot.element[], truncated: boolean,
 * apps: { name: string, pid: integer, note: string? }[] }?, err: deskpilot.error?)
 * ---@return fun() cancel after which the callback is not called */
static int source_read(lua_State *L)
{
    luaL_checktype(L, 2, LUA_TTABLE);
    luaL_checktype(L, 3, LUA_TFUNCTION);
    lua_settop(L, 3);
    desk_elements_query query = {
        .max_nodes = (size_t) integer_field(L, 2, "max", 1, 100000, DESK_ELEMENTS_MAX_NODES),
        .pid = (long) integer_field(L, 2, "pid", 0, INT32_MAX, 0),
        .all = flag_field(L, 2, "all"),
        .bare = flag_field(L, 2, "bare"),
    };
    double timeout = timeout_field(L, 2, 1.0);
    call *c = new_call(L, CALL_READ, NULL, NULL);
    c->query = query;
    return start(L, c, 3, timeout);
}

/* Does an element's action: its name, or its number from 0 (the usual one).
 * ---@param handle string
 * ---@param action string|integer
 * ---@param options { timeout: number? }
 * ---@param callback fun(ok: boolean?, err: deskpilot.error?)
 * ---@return fun() cancel */
static int source_act(lua_State *L)
{
    const char *element = luaL_checkstring(L, 2);
    const char *name = lua_type(L, 3) == LUA_TSTRING ? lua_tostring(L, 3) : NULL;
    lua_Integer number = name ? 0 : luaL_checkinteger(L, 3);
    luaL_argcheck(L, number >= 0 && number < 100, 3, "an action's number is 0 to 99");
    luaL_checktype(L, 4, LUA_TTABLE);
    luaL_checktype(L, 5, LUA_TFUNCTION);
    lua_settop(L, 5);
    double timeout = timeout_field(L, 4, 2.0);
    call *c = new_call(L, CALL_ACT, element, name);
    c->action = (int) number;
    return start(L, c, 5, timeout);
}

static const char *const change_names[] = {
    [DESK_CHANGE_TEXT] = "text",         [DESK_CHANGE_VALUE] = "value",
    [DESK_CHANGE_SELECTED] = "selected", [DESK_CHANGE_CHECKED] = "checked",
    [DESK_CHANGE_EXPANDED] = "expanded", [DESK_CHANGE_FOCUSED] = "focused",
    [DESK_CHANGE_IN_VIEW] = "in_view",   [DESK_CHANGE_SELECTION] = "selection",
    [DESK_CHANGE_SELECTION + 1] = NULL,
};

static desk_element_change check_change(lua_State *L, int index)
{
    desk_element_change change = {0};
    lua_getfield(L, index, "kind");
    change.kind = (desk_change_kind) luaL_checkoption(L, -1, NULL, change_names);
    lua_pop(L, 1);
    change.on = flag_field(L, index, "on");
    change.from = (int32_t) integer_field(L, index, "from", 0, INT32_MAX, 0);
    change.to = (int32_t) integer_field(L, index, "to", 0, INT32_MAX, 0);
    lua_getfield(L, index, "number");
    change.number = lua_tonumber(L, -1);
    lua_pop(L, 1);
    luaL_argcheck(L, change.number - change.number == 0, index, "the number must be finite");
    return change;
}

/* Changes an element: its text (text), value (number), selected, checked (the next of its states),
 * expanded (on), focused, in_view, or the selection of its text (from, to: characters from 0, the
 * last not included).
 * ---@param handle string
 * ---@param change { kind: string, text: string?, number: number?, on: boolean?, from: integer?,
 * to: integer? }
 * ---@param options { timeout: number? }
 * ---@param callback fun(ok: boolean?, err: deskpilot.error?)
 * ---@return fun() cancel */
static int source_change(lua_State *L)
{
    const char *element = luaL_checkstring(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    luaL_checktype(L, 4, LUA_TTABLE);
    luaL_checktype(L, 5, LUA_TFUNCTION);
    lua_settop(L, 5);
    desk_element_change change = check_change(L, 3);
    double timeout = timeout_field(L, 4, 2.0);
    lua_getfield(L, 3, "text");
    const char *text = change.kind == DESK_CHANGE_TEXT ? luaL_checkstring(L, -1) : NULL;
    call *c = new_call(L, CALL_CHANGE, element, text);
    c->change = change;
    c->change.text = c->text;
    return start(L, c, 5, timeout);
}

/* Asks one element what it is now: an element as `read` gives it, with its details.
 * ---@param handle string
 * ---@param options { timeout: number? }
 * ---@param callback fun(element: table?, err: deskpilot.error?)
 * ---@return fun() cancel */
static int source_ask(lua_State *L)
{
    const char *element = luaL_checkstring(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    luaL_checktype(L, 4, LUA_TFUNCTION);
    lua_settop(L, 4);
    double timeout = timeout_field(L, 3, 2.0);
    call *c = new_call(L, CALL_ASK, element, NULL);
    return start(L, c, 4, timeout);
}

/* Ends the connection; reads under way give an error of code "cancelled". */
static int source_close(lua_State *L)
{
    handle *h = luaL_checkudata(L, 1, SOURCE_TYPE);
    if (!h->source) {
        return 0;
    }
    lib_job_cancel_all(&h->jobs);
    source_release(h->source);
    h->source = NULL;
    return 0;
}

/* The string of a field of the options, in their table's keeping; NULL where there is none. */
static const char *text_field(lua_State *L, const char *name)
{
    bool none = lua_getfield(L, 1, name) == LUA_TNIL;
    const char *text = none ? NULL : luaL_checkstring(L, -1);
    lua_pop(L, 1);
    return text;
}

/* A reader of elements. It connects when first used.
 * ---@param options { bus: string?, display: string? }? bus: X11: address of the session bus, else
 * the environment's; display: Windows: name of the desktop, else the user's own
 * ---@return native.Elements? reader, deskpilot.error? err */
static int module_open(lua_State *L)
{
    desk_elements_options options = {0};
    if (!lua_isnoneornil(L, 1)) {
        luaL_checktype(L, 1, LUA_TTABLE);
        options.bus = text_field(L, "bus");
        options.display = text_field(L, "display");
    }
    handle *h = lua_newuserdatauv(L, sizeof *h, 0);
    *h = (handle){0};
    luaL_setmetatable(L, SOURCE_TYPE);
    source *s = calloc(1, sizeof *s);
    if (!s) {
        return luaL_error(L, "not enough memory");
    }
    base_error err;
    if (!desk_elements_open(&s->elements, &options, &err)) {
        free(s);
        return lib_fail(L, &err);
    }
    s->uses = 1;
    h->source = s;
    return 1;
}

int lib_open_elements(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"read", source_read}, {"act", source_act},     {"change", source_change},
        {"ask", source_ask},   {"close", source_close}, {NULL, NULL},
    };
    static const luaL_Reg module[] = {{"open", module_open}, {NULL, NULL}};
    lib_new_type(L, SOURCE_TYPE, methods, source_close);
    lib_job_open(L);
    luaL_newlib(L, module);
    return 1;
}
