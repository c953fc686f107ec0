#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_companion.sh BUILD SYSROOT
# The Debian package of the layer for 32-bit programs: such a program of the sysroot finds the layer, and
# a program of this machine does not.
# shellcheck source=common.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/common.bash"

build=$1 sysroot=$2
cpack --config "$build/CPackConfig.cmake" -B "$work/out" >"$work/log" 2>&1 || fail "$(<"$work/log")"
! grep -i warning "$work/log" || fail 'cpack warns'
package=("$work"/out/*.deb)
[[ ${#package[@]} == 1 && ${package[0]} == */coopvk-i386_*_i386.deb ]] || fail "packages: ${package[*]}"
field() { dpkg-deb -f "${package[0]}" "$1"; }
[[ $(field Package) == coopvk-i386 && $(field Architecture) == i386 ]] || fail 'name or architecture'
depends=$(field Depends)
[[ $depends =~ ^libc6\ \(\>=\ 2\.([0-9]+)\),\ libvulkan1$ ]] || fail "depends: $depends"
((BASH_REMATCH[1] <= 36)) || fail "needs a newer glibc: $depends"

root=$work/root
mkdir -p "$root/var/lib/dpkg"
touch "$root/var/lib/dpkg/status"
in_root() {
    dpkg --root="$root" --force-depends --force-architecture --force-not-root --path-include='/*' "$@" \
        >"$work/log" 2>&1 || fail "dpkg $1: $(<"$work/log")"
}
files() { (cd "$root" && find . ! -type d ! -path './var/*' | sort); }
in_root --install "${package[0]}"
[[ $(files) == './usr/lib/i386-linux-gnu/coopvk/libVkLayer_coopvk.so
./usr/share/doc/coopvk-i386/changelog.gz
./usr/share/doc/coopvk-i386/copyright
./usr/share/vulkan/implicit_layer.d/VkLayer_coopvk_32.json' ]] || fail "installed: $(files)"
grep -q '"library_arch": "32"' "$root/usr/share/vulkan/implicit_layer.d/VkLayer_coopvk_32.json" ||
    fail 'the manifest names another architecture'

libraries=$sysroot/usr/lib/i386-linux-gnu
mkdir "$work/bin"
printf '#!/bin/sh\nexec %s --library-path %s %s "$@"\n' "$libraries/ld-linux.so.2" "$libraries" \
    "$sysroot/usr/bin/vulkaninfo" >"$work/bin/vulkaninfo"
chmod +x "$work/bin/vulkaninfo"
data=(env "XDG_DATA_DIRS=$root/usr/share")
sees_layer no "${data[@]}" COOPVK_ENABLE=1
export PATH=$work/bin:$PATH
gives_matrices no "${data[@]}"
gives_matrices yes "${data[@]}" COOPVK_ENABLE=1
gives_matrices no "${data[@]}" COOPVK_ENABLE=1 COOPVK_DISABLE=1
sees_layer yes "${data[@]}" COOPVK_ENABLE=1
in_root --purge coopvk-i386
[[ -z $(files) ]] || fail "left: $(files)"

echo "test_companion: passed (${package[0]##*/}, depends on $depends)"
