/*
 * unfinished.h: files that are not whole yet. They stand beside those that they are to become, and
 * whoever ends the process in the middle removes them. Nothing here takes memory.
 */
#ifndef SYSTEM_UNFINISHED_H
#define SYSTEM_UNFINISHED_H

/* The file of this path (UTF-8) is not whole. Of more than 16 at a time, and of a path of 4 kB,
 * only its writer knows. For the main thread. */
void system_unfinished_add(const char *path);

/* Removes the file, if it still has that name, and forgets it. For the main thread. */
void system_unfinished_remove(const char *path);

/* Removes all of them, on any thread: the process is about to end. */
void system_unfinished_remove_all(void);

#endif
