/*
 * kept_file.h: files of /proc that are read again and again. To open one takes longer than to read
 * it, so they stay open, as far as there is room.
 */
#ifndef SYSTEM_LINUX_KEPT_FILE_H
#define SYSTEM_LINUX_KEPT_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* How many are open, and how many may be. */
typedef struct {
    size_t count, most;
} kept_files;

/* None is open; a share of what the system lets the process open may be. */
kept_files kept_files_none(void);

/* Reads the beginning of a file into `out`, terminated. `*fd` is -1, or as this has left it for the
 * same path; what it belongs to may have ended, and the path be that of another by now. False where
 * it cannot be read; a file that stays open is closed by kept_file_close. */
bool kept_file_read(kept_files *files, int *fd, const char *path, char *out, size_t size);

/* Closes a file, if it is open. */
void kept_file_close(kept_files *files, int *fd);

#endif
