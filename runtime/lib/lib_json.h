/* lib_json.h: what lib_json.c takes from the other files of native.json. */
#ifndef LIB_LIB_JSON_H
#define LIB_LIB_JSON_H

#include <lua.h>

/* The function native.json.encode. */
int lib_json_write(lua_State *L);

#endif
