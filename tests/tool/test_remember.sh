#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_remember.sh COOPVK RUN_APP MANIFEST
# What a program is not offered again, what shows it, and what makes coopvk forget. The device is the reference device
# without extensions of its own, to which `auto` offers matrices.
set -euo pipefail

coopvk=$1 app=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset "${!COOPVK_@}"
export VK_DRIVER_FILES=$3 COOPVK_REFERENCE_EXTENSIONS=none XDG_CACHE_HOME=$work/cache XDG_CONFIG_HOME=$work/none

fail() {
    printf 'test_remember: %s\n' "$*" >&2
    exit 1
}
# expect STATUS COMMAND...: its output is in $out.
expect() {
    local status=$1 got=0
    shift
    out=$("$@" 2>&1) || got=$?
    [[ $got == "$status" ]] || fail "status $got, not $status: $*"$'\n'"$out"
}
has() { grep -Eq -- "$1" <<<"$out" || fail "no '$1' in"$'\n'"$out"; }
steps=(instance physical matrix-device pipeline)

expect 0 "$coopvk" run -- "$app" "${steps[@]}"
[[ -z $out && -z $(ls "$work/cache/coopvk/programs") ]] || fail "after a good start: $out"
COOPVK_REWRITE_LIMIT=1 expect 3 "$coopvk" run -- "$app" "${steps[@]}"
# The next start.
expect 3 "$coopvk" run -- "$app" "${steps[@]}"
has 'warn: run_app.*: this program is not offered VK_KHR_cooperative_matrix, since in an earlier start shader [0-9a-f]{16} was refused: '
has 'not offered here: VK_KHR_cooperative_matrix \(not offered: this program failed with it before'
cp "$app" "$work/another"
expect 0 "$coopvk" run -- "$work/another" "${steps[@]}"
expect 0 "$coopvk" run -- "$app" application=another "${steps[@]}"
# What shows it.
expect 1 "$coopvk" doctor -- "$app"
has '^note: run_app on coopvk reference device.*: in an earlier start shader .* does not offer it VK_KHR_cooperative_matrix'
has '^  do: .*coopvk config --forget run_app'
expect 1 "$coopvk" doctor -- "$work/another"
! grep -q 'earlier start' <<<"$out" || fail "of another program: $out"
expect 0 "$coopvk" info
has '^  run_app on coopvk reference device.*: VK_KHR_cooperative_matrix, since shader'
expect 0 "$coopvk" info --json
python3 -c 'import json, sys
(row,) = json.load(sys.stdin)["remembered"]
assert row["program"] == "run_app" and row["extensions"] == "VK_KHR_cooperative_matrix", row' <<<"$out"
# Who asks for the extension gets it; tests and `remember = off` know nothing.
expect 0 "$coopvk" run --emulate auto,VK_KHR_cooperative_matrix -- "$app" "${steps[@]}"
expect 0 "$coopvk" run --remember off -- "$app" "${steps[@]}"
expect 0 "$coopvk" run --strict --require VK_KHR_cooperative_matrix -- "$app" "${steps[@]}"
expect 3 "$coopvk" run -- "$app" "${steps[@]}"
# Forgotten.
expect 0 "$coopvk" config --forget another
has '^nothing is remembered of another$'
expect 3 "$coopvk" run -- "$app" "${steps[@]}"
expect 0 "$coopvk" config --forget run_app
has '^forgotten: what was remembered of run_app$'
expect 0 "$coopvk" run -- "$app" "${steps[@]}"
# A name that is no name of a file's as it is, and one that terminals would interpret.
odd=$work/$(printf 'an \303\251 \302\233app')
cp "$app" "$odd"
COOPVK_REWRITE_LIMIT=1 expect 3 "$coopvk" run -- "$odd" "${steps[@]}"
expect 1 "$coopvk" doctor -- "$odd"
has '^note: an é .xc2.x9bapp on coopvk reference device'
expect 0 "$coopvk" info --json
expect 0 "$coopvk" config --forget "$odd"
has '^forgotten: what was remembered of an é .xc2.x9bapp$'
# An AppImage is mounted elsewhere at each start.
export APPIMAGE=$work/some.AppImage
for APPDIR in "$work/first" "$work/second"; do
    export APPDIR
    mkdir "$APPDIR"
    cp "$app" "$APPDIR/app"
    [[ $APPDIR == */second ]] || COOPVK_REWRITE_LIMIT=1 expect 3 "$coopvk" run -- "$APPDIR/app" "${steps[@]}"
done
expect 3 "$coopvk" run -- "$APPDIR/app" "${steps[@]}"
expect 0 "$coopvk" config --forget app
[[ -z $(ls "$work/cache/coopvk/programs") ]] || fail "left: $(ls "$work/cache/coopvk/programs")"

echo 'test_remember: passed'
