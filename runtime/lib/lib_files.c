/*
 * native.files: how files and folders are made, so that nobody else reads or replaces them. The
 * calls block. Failures are told as luv tells them: nil, "EEXIST: file already exists", "EEXIST".
 */
#include "lib.h"
#include "system/files.h"
#include "system/unfinished.h"

#include <string.h>
#include <uv.h>

static int lib_files_failed(lua_State *L, int error)
{
    lua_pushnil(L);
    lua_pushfstring(L, "%s: %s", uv_err_name(error), uv_strerror(error));
    lua_pushstring(L, uv_err_name(error));
    return 3;
}

static int lib_files_done(lua_State *L, int error)
{
    if (error < 0) {
        return lib_files_failed(L, error);
    }
    lua_pushboolean(L, 1);
    return 1;
}

/* Opens a file for writing at its end. "new": nothing has that name yet; "part": the same, and it
 * is to be given to remove_part, which is done for it where the process ends before; "append": it
 * may be there. A link is not followed. To be closed by uv.fs_close.
 * ---@param path string
 * ---@param use "new"|"part"|"append"
 * ---@param private boolean? its user's and nobody else's
 * ---@return integer? file, string? why, string? code */
static int lib_files_open(lua_State *L)
{
    static const char *const uses[] = {"new", "part", "append", NULL};
    static const system_file_use values[] = {SYSTEM_FILE_NEW, SYSTEM_FILE_NEW, SYSTEM_FILE_APPEND};
    const char *path = luaL_checkstring(L, 1);
    int use = luaL_checkoption(L, 2, NULL, uses);
    int file = system_file_open(path, values[use], lua_toboolean(L, 3));
    if (file < 0) {
        return lib_files_failed(L, file);
    }
    if (strcmp(uses[use], "part") == 0) {
        system_unfinished_add(path);
    }
    lua_pushinteger(L, file);
    return 1;
}

/* Removes a file that was opened as "part", if it has that name yet. Takes no memory, so that it
 * can be done when there is none.
 * ---@param path string */
static int lib_files_remove_part(lua_State *L)
{
    system_unfinished_remove(luaL_checkstring(L, 1));
    return 0;
}

/* Makes a folder.
 * ---@param path string
 * ---@param private boolean? its user's and nobody else's
 * ---@return boolean? ok, string? why, string? code "EEXIST" where something has that name */
static int lib_files_make_folder(lua_State *L)
{
    return lib_files_done(L, system_folder_make(luaL_checkstring(L, 1), lua_toboolean(L, 2)));
}

#define SCAN "deskpilot.files.scan"

static int end_scan(lua_State *L)
{
    uv_fs_req_cleanup(luaL_checkudata(L, 1, SCAN));
    return 0;
}

/* The names in a folder. luv's fs_scandir leaves its request in memory, at each call.
 * ---@param path string
 * ---@return string[]? names, string? why, string? code */
static int lib_files_list(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    uv_dirent_t entry;
    uv_fs_t *scan = lua_newuserdatauv(L, sizeof *scan, 0);
    memset(scan, 0, sizeof *scan);
    luaL_setmetatable(L, SCAN); /* an error for want of memory ends it, too */
    int error = uv_fs_scandir(NULL, scan, path, 0, NULL);
    if (error < 0) {
        return lib_files_failed(L, error);
    }
    lua_newtable(L);
    for (lua_Integer i = 1; uv_fs_scandir_next(scan, &entry) == 0; i++) {
        lua_pushstring(L, entry.name);
        lua_rawseti(L, -2, i);
    }
    uv_fs_req_cleanup(scan);
    return 1;
}

/* Gives a file another name in the same file system.
 * ---@param from string
 * ---@param to string
 * ---@param keep boolean? what has that name is not replaced: "EEXIST"
 * ---@return boolean? ok, string? why, string? code */
static int lib_files_rename(lua_State *L)
{
    const char *from = luaL_checkstring(L, 1), *to = luaL_checkstring(L, 2);
    return lib_files_done(L, system_file_rename(from, to, lua_toboolean(L, 3)));
}

/* Puts the names in a folder on the disk.
 * ---@param path string
 * ---@return boolean? ok, string? why, string? code */
static int lib_files_sync_folder(lua_State *L)
{
    return lib_files_done(L, system_folder_sync(luaL_checkstring(L, 1)));
}

int lib_open_files(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"open", lib_files_open},
        {"remove_part", lib_files_remove_part},
        {"make_folder", lib_files_make_folder},
        {"list", lib_files_list},
        {"rename", lib_files_rename},
        {"sync_folder", lib_files_sync_folder},
        {NULL, NULL},
    };
    luaL_newmetatable(L, SCAN);
    lua_pushcfunction(L, end_scan);
    lua_setfield(L, -2, "__gc");
    luaL_newlib(L, functions);
    return 1;
}
