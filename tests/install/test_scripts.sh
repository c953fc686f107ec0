#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_scripts.sh SOURCE
# `scripts/build --prefix DIR`, which uses the release build, and --uninstall; and --help of each
# script.
# shellcheck source=common.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/common.bash"

source=$1
for script in "$source"/scripts/*; do
    [[ -f $script && -x $script ]] || continue
    text=$("$script" --help </dev/null 2>&1) || fail "$script --help fails"
    [[ $text == "usage: scripts/${script##*/}"* ]] || fail "$script --help tells: ${text:0:80}"
done

prefix=$work/deep/prefix
# An older version had other files, and somebody else has one.
mkdir -p "$prefix/share/coopvk" "$prefix/lib"
touch "$prefix/lib/libold.so" "$prefix/lib/mine"
printf '%s\n' lib/libold.so lib/libVkLayer_coopvk.so share/coopvk/installed-files >"$prefix/share/coopvk/installed-files"
# Another run waits for this one.
exec 7<"$source"
flock 7
"$source/scripts/build" --configure-only >"$work/waiting" 2>&1 7<&- &
until grep -q 'busy; waiting for it' "$work/waiting" || ! kill -0 $! 2>/dev/null; do sleep 0.1; done
exec 7<&-
wait $! || fail "$(<"$work/waiting")"
grep -q 'busy; waiting for it' "$work/waiting" || fail "two builds at once: $(<"$work/waiting")"

(umask 077 && "$source/scripts/build" --prefix "$prefix" >"$work/log" 2>&1) || fail "$(tail -n 20 "$work/log")"
closed=$(find "$prefix" ! -type l ! -perm -444)
[[ -z $closed ]] || fail "others cannot read: $closed"
[[ ! -e $prefix/lib/libold.so && -e $prefix/lib/mine ]] || fail "after an older version: $(list "$prefix/lib")"
rm "$prefix/lib/mine"
for file in lib/libVkLayer_coopvk.so share/vulkan/implicit_layer.d/VkLayer_coopvk.json bin/coopvk \
    bin/coopvk-compare lib/libcoopvk_reference.so share/coopvk/coopvk_reference.json; do
    [[ -f $prefix/$file ]] || fail "no $file"
    grep -q "  $prefix/$file\$" "$work/log" || fail "$file is not listed"
done
"$source/scripts/check-portable" "$prefix/lib/libVkLayer_coopvk.so" "$prefix/bin/coopvk" >/dev/null
works_in "$prefix"
mv "$prefix" "$work/moved"
works_in "$work/moved"
checks_shaders "$work/moved"
has_reference "$work/moved"
echo mine >"$work/moved/bin/mine"
"$source/scripts/build" --uninstall --prefix "$work/moved" >/dev/null
[[ $(list "$work/moved") == $'./bin\n./bin/mine' ]] || fail "left: $(list "$work/moved")"
! "$source/scripts/build" --uninstall --prefix "$work/moved" 2>"$work/log" || fail 'twice'
grep -q 'nothing of coopvk is installed' "$work/log" || fail "$(<"$work/log")"
! "$source/scripts/build" --uninstall 2>"$work/log" || fail 'from nowhere'

echo 'test_scripts: passed'
