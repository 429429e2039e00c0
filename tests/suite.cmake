# Which tests there are. CMake includes this; `./dev test` runs it (cmake -P), which prints their names before anything
# is installed or built, and then builds only what the chosen ones need: every test has a target build.NAME.
#
#   c.test_draw  lua.test_csv  e2e.test_apps      tests/c, tests/lua and tests/e2e, on Linux
#   windows.c.test_draw  windows.test_win_apps    built for Windows, run under Wine
#   tsan.c.test_parallel                          what uses threads, built with the thread sanitizer
set(TESTS ${CMAKE_CURRENT_LIST_DIR})
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(WATCHED CONFIGURE_DEPENDS)
endif()

# tests_in(LIST FOLDER EXTENSION): all tests of a folder.
macro(tests_in list folder extension)
  file(GLOB ${list} ${WATCHED} ${TESTS}/${folder}/test_*.${extension})
endmacro()

# tests_named(LIST FOLDER EXTENSION NAME...): some of them.
macro(tests_named list folder extension)
  set(${list} ${ARGN})
  list(TRANSFORM ${list} REPLACE "(.+)" "${TESTS}/${folder}/test_\\1.${extension}")
endmacro()

# Units need neither a screen nor applications, and are done in a second or two.
tests_in(UNIT_C c c)
tests_in(MORE_C c c)
list(FILTER UNIT_C EXCLUDE REGEX "/test_(x11.*|elements|find_recall|watchdog)\\.c$")
list(REMOVE_ITEM MORE_C ${UNIT_C})
tests_in(UNIT_LUA lua lua)
tests_named(MORE_LUA lua lua app_profiles cli faults fleet_limits fleet_queues nats nats_client reply_limits websocket
  worst_replies)
list(REMOVE_ITEM UNIT_LUA ${MORE_LUA})
tests_in(E2E e2e lua)

tests_named(TSAN_C c c find activity image parallel png scale watchdog)
tests_named(TSAN_LUA lua lua files find http interrupt nats ocr shot)
tests_named(TSAN_E2E e2e lua activity elements)

# The units that are the same everywhere, and tests/windows for what is Windows's own.
tests_named(WINDOWS_C c c backends coords desk draw elements_front find find_recall activity image jpeg_decode jpeg_encode
            keys monitors null ocr_detect parallel png_damage png_decode regions scale watchdog)
tests_named(WINDOWS_LUA lua lua action_target agent api_key app_profiles arithmetic batch browser_pipe cdp check
            checks cli comparison completion config connections control correction criteria csv data decode
            decode_answers desk desk_proxy differences early_calls eval faults files find fleet_artifacts goal_limits goals
            hook_fields hooks hostile_agents http http_server input_filter json lasting literal literal_planner lookup
            lookups loop_detection lua_export maker_actions maker_checks manager manager_analyst manager_roles
            mcp_client mcp_hostile mcp_http
            mcp_options mcp_protocol mcp_run mcp_server memory model monitors native_desk nats_broken nats_protocol ocr odd_journals odev
            old_runs orchestrator orchestrator_goals orchestrator_looks orchestrator_tools
            outline pace patterns permissions phases plugins
            policy_options probe process profiles questions quirks reload repeated replay
            replay_aim replay_shape report resume_state retrying run_command
            schema schema_foreign secrets servers shot signal signatures signing site space system task task_executor
            terminal_picture token_count tool_groups toolbox touch_tools trajectory trim trust types untrusted viewpoint
            websocket websocket_frames websocket_opening wires)
tests_in(WINDOWS_OWN_C windows/c c)
tests_in(WINDOWS_OWN_LUA windows lua)
tests_in(WINDOWS_BROWSER windows/browser lua)
tests_in(WINDOWS_MONITORS windows/monitors lua)
tests_in(WINDOWS_TLS windows/tls lua)
tests_in(WINDOWS_NATS windows/nats lua)

include(${TESTS}/fuzz/fuzzers.cmake)

# test_names(LIST PREFIX FILE...): PREFIX.test_x for each file.
function(test_names list prefix)
  list(TRANSFORM ARGN REPLACE ".*/(test_[^/]*)\\.[a-z]+$" "${prefix}.\\1")
  set(${list} ${ARGN} PARENT_SCOPE)
endfunction()

# --- by cmake -P: a line "KIND NAME" for each test; KIND is unit, linux, tsan or windows -------------------------
if(CMAKE_SCRIPT_MODE_FILE)
  set(lines "windows windows.imports" "windows windows.bill" "windows windows.c.pngsuite")
  list(TRANSFORM FUZZERS PREPEND fuzz. OUTPUT_VARIABLE fuzzers)
  list(TRANSFORM LINUX_FUZZERS PREPEND "linux fuzz." OUTPUT_VARIABLE linux_fuzzers)
  list(APPEND lines ${linux_fuzzers})
  foreach(name binary.hardening ${fuzzers} graph.file_circles graph.test_file_circles)
    list(APPEND lines "unit ${name}" "windows windows.${name}")
  endforeach()
  function(add_lines prefix)
    test_names(more "${prefix}" ${ARGN})
    set(lines ${lines} ${more} PARENT_SCOPE)
  endfunction()
  add_lines("unit c" ${UNIT_C})
  add_lines("unit lua" ${UNIT_LUA})
  add_lines("linux c" ${MORE_C})
  add_lines("linux lua" ${MORE_LUA})
  add_lines("linux e2e" ${E2E})
  add_lines("tsan tsan.c" ${TSAN_C})
  add_lines("tsan tsan.lua" ${TSAN_LUA})
  add_lines("tsan tsan.e2e" ${TSAN_E2E})
  add_lines("windows windows.c" ${WINDOWS_C} ${WINDOWS_OWN_C})
  add_lines("windows windows.lua" ${WINDOWS_LUA})
  add_lines("windows windows" ${WINDOWS_OWN_LUA} ${WINDOWS_BROWSER} ${WINDOWS_MONITORS} ${WINDOWS_TLS}
            ${WINDOWS_NATS})
  list(JOIN lines "\n" lines)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo ${lines}) # message() writes to standard error
endif()
