// SPDX-License-Identifier: Apache-2.0
//
// The output of `coopvk info --json` for a device of the fleet, with which the rewriter can be
// tested for that device without any driver.
#pragma once

#include <string>

#include "supervisor.hpp"

namespace coopvk::fleet {

// Writes FOLDER/NAME.json: all but the lists of shapes and combinations, which follow from the
// rest.
void writeFixture(const Device& device, const Surroundings& surroundings,
                  const std::string& folder);

}  // namespace coopvk::fleet
