pkg_check_modules(PNG REQUIRED libpng)
pkg_check_modules(XCBTEST REQUIRED xcb xcb-xtest)
include_directories(${XCBTEST_INCLUDE_DIRS})
file(GLOB C_TESTS CONFIGURE_DEPENDS c/test_*.c)
foreach(source ${C_TESTS})
  add_c_test(${source} ${PNG_LINK_LIBRARIES} ${XCBTEST_LINK_LIBRARIES})
endforeach()

set(TEST_ENVIRONMENT "DESKPILOT_BIN=$<TARGET_FILE:deskpilot>"
    "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_SOURCE_DIR}/lsan.supp")
file(GLOB LUA_TESTS CONFIGURE_DEPENDS lua/test_*.lua e2e/test_*.lua)
foreach(source ${LUA_TESTS})
  add_lua_test(${source})
endforeach()
