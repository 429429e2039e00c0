pkg_check_modules(XCBTEST REQUIRED xcb xcb-xtest)
include_directories(${XCBTEST_INCLUDE_DIRS})
file(GLOB C_TESTS CONFIGURE_DEPENDS c/test_*.c)
foreach(source ${C_TESTS})
  add_c_test(${source} ${XCBTEST_LINK_LIBRARIES})
endforeach()

set(TEST_ENVIRONMENT "DESKPILOT_BIN=$<TARGET_FILE:deskpilot>" "DESKPILOT_ATSPI_WALK=$<TARGET_FILE:atspi_walk>"
    "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_SOURCE_DIR}/lsan.supp")
file(GLOB LUA_TESTS CONFIGURE_DEPENDS lua/test_*.lua e2e/test_*.lua)
foreach(source ${LUA_TESTS})
  add_lua_test(${source})
endforeach()

# The yardstick and judge of the element reader: libatspi, node by node.
pkg_check_modules(ATSPI REQUIRED atspi-2 gobject-2.0)
add_executable(atspi_walk bench/atspi_walk.c)
target_include_directories(atspi_walk PRIVATE ${ATSPI_INCLUDE_DIRS})
target_link_libraries(atspi_walk PRIVATE ${ATSPI_LINK_LIBRARIES})
