// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "doctor/finding.hpp"

namespace coopvk::tool {

// Variables of the environment whose names are almost those of the layer's, such as COOPVK_ENABLED.
void checkSpelling(Findings& findings);

}  // namespace coopvk::tool
