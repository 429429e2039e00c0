# Everything but the system's own DLLs is linked in; runtime/cmake/windows/libraries builds it into LIBRARIES.
set(LIBRARIES ${CMAKE_SOURCE_DIR}/.cache/windows/prefix CACHE PATH "What runtime/cmake/windows/libraries/build.sh made")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
add_link_options(-Wl,--dynamicbase,--high-entropy-va,--nxcompat)
set(CMAKE_EXE_LINKER_FLAGS_RELEASE "-s -Wl,--no-insert-timestamp") # the same bytes each time
# GCC does not align the stack for vectors of 32 bytes on this system (its bug 54412), but moves them as
# if it did: the assembler makes those moves ones that need no alignment.
add_compile_options(-Wa,-muse-unaligned-vector-move)
# The compiler's own printf follows the standard, and formats are checked by its rules.
add_compile_definitions(_WIN32_WINNT=0x0A00 UNICODE _UNICODE __USE_MINGW_ANSI_STDIO=1
                        BASE_PRINTF_FORMAT=gnu_printf)

# static_library(NAME LIBRARY...): one of those, and what it stands on.
function(static_library name)
  add_library(${name} STATIC IMPORTED)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${LIBRARIES}/lib/lib${name}.a)
  target_link_libraries(${name} INTERFACE ${ARGN})
endfunction()
static_library(z)
static_library(png z)
static_library(jpeg)
static_library(uv psapi iphlpapi userenv dbghelp ws2_32 advapi32 user32 shell32 ole32 uuid)
static_library(lua)
static_library(cjson lua)
static_library(luv lua uv)
include(${CMAKE_CURRENT_LIST_DIR}/checked_memory.cmake)
checked_memory(LUV_CHECKED ${LIBRARIES}/lib/libluv.a)
checked_memory(CJSON_CHECKED ${LIBRARIES}/lib/libcjson.a)
set_target_properties(luv PROPERTIES IMPORTED_LOCATION ${LUV_CHECKED})
set_target_properties(cjson PROPERTIES IMPORTED_LOCATION ${CJSON_CHECKED})
static_library(sodium advapi32)
static_library(curl z crypt32 bcrypt secur32 ws2_32 advapi32)

# What each room of CMakeLists.txt stands on beside the rooms below it.
add_library(base_libraries INTERFACE)
target_include_directories(base_libraries SYSTEM INTERFACE ${LIBRARIES}/include)
target_compile_definitions(base_libraries INTERFACE SODIUM_STATIC=1)
target_link_libraries(base_libraries INTERFACE uv sodium)

add_library(image_libraries INTERFACE)
target_link_libraries(image_libraries INTERFACE png jpeg z)

add_library(desk_libraries INTERFACE)
target_link_libraries(desk_libraries INTERFACE gdi32 user32 ole32 oleaut32 oleacc dwmapi shcore uuid)

add_library(net_libraries INTERFACE)
target_compile_definitions(net_libraries INTERFACE CURL_STATICLIB)
target_link_libraries(net_libraries INTERFACE curl)

add_library(lua_libraries INTERFACE)
target_link_libraries(lua_libraries INTERFACE luv cjson lua)

add_library(system_libraries INTERFACE)
target_link_libraries(system_libraries INTERFACE lua_libraries)

enable_language(RC)
add_library(resources OBJECT runtime/host/windows/deskpilot.rc)
string(REPLACE "." "," VERSION_NUMBERS ${PROJECT_VERSION})
target_compile_definitions(resources PRIVATE DESKPILOT_VERSION_NUMBERS=${VERSION_NUMBERS},0
                           DESKPILOT_VERSION=${PROJECT_VERSION})
set_source_files_properties(runtime/host/windows/deskpilot.rc PROPERTIES OBJECT_DEPENDS
  "${CMAKE_SOURCE_DIR}/runtime/host/windows/deskpilot.manifest;${CMAKE_SOURCE_DIR}/runtime/host/windows/deskpilot.ico")
set(PROGRAM_SOURCES $<TARGET_OBJECTS:resources>)

# What is in the program, for whoever has to know: beside it, and in the release.
set(BILL_WORDS -DPROGRAM=$<TARGET_FILE:deskpilot> -DVERSION=${PROJECT_VERSION} -DCOMPILER=${CMAKE_C_COMPILER}
    -DSOURCES=${CMAKE_SOURCE_DIR}/runtime/cmake/windows/libraries/sources.txt
    -DBILL=${CMAKE_BINARY_DIR}/deskpilot.cdx.json)
set(BILL_MAKER ${CMAKE_SOURCE_DIR}/runtime/cmake/windows/bill.cmake)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/deskpilot.cdx.json VERBATIM
  COMMAND ${CMAKE_COMMAND} ${BILL_WORDS} -P ${BILL_MAKER}
  DEPENDS deskpilot ${BILL_MAKER} ${CMAKE_SOURCE_DIR}/runtime/cmake/windows/libraries/sources.txt)
add_custom_target(bill ALL DEPENDS ${CMAKE_BINARY_DIR}/deskpilot.cdx.json)

set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_SOURCE_DIR}/tests/wine/wine.sh --seconds 360)
