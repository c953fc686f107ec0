#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_config.sh COOPVK RUN_APP LAYER_FOLDER EXAMPLE
# coopvk.conf with the real loader and a real driver: programs that it names see extensions that the
# driver lacks, others do not. Also `coopvk config`, `coopvk run --save` and `coopvk doctor`.
set -euo pipefail

coopvk=$1 app=$2 layer=$3 example=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VK_DRIVER_FILES=${VK_DRIVER_FILES:-/usr/share/vulkan/icd.d/lvp_icd.json}
unset "${!COOPVK_@}" "${!VK_LAYER_@}" "${!VK_ADD_@}" "${!VK_LOADER_@}" "${!XDG_@}" SNAP \
    VK_INSTANCE_LAYERS VK_IMPLICIT_LAYER_PATH
export HOME=$work/home XDG_RUNTIME_DIR=$work/home LP_NATIVE_VECTOR_WIDTH=128
mkdir -p "$HOME" "$work/bin"
cp "$app" "$work/bin/one"
cp "$app" "$work/bin/other"
cp "$app" "$work/bin/wine64"
conf=$HOME/.config/coopvk/coopvk.conf
manifest=$HOME/.config/vulkan/implicit_layer.d/VkLayer_coopvk_configured.json

fail() {
    printf 'test_config: %s\n' "$*" >&2
    exit 1
}

# emulated yes|no VARIABLE=VALUE... PROGRAM STEP...: the program finds VK_NV_cooperative_vector, which
# only coopvk has here, or does not; it prints no errors, unless $loud is yes.
emulated() {
    local wanted=$1 found=no
    shift
    while [[ $1 == *=* ]]; do local -x "${1?}" && shift; done
    local program=$1
    shift
    "$work/bin/$program" "$@" instance physical list >"$work/out" 2>"$work/err" ||
        fail "$program fails: $(<"$work/err")"
    ! grep -q '^VK_NV_cooperative_vector$' "$work/out" || found=yes
    [[ $found == "$wanted" ]] || fail "extensions: $found, not $wanted: $program $*"$'\n'"$(<"$work/err")"
    [[ -s $work/err ]] || return 0
    [[ ${loud:-} == yes ]] || fail "$program says: $(<"$work/err")"
}

# tool STATUS ARGUMENTS...: its output is in $out.
tool() {
    local status=$1 got=0
    shift
    out=$("$coopvk" "$@" 2>&1) || got=$?
    [[ $got == "$status" ]] || fail "status $got, not $status: $*"$'\n'"$out"
}
has() {
    local pattern
    for pattern in "$@"; do
        grep -Eq -- "$pattern" <<<"$out" || fail "no '$pattern' in"$'\n'"$out"
    done
}
put() {
    mkdir -p "${conf%/*}"
    cat >"$conf"
}

# Before the manifest: a configuration by itself loads nothing.
put <<'CONF'
[exe = one]
enable = true
CONF
emulated no one
tool 0 config
has "^$conf\$" '^  \[exe = one\]: enable = true$' '^/etc/coopvk/coopvk.conf' 'coopvk config --install'
tool 1 config --uninstall
has 'nothing to uninstall'

# With it.
tool 0 config --install
has "^written: $manifest\$" 'is off there'
[[ -f $manifest ]] || fail 'no manifest'
tool 0 config
has "into every program by $manifest"
emulated yes one
emulated no other
emulated no COOPVK_DISABLE=1 one
emulated yes COOPVK_ENABLE=1 other
emulated no COOPVK_ENABLE=0 other
emulated yes VK_INSTANCE_LAYERS=VK_LAYER_COOPVK_emulation other
emulated yes 'VK_LOADER_LAYERS_ENABLE=*coopvk*' other
# Below the validation layer, which queries commands as layers do.
for way in 'one matrix-device pipeline' 'other device'; do
    read -ra steps <<<"$way"
    COOPVK_EMULATE=auto,VK_KHR_cooperative_matrix \
        VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation "$work/bin/${steps[0]}" instance physical \
        "${steps[@]:1}" >"$work/out" 2>&1 || fail "fails under the validation layer: $way: $(<"$work/out")"
    ! grep -q 'Error' "$work/out" || fail "errors under the validation layer: $way: $(<"$work/out")"
done
# Also together with the installed manifest, which the loader finds later and which needs COOPVK_ENABLE.
mkdir -p "$HOME/.local/share/vulkan/implicit_layer.d"
sed "s|\"library_path\": .*|\"library_path\": \"$layer/libVkLayer_coopvk.so\",|" \
    "$layer/VkLayer_coopvk.json" >"$HOME/.local/share/vulkan/implicit_layer.d/VkLayer_coopvk.json"
emulated yes one
emulated no other
emulated yes COOPVK_ENABLE=1 other
emulated no COOPVK_DISABLE=1 one

# By each name.
put <<'CONF'
[wine = game.exe]
enable = true
[engine = an engine, application = app*]
enable = true
CONF
emulated yes wine64 'C:\Games\Game.exe'
emulated no wine64 'C:\Games\Setup.exe'
emulated no one 'C:\Games\Game.exe'
emulated yes one 'engine=an engine' application=app-7
emulated no one 'engine=an engine'
emulated no one application=app-7

# Settings, and the environment over them.
put <<CONF
log_file = $work/%n.log
[exe = on*]
enable = true
log_level = info
emulate = VK_KHR_cooperative_matrix
CONF
emulated no one
grep -q 'VK_KHR_cooperative_matrix emulated' "$work/one.log" || fail "log: $(<"$work/one.log")"
emulated yes COOPVK_EMULATE=auto one
tool 0 config -- "$work/bin/one"
has '^exe = one$' "^  enable +true +$conf:3\$" "^  log_level +info +$conf:4\$" \
    "^  emulate +VK_KHR_cooperative_matrix $conf:5\$" '^  back_end +auto +default$' \
    "^  log_file +$work/%n.log $conf:1\$"
out=$(COOPVK_EMULATE=all "$coopvk" config -- "$work/bin/other")
has '^  enable +false +default$' '^  emulate +all +COOPVK_EMULATE$' "^  log_file .*$conf:1\$"

# Mistakes are reported with their line; programs run anyway.
put <<'CONF'
log_level = loud
[exe = one]
enable = true
emulat = all
[exe = other
CONF
loud=yes
for program in one other; do
    wanted=$([[ $program == one ]] && echo yes || echo no)
    emulated "$wanted" $program
    out=$(<"$work/err")
    has "^coopvk: warn: .*$conf:1: .*unknown level 'loud'" "^coopvk: warn: .*$conf:5: .*section"
    [[ $program == other ]] || has "^coopvk: warn: .*$conf:4: .*did you mean 'emulate'"
    [[ $(wc -l <"$work/err") == $([[ $program == one ]] && echo 3 || echo 2) ]] || fail "lines: $out"
done
unset loud
tool 1 config --check
has "^$conf:1: " "^$conf:4: " "^$conf:5: "
[[ $(wc -l <<<"$out") == 3 ]] || fail "more than three lines: $out"
tool 1 config --check "$conf"
has "^$conf:4: setting emulat: there is no such setting; did you mean 'emulate'\\?\$"
# The installed example sets nothing, and all its lines are valid without the #.
tool 0 config --check "$example"
[[ -z $out ]] || fail "the example: $out"
! grep -Eq '^[^#]' "$example" || fail 'the example switches something on'
sed 's/^#\([^ ]\)/\1/' "$example" >"$work/example.conf"
[[ $(grep -c '^enable = true$' "$work/example.conf") -ge 4 ]] || fail 'the example shows nothing'
tool 0 config --check "$work/example.conf"
[[ -z $out ]] || fail "the example, without comments: $out"
printf '[exe = a]\nenable = true\n' >"$work/good.conf"
tool 0 config --check "$work/good.conf"
[[ -z $out ]] || fail "says: $out"
tool 1 config --check "$work/none.conf"
has 'there is no file'

# run --save: the settings apply from then on, for that program.
rm -r "${conf%/*}"
emulated no one
tool 0 run --quiet --save --emulate VK_NV_cooperative_vector --back-end core --log-file log.txt \
    -- "$work/bin/one" instance physical
has "^coopvk: saved: section \\[exe = one\\] in $conf\$"
[[ $(<"$conf") == "[exe = one]
enable = true
emulate = VK_NV_cooperative_vector
back_end = core
log_file = $PWD/log.txt" ]] || fail "saved: $(<"$conf")"
rm -f log.txt
tool 0 config --check
emulated yes one
emulated no other
tool 0 run --quiet --save -- "$work/bin/one" instance
[[ $(<"$conf") == $'[exe = one]\nenable = true' ]] || fail "saved again: $(<"$conf")"
# shellcheck disable=SC2016  # expanded by the inner shell
tool 0 run --quiet --save -- bash -c '"$0" instance; "$1" "C:\\b\\Game.exe" instance' \
    "$work/bin/other" "$work/bin/wine64"
has 'section \[exe = other\]' 'section \[wine = Game.exe\]'
emulated yes other
tool 0 run --quiet --save -- true
has 'no program created' 'section \[exe = .*true'
rm -f log.txt

# doctor
tool 0 doctor -- "$work/bin/one"
has "^manifest: $manifest\$" "^section: $conf:1 \\[exe = one\\]\$" "is on in $work/bin/one"
cp "$app" "$work/bin/third"
tool 1 doctor -- "$work/bin/third"
has 'COOPVK_ENABLE is not set' 'coopvk.conf' "is off in $work/bin/third"
COOPVK_ENABLE=1 tool 0 doctor -- "$work/bin/third"
printf '[engine = e]\nenable = true\nnonsense\n' >>"$conf"
tool 1 doctor -- "$work/bin/third"
has "^note: .*only the running program knows" "^      $conf:[0-9]+ \\[engine = e\\]" \
    "^note: $conf:[0-9]+: neither"
COOPVK_DISABLE=1 tool 1 doctor -- "$work/bin/one"
has 'COOPVK_DISABLE is set'

# Uninstall.
tool 0 config --uninstall
has "^removed: $manifest\$"
[[ ! -e $manifest ]] || fail 'the manifest is left'
emulated no one
tool 1 doctor -- "$work/bin/one"
has '^note: .*does not load the layer by itself' 'do: coopvk config --install'

echo 'test_config: passed'
