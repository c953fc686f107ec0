# SPDX-License-Identifier: Apache-2.0
"""Collects shaders that are not part of the project, or that only its tests make, in a folder of the build, for the long
run of the fleet (scripts/fleet)."""
import os
import pathlib
import re
import subprocess
import sys

from common import SOURCE, in_env, jobs_count, output_in_env

# Shaders of glslang's suite that no device takes: layouts of Arm's GPUs, interpretations and sizes that none lists,
# resources without bindings.
NEVER_ACCEPTED = {"spv.coopmat_armlayout.comp", "spv.coopvec.comp", "spv.qcom.coopmatConversion.1.comp",
                  "spv.qcom.coopmatConversion.2.comp", "spv.qcom.multiple_wait_queues.comp"}
# How ggml computes products: with VK_NV_cooperative_matrix2, with VK_KHR_cooperative_matrix, without both.
GGML_KINDS = {"matrix2": [], "matrices": ["GGML_VK_DISABLE_COOPMAT2=1"],
              "plain": ["GGML_VK_DISABLE_COOPMAT2=1", "GGML_VK_DISABLE_COOPMAT=1"]}
GGML_ATTENTION = (r"hsk=64,hsv=64,nh=4,nr23=\[1,1\],kv=113,nb=32,mask=1,sinks=0,max_bias=0\.0*,logit_softcap=0\.0*,"
                  "prec=f32,type_K=f16")


def count_shaders(folder):
    return sum(1 for _ in folder.rglob("*.spv"))


def collect_driver(collected, program):
    """The shaders of the driver tests: the test programs write them to files, whatever the results are."""
    folder = collected / "driver"
    if folder.is_dir():
        return
    print("== collecting the shaders of the driver tests (minutes)", flush=True)
    new = collected / "driver.new"
    new.mkdir(exist_ok=True)
    in_env("cmake", "--build", "build/release", "--parallel", str(jobs_count()), "--target", "driver_tests",
           stdout=sys.stderr, check=True)
    with (collected / "driver.log").open("w") as log:
        in_env("env", f"COOPVK_KEEP_SHADERS={new}", program, "--device", "navi21", "--",
               "build/release/tests/driver/driver_tests", "--gtest_brief=1", stdout=log, stderr=log)
    new.rename(folder)
    print(f"{count_shaders(folder)} shaders")


def find_glslang_tests():
    """The folder of glslang's test suite: of the caller's copy, of coopvk's cache, or of the distribution's source package."""
    named = os.environ.get("COOPVK_GLSLANG_SOURCE")
    script = f"source {SOURCE}/scripts/common.bash; "
    cache = pathlib.Path(subprocess.run(["bash", "-c", script + 'printf %s "$COOPVK_CACHE"'], capture_output=True,
                                        text=True, check=True).stdout) / "glslang"
    places = [pathlib.Path(place) / "Test" for place in (named, cache) if place]

    def found():
        return next((place for place in places if (place / "spv.coopmatKHR.comp").is_file()), None)
    if not found():
        subprocess.run(["bash", "-c", script + 'fetch_source glslang "$1"', "bash", cache], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    return found()


def collect_glslang(collected):
    folder = collected / "glslang"
    if folder.is_dir():
        return
    tests = find_glslang_tests()
    if not tests:
        print("SKIPPED: glslang's test suite: no copy; name one with COOPVK_GLSLANG_SOURCE", file=sys.stderr)
        return
    folder.mkdir(parents=True)
    for file in sorted(tests.glob("spv.*.comp")):
        text = file.read_text(errors="replace")
        if file.name in NEVER_ACCEPTED or "rror" in file.name or not re.search("cooperative|coopmat|coopvec", text, re.IGNORECASE):
            continue
        shader = folder / f"{file.name}.spv"
        done = in_env("glslang", "--amb", "--aml", "--target-env", "vulkan1.3", "-V", file, "-o", shader,
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode != 0:
            shader.unlink(missing_ok=True)
    print(f"== {count_shaders(folder)} shaders of glslang's test suite", flush=True)


def find_ggml():
    """Where ggml's program is, as tests/apps/ggml.bash finds it."""
    return output_in_env("bash", "-c", 'source "$1" && find_ggml', "bash", SOURCE / "tests/apps/ggml.bash").strip()


def capture_ggml(collected, program, device, name, variables, ggml, *arguments):
    """Saves the shaders of ggml's pipelines in such a run."""
    folder = collected / "ggml" / device / name
    if folder.is_dir():
        return
    folder.mkdir(parents=True)
    with (folder / "log").open("w") as log:
        in_env("env", "GGML_VK_VISIBLE_DEVICES=0", "GGML_VK_DEBUG_MARKERS=1", *variables, "timeout", "300", program,
               "--device", device, "--capture", folder, "--", ggml, *arguments, "-b", "Vulkan0", stdout=log, stderr=log,
               stdin=subprocess.DEVNULL)


def collect_ggml(collected, program, device):
    """ggml's largest products and its flash attention, in each of these ways."""
    ggml = find_ggml()
    if not ggml:
        print(f"SKIPPED: ggml on {device}: test-backend-ops is not installed (Debian: llama.cpp-tests, "
              "libggml0-backend-vulkan)", file=sys.stderr)
        return
    for kind, variables in GGML_KINDS.items():
        for weights in ("f16", "q4_0", "q8_0"):
            capture_ggml(collected, program, device, f"{weights}-{kind}", variables, ggml, "perf", "-o", "MUL_MAT", "-p",
                         f"type_a={weights},type_b=f32,m=4096,n=512,k=14336")
        capture_ggml(collected, program, device, f"attention-{kind}", variables, ggml, "test", "-o", "FLASH_ATTN_EXT",
                     "-p", GGML_ATTENTION)
    folder = collected / "ggml" / device
    said = [match[1] for log in sorted(folder.glob("*/log"))
            if (match := re.search(r"^ *what\(\): *(.*)$", log.read_text(errors="replace"), re.MULTILINE))]
    print(f"== {count_shaders(folder)} shaders of ggml's on {device}" + (f" (ggml says: {said[0]})" if said else ""),
          flush=True)
