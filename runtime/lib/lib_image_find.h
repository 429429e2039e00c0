/* lib_image_find.h: image:find for native.image (lib_image.c). */
#ifndef LIB_IMAGE_FIND_H
#define LIB_IMAGE_FIND_H

#include <lua.h>

int lib_image_find(lua_State *L);

#endif
