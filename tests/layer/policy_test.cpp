// SPDX-License-Identifier: Apache-2.0
#include "policy.hpp"

#include <gtest/gtest.h>

#include "device_facts.hpp"
#include "extension_rows.hpp"

namespace coopvk::layer {
namespace {

using Mode = EmulatePolicy::Mode;
using rewrite::Extension;

EmulatePolicy parse(std::string_view text, size_t expectedComplaints = 0) {
    std::vector<std::string> complaints;
    EmulatePolicy policy = EmulatePolicy::parse(text, complaints);
    EXPECT_EQ(complaints.size(), expectedComplaints) << text;
    return policy;
}

void makeNative(DeviceFacts& facts, Extension extension) {
    const ExtensionRow& row = extensionRow(extension);
    facts.native.insert(extension);
    facts.nativeFeatures[extension] = (1u << row.features.count) - 1;
}

// A device that can carry every emulation, with the given extensions of its own.
DeviceFacts makeFacts(rewrite::ExtensionSet native = {}) {
    DeviceFacts facts;
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        if (native.contains(info.extension)) makeNative(facts, info.extension);
    }
    facts.traits.shaderFloat64 = facts.traits.shaderInt64 = true;
    return facts;
}

Decision decideMatrix(std::string_view policy, const DeviceFacts& facts) {
    return decide(parse(policy), facts)[static_cast<size_t>(Extension::kKhrCooperativeMatrix)];
}

TEST(Policy, Words) {
    for (const char* text : {"", " ", "auto", " auto\n"}) {
        EXPECT_EQ(parse(text).mode, Mode::kAuto) << text;
    }
    EXPECT_EQ(parse("all").mode, Mode::kAll);
    EXPECT_EQ(parse("\tall ").mode, Mode::kAll);
}

TEST(Policy, Lists) {
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        const EmulatePolicy policy = parse(std::string(" ,") + std::string(info.vulkanName) + " ,");
        EXPECT_EQ(policy.mode, Mode::kList);
        EXPECT_EQ(policy.list, rewrite::ExtensionSet{info.extension});
    }
    EXPECT_TRUE(parse("none", 1).list.empty());
    EXPECT_TRUE(parse("ALL", 1).list.empty());
    EXPECT_TRUE(parse("VK_KHR_cooperative_matri,vk_khr_cooperative_matrix", 2).list.empty());
}

TEST(Policy, Decisions) {
    const DeviceFacts lacking = makeFacts();
    const DeviceFacts native = makeFacts({Extension::kKhrCooperativeMatrix});
    const char* name = "VK_KHR_cooperative_matrix";
    EXPECT_EQ(decideMatrix("auto", lacking).provision, Provision::kEmulated);
    EXPECT_EQ(decideMatrix("auto", native).provision, Provision::kNative);
    for (const char* forced : {"all", name}) {
        EXPECT_EQ(decideMatrix(forced, lacking).provision, Provision::kEmulated);
        EXPECT_EQ(decideMatrix(forced, native).provision, Provision::kEmulated);
        EXPECT_NE(decideMatrix(forced, native).reason, decideMatrix(forced, lacking).reason);
    }
    EXPECT_EQ(decideMatrix(",", lacking).provision, Provision::kUnavailable);
    EXPECT_EQ(decideMatrix(",", native).provision, Provision::kNative);
}

// A device that cannot carry it keeps what it has, and the reason names what is missing.
TEST(Policy, WhatTheDeviceLacks) {
    DeviceFacts facts = makeFacts();
    facts.traits.vulkanMemoryModel = false;
    for (const char* text : {"auto", "all"}) {
        const Decision decision = decideMatrix(text, facts);
        EXPECT_EQ(decision.provision, Provision::kUnavailable);
        EXPECT_NE(decision.reason.find("vulkanMemoryModel"), std::string::npos) << decision.reason;
    }
    makeNative(facts, Extension::kKhrCooperativeMatrix);
    EXPECT_EQ(decideMatrix("all", facts).provision, Provision::kNative);
}

// In `auto` only what a driver lacks is added to what it has: nothing where coopvk's would not fit
// beside it.
TEST(Policy, FeatureByFeature) {
    for (const ExtensionRow& row : extensionRows()) {
        const auto index = static_cast<size_t>(row.extension);
        for (uint32_t native = 0; native < 1u << row.features.count; ++native) {
            DeviceFacts facts = makeFacts();
            facts.traits.bufferDeviceAddress = true;  // which vectors need
            facts.nativeFeatures[row.extension] = native;
            const uint32_t main = row.bit(row.mainFeatureOffset);
            if ((native & main) != 0) facts.native.insert(row.extension);
            const Decision decision = decide(parse("auto"), facts)[index];
            EXPECT_EQ(decision.native, native);
            EXPECT_EQ(decision.added & native, 0u);
            EXPECT_EQ(decision.added & ~row.granted(facts), 0u);
            EXPECT_EQ(decision.provision == Provision::kEmulated, decision.added != 0);
            if (row.autoOnlyCompletes && native == 0) {
                EXPECT_EQ(decision.added, 0u);
                EXPECT_NE(decision.reason.find("only where it is named"), std::string::npos);
                continue;
            }
            EXPECT_TRUE((native & main) != 0 || (decision.added & main) != 0);
            const std::string why = native == 0 ? "lacks" : row.names(decision.added);
            EXPECT_TRUE(decision.added == 0 || decision.reason.find(why) != why.npos);
        }
    }
}

TEST(Policy, FloatAtomicsBesideTheDriversOwn) {
    const ExtensionRow& row = extensionRow(Extension::kExtShaderAtomicFloat);
    const auto index = static_cast<size_t>(row.extension);
    DeviceFacts facts = makeFacts();
    facts.nativeFeatures[row.extension] = 0b110001;  // shared ones, and exchanges in buffers
    Decision decision = decide(parse("auto"), facts)[index];
    EXPECT_TRUE(decision.isPartial());
    EXPECT_EQ(row.names(decision.added), "shaderBufferFloat32AtomicAdd");
    decision = decide(parse("all"), facts)[index];
    EXPECT_FALSE(decision.isPartial());
    EXPECT_EQ(decision.native, 0u);
    EXPECT_EQ(row.names(decision.added),
              "shaderBufferFloat32Atomics, shaderBufferFloat32AtomicAdd");
}

TEST(Policy, EmulatedSet) {
    Decisions decisions;
    EXPECT_TRUE(emulatedSet(decisions).empty());
    for (Decision& decision : decisions) decision.provision = Provision::kEmulated;
    EXPECT_EQ(emulatedSet(decisions), rewrite::ExtensionSet::all());
}

}  // namespace
}  // namespace coopvk::layer
