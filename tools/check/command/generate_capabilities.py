#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes rows of what a device must have for a SPIR-V capability, from Vulkan's registry.

usage: generate_capabilities.py VK_XML OUTPUT

One of the rows of a capability suffices. Of properties, the operations of subgroups count.
"""
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def own_structures(root):
    """Of headers of one platform, or of provisional extensions: not in vulkan.h."""
    return {item.get("name") for extension in root.iterfind("extensions/extension") if extension.get("platform")
            for item in extension.iterfind("require/type")}


def structures(root):
    """name -> (its VkStructureType, its members)"""
    known, left_out = {}, own_structures(root)
    for struct in root.iterfind("types/type[@category='struct']"):
        extends = struct.get("structextends", "").split(",")
        if "VkDeviceCreateInfo" not in extends or struct.get("name") in left_out:
            continue
        members = struct.findall("member")
        kind = next(member.get("values") for member in members if member.get("values"))
        known[struct.get("name")] = kind, {member.findtext("name") for member in members}
    return known


def feature_rows(name, struct, feature, known):
    """A feature may be in a version's structure and in that of the extension that it comes from."""
    if struct == "VkPhysicalDeviceFeatures":
        yield (f'{{.name = "{name}", .type = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .feature = "{feature}", '
               f'.offset = offsetof(VkPhysicalDeviceFeatures2, features.{feature})}},')
    for other, (kind, members) in known.items():
        if struct in known and feature in members:
            yield (f'{{.name = "{name}", .type = {kind}, .feature = "{feature}", '
                   f'.offset = offsetof({other}, {feature})}},')


def rows(root):
    known = structures(root)
    for capability in root.iterfind("spirvcapabilities/spirvcapability"):
        for enable in capability.findall("enable"):
            name = capability.get("name")
            if enable.get("version"):
                yield f'{{.name = "{name}", .version = {enable.get("version").replace("VK_", "VK_API_")}}},'
            elif enable.get("extension"):
                yield f'{{.name = "{name}", .extension = "{enable.get("extension")}"}},'
            elif enable.get("struct"):
                yield from feature_rows(name, enable.get("struct"), enable.get("feature"), known)
            elif enable.get("member") == "subgroupSupportedOperations":
                yield f'{{.name = "{name}", .operation = {enable.get("value")}}},'


def main():
    xml, target = sys.argv[1:]
    text = "\n".join(rows(ElementTree.parse(xml).getroot()))
    pathlib.Path(target).write_text(text + "\n")


if __name__ == "__main__":
    main()
