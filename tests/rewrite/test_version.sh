#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_version.sh CMAKE SCRIPT FOLDER VERSION PROGRAM
# The version of rewriter or layer depends on its sources and the release, and on nothing else. PROGRAM
# was built from FOLDER, so it contains that version.
set -euo pipefail

cmake=$1 script=$2 folder=$3 version=$4 program=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf 'test_version: %s\n' "$*" >&2
    exit 1
}

# of FOLDER [VERSION]
of() {
    "$cmake" -DFOLDER="$1" -DVERSION="${2:-$version}" -DOUTPUT="$work/out" -P "$script"
    tr -d '"\n' <"$work/out"
}

own=$(of "$folder")
[[ $own =~ ^"$version"\+[0-9a-f]{12}$ ]] || fail "no version: $own"
grep -qaF "$own" "$program" || fail "the program was not built with $own"

# Elsewhere, and in the opposite order of creation.
mkdir "$work/a copy"
(cd "$folder" && find . -type f) | sort -r | while IFS= read -r file; do
    mkdir -p "$work/a copy/${file%/*}"
    cp "$folder/$file" "$work/a copy/$file"
done
copy="$work/a copy"
[[ $(of "$copy") == "$own" ]] || fail 'the same sources elsewhere have another version'
printf 'notes' >"$copy/notes.txt"
[[ $(of "$copy") == "$own" ]] || fail 'a file that is no source counts'

differs() {
    local now
    now=$(of "$copy" "${2:-}")
    [[ $now != "$own" ]] || fail "$1: still $now"
}
differs 'another release' 9.9.9
file=$(find "$copy" -name '*.cpp' | sort | sed -n 1p)
printf '\n' >>"$file"
differs 'one byte more'
truncate -s -1 "$file"
printf '\n' >"$copy/table.inc"
differs 'a table more'
rm "$copy/table.inc"
[[ $(of "$copy") == "$own" ]] || fail 'the byte less again'
mv "$file" "$file.other.cpp"
differs 'another name'
rm "$file.other.cpp"
differs 'one file less'
echo 'ok: the version follows the sources'
