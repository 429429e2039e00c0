/*
 * host.h: one Lua state with everything in it: the standard libraries, luv on its loop, cjson, the
 * native bindings, the shipped modules, and the interruptor. The program and the test runner are
 * both a few lines over this.
 */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include <lua.h>

/* A new state, ready to require "deskpilot...."; NULL when there is no memory for it. */
lua_State *host_open(void);

/* Calls `function` of `module` with the strings of argv[first..argc) as a list, and returns the
 * integer that it returns as the exit status; 2 with the message on stderr if it fails. */
int host_call(lua_State *L, const char *module, const char *function, int argc, char **argv,
              int first);

/* Closes every handle on the loop, then the state. Where that does not come to its end within 5 s,
 * the process ends with `status` at once. */
void host_close(lua_State *L, int status);

#endif
