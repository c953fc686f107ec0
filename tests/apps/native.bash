# SPDX-License-Identifier: Apache-2.0
# ggml and Dawn on the driver's own matrices. Lavapipe's are 8x8x8 at 8 lanes, so every larger shape
# consists of tiles. Sourced by scripts/test-apps, after ggml.bash and dawn.bash.
# shellcheck shell=bash disable=SC2154,SC2034  # variables of that script

native_ggml() {
    local lanes=$1 type
    if [[ -n $quick ]]; then
        ggml_run "$lanes" MUL_MAT q4_0 \
            'type_a=q4_0,type_b=f32,m=(16|100),n=16,k=(256|96),bs=\[1,1\],nr=\[1,1\]'
        return
    fi
    for type in f16 q4_0; do
        ggml_run "$lanes" MUL_MAT "$type" \
            "type_a=$type,type_b=f32,m=(16|100),n=16,k=(256|96),bs=\\[(1,1|3,2)\\],nr=\\[1,1\\]"
    done
    ggml_run "$lanes" MUL_MAT_ID f16 "type_a=f16,.*n_mats=4,n_used=2,b=0,m=512,n=17,"
    ggml_run "$lanes" FLASH_ATTN_EXT f16 "$GGML_ATTENTION,type_K=f16,"
}

test_native() {
    say "on the driver's own matrices:"
    back_end=native
    local lanes=8 tests='*SubgroupMatrix*:-*TileDim_32_*' expected=40
    [[ -n $on_lavapipe ]] || lanes=own tests='*SubgroupMatrix*' expected=44
    if ggml=$(in_env bash -c "$(declare -f find_ggml); find_ggml"); then
        native_ggml $lanes
    else
        skip "ggml: test-backend-ops is not installed"
    fi
    if [[ -z $quick ]]; then
        if in_env bash -c 'command -v dawn_end2end_tests' >/dev/null; then
            dawn_run $lanes "$tests" $expected
        else
            skip "Dawn: dawn_end2end_tests is not installed"
        fi
    fi
    back_end=auto
}
