# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of `coopvk check` and `coopvk prove` share. The script that reads this has set `coopvk`, and `command` to
# one of these.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2
    exit 1
}

# expect STATUS TEXT ARGUMENT...: `coopvk $command ARGUMENT...` has this exit status and prints TEXT.
expect() {
    local status=$1 text=$2 out rc=0
    shift 2
    out=$("$coopvk" "$command" "$@" 2>&1) || rc=$?
    [[ $rc == "$status" ]] || fail "status $rc, not $status: $*"$'\n'"$out"
    [[ $out == *"$text"* ]] || fail "no '$text' from $*"$'\n'"$out"
}
