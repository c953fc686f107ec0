// SPDX-License-Identifier: Apache-2.0
//
// Files that commands read, also those in an archive that `coopvk report` wrote: the archive's
// path, a slash, and the name there, such as "report.tar/shaders/NAME.json".
#pragma once

#include <string>
#include <vector>

#include "coopvk/rewrite.hpp"

namespace coopvk::tool {

rewrite::Result<std::string> readFile(const std::string& path);

// If it is an archive, the paths of the requests that the layer wrote, in it; else the path itself.
std::vector<std::string> requestsOf(const std::string& path);

}  // namespace coopvk::tool
