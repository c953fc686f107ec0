#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_demo.sh SOURCE
# The tables of scripts/demo, of programs that stand in for coopvk, llama-bench and ggml's tests: the last table begins
# with what a user gains, prompts a second, and says what that costs; the sentence below has the table's figures.
# shellcheck source=common.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/common.bash"

copy="$work/a copy"
mkdir -p "$copy/scripts" "$copy/build/release/tools" "$copy/tests/bench" "$work/cache" "$work/bin"
cp "$1/scripts/demo" "$1/scripts/common.bash" "$copy/scripts/"

# stand_in FILE: a script of what follows.
stand_in() {
    { echo '#!/usr/bin/env bash' && cat; } >"$1"
    chmod +x "$1"
}
stand_in "$copy/scripts/setup" <<<:
stand_in "$copy/scripts/build" <<<:
stand_in "$copy/scripts/env" <<'SCRIPT'
[[ $1 != --outside ]] || { echo "$2" && exit; }
exec "$@"
SCRIPT
echo 'import sys; open(sys.argv[3], "w").write("model")' >"$copy/tests/bench/random_model.py"
stand_in "$copy/build/release/tools/coopvk" <<'SCRIPT'
[[ $1 != info ]] || exit 0
while [[ $1 != -- ]]; do shift; done
shift
COOPVK_ENABLE=1 exec "$@"
SCRIPT
# The figures of each way come from files.
stand_in "$work/bin/llama-bench" <<'SCRIPT'
way=own
[[ -z ${GGML_VK_DISABLE_COOPMAT:-} ]] || way=plain
[[ -z ${COOPVK_ENABLE:-} ]] || way=coopvk
[[ $way != plain ]] || echo 'ggml_vulkan: 0 = llvmpipe | matrix cores: none'
[[ $way == plain ]] || echo 'ggml_vulkan: 0 = llvmpipe | matrix cores: KHR_coopmat'
[[ $way != coopvk ]] || printf 'coopvk: info: llama-bench[7]: rewrote compute shader %d (1 -> 2 words, %s ms)\n' 1 1.25 2 2.5
[[ $* != *'-n 0'* && -f $2 ]] || exit 1
read -r prompt generation <"$FIGURES/$way"
printf '{"n_prompt": 128, "n_gen": 0, "avg_ts": %s}\n{"n_prompt": 0, "n_gen": 8, "avg_ts": %s}\n' "$prompt" "$generation"
SCRIPT
export FIGURES=$work COOPVK_CACHE=$work/cache COOPVK_LLAMA_BENCH=$work/bin/llama-bench

# demo: its output is in $out.
demo() { out=$(cd "$work" && "$copy/scripts/demo" --only llama 2>&1) || fail "status $?: $out"; }
has() { grep -Eq -- "$1" <<<"$out" || fail "no '$1' in"$'\n'"$out"; }

echo '40.04 20.5' >"$work/own"
echo '50.00 21.5' >"$work/plain"
echo '100.1 19.0' >"$work/coopvk"
demo
table=$(sed -n '/^  .*as it is  *without matrices  *with coopvk/,$p' <<<"$out")
rows=('prompt, tokens a second +40\.0 +50\.0 +100\.1' 'generation, tokens a second +20\.5 +21\.5 +19\.0'
    'matrix cores that ggml sees +KHR_coopmat +none +KHR_coopmat' 'shaders rewritten +0 +0 +2'
    'in milliseconds, once each +0\.0 +0\.0 +3\.8' 'seconds, with start and compiling +[0-9]+ +[0-9]+ +[0-9]+')
for i in "${!rows[@]}"; do
    line=$(sed -n "$((i + 2))p" <<<"$table")
    [[ $line =~ ^\ *${rows[$i]}\ *$ ]] || fail "row $i of the table is '$line', not '${rows[$i]}'"
done
has '^Prompts have 2\.5 times the speed of the program as it is, and 2\.0 times that of its shaders without$'
[[ ! -e $copy/build/demo-model.gguf ]] || fail 'the model is left'
# Where it costs more than it gains, the table says that, too.
echo '20.0 5.0' >"$work/coopvk"
demo
has '^Prompts have 0\.5 times the speed of the program as it is, and 0\.4 times that of its shaders without$'

# A program that says nothing, or that does not use coopvk's matrices.
sed -i 's/matrix cores: KHR_coopmat/matrix cores: none/' "$work/bin/llama-bench"
! out=$(cd "$work" && "$copy/scripts/demo" --only llama 2>&1) || fail "$out"
has 'ggml did not use the emulated matrices'
stand_in "$work/bin/llama-bench" <<<'echo cannot start >&2; exit 3'
! out=$(cd "$work" && "$copy/scripts/demo" --only llama 2>&1) || fail "$out"
has '^cannot start$'
has 'demo: llama-bench measured nothing \(as it is\)'

# Ctrl-C ends the demo, also where the program that runs then ends in a way of its own, and nothing is left.
stand_in "$work/bin/llama-bench" <<'SCRIPT'
trap 'exit 0' INT
echo started >>"$FIGURES/started"
while :; do sleep 0.1; done
SCRIPT
python3 - "$copy/scripts/demo" "$work/started" <<'PYTHON' || fail 'Ctrl-C'
import os, pathlib, signal, subprocess, sys, time

demo = subprocess.Popen([sys.argv[1], "--only", "llama"], start_new_session=True, stdout=subprocess.DEVNULL,
                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
started = pathlib.Path(sys.argv[2])
while not started.exists():
    time.sleep(0.05)
os.killpg(demo.pid, signal.SIGINT)
try:
    assert demo.wait(timeout=20) == 130, demo.returncode
except subprocess.TimeoutExpired:
    os.killpg(demo.pid, signal.SIGKILL)
    raise
assert started.read_text() == "started\n", "the next program was started"
PYTHON
[[ ! -e $copy/build/demo-model.gguf ]] || fail 'the model is left'

echo 'test_demo: passed'
