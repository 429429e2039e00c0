/*
 * lib_kept.h: what goes on on the loop until it ends (a request, a WebSocket, a connection to NATS)
 * and calls back into Lua. A table in the registry keeps what it needs meanwhile, among it the
 * functions that are called; they run on the loop, on the main Lua thread.
 */
#ifndef LIB_LIB_KEPT_H
#define LIB_LIB_KEPT_H

#include "base/error.h"

#include <lua.h>

typedef struct {
    lua_State *L; /* the main thread */
    int ref;
} lib_kept;

/* Pops a table and keeps it until lib_kept_let_go. */
void lib_kept_hold(lua_State *L, lib_kept *kept);
void lib_kept_let_go(const lib_kept *kept);

/* Pushes what is at that place of the table, onto the main thread's stack. */
void lib_kept_push(const lib_kept *kept, int place);

/* Calls the function below that many arguments. An error of its is reported in luv's own way, and
 * does not reach C. */
void lib_kept_call(const lib_kept *kept, int arguments);

/* Sets the places first..end-1 of the table at the top to functions: those fields of the options at
 * index 1 that names[place] says. One that is no function is a Lua error after `who`, the module.
 */
void lib_kept_functions(lua_State *L, const char *who, const char *const *names, int first,
                        int end);

/* Returns for a binding: a caller's mistake raises, a failure of the world is nil and the error. */
int lib_kept_fail(lua_State *L, const char *who, const base_error *err);

#endif
