#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_stacking.sh PROGRAMS LAYER
# Runs the programs in folder PROGRAMS with the layer in folder LAYER, together with different drivers and
# layers; each program compares its results with its own sums.
set -euo pipefail

programs=$1 layer=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VK_DRIVER_FILES=${VK_DRIVER_FILES:-/usr/share/vulkan/icd.d/lvp_icd.json}
export LP_NATIVE_VECTOR_WIDTH=256 # 8 lanes
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/tmp}
unset VK_LAYER_PATH VK_ADD_LAYER_PATH VK_INSTANCE_LAYERS VK_ADD_IMPLICIT_LAYER_PATH
unset COOPVK_DISABLE COOPVK_EMULATE
export VK_IMPLICIT_LAYER_PATH=$layer COOPVK_ENABLE=1
emulating=COOPVK_EMULATE=all

fail() {
    printf 'test_stacking: %s\n' "$*" >&2
    exit 1
}

# expect TEXT ENVIRONMENT... -- PROGRAM ARGUMENT...: the program succeeds and prints exactly TEXT.
expect() {
    local text=$1 got=0
    local -a environment=()
    shift
    while [[ $1 != -- ]]; do environment+=("$1") && shift; done
    shift
    : >"$work/log" && : >"$work/neighbour"
    out=$(env COOPVK_LOG_LEVEL=info COOPVK_LOG_FILE="$work/log" \
        COOPVK_TEST_NEIGHBOUR_LOG="$work/neighbour" "${environment[@]}" \
        "$programs/stacking_$1" "${@:2}" 2>&1) || got=$?
    [[ $got == 0 && $out == "$text" ]] ||
        fail "status $got, and not just '$text': ${environment[*]} $*"$'\n'"$out"
    printf 'ok: %s %s\n' "${environment[*]##*/}" "$*"
}
rewrites() { grep -q rewrote "$work/log"; }

# Every way to find Vulkan; the layer is off unless it is switched on.
for way in linked opened by_volk; do
    expect 'with matrices: right' $emulating -- $way
    rewrites || fail 'nothing was rewritten'
    expect 'without matrices: right' COOPVK_ENABLE= -- $way
    expect 'two: right' -- $way --two
done

# Settings apply only to their instance.
mkdir "$work/a" "$work/b"
out=$("$programs/stacking_linked" --settings "$work/a" "$work/b" 2>&1) || fail "settings: $out"
[[ $out == 'settings: right' ]] || fail "not just 'settings: right': $out"
for file in "$work/a/log" "$work/b/log"; do
    [[ $(grep -c rewrote "$file") == 1 ]] || fail "rewritten: $(<"$file")"
done
grep -q '^coopvk: debug: ' "$work/b/log" || fail 'the second instance has not its own log level'
! grep '^coopvk: debug: ' "$work/a/log" || fail "the first instance has another one's log level"
[[ $(ls "$work/a") == log$'\n'statistics && $(ls "$work/b") == log$'\n'shaders ]] ||
    fail "files: $(find "$work/a" "$work/b")"
grep -q '2 modules seen: 1 untouched, 1 with emulated' "$work/a/statistics" ||
    fail "counted: $(<"$work/a/statistics")"
echo "ok: $out"

# Two drivers, and so devices, at once in one instance: only the narrow one lacks matrices. (The
# program looks for shapes that the other one has from coopvk only.)
printf '{"file_format_version": "1.0.1", "ICD": {"library_path": "%s", "api_version": "1.4.0"}}\n' \
    "$programs/libnarrow_driver.so" >"$work/narrow.json"
for files in "$work/narrow.json:$VK_DRIVER_FILES" "$VK_DRIVER_FILES:$work/narrow.json"; do
    expect 'with matrices, with matrices, right' $emulating VK_DRIVER_FILES="$files" -- \
        linked --drivers
    [[ $(grep -o 'rewrote .* subgroup [0-9]*' "$work/log" | grep -o '[0-9]*$' | sort -u) == 4$'\n'8 ]] ||
        fail "rewritten for: $(grep rewrote "$work/log")"
    # The loader decides the order.
    # By name: auto offers no matrices to a CPU with four lanes.
    seen=$(env COOPVK_EMULATE=auto,VK_KHR_cooperative_matrix VK_DRIVER_FILES="$files" "$programs/stacking_linked" --drivers) || fail "drivers: $seen"
    [[ $seen == 'with matrices, without matrices, right' ||
        $seen == 'without matrices, with matrices, right' ]] || fail "drivers: $seen"
    printf 'ok: %s\n' "$seen"
    expect 'without matrices, without matrices, right' COOPVK_ENABLE= VK_DRIVER_FILES="$files" -- \
        linked --drivers
done
seen=

# Instances that are created and destroyed leak nothing.
expect 'cycles: right' COOPVK_ENABLE= -- opened --cycles
expect 'cycles: right' $emulating -- opened --cycles

# Validation layers below and above; above as an explicit layer, which is nearest to the application.
validation=VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation
for way in linked by_volk; do
    expect 'with matrices: right' $emulating $validation -- $way
    rewrites || fail 'nothing was rewritten above validation'
    expect 'with matrices: right' $emulating VK_IMPLICIT_LAYER_PATH="$work" COOPVK_ENABLE= \
        VK_ADD_LAYER_PATH="$layer" "$validation:VK_LAYER_COOPVK_emulation" -- $way
    rewrites || fail 'nothing was rewritten below validation'
done

# VK_LAYER_PATH, which is for explicit layers, has no effect.
expect 'with matrices: right' $emulating VK_LAYER_PATH="$work" -- linked
expect 'with matrices: right' $emulating VK_IMPLICIT_LAYER_PATH="$work" VK_LAYER_PATH="$layer" \
    VK_INSTANCE_LAYERS=VK_LAYER_COOPVK_emulation -- opened
rewrites || fail 'nothing was rewritten by the explicit layer'

# Another implicit layer, on either side: above it sees matrices, below it must not.
seen=
for path in "$layer:$programs" "$programs:$layer"; do
    for way in linked opened by_volk; do
        expect 'with matrices: right' $emulating VK_IMPLICIT_LAYER_PATH="$path" \
            COOPVK_TEST_NEIGHBOUR=1 -- $way
        rewrites || fail 'nothing was rewritten beside the neighbour'
        seen+="$(sort -u "$work/neighbour");"
    done
done
[[ $seen == *';without matrices;'* || $seen == 'without matrices;'* ]] ||
    fail "the neighbour was never below: $seen"
[[ $seen == *'with matrices;'* ]] || fail "the neighbour was never above: $seen"
expect 'two: right' VK_IMPLICIT_LAYER_PATH="$layer:$programs" COOPVK_TEST_NEIGHBOUR=1 \
    $validation -- by_volk --two

# Versions. 1.0 has no subgroups, so no matrices, whatever it can query.
for minor in 1 2 3 4; do
    for way in linked opened by_volk; do
        expect 'with matrices: right' $emulating -- $way --api $minor
        rewrites || fail "nothing was rewritten for Vulkan 1.$minor"
    done
    expect 'with matrices: right' $emulating $validation -- linked --api $minor
    expect 'two: right' -- opened --api $minor --two
done
for settings in $emulating COOPVK_EMULATE=auto; do
    for way in linked opened by_volk; do
        expect 'without matrices: right' $settings -- $way --api 0
        expect 'without matrices: right' $settings -- $way --api 0 --no-properties2
    done
done

# The layer offers nothing that cannot be queried.
list() { env "$@" "$programs/stacking_linked" --list --api 0 --no-properties2 | sort; }
for settings in COOPVK_EMULATE=auto $emulating; do
    more=$(comm -23 <(list $settings) <(list COOPVK_DISABLE=1) | grep -v '^VK_EXT_tooling_info$') ||
        true
    [[ -z $more ]] || fail "claims for Vulkan 1.0 without queries: $more"
    printf 'ok: nothing more with %s than without coopvk\n' "$settings"
done
