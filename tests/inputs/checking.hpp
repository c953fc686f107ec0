// SPDX-License-Identifier: Apache-2.0
//
// Inputs, executed natively and rewritten on the reference device.
#pragma once

#include <string>
#include <vector>

#include "../driver/harness/shader.hpp"
#include "check.hpp"
#include "input.hpp"

namespace coopvk::test {

// The input's memory. Unless all forms run, two subgroup sizes and one schedule, which the number
// chooses.
check::Options optionsFor(const Input& input, size_t number);

// The class of devices on which a subgroup size of the input is executed.
const check::DeviceClass& classFor(const Input& input, uint32_t lanes);

// Without a class: on that for the input, and with other features and another plan for every second
// subgroup size.
std::vector<check::Outcome> checkAt(const Input& input, const Words& words,
                                    const check::Options& options,
                                    rewrite::ElementLayout layout = rewrite::ElementLayout::kAuto,
                                    const check::DeviceClass* deviceClass = nullptr);

bool isUnchecked(const Input& input);
bool isExpected(const Input& input, const check::Outcome& outcome);
std::string describe(const check::Outcome& outcome);

}  // namespace coopvk::test
