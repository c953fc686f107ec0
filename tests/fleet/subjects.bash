# SPDX-License-Identifier: Apache-2.0
# Collects shaders that are not part of the project, or that only its tests make, in a folder of the
# build, for the long run of the fleet. Sourced by scripts/fleet.
# shellcheck shell=bash disable=SC2154  # variables of that script
# shellcheck source=../apps/compilers.bash
source "$COOPVK_SOURCE/tests/apps/compilers.bash"
# shellcheck source=../apps/ggml.bash
source "$COOPVK_SOURCE/tests/apps/ggml.bash"

# count_shaders FOLDER
count_shaders() { find "$1" -name '*.spv' | wc -l; }

# The shaders of the driver tests: the test programs write them to files, whatever the results are.
collect_driver() {
    local folder=$collected/driver
    [[ ! -d $folder ]] || return 0
    say "== collecting the shaders of the driver tests (minutes)"
    mkdir -p "$folder.new"
    in_env cmake --build build/release --parallel "$(jobs_count)" --target driver_tests >&2
    COOPVK_KEEP_SHADERS=$folder.new in_env "$program" --device navi21 -- \
        build/release/tests/driver/driver_tests --gtest_brief=1 >"$collected/driver.log" 2>&1 || true
    mv "$folder.new" "$folder"
    say "$(count_shaders "$folder") shaders"
}

# Shaders of glslang's suite that no device takes: layouts of Arm's GPUs, interpretations and sizes that
# none lists, resources without bindings.
never_accepted() {
    case $1 in
        spv.coopmat_armlayout.comp | spv.coopvec.comp | spv.qcom.coopmatConversion.[12].comp | \
            spv.qcom.multiple_wait_queues.comp) return 0 ;;
    esac
    return 1
}

# Runs where coopvk is built: glslang's suite, as test_compilers takes it, compiled.
compile_corpus() {
    local tests=$1 folder=$2 file name
    for file in "$tests"/spv.*.comp; do
        name=${file##*/}
        [[ -f $file && $name != *[eE]rror* ]] || continue
        ! never_accepted "$name" || continue
        grep -qiE 'cooperative|coopmat|coopvec' "$file" || continue
        glslang --amb --aml --target-env vulkan1.3 -V "$file" -o "$folder/$name.spv" >/dev/null 2>&1 ||
            rm -f "$folder/$name.spv"
    done
}

collect_glslang() {
    local folder=$collected/glslang tests
    [[ ! -d $folder ]] || return 0
    if ! tests=$(find_glslang_tests) && { ! fetch_glslang || ! tests=$(find_glslang_tests); }; then
        warn "SKIPPED: glslang's test suite: no copy; name one with COOPVK_GLSLANG_SOURCE"
        return 0
    fi
    mkdir -p "$folder"
    in_env bash -c "$(declare -f never_accepted compile_corpus)"'; compile_corpus "$@"' compile_corpus "$tests" \
        "$folder"
    say "== $(count_shaders "$folder") shaders of glslang's test suite"
}

# capture_ggml DEVICE NAME 'VARIABLE=VALUE ...' ARGUMENT...: saves the shaders of ggml's pipelines in such
# a run.
capture_ggml() {
    local device=$1 folder=$collected/ggml/$1/$2 variables
    read -ra variables <<<"$3"
    shift 3
    [[ ! -d $folder ]] || return 0
    mkdir -p "$folder"
    in_env env GGML_VK_VISIBLE_DEVICES=0 GGML_VK_DEBUG_MARKERS=1 "${variables[@]}" timeout 300 \
        "$program" --device "$device" --capture "$folder" -- "$ggml" "$@" -b Vulkan0 \
        >"$folder/log" 2>&1 </dev/null || true
}

# How ggml computes products: with VK_NV_cooperative_matrix2, with VK_KHR_cooperative_matrix, without both.
declare -rA GGML_KINDS=(
    [matrix2]='COOPVK_FLEET=1'
    [matrices]='GGML_VK_DISABLE_COOPMAT2=1'
    [plain]='GGML_VK_DISABLE_COOPMAT2=1 GGML_VK_DISABLE_COOPMAT=1'
)

# collect_ggml DEVICE: its largest products and its flash attention, in each of these ways.
collect_ggml() {
    local device=$1 type kind ggml
    if ! ggml=$(in_env bash -c "$(declare -f find_ggml); find_ggml"); then
        warn "SKIPPED: ggml on $device: test-backend-ops is not installed (Debian: llama.cpp-tests," \
            "libggml0-backend-vulkan)"
        return 0
    fi
    for kind in "${!GGML_KINDS[@]}"; do
        for type in f16 q4_0 q8_0; do
            capture_ggml "$device" "$type-$kind" "${GGML_KINDS[$kind]}" perf -o MUL_MAT -p \
                "type_a=$type,type_b=f32,m=4096,n=512,k=14336"
        done
        capture_ggml "$device" "attention-$kind" "${GGML_KINDS[$kind]}" test -o FLASH_ATTN_EXT -p \
            'hsk=64,hsv=64,nh=4,nr23=\[1,1\],kv=113,nb=32,mask=1,sinks=0,max_bias=0\.0*,logit_softcap=0\.0*,prec=f32,type_K=f16'
    done
    say "== $(count_shaders "$collected/ggml/$device") shaders of ggml's on $device" \
        "$(sed -n 's/^ *what(): */(ggml says: /p' "$collected/ggml/$device"/*/log | sed -n '1s/$/)/p')"
}
