/*
 * lib_fields.h: reading a table of options, as the network's bindings are given one. A wrong type
 * or a value out of its range is a Lua error that names the field, after `who`, the module. What
 * the functions return belongs to the table that it was read from.
 */
#ifndef LIB_LIB_FIELDS_H
#define LIB_LIB_FIELDS_H

#include "net/net_http.h"

#include <lauxlib.h>
#include <lua.h>

/* The text at `index` of the stack, without zeros in it; `what` is its name in errors. */
const char *lib_text(lua_State *L, int index, const char *who, const char *what);

/* A string field of the table at `index`; `otherwise` (an error if that is NULL) when it is not
 * there. */
const char *lib_string_field(lua_State *L, int index, const char *who, const char *name,
                             const char *otherwise);

/* A number of 0..most; `otherwise` when it is not there. */
double lib_number_field(lua_State *L, int index, const char *who, const char *name, double most,
                        double otherwise);

/* The field `headers`, a table of name = value. Pushes one value, the memory of the list, which has
 * to be kept as long as the list is used. */
const net_header *lib_header_field(lua_State *L, int index, const char *who, size_t *count);

#endif
