/*
 * Fuzzers whose target is Lua: tests/fuzz/NAME.lua gives a function that is called with the bytes
 * of an input in the state that the program has, and raises an error where something is not as it
 * should be. So does this file for what every one of them must keep to: no error, no more memory
 * than a multiple of the input, nothing left behind. The lines that Lua runs are libFuzzer's
 * coverage, since the interpreter itself is not instrumented.
 */
#include "fuzz.h"
#include "host/host.h"

#include <lauxlib.h>

enum {
    FREE_BYTES =
        24 << 20, /* that an input may take whatever its size, with what is not collected */
    BYTES_PER_BYTE = 400,
    LEFT_BYTES = 6 << 20, /* that may stay in use in the long run */
    OFTEN = 2048,         /* after so many inputs what is in use is measured */
};

/* --- memory -------------------------------------------------------------------------------------
 */

static size_t used, peak;

static void *allocate(void *unused, void *block, size_t old_size, size_t new_size)
{
    (void) unused;
    size_t had = block ? old_size : 0;
    if (new_size == 0) {
        free(block);
        used -= had;
        return NULL;
    }
    void *made = realloc(block, new_size);
    if (made) {
        used = used - had + new_size;
        peak = used > peak ? used : peak;
    }
    return made;
}

/* --- coverage -----------------------------------------------------------------------------------
 */

#ifdef __clang__
const char *__asan_default_options(void); /* NOLINT: its name is the sanitizer's */

/* What Lua keeps from one input to the next is looked for as a leak after each, which takes most of
 * the time. What is left behind is measured here. */
const char *__asan_default_options(void) /* NOLINT */
{
    return "detect_leaks=0";
}

enum { COUNTERS = 1 << 16 };
__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t counters[COUNTERS];

enum {
    MOST_LINES = 1 << 14
}; /* of an input that are looked at: that takes longer than running them */
static int lines;

/* A step from one line to another. */
static void on_line(lua_State *L, lua_Debug *line)
{
    static uint32_t last;
    if (++lines > MOST_LINES) {
        lua_sethook(L, NULL, 0, 0);
        return;
    }
    lua_getinfo(L, "S", line);
    uint32_t here = (uint32_t) ((uintptr_t) line->source >> 4) * 2654435761u +
                    (uint32_t) line->currentline * 40503u;
    uint8_t *counter = &counters[(here ^ last) % COUNTERS];
    *counter = *counter < 255 ? *counter + 1 : 255;
    last = here >> 1;
}

static void watch_lines(lua_State *L)
{
    lines = 0;
    lua_sethook(L, on_line, LUA_MASKLINE, 0);
}
#else
static void watch_lines(lua_State *L)
{
    (void) L;
}
#endif

/* --- the target ---------------------------------------------------------------------------------
 */

/* Targets may use modules of tests/lua and tests/fuzz, which the program itself never reads. */
static const char bootstrap[] = "table.insert(package.searchers, 2, function(name)\n"
                                "  for _, folder in ipairs { 'tests/fuzz/', 'tests/lua/' } do\n"
                                "    local path = folder .. name:gsub('%.', '/') .. '.lua'\n"
                                "    local chunk = loadfile(path)\n"
                                "    if chunk then return chunk, path end\n"
                                "  end\n"
                                "end)\n"
                                "return assert(loadfile('tests/fuzz/" FUZZED ".lua'))()\n";

static void fail(lua_State *L, const char *what)
{
    fprintf(stderr, "fuzz " FUZZED ": %s: %s\n", what, luaL_tolstring(L, -1, NULL));
    abort();
}

static int traceback(lua_State *L)
{
    luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
    return 1;
}

static lua_State *state; /* with the function at index 2, below it the handler of errors */

static void close_target(void) /* a target may have made files, which go with it */
{
    host_close(state, 0);
}

static lua_State *open_target(void)
{
    lua_State *L = state = host_open();
    if (!L || atexit(close_target) != 0) {
        abort();
    }
    used = (size_t) lua_gc(L, LUA_GCCOUNT) * 1024 + (size_t) lua_gc(L, LUA_GCCOUNTB);
    lua_setallocf(L, allocate, NULL);
    lua_pushcfunction(L, traceback);
    if (luaL_loadstring(L, bootstrap) != LUA_OK || lua_pcall(L, 0, 1, 1) != LUA_OK) {
        fail(L, "cannot begin");
    }
    luaL_checktype(L, 2, LUA_TFUNCTION);
    return L;
}

static void call(lua_State *L, const uint8_t *data, size_t size)
{
    watch_lines(L);
    lua_pushvalue(L, 2);
    lua_pushlstring(L, (const char *) data, size);
    if (lua_pcall(L, 1, 0, 1) != LUA_OK) {
        fail(L, "failed");
    }
}

/* Bytes in use when everything has been collected that can be. */
static size_t in_use(lua_State *L)
{
    lua_gc(L, LUA_GCCOLLECT);
    lua_gc(L, LUA_GCCOLLECT);
    return used;
}

static void require_bytes(lua_State *L, size_t bytes, size_t most, const char *what)
{
    if (bytes > most) {
        lua_pushfstring(L, "%d kB, and at most %d kB may be", (int) (bytes / 1024),
                        (int) (most / 1024));
        fail(L, what);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static size_t began, count;
    lua_State *L = state ? state : open_target();
    if (!began) {
        call(L, data, size); /* loads the rest of the modules */
        began = in_use(L);
    }
    size_t before = peak = used;
    call(L, data, size);
    require_bytes(L, peak - before, FREE_BYTES + size * BYTES_PER_BYTE, "took too much memory");
    if (++count % OFTEN == 0) {
        require_bytes(L, in_use(L), began + LEFT_BYTES, "leaves memory behind");
    }
    return 0;
}
