#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the layer against Vulkan's registry: the generated files are what their generators write, and
all that names stages, accesses or shaders' code, or that may stand beside such code, was looked at.

usage: test_registry.py VK_XML LAYER_FOLDER REVIEWED
"""
import importlib.util
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

MASKS = re.compile(r"Vk(PipelineStageFlag(s|Bits)|AccessFlag(s|Bits))\d?(KHR)?$")
CODE = {
    "VkShaderModule",
    "VkShaderModuleCreateInfo",
    "VkPipelineShaderStageCreateInfo",
    "VkShaderCreateInfoEXT",
}
# Create infos with shaders' code: structures in their chains, and their flags, may decide whether
# and how the code counts.
WITH_CODE = CODE - {"VkShaderModule"} | {
    "VkComputePipelineCreateInfo",
    "VkDataGraphPipelineCreateInfoARM",
    "VkExecutionGraphPipelineCreateInfoAMDX",
    "VkGraphicsPipelineCreateInfo",
    "VkPipelineCreateInfoKHR",
    "VkRayTracingPipelineCreateInfoKHR",
    "VkRayTracingPipelineCreateInfoNV",
}
FLAGS = {
    "VkPipelineCreateFlagBits2",
    "VkPipelineShaderStageCreateFlagBits",
    "VkShaderCreateFlagBitsEXT",
}
COMMANDS = ("intercepted", "passes")
STRUCTURES = ("translated", "rewritten", "unchanged", "unknown", "decides", "beside")
FLAG_WORDS = ("flag",)


def is_vulkan(element):
    return "vulkan" in element.get("api", "vulkan").split(",")


def typed(element, tag):
    return [item.findtext("type") for item in element.findall(tag) if is_vulkan(item)]


def carriers(registry):
    """Structures with such members, with members of such structures, or with those in the chain."""
    members, extends = {}, {}
    for struct in registry.iterfind("types/type[@category='struct']"):
        if struct.get("alias") or not is_vulkan(struct):
            continue
        name = struct.get("name")
        members[name] = typed(struct, "member")
        extends[name] = [name for name in struct.get("structextends", "").split(",") if name]
    found = {name for name, types in members.items() if any(map(MASKS.match, types))} | CODE
    while True:
        more = {name for name, types in members.items() if found & set(types)}
        for name in found:
            more.update(target for target in extends.get(name, ()) if target in members)
        if more <= found:
            return found
        found |= more


def commands(registry, structures):
    found = set()
    for command in registry.iterfind("commands/command"):
        if command.get("alias") or not is_vulkan(command):
            continue
        types = typed(command, "param")
        if structures & set(types) or any(map(MASKS.match, types)):
            found.add(command.findtext("proto/name"))
    return found


def neighbours(registry):
    """Structures that may stand in the chain of a create info with code."""
    found = set()
    for struct in registry.iterfind("types/type[@category='struct']"):
        if not struct.get("alias") and is_vulkan(struct):
            if WITH_CODE & set(struct.get("structextends", "").split(",")):
                found.add(struct.get("name"))
    return found


def create_flags(registry):
    """The flags of create infos with code, without those that are reserved."""
    places = [enums for enums in registry.iterfind("enums") if enums.get("name") in FLAGS]
    items = [item for enums in places for item in enums.iterfind("enum")]
    for group in list(registry.iterfind("feature")) + list(registry.iterfind("extensions/extension")):
        if "vulkan" in group.get("supported", group.get("api", "")).split(","):
            items += [e for e in group.iterfind("require/enum") if e.get("extends") in FLAGS]
    names = {item.get("name") for item in items if not item.get("alias")}
    return {name for name in names if "_RESERVED_" not in name}


def read_reviewed(path):
    """name -> what becomes of it"""
    reviewed = {}
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            match = re.fullmatch(r"(\w+)  (\w+): (.+)\n", line)
            words = COMMANDS + STRUCTURES + FLAG_WORDS
            if not match or match[1] not in words or match[2] in reviewed:
                raise SystemExit(f"{path}:{number}: no good line: {line.strip()}")
            reviewed[match[2]] = match[1]
    return reviewed


def load_generator(layer):
    spec = importlib.util.spec_from_file_location("generator", f"{layer}/chain/generate_known_structs.py")
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    return generator


def unknown_structures(registry, layer):
    """Structures of chains that the layer edits, but are not in known_structs.inc."""
    with open(f"{layer}/chain/known_structs.inc", encoding="utf-8") as file:
        known = set(re.findall(r"COOPVK_STRUCT\((\w+),", file.read()))
    generator = load_generator(layer)
    of_vulkan = generator.owners(registry, with_platforms=True)
    return {name for name, _ in generator.edited(registry) if name in of_vulkan} - known


def check_generated(registry_path, registry, layer, generator):
    """The file beside a generator is what that writes; of an older registry, part of it."""
    written = f"{generator.replace('generate_', '')}.inc"
    with open(f"{layer}/{written}", encoding="utf-8") as file:
        have = file.read()
    now = subprocess.run([sys.executable, "-B", f"{layer}/{generator}.py", registry_path],
                         check=True, capture_output=True, text=True).stdout
    written_for = int(re.search(r"header version (\d+)", have)[1])
    if load_generator(layer).header_version(registry) < written_for:
        names = set(re.findall(r"^COOPVK_\w+\([\w\"]+", have, re.MULTILINE))
        now = set(re.findall(r"^COOPVK_\w+\([\w\"]+", now, re.MULTILINE))
        return [f"{written} lacks {line}" for line in sorted(now - names)]
    return [] if now == have else [f"{written} is not what {generator}.py writes"]



def check_reviewed(registry, layer, reviewed):
    structures = carriers(registry)
    unknown = unknown_structures(registry, layer)
    names = structures | commands(registry, structures) | unknown
    names |= neighbours(registry) & load_generator(layer).owners(registry, True).keys()
    names |= create_flags(registry)
    complaints = [f"{name}: not reviewed" for name in sorted(names - reviewed.keys())]
    lists = [f"{layer}/{folder}/commands.hpp" for folder in ("loader", "shaders", "conversion")]
    intercepted = set()
    for name in lists:
        with open(name, encoding="utf-8") as file:
            intercepted |= set(re.findall(r"\bX\((vk\w+),", file.read()))
    for name, what in reviewed.items():
        if name.startswith("vk") != (what in COMMANDS) or name.startswith("VK_") != (
            what in FLAG_WORDS
        ):
            complaints.append(f"{name}: '{what}' is not for it")
        elif what == "unknown" and name not in unknown:
            complaints.append(f"{name}: known, or in no chain that is edited")
        elif name.startswith("vk") and (name in intercepted) != (what == "intercepted"):
            complaints.append(f"{name}: commands.hpp does not agree that it is '{what}'")
    return complaints, names


def main():
    registry_path, layer, reviewed_path = sys.argv[1:]
    registry = ElementTree.parse(registry_path).getroot()
    reviewed = read_reviewed(reviewed_path)
    complaints, names = check_reviewed(registry, layer, reviewed)
    for generator in ("chain/generate_known_structs", "device/generate_extension_depends"):
        complaints += check_generated(registry_path, registry, layer, generator)
    for complaint in complaints:
        print(f"test_registry: {complaint}", file=sys.stderr)
    print(f"{len(names)} structures and commands, {len(reviewed)} reviewed")
    return 1 if complaints or not names else 0


if __name__ == "__main__":
    sys.exit(main())
