#!/bin/sh
# package.sh PROGRAM VERSION OUT: makes OUT/deskpilot_VERSION_ARCH.deb and OUT/deskpilot-VERSION-linux-MACHINE.tar.gz of a
# release build. Their bytes depend on their contents alone: names in order, everything at SOURCE_DATE_EPOCH.
set -eu

program=$1 version=$2 out=$3
root=$(cd "$(dirname "$0")/../../.." && pwd)
: "${SOURCE_DATE_EPOCH:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

# What is the same in both, below a folder: the program, its page, what shells complete, the unit of a fleet's worker,
# the documents.
stage() {
    bin=$1 man=$2 bash=$3 zsh=$4 fish=$5 units=$6 documents=$7
    for folder in "$bin" "$man" "$bash" "$zsh" "$fish" "$units" "$documents"; do mkdir -p "$work/$folder"; done
    cp "$program" "$work/$bin/deskpilot"
    strip "$work/$bin/deskpilot"
    "$program" man | gzip -9n >"$work/$man/deskpilot.1.gz"
    "$program" completions bash >"$work/$bash/deskpilot"
    "$program" completions zsh >"$work/$zsh/_deskpilot"
    "$program" completions fish >"$work/$fish/deskpilot.fish"
    cp "$root/runtime/cmake/linux/deskpilot-worker.service" "$work/$units/"
    cp "$root/README.md" "$root/CHANGELOG.md" "$work/$documents/"
    cp -r "$root/docs" "$work/$documents/"
}

dated() {
    find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

tarball() {
    name=deskpilot-$version-linux-$(uname -m)
    stage "$name" "$name" "$name/completions/bash" "$name/completions/zsh" "$name/completions/fish" \
        "$name/systemd" "$name"
    cp "$root/LICENSE" "$work/$name/"
    dated "$work/$name"
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
    echo "$out/$name.tar.gz"
}

# The libraries that the program is linked with, by the packages that have them.
linked() {
    mkdir -p "$work/linked/debian"
    echo "Source: deskpilot" >"$work/linked/debian/control"
    (cd "$work/linked" && dpkg-shlibdeps -O "$work/deb/usr/bin/deskpilot" 2>/dev/null) | sed 's/^shlibs:Depends=//'
}

# libcurl is opened at run time, whichever there is; the rest of what is not linked is for what not every mission does.
deb() {
    architecture=$(dpkg --print-architecture)
    share=deb/usr/share
    stage deb/usr/bin $share/man/man1 $share/bash-completion/completions $share/zsh/vendor-completions \
        $share/fish/vendor_completions.d deb/usr/lib/systemd/system $share/doc/deskpilot
    cp "$root/LICENSE" "$work/$share/doc/deskpilot/copyright"
    depends=$(linked)
    mkdir -p "$work/deb/DEBIAN"
    cat >"$work/deb/DEBIAN/control" <<END
Package: deskpilot
Version: $version
Architecture: $architecture
Maintainer: the deskpilot project
Section: utils
Priority: optional
Installed-Size: $(du -sk "$work/deb/usr" | cut -f1)
Depends: $depends, libcurl4 | libcurl4t64 | libcurl3-gnutls | libcurl3t64-gnutls, ca-certificates
Recommends: xvfb, openbox, dbus, at-spi2-core, fonts-dejavu-core, tesseract-ocr
Suggests: chromium, libnats3.4
Description: automate live desktops by Lua scripts and vision models
 Lua scripts see the screen, move the mouse, type, and know windows, elements
 and browsers; tasks in words are done by an agent with a model of your choice.
 Everything that decides is Lua, which you can read, change and reload.
END
    (cd "$work/deb" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    dated "$work/deb"
    name=deskpilot_${version}_$architecture.deb
    dpkg-deb --root-owner-group -Zxz --build "$work/deb" "$out/$name" >/dev/null
    echo "$out/$name"
}

deb
tarball
