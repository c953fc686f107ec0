#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_elevated.sh STACKING_LINKED RUN_APP LAYER_FOLDER
# In a program with elevated rights the layer does nothing, whatever the user who starts it sets. The
# test uses real set-uid programs, the real loader, and a manifest in a folder where the loader looks
# for such programs, too: /usr/share/vulkan, which is another folder in a mount namespace of this test.
set -euo pipefail

skip() {
    echo "SKIPPED: $*"
    exit 77
}
fail() {
    printf 'test_elevated: %s\n' "$*" >&2
    exit 1
}

if [[ ${1:-} != --inside ]]; then
    [[ $(id -u) == 0 ]] || skip 'only root can make a set-uid program and mount folders'
    setpriv --reuid 65534 --regid 65534 --clear-groups true 2>/dev/null ||
        skip 'here root is the only user, so no program has the rights of another one'
    # In a chroot, / is no mount point, so its propagation cannot be set.
    for propagation in private unchanged; do
        ! unshare --mount --propagation $propagation true 2>/dev/null ||
            exec unshare --mount --propagation $propagation "$0" --inside "$@"
    done
    skip 'mounts are not permitted here'
fi
list=$2 app=$3 layer=$4
export VK_DRIVER_FILES=/usr/share/vulkan/icd.d/lvp_icd.json LP_NATIVE_VECTOR_WIDTH=256
unset "${!COOPVK_@}" "${!VK_COOPVK_@}" "${!VK_LAYER_@}" "${!VK_ADD_@}" "${!VK_LOADER_@}" \
    VK_INSTANCE_LAYERS VK_IMPLICIT_LAYER_PATH XDG_CONFIG_HOME XDG_DATA_HOME

# as_user COMMAND...: as a user who owns none of the files here.
as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }

# A folder in which set-uid works, however this system mounts its folders.
for base in "${TMPDIR:-/tmp}" /tmp /var/tmp "$layer"; do
    work=$(mktemp -d "$base/coopvk-elevated-XXXXXX")
    chmod 755 "$work"
    cp "$(command -v id)" "$work/id"
    chmod 4755 "$work/id"
    [[ $(as_user "$work/id" -u 2>/dev/null) != 0 ]] || break
    rm -rf "$work"
    work=
done
[[ -n $work ]] || skip 'no folder whose set-uid programs run as their owner, and that all can enter'
trap 'umount "$vulkan" 2>/dev/null; rm -rf "$work"' EXIT

# What the loader finds: one driver, one layer.
vulkan=/usr/share/vulkan
mkdir -p "$work"/vulkan/{icd.d,implicit_layer.d} "$work"/{plain,elevated,capable,home}
chown 65534 "$work/home"
cp "$vulkan/icd.d/lvp_icd.json" "$work/vulkan/icd.d/"
cp "$layer/libVkLayer_coopvk.so" "$work/"
sed "s|\"library_path\": .*|\"library_path\": \"$work/libVkLayer_coopvk.so\",|" \
    "$layer/VkLayer_coopvk.json" >"$work/vulkan/implicit_layer.d/VkLayer_coopvk.json"
mount --bind "$work/vulkan" "$vulkan"
for kind in plain elevated capable; do cp "$list" "$app" "$work/$kind/"; done
chmod 4755 "$work"/elevated/*
list=${list##*/} app=${app##*/}
kinds=elevated
# The capability to bind small ports, as setcap(8) gives it: version 2, effective.
if python3 -c 'import os, struct, sys
for path in sys.argv[1:]:
    os.setxattr(path, "security.capability", struct.pack("<5I", 0x02000001, 1 << 10, 0, 0, 0))' \
    "$work"/capable/* 2>/dev/null; then
    kinds+=' capable'
else
    echo '  not done: no file capabilities here, or no python3 to give them'
fi

# run KIND FOLDER VARIABLE=VALUE... COMMAND...: as the user, in the folder; prints the command's output.
run() {
    local program="$work/$1" folder=$2
    shift 2
    local -a environment=()
    while [[ $1 == *=* ]]; do environment+=("$1") && shift; done
    (cd "$folder" && as_user env HOME="$work/home" XDG_RUNTIME_DIR="$work/home" "${environment[@]}" \
        "$program/$1" "${@:2}" 2>&1)
}

# ways FOLDER: all ways to pass settings; each line has a name and an assignment.
ways() {
    local name
    echo "environment COOPVK_LOG_LEVEL=debug COOPVK_LOG_FILE=$1/log COOPVK_STATISTICS=$1/statistics COOPVK_DUMP_DIR=$1/shaders COOPVK_EMULATE=all"
    for name in VK_COOPVK_EMULATION COOPVK_EMULATION VK_LAYER_COOPVK_EMULATION; do
        echo "library's-environment ${name}_LOG_LEVEL=debug ${name}_LOG_FILE=$1/log ${name}_STATISTICS=$1/statistics ${name}_DUMP_DIR=$1/shaders ${name}_EMULATE=all"
    done
    echo "file VK_LAYER_SETTINGS_PATH=$work/settings"
    echo "current-folder COOPVK_ENABLE=1"
    echo "configuration XDG_CONFIG_HOME=$work/configuration"
    echo "report COOPVK_RUN_REPORT=$1/report"
}

# settings FOLDER: a settings file that makes the layer write everything below the folder.
settings() {
    local row
    for row in log_level=debug log_file="$1/log" statistics="$1/statistics" dump_dir="$1/shaders" \
        emulate=all; do
        echo "coopvk_emulation.${row%%=*} = ${row#*=}"
    done
}

# check KIND OWNER: runs the program in each way. $written lists what it writes below $target, to which
# only OWNER can write; a line for each way.
check() {
    local kind=$1 owner=$2 way out
    local -a assignments
    written=
    while read -r way; do
        target=$(mktemp -d "$work/target-XXXXXX") start=$(mktemp -d "$work/start-XXXXXX")
        way=${way//$work\/any/$target}
        read -ra assignments <<<"$way"
        mkdir -p "$work/settings"
        settings "$target" >"$work/settings/vk_layer_settings.txt"
        mkdir -p "$work/configuration/coopvk"
        settings "$target" | sed 's/^coopvk_emulation\.//' >"$work/configuration/coopvk/coopvk.conf"
        [[ $way != current-folder* ]] || settings "$target" >"$start/vk_layer_settings.txt"
        [[ $way != report* ]] || : >"$target/report"
        chmod -R go+rX "$work/settings" "$work/configuration"
        chown -R "$owner" "$target"
        chown -R 65534 "$start"
        out=$(run "$kind" "$start" COOPVK_ENABLE=1 "${assignments[@]:1}" "$app" instance physical \
            matrix-device pipeline) || fail "$kind, $way: $out"
        written+="${assignments[0]}: $(cd "$target" && find . -type f -size +0 | sed -E \
            's|(shaders)/.*|\1|' | sort -u | tr '\n' ' ')"$'\n'
    done < <(ways "$work/any")
}

# Without elevated rights, each way has an effect: this shows that the test looks in the right places.
vector=VK_NV_cooperative_vector
without=$(run plain "$work" "$list" --list)
[[ $without != *$vector* ]] || fail "the driver has $vector itself"
[[ $(run plain "$work" COOPVK_ENABLE=1 "$list" --list) == *$vector* ]] ||
    fail "the loader does not find the layer in $vulkan"
out=$(run plain "$work" COOPVK_ENABLE=1 COOPVK_EMULATE=all "$list")
[[ $out == "with matrices: right" ]] ||
    fail "no matrices with the layer: $out"
check plain 65534
for way in environment library file configuration; do
    grep -q "^$way.*: ./log ./shaders ./statistics" <<<"$written" || fail "plain: $written"
done
# Whoever made the current folder does not choose where the layer writes.
! grep '^current-folder.*\./' <<<"$written" || fail "plain: $written"
grep -q '^report: ./report' <<<"$written" || fail "plain: $written"

# With elevated rights, the loader still loads the layer, but nothing happens.
for kind in $kinds; do
    out=$(run "$kind" "$work" VK_LOADER_DEBUG=layer COOPVK_ENABLE=1 "$list" --list)
    grep -q 'VK_LAYER_COOPVK_emulation' <<<"$out" || fail "the loader leaves the layer out: $out"
    check "$kind" 0
    ! grep ': .*\./' <<<"$written" || fail "a user had files written with the rights of a program"
    out=$(run "$kind" "$work" COOPVK_ENABLE=1 COOPVK_EMULATE=all "$list" --list)
    [[ $out == "$without" ]] || fail "other extensions: $(diff <(echo "$without") <(echo "$out"))"
    out=$(run "$kind" "$work" COOPVK_ENABLE=1 COOPVK_EMULATE=all COOPVK_LOG_LEVEL=debug "$list") ||
        fail "it does not run: $out"
    [[ $out == 'without matrices: right' ]] || fail "not just 'without matrices: right': $out"
    echo "ok: $kind"
done

echo 'test_elevated: passed'
