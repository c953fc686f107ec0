# SPDX-License-Identifier: Apache-2.0
# Dawn's end-to-end tests of WebGPU's subgroup matrices with emulated ones. Sourced by
# scripts/test-apps.
# shellcheck shell=bash disable=SC2154  # variables of that script

# dawn_run LANES FILTER EXPECTED: Dawn skips what a device cannot do, so the number that must pass
# is given.
dawn_run() {
    local lanes=$1 filter=$2 expected=$3 out=$logs/dawn-$back_end-$1 good bad rewritten
    begin "Dawn subgroup matrices, $lanes lanes"
    in_coopvk "$lanes" dawn_end2end_tests --backend=vulkan --gtest_filter="$filter" \
        >"$out" 2>"$out.log" </dev/null || true
    good=$(grep -c '^\[       OK \]' "$out" || true)
    bad=$(grep -c '^\[  FAILED  \].* ms)$' "$out" || true)
    rewritten=$(count_rewritten "$out.log")
    if ((good + bad < expected)); then
        tail -n 5 "$out" "$out.log" >&2
        bad=$((expected - good))
    fi
    grep '^\[  FAILED  \].* ms)$' "$out" >&2 || true
    if ((rewritten == 0)); then
        end 0 $((good + bad)) "no emulated shader ran"
    else
        end "$good" "$bad" "$rewritten shaders rewritten"
    fi
}

test_dawn() {
    if ! in_env bash -c 'command -v dawn_end2end_tests' >/dev/null; then
        skip "Dawn: dawn_end2end_tests is not installed (Debian: dawn-tools)"
        return
    fi
    if [[ -z $on_lavapipe ]]; then
        dawn_run own '*SubgroupMatrix*' 44
        return
    fi
    # A driver without matrices of its own. Two more tests need other devices, and are skipped with
    # lavapipe's own matrices, too: the subgroup size cannot be chosen, and limits are not tiered.
    dawn_run 4 '*SubgroupMatrixTest.*:*MatrixConstruct.*:*MatrixConstruct/*' 6
    # The four tests of the largest tiles compile for an hour: some ten seconds for each shape listed.
    [[ -n $quick ]] || dawn_run 8 '*SubgroupMatrix*:-*TileDim_32_*' 40
}
