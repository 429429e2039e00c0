#!/bin/sh
# file_circles.sh finds a circle of three files and lets a pair pass: test_file_circles.sh NM CC
set -eu
nm=$1
cc=$2
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# compile NAME USED: a file that defines the function NAME and calls USED
compile() {
    echo "void $2(void); void $1(void); void $1(void) { $2(); }" >"$1.c"
    "$cc" -c "$1.c" -o "$1.o"
}

# expect STATUS TEXT OBJECT...
expect() {
    wanted=$1
    text=$2
    shift 2
    status=0
    said=$(sh "$here/file_circles.sh" "$nm" "$@" 2>&1) || status=$?
    case $said in *"$text"*) found=yes ;; *) found=no ;; esac
    if [ "$status" != "$wanted" ] || [ $found = no ]; then
        echo "$*: status $status instead of $wanted, or not \"$text\":"
        echo "$said"
        exit 1
    fi
}

compile one two
compile two three
compile three one
compile above one
compile left right
compile right left
compile alone printf_of_nobody
expect 1 "a circle of 3 files" one.o two.o three.o above.o
expect 1 "two -> three: three" one.o two.o three.o above.o
expect 1 "1 circles of more than two" one.o two.o three.o left.o right.o
expect 0 "a pair: left, right" above.o one.o left.o right.o
expect 0 "0 circles" above.o one.o two.o
expect 2 "no file uses another" alone.o
expect 2 "cannot read" missing.o
echo "circles are found"
