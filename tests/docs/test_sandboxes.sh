#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_sandboxes.sh SOURCE PROGRAM NAME
# Runs the block of docs/developers/containers.md that is marked with `run by test_sandboxes.sh NAME`, with a program
# that fails where there are no matrices. Needs root, and for each NAME:
#
#   flatpak   flatpak. A runtime of this system's files; the application org.example.App.
#   podman    podman. An image of the same files.
#   systemd   systemd-container. This system boots, read-only, with a service my.service.
#
# PROGRAM is tests/tool/run_app of a build, which the sandboxes run. Nothing is left behind.
set -euo pipefail

source=$(cd "$1" && pwd) program=$2 name=$3
work=$(mktemp -d /var/tmp/coopvk-XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT
export HOME=$work/home XDG_RUNTIME_DIR=$work/run TMPDIR=$work
export COOPVK_CACHE=${COOPVK_CACHE:-$work/cache}
unset COOPVK_ENABLE COOPVK_DISABLE COOPVK_EMULATE COOPVK_STATISTICS COOPVK_LOG_LEVEL \
    VK_LAYER_PATH VK_ADD_LAYER_PATH VK_IMPLICIT_LAYER_PATH VK_ADD_IMPLICIT_LAYER_PATH
mkdir -m 700 "$HOME" "$XDG_RUNTIME_DIR"

fail() {
    printf 'test_sandboxes: %s\n' "$*" >&2
    [[ ! -f $work/log ]] || tail -n 40 "$work/log" >&2
    exit 1
}

block() {
    awk -v marker="<!-- test: run by test_sandboxes.sh $name -->" '
        $0 == marker { found = 1 }
        found && /^```$/ { exit }
        inside { print }
        found && /^```sh$/ { inside = 1 }' "$source/docs/developers/containers.md"
}

text=$(block)
[[ -n $text ]] || fail "docs/developers/containers.md has no block of '$name'"

# put FILE...: copies files, and the libraries that they need, to their places in a system.
put() {
    local file place
    for file in "$@"; do
        for place in "$file" $(ldd "$file" 2>/dev/null | grep -o '/[^ ]*'); do
            [[ $place == /usr/* ]] || place=/usr$place
            mkdir -p "$files${place%/*}"
            cp -Ln "$place" "$files$place"
        done
    done
}

# A system that has a shell, Vulkan, lavapipe, the program, and APP, which runs it.
make_system() {
    files=$work/system
    put /usr/bin/{bash,sh,env,ldd,ls,cat,uname} /usr/sbin/ldconfig \
        /usr/lib/*/libvulkan.so.1 /usr/lib/*/libvulkan_lvp.so
    mkdir -p "$files"/usr/{bin,etc,lib64,lib/extensions/vulkan,share/vulkan/icd.d}
    cp /usr/share/vulkan/icd.d/lvp_icd.json "$files/usr/share/vulkan/icd.d/"
    cp "$program" "$files/usr/bin/run_app"
    # Files that are not coopvk's must not matter: the program has matrices, or fails.
    printf '#!/bin/sh\n%s LP_NATIVE_VECTOR_WIDTH=128 exec run_app instance physical %s\n' \
        COOPVK_EMULATE=auto,VK_KHR_cooperative_matrix 'matrix-device pipeline' >"$files/usr/bin/APP"
    chmod +x "$files/usr/bin/APP"
}

# run TEXT: a block, in the source folder.
run() {
    (cd "$source" && bash -euo pipefail -c "$1" </dev/null) >"$work/log" 2>&1 ||
        fail "status $?:"$'\n'"$1"
}

test_flatpak() {
    local runtime=org.example.Platform/x86_64/1
    make_system
    mkdir -p "$work"/{system/files,app/files,app/export}
    printf '[Runtime]\nname=org.example.Platform\nruntime=%s\nsdk=%s\n' $runtime $runtime \
        >"$work/system/metadata"
    printf '[Application]\nname=org.example.App\nruntime=%s\nsdk=%s\ncommand=APP\n' $runtime \
        $runtime >"$work/app/metadata"
    {
        flatpak build-export --runtime "$work/repo" "$work/system" 1
        flatpak build-export "$work/repo" "$work/app" 1
        flatpak --user remote-add --no-gpg-verify test "$work/repo"
        flatpak --user install -y --noninteractive test org.example.Platform//1 org.example.App//1
    } >"$work/log" 2>&1 || fail 'no application was made'
    ! flatpak run org.example.App >"$work/log" 2>&1 || fail 'matrices without the layer'
    run "$text"
    [[ -z $(flatpak override --user --show org.example.App) ]] || fail 'an override is left'
    ! flatpak run org.example.App >"$work/log" 2>&1 || fail 'matrices after the reset'
}

test_podman() {
    local folder
    make_system
    for folder in bin lib lib64 sbin; do ln -s usr/$folder "$work/system/$folder"; done
    mkdir -p "$work"/system/{dev,etc,opt,proc,root,run,sys,tmp,usr/sbin}
    mkdir -p "$HOME/.config/containers"
    echo '{"default":[{"type":"insecureAcceptAnything"}]}' >"$HOME/.config/containers/policy.json"
    printf '[storage]\ndriver="vfs"\ngraphroot="%s"\nrunroot="%s"\n' "$work/images" "$work/podman" \
        >"$work/storage.conf"
    printf '[containers]\ncgroups="disabled"\nnetns="none"\n[engine]\n%s\n%s\n' \
        'cgroup_manager="cgroupfs"' 'events_logger="file"' >"$work/containers.conf"
    export CONTAINERS_STORAGE_CONF=$work/storage.conf CONTAINERS_CONF=$work/containers.conf
    tar -C "$work/system" -c . | podman import - image >"$work/log" 2>&1 || fail 'no image'
    ! podman run --rm image APP >"$work/log" 2>&1 || fail 'matrices without the layer'
    text=${text//IMAGE/image}
    [[ -e /dev/dri ]] || text=${text//--device \/dev\/dri /}
    run "$text"
}

test_systemd() {
    # The installed layer of this boot only; the root itself is read-only in it.
    (cd "$source" && scripts/build --prefix "$work/local") >"$work/log" 2>&1 || fail 'no layer'
    printf '[Service]\nType=oneshot\nEnvironment=%s\nExecStart=%s\n' \
        'LP_NATIVE_VECTOR_WIDTH=128 COOPVK_EMULATE=auto,VK_KHR_cooperative_matrix' \
        "$work/run_app instance physical matrix-device pipeline" >"$work/my.service"
    cp "$program" "$work/run_app"
    printf '%s\n' 'set -euo pipefail' '! systemctl start my.service || exit 1' "$text" \
        'systemctl start my.service' >"$work/inside"
    printf '[Service]\nType=oneshot\nExecStart=/bin/bash %s\nStandardOutput=file:%s\n%s\n%s\n' \
        "$work/inside" "$work/inside.log" StandardError=inherit \
        'ExecStopPost=/bin/sh -c "echo result $SERVICE_RESULT; systemctl --no-block poweroff"' \
        >"$work/check.service"
    mkdir "$work/root"
    # shellcheck disable=SC2016  # for the inner shell
    timeout 120 unshare --mount --propagation private sh -c 'mount --bind / "$0" && exec "$@"' \
        "$work/root" systemd-nspawn -D "$work/root" --volatile=overlay --boot --register=no \
        --keep-unit --machine=coopvk --link-journal=no --console=pipe \
        --bind="$work" --bind-ro="$work/local:/usr/local" \
        --bind-ro="$work/my.service:/etc/systemd/system/my.service" \
        --bind-ro="$work/check.service:/etc/systemd/system/check.service" \
        systemd.wants=check.service </dev/null >>"$work/log" 2>&1 || true
    cat "$work/inside.log" >>"$work/log" || fail 'it did not boot'
    grep -q '^result success$' "$work/inside.log" || fail 'inside'
}

case $name in
    flatpak | podman | systemd) "test_$name" ;;
    *) fail "unknown: $name" ;;
esac
echo "test_sandboxes: $name passed"
