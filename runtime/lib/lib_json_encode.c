/* The part of native.json that writes values as JSON texts (lib_json.c). Every turn of a run writes
 * some hundred kilobytes of requests, journal and messages to browsers. */
#include "base/utf8.h"
#include "lib_json.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEEPEST = 100,          /* lists and objects inside each other */
    FIRST_BYTES = 4096,     /* of the buffer */
    FIRST_NAMES = 64,       /* of the objects that are open */
    MOST_KEPT = 256 * 1024, /* bytes of a buffer that is kept for the next text */
    SLOTS = 12,             /* of Lua's stack, that one level needs */
};

/* The name of a field. The table that it is in keeps it alive. */
typedef struct {
    const char *text;
    size_t size;
    bool placed; /* by the object's order */
} name;

/* A text that is being written. Both memories are userdata on the stack, so that an error frees
 * them. */
typedef struct {
    lua_State *L;
    char *data;
    size_t size, capacity;
    name *names; /* of the objects that are open, the innermost's at the end */
    size_t name_count, name_capacity;
    bool changes; /* whether texts are changed by the functions in CHANGE */
} writer;

/* Places on the stack. From KINDS to ORDERS: the arguments of native.json.encode. */
enum {
    VALUE = 1,
    LIST,
    TEXTS,
    ORDERS,
    CHANGE,
    BUFFER,
    NAMES,
    ANCHOR,
    SAME,
    PLAIN,
    CONSTANTS,
    LAST
};

static void grow(writer *w, size_t more)
{
    size_t capacity = w->capacity;
    while (capacity - w->size < more) {
        if (capacity > SIZE_MAX / 2) {
            luaL_error(w->L, "not enough memory");
        }
        capacity *= 2;
    }
    char *data = lua_newuserdatauv(w->L, capacity, 0);
    memcpy(data, w->data, w->size);
    lua_replace(w->L, BUFFER);
    w->data = data;
    w->capacity = capacity;
}

static void put(writer *w, const char *text, size_t size)
{
    if (w->capacity - w->size < size) {
        grow(w, size);
    }
    memcpy(w->data + w->size, text, size);
    w->size += size;
}

/* The escape of a byte, and its length; 0 where it stands for itself. */
static size_t escape_of(unsigned char c, char out[8])
{
    static const char hex[] = "0123456789abcdef";
    static const char plain[] = "\"\\\b\t\n\f\r", letters[] = "\"\\btnfr";
    const char *at = c ? strchr(plain, c) : NULL;
    if (at) {
        out[0] = '\\';
        out[1] = letters[at - plain];
        return 2;
    }
    if (c >= 0x20 && c != 0x7F) {
        return 0;
    }
    memcpy(out, "\\u00", 4);
    out[4] = hex[c >> 4];
    out[5] = hex[c & 15];
    return 6;
}

/* Bytes that are valid UTF-8, in quotes. */
static void put_valid(writer *w, const char *text, size_t size)
{
    char escape[8];
    size_t from = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char) text[i];
        if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7F) {
            continue;
        }
        put(w, text + from, i - from);
        put(w, escape, escape_of(c, escape));
        from = i + 1;
    }
    put(w, text + from, size - from);
}

/* JSON is Unicode; servers and window titles are not always: a byte that is none becomes U+FFFD. */
static void put_string(writer *w, const char *text, size_t size)
{
    put(w, "\"", 1);
    for (size_t at = 0; at < size;) {
        size_t good = base_utf8_check(text + at, size - at);
        put_valid(w, text + at, good);
        at += good;
        if (at < size) {
            put(w, "\xEF\xBF\xBD", 3);
            at++;
        }
    }
    put(w, "\"", 1);
}

static void put_number(writer *w, int index)
{
    char text[64];
    int size;
    double number = lua_tonumber(w->L, index);
    if (lua_isinteger(w->L, index)) {
        size = snprintf(text, sizeof(text), "%lld", (long long) lua_tointeger(w->L, index));
    } else if (isnan(number) || isinf(number)) {
        lua_pushfstring(w->L, "JSON has no such number: %s", luaL_tolstring(w->L, index, NULL));
        lua_error(w->L);
        return;
    } else if (floor(number) == number && fabs(number) < 1e15) {
        size = snprintf(text, sizeof(text), "%lld", (long long) number);
    } else {
        size = snprintf(text, sizeof(text), "%.14g", number);
    }
    put(w, text, (size_t) size);
}

/* The text on top of the stack, which is taken off. */
static void put_top(writer *w)
{
    size_t size;
    const char *text = lua_tolstring(w->L, -1, &size);
    put(w, text ? text : "", text ? size : 0);
    lua_pop(w->L, 1);
}

/* Pushes what a function of `change` makes of the arguments on top of the stack. */
static void ask(writer *w, const char *function, int count)
{
    lua_getfield(w->L, CHANGE, function);
    lua_insert(w->L, -1 - count);
    lua_call(w->L, count, 1);
}

/* The string on top of the stack, which is taken off. */
static void put_string_on_top(writer *w)
{
    size_t size;
    const char *text = luaL_checklstring(w->L, -1, &size);
    put_string(w, text, size);
    lua_pop(w->L, 1);
}

/* Whether table[key] is there and not false, for the key at `index`. */
static bool holds(lua_State *L, int table, int index)
{
    lua_pushvalue(L, index);
    lua_rawget(L, table);
    bool held = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return held;
}

static int by_bytes(const void *a, const void *b)
{
    const name *one = a, *other = b;
    size_t size = one->size < other->size ? one->size : other->size;
    int order = memcmp(one->text, other->text, size);
    return order ? order : (one->size > other->size) - (one->size < other->size);
}

static void add_name(writer *w, name added)
{
    if (w->name_count == w->name_capacity) {
        name *names = lua_newuserdatauv(w->L, 2 * w->name_capacity * sizeof(name), 0);
        memcpy(names, w->names, w->name_count * sizeof(name));
        lua_replace(w->L, NAMES);
        w->names = names;
        w->name_capacity *= 2;
    }
    w->names[w->name_count++] = added;
}

/* Adds the names of the table's fields, sorted. */
static void add_names(writer *w, int table)
{
    lua_State *L = w->L;
    size_t first = w->name_count;
    lua_pushnil(L);
    while (lua_next(L, table)) {
        name key = {0};
        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TSTRING) {
            lua_pushfstring(L, "a JSON object needs string keys, not %s", luaL_typename(L, -1));
            lua_error(L);
        }
        key.text = lua_tolstring(L, -1, &key.size);
        if (w->changes) { /* its functions may do anything to the table */
            lua_pushvalue(L, -1);
            lua_rawseti(L, ANCHOR, (lua_Integer) w->name_count + 1);
        }
        add_name(w, key);
    }
    qsort(w->names + first, w->name_count - first, sizeof(name), by_bytes);
}

/* Puts those of the names since `first` that are in the list on top of the stack before the others,
 * in the list's order. */
static void order_names(writer *w, size_t first)
{
    lua_State *L = w->L;
    size_t count = w->name_count - first;
    for (size_t i = 0; i < count; i++) { /* a copy, since what is sorted is searched */
        add_name(w, w->names[first + i]);
    }
    name *out = w->names + first, *sorted = out + count;
    size_t placed = 0;
    lua_Unsigned length = lua_rawlen(L, -1);
    for (lua_Unsigned i = 1; i <= length; i++) {
        name wanted = {0};
        if (lua_rawgeti(L, -1, (lua_Integer) i) == LUA_TSTRING) {
            wanted.text = lua_tolstring(L, -1, &wanted.size);
            name *found = bsearch(&wanted, sorted, count, sizeof(name), by_bytes);
            if (found && !found->placed) {
                out[placed++] = *found;
                found->placed = true;
            }
        }
        lua_pop(L, 1);
    }
    for (size_t i = 0; i < count; i++) {
        if (!sorted[i].placed) {
            out[placed++] = sorted[i];
        }
    }
    w->name_count = first + count;
}

static void put_value(writer *w, int index, int depth);
static void put_object(writer *w, int table, int depth);

/* Whether the name on top of the stack becomes another one. */
static bool name_changes(writer *w)
{
    if (holds(w->L, SAME, lua_gettop(w->L))) {
        return false;
    }
    lua_pushvalue(w->L, -1);
    ask(w, "text", 1);
    bool changed = !lua_rawequal(w->L, -1, -2);
    lua_pop(w->L, 1);
    return changed;
}

/* A field's value, on top of the stack above its name. */
static void put_field(writer *w, int depth)
{
    lua_State *L = w->L;
    int value = lua_gettop(L);
    if (!w->changes || lua_type(L, value) != LUA_TSTRING) {
        put_value(w, value, depth);
        return;
    }
    if (!(holds(L, SAME, value) && holds(L, PLAIN, value - 1))) {
        lua_pushvalue(L, value - 1);
        lua_pushvalue(L, value);
        ask(w, "item", 2);
        lua_replace(L, value);
    }
    lua_pushvalue(L, value);
    put_string_on_top(w);
}

/* The object as `change` makes a whole copy of it, where a field's name changes: the fields' order
 * may, too. */
static void put_changed_copy(writer *w, int table, int depth)
{
    lua_pushvalue(w->L, table);
    ask(w, "copy", 1);
    luaL_checktype(w->L, -1, LUA_TTABLE);
    w->changes = false;
    put_object(w, lua_gettop(w->L), depth);
    w->changes = true;
    lua_pop(w->L, 1);
}

static void put_object(writer *w, int table, int depth)
{
    lua_State *L = w->L;
    size_t first = w->name_count, before = w->size;
    luaL_checkstack(L, SLOTS, "tables too deep for JSON");
    add_names(w, table);
    if (lua_getmetatable(L, table)) {
        if (lua_rawget(L, ORDERS) == LUA_TTABLE) {
            order_names(w, first);
        }
        lua_pop(L, 1);
    }
    size_t last = w->name_count;
    put(w, "{", 1);
    for (size_t i = first; i < last; i++) {
        name key = w->names[i];
        lua_pushlstring(L, key.text, key.size);
        if (w->changes && name_changes(w)) {
            lua_pop(L, 1);
            w->name_count = first;
            w->size = before;
            put_changed_copy(w, table, depth);
            return;
        }
        if (i > first) {
            put(w, ",", 1);
        }
        put_string(w, key.text, key.size);
        put(w, ":", 1);
        lua_pushvalue(L, -1);
        lua_rawget(L, table);
        put_field(w, depth);
        lua_pop(L, 2);
    }
    put(w, "}", 1);
    w->name_count = first;
}

/* A table that does not change any more, whose changed text is kept. */
static void put_constant(writer *w, int table, int depth)
{
    lua_State *L = w->L;
    lua_pushvalue(L, table);
    if (lua_rawget(L, CONSTANTS) == LUA_TSTRING) {
        put_top(w);
        return;
    }
    lua_pop(L, 1);
    size_t before = w->size;
    put_object(w, table, depth);
    lua_pushvalue(L, table);
    lua_pushlstring(L, w->data + before, w->size - before);
    lua_rawset(L, CONSTANTS);
}

static bool is_list(lua_State *L, int table)
{
    if (lua_getmetatable(L, table)) {
        bool marked = lua_rawequal(L, -1, LIST);
        lua_pop(L, 1);
        if (marked) {
            return true;
        }
    }
    lua_Unsigned length = lua_rawlen(L, table), count = 0;
    if (length == 0) {
        return false;
    }
    lua_pushnil(L);
    while (lua_next(L, table)) {
        lua_pop(L, 1);
        count++;
    }
    return count == length;
}

static void put_list(writer *w, int table, int depth)
{
    lua_State *L = w->L;
    lua_Unsigned length = lua_rawlen(L, table);
    put(w, "[", 1);
    for (lua_Unsigned i = 1; i <= length; i++) {
        if (i > 1) {
            put(w, ",", 1);
        }
        lua_rawgeti(L, table, (lua_Integer) i);
        put_value(w, lua_gettop(L), depth + 1);
        lua_pop(L, 1);
    }
    put(w, "]", 1);
}

/* Replaces a table that is a view of another one (__pairs) by a copy of what it shows. */
static void replace_view(lua_State *L, int table)
{
    if (luaL_getmetafield(L, table, "__pairs") == LUA_TNIL) {
        return;
    }
    lua_newtable(L);
    int copy = lua_gettop(L);
    lua_pushvalue(L, copy - 1);
    lua_pushvalue(L, table);
    lua_call(L, 1, 3);
    for (;;) { /* next, state, key */
        lua_pushvalue(L, copy + 1);
        lua_pushvalue(L, copy + 2);
        lua_pushvalue(L, copy + 3);
        lua_call(L, 2, 2);
        if (lua_isnil(L, -2)) {
            break;
        }
        lua_pushvalue(L, -2);
        lua_replace(L, copy + 3);
        lua_rawset(L, copy);
    }
    lua_pushvalue(L, copy);
    lua_replace(L, table);
    lua_settop(L, copy - 2);
}

static void put_table(writer *w, int index, int depth)
{
    lua_State *L = w->L;
    luaL_checkstack(L, SLOTS, "tables too deep for JSON");
    replace_view(L, index);
    lua_pushvalue(L, index);
    bool constant = lua_rawget(L, TEXTS) == LUA_TSTRING;
    if (constant && !w->changes) {
        put_top(w);
        return;
    }
    lua_pop(L, 1);
    if (depth > DEEPEST) {
        lua_pushliteral(L, "too deep (or circular) for JSON");
        lua_error(L);
    }
    if (is_list(L, index)) {
        put_list(w, index, depth);
    } else if (constant) {
        put_constant(w, index, depth + 1);
    } else {
        put_object(w, index, depth + 1);
    }
}

/* The value at an absolute index, which may be replaced there. */
static void put_value(writer *w, int index, int depth)
{
    lua_State *L = w->L;
    switch (lua_type(L, index)) {
    case LUA_TSTRING:
        lua_pushvalue(L, index);
        if (w->changes) {
            ask(w, "text", 1);
        }
        put_string_on_top(w);
        return;
    case LUA_TNUMBER:
        put_number(w, index);
        return;
    case LUA_TBOOLEAN:
        put(w, lua_toboolean(L, index) ? "true" : "false", lua_toboolean(L, index) ? 4 : 5);
        return;
    case LUA_TNIL:
        put(w, "null", 4);
        return;
    case LUA_TTABLE:
        put_table(w, index, depth);
        return;
    case LUA_TLIGHTUSERDATA:
        if (!lua_touserdata(L, index)) { /* json.null */
            put(w, "null", 4);
            return;
        }
        break;
    default:
        break;
    }
    lua_pushfstring(L, "JSON cannot hold a %s", luaL_typename(L, index));
    lua_error(L);
}

/* The memories of the text before, by these keys in Lua's registry. */
static const char buffer_key, names_key;

/* Takes such a memory, so that a text that is begun meanwhile has another one. */
static void *take_memory(lua_State *L, const void *key, size_t size)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, key);
    void *memory = lua_touserdata(L, -1);
    if (!memory) {
        lua_pop(L, 1);
        return lua_newuserdatauv(L, size, 0);
    }
    lua_pushnil(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, key);
    return memory;
}

static void give_back(lua_State *L, const void *key, int index)
{
    if (lua_rawlen(L, index) <= MOST_KEPT) {
        lua_pushvalue(L, index);
        lua_rawsetp(L, LUA_REGISTRYINDEX, key);
    }
}

int lib_json_write(lua_State *L)
{
    static const char *const tables[] = {"same", "plain", "constants"};
    lua_settop(L, CHANGE);
    for (int i = LIST; i <= ORDERS; i++) {
        luaL_checktype(L, i, LUA_TTABLE);
    }
    writer w = {.L = L, .changes = !lua_isnil(L, CHANGE)};
    w.data = take_memory(L, &buffer_key, FIRST_BYTES);
    w.capacity = lua_rawlen(L, BUFFER);
    w.names = take_memory(L, &names_key, FIRST_NAMES * sizeof(name));
    w.name_capacity = lua_rawlen(L, NAMES) / sizeof(name);
    if (w.changes) {
        luaL_checktype(L, CHANGE, LUA_TTABLE);
        lua_newtable(L);
        for (int i = 0; i < 3; i++) {
            lua_getfield(L, CHANGE, tables[i]);
            luaL_checktype(L, -1, LUA_TTABLE);
        }
    }
    lua_settop(L, LAST - 1);
    put_value(&w, VALUE, 0);
    lua_pushlstring(L, w.data, w.size);
    give_back(L, &buffer_key, BUFFER);
    give_back(L, &names_key, NAMES);
    return 1;
}
