// SPDX-License-Identifier: Apache-2.0
//
// Settings and devices for the tests of the layer's policy.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "device/device_facts.hpp"
#include "device/extension_rows.hpp"
#include "device/policy.hpp"

namespace coopvk::layer {

inline EmulatePolicy parse(std::string_view text, size_t expectedComplaints = 0) {
    std::vector<std::string> complaints;
    EmulatePolicy policy = EmulatePolicy::parse(text, complaints);
    EXPECT_EQ(complaints.size(), expectedComplaints) << text;
    return policy;
}

inline void makeNative(DeviceFacts& facts, rewrite::Extension extension) {
    const ExtensionRow& row = extensionRow(extension);
    facts.native.insert(extension);
    facts.nativeFeatures[extension] = (1u << row.features.count) - 1;
}

// A device with everything that each emulation needs, and with the given extensions of its own.
inline DeviceFacts makeFacts(rewrite::ExtensionSet native = {}) {
    DeviceFacts facts;
    facts.apiVersion = VK_API_VERSION_1_3;
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        if (native.contains(info.extension)) makeNative(facts, info.extension);
        if (info.extension == rewrite::Extension::kKhrShaderFloat16Int8)
            makeNative(facts, info.extension);
    }
    facts.traits.shaderFloat64 = facts.traits.shaderInt64 = true;
    return facts;
}

inline Decision decideMatrix(std::string_view policy, const DeviceFacts& facts) {
    return decide(parse(policy),
                  facts)[static_cast<size_t>(rewrite::Extension::kKhrCooperativeMatrix)];
}

}  // namespace coopvk::layer
