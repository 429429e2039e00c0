# The Windows suite, run under Wine: tests/wine/wine.sh is the emulator that ctest starts programs with.
set(TEST_PREFIX windows.)

# What the tests look at: an application that logs what reaches it, and a sender of console events.
file(GLOB TESTAPP_SOURCES CONFIGURE_DEPENDS windows/testapp*.c)
add_executable(testapp WIN32 ${TESTAPP_SOURCES})
target_link_options(testapp PRIVATE -municode)
target_link_libraries(testapp PRIVATE comctl32)
add_executable(ctrlc windows/ctrlc.c)
add_executable(press windows/press.c) # another program's input, for people (test_win_activity.lua)
add_executable(pipe_browser windows/pipe_browser.c) # a browser that is spoken to over pipes
add_library(tesseract_stub MODULE windows/tesseract_stub.c)
target_link_options(tesseract_stub PRIVATE -static) # needs no DLL of the compiler
list(APPEND LUA_TESTS_NEED testapp ctrlc press pipe_browser tesseract_stub)

# Wine does not show the sticky bit of /tmp, where the checkout may lie: to it everybody may replace what is there.
set(TEST_ENVIRONMENT "DESKPILOT_TRUSTED_FOLDERS=Z:/" "DESKPILOT_BIN=Z:$<TARGET_FILE:deskpilot>"
    "DESKPILOT_TESTAPP=Z:$<TARGET_FILE:testapp>" "DESKPILOT_CTRLC=Z:$<TARGET_FILE:ctrlc>"
    "DESKPILOT_PRESS=Z:$<TARGET_FILE:press>" "DESKPILOT_PIPE_BROWSER=Z:$<TARGET_FILE:pipe_browser>"
    "DESKPILOT_TESSERACT_STUB=Z:$<TARGET_FILE:tesseract_stub>")
set(HERE ${CMAKE_CURRENT_SOURCE_DIR})
set(WINE ${CMAKE_CROSSCOMPILING_EMULATOR})
add_c_tests(windows.c "" ${WINDOWS_C})
add_c_tests(windows.c comctl32 ${WINDOWS_OWN_C})
target_link_libraries(test_win32_files PRIVATE system)
add_executable(pngsuite c/pngsuite.c)
target_link_libraries(pngsuite PRIVATE image)
set(NEEDS pngsuite)
add_suite_test(windows.c.pngsuite pngsuite
               Z:${CMAKE_SOURCE_DIR}/.cache/windows/source/libpng1.6/contrib/pngsuite)
add_lua_tests(windows.lua "" ${WINDOWS_LUA})
add_lua_tests(windows "" ${WINDOWS_OWN_LUA})
add_lua_tests(windows "${HERE}/windows/with_browser.sh;${WINE}" ${WINDOWS_BROWSER})
add_lua_tests(windows "${HERE}/windows/with_tls_server.sh;${WINE}" ${WINDOWS_TLS})
add_lua_tests(windows "${HERE}/windows/with_nats_server.sh;${WINE}" ${WINDOWS_NATS})
add_lua_tests(windows "${HERE}/wine/wine.sh;--two-monitors;--seconds;360" ${WINDOWS_MONITORS})

set(NEEDS deskpilot)
add_suite_test(windows.imports ${CMAKE_SOURCE_DIR}/runtime/cmake/windows/imports.sh $<TARGET_FILE:deskpilot>)
set(NEEDS bill)
add_suite_test(windows.bill ${CMAKE_COMMAND} ${BILL_WORDS} -DLICENCES=${LIBRARIES}/licences -DMAKER=${BILL_MAKER}
               -P ${CMAKE_CURRENT_SOURCE_DIR}/windows/bill.cmake)
