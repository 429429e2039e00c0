/*
 * host.h: a Lua state with everything in it: the standard libraries, luv on its loop, cjson, the
 * native modules, the shipped modules, and interruptions (system/interrupt.h). The program and the
 * test runner are each a few lines on top of this.
 */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include <lua.h>

/* A new state, ready to require "deskpilot...."; NULL without memory. */
lua_State *host_open(void);

/* Calls `function` of `module` with argv[first..argc) as a list of strings. Returns its integer
 * result as the exit status; 2, with a message on stderr, if it fails. */
int host_call(lua_State *L, const char *module, const char *function, int argc, char **argv,
              int first);

/* Closes all handles on the loop, then the state. If that takes longer than 5 s, the process ends
 * at once with `status`. */
void host_close(lua_State *L, int status);

#endif
