#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_info.sh COOPVK RUN_APP
# `coopvk info` answers as the layer does: compares it with what a program sees through the layer, with the
# same environment and settings files.
set -euo pipefail

coopvk=$1 app=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VK_DRIVER_FILES=${VK_DRIVER_FILES:-/usr/share/vulkan/icd.d/lvp_icd.json} HOME=$work
unset "${!COOPVK_@}" "${!VK_COOPVK_@}" "${!VK_LAYER_@}"

fail() {
    printf 'test_info: %s\n' "$*" >&2
    exit 1
}

extensions='VK_KHR_cooperative_matrix VK_NV_cooperative_matrix VK_NV_cooperative_vector
VK_QCOM_cooperative_matrix_conversion VK_EXT_shader_replicated_composites
VK_NV_cooperative_matrix2 VK_EXT_cooperative_matrix_maintenance1
VK_NV_cooperative_matrix_decode_vector VK_EXT_shader_atomic_float VK_COOPVK_shader_int4 VK_COOPVK_shader_2d_block_io'

# same VARIABLE=VALUE... -- OPTION...: info with the options says what a program sees. Their outputs are in
# $info and $seen.
same() {
    local -a environment=()
    while [[ $1 != -- ]]; do environment+=("$1") && shift; done
    shift
    local name status
    info=$(env "${environment[@]}" "$coopvk" info "$@")
    seen=$(env "${environment[@]}" "$coopvk" run -q "$@" -- "$app" instance physical list)
    for name in $extensions; do
        status=$(sed -nE "s/^    $name +([a-z]+) .*/\1/p" <<<"$info")
        [[ $status =~ ^(native|emulated|unavailable)$ ]] || fail "$name: '$status' of $info"
        if [[ $status == unavailable ]]; then
            # A driver may list an extension without having any feature of it.
            ! grep -qx "$name" <<<"$seen" ||
                grep -qx "$name" <<<"$without" || fail "$name is there: ${environment[*]} $*"
        else
            grep -qx "$name" <<<"$seen" || fail "$name is not there: ${environment[*]} $*"
        fi
    done
    # Hidden is what exists without the layer, and does not exist with it.
    while read -r name; do
        [[ -z $name ]] || grep -q "^    $name: depends on " <<<"$info" || fail "$name vanished: $info"
    done < <(comm -23 <(sort <<<"$without") <(sort <<<"$seen"))
    ! comm -12 <(sed -nE 's/^    (VK_[A-Za-z0-9_]+): depends on .*/\1/p' <<<"$info" | sort) \
        <(sort <<<"$seen") | grep . || fail "is there, though hidden: ${environment[*]} $*"
    # Shapes, in their order.
    seen=$(env "${environment[@]}" "$coopvk" run -q "$@" -- "$app" instance physical shapes |
        sort -u)
    name=$(sed -nE 's/^    VK_KHR_cooperative_matrix +([a-z]+) .*/\1/p' <<<"$info")
    shapes=$(awk -v wanted="  matrix shapes (MxNxK), $name:" \
        -v added="  matrix shapes (MxNxK), added, as tiles of the native ones:" '
        $0 !~ /^    / { inside = $0 == wanted || $0 == added }
        inside && /^    / { print }' <<<"$info" | grep -oE '[0-9]+x[0-9]+x[0-9]+' | sort -u) || true
    [[ $name == unavailable || $shapes == "$seen" ]] ||
        fail "shapes, ${environment[*]} $*: $(diff <(echo "$shapes") <(echo "$seen"))"
}
# names LABEL: what the summary of $info lists behind it, which may take several lines.
names() {
    sed '/^$/,$d' <<<"$info" | awk -v label="  $1 " 'index($0, label) == 1 { inside = 1; sub(label, "") }
        inside && !/^ *VK_/ { exit }
        inside { print }' | grep -o 'VK_[A-Za-z0-9_]*' | sort || true
}
# The first lines say the same of each extension as the list does.
summarised() {
    local status
    for status in 'coopvk adds:emulated' 'the driver has:native' 'only if you ask:unavailable +offered only if '; do
        diff <(names "${status%%:*}") <(sed -nE "s/^    (VK_[A-Za-z0-9_]+) +${status#*:}.*/\1/p" <<<"$info" | sort) ||
            fail "summary, ${status%%:*}:"$'\n'"$info"
    done
    [[ $info == *$'\nTo use it: `'"$(realpath "$coopvk") run -- APP\` "* ]] || fail "$info"
}
has() { grep -Eq -- "$1" <<<"$info" || fail "no '$1' in"$'\n'"$info"; }

settings() {
    mkdir -p "$work/settings"
    printf 'coopvk_emulation.%s\n' "$@" >"$work/settings/vk_layer_settings.txt"
}

for lanes in 4 8; do
    export LP_NATIVE_VECTOR_WIDTH=$((lanes * 32))
    without=$("$app" instance physical list)
    same --
    # `auto` offers a CPU no matrices with 4 lanes; with 8 this driver has its own.
    matrices='unavailable +offered only if the emulate setting asks for it: on a CPU with subgroups of fewer than 8'
    ((lanes == 4)) || matrices="native +the driver's own"
    has "^    VK_KHR_cooperative_matrix +$matrices"
    has '^    VK_NV_cooperative_vector +emulated '
    summarised
    [[ $info == "$("$coopvk" info --short)"$'\n\n'* ]] || fail '--short is not how it begins'
    grep -q '^To use it: `coopvk run -- APP` ' < <(PATH=$(dirname "$(realpath "$coopvk")"):$PATH coopvk info --short) ||
        fail 'it is not called by its name'
    same -- --emulate auto,VK_KHR_cooperative_matrix
    ((lanes != 4)) || matrices='emulated +the driver lacks it'
    has "^    VK_KHR_cooperative_matrix +$matrices"
    same -- --emulate all
    summarised
    has '^  matrices of any size up to 512, multiples of MxNxK, emulated:$'
    has '^    f16 \* f16 \+ f32 -> f32: 16x16x16, subgroups, workgroups of 64, workgroups of 128'
    has '^  4-bit matrix shapes \(MxNxK\), emulated:$'
    has '^    s4 \* s4 \+ s32 -> s32: [0-9]+x[0-9]+x[0-9]+'
    has '^  2D blocks, emulated:$'
    has '^    load, elements of 4 bytes: up to [0-9]+ blocks of [0-9]+x[0-9]+, widths in multiples of 1'
    same COOPVK_EMULATE=all --
    emulated=$info
    same -- --emulate VK_NV_cooperative_vector
    same COOPVK_EMULATE=VK_NV_cooperative_vector -- --emulate all
    [[ $info == "$emulated" ]] || fail 'the environment counts for more than --emulate'
    settings 'emulate = all'
    same VK_LAYER_SETTINGS_PATH="$work/settings" --
    [[ $info == "$emulated" ]] || fail "a settings file does not count: $info"
done
# The back-end's shapes, where the driver has matrices of its own (8 lanes).
same -- --emulate all --back-end native
[[ $info != "$emulated" ]] || fail '--back-end changes nothing'
native=$info
same COOPVK_BACK_END=native -- --emulate all
[[ $info == "$native" ]] || fail 'COOPVK_BACK_END counts for nothing'
settings 'emulate = all' 'back_end = native'
same VK_LAYER_SETTINGS_PATH="$work/settings" --
[[ $info == "$native" ]] || fail 'a settings file does not count for the back-end'
same -- --emulate VK_KHR_cooperative_matrix
has '^  the driver.s own, hidden by coopvk:$'
has '^    VK_NV_cooperative_matrix2: depends on the driver.s own VK_KHR_cooperative_matrix,'
json=$("$coopvk" info --json --emulate all --back-end native)
for text in '"emulate": "all"' '"backEnd": "native"' '"emulatedInt4"' '"blockSizes"' \
    '"name": "VK_NV_cooperative_matrix2"' '"onlyNativeShapes": true'; do
    grep -qF -- "$text" <<<"$json" || fail "no $text in JSON"
done
! out=$("$coopvk" info --back-end nonsense 2>&1) || fail "a back-end 'nonsense': $out"

echo 'test_info: passed'
