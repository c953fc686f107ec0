// SPDX-License-Identifier: Apache-2.0
#include "policy_facts.hpp"

namespace coopvk::layer::policy_test {
namespace {

using Mode = EmulatePolicy::Mode;
using rewrite::Extension;
constexpr auto kHalves = Extension::kKhrShaderFloat16Int8;

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

// The driver's own extensions that depend on an emulated one cannot be used with it.
TEST(Policy, WhatDependsOnAnEmulatedExtension) {
    const DeviceFacts facts =
        makeFacts({Extension::kKhrCooperativeMatrix, Extension::kNvCooperativeMatrix2});
    const auto provisionBy = [&](std::string_view text) {
        return decide(parse(text), facts)[static_cast<size_t>(Extension::kNvCooperativeMatrix2)]
            .provision;
    };
    EXPECT_EQ(provisionBy("auto"), Provision::kNative);
    EXPECT_EQ(provisionBy("VK_KHR_cooperative_matrix"), Provision::kUnavailable);
    EXPECT_EQ(provisionBy("all"), Provision::kEmulated);
}

// A device that lacks what the emulation needs keeps its own, and the reason names what is missing.
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

// `auto` only adds what a driver lacks, and adds nothing that cannot be used together with the
// driver's.
TEST(Policy, FeatureByFeature) {
    for (const ExtensionRow& row : extensionRows()) {
        const auto index = static_cast<size_t>(row.extension);
        for (uint32_t native = 0; native < 1u << row.features.count; ++native) {
            DeviceFacts facts = makeFacts();
            facts.traits.bufferDeviceAddress = true;  // which vectors need
            facts.nativeFeatures[row.extension] = native;
            const uint32_t main = row.bit(row.mainFeatureOffset);
            if ((native & main) != 0) facts.native.insert(row.extension);
            if (row.extension == kHalves) facts.traits.shaderFloat16 = (native & main) != 0;
            const Decision decision = decide(parse("auto"), facts)[index];
            EXPECT_EQ(decision.native, native);
            EXPECT_EQ(decision.added & native, 0u);
            EXPECT_EQ(decision.added & ~row.granted(facts), 0u);
            EXPECT_EQ(decision.provision == Provision::kEmulated, decision.added != 0);
            const bool isLeftOut = row.leftOutOfAuto(facts) != nullptr;
            const uint32_t lacking =
                ((native & main) != 0 ? row.grantedBeside(facts) : row.granted(facts)) & ~native;
            if (isLeftOut && lacking != 0) {
                EXPECT_EQ(decision.added, 0u);
                EXPECT_NE(decision.reason.find("only if the emulate setting asks for it"),
                          std::string::npos);
                continue;
            }
            if (row.granted(facts) == 0) continue;  // it is listed, by name only
            EXPECT_TRUE((native & main) != 0 || (decision.added & main) != 0);
            const std::string why = native == 0 ? "lacks" : row.names(decision.added);
            EXPECT_TRUE(decision.added == 0 || decision.reason.find(why) != why.npos);
        }
    }
}

// The driver's matrices may carry emulated extensions, but on CPUs only if the user says so. Shapes
// that consist of tiles of the driver's are listed only then, too.
TEST(Policy, BackEnd) {
    using rewrite::BackEnd;
    DeviceFacts facts = makeFacts({Extension::kKhrCooperativeMatrix});
    constexpr auto kHalf = rewrite::ComponentType::kFloat16,
                   kSum = rewrite::ComponentType::kFloat32;
    facts.traits.nativeShapes = {{8, 8, 8, kHalf, kHalf, kSum, kSum, false}};
    for (const bool isCpu : {false, true}) {
        facts.traits.isCpu = isCpu;
        EXPECT_EQ(allowsNativeMatrices(BackEnd::kAuto, facts, {}), !isCpu);
        EXPECT_TRUE(allowsNativeMatrices(BackEnd::kNative, facts, {}));
        EXPECT_FALSE(allowsNativeMatrices(BackEnd::kCore, facts, {}));
        facts.traits.onlyNativeShapes = false;
        EXPECT_TRUE(shapesToAdd(parse("auto"), facts, {}).empty());
        facts.traits.onlyNativeShapes = true;  // BackEnd::kNative
        EXPECT_FALSE(shapesToAdd(parse("auto"), facts, {}).empty());
        EXPECT_TRUE(shapesToAdd(parse("VK_EXT_shader_float8"), facts, {}).empty());
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

Decision decideHalves(std::string_view text, const DeviceFacts& facts) {
    return decide(parse(text), facts)[static_cast<size_t>(kHalves)];
}

// Half floats are emulated if `emulate` names them or an extension that needs them, and with `all`
// if the driver lacks them.
TEST(Policy, HalfFloats) {
    DeviceFacts has = makeFacts();
    const ExtensionRow& row = extensionRow(kHalves);
    has.nativeFeatures[kHalves] = 0b11;
    has.native.insert(kHalves);
    DeviceFacts lacks = has;
    lacks.nativeFeatures[kHalves] = 0b10;  // shaderInt8
    lacks.native.erase(kHalves);
    lacks.traits.shaderFloat16 = false;
    lacks.traits.bufferDeviceAddress = true;
    for (const char* text : {"auto", "auto,VK_KHR_shader_bfloat16", "VK_KHR_shader_bfloat16",
                             "VK_COOPVK_shader_int4"}) {
        EXPECT_EQ(decideHalves(text, has).provision, Provision::kNative) << text;
        EXPECT_EQ(decideHalves(text, lacks).provision, Provision::kUnavailable) << text;
        EXPECT_EQ(decideHalves(text, lacks).native, 0b10u);
    }
    EXPECT_EQ(decideHalves("all", has).provision, Provision::kNative);
    EXPECT_EQ(decideHalves("auto,VK_KHR_shader_float16_int8", has).provision, Provision::kNative);
    for (const char* text : {"all", "VK_KHR_shader_float16_int8", "VK_NV_cooperative_vector",
                             "VK_KHR_cooperative_matrix", "VK_EXT_shader_float8",
                             "auto,VK_KHR_shader_float16_int8", "auto,VK_EXT_shader_float8"}) {
        const Decision decision = decideHalves(text, lacks);
        EXPECT_EQ(decision.provision, Provision::kEmulated) << text;
        EXPECT_EQ(row.names(decision.added), "shaderFloat16");
        EXPECT_EQ(decision.native, 0b10u);
    }
    EXPECT_EQ(decideHalves("VK_KHR_shader_float16_int8", has).reason,
              "in place of the driver's own");
    lacks.traits.shaderInt16 = false;
    EXPECT_EQ(decideHalves("all", lacks).reason, "needs shaderInt16");
}

// Extensions that need half floats are available with them.
TEST(Policy, VectorsWithHalfFloats) {
    DeviceFacts facts = makeFacts();
    facts.traits.shaderFloat16 = false;
    facts.traits.bufferDeviceAddress = true;
    constexpr auto kVectors = static_cast<size_t>(Extension::kNvCooperativeVector);
    EXPECT_EQ(decide(parse("auto"), facts)[kVectors].reason, "needs shaderFloat16");
    for (const char* text : {"all", "VK_NV_cooperative_vector"}) {
        EXPECT_EQ(decide(parse(text), facts)[kVectors].provision, Provision::kEmulated) << text;
    }
}

TEST(Policy, EmulatedSet) {
    Decisions decisions;
    EXPECT_TRUE(emulatedSet(decisions).empty());
    for (Decision& decision : decisions) decision.provision = Provision::kEmulated;
    rewrite::ExtensionSet all = rewrite::ExtensionSet::all();
    all.insert(kHalves);
    EXPECT_EQ(emulatedSet(decisions), all);
}

}  // namespace
}  // namespace coopvk::layer::policy_test
