#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_matrix2.sh COOPVK LANES
# `coopvk compare` with VK_NV_cooperative_matrix2 on lavapipe, with this number of lanes. With 8 lanes
# lavapipe has flexible dimensions, reductions, conversions and per-element operations of its own.
set -euo pipefail

coopvk=$1 lanes=$2
export VK_DRIVER_FILES=${VK_DRIVER_FILES:-/usr/share/vulkan/icd.d/lvp_icd.json}
export LP_NATIVE_VECTOR_WIDTH=$((lanes * 32)) GALLIVM_PERF=nopt

fail() {
    printf 'test_matrix2: %s\n' "$*" >&2
    exit 1
}

# expect STATUS PATTERN FILTER [ARGUMENTS]: coopvk compare of the cases that match FILTER exits with
# STATUS, and its output matches PATTERN.
expect() {
    local got=0
    out=$("$coopvk" compare --quiet --extension VK_NV_cooperative_matrix2 --sides "$sides" \
        --filter "$3" "${@:4}" 2>&1) || got=$?
    [[ $got == "$1" ]] || fail "status $got, not $1, of '$3'"$'\n'"$out"
    grep -Eq -- "$2" <<<"$out" || fail "no '$2'"$'\n'"$out"
}

# With 16 lanes lavapipe's own matrices crash.
sides=both
[[ $lanes != 16 ]] || sides=emulated

# both N: the text for N cases that the driver's own side can also run.
both() {
    if [[ $lanes == 8 ]]; then
        printf '%s cases on both sides' "$1"
    else
        printf '%s with the reference alone' "$1"
    fi
}
lacking=
[[ $lanes != 8 ]] || lacking=' \(the native side lacks the feature\)'

# What is emulated alone: the reference device, with 4 and 16 lanes, has all of these cases; lavapipe, which compiles
# them for long, one of each kind (COOPVK_TEST_FULL=1: all).
workgroups='(reduction/.*(exact|greatest)|use-conversion|per-element|elements)'
conversions='(f32/use-conversion/to A 16x16 (bf|e)|e5m2/use-conversion/to B 16x16 (e4m3|f16)$)'
converted=7
bytes='(A 16x16 bf16|C 16x16 e4m3)/(elements|per-element|reduction/rows to 16x16|tensor-load/edge, S|tensor-store/clip, S|block-load/blocks of 4x4, S)'
of_bytes=12
products='(16x16x16 (bf16 .* bf16|e5m2 .* e5m2|e4m3 \* e5m2 .* f16)/multiply-add/A columns B columns.*, StorageBuffer, exact|C 16x16 e5m2/(reduction/all to 16x16|per-element))'
multiplied=6
if [[ $lanes == 8 && ${COOPVK_TEST_FULL:-} != 1 ]]; then
    workgroups='(reduction/all to 16x16, greatest|elements)'
    conversions='(f32/use-conversion/to A 16x16 bf|e5m2/use-conversion/to B 16x16 e4m3$)' converted=2
    bytes='(A 16x16 bf16/tensor-store/clip, S|C 16x16 e4m3/(per-element|reduction/rows to 16x16, greatest))' of_bytes=3
    products='16x16x16 e4m3 \* e5m2 .* f16/multiply-add/A columns B columns.*, StorageBuffer, exact' multiplied=1
fi

# Both scopes; of workgroups lavapipe has none.
expect 0 "cooperativeMatrixConversions: $(both 7)" \
    '^C 16x16 f16/(use-conversion/.* [fsu][0-9]+$|per-element|elements)'
expect 0 "cooperativeMatrixFlexibleDimensions: $(both 2)" \
    '^(16x16x16|32x16x48) f16.* f16/multiply-add/A rows B rows.*, StorageBuffer, exact'
expect 0 "cooperativeMatrixReductions: $(both 4)" '^C .* (f16|s32)/reduction/(all|2x2) to 16x16, .*exact'
expect 0 "cooperativeMatrixWorkgroupScope: [0-9]+ with the reference alone$lacking" \
    "^workgroup of 64: C .* s32/$workgroups"
if [[ $lanes != 8 ]]; then
    expect 0 "cooperativeMatrixWorkgroupScope: 2 with the reference alone" \
        '^workgroup of 128: (32x16x48|16x16x16) f16 \* f16 \+ f32.*/multiply-add/A columns B columns.*, StorageBuffer, random'
    expect 0 "cooperativeMatrixTensorAddressing: 30 with the reference alone" \
        '^C 16x16 f16/(tensor-|block-).*, StorageBuffer'
    expect 0 "cooperativeMatrixBlockLoads: 7 with the reference alone" \
        '^workgroup of 64: A 16x16 s8/(tensor-|block-).*, PhysicalStorageBuffer'
fi
# Formats that the driver lacks.
expect 0 "cooperativeMatrixConversions: $converted with the reference alone$" "^C 16x16 $conversions" --all-rows
expect 0 "^$of_bytes of $of_bytes cases agree" "^$bytes" --all-rows
expect 0 "cooperativeMatrixWorkgroupScope: $multiplied with the reference alone$lacking" \
    "^workgroup of 64: $products" --all-rows
# On the driver's matrices, also conversions that change components and use.
if [[ $lanes == 8 ]]; then
    expect 0 "cooperativeMatrixConversions: $(both 4)" \
        '^C 16x16 f(16|32)/use-conversion/to [AB] 16x16 s8' --back-end native
fi
expect 0 'cooperativeMatrixBlockLoads: not compared' '^C 16x16 f16/elements'

# lavapipe's own reductions of rows and of columns are wrong from the ninth one on, up to Mesa
# 26.1.6.
expect 0 cases '^C 16x16 f16/elements'
mesa=$(sed -nE 's/.*Mesa ([0-9]+\.[0-9]+\.[0-9]+).*/\1/p' <<<"$out" | head -n 1)
reductions='^C 16x16 s32/reduction/(rows|columns) to 16x16, .*exact'
if [[ $lanes == 8 && $(printf '%s\n' "$mesa" 26.1.6 | sort -V | tail -n 1) == 26.1.6 ]]; then
    expect 1 '^0 of 2 cases agree, 2 differ' "$reductions"
    grep -Eq 'rows to 16x16.*native is off the reference: \[8,0\] \[8,1\]' <<<"$out" ||
        fail "$out"
else
    expect 0 '^2 of 2 cases agree' "$reductions"
fi

echo "test_matrix2: passed with $lanes lanes"
