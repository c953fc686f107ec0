// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check.hpp"

namespace coopvk::tool {

// `coopvk check --debug`: checks, and debugs what led to the first fault; without one, the module.
// Commands are from the file, or from the standard input if the name is empty.
rewrite::Result<int> debug(const check::Subject& subject, const check::Options& options,
                           const std::string& commands);

}  // namespace coopvk::tool
