#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_orders.sh SOURCE
# The scripts work in any order in one clone: in a build folder that others have configured, each plans the same
# commands as in a new one. They run in a copy, up to the compiler; Ninja says what it would run.
# COOPVK_TEST_FULL=1: longer orders, too.
# shellcheck source=common.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/common.bash"

copy="$work/an 'odd' folder é"
build=$copy/build/release
mkdir "$copy" "$work/plans"
tar -C "$1" --exclude=./build --exclude=./.git -cf - . | tar -C "$copy" --no-same-owner -xf -
mv "$copy/scripts/build" "$copy/scripts/build_all"
cat >"$copy/scripts/build" <<'SCRIPT'
#!/usr/bin/env bash
"${0%/*}/build_all" --configure-only "$@" >"$LOG" 2>&1 && echo configured >>"$LOG"
exit 1  # scripts/demo and scripts/test end here
SCRIPT
chmod +x "$copy/scripts/build"
export LOG=$work/log COOPVK_INSIDE=1 COOPVK_CACHE=$work/cache
mkdir "$COOPVK_CACHE"
echo host >"$COOPVK_CACHE/environment"

# plan FILE: what Ninja would run for all targets, without looking whether CMake must run first.
plan() {
    sed '/^build build\.ninja.*RERUN_CMAKE/,/^$/d' "$build/build.ninja" >"$build/plan.ninja"
    ninja -C "$build" -f plan.ninja -n -v all 2>&1 | sed 's/^\[[0-9/]*\] //' | sort >"$1"
    (($(wc -l <"$1") > 50)) || fail "$done: Ninja plans only: $(cut -c1-300 "$1")"
}

# is_as_new STATE: the folder is configured as STATE says, with all commands of a new one.
is_as_new() {
    local tests unity file=$work/plans/$1
    tests=$(sed -n 's/^COOPVK_BUILD_TESTS:BOOL=//p' "$build/CMakeCache.txt")
    unity=$(sed -n 's/^COOPVK_UNITY:BOOL=//p' "$build/CMakeCache.txt")
    [[ $tests,$unity == "$1" ]] || fail "$done: tests, unity: $tests,$unity, not $1"
    plan "$work/plan"
    [[ -f $file ]] || cp "$work/plan" "$file"  # the first in a new folder
    cmp -s "$work/plan" "$file" ||
        fail "$done: other commands than in a new folder:"$'\n'"$(diff "$file" "$work/plan" | cut -c1-300 | head -n 10)"
}

# in_order [SCRIPT STATE]...: begins with a new folder.
in_order() {
    rm -rf "$copy/build"
    done=
    while (($# > 0)); do
        done+="${done:+, }$1"
        # shellcheck disable=SC2086  # a script and its options
        ! (cd "$copy" && scripts/$1) >"$work/output" 2>&1 || fail "$done: does not call scripts/build"
        [[ $(tail -n 1 "$LOG") == configured ]] || fail "$done: $(tail -n 20 "$LOG" "$work/output")"
        is_as_new "$2"
        shift 2
    done
}

# The state of a new folder first, then what leads there otherwise.
in_order test ON,ON demo ON,ON
in_order demo OFF,ON test ON,ON
if [[ ${COOPVK_TEST_FULL:-} == 1 ]]; then
    in_order 'build --tests' ON,OFF
    in_order build OFF,OFF test ON,OFF
    in_order test ON,ON 'build --no-tests' OFF,ON 'build --no-unity' OFF,OFF test ON,OFF 'build --unity' ON,ON
fi

echo 'test_orders: passed'
