#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_doctor.sh COOPVK RUN_APP LAYER_FOLDER
# `coopvk doctor`: what it says about everything that keeps the layer off. Its exit status must agree with
# what the real loader does in the same environment.
set -euo pipefail

coopvk=$1 app=$2 layer=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VK_DRIVER_FILES=${VK_DRIVER_FILES:-/usr/share/vulkan/icd.d/lvp_icd.json}
unset "${!COOPVK_@}" "${!VK_LAYER_@}" "${!VK_ADD_@}" "${!VK_LOADER_@}" "${!XDG_@}" SNAP \
    VK_INSTANCE_LAYERS VK_IMPLICIT_LAYER_PATH
export HOME=$work/home XDG_RUNTIME_DIR=$work/home
mkdir -p "$HOME" "$work/empty" "$work/bin"

fail() {
    printf 'test_doctor: %s\n' "$*" >&2
    exit 1
}

# doctor STATUS VARIABLE=VALUE... [-- APP]: its output is in $out.
doctor() {
    local status=$1 got=0
    shift
    local -a environment=()
    while (($# > 0)) && [[ $1 != -- ]]; do environment+=("$1") && shift; done
    what="${environment[*]} $*"
    out=$(env "${environment[@]}" "$coopvk" doctor "$@" 2>&1) || got=$?
    [[ $got == "$status" ]] || fail "status $got, not $status: $what"$'\n'"$out"
    has "^The layer is $( ((got == 0)) && echo on || echo off) in "
    [[ $got != 0 || ${out##*$'\n'} == "\`$coopvk info --short\` says "* ]] || fail "no next step for $what:"$'\n'"$out"
}
# has PATTERN...
has() {
    local pattern
    for pattern in "$@"; do
        grep -Eq -- "$pattern" <<<"$out" || fail "no '$pattern' for $what in"$'\n'"$out"
    done
}
problems() {
    [[ $(grep -c '^problem: ' <<<"$out") == "$1" ]] || fail "not $1 problems for $what:"$'\n'"$out"
    [[ $(grep -c '^  do: ..' <<<"$out") == $(grep -Ec '^(problem|note): ' <<<"$out") ]] ||
        fail "nothing to do for $what:"$'\n'"$out"
}

# loader on|off VARIABLE=VALUE...: the real loader, and the doctor.
loader() {
    local wanted=$1 status=0 got=off
    shift
    : >"$work/report"
    env "$@" COOPVK_RUN_REPORT="$work/report" "$app" instance || fail "no instance: $*"
    ! grep -q '^instance' "$work/report" || got=on
    [[ $got == "$wanted" ]] || fail "the loader has the layer $got, not $wanted: $*"
    [[ $wanted == on ]] || status=1
    doctor $status "$@"
    problems $status
}

found=VK_ADD_IMPLICIT_LAYER_PATH=$layer
on=(COOPVK_ENABLE=1 "$found")

# Switches.
loader on "${on[@]}"
has "^manifest: $layer/VkLayer_coopvk.json$" "^library: $layer/libVkLayer_coopvk.so$"
loader off "$found"
has 'COOPVK_ENABLE is not set' 'do: set COOPVK_ENABLE=1'
for value in true yes 0 2 ''; do
    loader off "$found" COOPVK_ENABLE=$value
    has "COOPVK_ENABLE is '$value', and only 1"
done
for value in 1 0; do
    loader off "${on[@]}" COOPVK_DISABLE=$value
    has 'COOPVK_DISABLE is set' 'do: unset COOPVK_DISABLE'
done

# Numbers that programs see in place of a device's own.
doctor 0 "${on[@]}" COOPVK_VENDOR_ID=10de COOPVK_DRIVER_ID=mesa_radv
has "^note: programs see 10de as each device's vendor_id, as COOPVK_VENDOR_ID says$" \
    "^note: programs see mesa_radv as each device's driver_id" '^  do: remove vendor_id'
problems 0
doctor 0 "${on[@]}" COOPVK_AS=nvidia
has "^note: programs take each device for NVIDIA's, with subgroups of 32, the layout of elements nvidia, VK_NV_shader_sm_builtins, VK_NV_cuda_kernel_launch, as COOPVK_AS says$" '^  do: remove as'
# Names that are almost those of variables.
for row in COOPVK_ENABLED:COOPVK_ENABLE COOPVK_LOGLEVEL:COOPVK_LOG_LEVEL COOPVK_BACKEND:COOPVK_BACK_END COOPVK_EMULATES:COOPVK_EMULATE; do
    doctor 0 "${on[@]}" "${row%:*}=1"
    has "^note: ${row%:*} is set, and means nothing to coopvk$" "^  do: set ${row#*:}, if that is meant"
done
doctor 0 "${on[@]}" COOPVK_CACHE=/x COOPVK_LOG_LEVEL=warn COOPVK_REFERENCE_SUMS=plain
[[ $out != *'means nothing'* ]] || fail "noted: $out"
doctor 0 "${on[@]}" COOPVK_AS=own
[[ $out != *'take each device'* ]] || fail "taken for another one: $out"
doctor 0 "${on[@]}"
[[ $out != *vendor_id* ]] || fail "numbers without a setting: $out"

# Filters.
name=VK_LAYER_COOPVK_emulation
for filter in '~all~' '~implicit~' '*coopvk*' 'VK_LAYER_COOPVK*' '*emulation' $name 'other,VK_LAYER_coopvk_EMULATION'; do
    loader off "${on[@]}" VK_LOADER_LAYERS_DISABLE="$filter"
    has 'VK_LOADER_LAYERS_DISABLE=' 'unset it, or add the layer'
    loader on "${on[@]}" VK_LOADER_LAYERS_DISABLE="$filter" VK_LOADER_LAYERS_ALLOW=$name
done
for filter in '~explicit~' VK_LAYER_COOPVK 'VK_LAYER_OTHER_*' coopvk; do
    loader on "${on[@]}" VK_LOADER_LAYERS_DISABLE="$filter"
done
loader on "$found" VK_LOADER_LAYERS_ENABLE='*COOPVK*'
loader on "${on[@]}" VK_LOADER_LAYERS_DISABLE='~all~' VK_LOADER_LAYERS_ENABLE=$name

# Manifests in all folders where the loader looks.
loader off COOPVK_ENABLE=1
has 'finds no manifest' "^ +$HOME/.local/share/vulkan/implicit_layer.d$" 'coopvk run'
loader off "${on[@]}" VK_IMPLICIT_LAYER_PATH="$work/empty"
has "^ +$work/empty$"
loader on COOPVK_ENABLE=1 VK_IMPLICIT_LAYER_PATH="$work/empty:$layer"
put_manifest() {
    mkdir -p "$1"
    sed "s|\"library_path\": .*|\"library_path\": \"$2\",|" "$layer/VkLayer_coopvk.json" \
        >"$1/VkLayer_coopvk.json"
}
for row in "HOME=$work/a .config" "HOME=$work/b .local/share" "XDG_CONFIG_HOME=$work/c ." \
    "XDG_CONFIG_DIRS=$work/d ." "XDG_DATA_HOME=$work/e ." "XDG_DATA_DIRS=$work/none:$work/f ."; do
    read -r assignment below <<<"$row"
    folder=${assignment##*[=:]}/$below/vulkan/implicit_layer.d
    put_manifest "$folder" "$layer/libVkLayer_coopvk.so"
    loader on COOPVK_ENABLE=1 "$assignment"
done
loader on "${on[@]}" HOME="$work/a"
has '^note: .*another manifest'

# Libraries.
put_manifest "$work/missing" ./none.so
loader off COOPVK_ENABLE=1 VK_ADD_IMPLICIT_LAYER_PATH="$work/missing"
has "library cannot be loaded: .*$work/missing/none.so.*No such file"
put_manifest "$work/broken" ./text.so
echo text >"$work/broken/text.so"
loader off COOPVK_ENABLE=1 VK_ADD_IMPLICIT_LAYER_PATH="$work/broken"
has 'library cannot be loaded: .*text.so'
for library in '7' '""' 'null'; do
    put_manifest "$work/unnamed" ./none.so
    sed -i "s|\"library_path\": .*|\"library_path\": $library,|" "$work/unnamed/VkLayer_coopvk.json"
    doctor 1 COOPVK_ENABLE=1 VK_ADD_IMPLICIT_LAYER_PATH="$work/unnamed"
    has 'library cannot be loaded: the manifest names no library'
    problems 1
done
mkdir "$work/nonsense"
echo '{' >"$work/nonsense/VkLayer_coopvk.json"
doctor 1 COOPVK_ENABLE=1 VK_ADD_IMPLICIT_LAYER_PATH="$work/nonsense"
has 'no JSON'

# By its name, as an explicit layer too.
loader on VK_INSTANCE_LAYERS=$name VK_ADD_LAYER_PATH="$layer"
loader on VK_INSTANCE_LAYERS=$name "$found"

# No driver.
doctor 1 "${on[@]}" VK_DRIVER_FILES="$work/none"
has 'VK_DRIVER_FILES names .*, and there is no such file' 'do: unset VK_DRIVER_FILES'

# Programs.
doctor 0 "${on[@]}" -- "$app" --not-an-option-of-coopvk
has "is on in $app\\.$"
doctor 1 "${on[@]}" -- "$work/nothing"
has "there is no program $work/nothing"
# elf NAME CLASS MACHINE: a program's header, and nothing else.
elf() {
    { printf '\x7fELF%b\x01\x01' "$2" && head -c 9 /dev/zero && printf '\x02\x00%b\x00' "$3" &&
        head -c 100 /dev/zero; } >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
own=$(od -An -tu1 -j18 -N1 "$coopvk" | tr -d ' ')
own=$(printf '\\x%02x' "$own")
elf narrow '\x01' '\x03'
doctor 1 "${on[@]}" -- "$work/bin/narrow"
has 'is a 32-bit program' 'coopvk-i386'
problems 1
# Manifests for both word sizes. This program can load one of the libraries only.
mkdir "$work/both"
sed "s|\"library_path\": .*|\"library_path\": \"$layer/libVkLayer_coopvk.so\",|" \
    "$layer/VkLayer_coopvk.json" >"$work/both/VkLayer_coopvk.json"
sed -e 's|"library_path": .*|"library_path": "'"$work"'/narrow.so",|' -e 's|"library_arch": "64"|"library_arch": "32"|' \
    "$layer/VkLayer_coopvk.json" >"$work/both/VkLayer_coopvk_32.json"
both=(COOPVK_ENABLE=1 "VK_ADD_IMPLICIT_LAYER_PATH=$work/both")
doctor 0 "${both[@]}"
[[ $out != *another*manifest* && $out != *narrow.so* ]] || fail "$out"
# The other library was not installed, or was.
doctor 1 "${both[@]}" -- "$work/bin/narrow"
has 'the layer for 32-bit programs cannot be loaded: there is no /.*/narrow.so' 'install coopvk-i386 again'
problems 1
touch "$work/narrow.so"
doctor 0 "${both[@]}" -- "$work/bin/narrow"
has "is on in $work/bin/narrow\\.$" "^library for 32-bit programs: $work/narrow.so"
elf foreign '\x02' '\x15' # PowerPC
doctor 1 "${on[@]}" -- "$work/bin/foreign"
has 'for another processor'
problems 1
elf static '\x02' "$own"
doctor 1 "${on[@]}" -- "$work/bin/static"
has 'linked statically'
problems 1
printf '#!/bin/sh\nexit 0\n' >"$work/bin/script"
chmod +x "$work/bin/script"
doctor 0 "${on[@]}" PATH="$work/bin:$PATH" -- script
has "^note: $work/bin/script is a script \\(#!/bin/sh\\)"
for row in flatpak:Flatpak snap:Snap podman:containers docker:containers; do
    cp "$work/bin/script" "$work/bin/${row%:*}"
    doctor 1 "${on[@]}" PATH="$work/bin:$PATH" -- "${row%:*}" run something
    has "^problem: ${row#*:}"
done
mkdir -p "$work/flatpak/exports/bin"
cp "$work/bin/script" "$work/flatpak/exports/bin/org.example.App"
doctor 1 "${on[@]}" -- "$work/flatpak/exports/bin/org.example.App"
has '^problem: Flatpak'
cp "$work/bin/script" "$work/bin/steam"
doctor 0 "${on[@]}" PATH="$work/bin:$PATH" -- steam
has '^note: Steam' 'COOPVK_ENABLE=1 %command%'
doctor 0 "${on[@]}" SNAP=/snap/x
has '^note: .*Snap'
cp "$(type -P true)" "$work/bin/elevated"
if chown 65534 "$work/bin/elevated" 2>/dev/null; then
    chmod 4755 "$work/bin/elevated"
    doctor 1 "${on[@]}" -- "$work/bin/elevated"
    has 'elevated rights'
    problems 1
else
    echo '  not done: only root can make a set-uid program of another user'
fi
# Several problems are reported together.
doctor 1 COOPVK_DISABLE=1 VK_LOADER_LAYERS_DISABLE='~all~' "$found" -- "$work/bin/narrow"
problems 4

echo 'test_doctor: passed'
