/*
 * lib_elements.h: what native.elements hands to scripts (lib_elements_push.c), apart from the calls
 * that ask applications (lib_elements.c).
 */
#ifndef LIB_LIB_ELEMENTS_H
#define LIB_LIB_ELEMENTS_H

#include "desk/elements.h"

#include <lua.h>

/* Pushes { elements, apps, truncated }. */
void lib_push_elements(lua_State *L, const desk_element_list *list);

/* Pushes one element with its details among its fields. */
void lib_push_element_details(lua_State *L, const desk_element_details *d);

#endif
