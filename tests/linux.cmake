pkg_check_modules(XCBTEST REQUIRED xcb xcb-xtest)
include_directories(${XCBTEST_INCLUDE_DIRS})
set(C_LIBRARIES ${XCBTEST_LINK_LIBRARIES})

if(DESKPILOT_SANITIZE_THREADS)
  set(TEST_ENVIRONMENT "DESKPILOT_BIN=$<TARGET_FILE:deskpilot>"
      "TSAN_OPTIONS=halt_on_error=1 second_deadlock_stack=1")
  set(C_TEST_WORDS threads) # the long ones leave out what runs on one
  add_c_tests(tsan.c "${C_LIBRARIES}" ${TSAN_C})
  add_lua_tests(tsan.lua "" ${TSAN_LUA})
  add_lua_tests(tsan.e2e "" ${TSAN_E2E})
  return()
endif()

add_c_tests(c "${C_LIBRARIES}" ${UNIT_C} ${MORE_C})
target_link_libraries(test_host PRIVATE host)

# The yardstick and judge of the element reader: libatspi, node by node.
pkg_check_modules(ATSPI REQUIRED atspi-2 gobject-2.0)
add_executable(atspi_walk bench/atspi_walk.c)
target_include_directories(atspi_walk PRIVATE ${ATSPI_INCLUDE_DIRS})
target_link_libraries(atspi_walk PRIVATE ${ATSPI_LINK_LIBRARIES})
list(APPEND LUA_TESTS_NEED atspi_walk)

# Calls of the C library that fail when they are told to (LD_PRELOAD).
add_library(fail_calls MODULE torture/fail_calls.c)
target_compile_options(fail_calls PRIVATE -fno-sanitize=all)
target_link_options(fail_calls PRIVATE -fno-sanitize=all)
target_link_libraries(fail_calls PRIVATE ${CMAKE_DL_LIBS})
if(DESKPILOT_SANITIZE)
  target_compile_definitions(fail_calls PRIVATE FAIL_CALLS_WITHOUT_MALLOC)
endif()

# A clock that is set while a program runs, and what tells which keys are down (tests/torture).
add_library(jump_clock MODULE torture/jump_clock.c)
target_compile_options(jump_clock PRIVATE -fno-sanitize=all)
target_link_options(jump_clock PRIVATE -fno-sanitize=all)
add_executable(held torture/held.c)
target_link_libraries(held PRIVATE ${XCBTEST_LINK_LIBRARIES})
list(APPEND LUA_TESTS_NEED fail_calls jump_clock held)

set(TEST_ENVIRONMENT "DESKPILOT_BIN=$<TARGET_FILE:deskpilot>" "DESKPILOT_ATSPI_WALK=$<TARGET_FILE:atspi_walk>"
    "DESKPILOT_FAIL_CALLS=$<TARGET_FILE:fail_calls>" "DESKPILOT_JUMP_CLOCK=$<TARGET_FILE:jump_clock>"
    "DESKPILOT_HELD=$<TARGET_FILE:held>"
    "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_SOURCE_DIR}/lsan.supp")
add_lua_tests(lua "" ${UNIT_LUA} ${MORE_LUA})
add_lua_tests(e2e "" ${E2E})
