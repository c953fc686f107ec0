#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_repro.sh COOPVK
# The program that `coopvk compare --repro` writes: its shader is valid, and it compiles and has the
# results that the tool found. Each operation by its first case, and what programs write differently; of these
# one case in eleven, or in seven of the driver's own matrices (COOPVK_TEST_SEED: others; COOPVK_TEST_FULL=1: all).
set -euo pipefail

coopvk=$1
export VK_DRIVER_FILES=${VK_DRIVER_FILES:-/usr/share/vulkan/icd.d/lvp_icd.json}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MESA_SHADER_CACHE_DIR=$work/shaders
bug=$work/bug
cases=0

fail() {
    printf 'test_repro: %s\n' "$*" >&2
    exit 1
}

khr=VK_KHR_cooperative_matrix
nv=VK_NV_cooperative_matrix
nv2=VK_NV_cooperative_matrix2
vector=VK_NV_cooperative_vector
formats=VK_KHR_shader_bfloat16,VK_EXT_shader_float8

# lanes N SIDES: of lavapipe, which has matrices of its own with 8. Lists the cases of all
# extensions.
lanes() {
    export LP_NATIVE_VECTOR_WIDTH=$(($1 * 32))
    sides=$2
    for extension in $khr $nv $nv2 $vector; do
        "$coopvk" compare --list --all-rows --sides "$sides" --extension $extension \
            >"$work/$extension" 2>/dev/null || fail "no list of $extension"
    done
}

# write EXTENSION PATTERN: --repro of the first case that PATTERN finds; its name in $name.
write() {
    local line out
    line=$(grep -m1 -E -- "^[0-9]+ $2" "$work/$1") || fail "$1 has no case '$2'"
    name=${line#* }
    rm -rf "$bug"
    out=$("$coopvk" compare --quiet --extension "$1" --sides "$sides" --repro "${line%% *}" \
        --repro-dir "$bug" 2>&1) || fail "$name: $out"
    cases=$((cases + 1))
}

compile() {
    local -a sdk=()
    [[ -z ${VULKAN_SDK:-} ]] || sdk=("-I$VULKAN_SDK/include" "-L$VULKAN_SDK/lib")
    # shellcheck disable=SC2086  # several flags
    "${CC:-cc}" ${CFLAGS:-} -std=c11 -O0 -Wall -Werror "${sdk[@]}" "$bug/repro.c" -o "$bug/repro" \
        -lvulkan -lm || fail "$name: repro.c does not compile"
    spirv-val --target-env vulkan1.3 "$bug/shader.spv" || fail "$name: its shader is not valid"
}

# numbers NAME: of an array in case.h.
numbers() { sed -n "/^static const double $1\[\]/,/^};/p" "$bug/case.h" | tail -n +2; }

# agrees SIDE COMMAND...: the program, run by COMMAND, finds no wrong element; if there is only one right
# result, the bits are those that the tool found on SIDE.
agrees() {
    local out column=6
    [[ $1 == native ]] || column=7
    out=$("${@:2}" "$bug/repro" 0 "$bug/shader.spv" "$bug/bits" 2>&1) || fail "$name: $out"
    grep -q '^0 of [0-9]* elements are off' <<<"$out" || fail "$name: $out"
    tail -n +2 "$bug/elements.tsv" | cut -f "$column" >"$bug/$1"
    [[ $(grep -c '^0x' "$bug/$1") == "$(wc -l <"$bug/bits")" ]] || fail "$name: no results, $1"
    [[ $(numbers low) == "$(numbers high)" ]] || return 0
    cmp "$bug/$1" "$bug/bits" || fail "$name: other bits than $1"
}

# emulated EXTENSION PATTERN, native EXTENSION PATTERN: if the case is one of the sample.
step=11 number=${COOPVK_TEST_SEED:-0}
[[ ${COOPVK_TEST_FULL:-} != 1 ]] || step=1
emulated() {
    number=$((number + 1))
    ((number % step != 0)) || check_emulated "$1" "$2"
}
native() {
    number=$((number + 1))
    ((step > 1 && number % 7 != 0)) || check_native "$1" "$2"
}

check_emulated() {
    write "$1" "$2"
    compile
    local emulate=$1
    [[ $1 != "$khr" ]] || emulate=$khr,$formats
    [[ $1 != "$nv2" ]] || emulate=$khr,$nv2,$formats
    agrees emulated "$coopvk" run --quiet --emulate "$emulate" --back-end core --
}

check_native() {
    check_emulated "$1" "$2"
    agrees native env COOPVK_DISABLE=1
}

# Operations that the lists have, by their first cases.
lanes 8 both
for extension in $khr $nv $nv2 $vector; do
    operations=$(cut -d / -f 2 "$work/$extension" | sort -u)
    [[ $(wc -w <<<"$operations") -ge 5 ]] || fail "$extension has only $operations"
    for operation in $operations; do
        [[ $operation != *-conversion || $extension == "$nv2" ]] || continue
        # The first case reduces rows, which lavapipe itself does wrong (test_matrix2.sh).
        [[ $operation != reduction ]] || continue
        emulated $extension ".*/$operation/"
    done
done

# The driver's own matrices.
native $khr '8x8x8 f16 \* f16 \+ f32 = f32/multiply-add/A columns B columns.*StorageBuffer, exact'
native $khr '8x8x8 f16 \* f16 \+ f32 = f32/multiply-add/A rows B columns.*Workgroup, random'
native $khr '8x8x8 s8 \* s8 \+ s32 = s32/multiply-add/.*PhysicalStorageBuffer'
native $khr 'A 8x8 f16/load-store/columns to rows, Workgroup$'
native $khr 'A 8x8 f16/load-store/columns to columns, PhysicalStorageBuffer, as u32x4'
native $khr 'C 8x8 f32/arithmetic/OpMatrixTimesScalar'
native $khr 'C 8x8 f32/elements/'
native $khr 'C 8x8 f32/conversion/'

native $nv2 'C 16x16 f16/use-conversion/transposed'
native $nv2 'C 16x16 s32/per-element/'
native $nv2 'C 16x16 f16/reduction/all to 16x16, sum, random'
native $nv2 'C 32x32 f32/reduction/2x2 to 16x16, greatest'
native $nv2 '16x16x16 f16 .* f32 = f32/multiply-add/A columns.*, StorageBuffer, exact'
emulated $nv2 'workgroup of 64: C 16x16 s32/reduction/rows to 16x32, sum'
emulated $nv2 'workgroup of 128: C 16x16 f16/use-conversion/to B 16x16 s8'
emulated $nv2 'A 16x16 s8/block-load/blocks of 4x4, Phys'
emulated $nv2 'B 16x16 f16/tensor-load/view of 3 dimensions'
emulated $nv2 'C 16x16 f32/tensor-load/clip, Phys'
emulated $nv2 'workgroup of 64: C 16x16 f32/tensor-store/strides'

# Formats that shaders do not compute with.
emulated $khr '. [0-9x]* e5m2/elements/'
emulated $khr '. [0-9x]* bf16/conversion/to e4m3$'
emulated $nv2 'C 16x16 f32/use-conversion/to A 16x16 e4m3, saturated'
emulated $nv2 'workgroup of 64: C 16x16 bf16/per-element/'
emulated $nv2 'C 16x16 e5m2/reduction/all to 16x16, greatest'
emulated $nv2 'A 16x16 e4m3/block-load/blocks of 4x4, Phys'
emulated $nv2 '16x16x16 bf16 .* bf16/multiply-add/A rows B columns.*, StorageBuffer, exact'

# Saturation, 64 bits, mixed signs, layouts and strides.
emulated $khr '.*saturating/multiply-add/.*StorageBuffer'
emulated $khr '.*s64 = s64/multiply-add/A rows B columns.*Workgroup'
emulated $khr '.*f64 = f64/multiply-add/A columns B rows.*, exact'
emulated $khr '. [0-9x]* f64/elements/'
emulated $khr '. [0-9x]* u64/arithmetic/OpUDiv'
emulated $khr '. [0-9x]* f64/arithmetic/OpMatrixTimesScalar'
emulated $khr '. [0-9x]* f64/conversion/to s32'
emulated $nv '.* s8 \* u8 \+ s32 = s32/multiply-add/A columns B rows.*Workgroup'
emulated $nv '.* f16 \* f16 \+ f32 = f32/multiply-add/A rows B columns.*PhysicalStorageBuffer, exact'
emulated $nv '. [0-9x]* f16/load-store/rows to columns, Workgroup$'
emulated $nv '. [0-9x]* s8/load-store/rows to rows, StorageBuffer, as u32x4'
emulated $vector '.*s8packed .*/multiply/21x35 columns, PhysicalStorageBuffer, random'
emulated $vector '.* e4m3 .*/multiply-add/32x48 inferencing.*diverging, exact'
emulated $vector '.*/multiply-add/32x48 training transposed, PhysicalStorageBuffer, exact'
emulated $vector '.*/outer-product/.*PhysicalStorageBuffer, diverging, exact'
emulated $vector '.*/reduce-sum/.*StorageBuffer, diverging, exact'
emulated $vector 'vectors of f16/load-store/Workgroup'
emulated $vector 'vectors of f32/arithmetic/OpVectorTimesScalar'
emulated $vector 'vectors of f16/extended/NClamp'
emulated $vector 'vectors of f32/extended/Fma'
emulated $vector 'vectors of s8/arithmetic/OpShiftRightLogical'
emulated $vector 'vectors of s8/arithmetic/OpShiftRightArithmetic'
emulated $vector 'vectors of u32/arithmetic/OpShiftRightArithmetic'
emulated $vector 'vectors of s32/extended/SClamp'

# A case without a shader.
write $vector '.*/device-conversion/'
[[ ! -e $bug/shader.spv ]] || fail 'a shader for a conversion'
grep -q 'has no shader' "$bug/README.md" || fail 'the page does not say that there is no shader'

# Workgroups are as large as subgroups. With 16 lanes lavapipe's own matrices crash.
for count in 4 16; do
    lanes $count emulated
    check_emulated $khr '.*/multiply-add/.*Workgroup'
    grep -q "LocalSize $count 1 1" "$bug/shader.spvasm" || fail "not $count invocations"
done

echo "test_repro: passed, $cases cases"
