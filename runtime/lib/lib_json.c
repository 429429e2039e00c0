/*
 * native.json: what is asked of a JSON text before it is decoded, and of values that are data.
 * lua-cjson takes up to fifty times the bytes of a text that is made of empty lists, and refuses a
 * text for half a character.
 */
#include "lib_json.h"
#include "base/utf8.h"
#include "lib.h"

#include <math.h>
#include <string.h>

/* The byte after the string that begins at text[at], or `size` where it does not end. */
static size_t string_end(const char *text, size_t size, size_t at)
{
    for (at++; at < size && text[at] != '"'; at++) {
        if (text[at] == '\\') {
            at++;
        }
    }
    return at < size ? at + 1 : size;
}

/* How many values a JSON text holds, the keys of objects among them, and how deep its lists and
 * objects are nested. Stops counting where there are more values than `most`. Neither number is too
 * low; for a text that is not well-formed they are those of what precedes the mistake, or more.
 * ---@param text string
 * ---@param most integer
 * ---@return integer values, integer depth */
static int lib_json_measure(lua_State *L)
{
    size_t size;
    const char *text = luaL_checklstring(L, 1, &size);
    lua_Integer most = luaL_checkinteger(L, 2);
    lua_Integer values = 1, depth = 0, deepest = 0;
    size_t at = 0;
    while (at < size && values <= most) {
        switch (text[at]) {
        case '"':
            at = string_end(text, size, at);
            continue;
        case '[':
        case '{':
            depth++;
            deepest = depth > deepest ? depth : deepest;
            values++;
            break;
        case ']':
        case '}':
            depth--;
            break;
        case ',':
        case ':':
            values++;
            break;
        default:
            break;
        }
        at++;
    }
    lua_pushinteger(L, values);
    lua_pushinteger(L, deepest);
    return 2;
}

/* The value of \uXXXX at text[at], -1 where there is none. */
static int escaped_unit(const char *text, size_t size, size_t at)
{
    static const char digits[] = "0123456789abcdef";
    int unit = 0;
    if (size < 6 || at > size - 6 || text[at] != '\\' || text[at + 1] != 'u') {
        return -1;
    }
    for (size_t i = at + 2; i < at + 6; i++) {
        char c = text[i] >= 'A' && text[i] <= 'F' ? (char) (text[i] + 32) : text[i];
        const char *digit = c ? strchr(digits, c) : NULL;
        if (!digit) {
            return -1;
        }
        unit = unit * 16 + (int) (digit - digits);
    }
    return unit;
}

/* The text with each half of a surrogate pair that stands alone (\ud83d) replaced by \ufffd, which
 * is as long. nil where there is none.
 * ---@param text string
 * ---@return string? mended */
static int lib_json_mend(lua_State *L)
{
    size_t size;
    const char *text = luaL_checklstring(L, 1, &size);
    luaL_Buffer buffer;
    char *copy = NULL;
    size_t at = 0;
    for (;;) {
        const char *next = at < size ? memchr(text + at, '\\', size - at) : NULL;
        if (!next) {
            break;
        }
        at = (size_t) (next - text);
        int unit = escaped_unit(text, size, at);
        if (unit < 0xD800 || unit > 0xDFFF) {
            at += 2; /* an escaped backslash does not begin an escape */
            continue;
        }
        int low = unit < 0xDC00 ? escaped_unit(text, size, at + 6) : -1;
        if (low >= 0xDC00 && low <= 0xDFFF) {
            at += 12;
            continue;
        }
        if (!copy) {
            copy = luaL_buffinitsize(L, &buffer, size);
            memcpy(copy, text, size);
        }
        memcpy(copy + at, "\\ufffd", 6);
        at += 6;
    }
    if (copy) {
        luaL_pushresultsize(&buffer, size);
    } else {
        lua_pushnil(L);
    }
    return 1;
}

/* The text with each byte that is not valid UTF-8 replaced by U+FFFD.
 * ---@param text string
 * ---@return string */
static int lib_json_utf8(lua_State *L)
{
    size_t size;
    const char *text = luaL_checklstring(L, 1, &size);
    size_t bad = 0, at = 0;
    while (at < size) {
        size_t good = base_utf8_check(text + at, size - at);
        at += good;
        bad += at < size;
        at += at < size;
    }
    luaL_Buffer buffer;
    char *out = luaL_buffinitsize(L, &buffer, size + 2 * bad);
    size_t filled = 0;
    for (at = 0; at < size; at++) {
        size_t good = base_utf8_check(text + at, size - at);
        memcpy(out + filled, text + at, good);
        filled += good;
        at += good;
        if (at < size) {
            memcpy(out + filled, "\xEF\xBF\xBD", 3);
            filled += 3;
        }
    }
    luaL_pushresultsize(&buffer, filled);
    return 1;
}

static bool same(lua_State *L, int a, int b, int depth);

/* Whether each field of the table at `a` is in that at `b`: with the same value, or at all. */
static bool same_fields(lua_State *L, int a, int b, int depth, bool values)
{
    int top = lua_gettop(L);
    luaL_checkstack(L, 8, "tables too deep to compare");
    lua_pushnil(L);
    while (lua_next(L, a)) {
        lua_pushvalue(L, -2);
        lua_gettable(L, b);
        if (values ? !same(L, top + 2, top + 3, depth + 1) : lua_isnil(L, -1)) {
            lua_settop(L, top);
            return false;
        }
        lua_pop(L, 2);
    }
    return true;
}

static bool same(lua_State *L, int a, int b, int depth)
{
    enum { DEEPEST = 8 };
    int kind = lua_type(L, a);
    if (lua_compare(L, a, b, LUA_OPEQ)) {
        return true;
    }
    if (kind != lua_type(L, b)) {
        return false;
    }
    if (kind != LUA_TTABLE) {
        return kind == LUA_TUSERDATA || kind == LUA_TFUNCTION;
    }
    return depth > DEEPEST ||
           (same_fields(L, a, b, depth, true) && same_fields(L, b, a, depth, false));
}

/* Whether two values say the same, as data: functions and objects of C are passed over, and so is
 * what lies deeper than 8 tables.
 * ---@param a any
 * ---@param b any
 * ---@return boolean */
static int lib_json_same(lua_State *L)
{
    luaL_checkany(L, 1);
    luaL_checkany(L, 2);
    lua_settop(L, 2);
    lua_pushboolean(L, same(L, 1, 2, 0));
    return 1;
}

/* The JSON text of a value; see deskpilot.base.json, which says what is a list, a text that is made
 * already and an order, by tables and metatables. Raises an error for what JSON cannot represent.
 * ---@param value any
 * ---@param list table the metatable of lists
 * ---@param texts table<table, string>
 * ---@param orders table<table, string[]> by the metatables of objects
 * ---@param change deskpilot.json.change?
 * ---@return string */
static int lib_json_encode(lua_State *L)
{
    return lib_json_write(L);
}

static void tidy(lua_State *L, int index);

/* Tidies the fields of the table at `index`, in place. */
static void tidy_fields(lua_State *L, int index)
{
    bool list = lua_rawlen(L, index) > 0;
    luaL_checkstack(L, 8, "tables too deep to tidy");
    lua_pushnil(L);
    while (lua_next(L, index)) {
        int kind = lua_type(L, -1);
        if (kind == LUA_TNUMBER || kind == LUA_TTABLE || (kind == LUA_TLIGHTUSERDATA && !list)) {
            tidy(L, lua_gettop(L));
        }
        if (kind == LUA_TNUMBER || (kind == LUA_TLIGHTUSERDATA && !list)) {
            lua_pushvalue(L, -2);
            lua_insert(L, -2);
            lua_rawset(L, index); /* a field that is there may be set meanwhile */
        } else {
            lua_pop(L, 1);
        }
    }
}

/* Tidies the value at an absolute index, where it is replaced. */
static void tidy(lua_State *L, int index)
{
    double number;
    lua_Integer whole;
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        number = lua_tonumber(L, index);
        if (isinf(number)) {
            lua_pushliteral(L, "it has a number that is too large");
            lua_error(L);
        }
        if (lua_numbertointeger(number, &whole) && (double) whole == number) {
            lua_pushinteger(L, whole);
            lua_replace(L, index);
        }
        break;
    case LUA_TTABLE:
        tidy_fields(L, index);
        break;
    case LUA_TLIGHTUSERDATA: /* null */
        lua_pushnil(L);
        lua_replace(L, index);
        break;
    default:
        break;
    }
}

/* Makes what lua-cjson has decoded what deskpilot.base.json promises, tables in place: whole
 * numbers are integers (lua-cjson's are floats), and a null in an object is nil; one in a list
 * stays, since it would end the list. A number beyond all floats is an error: it could not be
 * encoded again.
 * ---@param value any
 * ---@return any value */
static int lib_json_tidy(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_settop(L, 1);
    tidy(L, 1);
    return 1;
}

int lib_open_json(lua_State *L)
{
    static const luaL_Reg functions[] = {{"encode", lib_json_encode},
                                         {"measure", lib_json_measure},
                                         {"mend", lib_json_mend},
                                         {"same", lib_json_same},
                                         {"tidy", lib_json_tidy},
                                         {"utf8", lib_json_utf8},
                                         {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
