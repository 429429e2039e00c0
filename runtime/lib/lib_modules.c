/* The table of all modules, for require. */
#include "lib.h"

void lib_preload(lua_State *L)
{
    static const luaL_Reg modules[] = {
        {"native.image", lib_open_image},
        {"native.desk", lib_open_desk},
        {"native.elements", lib_open_elements},
        {"native.http", lib_open_http},
        {"native.files", lib_open_files},
        {"native.system", lib_open_system},
        {"native.activity", lib_open_activity},
        {"native.ocr", lib_open_ocr},
        {"native.websocket", lib_open_websocket},
        {"native.nats", lib_open_nats},
        {"native.json", lib_open_json},
        {"native.watchdog", lib_open_watchdog},
        {"native.processes", lib_open_processes},
        {"native.signing", lib_open_signing},
        {NULL, NULL},
    };
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    for (const luaL_Reg *m = modules; m->name; m++) {
        lua_pushcfunction(L, m->func);
        lua_setfield(L, -2, m->name);
    }
    lua_pop(L, 1);
}
