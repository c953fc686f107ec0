#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_package.sh BUILD
# `cpack` makes Debian packages: of the layer and `coopvk`, and of coopvk-compare and the reference device, which players
# do not need. The first one's installation makes the layer available, off by default; its
# removal leaves nothing. This machine's dpkg installs it into a separate root.
# shellcheck source=common.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/common.bash"

build=$1
source=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
for program in dpkg dpkg-deb dpkg-shlibdeps; do
    command -v "$program" >/dev/null || { echo "SKIPPED: there is no $program here"; exit 77; }
done
export LC_ALL=C.UTF-8

(umask 077 && cpack --config "$build/CPackConfig.cmake" -B "$work/out" >"$work/log" 2>&1) || fail "$(<"$work/log")"
! grep -i warning "$work/log" || fail 'cpack warns'
all=("$work"/out/*.deb)
package=("$work"/out/coopvk_*_*.deb)
compare=("$work"/out/coopvk-compare_*_*.deb)
reference=("$work"/out/coopvk-reference_*_*.deb)
[[ ${#all[@]} == 3 && -f ${package[0]} && -f ${compare[0]} && -f ${reference[0]} ]] || fail "packages: ${all[*]}"

for one in "${all[@]}"; do
    ! dpkg-deb -c "$one" | grep '^d' | grep -v '^drwxr-xr-x ' || fail "${one##*/}: others cannot enter these"
done

# Control data.
field() { dpkg-deb -f "${package[0]}" "$1"; }
[[ $(field Package) == coopvk ]] || fail 'name'
[[ $(field Architecture) == "$(dpkg --print-architecture)" ]] || fail 'architecture'
version=$(field Version)
depends=$(field Depends)
[[ $depends == *libvulkan1* ]] || fail "depends: $depends"
[[ $depends =~ libc6\ \(\>=\ 2\.([0-9]+) ]] || fail "no libc6 in: $depends"
((BASH_REMATCH[1] <= 36)) || fail "needs a newer glibc: $depends"
[[ $depends != *libstdc++* && $depends != *libgcc* ]] || fail "needs a C++ runtime: $depends"
for other in "${compare[0]}" "${reference[0]}"; do
    [[ $(dpkg-deb -f "$other" Depends) =~ libc6\ \(\>=\ 2\.([0-9]+) ]] || fail "${other##*/} depends on no libc6"
    ((BASH_REMATCH[1] <= 36)) || fail "${other##*/} needs glibc 2.${BASH_REMATCH[1]}"
done
dpkg-deb -e "${package[0]}" "$work/control"
[[ $(list "$work/control") == $'./control\n./md5sums' ]] || fail "control: $(list "$work/control")"
# Can be installed here, as far as dependencies go.
if command -v apt-get >/dev/null; then
    apt-get -qq --simulate install "${package[0]}" >"$work/log" 2>&1 || fail "$(<"$work/log")"
    grep -q '^Inst coopvk ' "$work/log" || fail "$(<"$work/log")"
fi

# Installs, uses and removes it, also files that this machine's dpkg excludes, such as manual pages.
root=$work/root
mkdir -p "$root/var/lib/dpkg"
touch "$root/var/lib/dpkg/status"
in_root() {
    dpkg --root="$root" --force-depends --force-not-root --path-include='/*' "$@" \
        >"$work/log" 2>&1 || fail "dpkg $1: $(<"$work/log")"
}
files() { list "$root" | grep -v '^\./var\(/\|$\)' || true; }
[[ -z $(files) ]] || fail "not empty: $(files)"
in_root --install "${package[0]}"
installed=$(cd "$root" && find . -type f ! -path './var/*' | sort | sed -E 's|(lib/)[a-z0-9_]+-linux-gnu/|\1ARCH/|')
[[ $installed == './usr/bin/coopvk
./usr/include/coopvk/coopvk_2d_block_io.glsl
./usr/include/coopvk/coopvk_int4.glsl
./usr/include/coopvk/vulkan_coopvk.h
./usr/lib/ARCH/coopvk/libVkLayer_coopvk.so
./usr/share/applications/coopvk-report.desktop
./usr/share/coopvk/coopvk.conf.example
./usr/share/doc/coopvk/changelog.gz
./usr/share/doc/coopvk/copyright
./usr/share/man/man1/coopvk.1.gz
./usr/share/vulkan/implicit_layer.d/VkLayer_coopvk.json' ]] || fail "installed: $installed"
(cd "$root" && md5sum --quiet -c "$work/control/md5sums") || fail 'md5sums'
! find "$root/usr" -perm /022 | grep . || fail 'writable by others'
grep -q '^License: Apache-2.0' "$root/usr/share/doc/coopvk/copyright" || fail 'no licence'
# One version everywhere.
[[ $("$root/usr/bin/coopvk" --version) == "coopvk $version ("* ]] || fail "not version $version"
[[ $(gzip -dc "$root/usr/share/doc/coopvk/changelog.gz" | head -n 1) == "coopvk ($version) "* ]] ||
    fail 'the changelog has another version'
works_in "$root/usr"

# The other package: coopvk starts its program, which fits no other version.
[[ $(dpkg-deb -f "${compare[0]}" Package) == coopvk-compare ]] || fail 'name of the other package'
[[ $(dpkg-deb -f "${compare[0]}" Depends) == *"coopvk (= $version)"* ]] || fail 'another version is good enough'
for command in check compare prove selftest; do
    status=0
    PATH=/usr/bin:/bin "$root/usr/bin/coopvk" $command >"$work/log" 2>&1 || status=$?
    [[ $status == 2 && $(<"$work/log") == *'the package coopvk-compare has it'* ]] ||
        fail "coopvk $command without its package: status $status: $(<"$work/log")"
done
in_root --install "${compare[0]}"
added=$(cd "$root" && find . -type f -path '*coopvk-compare*' ! -path './var/*' | sort)
[[ $added == './usr/bin/coopvk-compare
./usr/share/doc/coopvk-compare/changelog.gz
./usr/share/doc/coopvk-compare/copyright
./usr/share/man/man1/coopvk-compare.1.gz' ]] || fail "of coopvk-compare: $added"
[[ $(find "$root" -type f ! -path "$root/var/*" | wc -l) == \
    $(($(wc -l <<<"$installed") + $(wc -l <<<"$added"))) ]] || fail 'more files than these'
[[ $("$root/usr/bin/coopvk" compare --version) == "coopvk-compare $version ("* ]] || fail 'coopvk compare'
checks_shaders "$root/usr"

# The driver needs neither of the two, and no program gets it unasked.
before=$(files)
in_root --install "${reference[0]}"
added=$(comm -13 <(sort <<<"$before") <(files | sort) | while read -r file; do
    [[ ! -f $root/$file ]] || sed -E 's|(lib/)[a-z0-9_]+-linux-gnu/|\1ARCH/|' <<<"$file"
done)
[[ $added == './usr/lib/ARCH/coopvk/libcoopvk_reference.so
./usr/share/coopvk/coopvk_reference.json
./usr/share/doc/coopvk-reference/changelog.gz
./usr/share/doc/coopvk-reference/copyright' ]] || fail "of coopvk-reference: $added"
has_reference "$root/usr"
in_root --purge coopvk-compare coopvk
has_reference "$root/usr"
in_root --install "${package[0]}" "${compare[0]}"

# Further packages have the symbols: functions and lines, by the build ID, without paths of this machine.
symbols=$work/symbols
for name in coopvk coopvk-compare coopvk-reference; do
    dpkg-deb -x "$work/out/$name-dbgsym"_*.ddeb "$symbols"
    dpkg-deb -e "$work/out/$name-dbgsym"_*.ddeb "$work/symbols-control"
    (cd "$symbols" && md5sum --quiet -c "$work/symbols-control/md5sums") || fail 'md5sums of the symbols'
    rm -r "$work/symbols-control"
done
for file in "$root"/usr/lib/*/coopvk/lib{VkLayer_coopvk,coopvk_reference}.so "$root"/usr/bin/coopvk{,-compare}; do
    id=$(readelf -n "$file" | sed -n 's/.*Build ID: //p')
    debug=$symbols/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
    [[ -f $debug ]] || fail "no symbols of ${file##*/}, whose build ID is '$id'"
    ! grep -aqF "$source" "$debug" || fail "$source is named in the symbols of ${file##*/}"
    ! readelf -S "$file" | grep -qF .debug_info || fail "${file##*/} still has its symbols"
    [[ ${file##*/} != coopvk-compare && ${file##*/} != libcoopvk_reference.so ]] || continue
    place=$(nm "$debug" | awk '/ [tT] _ZN6coopvk.*assessDevice/ && !/cold/ && !n++ { print $1 }')
    line=$(addr2line -e "$debug" "$place")
    [[ -n $place && $line == *layer/device/physical_device.cpp:[0-9]* ]] || fail "symbols of ${file##*/}: $line"
done
# Later, the same bytes.
(umask 077 && cpack --config "$build/CPackConfig.cmake" -B "$work/again" >"$work/log" 2>&1) || fail "$(<"$work/log")"
for file in "$work"/out/*.*deb; do
    cmp "$file" "$work/again/${file##*/}" || fail "not the same bytes again: ${file##*/}"
done
# From an older version, which had a file more.
dpkg-deb -R "${package[0]}" "$work/older"
sed -i 's/^Version: .*/Version: 0.0.1/' "$work/older/DEBIAN/control"
echo old >"$work/older/usr/share/coopvk/old"
dpkg-deb -Znone -b "$work/older" "$work/older.deb" >/dev/null
before=$(files)
in_root --force-downgrade --install "$work/older.deb"
[[ -f $root/usr/share/coopvk/old ]] || fail 'the older version is not installed'
in_root --install "${package[0]}"
[[ $(files) == "$before" ]] || fail "after an upgrade: $(diff <(echo "$before") <(files))"
in_root --purge coopvk-compare coopvk-reference
in_root --purge coopvk
[[ -z $(files) ]] || fail "left: $(files)"
[[ $(grep -c '^Package: coopvk' "$root/var/lib/dpkg/status") == 0 ]] || fail 'dpkg remembers it'

echo "test_package: passed (${package[0]##*/}, depends on $depends)"
