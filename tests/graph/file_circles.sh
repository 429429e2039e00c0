#!/bin/sh
# Files that depend on each other in a circle cannot be read, tested or changed one at a time. This
# finds such circles among the compiled files of runtime/: A depends on B where A's object file uses
# a symbol that B's defines, whatever headers the two include. A pair is one file cut in two; more
# than two files in one circle are an error.
#
#   file_circles.sh NM OBJECT...    NM: the nm of the compiler that made the object files
#
# Prints each circle of more than two files with the symbols that close it, and the pairs.
# Exit status: 0 there are pairs at most, 1 there are larger circles, 2 nothing could be compared.
set -eu

[ $# -ge 2 ] || { echo "usage: file_circles.sh NM OBJECT..." >&2; exit 2; }
nm=$1
shift

symbols=$(mktemp)
trap 'rm -f "$symbols"' EXIT
"$nm" -A -P -g "$@" >"$symbols" || { echo "$nm cannot read the object files" >&2; exit 2; }

awk '
# A line of nm: "folder/runtime/desk/keys.c.o: symbol TYPE ..."; the types U, w and v are uses.
{
    at = index($0, ": ")
    file = substr($0, 1, at - 1)
    if (!sub(/^.*\/runtime\//, "", file))
        sub(/^.*\//, "", file)
    sub(/\.(o|obj)$/, "", file)
    if (!(file in number)) {
        number[file] = ++files
        name[files] = file
    }
    split(substr($0, at + 2), field, " ")
    if (field[2] ~ /^[Uwv]$/)
        used[++uses] = number[file] " " field[1]
    else
        definer[field[1]] = number[file]
}

# Fills reached[from, ...] with everything that `from` depends on, directly or not.
function reach(from,    open, count, next_ones, n, i) {
    open[count = 1] = from
    while (count > 0) {
        n = split(targets[open[count--]], next_ones, " ")
        for (i = 1; i <= n; i++)
            if (!((from, next_ones[i]) in reached)) {
                reached[from, next_ones[i]] = 1
                open[++count] = next_ones[i]
            }
    }
}

# The circle that the file stands in, as members[1..]; returns their count, 0 for none.
function circle_of(file,    other, count) {
    if (!((file, file) in reached))
        return 0
    for (other = 1; other <= files; other++)
        if ((file, other) in reached && (other, file) in reached)
            members[++count] = other
    return count
}

function print_circle(count,    i, j) {
    print "a circle of " count " files:"
    for (i = 1; i <= count; i++)
        for (j = 1; j <= count; j++)
            if ((members[i], members[j]) in why)
                print "    " name[members[i]] " -> " name[members[j]] ":" why[members[i], members[j]]
}

END {
    for (i = 1; i <= uses; i++) {
        split(used[i], part, " ")
        from = part[1]
        to = definer[part[2]]
        if (to == "" || to == from)
            continue
        if (!((from, to) in why))
            targets[from] = targets[from] " " to
        why[from, to] = why[from, to] " " part[2]
        arrows++
    }
    if (arrows == 0) {
        print "no file uses another: these are not the object files of one program"
        exit 2
    }
    for (file = 1; file <= files; file++)
        reach(file)
    for (file = 1; file <= files; file++) {
        count = file in told ? 0 : circle_of(file)
        for (i = 1; i <= count; i++)
            told[members[i]] = 1
        if (count == 2)
            print "a pair: " name[members[1]] ", " name[members[2]]
        if (count > 2) {
            print_circle(count)
            large++
        }
    }
    printf "%d files, %d uses of symbols of other files, %d circles of more than two\n", files, arrows, large
    exit large > 0
}' "$symbols"
