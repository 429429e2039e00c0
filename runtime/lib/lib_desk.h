/* lib_desk.h: what the files of native.desk share. */
#ifndef LIB_LIB_DESK_H
#define LIB_LIB_DESK_H

#include "desk/desk.h"
#include "lib.h"

/* A desktop that is open. */
#define DESK_TYPE "native.Desk"

enum { LENT_SLOT = 1 /* the user value that keeps the image lent last */ };

typedef struct {
    desk *d; /* NULL once closed */
} lib_desk;

/* The open desk that is the first argument; raises where it has been closed. */
desk *lib_check_desk(lua_State *L);
/* An argument that fits an int. */
int lib_check_int(lua_State *L, int index);
/* Text without a zero byte in it: C would read it only up to there. */
const char *lib_check_plain(lua_State *L, int index);
/* Returns `true`, or nil and the error. */
int lib_done(lua_State *L, bool ok, const base_error *err);
/* Sets x, y, width and height of the table on top. */
void lib_push_rect_fields(lua_State *L, image_rect rect);

/* Takes back the image that the desk at that index has lent: its pixels are about to change. */
void lib_recall_lent(lua_State *L, int desk_index);

/* Optional fields of a table of options. Each raises where the field is of another type. */
int lib_option_int(lua_State *L, int table, const char *name, int otherwise);
/* NULL where it is not given; valid while the table is unchanged. */
const char *lib_option_string(lua_State *L, int table, const char *name);
/* Whether it is given and true. */
bool lib_option_bool(lua_State *L, int table, const char *name);

extern const luaL_Reg lib_desk_capture_methods[];   /* lib_desk_capture.c */
extern const luaL_Reg lib_desk_input_methods[];     /* lib_desk_input.c */
extern const luaL_Reg lib_desk_screen_methods[];    /* lib_desk_screen.c */
extern const luaL_Reg lib_desk_window_methods[];    /* lib_desk_windows.c */
extern const luaL_Reg lib_desk_clipboard_methods[]; /* lib_desk_clipboard.c */

#endif
