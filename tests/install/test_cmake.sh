#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_cmake.sh BUILD CHECK_PORTABLE|""
# `cmake --install` and the uninstall target: the installation also works after it was moved, and
# uninstalling removes all of it.
# shellcheck source=common.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/common.bash"

build=$1 check_portable=$2
prefix=$work/prefix
mkdir -p "$prefix/share"
echo mine >"$prefix/share/mine"
before=$(list "$prefix")

cmake --install "$build" --prefix "$prefix" >/dev/null
libraries=("$prefix"/lib*/libVkLayer_coopvk.so "$prefix"/lib/*/libVkLayer_coopvk.so)
[[ " ${libraries[*]} " == *" $prefix/lib"* ]] || fail 'no library'
[[ -f $prefix/share/vulkan/implicit_layer.d/VkLayer_coopvk.json ]] || fail 'no manifest'
[[ -f $prefix/include/coopvk/vulkan_coopvk.h ]] || fail 'no header'
[[ -f $prefix/share/coopvk/coopvk.conf.example ]] || fail 'no example of a configuration'
[[ -n $(find "$prefix/share/man/man1" -name 'coopvk.1*') ]] || fail 'no man page'
! grep -r -F "$prefix" "$prefix" || fail 'the prefix stands in a file'
if [[ -n $check_portable ]]; then
    "$check_portable" "$(find "$prefix" -name libVkLayer_coopvk.so)" "$prefix/bin/coopvk" >/dev/null
fi
works_in "$prefix"
checks_shaders "$prefix"
has_reference "$prefix"
mv "$prefix" "$work/a b"
mkdir "$prefix"
gives_matrices yes "$work/a b/bin/coopvk" run --
rmdir "$prefix"
mv "$work/a b" "$prefix"

cmake --build "$build" --target uninstall >/dev/null
[[ $(list "$prefix") == "$before" ]] || fail "left: $(list "$prefix")"
! cmake --build "$build" --target uninstall >"$work/log" || fail 'uninstalled twice'
grep -q 'nothing to uninstall' "$work/log" || fail "$(<"$work/log")"

echo 'test_cmake: passed'
