#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_report.sh COOPVK APP MANIFEST DESKTOP
# `coopvk report` packs what is needed to repeat a program's rewrites, and no personal paths; also of a game that Steam
# starts, without a terminal. DESKTOP is what a menu then has.
set -euo pipefail

coopvk=$1
app=$2
manifest=$3
desktop=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VK_DRIVER_FILES=/usr/share/vulkan/icd.d/lvp_icd.json
mkdir -p "$work/home/private" "$work/temporary"
export HOME=$work/home XDG_CONFIG_HOME=$work/home/none TMPDIR=$work/temporary
cd "$work/home/private"
cp "$app" "$work/home/private/the_app"

fail() {
    printf 'test_report: %s\n' "$*" >&2
    exit 1
}

"$coopvk" report -o report.tar --emulate all -- "$PWD/the_app" instance physical matrix-device pipeline 2>said || fail "status $?: $(<said)"
grep -q "wrote report.tar ([0-9]* files). It has the program's shaders: " said || fail "$(<said)"
"$coopvk" report -o none.tar -- true 2>said || fail "status $?: $(<said)"
grep -q 'wrote none.tar ([0-9]* files). It has no shaders: ' said || fail "$(<said)"
rm none.tar
! TMPDIR=/none "$coopvk" report -o none.tar -- true 2>said || fail 'no error without a temporary folder'
[[ $(<said) == 'coopvk: no temporary file can be made: TMPDIR'* && ! -e none.tar ]] || fail "$(<said)"
tar -xf report.tar
for file in version devices.json doctor status log statistics; do
    [[ -s coopvk-report/$file ]] || fail "no $file"
done
"$coopvk" --version | cmp -s - coopvk-report/version || fail 'another version'
[[ $(<coopvk-report/status) == 'wait status 0' ]] || fail "$(<coopvk-report/status)"
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' coopvk-report/devices.json
grep -q 'rewrote compute shader' coopvk-report/log || fail 'no rewrite in the log'
! grep -rq "$work" coopvk-report || fail "a path: $(grep -r "$work" coopvk-report | head -3)"
grep -q '~\|the_app' coopvk-report/doctor || fail "$(<coopvk-report/doctor)"
[[ -z $(ls -A "$work/temporary") ]] || fail "left: $(ls "$work/temporary")"

# Each rewrite is repeated.
count=0
for request in coopvk-report/shaders/*.json; do
    "$coopvk" rewrite "$request" -o out.spv || fail "cannot repeat $request"
    cmp -s out.spv "${request%.json}.spv" || fail "$request: another output"
    # Also as the archive has it.
    rm out.spv
    "$coopvk" rewrite "report.tar/${request#coopvk-report/}" -o out.spv || fail "no $request in it"
    cmp -s out.spv "${request%.json}.spv" || fail "$request: another output from the archive"
    count=$((count + 1))
done
((count > 0)) || fail 'no shaders'
((count > 1)) || "$coopvk" rewrite report.tar -o out.spv || fail 'cannot take the only request'

# The whole archive, where the build has the reference device; as other programs write it, too.
tar --format=gnu -cf gnu.tar coopvk-report
for archive in report.tar gnu.tar; do
    if "$coopvk" --help | grep -q '^ *check '; then
        "$coopvk" check $archive >said || fail "check: status $?: $(<said)"
        [[ $(grep -c "^$archive/shaders/.*:$" said) == "$count" ]] || fail "not all: $(<said)"
        grep -q ': agrees' said || fail "$(<said)"
    fi
    # Cut off, it is no archive.
    head -c 2000 $archive >cut.tar
    for input in cut.tar cut.tar/shaders/none.json $archive/shaders/none.json; do
        ! "$coopvk" rewrite $input -o out.spv 2>said || fail "$input: no error"
        grep -q 'cannot read\|is no SPIR-V' said || fail "$input: $(<said)"
        [[ $input != "$archive"/* ]] || grep -q "$archive has no shaders/none.json" said || fail "$(<said)"
    done
done
# Of several requests one must be chosen.
cp "$request" coopvk-report/shaders/another.json
tar -cf several.tar coopvk-report
! "$coopvk" rewrite several.tar -o out.spv 2>said || fail 'no error of several requests'
grep -q 'several.tar/shaders/another.json' said || fail "$(<said)"
# The last line of their proofs is the sum of all.
if "$coopvk" --help | grep -q '^ *prove '; then
    "$coopvk" prove several.tar >said 2>&1 || true
    proofs=$(grep -c '^[0-9]* lanes.*: ' said)
    [[ $(tail -n 1 said) =~ ^[0-9]+\ of\ $proofs\ proved ]] || fail "$(<said)"
    ((proofs > count)) || fail "not all: $(<said)"
fi

# From a folder that is gone.
mkdir gone
(cd gone && rmdir ../gone && "$coopvk" report -o "$OLDPWD/away.tar" -- true) 2>said || fail "status $?: $(<said)"
[[ -s away.tar ]] || fail 'no report from a folder that is gone'

# A program that cannot be started, or fails.
! "$coopvk" report -o none.tar -- "$PWD/no_such_program" 2>said || fail 'no error'
grep -q 'cannot start' said || fail "$(<said)"
[[ ! -e none.tar ]] || fail 'a report of nothing'
"$coopvk" report -o failed.tar -- sh -c 'exit 3' 2>said || fail "status $?: $(<said)"
tar -xOf failed.tar coopvk-report/status | grep -q 'wait status 768' || fail 'another status'
! "$coopvk" report 2>said || fail 'no program, no error'
grep -q 'no program given' said || fail "$(<said)"

# As Steam starts a game: a shell gets the launch options, and a wrapper, whose environment is its own, the game.
cat >wrapper <<'WRAPPER'
#!/bin/sh
exec env -i HOME="$HOME" PATH=/usr/bin:/bin VK_DRIVER_FILES="$VK_DRIVER_FILES" VK_IMPLICIT_LAYER_PATH="$LAYERS" \
    COOPVK_ENABLE="$COOPVK_ENABLE" COOPVK_REPORT="$COOPVK_REPORT" COOPVK_EMULATE="$COOPVK_EMULATE" "$@"
WRAPPER
chmod +x wrapper
reports=$HOME/.cache/coopvk/reports
game() {
    LAYERS=$(dirname "$manifest") sh -c "COOPVK_ENABLE=1 COOPVK_REPORT=1 COOPVK_EMULATE=all ./wrapper ./the_app $*" >/dev/null 2>&1 ||
        fail "the game: status $?"
}
# What the menu's entry starts, by the rules of desktop entries for texts and for arguments.
chosen() {
    env -i HOME="$HOME" PATH="$work/bin:/usr/bin:/bin" VK_DRIVER_FILES="$VK_DRIVER_FILES" python3 - "$desktop" <<'PYTHON'
import re, subprocess, sys
entry = dict(line.split("=", 1) for line in open(sys.argv[1]).read().splitlines()[1:])
assert entry["Type"] == "Application" and entry["Terminal"] == "false" and entry["Name"], entry
text = re.sub(r"\\(.)", r"\1", entry["Exec"])
words = [re.sub(r'\\(["`$\\])', r"\1", quoted) if quoted else plain
         for quoted, plain in re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', text)]
sys.exit(subprocess.run(words, cwd="/").returncode)
PYTHON
}
mkdir -p "$work/bin" "$HOME/.local/bin"
ln -s "$coopvk" "$HOME/.local/bin/coopvk"
printf '#!/bin/sh\necho "$@" >>"%s/shown"\n' "$work" >"$work/bin/xdg-open"
chmod +x "$work/bin/xdg-open"

! chosen 2>said || fail 'a report of no game'
[[ $(<"$work/shown") == "$HOME/coopvk-report.txt" ]] || fail "shown: $(<"$work/shown")"
grep -q 'no program has left a report.*COOPVK_REPORT=1' "$HOME/coopvk-report.txt" || fail "$(<"$HOME/coopvk-report.txt")"

game instance physical matrix-device pipeline
game instance  # a later program without shaders, such as a launcher
[[ $(find "$reports" -mindepth 1 -maxdepth 1 | wc -l) == 2 ]] || fail "kept: $(ls "$reports")"
chosen 2>said || fail "status $?: $(<said)"
[[ $(tail -n 1 "$work/shown") == "$HOME" ]] || fail "shown: $(<"$work/shown")"
grep -q "wrote $HOME/coopvk-report.tar.*Reports that are left: 1" "$HOME/coopvk-report.txt" || fail "$(<"$HOME/coopvk-report.txt")"
rm -rf coopvk-report
tar -xf "$HOME/coopvk-report.tar"
for file in version devices.json doctor status log statistics; do
    [[ -s coopvk-report/$file ]] || fail "kept: no $file"
done
grep -q 'rewrote compute shader' coopvk-report/log || fail 'kept: no rewrite in the log'
! grep -rq "$work" coopvk-report || fail "a path: $(grep -r "$work" coopvk-report | head -3)"
"$coopvk" rewrite "$HOME/coopvk-report.tar" -o out.spv || fail 'kept: no shader is repeated'
[[ $(find "$reports" -mindepth 1 -maxdepth 1 | wc -l) == 1 ]] || fail "left: $(ls "$reports")"
! "$coopvk" report --kept -- true 2>said || fail 'a program with --kept'
grep -q 'starts no program' said || fail "$(<said)"
echo 'test_report: passed'
