#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_recipes.sh SOURCE VERSION
# The recipes in cmake/package can be read by the programs that they are for, as far as these are
# installed, and have the version of CMakeLists.txt.
set -euo pipefail

cd "$1"
version=$2
recipes=cmake/package
tried=

fail() {
    printf 'test_recipes: %s\n' "$*" >&2
    exit 1
}
have() {
    command -v "$1" >/dev/null || return 1
    tried+=" $1"
}
# same WHAT VERSION: the version that a recipe has is coopvk's.
same() { [[ $2 == "$version" ]] || fail "$1: version '$2' instead of '$version'"; }

# makepkg itself refuses to run as root.
# shellcheck disable=SC2016  # for the inner shell
same PKGBUILD "$(startdir=$PWD/$recipes/arch bash -euc '. "$startdir/PKGBUILD" && echo "$pkgver"')"

if have rpmspec; then
    same coopvk.spec "$(rpmspec -q --qf '%{version}' $recipes/rpm/coopvk.spec)"
fi
if have nix-instantiate; then
    nix-instantiate --parse $recipes/nix/default.nix >/dev/null || fail default.nix
    expression="(import $PWD/$recipes/nix {
        pkgs = { stdenv.mkDerivation = package: package; };
    }).version"
    same default.nix "$(nix-instantiate --store dummy:// --eval --expr "$expression" | tr -d '"')"
fi
if have flatpak-builder; then
    id=org.freedesktop.Platform.VulkanLayer.coopvk
    flatpak-builder --show-manifest $recipes/flatpak/$id.yml | grep -q "\"id\" : \"$id\"" || fail $id
fi
echo "test_recipes: passed (PKGBUILD$tried)"
