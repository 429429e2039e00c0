/*
 * interrupt.h: how a running program is stopped from outside Lua.
 *
 * Nothing is paid before the moment of need: no count hook is left on (it would double the time of
 * every script). A signal arms a hook on the coroutine that runs at that instant, which yields out
 * of it (past any pcall) to the scheduler, or raises where it may not yield; then the loop is woken
 * and the Lua handler given to interrupt_set_handler decides. A second signal ends the process with
 * status 130 (the private desktop's host notices and cleans up).
 *
 * Loops inside __gc and long C calls (a backtracking string.find) cannot be stopped by the first
 * signal, only by the second. Method: what lua.c does on SIGINT, with the current coroutine kept by
 * replacements of coroutine.resume and coroutine.wrap.
 */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <lua.h>

/* The names that Lua hears are the POSIX ones: SIGINT, SIGTERM, SIGHUP. */
typedef enum { INTERRUPT_INT, INTERRUPT_TERM, INTERRUPT_HUP } interrupt_kind;

/* Installs the handlers (signals; console events on Windows), replaces coroutine.resume and
 * coroutine.wrap, and takes debug.sethook away. `L` is the main state. */
void interrupt_open(lua_State *L);

/* Removes the handlers. Call before lua_close. */
void interrupt_close(lua_State *L);

/* The Lua function at the top of the stack is called, on the loop, with the signal's name after
 * each first signal. Pops it. */
void interrupt_set_handler(lua_State *L);

/* Asks for an interruption; safe from signal handlers, and from another thread while the main one
 * is suspended. Does not return where it is the second request (but for a hang-up). */
void interrupt_request(interrupt_kind kind);

/* Forgets a request that has been acted on, so that the next signal is a first one again. */
void interrupt_clear(void);

#endif
