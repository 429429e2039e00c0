# What is fuzzed, by the names that `./dev fuzz` takes: by fuzz_NAME.c, and by NAME.lua, a function in Lua. The last ones
# are of Linux alone.
set(LUA_FUZZERS reply arguments journal data http cdp mcp nats)
set(FUZZERS websocket image keys ${LUA_FUZZERS})
set(LINUX_FUZZERS elements clipboard)
if(FUZZERS_WANTED) # cmake -DFUZZERS_WANTED=ON -P fuzzers.cmake
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo ${FUZZERS} ${LINUX_FUZZERS}) # message() writes to standard error
endif()
