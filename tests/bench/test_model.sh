#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_model.sh SOURCE LLAMA_BENCH
# llama-bench runs the models that scripts/bench writes for it, on the CPU.
set -euo pipefail

source=$1 program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    printf 'test_model: %s\n' "$*" >&2
    cat "$folder/log" >&2
    exit 1
}

for type in f16 q4_0; do
    python3 -B "$source/tests/bench/random_model.py" tiny "$type" "$folder/model"
    "$program" -m "$folder/model" -dev none -p 8 -n 1 -r 1 --no-warmup -o jsonl >"$folder/log" 2>&1 ||
        fail "$type: llama-bench failed"
    grep -q '"model_type": "llama .* '"${type^^}"'".*"model_n_params": 12325376,' "$folder/log" ||
        fail "$type: llama-bench saw another model"
done
