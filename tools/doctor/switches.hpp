// SPDX-License-Identifier: Apache-2.0
//
// What in the environment switches a layer that the loader found on or off.
#pragma once

#include "doctor/finding.hpp"

namespace coopvk::tool {

// COOPVK_DISABLE, the loader's filters and, where the configuration does not switch the layer on,
// COOPVK_ENABLE.
void checkSwitches(bool implicit, bool isConfigured, Findings& findings);

}  // namespace coopvk::tool
