// SPDX-License-Identifier: Apache-2.0
//
// The features that a shader needs by Vulkan's rules, so that tests can run on devices without any
// other.
#pragma once

#include <set>
#include <string_view>

#include "context.hpp"

namespace coopvk::test {

// Whether COOPVK_TEST_FEATURES is "least".
bool wantsLeastFeatures();

struct Least {
    Features features{};
    std::set<std::string_view> extensions;
};

// `supported` are the physical device's.
Least leastFeatures(const Words& words, const Features& supported);

}  // namespace coopvk::test
