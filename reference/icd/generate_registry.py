#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes rows of commands, extensions, features and properties from Vulkan's registry.

usage: generate_registry.py VK_XML EXTENSIONS_TXT OUTPUT_FOLDER
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

CORE = 1.4  # the version of the device
LEVELS = {
    "VkInstance": "kInstance",
    "VkPhysicalDevice": "kPhysicalDevice",
    "VkDevice": "kDevice",
    "VkQueue": "kDevice",
    "VkCommandBuffer": "kDevice",
}
# Without an instance (Vulkan specification, "Command Function Pointers").
GLOBAL = {
    "vkEnumerateInstanceVersion",
    "vkEnumerateInstanceExtensionProperties",
    "vkEnumerateInstanceLayerProperties",
    "vkCreateInstance",
}
AGGREGATES = {f"VkPhysicalDeviceVulkan1{minor}Properties": f"v1{minor}" for minor in (1, 2, 3, 4)}


def for_vulkan(element, key):
    return "vulkan" in element.get(key, "vulkan").split(",")


def read_extensions(path):
    """name -> group"""
    lines = (line.split("#")[0].split() for line in path.read_text().splitlines())
    return {words[-1]: words[0] if len(words) > 1 else "always" for words in lines if words}


def holds(depends, known):
    """Whether a condition on extensions (+ is and, a comma is or) holds with those in KNOWN."""
    names = re.sub(r"\w+(::\w+)?", lambda name: str(name[0] in known), depends)
    return eval(names.replace("+", " and ").replace(",", " or "))  # of parentheses and truth values


def requires(owner, known):
    for require in owner.findall("require"):
        if for_vulkan(require, "api") and holds(require.get("depends", "True"), known | {"True"}):
            yield require


class Registry:
    def __init__(self, path, chosen):
        self.root = ElementTree.parse(path).getroot()
        self.extensions = [e for e in self.root.findall("extensions/extension")
                           if for_vulkan(e, "supported") and e.get("name") in chosen]
        self.core = [f for f in self.root.findall("feature")
                     if for_vulkan(f, "api") and float(f.get("number")) <= CORE]
        self.names = {owner.get("name") for owner in self.core + self.extensions}
        self.aliases = {}
        self.first = {}
        for command in self.root.findall("commands/command"):
            if not for_vulkan(command, "api"):
                continue
            if command.get("alias"):
                self.aliases[command.get("name")] = command.get("alias")
            else:
                self.first[command.findtext("proto/name")] = command.findtext("param/type")
        self.structs = {s.get("name"): s for s in self.root.iterfind("types/type[@category='struct']")
                        if for_vulkan(s, "api") and not s.get("alias")}

    def owners(self, kind):
        """(name, extension or "") of all commands or types that the driver knows."""
        known = {}
        for owner in self.core + self.extensions:
            name = owner.get("name") if owner.tag == "extension" else ""
            for require in requires(owner, self.names):
                for item in require.findall(kind):
                    known.setdefault(item.get("name"), name)
        return known.items()

    def members(self, name):
        """(type, name, alias) of what stands behind pNext, but pointers to memory of the caller."""
        for member in self.structs[name].findall("member"):
            pointer = "*" in (member.find("type").tail or "")
            if for_vulkan(member, "api") and member.findtext("name") != "sType" and not pointer:
                field = member.find("name")
                yield member.findtext("type"), field.text, field.get("alias", "")

    def structure_type(self, name):
        found = [m.get("values") for m in self.structs[name].findall("member") if m.get("values")]
        return found[0]

    def extending(self, head):
        """(name, owner) of the structures that may stand in the chain of HEAD."""
        for name, owner in self.owners("type"):
            struct = self.structs.get(name)
            if struct is not None and head in struct.get("structextends", "").split(","):
                yield name, owner


def extension_rows(registry, chosen):
    for extension in registry.extensions:
        name = extension.get("name")
        version = next(item.get("value") for item in extension.iterfind("require/enum")
                       if item.get("name").endswith("_SPEC_VERSION"))
        kind = "kInstance" if extension.get("type") == "instance" else "kDevice"
        yield f'COOPVK_EXTENSION("{name}", {version}, {kind}, k{chosen[name].capitalize()})'


def command_rows(registry):
    for name, owner in registry.owners("command"):
        target = registry.aliases.get(name, name)
        level = "kGlobal" if name in GLOBAL else LEVELS[registry.first[target]]
        yield f'COOPVK_COMMAND({name}, {target}, {level}, "{owner}")'


def feature_rows(registry):
    names = [name for kind, name, _ in registry.members("VkPhysicalDeviceFeatures")]
    yield f'COOPVK_CORE_FEATURES("{" ".join(names)}")'
    for name, owner in registry.extending("VkPhysicalDeviceFeatures2"):
        names = " ".join(member for _, member, _ in registry.members(name))
        yield f'COOPVK_FEATURES({name}, {registry.structure_type(name)}, "{owner}", "{names}")'


def property_rows(registry):
    """Structures whose members are also in those of a Vulkan version, under the same name or an alias."""
    held = {}
    for aggregate, variable in AGGREGATES.items():
        for _, member, alias in registry.members(aggregate):
            held[member] = held[alias] = f"{variable}.{member}"
    for struct, owner in registry.extending("VkPhysicalDeviceProperties2"):
        if owner or struct in AGGREGATES:
            continue
        yield f"COOPVK_PROPERTIES({struct}, {registry.structure_type(struct)})"
        for _, member, _ in registry.members(struct):
            place = held.get(f"{struct}::{member}", held.get(member))
            if place:
                yield f"COOPVK_PROPERTY({member}, {place})"
        yield "COOPVK_PROPERTIES_END"


def main():
    xml, list_file, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
    chosen = read_extensions(list_file)
    registry = Registry(xml, chosen)
    files = {
        "extensions": extension_rows(registry, chosen),
        "commands": command_rows(registry),
        "features": feature_rows(registry),
        "properties": property_rows(registry),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in files.items():
        (folder / f"{name}.inc").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
