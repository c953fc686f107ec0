#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_compare.sh COOPVK
# `coopvk compare` on lavapipe, which has matrices of its own with 8 lanes, and none with 4.
set -euo pipefail

coopvk=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VK_DRIVER_FILES=${VK_DRIVER_FILES:-/usr/share/vulkan/icd.d/lvp_icd.json}

fail() {
    printf 'test_compare: %s\n' "$*" >&2
    exit 1
}

# expect STATUS TEXT ARGUMENTS...: coopvk compare exits with STATUS and prints TEXT.
expect() {
    local status=$1 text=$2 out got=0
    shift 2
    out=$("$coopvk" compare --quiet "$@" 2>&1) || got=$?
    [[ $got == "$status" ]] || fail "status $got, not $status: $*"$'\n'"$out"
    [[ $out == *"$text"* ]] || fail "no '$text' from $*"$'\n'"$(head -n 40 <<<"$out")"
}

lanes() { export LP_NATIVE_VECTOR_WIDTH=$(($1 * 32)); }

# A program of its own: `coopvk compare` starts it from its folder or the PATH, or says which package has it.
mkdir "$work/alone" "$work/path"
ln "$coopvk" "$work/alone/coopvk" 2>/dev/null || cp "$coopvk" "$work/alone/coopvk"
for command in compare selftest; do
    out=$(PATH=/nowhere "$work/alone/coopvk" $command --list 2>&1) && fail "no error without coopvk-compare: $out"
    [[ $out == *'the package coopvk-compare has it' ]] || fail "without coopvk-compare: $out"
done
ln -s "$(realpath "${coopvk%/*}")/coopvk-compare" "$work/path/coopvk-compare"
out=$(PATH=$work/path "$work/alone/coopvk" compare --version 2>&1)
[[ $out == 'coopvk-compare '*rewriter* ]] || fail "version: $out"

lanes 8
expect 0 'cases agree' --quick --json "$work/khr.json" --markdown "$work/khr.md"
grep -q '"status": "agree"' "$work/khr.json" || fail 'no case in the JSON file'
grep -q '"differ": 0' "$work/khr.json" || fail 'no sum in the JSON file'
grep -q '^| 8x8x8 f16 \* f16 + f32 = f32 | 2/2 |' "$work/khr.md" || fail 'no row in the table'
expect 0 '(native: not available)' --quick --extension VK_NV_cooperative_matrix --filter '^8x8x8'
expect 0 '(native: not available)' --quick --filter '^8x8x8' --sides emulated
expect 0 '(emulated: not available)' --quick --filter '^8x8x8' --sides native
expect 0 'multiply-add' --list --filter multiply-add

expect 0 '(native: not available)' --quick --extension VK_NV_cooperative_vector \
    --filter '^f16 \* f16 \+ f16|^f32 as s8 \* s8|^training|vectors of f16|matrices of e4m3'

# A case that lies within the specification's freedom, and is not bit-identical.
expect 1 'differ' --filter 'f32 = f32/multiply-add.*StorageBuffer, random' --max-ulps 0

# The same as a page, and as a program of its own.
expect 1 'differ' --filter 'f32 = f32/multiply-add.*StorageBuffer, random' --max-ulps 0 \
    --html "$work/report.html"
grep -q '<svg' "$work/report.html" || fail 'no map in the page'
! grep -q 'http' "$work/report.html" || fail 'the page is not by itself'

compile() {
    local -a sdk=()
    [[ -z ${VULKAN_SDK:-} ]] || sdk=("-I$VULKAN_SDK/include" "-L$VULKAN_SDK/lib")
    "${CC:-cc}" -std=c11 "$@" "${sdk[@]}" "$work/repro/repro.c" -o "$work/repro/repro" -lvulkan -lm
}

# repro EXTENSION PATTERN: the first case that PATTERN finds, compiled and run on the driver alone;
# on one that lacks the extension only compiled.
repro() {
    local number
    number=$("$coopvk" compare --list --extension "$1" --filter "$2" 2>/dev/null | head -n 1)
    rm -rf "$work/repro"
    expect 0 'written to' --extension "$1" --repro "${number%% *}" --repro-dir "$work/repro"
    compile -Wall -Werror || fail "the program of '$2' does not compile"
}
repro VK_KHR_cooperative_matrix 'f32 = f32/multiply-add.*PhysicalStorageBuffer, random'
"$work/repro/repro" | grep -q '^0 of 64 elements are off' || fail 'the program fails'
sed -i 's/^#define STRIDE .*/#define STRIDE 36/' "$work/repro/case.h"
compile
! "$work/repro/repro" >"$work/out" || fail 'the program does not fail where it should'
repro VK_NV_cooperative_vector 'outer-product'
repro VK_NV_cooperative_vector 'device-conversion.*inferencing'

# Results of one run against another: the same seed, and then a file that was tampered with.
expect 0 'cases agree' --filter '8x8x8.*f32 = f32/multiply-add' --save "$work/saved.json"
expect 0 "from $work/saved.json" --against "$work/saved.json"
sed -i '0,/"elements": "[0-9a-f]* [0-9a-f]* /s//"elements": "0 0 /' "$work/saved.json"
expect 1 'elements, largest' --against "$work/saved.json"

# The reference device, without a driver: in each order of sums, and against another machine's results.
driver=$VK_DRIVER_FILES
export VK_DRIVER_FILES=$work/none
for sums in plain adversarial; do
    export COOPVK_REFERENCE_SUMS=$sums
    for extension in VK_KHR_cooperative_matrix VK_NV_cooperative_matrix; do
        expect 0 'reference device, 32 lanes' --sides reference --quick --extension $extension
    done
    expect 0 'cases agree' --sides reference --extension VK_NV_cooperative_matrix2 --quick \
        --filter '^(workgroup of 64: )?[^:]*(16x16x16|C 16x16|A 16x16|C 32x32) (f16|f32|s8|e4m3)'
    expect 0 'cases agree' --sides reference --extension VK_NV_cooperative_vector --quick
done
unset COOPVK_REFERENCE_SUMS
expect 1 'elements, largest' --sides reference --against "$work/saved.json"
COOPVK_REFERENCE_SUBGROUP_SIZE=3 expect 2 'COOPVK_REFERENCE_SUBGROUP_SIZE has no meaning: 3' --sides reference
export VK_DRIVER_FILES=$driver

lanes 4
expect 0 'has no VK_KHR_cooperative_matrix' --quick --filter '^8x8x8'

expect 2 'no Vulkan device 7' --device 7
expect 2 'there is no case' --filter 'no such case'
expect 2 'none: No such file' --against "$work/none"
expect 2 'khr.md holds no results of coopvk compare: it is no JSON' --against "$work/khr.md"
echo '{}' >"$work/other.json"
expect 2 'other.json holds no results of coopvk compare: --save did not write it' --against "$work/other.json"
VK_DRIVER_FILES=$work/none expect 2 "VK_DRIVER_FILES names $work/none, and there is no such file"
# Before anything runs.
for option in json html markdown save; do
    ! said=$("$coopvk" compare --$option "$work" 2>&1) || fail "wrote a folder: --$option"
    [[ $said == "coopvk compare: cannot write $work" ]] || fail "--$option: $said"
done

echo 'test_compare: passed'
