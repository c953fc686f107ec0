// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "doctor/finding.hpp"

namespace coopvk::tool {

// Says which profiles of `coopvk tune` the layer uses here, or why not.
void checkTuning(Findings& findings);

}  // namespace coopvk::tool
