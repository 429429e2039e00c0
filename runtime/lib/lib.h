/*
 * lib.h: conventions that every binding in this folder shares. One C file is one Lua module,
 * `native.NAME`, opened by `lib_open_NAME`; the table of them all is in lib_modules.c. A binding
 * checks its arguments (luaL_check*, a Lua error for the caller's mistake), makes one call of the
 * desk or net library, and hands back the result; a failure of the world is `nil, err`, where `err`
 * is a table { code = "...", message = "..." } whose tostring is the message (see lib_push_error).
 *
 * Scripts' editors and help() know these modules by lua/types/native, which `./dev docs` makes of
 * what is written here: the comment at the head of the file that is named after the module, the one
 * above each binding (words, then LuaLS tags) and above the #define of each userdata's name, and
 * the luaL_Reg tables.
 */
#ifndef LIB_LIB_H
#define LIB_LIB_H

#include "base/error.h"
#include "image/image.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

/* Lua has them return an int, for `return luaL_error(...)`; that they do not come back helps the
 * compiler and static analysis to see what is what. */
extern int luaL_error(lua_State *L, const char *format, ...) __attribute__((noreturn));
extern int luaL_argerror(lua_State *L, int index, const char *message) __attribute__((noreturn));

/* Pushes nil and an error table; returns 2, so that `return lib_fail(L, &err)` reads well. */
int lib_fail(lua_State *L, const base_error *err);

/* Pushes the error table alone. Its metatable ("deskpilot.error") has __tostring = message. */
void lib_push_error(lua_State *L, const char *code, const char *message);

/* Pushes a list of `count` values, each as push(L, list, index) pushes it, from 0. */
void lib_push_list(lua_State *L, size_t count,
                   void (*push)(lua_State *L, const void *list, size_t index), const void *list);

/* Registers a userdata metatable with `methods` as its __index; `gc` also becomes __close. */
void lib_new_type(lua_State *L, const char *name, const luaL_Reg *methods, lua_CFunction gc);

/* More methods for a type that lib_new_type has made. */
void lib_add_methods(lua_State *L, const char *name, const luaL_Reg *methods);

/* native.image: the userdata "native.Image" owns an image_bitmap. */
image_bitmap *lib_check_image(lua_State *L, int index);
/* The same to be painted on: not while it is lent. */
image_bitmap *lib_check_canvas(lua_State *L, int index);
/* Pushes a new empty image userdata; fill it by image_alloc or a crop. */
image_bitmap *lib_push_image(lua_State *L);
/* The same for pixels that are somebody else's; and what tells the collector of one that has got
 * pixels of its own after all. */
image_bitmap *lib_push_weightless_image(lua_State *L);
void lib_weigh_image(lua_State *L);

/* Makes `native.*` loadable: fills package.preload. */
void lib_preload(lua_State *L);

int lib_open_image(lua_State *L);
int lib_open_desk(lua_State *L);
int lib_open_elements(lua_State *L);
int lib_open_http(lua_State *L);
int lib_open_ocr(lua_State *L);
int lib_open_files(lua_State *L);
int lib_open_system(lua_State *L);
int lib_open_json(lua_State *L);
int lib_open_activity(lua_State *L);
int lib_open_websocket(lua_State *L);
int lib_open_nats(lua_State *L);
int lib_open_watchdog(lua_State *L);
int lib_open_processes(lua_State *L);
int lib_open_signing(lua_State *L);

#endif
