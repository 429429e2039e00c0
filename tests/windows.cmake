# The Windows suite, run under Wine (tests/wine/wine.sh is the emulator that ctest starts programs with):
# the units that are the same everywhere, and windows/ for what is Windows's own.
foreach(name backends coords desk draw elements_front find find_recall human image jpeg_decode jpeg_encode keys
    monitors null parallel png_damage png_decode regions scale ocr_detect)
  add_c_test(${CMAKE_CURRENT_SOURCE_DIR}/c/test_${name}.c)
endforeach()
add_executable(pngsuite c/pngsuite.c)
target_link_libraries(pngsuite PRIVATE image)
add_test(NAME c.pngsuite COMMAND pngsuite Z:${CMAKE_SOURCE_DIR}/.cache/windows/source/libpng1.6/contrib/pngsuite)
set_tests_properties(c.pngsuite PROPERTIES TIMEOUT 400)
file(GLOB C_TESTS CONFIGURE_DEPENDS windows/c/test_*.c)
foreach(source ${C_TESTS})
  add_c_test(${source} comctl32)
endforeach()

# What the tests look at: an application that logs what reaches it, and a sender of console events.
file(GLOB TESTAPP_SOURCES CONFIGURE_DEPENDS windows/testapp*.c)
add_executable(testapp WIN32 ${TESTAPP_SOURCES})
target_link_options(testapp PRIVATE -municode)
target_link_libraries(testapp PRIVATE comctl32)
add_executable(ctrlc windows/ctrlc.c)
add_executable(press windows/press.c) # another program's input, for people (test_win_human.lua)
add_library(tesseract_stub MODULE windows/tesseract_stub.c)

set(TEST_ENVIRONMENT "DESKPILOT_BIN=Z:$<TARGET_FILE:deskpilot>" "DESKPILOT_TESTAPP=Z:$<TARGET_FILE:testapp>"
    "DESKPILOT_CTRLC=Z:$<TARGET_FILE:ctrlc>" "DESKPILOT_PRESS=Z:$<TARGET_FILE:press>"
    "DESKPILOT_TESSERACT_STUB=Z:$<TARGET_FILE:tesseract_stub>")
foreach(name agent app_profiles cdp cli completion config csv data decode desk eval find http http_server literal
    literal_planner lookup model monitors native_desk ocr odev outline report schema shot signal site task types
    websocket websocket_frames websocket_opening)
  add_lua_test(${CMAKE_CURRENT_SOURCE_DIR}/lua/test_${name}.lua)
endforeach()
file(GLOB LUA_TESTS CONFIGURE_DEPENDS windows/test_*.lua)
foreach(source ${LUA_TESTS})
  add_lua_test(${source})
endforeach()

add_test(NAME windows.two_monitors COMMAND ${CMAKE_SOURCE_DIR}/tests/wine/wine.sh --two-monitors --seconds 360
  $<TARGET_FILE:deskpilot-test> ${CMAKE_CURRENT_SOURCE_DIR}/windows/monitors/test_win_two_monitors.lua
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
set_tests_properties(windows.two_monitors PROPERTIES TIMEOUT 400 ENVIRONMENT "${TEST_ENVIRONMENT}")

add_test(NAME windows.imports COMMAND ${CMAKE_SOURCE_DIR}/runtime/cmake/windows/imports.sh $<TARGET_FILE:deskpilot>)

add_test(NAME windows.tls COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/windows/with_tls_server.sh
  ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:deskpilot-test>
  ${CMAKE_CURRENT_SOURCE_DIR}/windows/tls/test_win_tls.lua WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
set_tests_properties(windows.tls PROPERTIES TIMEOUT 400)

foreach(name browser page)
  add_test(NAME windows.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/windows/with_browser.sh
    ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:deskpilot-test>
    ${CMAKE_CURRENT_SOURCE_DIR}/windows/browser/test_win_${name}.lua WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(windows.${name} PROPERTIES TIMEOUT 400 ENVIRONMENT "${TEST_ENVIRONMENT}")
endforeach()
