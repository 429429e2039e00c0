/*
 * native.desk: the desktop for scripts, one platform call per method. A failure of the world is
 * `nil, err`; using a desk that has been closed is the caller's mistake and raises.
 */
#include "lib_desk.h"
#include "desk/backend.h"
#include "desk/null/null.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* A desktop that is open. */
#define DESK_TYPE "native.Desk"

enum { LENT_SLOT = 1 /* the user value that keeps the image lent last */ };

typedef struct {
    desk *d; /* NULL once closed */
} lib_desk;

desk *lib_check_desk(lua_State *L)
{
    lib_desk *self = luaL_checkudata(L, 1, DESK_TYPE);
    luaL_argcheck(L, self->d, 1, "the desk has been closed");
    return self->d;
}

int lib_check_int(lua_State *L, int index)
{
    lua_Integer value = luaL_checkinteger(L, index);
    luaL_argcheck(L, value >= INT_MIN && value <= INT_MAX, index, "number out of range");
    return (int) value;
}

/* `true`, or nil and the error. */
int lib_done(lua_State *L, bool ok, const base_error *err)
{
    if (!ok) {
        return lib_fail(L, err);
    }
    lua_pushboolean(L, 1);
    return 1;
}

/* An optional whole number of a table of options. */
static int option_int(lua_State *L, int table, const char *name, int otherwise)
{
    int isnum = 1;
    lua_Integer value = otherwise;
    if (lua_getfield(L, table, name) != LUA_TNIL) {
        value = lua_tointegerx(L, -1, &isnum);
    }
    if (!isnum || value < INT_MIN || value > INT_MAX) {
        return luaL_error(L, "option '%s' must be a whole number", name);
    }
    lua_pop(L, 1);
    return (int) value;
}

/* An optional string of a table; stays valid while the table is unchanged. */
static const char *option_string(lua_State *L, int table, const char *name)
{
    int type = lua_getfield(L, table, name);
    if (type != LUA_TNIL && type != LUA_TSTRING) {
        luaL_error(L, "option '%s' must be a string", name);
    }
    const char *value = lua_tostring(L, -1);
    lua_pop(L, 1);
    return value;
}

static bool option_bool(lua_State *L, int table, const char *name)
{
    lua_getfield(L, table, name);
    bool value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

/* --- life --------------------------------------------------------------------------------------
 */

void lib_recall_lent(lua_State *L, int desk_index)
{
    if (lua_getiuservalue(L, desk_index, LENT_SLOT) == LUA_TUSERDATA) {
        image_bitmap *image = lua_touserdata(L, -1);
        if (image->borrowed) {
            image_free(image);
        }
    }
    lua_pop(L, 1);
    lua_pushnil(L);
    lua_setiuservalue(L, desk_index, LENT_SLOT);
}

/* Releases held keys and buttons, restores the keyboard map. Closing twice is no mistake. */
static int desk_close(lua_State *L)
{
    lib_desk *self = luaL_checkudata(L, 1, DESK_TYPE);
    lib_recall_lent(L, 1);
    if (self->d) {
        self->d->ops->close(self->d);
    }
    self->d = NULL;
    return 0;
}

/* Opens the desktop. `backend` is "x11", "win32" or "null", nil for this build's own; `display` is
 * X11's or the name of a Windows desktop, `cookie` (32 hexadecimal digits) is for X11; `width`,
 * `height`, `x`, `y` and `monitors` are the null desk's.
 * ---@param options { backend: string?, display: string?, cookie: string?, width: integer?,
 * height: integer?, x: integer?, y: integer?, monitors: integer? }?
 * ---@return native.Desk? desk
 * ---@return deskpilot.error? err */
static int open_desk(lua_State *L)
{
    base_error err = {0};
    lua_settop(L, 1);
    if (lua_isnil(L, 1)) {
        lua_newtable(L);
        lua_replace(L, 1);
    }
    luaL_checktype(L, 1, LUA_TTABLE);
    desk_options options = {.display = option_string(L, 1, "display"),
                            .cookie = option_string(L, 1, "cookie"),
                            .width = option_int(L, 1, "width", 0),
                            .height = option_int(L, 1, "height", 0),
                            .x = option_int(L, 1, "x", 0),
                            .y = option_int(L, 1, "y", 0),
                            .monitors = option_int(L, 1, "monitors", 0)};
    const char *name = option_string(L, 1, "backend");
    const desk_ops *ops = desk_backend(name);
    if (!ops) {
        base_fail(&err, BASE_UNSUPPORTED, "This build has no desktop backend called \"%.40s\".",
                  name);
        return lib_fail(L, &err);
    }
    lib_desk *self = lua_newuserdatauv(L, sizeof *self, LENT_SLOT);
    self->d = NULL;
    luaL_setmetatable(L, DESK_TYPE);
    return ops->open(&self->d, &options, &err) ? 1 : lib_fail(L, &err);
}

/* The name of the backend in use.
 * ---@return string */
static int desk_backend_name(lua_State *L)
{
    lua_pushstring(L, lib_check_desk(L)->ops->name);
    return 1;
}

/* A descriptor that turns readable when `pump` has something to do, -1 if there is none. Pump
 * before waiting on it: other calls may have taken in events already.
 * ---@return integer */
static int desk_fd(lua_State *L)
{
    desk *d = lib_check_desk(L);
    lua_pushinteger(L, d->ops->poll_fd(d));
    return 1;
}

/* After how many milliseconds of waiting to pump again, where the descriptor does not tell of
 * everything; 0 where it does, or while nothing is watched.
 * ---@return integer */
static int desk_poll_every(lua_State *L)
{
    desk *d = lib_check_desk(L);
    lua_pushinteger(L, d->ops->poll_every(d));
    return 1;
}

/* Takes in what the desktop has to tell (changes, answers to pings), without waiting.
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int desk_pump(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    return lib_done(L, d->ops->pump(d, &err), &err);
}

/* --- screen ------------------------------------------------------------------------------------
 */

void lib_push_rect_fields(lua_State *L, image_rect r)
{
    lua_pushinteger(L, r.x);
    lua_setfield(L, -2, "x");
    lua_pushinteger(L, r.y);
    lua_setfield(L, -2, "y");
    lua_pushinteger(L, r.width);
    lua_setfield(L, -2, "width");
    lua_pushinteger(L, r.height);
    lua_setfield(L, -2, "height");
}

/* The whole desktop space, all monitors together, in pixels.
 * ---@return { x: integer, y: integer, width: integer, height: integer }? rect
 * ---@return deskpilot.error? err */
static int desk_screen(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    image_rect rect;
    if (!d->ops->screen_rect(d, &rect, &err)) {
        return lib_fail(L, &err);
    }
    lua_createtable(L, 0, 4);
    lib_push_rect_fields(L, rect);
    return 1;
}

/* What is left of `whole` from `start` on; a start far outside gives a side that capture refuses.
 */
static int rest(int whole, int origin, int start)
{
    long long left = (long long) origin + whole - start;
    return left > INT_MAX ? INT_MAX : left < 0 ? 0 : (int) left;
}

static bool read_region(lua_State *L, desk *d, image_rect *out, base_error *err)
{
    image_rect screen;
    if (!d->ops->screen_rect(d, &screen, err)) {
        return false;
    }
    int x = option_int(L, 2, "x", screen.x), y = option_int(L, 2, "y", screen.y);
    *out = (image_rect){x, y, option_int(L, 2, "width", rest(screen.width, screen.x, x)),
                        option_int(L, 2, "height", rest(screen.height, screen.y, y))};
    return true;
}

/* The pixels of `from` in `to`, which keeps its memory if it is its own and of the same size. */
static bool copy_image(image_bitmap *to, const image_bitmap *from, base_error *err)
{
    bool fits =
        to->pixels && !to->borrowed && to->width == from->width && to->height == from->height;
    if (!fits && !image_alloc(to, from->width, from->height, err)) {
        return false;
    }
    for (int y = 0; y < from->height; y++) {
        memcpy(to->pixels + (size_t) y * to->stride, from->pixels + (size_t) y * from->stride,
               (size_t) from->width * 4);
    }
    return true;
}

/* Puts the picture into the image on top of the stack: by reference if it is to be lent and the
 * backend has a buffer to lend, else as a copy or by handing its memory over. */
static bool give(lua_State *L, image_bitmap *to, image_bitmap *frame, bool lend, base_error *err)
{
    if (frame->borrowed && !lend) {
        return copy_image(to, frame, err);
    }
    image_free(to);
    *to = *frame;
    if (frame->borrowed) {
        lua_pushvalue(L, -1);
        lua_setiuservalue(L, 1, LENT_SLOT);
    }
    return true;
}

/* The image to fill, on top of the stack: options.into, even if it has been closed, or a new one.
 */
static image_bitmap *target_image(lua_State *L)
{
    if (lua_getfield(L, 2, "into") != LUA_TNIL) {
        return luaL_checkudata(L, -1, "native.Image");
    }
    lua_pop(L, 1);
    return lib_push_image(L);
}

/* A picture of the desktop, or of the part that x, y, width and height name. It is a copy, in a new
 * image or in the memory of the one given as `into`, so that a loop can go on with a single one.
 * With `lend`, the image looks straight into the backend's own buffer: nothing is copied, and it is
 * closed by the next capture or by the desk's closing (crop it to keep something). `cursor` draws
 * the pointer.
 * ---@param options { x: integer?, y: integer?, width: integer?, height: integer?,
 * cursor: boolean?, into: native.Image?, lend: boolean? }?
 * ---@return native.Image? image
 * ---@return deskpilot.error? err */
static int desk_capture(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    image_rect rect;
    image_bitmap frame = {0};
    lua_settop(L, 2);
    if (lua_isnil(L, 2)) {
        lua_newtable(L);
        lua_replace(L, 2);
    }
    luaL_checktype(L, 2, LUA_TTABLE);
    bool cursor = option_bool(L, 2, "cursor"), lend = option_bool(L, 2, "lend");
    if (!read_region(L, d, &rect, &err)) {
        return lib_fail(L, &err);
    }
    image_bitmap *image = target_image(L);
    lib_recall_lent(L, 1);
    if (!d->ops->capture(d, rect, cursor, &frame, &err)) {
        return lib_fail(L, &err);
    }
    return give(L, image, &frame, lend, &err) ? 1 : lib_fail(L, &err);
}

/* Starts to watch for changes of the screen; see last_change.
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int desk_watch_start(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    return lib_done(L, d->ops->watch_start(d, &err), &err);
}

/* Ends the watching.
 * ---@return true ok */
static int desk_watch_stop(lua_State *L)
{
    desk *d = lib_check_desk(L);
    d->ops->watch_stop(d);
    return lib_done(L, true, NULL);
}

/* When pump last saw the screen change (blinking carets aside), or that region of watch_region:
 * nanoseconds of uv.hrtime, 0 for not since watch_start or watch_region.
 * ---@param region integer?
 * ---@return integer */
static int desk_last_change(lua_State *L)
{
    desk *d = lib_check_desk(L);
    uint64_t when = lua_isnoneornil(L, 2) ? d->ops->last_change(d)
                                          : desk_regions_changed(&d->regions, lib_check_int(L, 2));
    lua_pushinteger(L, (lua_Integer) when);
    return 1;
}

/* Tells changes of a part of the screen from the others, while the screen is watched and until
 * unwatch_region.
 * ---@param x integer
 * ---@param y integer
 * ---@param width integer
 * ---@param height integer
 * ---@return integer? region for last_change
 * ---@return deskpilot.error? err */
static int desk_watch_region(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    image_rect rect = {lib_check_int(L, 2), lib_check_int(L, 3), lib_check_int(L, 4),
                       lib_check_int(L, 5)};
    int place = desk_regions_add(&d->regions, rect);
    if (place < 0) {
        base_fail(&err, BASE_REFUSED, "No more than %d regions of the screen are watched at once.",
                  DESK_REGIONS);
        return lib_fail(L, &err);
    }
    lua_pushinteger(L, place);
    return 1;
}

/* Ends what watch_region began.
 * ---@param region integer */
static int desk_unwatch_region(lua_State *L)
{
    desk *d = lib_check_desk(L);
    desk_regions_remove(&d->regions, lib_check_int(L, 2));
    return 0;
}

/* --- mouse -------------------------------------------------------------------------------------
 */

/* Where the pointer is.
 * ---@return integer? x
 * ---@return integer|deskpilot.error y the error if x is nil */
static int desk_pointer(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    int x, y;
    if (!d->ops->pointer_get(d, &x, &y, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushinteger(L, x);
    lua_pushinteger(L, y);
    return 2;
}

/* Moves the pointer and makes sure that it arrived.
 * ---@param x integer
 * ---@param y integer
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int desk_move(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    return lib_done(L, d->ops->pointer_move(d, lib_check_int(L, 2), lib_check_int(L, 3), &err),
                    &err);
}

static desk_button check_button(lua_State *L, int index)
{
    static const char *const names[] = {"left", "middle", "right", "back", "forward", NULL};
    if (lua_type(L, index) == LUA_TSTRING) {
        return (desk_button) (luaL_checkoption(L, index, NULL, names) + DESK_LEFT);
    }
    int number = lib_check_int(L, index);
    luaL_argcheck(L, number >= DESK_LEFT && number <= DESK_FORWARD, index,
                  "a button is 1 to 5, or left, middle, right, back, forward");
    return (desk_button) number;
}

/* Presses a button, or lets it go.
 * ---@param button "left"|"middle"|"right"|"back"|"forward"|integer
 * ---@param down boolean
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int desk_button_event(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    desk_button button = check_button(L, 2);
    luaL_checktype(L, 3, LUA_TBOOLEAN);
    return lib_done(L, d->ops->button(d, button, lua_toboolean(L, 3), &err), &err);
}

/* Whether the button that was let go last is still down for the display: press again when it is
 * not.
 * ---@return boolean */
static int desk_button_waits(lua_State *L)
{
    desk *d = lib_check_desk(L);
    lua_pushboolean(L, d->ops->button_waits(d));
    return 1;
}

/* Notches as what backend.h counts them in; more than it can hold is more than any desk turns. */
static int check_notches(lua_State *L, int index)
{
    lua_Number parts = luaL_checknumber(L, index) * DESK_NOTCH;
    luaL_argcheck(L, fabs(parts) < INT_MAX, index, "number out of range");
    return (int) lround(parts);
}

/* Turns the wheel by notches; positive is right and down. X11 turns by whole ones: see backend.h.
 * ---@param dx number
 * ---@param dy number
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int desk_wheel(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    return lib_done(L, d->ops->wheel(d, check_notches(L, 2), check_notches(L, 3), &err), &err);
}

/* --- keyboard ----------------------------------------------------------------------------------
 */

/* Text without a zero byte in it: C would read it only up to there. */
static const char *check_plain(lua_State *L, int index)
{
    size_t length;
    const char *text = luaL_checklstring(L, index, &length);
    luaL_argcheck(L, strlen(text) == length, index, "contains a zero byte");
    return text;
}

/* Presses or releases one key by name; a name that is not known is `nil, err`.
 * ---@param name string
 * ---@param down boolean
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int desk_key_event(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    desk_key key;
    const char *name = check_plain(L, 2);
    luaL_checktype(L, 3, LUA_TBOOLEAN);
    bool ok = desk_key_parse(name, &key, &err) && d->ops->key(d, key, lua_toboolean(L, 3), &err);
    return lib_done(L, ok, &err);
}

/* Types as much of `text`, from byte `offset` (0 is the start) on, as can go at once. Where
 * `remapped` is true the application must have caught up (ping, or a pause) before the next step
 * and before text_end.
 * ---@param text string
 * ---@param offset integer?
 * ---@return integer? consumed bytes
 * ---@return boolean|deskpilot.error remapped the error if consumed is nil */
static int desk_text_step_method(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    desk_text_step step;
    size_t length;
    const char *text = luaL_checklstring(L, 2, &length);
    lua_Integer offset = luaL_optinteger(L, 3, 0);
    luaL_argcheck(L, offset >= 0 && (size_t) offset <= length, 3, "lies outside the text");
    if (!d->ops->text_step(d, text + offset, length - (size_t) offset, &step, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushinteger(L, (lua_Integer) step.consumed);
    lua_pushboolean(L, step.remapped);
    return 2;
}

/* Puts the keyboard map back as it was; when the application has caught up.
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int desk_text_end(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    return lib_done(L, d->ops->text_end(d, &err), &err);
}

/* Finds out whether the active window's application has taken its input: by asking it, or by
 * watching it. The token is 0 where neither can be done.
 * ---@return integer? token
 * ---@return boolean|deskpilot.error asked the error if token is nil */
static int desk_ping(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    uint64_t token;
    if (!d->ops->ping(d, &token, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushinteger(L, (lua_Integer) token);
    lua_pushboolean(L, token && !(token & DESK_PING_WATCHED));
    return 2;
}

/* Whether pump has seen the answer.
 * ---@param token integer
 * ---@return boolean */
static int desk_ping_answered(lua_State *L)
{
    desk *d = lib_check_desk(L);
    lua_pushboolean(L, d->ops->ping_answered(d, (uint64_t) luaL_checkinteger(L, 2)));
    return 1;
}

/* What the null desk was asked to do, a line per call (null/null.h); unsupported elsewhere.
 * ---@return string[]? lines
 * ---@return deskpilot.error? err */
static int desk_log(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    if (d->ops != &null_ops) {
        base_fail(&err, BASE_UNSUPPORTED, "Only the null desk keeps a log of its calls.");
        return lib_fail(L, &err);
    }
    lua_newtable(L);
    lua_Integer count = 0;
    for (const char *line = null_log(d), *end; (end = strchr(line, '\n')); line = end + 1) {
        lua_pushlstring(L, line, (size_t) (end - line));
        lua_rawseti(L, -2, ++count);
    }
    return 1;
}

/* --- names of keys -----------------------------------------------------------------------------
 */

/* The canonical names of all named keys.
 * ---@return string[] */
static int list_keys(lua_State *L)
{
    lua_newtable(L);
    const char *name;
    for (size_t i = 0; (name = desk_key_known(i)); i++) {
        lua_pushstring(L, name);
        lua_rawseti(L, -2, (lua_Integer) i + 1);
    }
    return 1;
}

/* The form of a combination in which two that do the same are equal: "ctrl+alt+delete".
 * ---@param combo string
 * ---@return string? canonical
 * ---@return deskpilot.error? err */
static int canonical(lua_State *L)
{
    base_error err = {0};
    char out[DESK_COMBO_NAME_SIZE];
    if (!desk_combo_canonical(check_plain(L, 1), out, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushstring(L, out);
    return 1;
}

/* The keys of a combination as names, in the order they are to be pressed.
 * ---@param combo string
 * ---@return string[]? keys
 * ---@return deskpilot.error? err */
static int parse_combo(lua_State *L)
{
    base_error err = {0};
    desk_combo combo;
    if (!desk_combo_parse(check_plain(L, 1), &combo, &err)) {
        return lib_fail(L, &err);
    }
    lua_createtable(L, (int) combo.count, 0);
    for (size_t i = 0; i < combo.count; i++) {
        char name[DESK_KEY_NAME_SIZE];
        desk_key_name(combo.keys[i], name);
        lua_pushstring(L, name);
        lua_rawseti(L, -2, (lua_Integer) i + 1);
    }
    return 1;
}

int lib_open_desk(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"close", desk_close},
        {"backend", desk_backend_name},
        {"fd", desk_fd},
        {"poll_every", desk_poll_every},
        {"pump", desk_pump},
        {"screen", desk_screen},
        {"capture", desk_capture},
        {"watch_start", desk_watch_start},
        {"watch_stop", desk_watch_stop},
        {"last_change", desk_last_change},
        {"watch_region", desk_watch_region},
        {"unwatch_region", desk_unwatch_region},
        {"pointer", desk_pointer},
        {"move", desk_move},
        {"button", desk_button_event},
        {"button_waits", desk_button_waits},
        {"wheel", desk_wheel},
        {"key", desk_key_event},
        {"text_step", desk_text_step_method},
        {"text_end", desk_text_end},
        {"ping", desk_ping},
        {"ping_answered", desk_ping_answered},
        {"log", desk_log},
        {NULL, NULL},
    };
    static const luaL_Reg functions[] = {
        {"open", open_desk},    {"keys", list_keys}, {"canonical", canonical},
        {"combo", parse_combo}, {NULL, NULL},
    };
    luaL_requiref(L, "native.image", lib_open_image, 0); /* capture makes images of its type */
    lua_pop(L, 1);
    lib_new_type(L, DESK_TYPE, methods, desk_close);
    lib_add_methods(L, DESK_TYPE, lib_desk_window_methods);
    lib_add_methods(L, DESK_TYPE, lib_desk_screen_methods);
    lib_add_methods(L, DESK_TYPE, lib_desk_clipboard_methods);
    luaL_newlib(L, functions);
    return 1;
}
