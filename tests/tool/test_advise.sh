#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_advise.sh COOPVK RUN_APP
# `coopvk advise` with small programs whose figures are known: what it measures, in which order, what
# it says and its exit status.
# shellcheck disable=SC2016  # what programs are made of is expanded in them
set -euo pipefail

coopvk=$1 app=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VK_DRIVER_FILES=${VK_DRIVER_FILES:-/usr/share/vulkan/icd.d/lvp_icd.json}
export TMPDIR=$work/tmp HOME=$work LP_NATIVE_VECTOR_WIDTH=128 app work
mkdir "$TMPDIR"
unset "${!COOPVK_@}" XDG_CONFIG_HOME
export COOPVK_EMULATE=auto,VK_KHR_cooperative_matrix # which `auto` alone does not offer with 4 lanes

fail() {
    printf 'test_advise: %s\n' "$*" >&2
    exit 1
}

# program TEXT: makes the program to measure. It records how it was called, and has a shader rewritten.
program() {
    printf '#!/bin/sh\n%s\n%s\n' 'echo "${COOPVK_ENABLE:-0}${COOPVK_DISABLE:-0}" >>"$work/calls"
[ "${COOPVK_ENABLE:-0}" = 0 ] || "$app" instance physical matrix-device pipeline || exit 9' "$1" \
        >"$work/program"
    chmod +x "$work/program"
    rm -f "$work/calls"
}

# advise STATUS ARGUMENTS...: its output is in $out.
advise() {
    local status=$1 got=0
    shift
    out=$("$coopvk" advise "$@" 2>&1) || got=$?
    [[ $got == "$status" ]] || fail "status $got, not $status: $*"$'\n'"$out"
    [[ -z $(ls -A "$TMPDIR") ]] || fail "files are left: $(ls -A "$TMPDIR")"
}
has() {
    local pattern
    for pattern in "$@"; do
        grep -Eq -- "$pattern" <<<"$out" || fail "no '$pattern' in"$'\n'"$out"
    done
}

# Compared by the program's own figure.
program 'echo "score: 1"; [ "${COOPVK_ENABLE:-0}" = 1 ] && echo "score: 30" || echo "score: 10.0"'
advise 0 --metric 'score: ([0-9.]+)' -- "$work/program"
has '^without coopvk +10 +\(10 to 10\)$' '^with coopvk +30 +\(30 to 30\)$' \
    '^speed +3\.00 times with coopvk; chance explains [0-9] %$' \
    '^rewritten +VK_KHR_cooperative_matrix' '^advice +use coopvk: the program is 3\.00 times as fast'
# One run of each to warm up, and three, alternately; variables that are already set do not matter.
[[ $(tr '\n' ' ' <"$work/calls") == '01 10 01 10 10 01 01 10 ' ]] || fail "calls: $(<"$work/calls")"
rm "$work/calls"
COOPVK_DISABLE=1 COOPVK_ENABLE=0 advise 0 --runs 1 --no-warm-up --metric 'score: ([0-9.]+)' \
    --lower-is-better -- "$work/program" --an-option
has '^speed +0\.33 times with coopvk; ' '^advice +leave coopvk off: the program is 3\.00 times as fast without'
[[ $(tr '\n' ' ' <"$work/calls") == '01 10 ' ]] || fail "calls: $(<"$work/calls")"
advise 1 --runs 1 --metric 'points: ([0-9.]+)' -- "$work/program"
has "no figure.*'points: "

# Figures of which there is no ratio.
for figure in 0 -3; do
    program "echo 'score: $figure'"
    advise 1 --metric 'score: ([-0-9.]+)' -- "$work/program"
    has "the program's figure is $figure: only figures above 0 are compared"
done
nowhere=$(TMPDIR=$work/none "$coopvk" advise -- true 2>&1) && fail "no error"
grep -q 'no temporary file can be made' <<<"$nowhere" || fail "$nowhere"

# The first runs fill caches, which cost time.
program 'echo "score: $(wc -l <"$work/calls")"'
advise 0 --metric 'score: ([0-9.]+)' -- "$work/program"
has '^without coopvk +6 +\(3 to 7\)$' '^with coopvk +5 +\(4 to 8\)$' '^advice +either: such a difference may be chance'
# Compared by time, of which only the wait is known.
program '[ "${COOPVK_ENABLE:-0}" = 1 ] || sleep 3'
advise 0 --runs 1 --no-warm-up -- "$work/program"
has '^without coopvk +[3-9]\.[0-9]+ s$' '^with coopvk +[0-9.]+ s$' '^advice +use coopvk'

# Failures, and where nothing is rewritten.
program 'echo output; [ "${COOPVK_ENABLE:-0}" = 0 ]'
advise 0 --runs 2 -- "$work/program"
has '^with coopvk +failed with status 1$' '^advice +leave coopvk off: the program fails with it \(status 1\)' \
    '^ +output$'
program '[ "${COOPVK_ENABLE:-0}" = 1 ] || kill -SEGV $$'
advise 0 --runs 1 -- "$work/program"
has '^without coopvk +failed with signal 11' '^advice +use coopvk: the program fails without it'
program 'exit 5'
advise 1 --runs 1 -- "$work/program"
has '^advice +none: the program fails without coopvk, too'
advise 0 --runs 1 -- "$app" instance physical device
has '^rewritten +nothing$' 'enabled none of the extensions' '^advice +leave coopvk off: no shader'
advise 0 --runs 1 -- true
has 'no Vulkan instance of true was seen' '^advice +leave coopvk off: no shader'
advise 0 --runs 1 --emulate VK_NV_cooperative_vector -- "$app" instance physical device
has 'VK_KHR_cooperative_matrix \(not in the emulate setting\)'
advise 1 --runs 1 -- "$app" instance physical matrix-device no-pipeline
has '^with coopvk +failed with status 3$' "^refused +.*'nothing'.* on llvmpipe"

# Invalid uses.
advise 127 -- "$work/nothing"
has 'cannot start .*nothing'
advise 1
has 'no program given'
advise 1 --metric '(' -- true
has "--metric.*'\\('"
said=$("$coopvk" advise --runs 0 -- true 2>&1) && fail 'no runs are enough'
[[ $said == *'not in range [1 - 100000]'* ]] || fail "$said"
! "$coopvk" advise --lower-is-better -- true 2>/dev/null || fail 'a better what'

echo 'test_advise: passed'
