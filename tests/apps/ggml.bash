# SPDX-License-Identifier: Apache-2.0
# ggml's test-backend-ops (llama.cpp's tests of its back ends) with emulated matrices. It compares
# each result with ggml's own on the CPU. Sourced by scripts/test-apps.
# shellcheck shell=bash disable=SC2154  # variables of that script

# ggml multiplies up to 8 columns as vectors: matrices begin with 9.
readonly GGML_TYPES=(f16 f32 bf16 q4_0 q8_0 q4_K)
GGML_ATTENTION='hsk=64,hsv=64,nh=4,nr23=\[1,1\],kv=113,nb=32,mask=1,sinks=0,max_bias=0\.0*,'
GGML_ATTENTION+='logit_softcap=0\.0*,prec=f32'
readonly GGML_ATTENTION
find_ggml() {
    local candidate
    for candidate in ${COOPVK_TEST_BACKEND_OPS:+"$COOPVK_TEST_BACKEND_OPS"} \
        /usr/libexec/*/llama.cpp-tests/test-backend-ops \
        /usr/lib/*/llama.cpp-tests/test-backend-ops "$(command -v test-backend-ops || true)"; do
        if [[ -x $candidate ]]; then printf '%s\n' "$candidate" && return; fi
    done
    return 1
}

# ggml_run LANES OP TYPE PARAMETERS [WAY]: the tests whose parameters match a regular expression.
# WAY: which matrices ggml is to use, as it names them.
ggml_run() {
    local lanes=$1 op=$2 type=$3 parameters=$4 way=${5:-KHR_coopmat} good all rewritten
    local out=$logs/ggml-$back_end-$1-$2-$3-$way without=GGML_VK_DISABLE_COOPMAT2=1
    [[ $way == KHR_coopmat ]] || without=GGML_TEST=$way
    begin "ggml $2 $3, $way, $1 lanes"
    # Without the variable ggml leaves out devices that are a CPU.
    in_coopvk "$lanes" env GGML_VK_VISIBLE_DEVICES=0 "$without" "$ggml" test -b Vulkan0 -o "$op" \
        -p "$parameters" >"$out.raw" 2>"$out.log" </dev/null || true
    sed $'s/\x1b\\[[0-9;]*m//g' "$out.raw" >"$out"
    IFS=/ read -r good all < <(sed -n 's|^ *\([0-9]*/[0-9]*\) tests passed$|\1|p' "$out") || true
    rewritten=$(count_rewritten "$out.log")
    if [[ -z ${all:-} || $all == 0 ]]; then
        tail -n 5 "$out" "$out.log" >&2
        end 0 1 "ran no test"
    elif ! grep -q "matrix cores: $way" "$out.log" "$out"; then
        end 0 "$all" "ggml saw no matrices of that kind"
    elif ((rewritten == 0)); then
        end 0 "$all" "no emulated shader ran"
    else
        grep -oE "$op\\(.*\\): FAIL\$" "$out" >&2 || true
        end "$good" $((all - good)) "$rewritten shaders rewritten"
    fi
}

# ggml_selection LANES: a few shapes of each type: whole tiles, batches, and tiles that extend beyond the
# edge.
ggml_selection() {
    local lanes=$1 type
    for type in "${GGML_TYPES[@]}"; do
        ggml_run "$lanes" MUL_MAT "$type" \
            "type_a=$type,type_b=f32,m=(16|100),n=16,k=(256|96),bs=\\[(1,1|3,2)\\],nr=\\[1,1\\]"
    done
    # ggml assumes that subgroups have at least 8 lanes: it writes products through shared memory with one
    # lane for each of a tile's 8 rows (WARP and TM in mul_mm.comp).
    for type in $([[ $lanes == 4 ]] || echo f16 q4_K); do
        ggml_run "$lanes" MUL_MAT_ID "$type" "type_a=$type,.*n_mats=4,n_used=2,b=0,m=512,n=17,"
    done
    for type in f16 bf16 q8_0; do
        ggml_run "$lanes" FLASH_ATTN_EXT "$type" "$GGML_ATTENTION,type_K=$type,"
    done
}

# The driver takes seconds to compile one of these shaders, so this runs each operation, each way in
# which ggml unpacks a type, whole tiles, and tiles that extend beyond the edge. Lavapipe has no
# matrices of its own with 4 lanes.
ggml_quick() {
    local type some='type_b=f32,m=(16|100),n=16,k=(256|96),bs=\[1,1\],nr=\[1,1\]'
    ggml_run 4 MUL_MAT f16 "type_a=f16,$some"
    for type in f16 f32 bf16 q4_K; do ggml_run 8 MUL_MAT "$type" "type_a=$type,$some"; done
    ggml_run 8 MUL_MAT_ID q4_0 'type_a=q4_0,.*n_mats=4,n_used=2,b=0,m=512,n=17,'
    ggml_run 8 FLASH_ATTN_EXT f16 "$GGML_ATTENTION,type_K=f16,"
    some='type_b=f32,m=16,n=16,k=256,bs=\[1,1\],nr=\[1,1\],per=\[0,1,2,3\]'
    for type in f16 q4_0; do ggml_run 8 MUL_MAT "$type" "type_a=$type,$some" NV_coopmat2; done
}

# ggml_complete LANES: all of ggml's tests of these operations and types.
ggml_complete() {
    local type
    # Flash attention has no q4_K.
    for type in "${GGML_TYPES[@]}"; do
        ggml_run "$1" MUL_MAT "$type" "type_a=$type,"
        ggml_run "$1" MUL_MAT_ID "$type" "type_a=$type,"
        [[ $type == q4_K ]] || ggml_run "$1" FLASH_ATTN_EXT "$type" "type_K=$type,"
        ggml_run "$1" MUL_MAT "$type" "type_a=$type," NV_coopmat2
        ggml_run "$1" MUL_MAT_ID "$type" "type_a=$type," NV_coopmat2
    done
}

test_ggml() {
    if ! ggml=$(in_env bash -c "$(declare -f find_ggml); find_ggml"); then
        skip "ggml: test-backend-ops is not installed (Debian: llama.cpp-tests," \
            "libggml0-backend-vulkan); name it with COOPVK_TEST_BACKEND_OPS"
        return
    fi
    if [[ -z $on_lavapipe ]]; then
        if [[ -n $quick ]]; then ggml_selection own; else ggml_complete own; fi
    elif [[ -n $quick ]]; then
        ggml_quick
    else
        ggml_selection 4 && ggml_selection 16 && ggml_complete 8
    fi
}
