# SPDX-License-Identifier: Apache-2.0
"""Programs with ggml that scripts/bench measures: plain shaders, emulated matrices and the driver's own, in turn."""
import json
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys

from common import SOURCE, die, in_env, output_in_env

GGML_FIGURE = re.compile(r"MUL_MAT.* ([0-9.]+) ([TGM]?)FLOPS *$", re.MULTILINE)
GGML_PARAMETERS = "type_b=f32,m=4096,n=512,k=14336"
GGML_WAYS = {
    "plain": {"COOPVK_DISABLE": "1", "GGML_VK_DISABLE_COOPMAT": "1"},
    "emulated": {"COOPVK_ENABLE": "1", "COOPVK_EMULATE": "all"},
    "native": {"COOPVK_DISABLE": "1"},
}

PLAIN = {"COOPVK_DISABLE": "1", "GGML_VK_DISABLE_COOPMAT": "1", "GGML_VK_DISABLE_COOPMAT2": "1"}
NV2 = "VK_NV_cooperative_matrix2,VK_NV_cooperative_matrix_decode_vector"
# Name, what it is, how ggml names such matrices, environment. has_way() says which of them run.
MODEL_WAYS = [
    ("plain", "ggml's plain shaders", "none", PLAIN),
    ("native", "the driver's own: {own}", "", {"COOPVK_DISABLE": "1"}),
    ("native-KHR", "the driver's own: KHR_coopmat", "KHR_coopmat",
     {"COOPVK_DISABLE": "1", "GGML_VK_DISABLE_COOPMAT2": "1"}),
    ("KHR", "VK_KHR_cooperative_matrix emulated", "KHR_coopmat",
     {"COOPVK_ENABLE": "1", "COOPVK_EMULATE": "all", "GGML_VK_DISABLE_COOPMAT2": "1"}),
    ("NV2", "VK_NV_cooperative_matrix2 emulated", "NV_coopmat2", {"COOPVK_ENABLE": "1", "COOPVK_EMULATE": "all"}),
    ("NV2-on-KHR", "VK_NV_cooperative_matrix2 on the driver's VK_KHR_cooperative_matrix", "NV_coopmat2",
     {"COOPVK_ENABLE": "1", "COOPVK_EMULATE": NV2}),
]


def on_lavapipe():
    return "lvp_icd" in os.environ.get("VK_DRIVER_FILES", "")


def with_variables(variables, *command):
    return ["env", *(f"{name}={value}" for name, value in variables.items()), *command]


def find_program(name, package, variable, *places):
    """The program that the variable names, else one in the places (patterns of a shell), else in PATH."""
    places = [shlex.quote(os.environ[variable])] if os.environ.get(variable) else [*places, f'"$(command -v {name})"']
    script = f"for file in {' '.join(places)}; do [ ! -x \"$file\" ] || {{ echo \"$file\"; exit; }}; done"
    found = output_in_env("bash", "-c", script).strip()
    return found or die(f"{name} is not installed (Debian: {package}); name it with {variable}")


def find_ggml():
    return find_program("test-backend-ops", "llama.cpp-tests, libggml0-backend-vulkan", "COOPVK_TEST_BACKEND_OPS",
                        "/usr/libexec/*/llama.cpp-tests/test-backend-ops", "/usr/lib/*/llama.cpp-tests/test-backend-ops")


def find_llama():
    return find_program("llama-bench", "llama.cpp-tools", "COOPVK_LLAMA_BENCH")


def matrix_cores(output):
    """How ggml names what it computes with."""
    found = re.search(r"matrix cores: (.*)", output)
    return found[1].strip() if found else "none"


def median_ratio(rounds, plain):
    return statistics.median(one / other if other > 0 else 0 for one, other in zip(rounds, plain))


def write_model(writer, size, kind, path):
    in_env("python3", "-B", SOURCE / f"tests/bench/{writer}.py", size, kind, path, check=True, stdout=sys.stderr)


# --- test-backend-ops ------------------------------------------------------------------------------

def run_ggml(program, kind, variables):
    """GFLOP/s, and ggml's name of its matrix cores."""
    common = {"GGML_VK_DISABLE_COOPMAT2": "1", "GGML_VK_VISIBLE_DEVICES": "0", "MESA_SHADER_CACHE_DISABLE": "true",
              "__GL_SHADER_DISK_CACHE": "0"}
    output = output_in_env(*with_variables(variables | common, program, "perf", "-b", "Vulkan0", "-o", "MUL_MAT",
                                           "-p", f"type_a={kind},{GGML_PARAMETERS}"),
                           stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    output = re.sub(r"\x1b\[[0-9;]*m", "", output)
    figures = GGML_FIGURE.findall(output)
    speed = float(figures[-1][0]) * {"T": 1000, "M": 0.001}.get(figures[-1][1], 1) if figures else 0
    return speed, matrix_cores(output)


def ggml_row(program, kind, rounds):
    speeds = {way: [] for way in GGML_WAYS}
    for _ in range(rounds):
        for way, variables in GGML_WAYS.items():
            speed, cores = run_ggml(program, kind, variables)
            if speed == 0:
                die(f"test-backend-ops gave no figure ({kind}, {way})")
            if way == "emulated" and cores != "KHR_coopmat":
                die(f"ggml does not use the emulated matrices but '{cores}'")
            if way != "native" or cores == "KHR_coopmat":  # else the driver has none
                speeds[way].append(speed)
    plain, emulated, native = (f"{statistics.median(speeds[way]):.2f} GFLOP/s" if speeds[way] else "-"
                               for way in GGML_WAYS)
    return f"| {kind} | {plain} | {emulated} | {median_ratio(speeds['emulated'], speeds['plain']):.2f} | {native} |"


def bench_ggml(options):
    program = find_ggml()
    print(f"## ggml: MUL_MAT, {GGML_PARAMETERS.partition(',')[2]}\n")
    print("| type | plain shaders | emulated | times plain | native KHR |")
    print("|------|---------------|----------|-------------|------------|", flush=True)
    for kind in ("f16", "q4_0"):
        print(ggml_row(program, kind, options.rounds), flush=True)
    print()


# --- llama-bench and whisper-bench ---------------------------------------------------------------------

def llama_figures(output):
    """Tokens a second, of the prompt and of what is generated."""
    figures = {}
    for line in output.splitlines():
        if line.startswith("{"):
            try:
                told = json.loads(line)
            except json.JSONDecodeError:
                continue  # a driver's message
            for index, key in enumerate(("n_prompt", "n_gen")):
                if told.get(key):
                    figures[index] = told["avg_ts"]
    return [figures[index] for index in sorted(figures)]


def whisper_figures(output):
    """Of sounds and tokens, per second."""
    times = dict(re.findall(r" (encode|prompt|batchd|decode) time.*\( *([0-9.]+) ms per run\)", output))
    return [1000 / float(times[key]) for key in ("encode", "prompt", "batchd", "decode") if key in times]


def device_name(output):
    """What ggml calls the device, without how it numbers it."""
    found = re.search(r"ggml_vulkan: 0 = (.*?) \| ", output)
    return found[1] if found else "?"


def table_row(row):
    cells = [row["model"], row["matrices"]]
    for speed, times in zip(row["figures"], row["times"]):
        cells += [f"{speed:.3f}" if speed < 10 else f"{speed:.1f}", f"{times:.2f}"]
    return f"| {' | '.join(cells)} |"


def has_way(way, own):
    """Whether a driver whose own matrices are OWN, as ggml names them, has this way. Lavapipe's own are so slow that the
    last one takes minutes there."""
    return {"native": own != "none", "NV2-on-KHR": own != "none" and not on_lavapipe(),
            "native-KHR": own.startswith("NV_coopmat2")}.get(way, True)


class Models:
    """One program with models of random weights."""

    def __init__(self, options, name, command, writer, size, read_figures, heads):
        self.options, self.name, self.command, self.writer, self.size = options, name, command, writer, size
        self.read_figures, self.heads = read_figures, heads
        self.model = options.scratch / "model"
        self.cache = options.scratch / "cache"

    def run(self, kind, way, expected, variables):
        """Drivers may keep compiled shaders: the programs compute once before they measure."""
        common = {"GGML_VK_VISIBLE_DEVICES": "0", "COOPVK_LOG_LEVEL": "info", "MESA_SHADER_CACHE_DIR": self.cache,
                  "__GL_SHADER_DISK_CACHE_PATH": self.cache}
        output = output_in_env(*with_variables(variables | common, *self.command, "-m", self.model),
                               stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        figures, cores = self.read_figures(output), matrix_cores(output)
        rewritten = re.search("coopvk: info: .*: rewrote compute shader", output)
        if len(figures) != len(self.heads):
            print(*output.splitlines()[-5:], sep="\n", file=sys.stderr)
            die(f"{self.command[0]} did not give {len(self.heads)} figures ({kind}, {way})")
        if not cores.startswith(expected):
            die(f"ggml's matrix cores are '{cores}', not {expected} ({kind}, {way})")
        if bool(rewritten) == (way == "plain" or way.startswith("native")):
            die(f"{'emulated shaders' if rewritten else 'no emulated shader'} ran ({kind}, {way})")
        return figures

    def rows(self, kind, own):
        """Measures one type; yields a row of figures for each way."""
        ways = [way for way in MODEL_WAYS if has_way(way[0], own)]
        write_model(self.writer, self.size, kind, self.model)
        speeds = {way: [] for way, *_ in ways}
        for _ in range(self.options.rounds):
            for way, _, expected, variables in ways:
                speeds[way].append(self.run(kind, way, expected, variables))
        plain = list(zip(*speeds["plain"]))
        for way, text, *_ in ways:
            columns = list(zip(*speeds[way]))
            yield {"model": f"{self.size} {kind}", "matrices": text.format(own=own),
                   "figures": [statistics.median(figures) for figures in columns],
                   "times": [median_ratio(figures, own_plain) for figures, own_plain in zip(columns, plain)]}

    def table(self, heading):
        told = output_in_env("env", "COOPVK_DISABLE=1", "GGML_VK_VISIBLE_DEVICES=0", self.command[0], "--help",
                             stderr=subprocess.STDOUT)
        if "matrix cores: " not in told:
            die("ggml finds no Vulkan device")
        in_env("mkdir", "-p", self.options.scratch)  # where nothing can be mounted, this is another folder
        print(f"## {heading}\n")
        print("| model | matrices |" + "".join(f" {head} | times plain |" for head in self.heads))
        print("|-------|----------|" + "---|---|" * len(self.heads), flush=True)
        rows = []
        for kind in self.options.types:
            for row in self.rows(kind, matrix_cores(told)):
                print(table_row(row), flush=True)
                rows.append(row)
        print()
        if self.options.json and self.options.names == [self.name]:
            pathlib.Path(self.options.json).write_text(json.dumps({"device": device_name(told), "rows": rows}))


def choose_size(options, sizes):
    """The caller's choice, or the smallest on lavapipe, else the second."""
    size = options.size or sizes[0 if on_lavapipe() else 1]
    return size if size in sizes else die(f"--size takes {', '.join(sizes[:-1])} or {sizes[-1]}")


def bench_llama(options):
    size = choose_size(options, ("tiny", "1b", "7b"))
    prompt, generated = (128, 16) if size == "tiny" else (512, 32)
    command = [find_llama(), "-p", str(prompt), "-n", str(generated), "-r", "3", "-o", "jsonl"]
    if options.names == ["llama"]:
        command += options.arguments
    Models(options, "llama", command, "random_model", size, llama_figures, ["prompt, tokens/s", "generation, tokens/s"]).table(
        f"llama: model of size {size}, prompt of {prompt} tokens, {generated} generated")


def bench_whisper(options):
    size = choose_size(options, ("tiny", "medium", "large"))
    command = [find_program("whisper-bench", "whisper.cpp-tools", "COOPVK_WHISPER_BENCH")]
    Models(options, "whisper", command, "random_whisper", size, whisper_figures,
           ["30 s of sound encoded, per second", "prompt, tokens/s", "5 texts together, tokens/s",
            "one text, tokens/s"]).table(f"whisper: model of size {size}")
