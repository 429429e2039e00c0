/*
 * native.ocr: reading text off pictures, for scripts. A read runs on libuv's thread pool and tells
 * its callback on the loop. The comments above the functions are LuaLS annotations, from which the
 * API reference is made.
 */
#include "lib.h"
#include "ocr.h"

#include <luv/luv.h>
#include <stdlib.h>
#include <string.h>

#define READER_TYPE "deskpilot.ocr"
#define CANCEL_TYPE "deskpilot.ocr_cancel"

/* The userdata's and its jobs': whoever lets go last frees it. Main thread. */
typedef struct {
    desk_ocr *ocr;
    int uses;
} reader;

typedef struct job {
    uv_work_t work;
    reader *reader;
    lua_State *L;       /* the main one */
    int callback, self; /* in the registry */
    struct job **box;   /* what the cancel function holds; NULL when it is gone */
    struct job **list;  /* the userdata's jobs; NULL when the state is being closed */
    struct job *next;
    atomic_bool cancel;
    bool dropped; /* nobody wants to know any more */
    double timeout;
    char language[200];
    desk_image image;
    desk_ocr_text text;
    desk_error err;
    bool ok;
} job;

typedef struct {
    reader *reader; /* NULL once closed */
    job *jobs;
} handle;

static void reader_release(reader *r)
{
    if (--r->uses > 0)
        return;
    desk_ocr_free(r->ocr);
    free(r);
}

/* --- results ------------------------------------------------------------------------------------
 */

static void set_integer(lua_State *L, const char *key, lua_Integer value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, key);
}

static void push_word(lua_State *L, const desk_ocr_word *word)
{
    lua_createtable(L, 0, 7);
    lua_pushstring(L, word->text);
    lua_setfield(L, -2, "text");
    set_integer(L, "x", word->rect.x);
    set_integer(L, "y", word->rect.y);
    set_integer(L, "width", word->rect.width);
    set_integer(L, "height", word->rect.height);
    lua_pushnumber(L, (double) word->confidence);
    lua_setfield(L, -2, "confidence");
    set_integer(L, "line", word->line + 1);
}

static void push_text(lua_State *L, const desk_ocr_text *text)
{
    lua_createtable(L, 0, 3);
    lua_createtable(L, (int) text->count, 0);
    for (size_t i = 0; i < text->count; i++) {
        push_word(L, &text->words[i]);
        lua_rawseti(L, -2, (lua_Integer) i + 1);
    }
    lua_setfield(L, -2, "words");
    set_integer(L, "areas", text->areas);
    set_integer(L, "known", text->known);
}

/* Called protected: (job) -> calls the callback with the result. */
static int deliver(lua_State *L)
{
    job *j = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, j->callback);
    int results = 1;
    if (j->ok)
        push_text(L, &j->text);
    else
        results = lib_fail(L, &j->err);
    lua_call(L, results, 0);
    return 0;
}

/* --- jobs ---------------------------------------------------------------------------------------
 */

static void run(uv_work_t *work)
{
    job *j = work->data;
    uint64_t deadline = uv_hrtime() + (uint64_t) (j->timeout * 1e9);
    j->ok = desk_ocr_read(j->reader->ocr, &j->image, j->language, deadline, &j->cancel, &j->text,
                          &j->err);
}

static void job_free(job *j)
{
    if (j->box)
        *j->box = NULL;
    desk_ocr_text_free(&j->text);
    desk_image_free(&j->image);
    reader_release(j->reader);
    free(j);
}

static void unlink_job(job *j)
{
    for (job **at = j->list; at && *at; at = &(*at)->next) {
        if (*at == j) {
            *at = j->next;
            return;
        }
    }
}

static void done(uv_work_t *work, int status)
{
    job *j = work->data;
    lua_State *L = j->L;
    if (status == UV_ECANCELED)
        j->ok = desk_fail(&j->err, DESK_CANCELLED, "cancelled");
    unlink_job(j);
    if (!j->dropped) {
        lua_pushcfunction(L, deliver);
        lua_pushlightuserdata(L, j);
        luv_context(L)->cb_pcall(L, 1, 0, 0); /* reports what goes wrong; see host.c */
    }
    if (j->list) {
        luaL_unref(L, LUA_REGISTRYINDEX, j->callback);
        luaL_unref(L, LUA_REGISTRYINDEX, j->self);
    }
    job_free(j);
}

static void drop(job *j)
{
    j->dropped = true;
    atomic_store(&j->cancel, true);
    uv_cancel((uv_req_t *) &j->work); /* where it has not begun yet */
}

static int cancel(lua_State *L)
{
    job **box = lua_touserdata(L, lua_upvalueindex(1));
    if (*box)
        drop(*box);
    return 0;
}

static int cancel_gc(lua_State *L)
{
    job **box = luaL_checkudata(L, 1, CANCEL_TYPE);
    if (*box)
        (*box)->box = NULL;
    *box = NULL;
    return 0;
}

/* --- the reader ---------------------------------------------------------------------------------
 */

static double check_timeout(lua_State *L, int index)
{
    double value = luaL_checknumber(L, index);
    luaL_argcheck(L, value >= 0 && value <= 3600, index, "timeout must be 0 to 3600 seconds");
    return value;
}

/* A copy of its own for each read: the script may draw on the image meanwhile, or close it. */
static bool copy_image(desk_image *to, const desk_image *from, desk_error *err)
{
    return desk_image_crop(to, from, (desk_rect){0, 0, from->width, from->height}, err);
}

/* --- Reads the text of an image: the callback gets { words, areas, known }, the words of a line
 * --- together, each { text, x, y, width, height, confidence (0..1), line }. What has been read
 * once
 * --- is known by its pixels (`known` of the `areas`).
 * ---@param image deskpilot.image
 * ---@param language string as Tesseract names it: "eng", "eng+deu"
 * ---@param timeout number seconds
 * ---@param callback fun(result: table?, err: deskpilot.error?)
 * ---@return fun()? cancel after which the callback is not called
 * ---@return deskpilot.error? err */
static int reader_read(lua_State *L)
{
    handle *h = luaL_checkudata(L, 1, READER_TYPE);
    luaL_argcheck(L, h->reader, 1, "the reader has been closed");
    const desk_image *image = lib_check_image(L, 2);
    const char *language = luaL_checkstring(L, 3);
    double timeout = check_timeout(L, 4);
    luaL_checktype(L, 5, LUA_TFUNCTION);
    desk_error err;
    if (!desk_ocr_check(language, &err))
        return lib_fail(L, &err);
    job **box = lua_newuserdatauv(L, sizeof *box, 0);
    *box = NULL;
    luaL_setmetatable(L, CANCEL_TYPE);
    lua_pushcclosure(L, cancel, 1);
    lua_pushvalue(L, 5);
    int callback = luaL_ref(L, LUA_REGISTRYINDEX);
    job *j = calloc(1, sizeof *j);
    if (!j || !copy_image(&j->image, image, &err)) {
        free(j);
        luaL_unref(L, LUA_REGISTRYINDEX, callback);
        return luaL_error(L, "not enough memory");
    }
    j->reader = h->reader;
    j->reader->uses++;
    j->L = luv_state(L);
    j->callback = callback;
    lua_pushvalue(L, 1);
    j->self = luaL_ref(L, LUA_REGISTRYINDEX);
    j->timeout = timeout;
    strcpy(j->language, language); /* desk_ocr_check has seen to its length */
    j->box = box;
    *box = j;
    j->list = &h->jobs;
    j->next = h->jobs;
    h->jobs = j;
    j->work.data = j;
    uv_queue_work(luv_loop(L), &j->work, run, done); /* fails only for a missing function */
    return 1;
}

/* --- Whether text can be read in that language, and what is missing where it cannot.
 * ---@param language string
 * ---@return true? ok, deskpilot.error? err */
static int module_check(lua_State *L)
{
    desk_error err;
    if (!desk_ocr_check(luaL_checkstring(L, 1), &err))
        return lib_fail(L, &err);
    lua_pushboolean(L, 1);
    return 1;
}

/* --- Ends the reader; reads under way are given up. */
static int reader_close(lua_State *L)
{
    handle *h = luaL_checkudata(L, 1, READER_TYPE);
    if (!h->reader)
        return 0;
    for (job *j = h->jobs; j; j = j->next)
        atomic_store(&j->cancel, true);
    reader_release(h->reader);
    h->reader = NULL;
    return 0;
}

/* Jobs keep the userdata alive, so those still there belong to a state that is being closed. */
static int reader_gc(lua_State *L)
{
    handle *h = luaL_checkudata(L, 1, READER_TYPE);
    for (job *j = h->jobs, *next; j; j = next) {
        next = j->next;
        drop(j);
        j->list = NULL;
    }
    h->jobs = NULL;
    return reader_close(L);
}

/* --- A reader. What it has read, and its engines, are kept until it is closed.
 * ---@return deskpilot.ocr? reader, deskpilot.error? err */
static int module_open(lua_State *L)
{
    desk_error err;
    handle *h = lua_newuserdatauv(L, sizeof *h, 0);
    *h = (handle){0};
    luaL_setmetatable(L, READER_TYPE);
    reader *r = calloc(1, sizeof *r);
    if (!r)
        return luaL_error(L, "not enough memory");
    r->ocr = desk_ocr_new(&err);
    if (!r->ocr) {
        free(r);
        return lib_fail(L, &err);
    }
    r->uses = 1;
    h->reader = r;
    return 1;
}

int lib_open_ocr(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"read", reader_read}, {"close", reader_close}, {NULL, NULL}};
    static const luaL_Reg none[] = {{NULL, NULL}};
    static const luaL_Reg module[] = {{"open", module_open}, {"check", module_check}, {NULL, NULL}};
    lib_new_type(L, READER_TYPE, methods, reader_gc);
    lib_new_type(L, CANCEL_TYPE, none, cancel_gc);
    luaL_newlib(L, module);
    return 1;
}
