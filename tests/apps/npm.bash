# SPDX-License-Identifier: Apache-2.0
# Programs from npm, each alone: natively, with `auto` and with all emulated. Each compares its results
# itself (tests/apps/npm). On lavapipe they run with 8 lanes; on the reference device, which accepts graphics,
# with 32: natively with its matrices, else without them. Sourced by scripts/test-apps, after ggml.bash.
# shellcheck shell=bash disable=SC2154,SC2034  # variables of that script

# Program, model and its size, packages. Their install scripts do not run: all that is needed is in the packages.
readonly NPM_PROGRAMS=(
    "webgpu - webgpu@0.6.2"
    "onnxruntime - onnxruntime-node@1.30.0"
    "wgpu - @deno/linux-x64-glibc@2.9.6"
    "llama model:tiny node-llama-cpp@3.22.1 @node-llama-cpp/linux-x64@3.22.1
        @node-llama-cpp/linux-x64-vulkan@3.22.1"
    "whisper whisper:mini @fugood/whisper.node@1.1.3 @fugood/node-whisper-linux-x64-vulkan@1.1.3"
)
readonly NPM_FOLDER=$COOPVK_CACHE/npm

# npm_install PROGRAM PACKAGE...: into a folder of its own, once.
npm_install() {
    local folder=$NPM_FOLDER/$1 npm=(npm)
    shift
    mkdir -p "$folder"
    cp "$COOPVK_SOURCE"/tests/apps/npm/*.mjs "$folder/"
    [[ ! -f $folder/packages || $(<"$folder/packages") != "$*" ]] || return 0
    have npm || npm=(in_env npm)
    "${npm[@]}" install --prefix "$folder" --ignore-scripts --omit=optional --no-audit --no-fund \
        --no-package-lock --no-save "$@" >"$folder/log" 2>&1 || return 1
    printf '%s\n' "$*" >"$folder/packages"
}

# npm_model NAME SIZE: writes a model of random weights, prints where.
npm_model() {
    local file=$NPM_FOLDER/random_$1_$2
    [[ -f $file ]] || in_env python3 -B "$COOPVK_SOURCE/tests/bench/random_$1.py" "$2" f16 "$file" >&2
    printf '%s\n' "$file"
}

# npm_run PROGRAM MODEL DEVICE WAY ENVIRONMENT...: WAY is native, auto or all.
npm_run() {
    local program=$1 model=$2 device=$3 way=$4 out=$logs/npm-$1-$3-$4 rewritten
    local good=0 bad=1 seconds=- remark="no result"
    local -a command=(env "${@:5}" GGML_VK_VISIBLE_DEVICES=0) engine=(node)
    [[ $program != wgpu ]] || engine=(node_modules/@deno/linux-x64-glibc/deno run --allow-all --unstable-webgpu)
    [[ $way == native ]] && command+=(COOPVK_DISABLE=1) ||
        command+=("$tool" run --emulate "$way" --log-level info --)
    begin "npm $program, $device, $way"
    [[ $model == - ]] && model='' || model=$(npm_model "${model%:*}" "${model#*:}")
    (cd "$NPM_FOLDER/$program" && in_env "${command[@]}" timeout 1800 "${engine[@]}" "$program.mjs" \
        ${model:+"$model"}) >"$out" 2>&1 </dev/null || true
    rewritten=$(grep -c 'coopvk: info: .*: rewrote compute shader' "$out" || true)
    read -r _ good bad seconds remark < <(grep '^RESULT ' "$out") || {
        tail -n 5 "$out" >&2
        end 0 1 "no result"
        return
    }
    grep '^wrong: ' "$out" >&2 || true
    case $(npm_rewrites "$program" "$device" "$way"),$rewritten in
        some,0) end 0 "$good" "no emulated shader ran" ;;
        none,[1-9]*) end 0 "$good" "$rewritten emulated shaders ran in place of the driver's" ;;
        *) end $((good - bad)) "$bad" "$seconds s on the device, $rewritten shaders rewritten; $remark" ;;
    esac
}

# npm_rewrites PROGRAM DEVICE WAY: whether coopvk rewrites "some" of a program's shaders there, "none", or "any number".
# Results of a run in which it should and did not show nothing.
npm_rewrites() {
    case $([[ $1 == wgpu ]] || say "$2,$3") in
        '' | *,native) say none ;;  # wgpu uses no matrices
        lavapipe,auto) say none ;;  # it has matrices of its own with 8 lanes
        lavapipe,all) [[ $1 == onnxruntime ]] && say any || say some ;;  # which asks for 32 lanes
        reference,*) say some ;;
        *,auto) say any ;;
        *,all) say some ;;
    esac
}

npm_on_reference() {
    local way folder=$COOPVK_SOURCE/build/$preset/reference/icd
    local -a device=(VK_DRIVER_FILES="$folder/coopvk_reference.json" COOPVK_REFERENCE_CHECKS=none
        COOPVK_REFERENCE_GRAPHICS=accept)
    if ! in_env test -e "$folder/libcoopvk_reference.so"; then
        skip "npm $1 on the reference device: it is not built"
        return
    fi
    npm_run "$1" "$2" reference native "${device[@]}"
    for way in auto all; do
        npm_run "$1" "$2" reference "$way" "${device[@]}" COOPVK_REFERENCE_EXTENSIONS=none
    done
}

test_npm() {
    local entry program model way
    local -a packages
    in_env bash -c 'command -v node' >/dev/null || "$COOPVK_SOURCE/scripts/setup" --npm
    for entry in "${NPM_PROGRAMS[@]}"; do
        read -r -d '' -a packages <<<"$entry" || true
        program=${packages[0]} model=${packages[1]}
        [[ " ${COOPVK_TEST_NPM:-$program} " == *" $program "* ]] || continue
        if ! npm_install "$program" "${packages[@]:2}"; then
            skip "npm $program: ${packages[*]:2} ($(tail -n 1 "$NPM_FOLDER/$program/log"))"
            continue
        fi
        for way in native auto all; do
            if [[ -n $on_lavapipe ]]; then
                npm_run "$program" "$model" lavapipe "$way" LP_NATIVE_VECTOR_WIDTH=256
            else
                npm_run "$program" "$model" own "$way"
            fi
        done
        [[ -z $on_lavapipe ]] || npm_on_reference "$program" "$model"
    done
}
