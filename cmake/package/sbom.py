#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what the layer and the tool are made of as SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3/).

usage: sbom.py --build BUILD --version VERSION --commit COMMIT --time SECONDS [--file FILE]...

BUILD is a build folder of Ninja: the static libraries that the layer and the tool link must belong to a component
below, else this fails. FILEs are those of a release, each with its checksums. The same arguments and packages give
the same bytes.
"""
import argparse
import datetime
import hashlib
import json
import pathlib
import re
import subprocess
import sys

# Name, licence, Debian packages that have it, static libraries of it. Copyrights are in `copyright`.
COMPONENTS = [
    ("SPIRV-Tools", "Apache-2.0", ["spirv-tools"], ["libSPIRV-Tools.a", "libSPIRV-Tools-opt.a"]),
    ("SPIRV-Headers", "MIT", ["spirv-headers"], []),
    ("Vulkan-Headers", "Apache-2.0", ["libvulkan-dev"], []),
    ("Vulkan-Utility-Libraries", "Apache-2.0", ["vulkan-utility-libraries-dev"], ["libVulkanLayerSettings.a"]),
    ("volk", "MIT", ["libvulkan-volk-dev"], ["libvolk.a"]),
    ("nlohmann-json", "MIT", ["nlohmann-json3-dev"], []),
    ("CLI11", "BSD-3-Clause", ["libcli11-dev"], []),
    ("libstdc++ and libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1", ["libgcc-s1"], ["libstdc++.a", "libgcc.a"]),
]
PROGRAMS = ["layer/libVkLayer_coopvk.so", "tools/coopvk", "tools/coopvk-compare", "reference/icd/libcoopvk_reference.so"]


def linked(build):
    """The names of the static libraries of other projects that the programs link."""
    names = set()
    statement = re.compile(r"^build ([^:]+): ")
    target = None
    for line in (build / "build.ninja").read_text().splitlines():
        if match := statement.match(line):
            target = match[1].split(" ")[0]
        elif line.startswith("  LINK_LIBRARIES = ") and target in PROGRAMS:
            names.update(pathlib.PurePath(word).name for word in line.split() if re.match(r"/.*\.a$", word))
    return names


def package_version(packages):
    """The version of the first of the Debian packages that is installed."""
    for package in packages:
        query = subprocess.run(["dpkg-query", "-W", "-f", "${Version}\n", package], capture_output=True, text=True)
        if query.returncode == 0 and query.stdout.strip():
            return query.stdout.split()[0]
    return None


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", name)


def component(name, licence, packages):
    version = package_version(packages)
    entry = {
        "SPDXID": identifier(name),
        "name": name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
    }
    if version:
        entry["versionInfo"] = version
        entry["externalRefs"] = [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{packages[0]}@{version.replace(':', '%3A').replace('+', '%2B')}",
        }]
    return entry


def file_entry(path):
    data = path.read_bytes()
    return {
        "SPDXID": identifier("File-" + path.name),
        "fileName": "./" + path.name,
        "checksums": [{"algorithm": name, "checksumValue": hashlib.new(name.lower(), data).hexdigest()}
                      for name in ("SHA1", "SHA256")],
        "licenseConcluded": "NOASSERTION",
        "licenseInfoInFiles": ["NOASSERTION"],
        "copyrightText": "NOASSERTION",
    }


def relation(element, kind, other):
    return {"spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": other}


def document(arguments):
    created = datetime.datetime.fromtimestamp(arguments.time, datetime.timezone.utc)
    parts = [component(name, licence, packages) for name, licence, packages, _ in COMPONENTS]
    files = [file_entry(path) for path in sorted(arguments.file)]
    coopvk = component("coopvk", "Apache-2.0", [])
    coopvk["versionInfo"] = arguments.version
    coopvk["sourceInfo"] = f"commit {arguments.commit}"
    root = coopvk["SPDXID"]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"coopvk-{arguments.version}",
        "documentNamespace": f"https://coopvk.invalid/spdx/coopvk-{arguments.version}-{arguments.commit}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: coopvk-sbom"]},
        "packages": [coopvk] + parts,
        "files": files,
        "relationships": [relation("SPDXRef-DOCUMENT", "DESCRIBES", root)]
        + [relation(root, "STATIC_LINK" if archives else "DEPENDS_ON", part["SPDXID"])
           for part, (*_, archives) in zip(parts, COMPONENTS)]
        + [relation(entry["SPDXID"], "GENERATED_FROM", root) for entry in files],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--commit", required=True)
    parser.add_argument("--time", type=int, required=True)
    parser.add_argument("--file", type=pathlib.Path, action="append", default=[])
    arguments = parser.parse_args()
    known = {archive for *_, archives in COMPONENTS for archive in archives}
    if unknown := linked(arguments.build) - known:
        sys.exit(f"sbom: no component has {', '.join(sorted(unknown))}")
    json.dump(document(arguments), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
