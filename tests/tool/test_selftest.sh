#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_selftest.sh COOPVK
# `coopvk selftest` on lavapipe: every extension agrees, the layouts of the driver's matrices are read, one that crashes
# ends no other, and the JSON and the last line say so.
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
python3 - "$work/out.json" <<'PYTHON' || fail "$(<"$work/said")"
import json, sys
result = json.load(open(sys.argv[1]))
ran = [part for part in result["parts"] if "cases" in part]
not_run = {part["extension"] for part in result["parts"] if "notRun" in part} - {part["extension"] for part in ran}
assert not not_run, not_run
assert len({part["extension"] for part in ran}) == 17
assert all(part["cases"] == part["agreed"] >= 1 for part in ran)
assert result["information"] and result["version"]
(speeds,) = [part["speeds"] for part in result["parts"] if part["extension"] == "speed"]
(layouts,) = [part["layouts"] for part in result["parts"] if part["extension"] == "layouts"]
assert layouts[0]["length"] == 8 and (layouts[0]["layouts"] or layouts[0]["bits"]), layouts
assert list(speeds) == ["plain", "matrices", "vectors"] and all(speed > 0 for speed in speeds.values())
PYTHON
grep -Eq '^coopvk [0-9.]+\+[0-9a-f]+ on llvmpipe.*: ([0-9]+) of \1 cases agree, in 17 of 17 extensions; layout unknown; '\
'plain [0-9.e+]+, '\
'matrices [0-9.e+]+, vectors [0-9.e+]+ GFLOP/s$' "$work/said" || fail "$(<"$work/said")"
# As docs/hardware.md shows.
# shellcheck source=../docs/examples.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/../docs/examples.bash"
shows selftest < <(sed -E '/^coopvk /{s/ on llvmpipe.*: (N|[0-9]+ of)/ on NVIDIA H200, NVIDIA, 580.159.04: \1/; s/layout unknown/layout nvidia/}' "$work/said")
[[ $(tail -n 1 "$work/said") == 'coopvk '* ]] || fail "$(<"$work/said")"

[[ $(head -n 1 "$work/said") == 'selftest of llvmpipe '*', native by the driver'* ]] || fail "$(<"$work/said")"
grep -q '^  A 8x8 f16: none known: lane 1:(' "$work/said" || fail "no bits of a map: $(<"$work/said")"

# A crash of one group is a case that differs. With 4 lanes lavapipe has no matrices of its own: nothing says that these agree.
# On a busy machine a group may end before it is found.
victim=
for _ in 1 2 3 4 5; do
    LP_NATIVE_VECTOR_WIDTH=128 "$coopvk" selftest --cases 1 >"$work/said" 2>&1 &
    test=$!
    while [[ -z $victim ]] && kill -0 $test 2>/dev/null; do
        victim=$(pgrep -P $test -f 'group VK_NV_cooperative_vector,core' || sleep 0.02)
    done
    [[ -z $victim ]] || break
done
[[ -n $victim ]] || fail "no process of a group: $(<"$work/said")"
kill -SEGV "$victim"
rc=0
wait $test || rc=$?
[[ $rc == 1 ]] || fail "status $rc: $(<"$work/said")"
grep -q '^VK_NV_cooperative_vector, core: 0 of 1 cases agree' "$work/said" || fail "$(<"$work/said")"
grep -q 'its process ended early (signal 11' "$work/said" || fail "$(<"$work/said")"
grep -q '^VK_EXT_shader_atomic_float, core: 1 of 1 cases agree' "$work/said" || fail "$(<"$work/said")"
grep -q 'native: not run: the driver has no matrices' "$work/said" || fail "$(<"$work/said")"
[[ $(tail -n 1 "$work/said") =~ ': '([0-9]+)' of '([0-9]+)' cases agree, in 16 ' ]] || fail "$(<"$work/said")"
((BASH_REMATCH[1] + 1 == BASH_REMATCH[2])) || fail "$(<"$work/said")"

# One that hangs is ended.
rc=0
"$coopvk" selftest --cases 1 --limit 0.001 >"$work/said" 2>&1 || rc=$?
[[ $rc == 1 ]] || fail "status $rc: $(<"$work/said")"
grep -q 'its process ended early (no end within 0.001 s)' "$work/said" || fail "$(<"$work/said")"
# Where there is no place for what they say.
rc=0
TMPDIR=$work/none "$coopvk" selftest --cases 1 >"$work/said" 2>&1 || rc=$?
[[ $rc == 2 ]] || fail "status $rc: $(<"$work/said")"
grep -q 'not run: no temporary file can be made' "$work/said" || fail "$(<"$work/said")"

# What it did not write, stays as it is.
for text in '{"rewriter": "1", "parts": []}' 'no JSON' '[]'; do
    rc=0
    echo "$text" >"$work/other.json"
    "$coopvk" selftest --cases 1 --json "$work/other.json" --resume >"$work/said" 2>&1 || rc=$?
    [[ $rc == 2 && $(<"$work/other.json") == "$text" ]] || fail "status $rc, $(<"$work/other.json"): $(<"$work/said")"
    grep -q "^coopvk: --resume: coopvk selftest did not write $work/other.json" "$work/said" || fail "$(<"$work/said")"
done

# Killed after some groups, it goes on behind them, and packs it all. A group with which the command ended twice is a result.
"$coopvk" selftest --cases 1 --json "$work/part.json" >"$work/said" 2>&1 &
test=$!
until grep -q '"extension": "VK_NV_cooperative_matrix"' "$work/part.json" 2>/dev/null; do
    kill -0 $test 2>/dev/null || fail "$(<"$work/said")"
    sleep 0.02
done
kill -KILL $test
wait $test || true
python3 - "$work/part.json" <<'PYTHON'
import json, sys
result = json.load(open(sys.argv[1]))
assert "summary" not in result and 1 <= len(result["parts"]) < 22, result["parts"]
next(part for part in result["parts"] if "cases" in part)["seconds"] = 12345
result["begun"] = {"VK_KHR_shader_bfloat16,core": 2, "VK_EXT_shader_float8,core": 1}
json.dump(result, open(sys.argv[1], "w"))
PYTHON
rc=0
"$coopvk" selftest --cases 1 --json "$work/part.json" --resume --archive "$work/sent.tar" >"$work/said" 2>&1 || rc=$?
[[ $rc == 1 ]] || fail "status $rc: $(<"$work/said")"
grep -q '^VK_KHR_shader_bfloat16, core: 0 of 1 cases agree' "$work/said" || fail "$(<"$work/said")"
grep -q '^  the command ended twice while its process ran' "$work/said" || fail "$(<"$work/said")"
[[ $(tar -tf "$work/sent.tar" | sort | tr '\n' ' ') == 'coopvk-selftest/doctor coopvk-selftest/info coopvk-selftest/selftest.json ' ]] ||
    fail "$(tar -tf "$work/sent.tar")"
tar -xf "$work/sent.tar" -C "$work"
grep -q '  plan at ' "$work/coopvk-selftest/info" || fail 'no plan'
python3 - "$work/part.json" <<'PYTHON' || fail "$(<"$work/said")"
import json, sys
result = json.load(open(sys.argv[1]))
names = [(part["extension"], part["backEnd"]) for part in result["parts"]]
assert len(names) == len(set(names)) == 23, names
assert 12345 in [part.get("seconds") for part in result["parts"]] and "begun" not in result and result["summary"]
PYTHON
rc=0
"$coopvk" selftest --seconds 0 >"$work/said" 2>&1 || rc=$?
[[ $rc == 2 ]] || fail "status $rc: $(<"$work/said")"
grep -q '^VK_NV_cooperative_vector, core: not run: the time was up' "$work/said" || fail "$(<"$work/said")"

# Without a device nothing runs.
rc=0
VK_DRIVER_FILES=$work/none.json "$coopvk" selftest --cases 1 >"$work/said" 2>&1 || rc=$?
[[ $rc == 2 && $(<"$work/said") == "coopvk: VK_DRIVER_FILES names $work/none.json, and there is no such file: "* ]] || fail "status $rc: $(<"$work/said")"
# A device that is not there, nonsense, a file that cannot be written.
rc=0
"$coopvk" selftest --device 99 --cases 1 >"$work/said" 2>&1 || rc=$?
[[ $rc == 2 && $(<"$work/said") == 'coopvk: there is no Vulkan device 99: `coopvk info` lists 1' ]] || fail "status $rc: $(<"$work/said")"
for option in json archive; do
    rc=0
    "$coopvk" selftest --$option "$work" >"$work/said" 2>&1 || rc=$?
    [[ $rc == 2 && $(<"$work/said") == "coopvk: cannot write $work" ]] || fail "status $rc: $(<"$work/said")"
done
! "$coopvk" selftest --cases none >"$work/said" 2>&1 || fail 'no error'
echo 'test_selftest: passed'
