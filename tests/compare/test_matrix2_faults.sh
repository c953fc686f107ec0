#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_matrix2_faults.sh COOPVK FAULTS LAYER LANES
# Plants faults in each feature of VK_NV_cooperative_matrix2 with the layer in the folder FAULTS, and
# checks that `coopvk compare` finds them, and where. LAYER is the folder of coopvk's layer.
set -euo pipefail

coopvk=$1 faults=$2 layer=$3 lanes=$4
export VK_INSTANCE_LAYERS=VK_LAYER_COOPVK_test_fault
export VK_DRIVER_FILES=${VK_DRIVER_FILES:-/usr/share/vulkan/icd.d/lvp_icd.json}
export LP_NATIVE_VECTOR_WIDTH=$((lanes * 32)) GALLIVM_PERF=nopt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What no fault changes is compiled once.
export MESA_SHADER_CACHE_DIR=$work/shaders

fail() {
    printf 'test_matrix2_faults: %s\n' "$*" >&2
    exit 1
}

# check FAULT STATUS PATTERN FILTER COMMAND...: with the fault, COMMAND exits with STATUS for the
# cases that match FILTER, and its output matches PATTERN.
check() {
    local out got=0
    out=$(COOPVK_FAULT=$1 "${@:5}" compare --quiet --extension VK_NV_cooperative_matrix2 \
        --sides "$sides" --filter "$4" 2>&1) || got=$?
    [[ $got == "$2" ]] || fail "$1: status $got, not $2"$'\n'"$out"
    grep -Eq -- "$3" <<<"$out" || fail "$1: no '$3'"$'\n'"$out"
}

# A driver's own matrices: the fault is directly above lavapipe, which has matrices with 8 lanes. Lane 3
# holds each eighth column.
own() {
    local sides=both
    VK_ADD_LAYER_PATH=$faults check "$@" "$coopvk"
}

# Shaders that coopvk has rewritten: the fault is also directly above the driver.
rewritten() {
    local sides=emulated
    VK_ADD_LAYER_PATH=$faults check "$@" "$coopvk"
}

# Emulated matrices: the fault is above coopvk's layer, which must be an explicit layer then. The
# program finds no implicit layer in another folder.
cp "$coopvk" "${coopvk}-compare" "$work/"
# With 8 lanes one check in seven (COOPVK_TEST_SEED: others; COOPVK_TEST_FULL=1: all); lavapipe compiles a shader for
# each. With 4 and 16, for the reference device if there is one, one in three.
step=3 number=$((${COOPVK_TEST_SEED:-0} + lanes / 8))
[[ $lanes != 8 ]] || step=7
[[ ${COOPVK_TEST_FULL:-} != 1 ]] || step=1
emulated() {
    local sides=emulated
    number=$((number + 1))
    ((number % step == 0)) || return 0
    VK_ADD_LAYER_PATH=$faults:$layer check "$@" "$work/coopvk"
}

c='C 16x16 f16'
product='16x16x16 f16 \* f16 \+ f32 = f32/multiply-add/A columns B rows.*, StorageBuffer, exact$'
if [[ $lanes == 8 ]]; then
    off='native is off the reference:'
    own none 0 '^10 of 10 cases agree$' "^$c/(per-element|use-conv|reduction/all to 16x16, sum)"
    own own-k-step 1 "differ.*: [12][0-9]{2} of 256 elements.*$off" "^$product"
    own lane 1 ": 32 of 256 elements.*$off \[0,3\] \[0,11\] \[1,3\] \[1,11\]" "^$product"
    own reduce-twice 1 "differ.*: 256 of 256 elements.*$off" "^$c/reduction/all to 16x16, sum"
    own conversion 1 ": 32 of 256 elements.*$off \[0,3\] \[0,11\]" "^$c/use-conversion/to A 16x16 f16"
    # The diagonal stays as it is.
    own element-swap 1 ": 30 of 256 elements.*$off \[0,3\] \[0,11\]" "^$c/per-element"
fi

off='emulated is off the reference:'
few="differ.*: [1-9][0-9]* of 256 elements.*$off"
if [[ $lanes == 8 ]]; then
    # Formats that the driver lacks.
    for holder in '' 'workgroup of 64: '; do
        of="^${holder}C 16x16"
        for to in bf16 e4m3; do
            rewritten format-rounding 1 "$few" "$of f32/use-conversion/to A 16x16 $to\$"
        done
        rewritten format-saturation 1 "$few" "$of f32/use-conversion/to B 16x16 e4m3\$"
        rewritten format-nan 1 "$few" "$of e4m3/use-conversion/to A 16x16 f16\$"
    done
fi

for holder in '' 'workgroup of 64: '; do
    of="^$holder"
    emulated none 0 ' cases agree with' \
        "$of$c/(per-element|use-conv|.*(clip|4x4)|reduction/rows to 16x16, sum)"
    formats="${of}C 16x16 f32/use-conversion/to"
    emulated none 0 '^5 of 5 cases agree' "$formats (A 16x16 e|B 16x16 bf)"
    # Scopes and flexible dimensions.
    emulated own-k-step 1 "differ.*: [12][0-9]{2} of 256 elements.*$off" "$of$product"
    emulated layout 1 "differ.*: 2[0-9]{2} of 256 elements.*$off" "$of$product"
    emulated lane 1 "differ.*: [1-9][0-9]* of 256 elements.*$off" "$of$product"
    emulated reduce-twice 1 "differ.*: 256 of 256 elements.*$off" "$of$c/reduction/rows to 16x16, sum"
    emulated reduce-direction 1 '^0 of 3 cases agree, 3 differ' "$of$c/reduction/rows to 16x16"
    emulated reduce-direction 1 '^0 of 3 cases agree, 3 differ' "$of$c/reduction/columns to 16x16"
    emulated conversion 1 "differ.*: [1-9][0-9]* of 256 elements.*$off" \
        "$of$c/use-conversion/to A 16x16 f16"
    emulated element-swap 1 "differ.*: [1-9][0-9]* of 256 elements.*$off" "$of$c/per-element"
    # By formats, with and without saturation of values that are too large.
    emulated conversion-rounding 1 '^0 of 5 cases agree, 5 differ' \
        "$formats (A 16x16 e|B 16x16 bf)"
    emulated conversion-saturation 1 '^0 of 4 cases agree, 4 differ' "$formats A 16x16 e"
    emulated conversion-nan 1 '^0 of 5 cases agree, 5 differ' "$formats (A 16x16 e|B 16x16 bf)"
    emulated conversion-nan 1 "$few" "$formats A 16x16 e4m3\$"
    # One row of the nine columns that are not clipped.
    clip="9 of 256 elements.*$off \[12,3\] \[12,4\] \[12,5\]"
    emulated clip 1 "$clip" "$of$c/tensor-load/clip, StorageBuffer"
    emulated clip 1 "9 of 99 elements.*$off \[0,90\] \[0,91\]" "$of$c/tensor-store/clip, StorageBuffer"
    emulated clip 1 "$clip" "$of$c/block-load/.*clip, StorageBuffer"
    emulated slice 1 "differ.*elements.*$off" "$of$c/tensor-load/2 dimensions, StorageBuffer"
    # All elements except those whose two coordinates are the same.
    emulated decode-place 1 "240 of 256 elements.*$off \[0,1\]" \
        "$of$c/block-load/blocks of 1x16, StorageBuffer"
    emulated decode-place 1 "192 of 256 elements.*$off \[0,1\] \[0,2\] \[0,3\] \[0,5\]" \
        "$of$c/block-load/blocks of 4x4, StorageBuffer"
done

echo "test_matrix2_faults: passed with $lanes lanes"
