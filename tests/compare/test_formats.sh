#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_formats.sh COOPVK FOLDER ICD
# `coopvk compare` with VK_EXT_shader_ocp_microscaling_types, which lavapipe lacks and the reference
# device (the manifest ICD) has; and with a fault that the layer in FOLDER plants.
set -euo pipefail

coopvk=$1 faults=$2 icd=$3

fail() {
    printf 'test_formats: %s\n' "$*" >&2
    exit 1
}

# expect STATUS PATTERN ARGUMENTS...: coopvk compare exits with STATUS, and its output matches PATTERN.
expect() {
    local out got=0
    out=$("$coopvk" compare --quiet --extension VK_EXT_shader_ocp_microscaling_types "${@:3}" 2>&1) || got=$?
    [[ $got == "$1" ]] || fail "status $got, not $1"$'\n'"$out"
    grep -Eq -- "$2" <<<"$out" || fail "no '$2'"$'\n'"$out"
}

# Five formats, to f16 and f32, alone and in vectors.
VK_DRIVER_FILES=${VK_DRIVER_FILES:-/usr/share/vulkan/icd.d/lvp_icd.json} expect 0 '^20 of 20 cases agree'
expect 0 '^20 of 20 cases agree' --sides reference
export VK_DRIVER_FILES=$icd
expect 0 '^20 of 20 cases agree'
# The program of --repro compiles, also with headers that lack the extension, and does what the case does.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
expect 0 'agree' --repro 0 --repro-dir "$work"
# shellcheck disable=SC2086  # several flags
"${CC:-cc}" ${CFLAGS:-} -std=c11 -O0 -Wall -Werror "$work/repro.c" -o "$work/repro" -lvulkan -lm ||
    fail 'repro.c does not compile'
COOPVK_DISABLE=1 "$work/repro" || fail 'the program of --repro has other results'

export VK_ADD_LAYER_PATH=$faults VK_INSTANCE_LAYERS=VK_LAYER_COOPVK_test_fault COOPVK_FAULT=number-offset
expect 1 '^8 of 20 cases agree, 12 differ' # those of 8 bits agree
expect 1 'differ .*: [1-9][0-9]* of 256 elements.*native is off the reference:' --filter '^e2m1/conversion/to f32'

echo 'test_formats: passed'
