#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_environment.sh             no coopvk is installed and switched on here
#        test_environment.sh BUILD CTEST   the same in a ctest that a user starts who has it so
# shellcheck source=common.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/common.bash"

if (($# == 0)); then
    sees_layer no env COOPVK_ENABLE=1
    [[ -n $COOPVK_CACHE ]] || fail 'the cache is not known'
    echo 'test_environment: passed'
    exit
fi
export HOME=$work/home XDG_CONFIG_HOME=$work/configuration COOPVK_ENABLE=1 COOPVK_DUMP_DIR=$work/dump
unset COOPVK_CACHE
for folder in "$HOME/.local/share" "$XDG_CONFIG_HOME"; do
    mkdir -p "$folder/vulkan/implicit_layer.d"
    cp "$1/layer/VkLayer_coopvk.json" "$folder/vulkan/implicit_layer.d/"
done
sees_layer yes env
"$2" --test-dir "$1" -R '^install[.]sees_none$' --no-tests=error --output-on-failure >"$work/log" 2>&1 ||
    fail "$(<"$work/log")"
echo 'test_environment: passed'
