# Writes the bill of materials of deskpilot.exe, as CycloneDX 1.5 in JSON: the program with its hash, and what is linked
# into it with versions, licences and the hashes of the sources. The same program gives the same bytes: there is no time
# in it, and its serial number is made of the program's hash.
#
# usage: cmake -DPROGRAM=deskpilot.exe -DVERSION=0.1.0 -DSOURCES=sources.txt -DCOMPILER=gcc -DBILL=deskpilot.cdx.json
#              -P bill.cmake
cmake_minimum_required(VERSION 3.20)
foreach(name PROGRAM VERSION SOURCES COMPILER BILL)
  if(NOT ${name})
    message(FATAL_ERROR "bill.cmake: ${name} is not given")
  endif()
endforeach()

# about(PACKAGE NAME LICENCE FILE [CPE]): what sources.txt does not say of a library. LICENCE is an expression of SPDX,
# FILE its text in licences/, CPE the vendor and product by which vulnerabilities are listed.
macro(about package)
  list(APPEND KNOWN "${package}")
  set("about_${package}" ${ARGN})
endmacro()
about(lua5.4        lua           "MIT" lua.txt lua:lua)
about(lua-cjson     lua-cjson     "MIT" lua-cjson.txt)
about(lua-luv       luv           "Apache-2.0" luv.txt)
about(libuv1        libuv         "MIT AND BSD-2-Clause AND ISC" libuv.txt libuv:libuv)
about(libpng1.6     libpng        "libpng-2.0" libpng.txt libpng:libpng)
about(libjpeg-turbo libjpeg-turbo "IJG AND BSD-3-Clause AND Zlib" libjpeg-turbo.txt libjpeg-turbo:libjpeg-turbo)
about(libsodium     libsodium     "ISC" libsodium.txt libsodium:libsodium)
about(zlib          zlib          "Zlib" zlib.txt zlib:zlib)
about(curl          curl          "curl" curl.txt haxx:libcurl)

# What stands on what.
set(needs_lua-cjson lua)
set(needs_luv lua libuv)
set(needs_libpng zlib)
set(needs_curl zlib)

# json_list(RESULT INDENT ITEM...): the items on lines of their own.
function(json_list result indent)
  list(JOIN ARGN ",\n${indent}  " items)
  set(${result} "[\n${indent}  ${items}\n${indent}]" PARENT_SCOPE)
endfunction()

# The field `licenses` of an expression: one licence is named by its id.
function(licences_of result expression)
  if(expression MATCHES " ")
    set(${result} "[{\"expression\": \"${expression}\"}]" PARENT_SCOPE)
  else()
    set(${result} "[{\"license\": {\"id\": \"${expression}\"}}]" PARENT_SCOPE)
  endif()
endfunction()

# component(NAME VERSION LICENCE REST): REST are more fields, each with a comma before it.
function(component name version licence rest)
  licences_of(licences "${licence}")
  string(CONCAT words "{\"type\": \"library\", \"bom-ref\": \"${name}\", \"name\": \"${name}\", "
    "\"version\": \"${version}\", \"scope\": \"required\",\n     \"licenses\": ${licences}${rest}}")
  set(COMPONENTS "${COMPONENTS}" "${words}")
  list(APPEND NAMES "${name}")
  set(COMPONENTS "${COMPONENTS}" PARENT_SCOPE)
  set(NAMES "${NAMES}" PARENT_SCOPE)
endfunction()

# The upstream version in the name of one of Debian's archives: 1.3.1 of zlib_1.3.dfsg+really1.3.1.orig.tar.gz.
function(version_of result file)
  string(REGEX REPLACE "^[^_]*_(.*)\\.orig\\.tar\\..*$" "\\1" version "${file}")
  string(REGEX REPLACE "^.*\\+really" "" version "${version}")
  string(REGEX REPLACE "[.+]dfsg.*$" "" version "${version}")
  if(NOT version MATCHES "^[0-9]+\\.[0-9.]*(-[0-9]+)?$")
    message(FATAL_ERROR "bill.cmake: no version can be read from ${file}")
  endif()
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

file(STRINGS "${SOURCES}" lines REGEX "^[^#]")
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^([^ ]+) +([^ ]+) +([0-9a-f]+) *$")
    message(FATAL_ERROR "bill.cmake: ${SOURCES} has a line that is none: ${line}")
  endif()
  set(package "${CMAKE_MATCH_1}")
  set(file "${CMAKE_MATCH_2}")
  set(sum "${CMAKE_MATCH_3}")
  if(NOT package IN_LIST KNOWN)
    message(FATAL_ERROR "bill.cmake: nothing is known of ${package}: say its name and licence above")
  endif()
  list(GET "about_${package}" 0 name)
  list(GET "about_${package}" 1 licence)
  list(GET "about_${package}" 2 text)
  version_of(version "${file}")
  set(cpe "")
  list(LENGTH "about_${package}" length)
  if(length GREATER 3)
    list(GET "about_${package}" 3 cpe)
    set(cpe ", \"cpe\": \"cpe:2.3:a:${cpe}:${version}:*:*:*:*:*:*:*\"")
  endif()
  string(CONCAT rest ",\n     \"hashes\": [{\"alg\": \"SHA-256\", \"content\": \"${sum}\"}],\n"
    "     \"purl\": \"pkg:generic/${name}@${version}?checksum=sha256:${sum}\"${cpe},\n"
    "     \"properties\": [{\"name\": \"deskpilot:hash_of\", \"value\": \"${file}\"},\n"
    "       {\"name\": \"deskpilot:licence_text\", \"value\": \"licences/${text}\"}]")
  component(${name} ${version} "${licence}" "${rest}")
endforeach()

# The compiler's own run-time code.
execute_process(COMMAND ${COMPILER} -dumpfullversion OUTPUT_VARIABLE gcc OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "-.*$" "" gcc "${gcc}")
file(WRITE "${BILL}.c" "#include <_mingw.h>\n")
execute_process(COMMAND ${COMPILER} -E -dM "${BILL}.c" OUTPUT_VARIABLE macros COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE "${BILL}.c")
set(mingw "")
foreach(part MAJOR MINOR BUGFIX)
  string(REGEX MATCH "__MINGW64_VERSION_${part} ([0-9]+)" found "${macros}")
  string(APPEND mingw ".${CMAKE_MATCH_1}")
endforeach()
string(SUBSTRING "${mingw}" 1 -1 mingw)
foreach(version "${gcc}" "${mingw}")
  if(NOT version MATCHES "^[0-9]+(\\.[0-9]+)*$")
    message(FATAL_ERROR "bill.cmake: ${COMPILER} does not say its version: '${version}'")
  endif()
endforeach()
component(gcc-runtime ${gcc} "GPL-3.0-or-later WITH GCC-exception-3.1" ", \"purl\": \"pkg:generic/gcc@${gcc}\"")
component(mingw-w64-runtime ${mingw} "ZPL-2.1" ", \"purl\": \"pkg:generic/mingw-w64@${mingw}\", \"cpe\":\n     \
\"cpe:2.3:a:mingw-w64:mingw-w64:${mingw}:*:*:*:*:*:*:*\"")

set(dependencies "")
foreach(name IN LISTS NAMES)
  list(JOIN needs_${name} "\", \"" needed)
  if(needed)
    set(needed "\"${needed}\"")
  endif()
  list(APPEND dependencies "{\"ref\": \"${name}\", \"dependsOn\": [${needed}]}")
endforeach()
list(JOIN NAMES "\", \"" needed)
list(PREPEND dependencies "{\"ref\": \"deskpilot\", \"dependsOn\": [\"${needed}\"]}")
json_list(dependencies "  " ${dependencies})
json_list(components "  " ${COMPONENTS})

file(SHA256 "${PROGRAM}" sum)
string(UUID serial NAMESPACE 6ba7b812-9dad-11d1-80b4-00c04fd430c8 NAME "deskpilot.exe ${sum}" TYPE SHA1)
get_filename_component(program "${PROGRAM}" NAME)
file(WRITE "${BILL}" "{
  \"$schema\": \"http://cyclonedx.org/schema/bom-1.5.schema.json\",
  \"bomFormat\": \"CycloneDX\",
  \"specVersion\": \"1.5\",
  \"serialNumber\": \"urn:uuid:${serial}\",
  \"version\": 1,
  \"metadata\": {
    \"lifecycles\": [{\"phase\": \"build\"}],
    \"component\": {\"type\": \"application\", \"bom-ref\": \"deskpilot\", \"name\": \"deskpilot\", \
\"version\": \"${VERSION}\",
      \"licenses\": [{\"license\": {\"id\": \"MIT\"}}],
      \"hashes\": [{\"alg\": \"SHA-256\", \"content\": \"${sum}\"}],
      \"purl\": \"pkg:generic/deskpilot@${VERSION}?checksum=sha256:${sum}\",
      \"properties\": [{\"name\": \"deskpilot:hash_of\", \"value\": \"${program}\"},
        {\"name\": \"deskpilot:licence_text\", \"value\": \"LICENSE\"}]}
  },
  \"components\": ${components},
  \"dependencies\": ${dependencies}
}
")
