#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
usage: prove_shaders.py [--lanes N,...] [--every N] [--seed N] [--seconds N] [--mebibytes N] [--jobs N]
                        [--least N] [--work DIR] BUILD

Proves the compute shaders of the driver tests (`coopvk prove`, docs/developers/proof.md) for each class of devices, with
core SPIR-V and with the driver's matrices. The layer keeps each shader's first dispatch (dump_inputs) while the
tests run on the reference device; equal shaders with equal constants and workgroups are proved once. It continues
an earlier run of the same binaries in the same folder. The status is 0 only if as many shaders were proved as --least
says, and none differs.

Without COOPVK_TEST_FULL=1 and --every, it takes a few tests whose shaders need rules that others do not. All must pass,
dispatch, and be proved.

  --lanes N,...    subgroup sizes; default: 8,32,64; of the few tests 32
  --every N        one test in N; default: 1
  --seed N         chooses these; default: 0
  --seconds N      of processor time for each shader, and 20 times so many by the clock, then it is stopped; default: 60
  --mebibytes N    of memory for each shader, and 4 of buffers in each dispatch; default: 4096
  --jobs N         processes; default: as many as processors
  --least N        percent of the shaders without atomic operations on floats; default: 95
  --work DIR       default: BUILD/driver-proofs; gets results-*.jsonl (a line for each shader), summary.json, and
                   the dispatches
  BUILD            the build folder; the run needs its tests/driver/driver_tests, tools/coopvk-compare, layer/*.so,
                   layer/VkLayer_coopvk.json, reference/icd, and Vulkan's loader
  -h, --help       this text
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True

PARAMETERS = 2048  # bytes
PROVED_FOR = "proved for these parameters"
ATOMICS = "atomic operations on floats"
TESTS_AT_ONCE = 8  # each process reads the headers of GLSL
FEW = (
    "All/BlockIo.SpecializedAndCacheControlled/Load1",
    "All/FormatConversions.AreExact/e4m3Tou16",
    "All/LongVectors.MatchTheReference/Exponents_f16x8_plain",
    "All/LongVectors.MatchTheReference/Functions_s8x8_O",
    "Random/MulAddUnlisted.MatchesReference/245_20x17x2_s8_s8_s8_ABCR_bits",
    "Tensors/TensorDecode.IsCalledAsTheTextSays/whole_buffer_3_vectors",
)
# The first that a message contains is its cause.
CAUSES = (
    ("atomic operations of two kinds", "atomic operations of two kinds"),
    ("atomic", ATOMICS),
    ("AccumulateNV", ATOMICS),
    ("not shown to be the same", "two functions that no rule relates"),
    ("depends on data", "an address, a branch or a matrix depends on data"),
    ("no proof knows", "an instruction that no rule knows"),
)


def version_of(binary):
    return hashlib.sha256(binary.read_bytes()).hexdigest()[:8]


def tests_of(options, environment):
    listed = subprocess.run([options.binary, "--gtest_list_tests"], env=environment, stdout=subprocess.PIPE,
                            text=True, check=True).stdout
    suite, tests = "", []
    for line in listed.splitlines():
        name = line.split("#")[0].rstrip()
        if re.fullmatch(r"\S+\.", name):
            suite = name
        elif re.match(r"  \S", name) and "BadCode" not in suite:
            tests.append(suite + name.strip())

    if not options.every:
        missing = set(FEW) - set(tests)
        if missing:
            sys.exit(f"{options.binary} has no test {', '.join(sorted(missing))}")
        return FEW

    def chosen(test):
        number = int(hashlib.sha256(f"{options.seed} {test}".encode()).hexdigest()[:8], 16)
        return number % options.every == 0
    return [test for test in tests if chosen(test)]


def environment_for(options, lanes):
    build = options.build
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COOPVK_", "VK_"))}
    return kept | {
        "VK_DRIVER_FILES": str(build / "reference/icd/coopvk_reference.json"),
        "VK_IMPLICIT_LAYER_PATH": str(build / "layer"), "XDG_CONFIG_HOME": str(options.work / "none"),
        "COOPVK_ENABLE": "1", "COOPVK_EMULATE": "all", "COOPVK_REMEMBER": "off", "COOPVK_DUMP_INPUTS": "4M",
        "COOPVK_REFERENCE_THREADS": "1",
        "COOPVK_REFERENCE_EXTENSIONS": "none", "COOPVK_REFERENCE_SUBGROUP_SIZE": str(lanes),
        "COOPVK_TEST_SUBGROUP_SIZE": str(lanes), "COOPVK_TEST_FULL": "1"}


def dump(options, lanes, number, tests):
    """Runs tests, and keeps what a proof needs of the dispatches."""
    name = hashlib.sha256("".join([options.tests_version, *tests]).encode()).hexdigest()[:8]
    folder = options.work / f"dispatches/{lanes}/{number:04}-{name}"
    if (folder / "status").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    making = folder.with_name("making-" + folder.name)
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    environment = environment_for(options, lanes) | {"COOPVK_DUMP_DIR": str(making)}
    with open(making / "log", "w", encoding="utf-8") as log:
        try:
            status = subprocess.run([options.binary, "--gtest_brief=1", "--gtest_filter=" + ":".join(tests)],
                                    env=environment, stdout=log, stderr=log, timeout=3600, check=False).returncode
        except subprocess.TimeoutExpired:
            status = "stopped"
    (making / "status").write_text(f"{status}\n", encoding="utf-8")
    (making / "tests").write_text("\n".join(tests) + "\n", encoding="utf-8")
    dispatches = list(making.glob("*.dispatch0.json"))
    needed = {"log", "status", "tests"} | {path.name for path in dispatches}
    for path in dispatches:
        request = json.loads(path.read_text(encoding="utf-8"))
        needed |= {request["shader"], request["dispatch"]["file"]}
    for path in making.iterdir():
        if path.name not in needed:
            path.unlink()
    making.rename(folder)
    return folder


def key_of(path):
    """Equal for dispatches that differ in the contents of memory only."""
    request = json.loads(path.read_text(encoding="utf-8"))
    of = [request[name] for name in ("shader", "stage", "entryPoint", "subgroupSize", "specialization")]
    of += [request["dispatch"][name] for name in ("groups", "base", "pushConstants")]
    return hashlib.sha256(json.dumps(of).encode()).hexdigest()[:16]


def prove(options, lanes, key, path):
    began = time.monotonic()
    command = ["prlimit", f"--cpu={options.seconds}:{options.seconds + 5}", f"--as={options.mebibytes << 20}",
               options.build / "tools/coopvk-compare", "prove", "--each-class",
               "--parameters", str(PARAMETERS), "--json", path]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                              timeout=20 * options.seconds, check=False)
    except subprocess.TimeoutExpired:
        done = subprocess.CompletedProcess(command, None, "", "it waited too long")
    result = {"key": key, "lanes": lanes, "path": str(path.relative_to(options.work)),
              "seconds": round(time.monotonic() - began, 2), "status": done.returncode}
    try:
        result["outcomes"] = json.loads(done.stdout)["outcomes"]
    except (ValueError, KeyError):
        result["outcomes"] = []
        result["error"] = done.stderr.strip()[-300:]
    return result


def verdict_of(result):
    """Of all classes and back-ends: the worst, and its message."""
    if not result["outcomes"]:
        return "stopped", result.get("error") or f"status {result['status']}"
    for verdict in ("differs", "refused", "no memory", "not executable", "not provable"):
        for outcome in result["outcomes"]:
            message = outcome.get("message", "")
            if verdict == "no memory" and "changes no memory" in message and "parameters" not in outcome:
                return "not applicable", message
            if outcome["verdict"] == verdict:
                where = f"{outcome.get('class', '')} {outcome['backEnd']}".strip()
                return verdict, f"{where}: {message}"
    verdicts = {outcome["verdict"] for outcome in result["outcomes"]}
    if PROVED_FOR in verdicts:
        return "with parameters", ""
    return ("proved", "") if "proved" in verdicts else ("not applicable", result["outcomes"][0].get("message", ""))


def cause_of(message):
    for part, cause in CAUSES:
        if part in message:
            return cause
    return re.sub(r"[%\d]+", "N", message.split("\n")[0])[:100]


def summarise(options, results):
    verdicts, causes = collections.defaultdict(collections.Counter), collections.Counter()
    for result in results:
        verdict, message = verdict_of(result)
        verdicts[result["lanes"]][verdict] += 1
        if verdict not in ("proved", "with parameters"):
            causes[f"{verdict}: {cause_of(message)}"] += 1
    names = ("proved", "with parameters", "not provable", "differs", "stopped", "refused", "not executable",
             "not applicable")
    print("| lanes | " + " | ".join(names) + " | seconds |\n" + "|---" * (len(names) + 2) + "|")
    for lanes, counts in sorted(verdicts.items()):
        seconds = sum(result["seconds"] for result in results if result["lanes"] == lanes)
        print(f"| {lanes} | " + " | ".join(str(counts[name]) for name in names) + f" | {seconds:.0f} |")
    print("\n| cause | shaders |\n|---|---|")
    for cause, count in causes.most_common():
        print(f"| {cause} | {count} |")
    summary = {"verdicts": verdicts, "causes": causes, "every": options.every, "seed": options.seed}
    (options.work / "summary.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    total = sum(verdicts.values(), collections.Counter())
    tried = sum(total.values()) - total["not applicable"]
    without = tried - sum(count for cause, count in causes.items() if cause.endswith(ATOMICS))
    good = total["proved"] + total["with parameters"]
    share = good / max(without, 1)
    print(f"\n{good} of {tried} proved; {share:.1%} of those without {ATOMICS}")
    is_enough = share * 100 >= options.least if options.every else good == sum(total.values())
    return 0 if good and not total["differs"] and is_enough else 1


def problems_of(folder, every):
    """Why a folder has not what proofs need. Of all tests, some dispatch nothing."""
    status = (folder / "status").read_text(encoding="utf-8").strip()
    if status != "0":
        yield f"the tests failed: {folder}/log"
    if not every and not any(folder.glob("*.dispatch0.json")):
        yield f"no dispatch was kept: {folder}/log"


def run(options):
    (options.work / "none").mkdir(parents=True, exist_ok=True)
    options.tests_version = version_of(options.binary)
    log = options.work / f"results-{version_of(options.build / 'tools/coopvk-compare')}.jsonl"
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    results = {(result["lanes"], result["key"]): result for result in map(json.loads, lines)}
    wanted = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        dumps, problems = [], []
        size = TESTS_AT_ONCE if options.every else 1
        for lanes in options.lanes:
            tests = tests_of(options, environment_for(options, lanes))
            for at in range(0, len(tests), size):
                dumps.append((lanes, pool.submit(dump, options, lanes, at // size, tests[at:at + size])))
        proofs = []
        with log.open("a", encoding="utf-8") as out:
            for lanes, dumped in dumps:
                problems += problems_of(dumped.result(), options.every)
                for path in sorted(dumped.result().glob("*.dispatch0.json")):
                    key = key_of(path)
                    if (lanes, key) in wanted:
                        continue
                    wanted[lanes, key] = path
                    if (lanes, key) not in results:
                        proofs.append(pool.submit(prove, options, lanes, key, path))
            for proof in concurrent.futures.as_completed(proofs):
                result = proof.result()
                results[result["lanes"], result["key"]] = result
                out.write(json.dumps(result) + "\n")
                out.flush()
    print(*problems, sep="\n", end="\n" if problems else "")
    status = summarise(options, [results[key] for key in wanted])
    # That all tests pass, other runs say.
    return status if options.every or not problems else 1


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("build", nargs="?", type=pathlib.Path)
    is_long = os.environ.get("COOPVK_TEST_FULL") == "1"
    parser.add_argument("--lanes", type=lambda text: [int(part) for part in text.split(",")])
    for name, value in (("every", 1 if is_long else 0), ("seed", 0), ("seconds", 60), ("mebibytes", 4096),
                        ("least", 95), ("jobs", len(os.sched_getaffinity(0)))):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--work", type=pathlib.Path)
    options = parser.parse_args()
    if options.help or options.build is None:
        print(__doc__.strip())
        return 0 if options.help else 2
    options.lanes = options.lanes or ([8, 32, 64] if options.every else [32])
    options.build = options.build.resolve()
    options.binary = options.build / "tests/driver/driver_tests"
    options.work = (options.work or options.build / "driver-proofs").resolve()
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
