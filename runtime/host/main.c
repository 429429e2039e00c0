/* The program deskpilot. It calls lua/deskpilot/cli/init.lua; all decisions are made in Lua. */
#include "host.h"
#include "system/platform.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    argv = system_start(&argc, argv);
    lua_State *L = argv ? host_open() : NULL;
    if (!L) {
        fputs("deskpilot: not enough memory to start\n", stderr);
        return 3;
    }
    int status = host_call(L, "deskpilot.cli", "main", argc, argv, 1);
    host_close(L, status);
    return status;
}
