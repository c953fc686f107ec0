#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_probe.sh COOPVK REFERENCE.json
# `coopvk probe` on the reference device, whose matrices lie as on some GPU, and of matrices that coopvk emulates.
set -euo pipefail

coopvk=$1
export VK_DRIVER_FILES=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf 'test_probe: %s\n' "$*" >&2
    exit 1
}

# expect LAYOUT MATRIX FILE: a line of the output.
expect() { grep -qE "^  $2: .* layout: .*\b$1\b" "$3" || fail "no '$2' of $1 in"$'\n'"$(head -n 30 "$3")"; }

# Of emulated matrices one layout (COOPVK_TEST_SEED: another one; COOPVK_TEST_FULL=1: all).
number=${COOPVK_TEST_SEED:-0}
for layout in nvidia rdna3 rdna4; do
    COOPVK_REFERENCE_PLACEMENT=$layout "$coopvk" probe --json "$work/$layout.json" >"$work/$layout" ||
        fail "$layout: status $?"
    for matrix in 'A 16x16 f16' 'B 16x16 f16' 'C 16x16 f32' 'C 16x16 f16'; do
        expect $layout "$matrix" "$work/$layout"
    done
    number=$((number + 1))
    ((number % 3 == 0)) || [[ ${COOPVK_TEST_FULL:-} == 1 ]] || continue
    COOPVK_ELEMENT_LAYOUT=$layout "$coopvk" probe --emulated >"$work/emulated" || fail "emulated: status $?"
    for matrix in 'A 16x16 f16' 'B 16x16 f16' 'C 16x16 f32'; do
        expect $layout "$matrix" "$work/emulated"
    done
done
expect nvidia 'A 16x32 u8' "$work/nvidia"
grep -q '"layouts": \[' "$work/rdna4.json" || fail 'no layouts in the JSON'

# Any other placement is none that coopvk knows, and is printed.
COOPVK_REFERENCE_PLACEMENT=shuffled "$coopvk" probe >"$work/shuffled" || fail "shuffled: status $?"
expect none 'A 16x16 f16' "$work/shuffled"
grep -qE '^    lane  1: \(' "$work/shuffled" || fail "no elements: $(head -n 5 "$work/shuffled")"

# Sums: those of a unit, of another one, and the rules that explain them.
sums() { # SUMS OPTION...
    COOPVK_REFERENCE_EXTENSIONS=VK_KHR_cooperative_matrix COOPVK_REFERENCE_SUMS=$1 "$coopvk" probe --count 24 "${@:2}"
}
sums hopper --sums hopper >"$work/sums" || fail "sums of hopper: $(cat "$work/sums")"
grep -qE '^    hopper: ([0-9]+) of \1 equal' "$work/sums" || fail "no count of sums: $(cat "$work/sums")"
grep -qE '^    ada: ([0-9]+) of ([0-9]+) equal' "$work/sums" || fail "no count of other sums: $(cat "$work/sums")"
sums ada --sums hopper --record "$work/record" --json "$work/sums.json" >"$work/sums" && fail 'ada is hopper'
grep -q 'fits: 8 products at once, 24 bits below the largest exponent, .* result cut to 23 bits: ' "$work/sums" ||
    fail "no rules: $(cat "$work/sums")"
grep -qE '^16x16x16 f16 \* f16 \+ f32 = f32 \| .* \| a=\[.*\] b=\[.*\] c=.* predicted=.* got=' "$work/record" ||
    fail "nothing recorded: $(head -n 3 "$work/record")"
grep -q '"explains": true' "$work/sums.json" || fail 'no rules in the JSON'

# A device without matrices.
out=$(COOPVK_REFERENCE_EXTENSIONS=none "$coopvk" probe 2>&1) && fail "status 0 without matrices: $out"
[[ $out == *'has no VK_KHR_cooperative_matrix of its own'* ]] || fail "without matrices: $out"

# NVIDIA's instructions without its driver.
if /sbin/ldconfig -p | grep -q 'libcuda\.so\.1'; then
    echo 'test_probe: this machine has the driver, so its absence was not tried'
else
    out=$("$coopvk" probe --sums hopper --ptx 2>&1) && fail "status 0 without a driver: $out"
    [[ $out == *'no NVIDIA driver: libcuda.so.1 is not there'* ]] || fail "without a driver: $out"
fi
