/* deskpilot-test FILE.lua [ARGS]: runs a Lua test file inside the real runtime. The file uses
 * tests/lua/harness.lua, which counts its checks and gives the exit status. */
#include "host/host.h"
#include "system/platform.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>

/* Tests may read modules of tests/lua (by their bare name) and of tests/ (torture.judge), which the
 * program itself never does. */
static const char bootstrap[] = "local file, arguments = ...\n"
                                "table.insert(package.searchers, 2, function(name)\n"
                                "  local why\n"
                                "  for _, folder in ipairs { 'tests/lua/', 'tests/' } do\n"
                                "    local path = folder .. name:gsub('%.', '/') .. '.lua'\n"
                                "    local chunk, problem = loadfile(path)\n"
                                "    if chunk then return chunk, path end\n"
                                "    why = why or problem\n"
                                "  end\n"
                                "  return why\n"
                                "end)\n"
                                "arg = arguments\n"
                                "return require('harness').run_file(file)\n";

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: deskpilot-test FILE.lua [ARGS]\n", stderr);
        return 2;
    }
    argv = system_start(&argc, argv);
    lua_State *L = argv ? host_open() : NULL;
    if (!L) {
        return 3;
    }
    int status = 1;
    if (luaL_loadstring(L, bootstrap) == LUA_OK) {
        lua_pushstring(L, argv[1]);
        lua_newtable(L);
        for (int i = 2; i < argc; i++) {
            lua_pushstring(L, argv[i]);
            lua_rawseti(L, -2, i - 1);
        }
        if (lua_pcall(L, 2, 1, 0) == LUA_OK) {
            status = (int) lua_tointeger(L, -1);
        } else {
            fprintf(stderr, "%s: %s\n", argv[1], luaL_tolstring(L, -1, NULL));
        }
    }
    host_close(L, status);
    return status;
}
