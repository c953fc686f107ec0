#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Creates devices without the layer and with it, in `auto`: the same requests give the same result.
A feature that only the layer reports can be enabled; one that nobody reports gives
VK_ERROR_FEATURE_NOT_PRESENT.

usage: test_devices.py DEVICES_JSON LAYER_FOLDER VK_XML LAYER_SOURCES [DEVICE...]

Without DEVICE: one device with all kinds of instances, and one in three of the others; on lavapipe, whose
devices take long, one in six of the structures that coopvk has no features of
(COOPVK_TEST_SEED: the next ones; COOPVK_TEST_FULL=1: all).

DEVICES_JSON is the fleet's (tests/fleet). Structures and their members are those of VK_XML and of the
layer's own header.
"""
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True
import test_answers

SUCCESS, FEATURE_NOT_PRESENT = 0, -8
# How programs create instances: version, and whether with VK_KHR_get_physical_device_properties2.
NEWEST = ["1.4", False]
INSTANCES = (NEWEST, ["1.1", False], ["1.0", True], ["1.0", False])
ALL_INSTANCES = ("navi21", "turing")  # elsewhere, the newest only
STEPS = {"lavapipe": 6}  # of structures; elsewhere all
RUNS_ALL = os.environ.get("COOPVK_TEST_FULL") == "1"
SEED = int(os.environ.get("COOPVK_TEST_SEED", "0"))


def structures(registry_path, header, generator_path):
    """name -> its type's number, its extension if it has one, and its features in their order"""
    spec = importlib.util.spec_from_file_location("generator", generator_path)
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    registry = ElementTree.parse(registry_path).getroot()
    numbers, owners = type_numbers(registry), generator.owners(registry)
    found = {}
    for name, struct in generator.edited(registry):
        members = [member for member in struct.findall("member")
                   if member.get("api", "vulkan") == "vulkan"][2:]
        if (name not in owners or "VkPhysicalDeviceFeatures2" not in struct.get("structextends")
                or any(member.findtext("type") != "VkBool32" for member in members)):
            continue
        owner = owners[name]
        found[name] = {"type": numbers[generator.structure_type(struct)],
                       "extension": None if owner.startswith("VK_VERSION_") else owner,
                       "features": [member.findtext("name") for member in members]}
    found.update(own_structures(header))
    core = registry.find("types/type[@name='VkPhysicalDeviceFeatures']")
    return found, [member.findtext("name") for member in core.findall("member")]


def type_numbers(registry):
    """Enumerants of VkStructureType, as the registry's style guide computes them."""
    numbers = {}
    for block in registry.findall("feature") + registry.findall("extensions/extension"):
        for item in block.iterfind("require/enum[@extends='VkStructureType']"):
            if item.get("offset"):
                extension = int(item.get("extnumber") or block.get("number"))
                numbers[item.get("name")] = 10**9 + (extension - 1) * 1000 + int(item.get("offset"))
            elif item.get("value"):
                numbers[item.get("name")] = int(item.get("value"))
    return numbers


def own_structures(header):
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"\\\n|//.*", "", file.read())
    types = dict(re.findall(r"#define VK_STRUCTURE_TYPE_(\w+)_COOPVK\s+\(\(VkStructureType\)(\w+)\)",
                            text))
    found = {}
    for name, body in re.findall(r"typedef struct (VkPhysicalDevice\w+FeaturesCOOPVK) {(.*?)}", text,
                                 re.S):
        plain = re.sub(r"[^a-z0-9]", "", name.lower())
        number = next(value for key, value in types.items()
                      if plain == "vk" + key.lower().replace("_", "") + "coopvk")
        extension = next(value for value in re.findall(r'EXTENSION_NAME "(\w+)"', text)
                         if value.lower().replace("_", "")[8:] in plain)
        found[name] = {"type": int(number, 16), "extension": extension,
                       "features": re.findall(r"VkBool32 (\w+);", body)}
    return found


def create(request, environment):
    """What tests/answers/devices_worker.py finds on the first device."""
    worker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "devices_worker.py")
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/request.json", f"{folder}/result.json"]
        with open(paths[0], "w", encoding="utf-8") as file:
            json.dump(request, file)
        done = subprocess.run([sys.executable, worker, *paths], check=False, capture_output=True,
                              text=True, env={**environment, "XDG_RUNTIME_DIR": folder})
        if done.returncode != 0:
            raise SystemExit(f"devices_worker: status {done.returncode}: {done.stdout}{done.stderr}")
        with open(paths[1], encoding="utf-8") as file:
            return json.load(file)


def expected(request, without, with_layer, rows):
    """Results that are right with the layer."""
    same = [without["results"][request]]
    name, _, feature = request.removeprefix("structure ").partition(".")
    if name not in without["reported"] or (not feature and without["reported"][name]):
        return same  # what a program asks for that knows nothing of coopvk
    reported, row = with_layer["reported"][name], rows.get(name, {})
    if feature in reported:
        return [SUCCESS]
    if feature and row.get("extension") in with_layer["extensions"]:
        return [FEATURE_NOT_PRESENT]
    # The structure is unknown, so drivers may skip it.
    return same + [FEATURE_NOT_PRESENT]


def compare(label, without, with_layer, rows):
    """Complaints."""
    bad = []
    for request, result in with_layer["results"].items():
        right = expected(request, without, with_layer, rows)
        if result not in right:
            bad.append(f"{label}: {request}: {result} with the layer, not {right}")
    return bad


def check(name, variables, layer, tables):
    clean = {key: value for key, value in os.environ.items() if not key.startswith("COOPVK_")}
    clean.update(variables, VK_IMPLICIT_LAYER_PATH=layer, MESA_SHADER_CACHE_DISABLE="true",
                 VK_LOADER_LAYERS_DISABLE="")
    on = {**clean, "COOPVK_ENABLE": "1", "COOPVK_EMULATE": "auto"}
    step = 1 if RUNS_ALL else STEPS.get(name, 1)
    bad, request = [], {**tables, "base": None, "step": step, "first": SEED % step}
    for version, extended in INSTANCES if name in ALL_INSTANCES else INSTANCES[:1]:
        request.update(instance=version, properties2=extended)
        without = create(request, clean)
        request["base"] = request["base"] or without
        with_layer = create(request, on)
        added = sum(len(set(features) - set(without["reported"].get(structure, ())))
                    for structure, features in with_layer["reported"].items())
        label = f"{name}, Vulkan {version}" + (" with properties2" if extended else "")
        new = compare(label, without, with_layer, tables["structures"])
        print(f"{label}: {len(with_layer['results'])} devices, "
              f"{list(without['results'].values()).count(SUCCESS)} created without the layer, "
              f"{added} features added, {len(new)} bad")
        if [version, extended] == NEWEST and added == 0:
            new.append(f"{label}: the layer adds nothing: is it there?")
        bad += new
    return bad


def sample(names):
    if RUNS_ALL:
        return names
    first, *_ = ALL_INSTANCES
    others = [name for name in names if name not in ALL_INSTANCES]
    return [first, *others[SEED % 3::3]]


def main():
    devices_path, layer, registry, sources = sys.argv[1:5]
    only = sys.argv[5:]  # for those who look for a fault
    found, core = structures(registry, f"{sources}/include/coopvk/vulkan_coopvk.h",
                             f"{sources}/chain/generate_known_structs.py")
    with open(f"{sources}/device/extension_rows.cpp", encoding="utf-8") as file:
        rows = set(re.findall(r"\bVkPhysicalDevice\w+Features[A-Z]+\b", file.read()))
    tables = {"structures": found, "core": core, "single": sorted(rows & found.keys())}
    bad = []
    devices = test_answers.devices(devices_path)
    for name in only or sample(list(devices)):
        bad += check(name, devices[name], layer, tables)
    for line in bad:
        print(f"test_devices: {line}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
