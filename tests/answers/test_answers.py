#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what devices say of themselves without the layer and with it, in `auto`: everything that
they say without stays, and nothing comes but what the layer emulates.

usage: test_answers.py DEVICES_JSON LAYER_FOLDER REVIEWED

DEVICES_JSON is the fleet's (tests/fleet). vulkaninfo asks for every extension, feature, property, format and queue family that it knows.
"""
import fnmatch
import glob
import json
import os
import subprocess
import sys
import tempfile


LIBRARIES = ("/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
             "/usr/lib64", "/usr/lib")
MANIFESTS = ("/usr/local/share/vulkan/icd.d", "/usr/share/vulkan/icd.d")


def find(folders, start, end):
    for folder in folders:
        found = glob.glob(f"{folder}/{start}*{end}")
        if found:
            return found[0]
    raise SystemExit(f"test_answers: no {start}{end} in {' '.join(folders)}")


def devices(path):
    """name -> environment; with lavapipe, which has part of what coopvk emulates."""
    found = {"lavapipe": {"VK_DRIVER_FILES": os.environ["VK_DRIVER_FILES"]}}
    with open(path, encoding="utf-8") as file:
        for row in json.load(file):
            found[row["name"]] = {
                "LD_PRELOAD": find(LIBRARIES, row["library"], ".so"),
                "VK_DRIVER_FILES": find(MANIFESTS, row["driver"], ".json"), **row["environment"]}
    return found


def ask(environment):
    """What vulkaninfo says of the first device."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/answers.json"
        done = subprocess.run(["vulkaninfo", "--json", "--output", path],
                              env={**environment, "XDG_RUNTIME_DIR": folder},
                              capture_output=True, text=True, check=False)
        if done.returncode != 0 or not os.path.exists(path):
            raise SystemExit(f"vulkaninfo failed: {done.stdout}{done.stderr}")
        with open(path, encoding="utf-8") as file:
            return json.load(file)["capabilities"]["device"]


def flatten(value, place=""):
    """place -> leaf, such as features/VkPhysicalDeviceFeatures/shaderInt64 -> True"""
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        items = enumerate(value)
    else:
        names = isinstance(value, list) and all(isinstance(item, str) for item in value)
        return {place: sorted(value) if names else value}  # their order means nothing
    flat = {}
    for key, item in items:
        flat.update(flatten(item, f"{place}/{key}" if place else str(key)))
    return flat


def read_reviewed(path):
    """[pattern, what] of lines `lost|changed|new  PATTERN: reason`"""
    rows = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            what, _, rest = line.strip().partition("  ")
            pattern, colon, reason = rest.partition(": ")
            if what not in ("lost", "changed", "new") or not colon or not reason:
                raise SystemExit(f"{path}:{number}: no good line: {line.strip()}")
            rows.append([pattern, what])
    return rows


def differences(without, with_layer):
    """(what, place, text)"""
    for place, value in without.items():
        now = with_layer.get(place)
        if place not in with_layer:
            yield "lost", place, f"{value}"
        elif value != now:
            # An added feature does not change the existing ones.
            what = "new" if value is False and now is True else "changed"
            yield what, place, f"{value} -> {now}"
    for place in with_layer.keys() - without.keys():
        # The members of an added structure that do not say that anything else is added.
        if with_layer[place] is not False:
            yield "new", place, f"{with_layer[place]}"


def compare(name, variables, layer, reviewed, used):
    clean = {key: value for key, value in os.environ.items() if not key.startswith("COOPVK_")}
    clean.update(variables, VK_IMPLICIT_LAYER_PATH=layer, MESA_SHADER_CACHE_DISABLE="true",
                 VK_LOADER_LAYERS_DISABLE="")
    without = flatten(ask(clean))
    with_layer = flatten(ask({**clean, "COOPVK_ENABLE": "1", "COOPVK_EMULATE": "auto"}))
    bad, news = [], 0
    for what, place, text in differences(without, with_layer):
        rows = [i for i, (pattern, kind) in enumerate(reviewed)
                if kind == what and fnmatch.fnmatchcase(place, pattern)]
        used.update(rows)
        news += what == "new"
        if not rows:
            bad.append(f"{name}: {what}: {place}: {text}")
    print(f"{name}: {len(without)} answers without the layer, {news} more with it, {len(bad)} bad")
    if news == 0:
        bad.append(f"{name}: the layer adds nothing: is it there?")
    return bad


def main():
    devices_path, layer, reviewed_path = sys.argv[1:]
    reviewed, used, bad = read_reviewed(reviewed_path), set(), []
    for name, variables in devices(devices_path).items():
        bad += compare(name, variables, layer, reviewed, used)
    for i, (pattern, what) in enumerate(reviewed):
        if i not in used:
            bad.append(f"{reviewed_path}: no device has this difference: {what} {pattern}")
    for line in bad:
        print(f"test_answers: {line}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
