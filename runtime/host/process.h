/*
 * process.h: keeping hold of a whole tree of processes, for the private desktop's host.
 * Linux: the subreaper attribute (prctl(2)); elsewhere DESK_UNSUPPORTED.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include "error.h"

/* From now on orphans among our descendants become our children instead of init's. */
bool process_adopt_orphans(desk_error *err);

/* Collects child `pid` if it has ended. 1 collected, 0 still running, -1 not a child of ours. */
int process_reap(long pid);

#endif
