# SPDX-License-Identifier: Apache-2.0
# The rule about the setting `auto`: whole processes without coopvk and with it, alternately.
# auto_rule.py judges them. Sourced by scripts/bench.
# shellcheck shell=bash disable=SC2154  # variables of that script

# auto_run SIDE LIMIT COMMAND...: prints "PROCESSOR_SECONDS WALL_SECONDS STATUS". A run ends after LIMIT
# seconds of processor time, so that one without end is a failure and not a hang.
auto_run() {
    local side=$1 limit=$2 switch=COOPVK_ENABLE=1
    shift 2
    [[ $side == auto ]] || switch=COOPVK_DISABLE=1
    # shellcheck disable=SC2016  # that shell expands it
    in_env env "$switch" COOPVK_EMULATE=auto XDG_CONFIG_HOME="$scratch/none" GGML_VK_VISIBLE_DEVICES=0 \
        MESA_SHADER_CACHE_DISABLE=true __GL_SHADER_DISK_CACHE=0 "${auto_environment[@]}" \
        bash -c 'ulimit -t "$1"; log=$2; shift 2; TIMEFORMAT="%U %S %R"
            { time "$@" >"$log" 2>&1 </dev/null; } 2>"$log.time"; status=$?
            # No test has these parameters, or all were left out.
            ! grep -qE "\b0/0 tests passed|  PASSED  . 0 tests" "$log" || status=1
            awk -v status=$status "END { print \$1 + \$2, \$3, status }" "$log.time"' \
        bash "$limit" "$scratch/auto.log" "$@"
}

# auto_program NAME COMMAND...: adds the pairs of runs of a program to the samples, until auto_rule.py can
# judge them, or there are $most. The sides take turns (without, auto, auto, without, without, ...), so
# that slow changes of the machine affect both equally.
auto_program() {
    local name=$1 round side first processor wall status limit=600 samples=$scratch/auto-program
    shift
    # shellcheck disable=SC2053  # a pattern
    [[ $name == $program ]] || return 0
    : >"$samples"
    for ((round = 1; round <= most; ++round)); do
        first=without && ((round % 2 == 1)) || first=auto
        for side in $first $([[ $first == auto ]] && echo without || echo auto); do
            read -r processor wall status <<<"$(auto_run "$side" "$limit" "$@")"
            printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$device" "$name" "$round" "$side" \
                "$processor" "$wall" "$status" >>"$samples"
            # Ten times as long is too long in any case.
            [[ $side == auto ]] || limit=$(awk "BEGIN { print int(10 * $processor) + 10 }")
        done
        # What fails in both is not tried again.
        status=0
        python3 -B tests/bench/auto_rule.py "$samples" --clock "$clock" --quiet || status=$?
        if ((status != 2)) || tail -n 2 "$samples" | awk '$NF == 0 { ran = 1 } END { exit ran }'; then break; fi
    done
    python3 -B tests/bench/auto_rule.py "$samples" --clock "$clock" | tail -n 1 >&2 || true
    cat "$samples" >>"$scratch/auto"
}

auto_ggml() {
    # A whole tile: with others, ggml's result on lavapipe's own matrices is wrong without coopvk, too.
    local type shapes='type_b=f32,m=16,n=16,k=256,bs=\[1,1\],nr=\[1,1\],per=\[0,1,2,3\]'
    local attention='hsk=64,hsv=64,nh=4,nr23=\[1,1\],kv=113,nb=32,mask=1,sinks=0,max_bias=0\.0*,'
    attention+='logit_softcap=0\.0*,prec=f32,type_K=f16,'
    for type in f16 bf16 q4_0; do
        auto_program "ggml MUL_MAT, $type" "$ggml" test -b Vulkan0 -o MUL_MAT -p "type_a=$type,$shapes"
    done
    auto_program "ggml FLASH_ATTN_EXT, f16" "$ggml" test -b Vulkan0 -o FLASH_ATTN_EXT -p "$attention"
}

auto_llama() {
    local type model=$scratch/auto-model
    for type in $types; do
        in_env python3 -B tests/bench/random_model.py tiny "$type" "$model-$type"
        auto_program "llama-bench, tiny model of $type" "$llama" -p 96 -n 8 -r 1 -m "$model-$type"
    done
}

bench_auto() {
    local most=${pairs:-${quick:+5}} llama dawn clock=wall device
    local what='subgroup matrices' tests='*SubgroupMatrix*'
    # While ggml computes what it compares with, waiting threads must not count as work.
    local -a auto_environment=(OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0)
    most=${most:-13}
    ggml=$(in_env bash -c "$(declare -f find_ggml); find_ggml") ||
        die "ggml's test-backend-ops is not installed; name it with COOPVK_TEST_BACKEND_OPS"
    llama=$(find_in_env llama-bench "${COOPVK_LLAMA_BENCH:-}" llama.cpp-tools)
    if [[ ${VK_DRIVER_FILES:-} == *lvp_icd* ]]; then
        clock=processor
        tests='*MatrixMatrixArithmetic*:*TiledMatrixMultiply*TileDim_2_WorkgroupSize_128*'
        auto_environment+=(LP_NATIVE_VECTOR_WIDTH=$((lanes * 32)))
        # Without matrices, and `auto` offers none, either: Dawn leaves those tests out.
        ((lanes != 4)) || what='compute shaders' tests='*Compute*Memory*:*ComputeFlowControl*:-*f16*'
    fi
    device=$(in_env env COOPVK_DISABLE=1 GGML_VK_VISIBLE_DEVICES=0 "${auto_environment[@]}" "$llama" \
        --help 2>&1 | sed -n 's/.*ggml_vulkan: 0 = \(.*\) | uma.*/\1/p' | head -n 1) || true
    [[ -n $device ]] || die "ggml finds no Vulkan device"
    : >"$scratch/auto"
    in_env mkdir -p "$scratch"  # where nothing can be mounted, this is another folder
    auto_ggml
    auto_llama
    dawn=$(in_env bash -c 'command -v dawn_end2end_tests') || warn "no dawn_end2end_tests (Debian: dawn-tools)"
    [[ -z $dawn ]] || auto_program "Dawn, $what" "$dawn" --backend=vulkan \
        --gtest_filter="$tests"
    say "## auto: $clock time of whole processes, at most $most pairs"
    say ""
    python3 -B tests/bench/auto_rule.py "$scratch/auto" --clock $clock ${json:+--json "$json"}
}
