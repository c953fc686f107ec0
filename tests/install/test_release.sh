#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_release.sh SOURCE
# scripts/release makes the folder of a release: checksums that fit, a valid SPDX file that names what is
# linked, and a folder that works where it is unpacked. With COOPVK_TEST_FULL=1 it makes the folder twice:
# the same bytes (install.package does so with the packages).
# shellcheck source=common.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/common.bash"

source=$1
[[ -e $source/.git ]] || { echo "SKIPPED: $source is no checkout"; exit 77; }
folders=(one)
[[ ${COOPVK_TEST_FULL:-} != 1 ]] || folders=(one two)
for folder in "${folders[@]}"; do
    "$source/scripts/release" --only amd64 --dirty --output "$work/$folder" >"$work/log" 2>&1 ||
        fail "$(<"$work/log")"
done
[[ ! -d $work/two ]] || diff -r "$work/one" "$work/two" || fail 'other bytes the second time'

version=$(sed -n 's/^project(coopvk VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
[[ $(cd "$work/one" && printf '%s\n' *) == "SHA256SUMS
apt
coopvk-$version-linux-x86_64.tar.xz
coopvk-$version.spdx.json
coopvk-compare-$version-linux-x86_64.tar.xz
coopvk-compare-dbgsym_${version}_amd64.deb
coopvk-compare_${version}_amd64.deb
coopvk-dbgsym_${version}_amd64.deb
coopvk-reference-$version-linux-x86_64.tar.xz
coopvk-reference-dbgsym_${version}_amd64.deb
coopvk-reference_${version}_amd64.deb
coopvk_${version}_amd64.deb
notes.md" ]] || fail "files: $(ls "$work/one")"
(cd "$work/one" && sha256sum --quiet -c SHA256SUMS) || fail checksums
[[ $(wc -l <"$work/one/SHA256SUMS") == 14 ]] || fail 'files without checksums'
grep -q '^### ' "$work/one/notes.md" || fail 'no notes'
! grep -q '^## ' "$work/one/notes.md" || fail 'notes of another version'

# apt reads the repository, and finds the packages in it.
mkdir -p "$work/apt"/{lists/partial,cache/archives/partial}
apt=(-o "Dir::Etc::SourceList=$work/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State=$work/apt" -o "Dir::Cache=$work/apt/cache" -o Dir::State::Status=/dev/null
    -o "Debug::NoLocking=1" -o APT::Sandbox::User= -o APT::Architecture=amd64 -o APT::Architectures=amd64)
echo "deb [trusted=yes] file:$work/one/apt ./" >"$work/apt/sources.list"
apt-get "${apt[@]}" update >"$work/log" 2>&1 || fail "$(<"$work/log")"
! grep -E '^[WE]:' "$work/log" || fail 'apt warns of the repository'
for package in coopvk coopvk-compare coopvk-reference; do
    [[ $(apt-cache "${apt[@]}" policy $package) == *"Candidate: $version"* ]] || fail "apt does not find $package"
    (cd "$work/apt" && apt-get "${apt[@]}" download $package >"$work/log" 2>&1) || fail "$(<"$work/log")"
    cmp "$work/apt/${package}_${version}_amd64.deb" "$work/one/${package}_${version}_amd64.deb" || fail 'another file'
done

# SPDX: valid, and with the checksums of the files.
spdx=$work/one/coopvk-$version.spdx.json
pyspdxtools --infile "$spdx" >"$work/log" 2>&1 || fail "$(<"$work/log")"
for file in "$work"/one/*.deb "$work"/one/*.tar.xz; do
    grep -q "\"$(sha256sum <"$file" | cut -d' ' -f1)\"" "$spdx" || fail "no checksum of ${file##*/} in the SPDX file"
done
for name in SPIRV-Tools volk CLI11 nlohmann-json; do
    grep -A9 "\"name\": \"$name\"" "$spdx" | grep -q versionInfo || fail "the SPDX file has no version of $name"
done

mkdir "$work/unpacked"
tar -C "$work/unpacked" -xf "$work/one/coopvk-$version-linux-x86_64.tar.xz"
folder=$work/unpacked/coopvk-$version-linux-x86_64
[[ -f $folder/LICENSE ]] || fail 'no licence in the archive'
! find "$folder" -perm /022 | grep . || fail 'writable by others'
works_in "$folder"
# The other archives lie over it.
[[ ! -e $folder/bin/coopvk-compare ]] || fail 'the archive has coopvk-compare'
tar -C "$work/unpacked" -xf "$work/one/coopvk-compare-$version-linux-x86_64.tar.xz"
cp -R "$work/unpacked/coopvk-compare-$version-linux-x86_64/." "$folder"
[[ $("$folder/bin/coopvk" compare --version) == "coopvk-compare $version ("* ]] || fail 'coopvk compare'
checks_shaders "$folder"
tar -C "$work/unpacked" -xf "$work/one/coopvk-reference-$version-linux-x86_64.tar.xz"
has_reference "$work/unpacked/coopvk-reference-$version-linux-x86_64"

echo "test_release: passed ($version)"
