/*
 * native.files: how files and folders are made, so that nobody else reads or replaces them. The
 * calls block. Failures are told as luv tells them: nil, "EEXIST: file already exists", "EEXIST".
 */
#include "lib.h"
#include "system/files.h"

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

/* Opens a file for writing at its end. "new": nothing has that name yet; "append": it may be there.
 * A link is not followed. To be closed by uv.fs_close.
 * ---@param path string
 * ---@param use "new"|"append"
 * ---@param private boolean? its user's and nobody else's
 * ---@return integer? file, string? why, string? code */
static int lib_files_open(lua_State *L)
{
    static const char *const uses[] = {"new", "append", NULL};
    static const system_file_use values[] = {SYSTEM_FILE_NEW, SYSTEM_FILE_APPEND};
    const char *path = luaL_checkstring(L, 1);
    int use = luaL_checkoption(L, 2, NULL, uses);
    int file = system_file_open(path, values[use], lua_toboolean(L, 3));
    if (file < 0) {
        return lib_files_failed(L, file);
    }
    lua_pushinteger(L, file);
    return 1;
}

/* Makes a folder.
 * ---@param path string
 * ---@param private boolean? its user's and nobody else's
 * ---@return boolean? ok, string? why, string? code "EEXIST" where something has that name */
static int lib_files_make_folder(lua_State *L)
{
    return lib_files_done(L, system_folder_make(luaL_checkstring(L, 1), lua_toboolean(L, 2)));
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
        {"make_folder", lib_files_make_folder},
        {"rename", lib_files_rename},
        {"sync_folder", lib_files_sync_folder},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
    return 1;
}
