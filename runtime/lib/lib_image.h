/* lib_image.h: the parts of native.image beside lib_image.c; each adds methods to the image. */
#ifndef LIB_LIB_IMAGE_H
#define LIB_LIB_IMAGE_H

#include "image/png/png.h"

#include <lua.h>

/* A picture: 1 to 32767 pixels a side. */
#define IMAGE_TYPE "native.Image"

/* Pushes a new encoder; an error where there is no memory. */
png_encoder **lib_image_push_encoder(lua_State *L);

void lib_image_add_draw(lua_State *L);
void lib_image_add_encode(lua_State *L);
void lib_image_add_find(lua_State *L);

#endif
