/*
 * files.h: how files and folders are made, on each platform (linux/files.c, windows/files.c). All
 * that this program writes to disk is opened here, so that what is promised of it is promised in
 * one place: whoever may write the folder too cannot make us write elsewhere by a link in the
 * file's place, and what is private can be read by its owner (and the system) alone from its first
 * moment on.
 *
 * Paths are UTF-8. Private: mode 0600 or 0700; on Windows a list of access rights that names the
 * user and SYSTEM and inherits nothing. Otherwise: what the user's umask, or the folder, says.
 * Results below 0 are libuv's error codes (UV_EEXIST).
 */
#ifndef SYSTEM_FILES_H
#define SYSTEM_FILES_H

#include <stdbool.h>

typedef enum {
    SYSTEM_FILE_NEW,    /* that does not exist yet; a link of that name counts as existing */
    SYSTEM_FILE_APPEND, /* that may exist, to be written at its end; UV_ELOOP for a link */
} system_file_use;

/* Opens a file for writing; a descriptor of the C library, which children do not inherit. */
int system_file_open(const char *path, system_file_use use, bool private);

/* Makes a folder; UV_EEXIST where something has that name. */
int system_folder_make(const char *path, bool private);

/* Gives a file another name in the same file system. What has that name is replaced, or with
 * `keep` the call fails by UV_EEXIST. On Windows the new name is on the disk afterwards; on Linux
 * that takes system_folder_sync. */
int system_file_rename(const char *from, const char *to, bool keep);

/* Puts the names in a folder on the disk; a folder that may be written but not read is left to the
 * system. Nothing to do on Windows. */
int system_folder_sync(const char *path);

#endif
