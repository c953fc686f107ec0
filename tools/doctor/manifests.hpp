// SPDX-License-Identifier: Apache-2.0
//
// Where the loader looks for layers, and what it finds there, as the loader's documentation says
// (LoaderLayerInterface.md, "Linux Layer Discovery").
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "doctor/finding.hpp"

namespace coopvk::tool {

enum class LayerKind { kImplicit, kExplicit };

// In the order in which the loader looks; a file may be named in place of a folder.
std::vector<std::filesystem::path> layerPaths(LayerKind kind);

struct FoundManifest {
    std::filesystem::path file;
    std::string library;           // as the loader opens it
    std::string problem;           // why the loader cannot open it; empty if it can
    bool byConfiguration = false;  // the one that `coopvk config --install` writes
};

// This layer's manifests there for programs of this word size; the loader uses the first one.
// Unreadable files are findings.
std::vector<FoundManifest> findManifests(LayerKind kind, Findings& findings);

// The first one that says that it is for programs of another word size, such as "32". This process
// cannot open its library.
std::optional<FoundManifest> findManifestFor(const std::string& wordSize, LayerKind kind);

}  // namespace coopvk::tool
