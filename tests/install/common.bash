# SPDX-License-Identifier: Apache-2.0
# Functions that the tests of installations share. Sourced, never run.
# shellcheck shell=bash
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VK_DRIVER_FILES=${VK_DRIVER_FILES:-/usr/share/vulkan/icd.d/lvp_icd.json}
export LP_NATIVE_VECTOR_WIDTH=128 # without matrices of its own
unset COOPVK_ENABLE COOPVK_DISABLE COOPVK_EMULATE VK_LAYER_PATH VK_ADD_LAYER_PATH \
    VK_IMPLICIT_LAYER_PATH VK_ADD_IMPLICIT_LAYER_PATH VK_INSTANCE_LAYERS
export COOPVK_EMULATE=auto,VK_KHR_cooperative_matrix # which `auto` alone does not offer to such a CPU

fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# The names in a folder, sorted, without that of the folder.
list() { (cd "$1" && find . -mindepth 1 | sort); }

# sees_layer WANTED COMMAND...: whether vulkaninfo, under COMMAND, lists the layer.
sees_layer() {
    local wanted=$1 out found=no
    shift
    out=$("$@" vulkaninfo --summary 2>/dev/null) || fail "vulkaninfo fails under: $*"
    [[ $out == *llvmpipe* ]] || fail "vulkaninfo sees no device under: $*"
    [[ $out != *VK_LAYER_COOPVK_emulation* ]] || found=yes
    [[ $found == "$wanted" ]] || fail "layer listed: $found, not $wanted, under: $*"
}

# gives_matrices WANTED COMMAND...: whether a device has the feature.
gives_matrices() {
    local wanted=$1 out found=no
    shift
    out=$("$@" vulkaninfo 2>/dev/null) || fail "vulkaninfo fails under: $*"
    ! grep -Eq 'cooperativeMatrix +=.*true' <<<"$out" || found=yes
    [[ $found == "$wanted" ]] || fail "matrices: $found, not $wanted, under: $*"
}

# works_by_configuration PREFIX: a section of coopvk.conf switches the layer on between
# `coopvk config --install` and `coopvk config --uninstall`.
works_by_configuration() {
    local coopvk=$1/bin/coopvk folder=$work/configuration
    local -x XDG_CONFIG_HOME=$folder
    mkdir -p "$folder/coopvk"
    printf '[exe = vulkaninfo]\nenable = true\n' >"$folder/coopvk/coopvk.conf"
    gives_matrices no env
    "$coopvk" config --install >/dev/null
    gives_matrices yes env
    gives_matrices no env COOPVK_DISABLE=1
    printf '[exe = another]\nenable = true\n' >"$folder/coopvk/coopvk.conf"
    gives_matrices no env
    "$coopvk" config --uninstall >/dev/null
    [[ -z $(ls -A "$folder/vulkan/implicit_layer.d") ]] || fail 'coopvk config --uninstall leaves files'
    rm -r "$folder"
}

# configures_both PREFIX: `coopvk config --install` writes a manifest for each word size.
configures_both() {
    local -x XDG_CONFIG_HOME=$1/configuration
    local folder=$XDG_CONFIG_HOME/vulkan/implicit_layer.d
    "$1/bin/coopvk" config --install >/dev/null
    grep -q '"library_arch": "64"' "$folder/VkLayer_coopvk_configured.json" || fail 'not for 64 bits'
    grep -q '"library_arch": "32"' "$folder/VkLayer_coopvk_configured_32.json" || fail 'not for 32 bits'
    "$1/bin/coopvk" config --uninstall >/dev/null
    [[ -z $(ls -A "$folder") ]] || fail "coopvk config --uninstall leaves $(ls -A "$folder")"
}

# names_its_architecture PREFIX: the loader passes a manifest over if it names another architecture than
# that of the process, and takes one that lies beside it.
names_its_architecture() {
    local copy=$work/other_architecture
    local data="env XDG_DATA_DIRS=$copy/share COOPVK_ENABLE=1"
    local manifests=$copy/share/vulkan/implicit_layer.d
    cp -R "$1" "$copy"
    # shellcheck disable=SC2086  # a command and its arguments
    {
        sees_layer yes $data
        sed 's/"library_arch": "64"/"library_arch": "32"/' "$manifests/VkLayer_coopvk.json" \
            >"$manifests/VkLayer_coopvk_32.json"
        sees_layer yes $data
        configures_both "$copy"
        mv "$manifests/VkLayer_coopvk_32.json" "$manifests/VkLayer_coopvk.json"
        sees_layer no $data
    }
    rm -r "$copy"
}

# checks_shaders PREFIX: `coopvk check` there executes a shader, without Vulkan and without the source folder.
checks_shaders() {
    local said shader=$work/checked.spv
    glslangValidator --quiet --target-env vulkan1.3 -V -o "$shader" \
        "$(dirname -- "${BASH_SOURCE[0]}")/../tool/run_app.comp"
    said=$(cd / && VK_DRIVER_FILES=$work/none.json "$1/bin/coopvk" check --lanes 8,32 "$shader" 2>&1) ||
        fail "coopvk check in $1: status $?: $said"
    [[ $said == *'32 lanes, core: agrees'* ]] || fail "coopvk check in $1: $said"
}

# has_reference PREFIX: the loader finds the reference device there if its manifest is named, and only then.
has_reference() {
    local manifest=$1/share/coopvk/coopvk_reference.json
    seen() { env "$@" vulkaninfo --summary 2>&1 | grep -c 'deviceName.*coopvk reference' || true; }
    [[ $(seen VK_DRIVER_FILES="$manifest") == 1 ]] || fail "no reference device in $1"
    [[ $(seen -u VK_DRIVER_FILES VK_ADD_DRIVER_FILES="$manifest") == 1 ]] || fail "not added: the reference device in $1"
    [[ $(seen -u VK_DRIVER_FILES XDG_DATA_DIRS="$1/share") == 0 ]] || fail 'the reference device comes unasked'
}

# works_in PREFIX: the loader finds the layer there as in /usr; the layer is off by default; the tool in
# that prefix works.
works_in() {
    local prefix=$1 data="env XDG_DATA_DIRS=$1/share"
    # shellcheck disable=SC2086  # a command and its arguments
    {
        gives_matrices no $data
        gives_matrices yes $data COOPVK_ENABLE=1
        gives_matrices no $data COOPVK_ENABLE=1 COOPVK_DISABLE=1
        sees_layer yes $data COOPVK_ENABLE=1
    }
    names_its_architecture "$prefix"
    works_by_configuration "$prefix"
    gives_matrices no env COOPVK_ENABLE=1
    gives_matrices yes "$prefix/bin/coopvk" run --
    [[ $("$prefix/bin/coopvk" info) == *'VK_KHR_cooperative_matrix '*emulated* ]] ||
        fail "coopvk info shows nothing emulated"
}
