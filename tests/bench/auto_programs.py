# SPDX-License-Identifier: Apache-2.0
"""The rule about the setting `auto`: whole processes without coopvk and with it, alternately. auto_rule.py judges them."""
import fnmatch
import re
import subprocess
import sys

import auto_rule
from common import die, in_env, output_in_env
from programs import find_ggml, find_llama, on_lavapipe, with_variables, write_model

# A run ends after so many seconds of processor time, so that one without end is a failure and not a hang.
SCRIPT = 'ulimit -t "$1"; shift; TIMEFORMAT="%U %S %R"; { time "$@" 2>&1 </dev/null; }'
NOTHING_RAN = re.compile(r"\b0/0 tests passed|  PASSED  . 0 tests")
# A whole tile: with others, ggml's result on lavapipe's own matrices is wrong without coopvk, too.
PRODUCT = r"type_b=f32,m=16,n=16,k=256,bs=\[1,1\],nr=\[1,1\],per=\[0,1,2,3\]"
ATTENTION = (r"hsk=64,hsv=64,nh=4,nr23=\[1,1\],kv=113,nb=32,mask=1,sinks=0,max_bias=0\.0*,logit_softcap=0\.0*,"
             "prec=f32,type_K=f16,")


class Auto:
    def __init__(self, options):
        self.options = options
        self.most = options.pairs or (5 if options.quick else 13)
        self.clock = "processor" if on_lavapipe() else "wall"
        # While ggml computes what it compares with, waiting threads must not count as work.
        self.variables = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0", "GGML_VK_VISIBLE_DEVICES": "0"}
        if on_lavapipe():
            self.variables["LP_NATIVE_VECTOR_WIDTH"] = str(options.lanes * 32)
        self.device = None
        self.programs = {}

    def run(self, side, limit, command):
        variables = self.variables | {
            "COOPVK_ENABLE" if side == "auto" else "COOPVK_DISABLE": "1", "COOPVK_EMULATE": "auto",
            "XDG_CONFIG_HOME": self.options.scratch / "none", "MESA_SHADER_CACHE_DISABLE": "true",
            "__GL_SHADER_DISK_CACHE": "0", "COOPVK_REMEMBER": "off"}
        done = in_env(*with_variables(variables, "bash", "-c", SCRIPT, "bash", str(limit), *command),
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        user, system, wall = map(float, done.stderr.split()[-3:])
        # No test has these parameters, or all were left out.
        status = 1 if NOTHING_RAN.search(done.stdout) else done.returncode
        return {"processor": user + system, "wall": wall, "status": status}

    def measure(self, name, *command):
        """Pairs of runs of a program, until the rule can judge them. The sides take turns (without, auto, auto, without,
        without, ...), so that slow changes of the machine affect both equally."""
        if not fnmatch.fnmatchcase(name, self.options.program):
            return
        rounds = self.programs[self.device, name] = {}
        limit = 600
        for number in range(1, self.most + 1):
            pair = rounds[number] = {}
            for side in ("without", "auto") if number % 2 else ("auto", "without"):
                pair[side] = self.run(side, limit, command)
                if side == "without":  # ten times as long is too long in any case
                    limit = int(10 * pair[side]["processor"]) + 10
            row = auto_rule.judge(rounds, self.clock)
            fails = all(run["status"] != 0 for run in pair.values())  # what fails in both is not tried again
            if fails or auto_rule.status([row]) != 2:
                break
        print(auto_rule.table([{"driver": self.device, "program": name, **row}])[-1], file=sys.stderr, flush=True)

    def measure_all(self):
        ggml, llama = find_ggml(), find_llama()
        told = output_in_env(*with_variables(self.variables | {"COOPVK_DISABLE": "1"}, llama, "--help"),
                             stderr=subprocess.STDOUT)
        found = re.search(r"ggml_vulkan: 0 = (.*) \| uma", told) or die("ggml finds no Vulkan device")
        self.device = found[1]
        in_env("mkdir", "-p", self.options.scratch)  # where nothing can be mounted, this is another folder
        for kind in ("f16", "bf16", "q4_0"):
            self.measure(f"ggml MUL_MAT, {kind}", ggml, "test", "-b", "Vulkan0", "-o", "MUL_MAT", "-p",
                         f"type_a={kind},{PRODUCT}")
        self.measure("ggml FLASH_ATTN_EXT, f16", ggml, "test", "-b", "Vulkan0", "-o", "FLASH_ATTN_EXT", "-p", ATTENTION)
        for kind in self.options.types:
            model = self.options.scratch / f"auto-model-{kind}"
            write_model("random_model", "tiny", kind, model)
            self.measure(f"llama-bench, tiny model of {kind}", llama, "-p", "96", "-n", "8", "-r", "1", "-m", model)
        self.measure_dawn()

    def measure_dawn(self):
        what, tests = "subgroup matrices", "*SubgroupMatrix*"
        if on_lavapipe() and self.options.lanes == 4:
            # Without matrices, and `auto` offers none, either: Dawn leaves those tests out.
            what, tests = "compute shaders", "*Compute*Memory*:*ComputeFlowControl*:-*f16*"
        elif on_lavapipe():
            tests = "*MatrixMatrixArithmetic*:*TiledMatrixMultiply*TileDim_2_WorkgroupSize_128*"
        dawn = output_in_env("bash", "-c", "command -v dawn_end2end_tests").strip()
        if not dawn:
            print("no dawn_end2end_tests (Debian: dawn-tools)", file=sys.stderr)
            return
        self.measure(f"Dawn, {what}", dawn, "--backend=vulkan", f"--gtest_filter={tests}")


def bench_auto(options):
    """The status of the rule, as auto_rule.py has it."""
    auto = Auto(options)
    auto.measure_all()
    print(f"## auto: {auto.clock} time of whole processes, at most {auto.most} pairs\n")
    return auto_rule.tell(auto_rule.judge_all(auto.programs, auto.clock), options.json)
