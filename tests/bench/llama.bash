# SPDX-License-Identifier: Apache-2.0
# llama.cpp's llama-bench and whisper.cpp's whisper-bench with models of random weights: with ggml's plain
# shaders, with emulated matrices and with the driver's own. Sourced by scripts/bench.
# shellcheck shell=bash disable=SC2154  # variables of that script

readonly LLAMA_NV2=VK_NV_cooperative_matrix2,VK_NV_cooperative_matrix_decode_vector
# Name, what ggml must say of its matrix cores, environment. llama_wanted says which of them run.
readonly LLAMA_WAYS=(
    "plain none COOPVK_DISABLE=1 GGML_VK_DISABLE_COOPMAT=1 GGML_VK_DISABLE_COOPMAT2=1"
    "native * COOPVK_DISABLE=1"
    "native-KHR KHR_coopmat COOPVK_DISABLE=1 GGML_VK_DISABLE_COOPMAT2=1"
    "KHR KHR_coopmat COOPVK_ENABLE=1 COOPVK_EMULATE=all GGML_VK_DISABLE_COOPMAT2=1"
    "NV2 NV_coopmat2* COOPVK_ENABLE=1 COOPVK_EMULATE=all"
    "NV2-on-KHR NV_coopmat2* COOPVK_ENABLE=1 COOPVK_EMULATE=$LLAMA_NV2"
)

llama_describe() {
    case $1 in
        plain) say "ggml's plain shaders" ;;
        native) say "the driver's own: $2" ;;
        native-KHR) say "the driver's own: KHR_coopmat" ;;
        KHR) say "VK_KHR_cooperative_matrix emulated" ;;
        NV2) say "VK_NV_cooperative_matrix2 emulated" ;;
        NV2-on-KHR) say "VK_NV_cooperative_matrix2 on the driver's VK_KHR_cooperative_matrix" ;;
    esac
}

# llama_wanted WAY OWN: whether a driver whose own matrices are OWN, as ggml names them, has this way.
# Lavapipe's own are so slow that the last one takes minutes there.
llama_wanted() {
    case $1 in
        native) [[ $2 != none ]] ;;
        NV2-on-KHR) [[ $2 != none && ${VK_DRIVER_FILES:-} != *lvp_icd* ]] ;;
        native-KHR) [[ $2 == NV_coopmat2* ]] ;;
    esac
}

# find_program NAME CANDIDATE: CANDIDATE if there is one, else the NAME in PATH.
find_program() {
    local candidate=${2:-$(command -v "$1")}
    [[ -x $candidate ]] && printf '%s\n' "$candidate"
}

find_in_env() {
    in_env bash -c "$(declare -f find_program)"'; find_program "$@"' bash "$@" ||
        die "$1 is not installed (Debian: $3)"
}

# What awk makes of a program's output: figures of which more is better, as figure[1] and so on.
# shellcheck disable=SC2016  # awk expands it
readonly LLAMA_FIGURES='
    function number(key) {
        if (!match($0, "\"" key "\": *[0-9.]+")) return 0
        return substr($0, RSTART + length(key) + 3, RLENGTH) + 0
    }
    /^{/ && number("n_prompt") { figure[1] = number("avg_ts") }
    /^{/ && number("n_gen") { figure[2] = number("avg_ts") }'
# shellcheck disable=SC2016
readonly WHISPER_FIGURES='
    match($0, /\( *[0-9.]+ ms per run\)/) {
        each = 1000 / (substr($0, RSTART + 1, RLENGTH) + 0)
        if (/ encode time/) figure[1] = each
        if (/ prompt time/) figure[2] = each
        if (/ batchd time/) figure[3] = each
        if (/ decode time/) figure[4] = each
    }'

# llama_run ENVIRONMENT...: prints "CORES REWRITTEN FIGURE...": ggml's name for its matrix cores, and how
# many shaders were rewritten. Drivers may keep compiled shaders: the programs compute once before they
# measure.
llama_run() {
    in_env env "$@" GGML_VK_VISIBLE_DEVICES=0 COOPVK_LOG_LEVEL=info \
        MESA_SHADER_CACHE_DIR="$samples/cache" __GL_SHADER_DISK_CACHE_PATH="$samples/cache" \
        "${command[@]}" -m "$model" >"$samples/log" 2>&1 </dev/null || warn "$(tail -n 5 "$samples/log")"
    awk "$figures"'
        match($0, /matrix cores: .*/) && !cores { cores = substr($0, RSTART + 14) }
        /coopvk: info: .*: rewrote compute shader/ { ++rewritten }
        END {
            printf "%s %d", cores ? cores : "none", rewritten
            for (i = 1; i in figure; ++i) printf " %s", figure[i]
            print ""
        }' "$samples/log"
}

# One row from lines "WAY ROUND FIGURE...", and the median of the rounds' ratios to the plain shaders.
llama_row() {
    awk -v way="$1" -v head="$2" "$MEDIAN"'
        { for (i = 3; i <= NF; ++i) speed[$1, $2, i] = $i; if ($2 > rounds) rounds = $2; fields = NF }
        END {
            printf "| %s |", head
            for (i = 3; i <= fields; ++i) {
                for (round = 1; round <= rounds; ++round) {
                    list[round] = speed[way, round, i]
                    ratios[round] = list[round] / speed["plain", round, i]
                }
                speed_text = sprintf(median(list, rounds) < 10 ? "%.3f" : "%.1f", median(list, rounds))
                printf " %s | %.2f |", speed_text, median(ratios, rounds)
            }
            print ""
        }' "$samples/speeds"
}

# llama_measure ROUND WAY EXPECTED ENVIRONMENT...: adds a line to the speeds.
llama_measure() {
    local round=$1 way=$2 expected=$3 cores rewritten result
    shift 3
    read -r cores rewritten result <<<"$(llama_run "$@")"
    (($(wc -w <<<"$result") == count)) || die "${command[0]} did not give $count figures ($type, $way)"
    # shellcheck disable=SC2053  # a pattern
    [[ $cores == $expected ]] || die "ggml's matrix cores are '$cores', not $expected ($type, $way)"
    case $way in
        plain | native*) ((rewritten == 0)) || die "emulated shaders ran ($type, $way)" ;;
        *) ((rewritten > 0)) || die "no emulated shader ran ($type, $way)" ;;
    esac
    say "$way $round $result" >>"$samples/speeds"
}

# llama_type TYPE OWN: the rows of one type of weights.
llama_type() {
    local type=$1 own=$2 way round
    local -a environment
    in_env python3 -B "tests/bench/$writer" "$size" "$type" "$model"
    : >"$samples/speeds"
    for ((round = 1; round <= ${rounds:-3}; ++round)); do
        for way in "${LLAMA_WAYS[@]}"; do
            read -ra environment <<<"$way"
            ! llama_wanted "${environment[0]}" "$own" || llama_measure "$round" "${environment[@]}"
        done
    done
    for way in "${LLAMA_WAYS[@]}"; do
        read -ra environment <<<"$way"
        ! llama_wanted "${environment[0]}" "$own" ||
            llama_row "${environment[0]}" "$type | $(llama_describe "${environment[0]}" "$own")"
    done
}

# llama_table HEADING FIGURE...: measures and prints.
llama_table() {
    local own type figure heads='| type | matrices |' line='|------|----------|' count=$(($# - 1))
    own=$(in_env env COOPVK_DISABLE=1 GGML_VK_VISIBLE_DEVICES=0 "${command[0]}" --help 2>&1 |
        sed -n 's/.*matrix cores: //p' | head -n 1) || true
    [[ -n $own ]] || die "ggml finds no Vulkan device"
    mkdir "$samples"
    in_env mkdir -p "$samples"  # where nothing can be mounted, this is another folder
    say "## $1"
    say ""
    for figure in "${@:2}"; do heads+=" $figure | times plain |" line+='---|---|'; done
    say "$heads"
    say "$line"
    for type in $types; do llama_type "$type" "$own"; done
    say ""
}

# choose_size SMALLEST DEFAULT LARGEST: the caller's choice, or the smallest on lavapipe.
choose_size() {
    if [[ -z $size ]]; then
        [[ ${VK_DRIVER_FILES:-} == *lvp_icd* ]] && size=$1 || size=$2
    fi
    [[ " $* " == *" $size "* ]] || die "--size takes $1, $2 or $3"
}

bench_llama() {
    local size=$size prompt=512 generated=32 rounds=${quick:+1} program figures=$LLAMA_FIGURES
    local samples=$scratch/llama model=$scratch/llama/model writer=random_model.py
    local -a command
    choose_size tiny 1b 7b
    [[ $size != tiny ]] || prompt=128 generated=16
    program=$(find_in_env llama-bench "${COOPVK_LLAMA_BENCH:-}" llama.cpp-tools)
    command=("$program" -p "$prompt" -n "$generated" -r 3 -o jsonl)
    [[ ${names[*]} != llama ]] || command+=("${arguments[@]}")
    llama_table "llama: model of size $size, prompt of $prompt tokens, $generated generated" \
        "prompt, tokens/s" "generation, tokens/s"
}

bench_whisper() {
    local size=$size rounds=${quick:+1} program figures=$WHISPER_FIGURES
    local samples=$scratch/whisper model=$scratch/whisper/model writer=random_whisper.py
    local -a command
    choose_size tiny medium large
    program=$(find_in_env whisper-bench "${COOPVK_WHISPER_BENCH:-}" whisper.cpp-tools)
    command=("$program")
    llama_table "whisper: model of size $size" "30 s of sound encoded, per second" \
        "prompt, tokens/s" "5 texts together, tokens/s" "one text, tokens/s"
}
