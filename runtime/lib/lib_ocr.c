/*
 * native.ocr: reading text off pictures, for scripts. A read runs on libuv's thread pool and tells
 * its callback on the loop.
 */
#include "lib.h"
#include "lib_job.h"
#include "ocr/ocr.h"

#include <stdlib.h>
#include <string.h>

/* A reader of text, with its engines. */
#define READER_TYPE "native.Ocr"

/* The userdata's and its jobs': whoever lets go last frees it. Main thread. */
typedef struct {
    ocr_reader *ocr;
    int uses;
} reader;

typedef struct {
    lib_job job;
    reader *reader;
    char language[200];
    image_bitmap image;
    ocr_text text;
} reading;

typedef struct {
    reader *reader; /* NULL once closed */
    lib_job_list jobs;
} handle;

static void reader_release(reader *r)
{
    if (--r->uses > 0) {
        return;
    }
    ocr_free(r->ocr);
    free(r);
}

/* --- results ------------------------------------------------------------------------------------
 */

static void set_integer(lua_State *L, const char *key, lua_Integer value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, key);
}

static void push_word(lua_State *L, const void *list, size_t index)
{
    const ocr_word *word = &((const ocr_text *) list)->words[index];
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

static int reading_push(lua_State *L, lib_job *job)
{
    const ocr_text *text = &((reading *) job)->text;
    lua_createtable(L, 0, 3);
    lib_push_list(L, text->count, push_word, text);
    lua_setfield(L, -2, "words");
    set_integer(L, "areas", text->areas);
    set_integer(L, "known", text->known);
    return 1;
}

/* --- a reading ----------------------------------------------------------------------------------
 */

static bool reading_run(lib_job *job)
{
    reading *r = (reading *) job;
    return ocr_read(r->reader->ocr, &r->image, r->language, job->deadline, &job->cancel, &r->text,
                    &job->err);
}

static void reading_release(lib_job *job)
{
    reading *r = (reading *) job;
    ocr_text_free(&r->text);
    image_free(&r->image);
    if (r->reader) {
        reader_release(r->reader);
    }
}

static const lib_job_ops reading_ops = {reading_run, reading_push, reading_release};

/* --- the reader ---------------------------------------------------------------------------------
 */

static double check_timeout(lua_State *L, int index)
{
    double value = luaL_checknumber(L, index);
    luaL_argcheck(L, value >= 0 && value <= 3600, index, "timeout must be 0 to 3600 seconds");
    return value;
}

/* A copy of its own for each read: the script may draw on the image meanwhile, or close it. */
static bool copy_image(image_bitmap *to, const image_bitmap *from, base_error *err)
{
    return image_crop(to, from, (image_rect){0, 0, from->width, from->height}, err);
}

/* Reads the text of an image: the callback gets { words, areas, known }, the words of a line
 * together, each { text, x, y, width, height, confidence (0..1), line }. What has been read once is
 * known by its pixels (`known` of the `areas`).
 * ---@param image native.Image
 * ---@param language string as Tesseract names it: "eng", "eng+deu"
 * ---@param timeout number seconds
 * ---@param callback fun(result: { words: table[], areas: integer, known: integer }?,
 * err: deskpilot.error?)
 * ---@return fun()? cancel after which the callback is not called
 * ---@return deskpilot.error? err */
static int reader_read(lua_State *L)
{
    handle *h = luaL_checkudata(L, 1, READER_TYPE);
    luaL_argcheck(L, h->reader, 1, "the reader has been closed");
    const image_bitmap *image = lib_check_image(L, 2);
    const char *language = luaL_checkstring(L, 3);
    double timeout = check_timeout(L, 4);
    luaL_checktype(L, 5, LUA_TFUNCTION);
    base_error err;
    if (!ocr_check(language, &err)) {
        return lib_fail(L, &err);
    }
    reading *r = lib_job_new(L, sizeof *r, &reading_ops);
    if (!copy_image(&r->image, image, &err)) {
        return luaL_error(L, "not enough memory");
    }
    r->reader = h->reader;
    r->reader->uses++;
    strcpy(r->language, language); /* ocr_check has seen to its length */
    lib_job_start(
        L, &r->job,
        &(lib_job_start_options){.callback = 5, .timeout = timeout, .owner = 1, .list = &h->jobs});
    return 1;
}

/* Whether text can be read in that language, and what is missing where it cannot.
 * ---@param language string
 * ---@return true? ok, deskpilot.error? err */
static int module_check(lua_State *L)
{
    base_error err;
    if (!ocr_check(luaL_checkstring(L, 1), &err)) {
        return lib_fail(L, &err);
    }
    lua_pushboolean(L, 1);
    return 1;
}

/* Ends the reader; reads under way are given up. */
static int reader_close(lua_State *L)
{
    handle *h = luaL_checkudata(L, 1, READER_TYPE);
    if (!h->reader) {
        return 0;
    }
    lib_job_cancel_all(&h->jobs);
    reader_release(h->reader);
    h->reader = NULL;
    return 0;
}

/* A reader. What it has read, and its engines, are kept until it is closed.
 * ---@return native.Ocr? reader, deskpilot.error? err */
static int module_open(lua_State *L)
{
    base_error err;
    handle *h = lua_newuserdatauv(L, sizeof *h, 0);
    *h = (handle){0};
    luaL_setmetatable(L, READER_TYPE);
    reader *r = calloc(1, sizeof *r);
    if (!r) {
        return luaL_error(L, "not enough memory");
    }
    r->ocr = ocr_new(&err);
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
    static const luaL_Reg module[] = {{"open", module_open}, {"check", module_check}, {NULL, NULL}};
    lib_new_type(L, READER_TYPE, methods, reader_close);
    lib_job_open(L);
    luaL_newlib(L, module);
    return 1;
}
