#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_selftest.sh COOPVK
# `coopvk selftest` on lavapipe: some cases of each extension agree, and its JSON says so.
set -euo pipefail

coopvk=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VK_DRIVER_FILES=/usr/share/vulkan/icd.d/lvp_icd.json XDG_CONFIG_HOME=$work/none

fail() {
    printf 'test_selftest: %s\n' "$*" >&2
    exit 1
}

"$coopvk" selftest --cases 2 --json "$work/out.json" >"$work/said" || fail "status $?: $(<"$work/said")"
python3 - "$work/out.json" <<'PYTHON' || fail "$(<"$work/out.json")"
import json, sys
result = json.load(open(sys.argv[1]))
ran = [part for part in result["parts"] if "notRun" not in part]
assert {part["extension"] for part in ran} == {
    "VK_KHR_cooperative_matrix", "VK_NV_cooperative_matrix2", "VK_NV_cooperative_vector"}
assert all(part["cases"] == part["agreed"] >= 1 for part in ran)
assert result["information"] and result["version"]
PYTHON
grep -Eq '^([0-9]+) of \1 cases agree$' "$work/said" || fail "$(<"$work/said")"

# With 4 lanes lavapipe has no matrices of its own: nothing says that these agree.
LP_NATIVE_VECTOR_WIDTH=128 "$coopvk" selftest --cases 1 >"$work/said" || fail "status $?: $(<"$work/said")"
[[ $(grep -c 'native: not run: the driver has no matrices' "$work/said") == 3 ]] || fail "$(<"$work/said")"
[[ $(grep -c 'core: 1 of 1 cases agree' "$work/said") == 3 ]] || fail "$(<"$work/said")"

# Without a device nothing runs.
rc=0
VK_DRIVER_FILES=$work/none.json "$coopvk" selftest --cases 1 >"$work/said" 2>&1 || rc=$?
[[ $rc == 2 ]] || fail "status $rc: $(<"$work/said")"
# A device that is not there, nonsense, a file that cannot be written.
rc=0
"$coopvk" selftest --device 99 --cases 1 >"$work/said" 2>&1 || rc=$?
[[ $rc == 2 ]] || fail "status $rc: $(<"$work/said")"
! "$coopvk" selftest --cases none >"$work/said" 2>&1 || fail 'no error'
echo 'test_selftest: passed'
