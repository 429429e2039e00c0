/* lib_json.h: the functions of native.json that are not in lib_json.c. */
#ifndef LIB_LIB_JSON_H
#define LIB_LIB_JSON_H

#include <lua.h>

int lib_json_encode(lua_State *L);

#endif
