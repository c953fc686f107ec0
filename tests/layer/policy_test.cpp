// SPDX-License-Identifier: Apache-2.0
#include "policy.hpp"

#include <gtest/gtest.h>

#include "device_facts.hpp"

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

// A device that can carry every emulation, with the given extensions of its own.
DeviceFacts makeFacts(rewrite::ExtensionSet native = {}) {
    DeviceFacts facts;
    facts.native = native;
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
    facts.native.insert(Extension::kKhrCooperativeMatrix);
    EXPECT_EQ(decideMatrix("all", facts).provision, Provision::kNative);
}

TEST(Policy, EmulatedSet) {
    Decisions decisions;
    EXPECT_TRUE(emulatedSet(decisions).empty());
    for (Decision& decision : decisions) decision.provision = Provision::kEmulated;
    EXPECT_EQ(emulatedSet(decisions), rewrite::ExtensionSet::all());
}

}  // namespace
}  // namespace coopvk::layer
