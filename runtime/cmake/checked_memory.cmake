# checked_memory(OUT LIBRARY): luv looks at what it is given as memory in some places only, and lua-cjson ends the
# process without a word of ours. A copy of such a library whose requests are made by runtime/system/memory.c, which
# looks.
function(checked_memory out library)
  get_filename_component(name ${library} NAME)
  set(copy ${CMAKE_BINARY_DIR}/checked_${name})
  execute_process(COMMAND_ERROR_IS_FATAL ANY
    COMMAND ${CMAKE_OBJCOPY} --enable-deterministic-archives --redefine-sym malloc=checked_malloc
            --redefine-sym calloc=checked_calloc --redefine-sym realloc=checked_realloc ${library} ${copy})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${library})
  set(${out} ${copy} PARENT_SCOPE)
endfunction()
