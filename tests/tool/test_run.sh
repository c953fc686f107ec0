#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_run.sh COOPVK RUN_APP
# `coopvk run`: its explanations, and that a program ends as it would without it.
set -euo pipefail

coopvk=$1 app=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VK_DRIVER_FILES=${VK_DRIVER_FILES:-/usr/share/vulkan/icd.d/lvp_icd.json}
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
unset COOPVK_ENABLE COOPVK_DISABLE COOPVK_STATISTICS
export COOPVK_EMULATE=auto,VK_KHR_cooperative_matrix # which `auto` alone does not offer with 4 lanes

fail() {
    printf 'test_run: %s\n' "$*" >&2
    exit 1
}

lanes() { export LP_NATIVE_VECTOR_WIDTH=$(($1 * 32)); }

# run STATUS ARGUMENTS...: coopvk run exits with STATUS; its output is in $out.
run() {
    local status=$1 got=0
    shift
    out=$("$coopvk" run "$@" 2>&1) || got=$?
    [[ $got == "$status" ]] || fail "status $got, not $status: $*"$'\n'"$out"
    [[ -z $(ls -A "$TMPDIR") ]] || fail "files are left: $(ls -A "$TMPDIR")"
}

# has PATTERN..., and says nothing.
has() {
    local pattern
    for pattern in "$@"; do
        grep -Eq -- "$pattern" <<<"$out" || fail "no '$pattern' in"$'\n'"$out"
    done
}
silent() { [[ -z $out ]] || fail "not silent:"$'\n'"$out"; }

# Explanations. With 4 lanes the driver has no matrices, with 8 its own.
lanes 4
run 0 -- true
has 'no Vulkan instance of true was seen' 'coopvk doctor -- true. looks for the reason'
run 0 --quiet -- true
silent
export VK_LOADER_LAYERS_DISABLE='~implicit~'
run 0 -- "$app" instance physical device
has 'no Vulkan instance of run_app was seen' 'VK_LOADER_LAYERS_DISABLE'
unset VK_LOADER_LAYERS_DISABLE
run 0 -- "$app" instance
has '^coopvk: nothing was emulated in run_app: it created a Vulkan instance, but no device'
run 0 -- "$app" instance physical
has 'queried it, but created no device' 'not enabled: .*VK_KHR_cooperative_matrix'
run 0 -- "$app" instance physical device
has 'llvmpipe.*: the program enabled none of the extensions' \
    'offered by coopvk, but not enabled: .*VK_KHR_cooperative_matrix'
run 0 -- "$app" instance physical matrix-device
has 'the program enabled VK_KHR_cooperative_matrix \(by coopvk\), but created no pipeline'
# Nothing is at /proc after chroot(1) alone; here only for this command.
hidden=(unshare --mount --propagation unchanged sh -c
    'mount --make-private /proc && mount -t tmpfs none /proc && exec "$@"' sh)
if "${hidden[@]}" true 2>/dev/null; then
    out=$("${hidden[@]}" "$coopvk" run -- "$app" instance physical device 2>&1) || fail "without /proc: $out"
    has 'the program enabled none of the extensions'
else
    echo '  not done: without /proc (unshare cannot mount here)'
fi
run 0 --emulate VK_NV_cooperative_vector -- "$app" instance physical device
has 'not offered here: VK_KHR_cooperative_matrix \(not in the emulate setting\)'
run 0 -- "$app" instance physical matrix-device pipeline
silent
run 3 --emulate auto -- "$app" instance physical matrix-device
has 'run_app: vkCreateDevice gave' \
    'not offered here: VK_KHR_cooperative_matrix \(offered only if the emulate setting asks for it: on a CPU'
lanes 8
run 0 -- "$app" instance physical matrix-device pipeline
has "the program enabled VK_KHR_cooperative_matrix, the driver's own" '--emulate all replaces'
run 0 --emulate all -- "$app" instance physical matrix-device pipeline
silent

# A device that lacks what it takes.
lanes 2
run 0 -- "$app" instance physical device
has 'enabled none' \
    'not offered here: VK_KHR_cooperative_matrix \(needs a subgroup size from 4 to 128\)'
run 3 -- "$app" instance physical matrix-device
has 'run_app: vkCreateDevice gave' 'nothing was emulated in run_app' \
    'not offered here: VK_KHR_cooperative_matrix \(needs a subgroup size from 4 to 128\)'

# A device that the driver refuses.
lanes 4
run 3 --emulate VK_NV_cooperative_matrix -- "$app" instance physical matrix-device
has 'run_app: vkCreateDevice gave' 'nothing was emulated in run_app'

# Programs that crash, and several processes.
run 134 -- "$app" instance physical device abort
has 'the program enabled none of the extensions'
run 137 -- "$app" instance physical matrix-device pipeline kill
silent
run 0 -- "$app" fork instance physical device
has 'in run_app' 'enabled none'
run 0 -- bash -c '"$0" instance; "$0" instance physical matrix-device pipeline' "$app"
silent
run 5 -- bash -c '"$0" instance; exec env "$0" instance physical device exit=5' "$app"
has 'enabled none'
run 0 -- bash -c 'sleep 1 & disown'
has 'still run'

# Status, signals, standard streams.
run 7 -- bash -c 'exit 7'
run 127 -- "$work/nothing"
has 'cannot start .*nothing: No such file'
printf x >"$work/text"
run 126 -- "$work/text"
[[ $(echo hello | "$coopvk" run -- cat 2>/dev/null) == hello ]] || fail 'standard input is lost'
run 0 -- env
has 'COOPVK_RUN_REPORT='
run 0 --quiet -- env
! grep -q COOPVK_RUN_REPORT <<<"$out" || fail 'a report that nobody reads'

# signalled SIGNAL STATUS: a signal that only coopvk gets reaches the program, and ends both.
signalled() {
    local status=0 fifo=$work/fifo
    rm -f "$fifo"
    mkfifo "$fifo"
    "$coopvk" run -- "$app" sleep >"$fifo" 2>/dev/null &
    local pid=$!
    read -r _ <"$fifo"
    local child
    child=$(cat "/proc/$pid/task/$pid/children")
    child=${child// /}
    [[ -n $child ]] || fail 'no child'
    kill -"$1" "$pid"
    wait "$pid" || status=$?
    [[ $status == "$2" ]] || fail "status $status after SIG$1"
    for _ in {1..50}; do
        # The process must not remain.
        grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$child/status" || return 0
        sleep 0.1
    done
    fail "the program outlives SIG$1"
}
signalled TERM 143
signalled HUP 129
signalled KILL 137
rm -f "$TMPDIR"/*  # SIGKILL leaves one

# Statistics, also for instances that were not destroyed.
lanes 4
run 0 --statistics -- "$app" instance physical matrix-device pipeline
has '^coopvk: info: run_app\[[0-9]+\]: statistics of run_app \(process [0-9]+\)$' \
    'llvmpipe.*: emulates VK_KHR_cooperative_matrix' \
    '1 module seen: 0 untouched, 1 with emulated capabilities or shapes; scanned in [0-9.]+ ms' \
    '1 stage rewritten, 0 from the cache, 0 refused; [0-9.]+ ms' \
    'VK_KHR_cooperative_matrix: 1 stage$' 'matrices: core: 1 stage$'
for ending in leave exit=0; do
    run 0 "--statistics=$work/statistics" -- "$app" instance physical matrix-device pipeline $ending
    silent
    grep -q 'matrices: core: 1 stage$' "$work/statistics" || fail "no statistics after $ending"
    rm "$work/statistics"
done
# A child process has its own, also if its parent had the layer before.
run 0 "--statistics=$work/statistics" -- "$app" instance fork instance physical matrix-device \
    pipeline leave
[[ $(grep -c 'matrices: core: 1 stage$' "$work/statistics") == 1 &&
    $(grep -c 'statistics of run_app' "$work/statistics") == 2 ]] ||
    fail "of parent and child: $(<"$work/statistics")"
lanes 8
run 0 --statistics --emulate all --back-end native -- "$app" instance physical matrix-device pipeline
has 'matrices: native'
run 0 --statistics -- "$app" instance physical matrix-device pipeline
has 'emulates .*' "the driver's own"


# Shaders that are dumped can be rewritten again, with the same result.
lanes 4
run 0 --dump-dir "$work/shaders" --validate-output -- "$app" instance physical matrix-device pipeline
silent
requests=("$work"/shaders/*.json)
[[ ${#requests[@]} == 1 ]] || fail "dumped: $(ls "$work/shaders")"
"$coopvk" rewrite "${requests[0]}" -o "$work/again.spv" || fail 'a dump is not rewritten'
cmp "${requests[0]%.json}.spv" "$work/again.spv"
# Numbers that programs see change nothing: the rewriter goes by the driver's own (its lanes are in step).
run 0 --dump-dir "$work/shown" --validate-output --driver-id mesa_radv --vendor-id 1002 --device-id 73bf -- \
    "$app" instance physical matrix-device pipeline
silent
shown=("$work"/shown/*.json)
[[ ${#shown[@]} == 1 ]] || fail "dumped: $(ls "$work/shown")"
cmp "${requests[0]%.json}.spv" "${shown[0]%.json}.spv"
cmp "${requests[0]}" "${shown[0]}"
# Other options change the request.
"$coopvk" rewrite "${requests[0]}" -o "$work/other.spv" --tune row-block=1,column-block=1 --subgroup-size 8
! cmp -s "$work/other.spv" "$work/again.spv" || fail '--subgroup-size changes nothing'
rm -r "$work/shaders"
# The same for refused shaders.
run 3 --dump-dir "$work/shaders" -- "$app" instance physical matrix-device no-pipeline
requests=("$work"/shaders/*.json)
[[ ${#requests[@]} == 1 ]] || fail "dumped: $(ls "$work/shaders")"
has "cannot rewrite compute shader [0-9a-f]{16}: .*'nothing'"
message=$(sed -n 's/^coopvk: error: .*: cannot rewrite compute shader [0-9a-f]*: //p' <<<"$out")
! again=$("$coopvk" rewrite "${requests[0]}" --text 2>&1) || fail 'what was refused is rewritten'
[[ $again == "coopvk: ${requests[0]}: $message" ]] || fail "not '$message' again: $again"

# The application's own messengers get each refusal once, whatever the log's level is. Messengers that
# exist while the instance is created also get errors of settings.
for level in warn off; do
    COOPVK_EMULAT=all run 3 --log-level $level -- "$app" messengers instance physical matrix-device \
        no-pipeline
    for line in "utils: error: cannot rewrite compute shader .*'nothing'" \
        "report: error: cannot rewrite compute shader .*'nothing'" \
        "creator's utils: warning: .*COOPVK_EMULAT: .*did you mean 'emulate'" \
        "creator's report: warning: .*COOPVK_EMULAT: .*did you mean 'emulate'"; do
        has "^messenger: $line"
        [[ $(grep -Ec "^messenger: $line" <<<"$out") == 1 ]] || fail "not once: $line in"$'\n'"$out"
    done
    [[ $(grep -c '^messenger: ' <<<"$out") == 4 ]] || fail "more than four messages:"$'\n'"$out"
done
# With the program's name and number in the names of files.
run 0 --log-level info --log-file "$work/%n.%p.log" --statistics="$work/%n.stat" \
    --dump-dir "$work/%n-shaders" -- "$app" instance physical matrix-device pipeline
[[ $(cd "$work" && echo run_app*) =~ ^run_app-shaders\ run_app\.[0-9]+\.log\ run_app\.stat$ ]] ||
    fail "files: $(ls "$work")"
[[ -z $(cd "$work" && ls -d ./*%* 2>/dev/null) ]] || fail "files: $(ls "$work")"

# For tests that nobody watches: a status of its own.
lanes 4
run 0 --strict --require VK_KHR_cooperative_matrix -- "$app" instance physical matrix-device pipeline
silent
run 125 --strict -- "$app" instance physical matrix-device
has '^coopvk: strict: nothing was emulated$'
run 125 --quiet --require VK_KHR_cooperative_matrix,VK_NV_cooperative_vector -- \
    "$app" instance physical matrix-device pipeline
has '^coopvk: required: VK_NV_cooperative_vector was not emulated$'
run 125 --strict -- "$app" instance physical matrix-device pipeline no-pipeline
has "^coopvk: strict: .*cannot rewrite .*'nothing'"
run 125 --require VK_KHR_cooperative_matrix -- "$app" instance physical matrix-device exit=7
run 125 --require VK_KHR_nonsense -- true
has 'coopvk emulates no VK_KHR_nonsense'
run 127 --strict -- "$work/nothing"
# Nobody can tell.
TMPDIR=$work/none run 125 --strict -- true
has 'no temporary file can be made'
TMPDIR=$work/none run 0 -- true

echo 'test_run: passed'
