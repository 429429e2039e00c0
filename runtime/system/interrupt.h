/*
 * interrupt.h: stops running Lua code from outside Lua.
 *
 * There is no cost until an interruption: a count hook that is always on would double the time of
 * every script. Instead a signal installs a hook on the coroutine that runs at that moment. The
 * hook yields to the scheduler, past any pcall, or raises an error where yielding is not possible.
 * Then the loop is woken, and the Lua handler set by system_interrupt_set_handler decides what to
 * do. A second signal ends the process (the private desktop's host notices and cleans up): as the
 * watchdog was told (watchdog.h), or at once with status 130 where that was told nothing.
 *
 * Besides signals, other threads of this program request interruptions (system_interrupt): the kill
 * hotkey, and the deadline of a task that computes without waiting (deadline.h). A deadline may end
 * its own task only, so Lua is asked first whether that task is the running one.
 *
 * Loops inside __gc and long C calls (a backtracking string.find) are not stopped by the first
 * signal, only by the second, or by the watchdog once a limit has passed. The method is that of
 * lua.c on SIGINT. Replacements of coroutine.resume and coroutine.wrap keep track of the running
 * coroutine.
 *
 * The names of the interruptions in Lua are SIGINT, SIGTERM, SIGHUP and stop_hotkey.
 */
#ifndef SYSTEM_INTERRUPT_H
#define SYSTEM_INTERRUPT_H

#include "platform.h"

#include <lua.h>
#include <stdbool.h>

/* Installs the handlers (signals; console events on Windows), replaces coroutine.resume and
 * coroutine.wrap, and takes debug.sethook away. `L` is the main state. */
void system_interrupt_open(lua_State *L);

/* Removes the handlers. Call before lua_close. */
void system_interrupt_close(lua_State *L);

/* Sets the Lua function at the top of the stack as the handler and pops it. It is called from the
 * loop, with the signal's name, after each first signal. */
void system_interrupt_set_handler(lua_State *L);

/* Sets the Lua function at the top of the stack and pops it. It is called in the middle of running
 * code after a deadline, may not wait, and returns whether that code is to be stopped. */
void system_interrupt_set_overdue(lua_State *L);

/* Requests an interruption. May be called from a signal handler, and from another thread while the
 * main thread is suspended. A second request ends the process, except for SIGHUP and a deadline: it
 * does not return, or returns and the watchdog's thread does so. */
void system_interrupt_request(system_interrupt_kind kind);

/* The Lua name of the request that has not been cleared; NULL if there is none. */
const char *system_interrupt_name(void);

/* Whether that request still waits for the Lua handler: until it has heard of it, it stops whatever
 * computes. */
bool system_interrupt_pending(void);

/* Clears a request that has been handled, so that the next signal counts as a first one again. */
void system_interrupt_clear(void);

#endif
