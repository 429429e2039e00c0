# Writes OUT: a C file with everything that ships as Lua or text as bytes, sorted by name: Lua files and scripts of
# pages, prompts, missions and the pages beside them.
# Names are paths from the root without the leading "lua/": deskpilot/agent/loop.lua,
# prompts/strategist.md, missions/calculator.lua.
file(GLOB_RECURSE FILES RELATIVE ${ROOT} ${ROOT}/lua/*.lua ${ROOT}/lua/*.js
     ${ROOT}/prompts/*.md ${ROOT}/missions/*.lua ${ROOT}/missions/*.html)
set(TEXT "/* Made by embed.cmake. */\n#include \"shipped.h\"\n\n")
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
  file(READ ${ROOT}/${FILE} HEX HEX)
  string(LENGTH "${HEX}" DIGITS)
  math(EXPR SIZE "${DIGITS} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," BYTES "${HEX}")
  string(APPEND TEXT "static const unsigned char f${INDEX}[] = {${BYTES}0};\n")
  string(APPEND TABLE "    {\"${NAME}\", (const char *) f${INDEX}, ${SIZE}},\n")
  math(EXPR INDEX "${INDEX} + 1")
endforeach()
string(APPEND TEXT "\nconst shipped_file shipped_files[] = {\n${TABLE}};\nconst size_t shipped_count = ${INDEX};\n")
file(WRITE ${OUT} "${TEXT}")
