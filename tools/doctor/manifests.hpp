// SPDX-License-Identifier: Apache-2.0
//
// Where the loader looks for layers, and what it finds there: after the loader's documentation,
// LoaderLayerInterface.md, "Linux Layer Discovery".
#pragma once

#include <filesystem>
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
    std::string problem;           // why that is not possible; empty if it is
    bool byConfiguration = false;  // the one that `coopvk config --install` writes
};

// This layer's manifests there, the first of which counts. Files that nobody can read are findings.
std::vector<FoundManifest> findManifests(LayerKind kind, Findings& findings);

}  // namespace coopvk::tool
