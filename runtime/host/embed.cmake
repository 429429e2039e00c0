# Writes OUT: a C file that has the assembler take in everything that ships (shipped.cmake), sorted by name, each with a NUL
# behind it. As numbers in C the same bytes take seconds to write and to compile.
# Names are paths from the root without the leading "lua/": deskpilot/agent/loop.lua,
# prompts/strategist.md, missions/calculator.lua.
include(${CMAKE_CURRENT_LIST_DIR}/shipped.cmake)
list(TRANSFORM SHIPPED_PATTERNS PREPEND ${ROOT}/)
file(GLOB_RECURSE FILES RELATIVE ${ROOT} ${SHIPPED_PATTERNS})
list(FILTER FILES EXCLUDE REGEX ${SHIPPED_NOT})
set(BYTES "")
set(DECLARED "")
set(TABLE "")
set(INDEX 0)
set(ENTRIES "")
foreach(FILE ${FILES})
  string(REGEX REPLACE "^lua/" "" NAME ${FILE})
  list(APPEND ENTRIES "${NAME}|${FILE}")
endforeach()
list(SORT ENTRIES)
foreach(ENTRY ${ENTRIES})
  string(REPLACE "|" ";" PAIR ${ENTRY})
  list(GET PAIR 0 NAME)
  list(GET PAIR 1 FILE)
  file(SIZE ${ROOT}/${FILE} SIZE)
  string(APPEND BYTES "        \"shipped_${INDEX}: .incbin \\\"${ROOT}/${FILE}\\\"\\n .byte 0\\n\"\n")
  string(APPEND DECLARED "extern const char shipped_${INDEX}[];\n")
  string(APPEND TABLE "    {\"${NAME}\", shipped_${INDEX}, ${SIZE}},\n")
  math(EXPR INDEX "${INDEX} + 1")
endforeach()
file(WRITE ${OUT} "/* Made by embed.cmake. */
#include \"host/shipped.h\"

#ifdef _WIN32
#define CONSTANTS \".rdata,\\\"dr\\\"\"
#else
#define CONSTANTS \".rodata\"
#endif

__asm__(\".section \" CONSTANTS \"\\n\"
${BYTES}        \".text\\n\");

${DECLARED}
const shipped_file shipped_files[] = {
${TABLE}};
const size_t shipped_count = ${INDEX};
")
