#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_output.sh SOURCE
# The output of scripts is complete if it goes to a file: runs `scripts/test >FILE 2>&1` with other
# programs in place of the compiler and the tests. No script may open its own output again, since that
# would empty the file.
# shellcheck source=common.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/common.bash"

source=$1

# stand_in NAME TEXT: a script of that name in the copy.
stand_in() {
    printf '#!/usr/bin/env bash\n%s\n' "$2" >"$work/copy/$1"
    chmod +x "$work/copy/$1"
}

mkdir -p "$work/copy/scripts" "$work/copy/build/release" "$work/cache"
cp "$source/scripts/test" "$source/scripts/common.bash" "$work/copy/scripts/"
stand_in scripts/setup 'echo set-up'
stand_in scripts/build 'echo build; echo build >&2'
# shellcheck disable=SC2016  # expanded in the script
stand_in scripts/env 'case $1 in
    --outside) echo "$2" ;;
    ctest)
        echo tests; echo tests >&2
        echo "<testsuite tests=\"7\" failures=\"0\" skipped=\"2\" disabled=\"0\">" >"'"$work"'/copy/build/release/ctest.xml"
        ;;
    *) "$@" ;;
esac'
# shellcheck disable=SC2016
stand_in scripts/test-apps 'while (($# > 1)); do
    [[ $1 != --counts ]] || counts=$2
    shift
done
for i in {1..2000}; do echo "program $i"; echo "its error $i" >&2; done
[[ -z ${counts:-} ]] || echo "3 0 1" >"$counts"
echo "3 passed, 0 failed, 1 skipped"'

log=$work/log
COOPVK_CACHE=$work/cache "$work/copy/scripts/test" >"$log" 2>&1 || fail "fails: $(tail "$log")"
[[ $(tr -d '\0' <"$log" | wc -c) == "$(wc -c <"$log")" ]] || fail 'the file has a hole'
for line in build tests '== tests' '== real programs' 'program 1' 'program 2000' 'its error 1' \
    'its error 2000' '3 passed, 0 failed, 1 skipped'; do
    grep -qFx -- "$line" "$log" || fail "'$line' is lost"
done
[[ $(grep -c '^program ' "$log") == 2000 && $(grep -c '^its error ' "$log") == 2000 ]] ||
    fail 'lines of the programs are lost'
[[ $(tail -n 1 "$log") == '8 passed, 0 failed, 3 skipped' ]] || fail "ends with: $(tail -n 1 "$log")"
grep -qE '^  real programs +[0-9]+ s, +[0-9]+ s of processor time$' "$log" || fail 'no times'

# Where no home folder is named, and where the cache's folder is relative.
env -u HOME -u COOPVK_CACHE -u XDG_CACHE_HOME "$source/scripts/setup" --help >"$log" 2>&1 || fail "without HOME: $(<"$log")"
# Where the folder for temporary files is not there, and where programs would speak another language.
# shellcheck disable=SC2016  # expanded in the script
printf '#!/usr/bin/env bash\nsource "${0%%/*}/common.bash"\nrm "$(mktemp)"\nls /none\n' >"$work/copy/scripts/temporary"
! TMPDIR=$work/none LC_ALL=de_DE.UTF-8 LANGUAGE=de bash "$work/copy/scripts/temporary" 2>"$log" || fail 'no error'
grep -qF "temporary: TMPDIR is $work/none, where nothing can be written" "$log" || fail "$(<"$log")"
grep -q 'No such file or directory' "$log" || fail "$(<"$log")"
mkdir -p "$work/copy/somewhere/cache"
# shellcheck disable=SC2016  # expanded in the script
printf '#!/usr/bin/env bash\nsource "${0%%/*}/common.bash"\nsay "$COOPVK_CACHE"\n' >"$work/copy/scripts/cache"
said=$(cd "$work/copy/somewhere" && COOPVK_CACHE=cache bash "$work/copy/scripts/cache")
[[ $said == "$work/copy/somewhere/cache" ]] || fail "a relative cache is $said"
said=$(cd "$work" && env -u COOPVK_CACHE HOME="$work/home" XDG_CACHE_HOME=relative bash "$work/copy/scripts/cache")
[[ $said == "$work/home/.cache/coopvk" ]] || fail "with a relative XDG_CACHE_HOME: $said"

# Where somebody deleted the Debian root.
mkdir "$work/gone"
echo root >"$work/gone/environment"
! env -u COOPVK_INSIDE COOPVK_CACHE="$work/gone" "$source/scripts/env" true 2>"$log" || fail 'a command runs in no root'
grep -q 'is gone: run scripts/setup again' "$log" || fail "$(<"$log")"
[[ $(list "$work/gone") == ./environment ]] || fail "makes $(list "$work/gone")"

# Where no server can be reached: the same each time, and nothing is half made.
if command -v apt-get >/dev/null && (($(df --output=avail --block-size=1M "$work" | tail -n 1) > 4000)); then
    echo 'Acquire::Retries "0";' >"$work/apt.conf"  # APT waits for seconds before each
    for _ in 1 2; do
        ! env -u COOPVK_INSIDE APT_CONFIG="$work/apt.conf" COOPVK_CACHE="$work/far" "$source/scripts/setup" --use root \
            --mirror http://127.0.0.1:9/ >"$log" 2>&1 || fail 'sets up from nowhere'
        grep -q 'is there a network? Run this again' "$log" || fail "$(<"$log")"
        [[ -z $(find "$work/far" -maxdepth 1 -name 'forky*' -o -name environment) ]] || fail "half made: $(ls "$work/far")"
    done
else
    echo '  not done: without a network (no APT, or too little room, here)'
fi

# The system opens these names again, at the file's start.
if found=$(grep -nE '(tee|>)( -[a-z]+)* *"?/(dev/(stdout|stderr|fd/)|proc/self/fd/)' \
    "$source"/scripts/* "$source"/.ci/* "$source"/tests/*/*.sh "$source"/tests/*/*.bash |
    grep -v "${0##*/}:"); then
    fail "opens its output once more: $found"
fi

echo 'test_output: passed'
