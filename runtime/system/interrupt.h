/*
 * interrupt.h: how a running program is stopped from outside Lua.
 *
 * Nothing is paid before the moment of need: no count hook is left on (it would double the time of
 * every script). A signal arms a hook on the coroutine that runs at that instant, which yields out
 * of it (past any pcall) to the scheduler, or raises where it may not yield; then the loop is woken
 * and the Lua handler given to system_interrupt_set_handler decides. A second signal ends the
 * process with status 130 (the private desktop's host notices and cleans up).
 *
 * Beside signals, other threads of ours ask in the same way (system_interrupt): the kill chord,
 * and the deadline of a task that computes without ever waiting (deadline.h). The latter ends no
 * more than that task, so Lua is asked first whether it is the one that runs.
 *
 * Loops inside __gc and long C calls (a backtracking string.find) cannot be stopped by the first
 * signal, only by the second. Method: what lua.c does on SIGINT, with the current coroutine kept by
 * replacements of coroutine.resume and coroutine.wrap.
 *
 * The names that Lua hears are SIGINT, SIGTERM, SIGHUP and kill_chord.
 */
#ifndef SYSTEM_INTERRUPT_H
#define SYSTEM_INTERRUPT_H

#include "platform.h"

#include <lua.h>

/* Installs the handlers (signals; console events on Windows), replaces coroutine.resume and
 * coroutine.wrap, and takes debug.sethook away. `L` is the main state. */
void system_interrupt_open(lua_State *L);

/* Removes the handlers. Call before lua_close. */
void system_interrupt_close(lua_State *L);

/* The Lua function at the top of the stack is called, on the loop, with the signal's name after
 * each first signal. Pops it. */
void system_interrupt_set_handler(lua_State *L);

/* The Lua function at the top of the stack is called in the middle of whatever runs past a
 * deadline: it may not wait, and says whether that is to be stopped. Pops it. */
void system_interrupt_set_overdue(lua_State *L);

/* Asks for an interruption; safe from signal handlers, and from another thread while the main one
 * is suspended. Does not return where it is the second request (but for a hang-up and a deadline).
 */
void system_interrupt_request(system_interrupt_kind kind);

/* The name, as Lua hears it, of the request that has not been forgotten; NULL if there is none. */
const char *system_interrupt_name(void);

/* Forgets a request that has been acted on, so that the next signal is a first one again. */
void system_interrupt_clear(void);

#endif
