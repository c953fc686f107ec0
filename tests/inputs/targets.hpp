// SPDX-License-Identifier: Apache-2.0
//
// What the inputs are rewritten for: the devices of tests/rewrite/devices, at each of their
// subgroup sizes, and a device without special features at 4 to 128 lanes.
#pragma once

#include <string>
#include <vector>

#include "coopvk/rewrite.hpp"

namespace coopvk::test {

struct NamedTarget {
    std::string name;  // "ampere, native, 32 lanes"
    rewrite::Target target;
};

// Each device with each back-end that it has matrices for.
const std::vector<NamedTarget>& allTargets();

}  // namespace coopvk::test
