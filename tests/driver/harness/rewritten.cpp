// SPDX-License-Identifier: Apache-2.0
#include "rewritten.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "context.hpp"
#include "conversion.hpp"

namespace coopvk::test {

rewrite::DeviceTraits gpuWithDots(uint32_t accelerated) {
    rewrite::DeviceTraits device;
    const uint32_t lanes = Context::get().subgroupSize;
    device.subgroupSize = device.minSubgroupSize = lanes;
    device.maxSubgroupSize = std::max(lanes, 64u);
    device.shaderDenormPreserveFloat16 =
        Context::get().properties12.shaderDenormPreserveFloat16 != VK_FALSE;
    // As layer/device/property_facts.cpp has it.
    const VkDriverId driver = Context::get().properties12.driverID;
    device.dropsHalfRoundings = driver == VK_DRIVER_ID_NVIDIA_PROPRIETARY ||
                                (driver == VK_DRIVER_ID_MESA_LLVMPIPE && lanes == 16);
    device.shaderIntegerDotProduct = true;
    device.dot4x8Signed = (accelerated & 1) != 0;
    device.dot4x8Unsigned = (accelerated & 2) != 0;
    device.dot4x8Mixed = (accelerated & 4) != 0;
    return device;
}

rewrite::DeviceTraits gpuWithManyRegisters() {
    rewrite::DeviceTraits device = gpuWithDots(7);
    device.maxSubgroupSize = device.minSubgroupSize;
    return device;
}

Words rewrittenFor(const rewrite::DeviceTraits& device, const Words& words, bool indexes64Bits,
                   rewrite::Numerics numerics) {
    const uint32_t lanes = device.subgroupSize;
    const rewrite::SpecializationEntry width = {0, std::as_bytes(std::span(&lanes, 1))};
    rewrite::Request request;
    request.words = words;
    request.specialization = std::span(&width, 1);
    rewrite::Target target;
    target.subgroupSize = lanes;
    target.device = device;
    target.indexes64Bits = indexes64Bits;
    target.numerics = numerics;
    // The layer converts the matrices.
    target.device.blockedWeights =
        !rewrite::scan(words, {rewrite::Extension::kNvCooperativeVector}).empty() &&
        hasBlockedWeights();
    rewrite::Result<rewrite::Rewritten> out = rewrite::rewrite(request, target);
    if (!out) {
        ADD_FAILURE() << out.error().message;
        return {};
    }
    rewrite::ExtensionSet gone = rewrite::ExtensionSet::all();
    if (device.shaderMixedFloatDotProductFloat16AccFloat32)  // coopvk uses the driver's own
        gone.erase(rewrite::Extension::kValveShaderMixedFloatDotProduct);
    EXPECT_TRUE(rewrite::scan(out->words, gone).empty());
    return std::move(out->words);
}

Words forScalarRegisters(const Words& words) {
    rewrite::DeviceTraits device = gpuWithDots(0);
    device.shaderIntegerDotProduct = false;
    device.scalarRegisters = true;
    device.subgroupVote = device.subgroupBallot = true;
    device.bufferDeviceAddress = true;
    return rewrittenFor(device, words);
}

namespace {

rewrite::DeviceTraits gpuWithFewRegisters() {
    rewrite::DeviceTraits device = gpuWithDots(0);
    device.shaderIntegerDotProduct = false;
    device.subgroupVote = device.subgroupArithmetic = true;
    device.bufferDeviceAddress = true;
    return device;
}

}  // namespace

Words forFewRegisters(const Words& words) { return rewrittenFor(gpuWithFewRegisters(), words); }

Words forFewRegistersAndTiles(const Words& words) {
    rewrite::DeviceTraits device = gpuWithFewRegisters();
    device.subgroupBallot = true;
    const Words rewritten = rewrittenFor(device, words);
    if (Context::get().subgroupSize > kMostLanesOfChoices) return rewritten;
    EXPECT_NE(rewrite::disassemble(rewritten).find("coopvk_exchange"), std::string::npos);
    return rewritten;
}

bool hasRightDots(const Words& words, uint32_t accelerated) {
    const std::string text = rewrite::disassemble(words);
    const auto has = [&](const char* name) {
        return text.find(std::string(" ") + name + " ") != std::string::npos;
    };
    const uint32_t used =
        (has("OpSDot") ? 1u : 0u) | (has("OpUDot") ? 2u : 0u) | (has("OpSUDot") ? 4u : 0u);
    return accelerated == 0 ? used == 2 : used != 0 && (used & ~accelerated) == 0;
}

}  // namespace coopvk::test
