#!/bin/sh
# Builds the libraries of sources.txt for Windows into CACHE/prefix, with their licences. Does nothing when they are there
# and neither this folder nor the compiler has changed.
#
# usage: build.sh CACHE
set -eu

here=$(cd "$(dirname "$0")" && pwd)
toolchain=$here/../toolchain.cmake
cache=$1
suite=trixie # of Debian, which has these versions

say() { printf 'windows: %s\n' "$*" >&2; }
die() { say "$*"; exit 3; }

mkdir -p "$cache/downloads" "$cache/apt/lists/partial" "$cache/apt/sources"
cache=$(cd "$cache" && pwd)
wanted=$(cat "$here"/* "$toolchain" | sha256sum | cut -d' ' -f1)
wanted="$wanted $(x86_64-w64-mingw32-gcc-win32 -dumpfullversion)"
[ "$(cat "$cache/prefix/complete" 2>/dev/null || true)" != "$wanted" ] || exit 0

entries() { grep -v '^#' "$here/sources.txt"; }

have() { # have FILE SHA256
    [ -f "$cache/downloads/$1" ] &&
        printf '%s  %s\n' "$2" "$cache/downloads/$1" | sha256sum --status -c -
}

# Where this machine gets Debian's packages from, as apt-get itself says.
mirror() {
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(COMPONENT) $(CREATED_BY) $(SUITE)' |
        awk '$2 == "Debian" && $3 == "main" && $4 == "Packages" && $5 !~ /-/ { print $1; exit }'
}

# The lists and the choice of suite are kept apart from the machine's own: nothing in /etc changes.
apt() {
    apt-get -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$cache/apt/sources" \
        -o Dir::State::Lists="$cache/apt/lists" -o APT::Sandbox::User="$(id -un)" \
        -o Acquire::Retries=3 "$@"
}

download() {
    site=$(mirror)
    # Without any lists, as on a machine just made, apt-get does not know whose its sources are.
    [ -n "$site" ] || { apt-get -qq update >/dev/null 2>&1 && site=$(mirror); } || true
    [ -n "$site" ] || die "apt-get knows no Debian mirror on this machine; run 'apt-get update' first"
    printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' "$site" "$suite" \
        /usr/share/keyrings/debian-archive-keyring.gpg >"$cache/apt/sources/$suite.sources"
    apt update || die "cannot read Debian $suite's list of sources"
    # shellcheck disable=SC2046
    (cd "$cache/downloads" && apt source --download-only --tar-only $(entries | awk '{ print $1 }')) ||
        die "cannot download the sources of $(entries | awk '{ print $1 }' | tr '\n' ' ')"
}

missing() {
    entries | while read -r package file sum; do
        have "$file" "$sum" || echo "$package ($file)"
    done
}

[ -z "$(missing)" ] || { say "downloading the libraries' sources"; download; }
wrong=$(missing)
[ -z "$wrong" ] || die "these sources are not the ones wanted (see $here/sources.txt): $wrong"

say "building the libraries, once"
rm -rf "$cache/source" "$cache/build" "$cache/new"
entries | while read -r package file sum; do
    mkdir -p "$cache/source/$package"
    tar -xf "$cache/downloads/$file" -C "$cache/source/$package" --strip-components=1
done
log=$cache/build.log
{
    cmake -S "$here" -B "$cache/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSOURCES="$cache/source" \
        -DCMAKE_TOOLCHAIN_FILE="$toolchain" -DCMAKE_INSTALL_PREFIX="$cache/new" &&
        cmake --build "$cache/build" && cmake --install "$cache/build"
} >"$log" 2>&1 || { tail -30 "$log" >&2; die "the libraries could not be built (the log is $log)"; }

# Their licences go with every copy of the program.
licences=$cache/new/licences
mkdir -p "$licences"
sed -n '/^\* Copyright/,/^\*\*\*/p' "$cache/source/lua5.4/src/lua.h" | sed '$d; s/^\* \{0,1\}//' >"$licences/lua.txt"
cp "$cache/source/lua-cjson/LICENSE" "$licences/lua-cjson.txt"
cp "$cache/source/lua-luv/LICENSE.txt" "$licences/luv.txt"
cat "$cache/source/libuv1/LICENSE" "$cache/source/libuv1/LICENSE-extra" >"$licences/libuv.txt"
cp "$cache/source/zlib/LICENSE" "$licences/zlib.txt"
cp "$cache/source/libpng1.6/LICENSE" "$licences/libpng.txt"
cat "$cache/source/libjpeg-turbo/LICENSE.md" "$cache/source/libjpeg-turbo/README.ijg" >"$licences/libjpeg-turbo.txt"
cp "$cache/source/libsodium/LICENSE" "$licences/libsodium.txt"
cp "$cache/source/curl/COPYING" "$licences/curl.txt"
for file in "$licences"/*; do
    grep -qi copyright "$file" || die "there is no licence in $file"
done
printf '%s\n' "$wanted" >"$cache/new/complete"
rm -rf "$cache/prefix"
mv "$cache/new" "$cache/prefix"
