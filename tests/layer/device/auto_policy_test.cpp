// SPDX-License-Identifier: Apache-2.0
//
// What the setting `auto` offers, and what names beside it add.
#include "policy_facts.hpp"

namespace coopvk::layer::auto_policy_test {
namespace {

using rewrite::Extension;
constexpr auto kHalves = Extension::kKhrShaderFloat16Int8;

// What `auto` offers to a driver that has nothing, to one that has matrices only, and to a CPU's.
TEST(AutoPolicy, WhatAutoOffers) {
    rewrite::ExtensionSet byName = {Extension::kNvCooperativeMatrix2,
                                    Extension::kNvCooperativeMatrixDecodeVector,
                                    Extension::kExtShaderFloat8,
                                    Extension::kExtShaderOcpMicroscalingTypes,
                                    Extension::kValveShaderMixedFloatDotProduct,
                                    Extension::kNvShaderSmBuiltins,
                                    Extension::kNvCudaKernelLaunch,
                                    kHalves};
    DeviceFacts facts = makeFacts();
    facts.traits.bufferDeviceAddress = true;
    for (const std::string_view device : {"nothing", "matrices", "CPU"}) {
        const bool hasMatrices = device != "nothing";
        if (device == "matrices") {
            makeNative(facts, Extension::kKhrCooperativeMatrix);
            byName.insert(Extension::kExtCooperativeMatrixMaintenance1);
        } else if (device == "CPU") {
            facts.traits.isCpu = true;
            byName.insert(Extension::kKhrShaderBfloat16);
        }
        const Decisions decisions = decide(parse("auto"), facts);
        for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
            const Decision& decision = decisions[static_cast<size_t>(info.extension)];
            const bool isNative = hasMatrices && info.extension == Extension::kKhrCooperativeMatrix;
            EXPECT_EQ(decision.provision == Provision::kEmulated,
                      !isNative && !byName.contains(info.extension))
                << info.vulkanName << ": " << decision.reason;
            if (info.extension == kHalves) continue;  // this device has half floats
            const auto named = decide(parse("auto," + std::string(info.vulkanName)), facts);
            EXPECT_EQ(named[static_cast<size_t>(info.extension)].provision,
                      isNative ? Provision::kNative : Provision::kEmulated)
                << info.vulkanName;
        }
    }
}

// With fewer than 8 lanes a CPU takes longer with matrices than without, so `auto` offers none, and
// nothing that depends on them. Named, they come.
TEST(AutoPolicy, MatricesOfCpusWithFewLanes) {
    const rewrite::ExtensionSet matrices = {
        Extension::kKhrCooperativeMatrix, Extension::kNvCooperativeMatrix,
        Extension::kQcomCooperativeMatrixConversion, Extension::kExtCooperativeMatrixMaintenance1};
    const rewrite::ExtensionSet others = {Extension::kNvCooperativeVector,
                                          Extension::kExtShaderReplicatedComposites,
                                          Extension::kExtShaderAtomicFloat, Extension::kIntelInt4};
    DeviceFacts facts = makeFacts();
    facts.traits.bufferDeviceAddress = true;
    const auto offers = [&](std::string_view text, Extension extension) {
        return decide(parse(text), facts)[static_cast<size_t>(extension)].provision ==
               Provision::kEmulated;
    };
    for (const bool isCpu : {false, true}) {
        for (const uint32_t lanes : {4u, 8u, 16u}) {
            facts.traits.isCpu = isCpu;
            facts.traits.subgroupSize = lanes;
            facts.traits.minSubgroupSize = facts.traits.maxSubgroupSize = lanes;
            for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
                const std::string name(info.vulkanName);
                const bool isMatrix = matrices.contains(info.extension);
                if (!isMatrix && !others.contains(info.extension)) continue;
                const bool isOffered = !isMatrix || !isCpu || lanes >= 8;
                EXPECT_EQ(offers("auto", info.extension), isOffered) << name << ", " << lanes;
                for (const std::string& text : {"auto," + name, name, std::string("all")}) {
                    EXPECT_TRUE(offers(text, info.extension)) << text << ", " << lanes;
                }
            }
        }
    }
}

// What a program failed with is kept from it, with what depends on that by the registry, but not
// what the setting names, nor what this needs.
TEST(AutoPolicy, WhatIsKeptFromAProgram) {
    constexpr auto kKhr = Extension::kKhrCooperativeMatrix;
    DeviceFacts facts = makeFacts();
    facts.traits.bufferDeviceAddress = true;
    const auto offered = [&](std::string_view text, rewrite::ExtensionSet avoided) {
        EmulatePolicy policy = parse(text);
        policy.avoided = avoided;
        return emulatedSet(decide(policy, facts));
    };
    const rewrite::ExtensionSet all = offered("auto", {});
    EXPECT_TRUE(all.contains(Extension::kExtCooperativeMatrixMaintenance1));
    EXPECT_TRUE(all.contains(Extension::kQcomCooperativeMatrixConversion));
    rewrite::ExtensionSet rest = all;
    for (const Extension extension : {kKhr, Extension::kExtCooperativeMatrixMaintenance1,
                                      Extension::kQcomCooperativeMatrixConversion})
        rest.erase(extension);
    EXPECT_EQ(offered("auto", {kKhr}), rest);
    EXPECT_EQ(offered("auto,VK_KHR_cooperative_matrix", {kKhr}), all);
    rewrite::ExtensionSet named = all;
    named.insert(Extension::kNvCooperativeMatrix2);
    named.insert(Extension::kNvCooperativeMatrixDecodeVector);
    EXPECT_EQ(offered("auto,VK_NV_cooperative_matrix2,VK_NV_cooperative_matrix_decode_vector",
                      {kKhr, Extension::kNvCooperativeMatrix2}),
              named);
    EXPECT_TRUE(offered("auto,VK_NV_cooperative_matrix_decode_vector",
                        {kKhr, Extension::kNvCooperativeMatrix2})
                    .contains(kKhr));

    // The types stay, without their matrices.
    const auto index = static_cast<size_t>(Extension::kKhrShaderBfloat16);
    EmulatePolicy policy = parse("auto");
    const uint32_t before = decide(policy, facts)[index].added;
    policy.avoided = {kKhr};
    EXPECT_EQ(decide(policy, facts)[static_cast<size_t>(kKhr)].reason, kRememberedReason);
    const uint32_t matrices = extensionRow(Extension::kKhrShaderBfloat16)
                                  .bit(offsetof(VkPhysicalDeviceShaderBfloat16FeaturesKHR,
                                                shaderBFloat16CooperativeMatrix));
    EXPECT_NE(before & matrices, 0u);
    EXPECT_EQ(decide(policy, facts)[index].added, before & ~matrices);

    // A driver's own matrices stay, and what depends on them.
    makeNative(facts, kKhr);
    EXPECT_EQ(offered("auto", {kKhr}), offered("auto", {}));
}

// What a device lacks counts for more than what `auto` leaves out: no setting brings that.
TEST(AutoPolicy, WhatIsMissingIsTheReason) {
    DeviceFacts facts = makeFacts();
    facts.traits.isCpu = true;
    facts.traits.subgroupSize = facts.traits.minSubgroupSize = facts.traits.maxSubgroupSize = 2;
    EXPECT_EQ(decideMatrix("auto", facts).reason, "needs a subgroup size from 4 to 128");
    EXPECT_EQ(decideMatrix("auto,VK_KHR_cooperative_matrix", facts).reason,
              "needs a subgroup size from 4 to 128");
}

// A name beside "auto" completes what the driver has; alone it replaces it.
TEST(AutoPolicy, NamesBesideAuto) {
    const auto matrix2 = Extension::kNvCooperativeMatrix2;
    const ExtensionRow& row = extensionRow(matrix2);
    const auto index = static_cast<size_t>(matrix2);
    DeviceFacts facts = makeFacts({Extension::kKhrCooperativeMatrix});
    facts.nativeFeatures[matrix2] = 0b1100;  // reductions and conversions
    const Decision left = decide(parse("auto"), facts)[index];
    EXPECT_EQ(left.provision, Provision::kNative);
    EXPECT_EQ(left.native, 0b1100u);
    EXPECT_NE(left.reason.find("the rest is offered only if the emulate setting asks for it"),
              std::string::npos)
        << left.reason;
    for (const char* text :
         {"auto,VK_NV_cooperative_matrix2", " VK_NV_cooperative_matrix2 , auto"}) {
        const Decision completed = decide(parse(text), facts)[index];
        EXPECT_EQ(completed.native, 0b1100u) << text;
        EXPECT_EQ(completed.added, row.granted(facts) & ~0b1100u) << text;
    }
    EXPECT_EQ(decide(parse("VK_NV_cooperative_matrix2"), facts)[index].native, 0u);
    EXPECT_EQ(parse("auto,auto").mode, EmulatePolicy::Mode::kAuto);
    EXPECT_EQ(parse("auto,all", 1).mode, EmulatePolicy::Mode::kAuto);
}

// Products of bfloat16 and of 8-bit floats come with their types: with those of the driver, and
// with those that coopvk emulates.
TEST(AutoPolicy, MixedDotsOfTypesThatTheDeviceHas) {
    constexpr auto kDots = Extension::kValveShaderMixedFloatDotProduct;
    constexpr uint32_t kHalvesOnly = 3, kBfloat16 = 1u << 2, kFloat8 = 1u << 3;
    const std::string name(rewrite::info(kDots).vulkanName);
    DeviceFacts facts = makeFacts();
    const auto decision = [&](const std::string& text) {
        return decide(parse(text), facts)[static_cast<size_t>(kDots)];
    };
    EXPECT_EQ(decision(name).added, kHalvesOnly);
    EXPECT_EQ(decision("auto," + name).added, kHalvesOnly | kBfloat16);
    EXPECT_EQ(decision("auto,VK_EXT_shader_float8," + name).added,
              kHalvesOnly | kBfloat16 | kFloat8);
    EXPECT_EQ(decision("all").added, kHalvesOnly | kBfloat16 | kFloat8);
    facts.native.insert(kDots);
    facts.nativeFeatures[kDots] = kHalvesOnly;
    EXPECT_EQ(decision("auto," + name).added, kBfloat16);
    facts.traits.shaderInt16 = false;  // no bfloat16
    EXPECT_EQ(decision("auto," + name).provision, Provision::kNative);
    EXPECT_EQ(decision("auto," + name).native, kHalvesOnly);
    makeNative(facts, Extension::kExtShaderFloat8);
    EXPECT_EQ(decision("auto," + name).added, kFloat8);
}

}  // namespace
}  // namespace coopvk::layer::auto_policy_test
