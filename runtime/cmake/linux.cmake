# The small libraries are linked in whole, so that one file is the program; what every desktop has
# (XCB, D-Bus, zlib) stays shared, and libcurl and libnats are opened when first used
# (runtime/net/linux).
set(CMAKE_C_FLAGS_RELEASE "-O2 -g -DNDEBUG -D_FORTIFY_SOURCE=2")
add_compile_options(-fstack-clash-protection -fcf-protection)
add_link_options(-pie -Wl,-z,relro,-z,now,-z,noexecstack)
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(LUA REQUIRED lua5.4)
pkg_check_modules(UV REQUIRED libuv)
pkg_check_modules(CURL REQUIRED libcurl)
pkg_check_modules(NATS REQUIRED libnats)
pkg_check_modules(XCB REQUIRED xcb xcb-shm xcb-xtest xcb-xfixes xcb-damage)
pkg_check_modules(DBUS REQUIRED dbus-1)
find_library(RANDR_STATIC NAMES libxcb-randr.a REQUIRED) # not every machine has these three to load
find_library(COMPOSITE_STATIC NAMES libxcb-composite.a REQUIRED)
find_library(XINPUT_STATIC NAMES libxcb-xinput.a REQUIRED)
find_library(PNG_STATIC NAMES libpng16.a REQUIRED)
find_library(JPEG_STATIC NAMES libjpeg.a REQUIRED)
find_library(LUA_STATIC NAMES liblua5.4.a REQUIRED)
find_library(CJSON_STATIC NAMES liblua5.4-cjson.a REQUIRED)
find_library(LUV_STATIC NAMES liblua5.4-luv.a REQUIRED)
include(${CMAKE_CURRENT_LIST_DIR}/checked_memory.cmake)
checked_memory(LUV_CHECKED ${LUV_STATIC})
checked_memory(CJSON_CHECKED ${CJSON_STATIC})
find_library(UV_STATIC NAMES libuv_a.a REQUIRED)
find_library(SODIUM_STATIC NAMES libsodium.a REQUIRED)

# What each room of CMakeLists.txt stands on beside the rooms below it.
add_library(base_libraries INTERFACE)
target_include_directories(base_libraries INTERFACE ${UV_INCLUDE_DIRS})
target_link_libraries(base_libraries INTERFACE ${UV_STATIC} ${SODIUM_STATIC} Threads::Threads ${CMAKE_DL_LIBS} m)

add_library(image_libraries INTERFACE)
target_link_libraries(image_libraries INTERFACE ${PNG_STATIC} ${JPEG_STATIC} ZLIB::ZLIB m)

add_library(desk_libraries INTERFACE)
target_include_directories(desk_libraries INTERFACE ${XCB_INCLUDE_DIRS} ${DBUS_INCLUDE_DIRS})
target_link_libraries(desk_libraries INTERFACE ${RANDR_STATIC} ${COMPOSITE_STATIC} ${XINPUT_STATIC} ${XCB_LINK_LIBRARIES}
                      ${DBUS_LINK_LIBRARIES})

add_library(net_libraries INTERFACE)
target_include_directories(net_libraries INTERFACE ${CURL_INCLUDE_DIRS} ${NATS_INCLUDE_DIRS})

add_library(lua_libraries INTERFACE)
target_include_directories(lua_libraries INTERFACE ${LUA_INCLUDE_DIRS})
target_link_libraries(lua_libraries INTERFACE ${LUV_CHECKED} ${UV_STATIC} ${CJSON_CHECKED} ${LUA_STATIC} base_libraries)

add_library(system_libraries INTERFACE)
target_link_libraries(system_libraries INTERFACE lua_libraries)
