#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_cross.sh SOURCE
# The builds for other systems are configured: the layer alone (as for i386), and all (as for arm64). This
# machine's compiler does that, called a cross-compiler.
# shellcheck source=common.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/common.bash"

for companion in ON OFF; do
    cmake -G Ninja -S "$1" -B "$work/$companion" -D CMAKE_SYSTEM_NAME=Linux -D CMAKE_SYSTEM_PROCESSOR=x86_64 \
        -D COOPVK_COMPANION=$companion -D COOPVK_BUILD_TESTS=ON \
        >"$work/log" 2>&1 || fail "COOPVK_COMPANION=$companion: $(<"$work/log")"
done

echo 'test_cross: passed'
