# SPDX-License-Identifier: Apache-2.0
# Debian's whisper.cpp with a model of random weights: it must hear on the device what it hears on the CPU. On lavapipe
# it runs with 8 lanes; on the reference device with 32: natively with its matrices, else without them. Sourced by
# scripts/test-apps, after ggml.bash.
# shellcheck shell=bash disable=SC2154  # variables of that script

# whisper_hear NAME SOUND COMMAND...: what COMMAND whisper-cli hears, in NAME.json.
whisper_hear() {
    local name=$1 sound=$2
    shift 2
    # One text without fall-backs and times: nothing is chosen at random.
    in_env "$@" whisper-cli -m "$logs/whisper-model" -f "$logs/whisper-$sound.wav" -t 2 -bo 1 -bs 1 -nf -nt -ojf \
        -of "$logs/$name" >"$logs/$name.log" 2>&1 </dev/null || true
}

whisper_compare() { in_env python3 -B "$COOPVK_SOURCE/tests/apps/whisper.py" compare "$logs/whisper-cpu.json" "$1"; }

# whisper_run DEVICE WAY CORES ENVIRONMENT...: WAY is native, auto or all; CORES are the matrices that ggml is to use.
whisper_run() {
    local way=$2 cores=$3 name=whisper-$1-$2-$3 rewritten good bad remark
    local -a command=(env "${@:4}" GGML_VK_VISIBLE_DEVICES=0)
    [[ $cores == NV_coopmat2 ]] || command+=(GGML_VK_DISABLE_COOPMAT2=1)
    [[ $way == native ]] && command+=(COOPVK_DISABLE=1) ||
        command+=("$tool" run --emulate "$way" --log-level info --)
    begin "whisper.cpp, $1, $way, $cores"
    whisper_hear "$name" 1 "${command[@]}"
    rewritten=$(grep -c 'coopvk: info: .*: rewrote compute shader' "$logs/$name.log" || true)
    read -r good bad remark < <(whisper_compare "$logs/$name.json" 2>/dev/null) || {
        tail -n 5 "$logs/$name.log" >&2
        end 0 1 "heard nothing"
        return
    }
    if ! grep -q "matrix cores: $cores" "$logs/$name.log"; then
        end 0 1 "ggml saw no matrices of that kind"
    elif [[ $way == all || $4 == *_EXTENSIONS=none ]] && ((rewritten == 0)); then
        end 0 1 "no emulated shader ran"
    else
        end "$good" "$bad" "$rewritten shaders rewritten; $remark"
    fi
}

whisper_on_reference() {
    local folder=$COOPVK_SOURCE/build/$preset/reference/icd cores
    local -a device=(VK_DRIVER_FILES="$folder/coopvk_reference.json" COOPVK_REFERENCE_CHECKS=none)
    if ! in_env test -e "$folder/libcoopvk_reference.so"; then
        skip "whisper.cpp on the reference device: it is not built"
        return
    fi
    for cores in NV_coopmat2 KHR_coopmat; do
        whisper_run reference native "$cores" COOPVK_REFERENCE_EXTENSIONS=all "${device[@]}"
        whisper_run reference all "$cores" COOPVK_REFERENCE_EXTENSIONS=all "${device[@]}"
    done
    whisper_run reference auto KHR_coopmat COOPVK_REFERENCE_EXTENSIONS=none "${device[@]}"
}

# The tokens that the CPU finds, and others for another sound: else nothing would be compared.
whisper_expect() {
    local right wrong sound
    in_env python3 -B "$COOPVK_SOURCE/tests/bench/random_whisper.py" mini f16 "$logs/whisper-model"
    for sound in 1 4; do
        in_env python3 -B "$COOPVK_SOURCE/tests/apps/whisper.py" sound "$sound" "$logs/whisper-$sound.wav"
    done
    whisper_hear whisper-cpu 1 env COOPVK_DISABLE=1
    whisper_hear whisper-other 4 env COOPVK_DISABLE=1
    read -r right wrong _ < <(whisper_compare "$logs/whisper-other.json") && ((right < wrong))
}

test_whisper() {
    in_env bash -c 'command -v whisper-cli' >/dev/null || "$COOPVK_SOURCE/scripts/setup" --whisper
    begin "whisper.cpp, CPU, two sounds"
    whisper_expect || { end 0 1 "it hears no difference" && return; }
    end 1 0 "it hears which is which"
    if [[ -z $on_lavapipe ]]; then
        whisper_run own all NV_coopmat2 LC_ALL=C.UTF-8
        whisper_run own all KHR_coopmat LC_ALL=C.UTF-8
        return
    fi
    [[ -n $quick ]] || whisper_run lavapipe native KHR_coopmat LP_NATIVE_VECTOR_WIDTH=256
    whisper_run lavapipe all NV_coopmat2 LP_NATIVE_VECTOR_WIDTH=256
    whisper_run lavapipe all KHR_coopmat LP_NATIVE_VECTOR_WIDTH=256
    whisper_on_reference
}
