#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_tune.sh COOPVK RUN_APP SOURCE
# `coopvk tune` on lavapipe: killed at random moments it goes on, crashes are results, the layer uses the profile for this device only, and says so.
set -euo pipefail

coopvk=$1 app=$2 source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VK_DRIVER_FILES=/usr/share/vulkan/icd.d/lvp_icd.json XDG_CONFIG_HOME=$work/config XDG_CACHE_HOME=$work/cache GALLIVM_PERF=nopt

fail() {
    printf 'test_tune: %s\n' "$*" >&2
    exit 1
}

# The table is the one of docs/developers/tune.md.
list=$("$coopvk" tune --list | sed 's/(not tried)/-/') || fail 'tune --list'
(($(wc -l <<<"$list") == $(grep -c '^| `[a-z-]*` | [-0-9a-z,]* | ' "$source/docs/developers/tune.md"))) || fail "not the rows of docs/developers/tune.md: $list"
while read -r name values _; do
    grep -qF "| \`$name\` | $values |" "$source/docs/developers/tune.md" || fail "docs/developers/tune.md has no row '| \`$name\` | $values |'"
done <<<"$list"

# Killed at random moments until something is measured, it goes on behind that: a planted failure stays.
folder=$work/config/coopvk/tuned part=$work/config/coopvk/tuned/10005-0000-13.json.part
for try in {1..10}; do
    "$coopvk" tune --only lines,rows >"$work/said" 2>&1 &
    test=$!
    until [[ -e $part ]] || ! kill -0 $test 2>/dev/null; do sleep 0.02; done
    sleep "0.$((RANDOM % 4))"
    kill -KILL $test 2>/dev/null || true
    wait $test || true
    [[ ! -e $part ]] || break
    rm -f "${part%.part}"
done
[[ -e $part ]] || fail "$try runs left nothing: $(<"$work/said")"
python3 - "$part" <<'PYTHON' || fail "$(<"$work/said")"
import json, sys
part = json.load(open(sys.argv[1]))
assert " | lines=2 | 0" in part["measured"], part
part["measured"] = {" | lines=2 | 0": {"failure": "planted"}}
json.dump(part, open(sys.argv[1], "w"))
PYTHON
rc=0
"$coopvk" tune --only lines,rows --resume >"$work/said" 2>&1 || rc=$?
[[ $rc == 0 ]] || fail "status $rc: $(<"$work/said")"
grep -q '^lines=2: failed (planted)$' "$work/said" || fail "$(<"$work/said")"
profile=("$folder"/*)
[[ ${#profile[@]} == 1 && ${profile[0]} == */10005-0000-13.json ]] || fail "${profile[*]} $(<"$work/said")"
profile=${profile[0]}
grep -qF "profile: $profile" "$work/said" || fail "$(<"$work/said")"
python3 - "$profile" <<'PYTHON' || fail "$(<"$profile")"
import json, sys
profile = json.load(open(sys.argv[1]))
assert profile["deviceName"].startswith("llvmpipe") and profile["complete"] is True
assert [row["choices"] for row in profile["tried"]][:2] == ["lines=2", "rows=shifted"], profile["tried"]
assert all(row["result"] in ("same", "slower", "faster", "failed") for row in profile["tried"]), profile["tried"]
assert bool(profile["tuning"]) == bool(profile["works"])
PYTHON

# Without time nothing is taken; a process that crashes, or finds no temporary folder, is a result.
"$coopvk" tune --seconds 0 >"$work/said" || fail "$(<"$work/said")"
grep -q 'the time was up' "$work/said" || fail "$(<"$work/said")"
grep -q 'the usual choices stay' "$work/said" || fail "$(<"$work/said")"
[[ $(tr -d '\n ' <"$profile") == *'"tuning":"","works":[],"complete":false,"tried":[]'* ]] || fail "$(<"$profile")"
TMPDIR=$work/none "$coopvk" tune --only lines >"$work/said" || fail "$(<"$work/said")"
grep -q '^lines=2: failed (no temporary file' "$work/said" || fail "$(<"$work/said")"

# uses TEXT: what the layer, info and doctor say of the profile.
uses() {
    local said
    said=$(COOPVK_LOG_LEVEL=info "$coopvk" run --emulate all -- "$app" instance physical 2>&1) || fail "$said"
    [[ $said == *"$1"* ]] || fail "the layer does not say '$1': $said"
    said=$("$coopvk" info --plan)
    [[ $said == *"$1"* ]] || fail "info does not say '$1': $said"
    said=$("$coopvk" doctor || true)
    [[ $said == *"$1"* ]] || fail "doctor does not say '$1': $said"
}
uses "tuned by $profile: the usual choices are the fastest"
sed -i 's/"tuning": ""/"tuning": "slice=4,lines=2"/' "$profile"
uses "tuned by $profile: slice=4,lines=2"
grep -Eq '^    slice +4 +columns of A' <<<"$("$coopvk" info --plan)" || fail 'no row of the plan'
sed 's/"driverVersion": /&1/' "$profile" >"$work/other"
cp "$profile" "$work/good" && cp "$work/other" "$profile"
uses "$profile is ignored: it was made for another driverVersion"
printf '{' >"$profile"
uses "$profile is ignored: it is damaged"
cp "$work/good" "$profile"
said=$(COOPVK_TUNING=off COOPVK_LOG_LEVEL=info "$coopvk" run --emulate all -- "$app" instance physical 2>&1) || fail "$said"
[[ $said != *tuned* ]] || fail "$said"
said=$(COOPVK_TUNING=slice=8 "$coopvk" info)
[[ $said == *'tuned by the setting tuning: slice=8'* ]] || fail "$said"

! "$coopvk" tune --only nothing >"$work/said" 2>&1 || fail 'no error'
rc=0
"$coopvk" tune --device 99 >"$work/said" 2>&1 || rc=$?
[[ $rc == 2 ]] || fail "status $rc: $(<"$work/said")"
rc=0
XDG_CONFIG_HOME=/dev/null "$coopvk" tune --seconds 0 >"$work/said" 2>&1 || rc=$?
[[ $rc == 2 ]] || fail "status $rc: $(<"$work/said")"
echo 'test_tune: passed'
