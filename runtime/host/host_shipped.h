/* host_shipped.h: the Lua module native.shipped. */
#ifndef HOST_HOST_SHIPPED_H
#define HOST_HOST_SHIPPED_H

#include <lua.h>

/* For package.preload. */
int host_open_shipped(lua_State *L);

#endif
