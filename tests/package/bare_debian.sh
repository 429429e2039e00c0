#!/bin/sh
# bare_debian.sh PACKAGE FOLDER: installs the .deb in the smallest Debian 12 there is, made in FOLDER once, and uses it
# there as somebody does who has nothing else: `doctor` says what is missing, its line mends it, a mission succeeds.
set -eu

package=$1 folder=$2
bare=$folder/bare-bookworm.tar work=$(mktemp -d "${TMPDIR:-/tmp}/bare-debian-XXXXXX")
die() { echo "bare_debian.sh: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || die "this makes a system in a folder, which root alone may"

# shellcheck disable=SC2317 # called by the trap
clean() {
    for place in dev/pts dev/shm proc; do umount "$work/$place" 2>/dev/null || true; done
    rm -rf --one-file-system "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM

if [ ! -f "$bare" ]; then
    mkdir -p "$folder"
    # shellcheck disable=SC2016 # apt-get fills it in
    mirror=$(apt-get indextargets --format '$(SITE)' | head -1)
    debootstrap --variant=minbase bookworm "$work" "$mirror" >"$folder/debootstrap.log" 2>&1 ||
        die "debootstrap failed: $folder/debootstrap.log"
    tar -C "$work" -cf "$bare" .
else
    tar -C "$work" -xf "$bare"
fi
cp /etc/apt/sources.list "$work/etc/apt/" 2>/dev/null || true
cp /etc/apt/sources.list.d/* "$work/etc/apt/sources.list.d/" 2>/dev/null || true
# How this machine reaches its packages.
grep -l Acquire /etc/apt/apt.conf.d/* | xargs -I{} cp {} "$work/etc/apt/apt.conf.d/"
cp /etc/resolv.conf "$work/etc/" 2>/dev/null || true
mount -t proc proc "$work/proc"
mkdir -p "$work/dev/pts" "$work/dev/shm"
mount -t devpts devpts "$work/dev/pts"
mount -t tmpfs tmpfs "$work/dev/shm"

inside() { chroot "$work" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"; }
has() { grep -qF -- "$2" "$1" || { cat "$1" >&2; die "its words do not have: $2"; }; }

cp "$package" "$work/root/"
inside apt-get -qq update
inside apt-get -qq install -y --no-install-recommends "/root/$(basename "$package")" >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; die "apt-get could not install it"; }
inside deskpilot --version

# Nothing but what it depends on: it starts, and says what is missing and how to mend that.
inside deskpilot doctor --model literal >"$work/log" 2>&1 && die "doctor is content with a bare system"
has "$work/log" "no mission can run here yet"
mend=$(sed -n 's/^ *to mend: \(apt-get install .*xvfb.*\)/\1/p' "$work/log" | head -1)
[ -n "$mend" ] || { cat "$work/log" >&2; die "no line mends private desktops"; }
echo "doctor says: $mend"
# shellcheck disable=SC2086 # it is a command line
inside $mend -y --no-install-recommends -qq >"$work/log" 2>&1 || { cat "$work/log" >&2; die "that line fails"; }
inside deskpilot doctor --model literal >"$work/log" 2>&1 || { cat "$work/log" >&2; die "and mends nothing"; }
has "$work/log" "scripts, --model literal and agents can run here"
inside deskpilot doctor --json --model literal | grep -q '"usable":true' || die "--json says otherwise"

# The mission names the application that it wants.
inside sh -c 'cd && deskpilot run calculator --model literal' >"$work/log" 2>&1 && die "a calculator out of nowhere"
has "$work/log" "galculator"
inside apt-get -qq install -y --no-install-recommends galculator fonts-dejavu-core >"$work/log" 2>&1
inside sh -c 'cd && deskpilot run calculator --model literal' >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; die "the mission failed"; }
has "$work/log" "succeeded:"
tail -4 "$work/log"

for file in man/man1/deskpilot.1.gz bash-completion/completions/deskpilot zsh/vendor-completions/_deskpilot \
    fish/vendor_completions.d/deskpilot.fish doc/deskpilot/copyright; do
    # A bare system may leave out documents by its configuration of dpkg.
    inside dpkg -L deskpilot | grep -qx "/usr/share/$file" || die "the package has no /usr/share/$file"
done
inside dpkg -L deskpilot | grep -qx /usr/lib/systemd/system/deskpilot-worker.service || die "the package has no unit"
program=$(sed -n 's/^ExecStart=\([^ ]*\) worker .*/\1/p' "$work/usr/lib/systemd/system/deskpilot-worker.service")
inside "$program" worker --help >/dev/null || die "the unit starts $program, which is not there"
inside apt-get -qq remove -y deskpilot >/dev/null 2>&1
[ ! -e "$work/usr/bin/deskpilot" ] || die "it stays when it is removed"
echo "bare Debian: all is well"
