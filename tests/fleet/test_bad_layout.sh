#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_bad_layout.sh FLEET COOPVK BENCH SOURCE
# With a deliberately bad layout of matrices the fleet's check must fail, with a line that names device,
# shader and statistic. All lanes of the product are in one column, so each of them holds whole rows; and all
# loads come before the first multiplication.
set -euo pipefail

fleet=$1 coopvk=$2 bench=$3 source=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=gemm_f32_16x16x16

"$bench" --write-shaders "$work/words" >/dev/null
mkdir "$work/bad" "$work/good"
for layout in good bad; do
    tune=() && [[ $layout == good ]] || tune=(--tune grid-rows=32,slice=16,slices=unrolled)
    "$coopvk" rewrite "$work/words/$name.spv" -o "$work/$layout/$name.spv" --subgroup-size 32 \
        --device "$source/tests/rewrite/devices/navi21.json" --spec 0=256 "${tune[@]}"
done

# check LAYOUT: the output of the check.
check() {
    "$fleet" --device navi21 --lanes 32 --no-built-in --folder "$work/$1=bench" \
        --check "$source/docs/developers/fleet.md" 2>&1
}

good=$(check good) || { printf '%s\n' "$good" && exit 1; }
printf '%s\n' "$good"
if bad=$(check bad); then
    printf 'the check takes a bad layout:\n%s\n' "$bad"
    exit 1
fi
printf '%s\n' "$bad"
grep -qE "^FAILED: navi21, bench/$name, 32 lanes: (spilled registers|useful vector)" <<<"$bad"
# As docs/developers/fleet.md shows.
fail() { printf '%s\n' "$*" && exit 1; }
# shellcheck source=../docs/examples.bash
source "$source/tests/docs/examples.bash"
! grep -qF 'spilled registers' <<<"$bad" || shows allowance <<<"$bad"
