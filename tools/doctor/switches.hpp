// SPDX-License-Identifier: Apache-2.0
//
// The parts of the environment that switch on or off a layer that the loader found.
#pragma once

#include "doctor/finding.hpp"

namespace coopvk::tool {

// Checks COOPVK_DISABLE, the loader's filters and, if the configuration does not switch the layer
// on, COOPVK_ENABLE.
void checkSwitches(bool implicit, bool isConfigured, Findings& findings);

}  // namespace coopvk::tool
