#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes rows of commands, handles, extensions, and structures of features and properties.

usage: generate_registry.py VK_XML SOURCE_FOLDER OUTPUT_FOLDER

The source folder has the lists of what this device supports: extensions.txt, features.txt and
properties.txt.
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
    "vkGetInstanceProcAddr",
}


def for_vulkan(element, key):
    return "vulkan" in element.get(key, "vulkan").split(",")


def read_lines(path):
    """Without comments and empty lines."""
    return list(filter(None, (line.split("#")[0].strip() for line in path.read_text().splitlines())))


def read_groups(path):
    """name -> group; the name of a group ends with a colon."""
    chosen, group = {}, None
    for word in " ".join(read_lines(path)).split():
        if word.endswith(":"):
            group = word.removesuffix(":")
        else:
            chosen[word] = group
    return chosen


def read_properties(path):
    """[(pattern of names, value)]"""
    lines = (line.split(" : ") for line in read_lines(path))
    return [(re.compile("|".join(names.split())), value) for value, names in lines]


def holds(depends, known):
    """Whether a condition on extensions (+ is and, a comma is or) holds with those in KNOWN."""
    names = re.sub(r"\w+(::\w+)?", lambda name: str(name[0] in known), depends)
    return eval(names.replace("+", " and ").replace(",", " or "))  # of parentheses and truth values


class Registry:
    def __init__(self, path, chosen):
        self.root = ElementTree.parse(path).getroot()
        self.extensions = [e for e in self.root.findall("extensions/extension")
                           if for_vulkan(e, "supported") and e.get("name") in chosen]
        self.core = [f for f in self.root.findall("feature")
                     if for_vulkan(f, "api") and float(f.get("number")) <= CORE]
        self.names = {owner.get("name") for owner in self.core + self.extensions} | {"True"}
        structs = [s for s in self.root.iterfind("types/type[@category='struct']")
                   if for_vulkan(s, "api")]
        self.aliases = {s.get("name"): s.get("alias") for s in structs if s.get("alias")}
        self.structs = {s.get("name"): s for s in structs if not s.get("alias")}

    def owners(self, kind):
        """(name, extension or "") of all commands or types that the driver knows."""
        known = {}
        for owner in self.core + self.extensions:
            name = owner.get("name") if owner.tag == "extension" else ""
            for require in owner.findall("require"):
                if for_vulkan(require, "api") and holds(require.get("depends", "True"), self.names):
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

    def leaves(self, name, path=""):
        """(path, name) of the members of a structure and of those in it."""
        for kind, member, _ in self.members(name):
            if kind in self.structs:
                yield from self.leaves(kind, f"{path}{member}.")
            else:
                yield path + member, member

    def chain(self, head):
        """(name, type, owner) of HEAD and the structures that may stand in its chain."""
        known = {}
        for name, owner in self.owners("type"):
            known.setdefault(self.aliases.get(name, name), owner)
        for name, owner in known.items():
            struct = self.structs.get(name)
            if struct is not None and head in [name, *struct.get("structextends", "").split(",")]:
                kind = next(m.get("values") for m in struct.findall("member") if m.get("values"))
                yield name, kind, owner


def extension_rows(registry, chosen):
    for extension in registry.extensions:
        name = extension.get("name")
        version = next(item.get("value") for item in extension.iterfind("require/enum")
                       if item.get("name").endswith("_SPEC_VERSION"))
        of_device = str(extension.get("type") == "device").lower()
        yield f'{{"{name}", {version}, {of_device}, "{chosen[name]}"}},'


def needed(command, handles):
    """For each parameter: "!" if it must not be null, "-" if it may be, or the number of the
    parameter that must be 0 if this one is null."""
    params = [p for p in command.findall("param") if for_vulkan(p, "api")]
    names = [p.findtext("name") for p in params]
    for param in params:
        pointer = "*" in (param.find("type").tail or "")
        optional = param.get("optional", "false").split(",")[0] == "true"
        count = param.get("len", "").split(",")[0]
        if optional or not (pointer or param.findtext("type") in handles):
            yield "-"
        else:
            yield str(names.index(count)) if count in names else "!"


def command_rows(registry):
    """The second name is that of the function here: without vk, of the command that has no alias."""
    aliases, first, nulls = {}, {}, {}
    handles = {h.findtext("name") for h in registry.root.iterfind("types/type[@category='handle']")}
    for command in registry.root.findall("commands/command"):
        if command.get("alias"):
            aliases[command.get("name")] = command.get("alias")
        elif for_vulkan(command, "api"):
            name = command.findtext("proto/name")
            first[name] = command.findtext("param/type")
            nulls[name] = "".join(needed(command, handles))
    for name, owner in registry.owners("command"):
        target = aliases.get(name, name)
        level = "kGlobal" if name in GLOBAL else LEVELS[first[target]]
        yield (f'COOPVK_COMMAND({name}, {target.removeprefix("vk")}, {level}, "{owner}", '
               f'"{nulls[target]}")')


def handle_rows(registry):
    """References for those that are never null: the loader asks for commands without an instance."""
    known = {name for name, _ in registry.owners("type")}
    for handle in registry.root.iterfind("types/type[@category='handle']"):
        name = handle.findtext("name")
        if not handle.get("alias") and name in known:
            form = "&" if name in LEVELS and name != "VkInstance" else "*"
            kind = handle.get("objtypeenum")
            yield f'COOPVK_HANDLE({name.removeprefix("Vk")}, {form}, {kind})'


def structure_rows(registry, listed, values):
    """All members of each structure of features or properties, with what they get."""
    aliases = {alias: member for aggregate in registry.structs
               if re.fullmatch(r"VkPhysicalDeviceVulkan1\dProperties", aggregate)
               for _, member, alias in registry.members(aggregate) if alias}

    def feature(_, member, owner):  # extensions come with all but those for images
        if listed.get(member) == "graphics":
            return "drawn(device, VK_TRUE)"
        kept = "Image" not in member and listed.get(member) != "without"
        has = kept if owner else member in listed
        return int(has)

    def prop(struct, member, _):  # those of a Vulkan version may have aliases in older structures
        name = aliases.get(f"{struct}::{member}", aliases.get(member, member))
        return next((value for pattern, value in values if pattern.fullmatch(name)), "0")

    for head, value in (("Features2", feature), ("Properties2", prop)):
        for struct, kind, owner in registry.chain(f"VkPhysicalDevice{head}"):
            leaves = list(registry.leaves(struct))
            yield f'{{{kind}, "{owner}", sizeof({struct}), {len(leaves)},'
            yield "[]([[maybe_unused]] const PhysicalDevice& device, void* structure) {"
            yield f"[[maybe_unused]] auto& to = *static_cast<{struct}*>(structure);"
            for path, member in leaves:
                yield f"set(to.{path}, {value(struct, member, owner)});"
            yield "}},"


def main():
    xml, source, target = (pathlib.Path(argument) for argument in sys.argv[1:])
    chosen = read_groups(source / "extensions.txt")
    features = read_groups(source / "features.txt")
    registry = Registry(xml, chosen)
    files = {
        "extensions": extension_rows(registry, chosen),
        "commands": command_rows(registry),
        "handles": handle_rows(registry),
        "structures": structure_rows(registry, features,
                                     read_properties(source / "properties.txt")),
    }
    target.mkdir(parents=True, exist_ok=True)
    for name, rows in files.items():
        (target / f"{name}.inc").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
