// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace coopvk::tool {

// "coopvk 1.2.3 (commit 0123456789ab, rewriter 1.2.3+0123456789ab)"
std::string versionText(std::string program);

}  // namespace coopvk::tool
