#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_faults.sh COOPVK FOLDER
# Plants faults with the layer in FOLDER, and checks that `coopvk compare` finds them, and where.
set -euo pipefail

coopvk=$1
export VK_ADD_LAYER_PATH=$2 VK_INSTANCE_LAYERS=VK_LAYER_COOPVK_test_fault
export VK_DRIVER_FILES=${VK_DRIVER_FILES:-/usr/share/vulkan/icd.d/lvp_icd.json}
export LP_NATIVE_VECTOR_WIDTH=256 # 8 lanes, and matrices of its own
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What no fault changes is compiled once.
export MESA_SHADER_CACHE_DIR=$work/shaders

fail() {
    printf 'test_faults: %s\n' "$*" >&2
    exit 1
}

# expect FAULT STATUS PATTERN ARGUMENTS...: with the fault, coopvk compare exits with STATUS, and
# its output matches PATTERN.
expect() {
    local fault=$1 status=$2 pattern=$3 out got=0
    shift 3
    out=$(COOPVK_FAULT=$fault "$coopvk" compare --quiet "$@" 2>&1) || got=$?
    [[ $got == "$status" ]] || fail "$fault: status $got, not $status"$'\n'"$out"
    grep -Eq -- "$pattern" <<<"$out" || fail "$fault: no '$pattern'"$'\n'"$out"
}

vectors=VK_NV_cooperative_vector
f32='^8x8x8 f16 \* f16 \+ f32 = f32/multiply-add/'
f16='^8x8x8 f16 \* f16 \+ f16 = f16/multiply-add/'
rows="${f32}A rows B rows C rows, StorageBuffer"
product="${f32}A columns B rows C columns, padded, StorageBuffer"

# The layer itself changes nothing.
expect none 0 '^8 of 8 cases agree$' --filter "$f32.* StorageBuffer"

# A driver's own matrices. Lane 3 of lavapipe's holds the fourth column.
# As docs/compare.md shows.
# shellcheck source=../docs/examples.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/../docs/examples.bash"
all=$(COOPVK_FAULT=lane "$coopvk" compare --quiet --filter "$f32" 2>&1) && fail 'lane: status 0'
shows difference <<<"$all"
grep -q '^0 of 24 cases agree, 24 differ' <<<"$all" || fail "lane: $all"
off='differ .*native is off the reference:'
lane3='\[0,3\] \[1,3\] \[2,3\] \[3,3\] \[4,3\] \[5,3\] \.\.\.'
expect lane 1 "$off $lane3" --filter "$rows, exact"
expect lane 1 '8 of 64 elements' --filter "$rows, random"
expect layout 1 'differ .*6[0-4] of 64 elements.*native is off' --filter "$rows, random"
expect store-layout 1 "differ .*5[46] of 64 elements.*native is off" --filter "${f16}A rows.*Workgroup"
expect rounding 1 'differ .*6[0-4] of 64 elements, largest [78][0-9]{3} ulps, native' --filter "$rows, random"
expect ulps 1 'OpFAdd: 64 of 64 elements, largest [48] ulps, native' --filter '^C 8x8 f32/arithmetic'
expect ulps 1 '^5 of 6 cases agree, 1 differ' --filter '^C 8x8 f32/arithmetic'
expect own-k-step 1 'differ .*exact: [56][0-9] of 64 elements.*native is off' --filter "$product"
expect own-k-step 1 'differ .*random: [56][0-9] of 64 elements.*native is off' --filter "$product"

# Emulated ones: one product is missing in one element of each lane.
off='differ .*[5-8] of 64 elements.*emulated is off the reference: \[[01],5\] \[[12],5\]'
expect k-step 1 "$off" --filter "$rows, exact"
expect k-step 1 "$off" --filter "$rows, exact" --extension VK_NV_cooperative_matrix
expect k-step 1 'emulated is off the reference: \[0,0\] \[0,4\] \[0,8\] \[0,12\] \[1,0\]' \
    --extension $vectors --filter '^f16 \* f16 \+ f16 = f16/multiply/16x16 rows, Storage.*exact'
expect none 0 '1 of 1 cases agree' --extension $vectors --filter '^vectors of f32/extended/Exp$'
expect exponential 1 'emulated is off the reference' \
    --extension $vectors --filter '^vectors of f32/extended/Exp$'

# Formats that the driver lacks: rounding to them, overflow and NaN.
format='^C 8x8 (f32/conversion/to (bf16|e4m3)|e4m3/conversion/to f32)$'
expect none 0 '^3 of 3 cases agree' --all-rows --filter "$format"
off='differ .* elements.*emulated is off the reference'
for to in bf16 e4m3; do
    expect format-rounding 1 "$off" --all-rows --filter "^C 8x8 f32/conversion/to $to\$"
done
expect format-saturation 1 "$off" --all-rows --filter '^C 8x8 f32/conversion/to e4m3$'
expect format-nan 1 "$off" --all-rows --filter '^C 8x8 e4m3/conversion/to f32$'

# Compares a driver's earlier results with its present ones.
few="multiply/16x16 rows, StorageBuffer, exact"
expect none 0 'cases agree' --extension $vectors --filter "$few" --save "$work/saved.json"
expect none 0 "native: +.*from $work/saved.json" --extension $vectors --filter "$few" \
    --against "$work/saved.json"
expect k-step 1 'emulated is off the reference' --extension $vectors --filter "$few" \
    --against "$work/saved.json"

# The map of a lane is one column.
expect lane 1 differ --filter "$rows, exact" --html "$work/report.html" --json "$work/report.json"
columns=$(grep -o '<rect x="[0-9]*"' "$work/report.html" | sort -u | wc -l)
[[ $columns == 1 ]] || fail "$columns columns in the map of one lane"
! grep -Eq '(src|href)=|@import|url\(' "$work/report.html" || fail 'the report needs other files'
grep -q '"offReference": "native"' "$work/report.json" || fail 'no culprit in the JSON file'

# The program that --repro writes shows the fault without coopvk, and only in the right elements.
number=$("$coopvk" compare --list --filter "$rows, exact" | sed -n 's/^\([0-9]*\) .*/\1/p')
expect lane 1 "differ.*native is off.*$lane3" --repro "$number" --repro-dir "$work/bug"
# shellcheck disable=SC2086  # several flags
"${CC:-cc}" ${CFLAGS:-} -std=c11 -O1 -Wall -Werror "$work/bug/repro.c" -o "$work/bug/repro" -lvulkan -lm ||
    fail 'repro.c does not compile'
# reproduces FAULT STATUS PATTERN [ARGUMENTS]
reproduces() {
    local out got=0
    out=$(COOPVK_FAULT=$1 COOPVK_DISABLE=1 "$work/bug/repro" "${@:4}" 2>&1) || got=$?
    [[ $got == "$2" ]] && grep -Eq -- "$3" <<<"$out" || fail "repro with $1: status $got"$'\n'"$out"
}
reproduces lane 1 '^8 of 64 elements are off'
reproduces none 0 '^0 of 64 elements are off'
reproduces none 0 '^0 of 64 elements are off' 0 "$work/bug/shader.spv"
for file in README.md shader.spv shader.spvasm case.h elements.tsv; do
    [[ -s $work/bug/$file ]] || fail "--repro wrote no $file"
done
spirv-val --target-env vulkan1.3 "$work/bug/shader.spv" || fail "the case's shader is not valid"

echo 'test_faults: passed'
