// SPDX-License-Identifier: Apache-2.0
//
// A row of the table in extension_rows.cpp.
#include <algorithm>

#include "device/extension_rows.hpp"

namespace coopvk::layer {

FeatureBits ExtensionRow::bitsIn(const void* node) const {
    const bool isAggregate = static_cast<const VkBaseInStructure*>(node)->sType == aggregateType;
    return isAggregate ? aggregateFeatures : features;
}

uint32_t ExtensionRow::read(const void* node) const {
    const auto members = bitsOf(node, bitsIn(node));
    uint32_t bits = 0;
    for (size_t i = 0; i < members.size(); ++i) bits |= members[i] != VK_FALSE ? 1u << i : 0u;
    return bits;
}

void ExtensionRow::add(void* node, uint32_t bits) const {
    const auto members = bitsOf(node, bitsIn(node));
    for (size_t i = 0; i < members.size(); ++i) {
        if ((bits >> i & 1u) != 0) members[i] = VK_TRUE;
    }
}

void ExtensionRow::remove(void* node, uint32_t bits) const {
    const auto members = bitsOf(node, bitsIn(node));
    for (size_t i = 0; i < members.size(); ++i) {
        if ((bits >> i & 1u) != 0) members[i] = VK_FALSE;
    }
}

uint32_t ExtensionRow::granted(const DeviceFacts& facts) const {
    uint32_t bits = 0;
    for (const Grant& grant : grants) {
        if (grant.possible == nullptr || grant.possible(facts)) bits |= bit(grant.offset);
    }
    return bits;
}

uint32_t ExtensionRow::grantedBeside(const DeviceFacts& facts) const {
    uint32_t bits = granted(facts);
    for (const Grant& grant : grants) {
        if (!grant.besideNative) bits &= ~bit(grant.offset);
    }
    return bits;
}

std::string ExtensionRow::names(uint32_t bits) const {
    std::string names;
    for (const Grant& grant : grants) {
        if ((bits & bit(grant.offset)) == 0) continue;
        names.append(names.empty() ? "" : ", ").append(grant.name);
    }
    return names;
}

const char* ExtensionRow::leftOutOfAuto(const DeviceFacts& facts) const {
    return whyNotInAuto == nullptr ? nullptr : whyNotInAuto(facts);
}

bool ExtensionRow::needsFloat16() const {
    return std::ranges::find(needs, Feature::kShaderFloat16) != needs.end();
}

}  // namespace coopvk::layer
